// SPDX-License-Identifier: GPL-3.0-or-later
// The contents of a study file as plain values: ids, problems, options, scenarios, revisions, steps, attachments, results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace prism {

/// Ids are unique within one study and never 0 for something that exists.
struct ScenarioId {
    std::int64_t value = 0;
    auto operator<=>(const ScenarioId&) const = default;
};
struct RevisionId {
    std::int64_t value = 0;
    auto operator<=>(const RevisionId&) const = default;
};
struct AttachmentId {
    std::int64_t value = 0;
    auto operator<=>(const AttachmentId&) const = default;
};

/// `Diagnostic::path` of what can go wrong with a study file: stable names for programs that react to them.
namespace study_problem {
inline constexpr std::string_view kNotFound = "study:not_found";         ///< no such file, or removed since
inline constexpr std::string_view kExists = "study:exists";              ///< create found a file there
inline constexpr std::string_view kNotAStudy = "study:not_a_study";      ///< another kind of file
inline constexpr std::string_view kDamaged = "study:damaged";            ///< salvage may help
inline constexpr std::string_view kReadOnly = "study:read_only";         ///< see Study::readOnlyReason
inline constexpr std::string_view kInUse = "study:in_use";               ///< another program has it
inline constexpr std::string_view kDiskFull = "study:disk_full";         ///< nothing was lost; save elsewhere
inline constexpr std::string_view kInputOutput = "study:input_output";   ///< the disk or share returned an error
inline constexpr std::string_view kChanged = "study:changed_underneath"; ///< another program wrote, moved or replaced it
inline constexpr std::string_view kNewer = "study:newer";                ///< written by a later version (a note)
inline constexpr std::string_view kTooLarge = "study:too_large";         ///< beyond a stated limit
inline constexpr std::string_view kInvalid = "study:invalid";            ///< unknown id, name taken, empty name, ...
} // namespace study_problem

enum class StudyAccess { readWrite, readOnly };

/// The program that has a study open for writing.
struct StudyHolder {
    std::string program, host;
    std::int64_t pid = 0;
    std::int64_t sinceMs = 0; ///< UTC, milliseconds since 1970
    /// "prism-explorer on host alpha (process 123) since 2026-03-01 12:00 UTC".
    [[nodiscard]] std::string text() const;
};

struct StudyOptions {
    StudyAccess access = StudyAccess::readWrite;
    double waitSeconds = 0;                               ///< wait this long for another writer before opening read-only
    std::string program = "prism";                        ///< shown to a second opener
    double checkBudgetSeconds = 0.1;                      ///< time for the integrity check at open; 0 = none, < 0 = all
    std::size_t resultCacheBytes = std::size_t{64} << 20; ///< stored results above this are evicted, oldest use first
    std::string backupFolder;                             ///< for copies that salvage falls back to; empty = none. See studyBackupFolder
    std::string vfs;                                      ///< SQLite VFS name; empty = the system's
    std::function<std::int64_t()> nowMs;                  ///< clock; empty = the system's
};

/// One row of the scenario table, in display order.
struct StudyScenario {
    ScenarioId id;
    std::string name, note;
    std::string colour;    ///< "#rrggbb", or empty = automatic
    std::string lineStyle; ///< "solid", "dash", ..., or empty = automatic
    bool visible = true, archived = false;
    ScenarioId parent; ///< the scenario that it was duplicated from; 0 = none
    RevisionId current;
    std::string json; ///< the current revision, as it was given
};

/// One kept state of a scenario; its text by Study::revisionJson.
struct StudyRevision {
    RevisionId id;
    ScenarioId scenario;
    std::int64_t timeMs = 0;
    std::string label; ///< what changed, for the history list
};

/// One undo step of the study.
struct StudyStep {
    std::int64_t timeMs = 0;
    std::string label;
    ScenarioId scenario; ///< the one that it changed first; 0 = the study itself
};

/// An import of the study: the original file, compressed and stored once.
struct StudyAttachment {
    AttachmentId id;
    ScenarioId scenario; ///< 0 = of the study
    std::string kind;    ///< "pool", "gemm_table", "collective_table", "measured_steps", ...
    std::string name;    ///< shown to people
    std::string source;  ///< file name without its folder
    std::int64_t timeMs = 0;
    std::int64_t bytes = 0; ///< uncompressed
};

/// How a stored result was made.
struct ResultProvenance {
    std::string engineVersion;
    std::uint64_t seed = 0;
    std::int64_t samples = 0;
    bool operator==(const ResultProvenance&) const = default;
};

struct StoredResult {
    ResultProvenance provenance;
    std::int64_t timeMs = 0;
    std::string bytes; ///< as given to putResult
};

/// An edit of a scenario. Consecutive edits of one scenario with one non-empty mergeKey within mergeSeconds become one
/// revision and one undo step: the keystrokes of a field.
struct ScenarioEdit {
    std::string json;
    std::string label = "Edit";
    std::string mergeKey;
    double mergeSeconds = 3;
};

enum class StudyChange { none, contents, replaced, removed };

} // namespace prism
