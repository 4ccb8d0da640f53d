// The study file (.prism): named scenarios with every revision, undo history, view state, imports and results in one
// SQLite file that survives kill -9, full disks, second openers and damage. docs: resources/help/study.md.
#pragma once

#include "core/base/hash.h"
#include "core/base/result.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
inline constexpr std::string_view kInputOutput = "study:input_output";   ///< the disk or share reported an error
inline constexpr std::string_view kChanged = "study:changed_underneath"; ///< another program wrote, moved or replaced it
inline constexpr std::string_view kNewer = "study:newer";                ///< written by a later version (a note)
inline constexpr std::string_view kTooLarge = "study:too_large";         ///< beyond a stated limit
inline constexpr std::string_view kInvalid = "study:invalid";            ///< unknown id, name taken, empty name, ...
} // namespace study_problem

enum class StudyAccess { readWrite, readOnly };

/// Who has a study open for writing.
struct StudyHolder {
    std::string program, host;
    std::int64_t pid = 0;
    std::int64_t sinceMs = 0; ///< UTC, milliseconds since 1970
    /// "prism-explorer on host alpha (process 123) since 2026-03-01 12:00 UTC".
    [[nodiscard]] std::string text() const;
};

struct StudyOptions {
    StudyAccess access = StudyAccess::readWrite;
    double waitSeconds = 0;                               ///< wait so long for another writer before opening read-only
    std::string program = "prism";                        ///< shown to a second opener
    double checkBudgetSeconds = 0.1;                      ///< time for the integrity check at open; 0 = none, < 0 = all
    std::size_t resultCacheBytes = std::size_t{64} << 20; ///< stored results above this are evicted, oldest use first
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

/// What was imported into the study: the file as it was, compressed and stored once.
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

/// An open study. Every change is on disk (rollback journal, synchronous FULL) when the call returns without errors.
/// Functions that return Diagnostics return what went wrong, empty = done; a failed change leaves the study as it was, and the
/// text of a failed updateScenario is kept (unsaved()) and goes into the next saveCopy.
/// Any thread; calls wait for each other. A change takes milliseconds (disk sync): not for a GUI thread.
class Study final {
public:
    // open it
    /// A new file; an existing one is an error. The file appears complete or not at all.
    [[nodiscard]] static Result<Study> create(const std::string& path, const StudyOptions& options = {});
    /// An existing file. Falls back to read-only (see readOnlyReason) when it cannot be written, when another program has it
    /// or when it is from a newer version. An older version is migrated after a backup beside it.
    [[nodiscard]] static Result<Study> open(const std::string& path, const StudyOptions& options = {});
    /// A study without a file; saveCopy gives it one.
    [[nodiscard]] static Result<Study> memory(const StudyOptions& options = {});
    Study(Study&&) noexcept;
    Study& operator=(Study&&) noexcept;
    ~Study();

    // change it; each call is one undo step unless it says otherwise
    /// At the end of the order. A taken name gets a number: "base 2". `json` up to 64 MiB.
    [[nodiscard]] Result<ScenarioId> addScenario(const std::string& name, const std::string& json, ScenarioId parent = {});
    [[nodiscard]] Result<RevisionId> updateScenario(ScenarioId id, const ScenarioEdit& edit);
    /// Makes an earlier revision of the scenario current again.
    [[nodiscard]] Diagnostics revert(ScenarioId id, RevisionId revision);
    [[nodiscard]] Diagnostics rename(ScenarioId id, const std::string& name);
    /// Moves the scenario to `position` (0 = first) of the order.
    [[nodiscard]] Diagnostics reorder(ScenarioId id, int position);
    [[nodiscard]] Diagnostics setVisible(ScenarioId id, bool visible);
    [[nodiscard]] Diagnostics setColour(ScenarioId id, const std::string& colour);
    [[nodiscard]] Diagnostics setLineStyle(ScenarioId id, const std::string& lineStyle);
    [[nodiscard]] Diagnostics setNote(ScenarioId id, const std::string& note);
    [[nodiscard]] Diagnostics setArchived(ScenarioId id, bool archived);
    [[nodiscard]] Diagnostics setParent(ScenarioId id, ScenarioId parent);
    /// Undo brings it back; compact with dropHistory forgets it.
    [[nodiscard]] Diagnostics remove(ScenarioId id);
    /// 0 = no baseline.
    [[nodiscard]] Diagnostics setBaseline(ScenarioId id);
    [[nodiscard]] Diagnostics undo();
    [[nodiscard]] Diagnostics redo();

    // change it without an undo step
    [[nodiscard]] Diagnostics setName(const std::string& name);
    /// Named JSON texts: window layout, zoom, selection. Up to 4 MiB each.
    [[nodiscard]] Diagnostics setViewState(const std::string& name, const std::string& json);
    /// `source` is cut to its file name. Up to 256 MiB.
    [[nodiscard]] Result<AttachmentId> addAttachment(StudyAttachment attachment, const std::string& bytes);
    [[nodiscard]] Diagnostics removeAttachment(AttachmentId id);
    /// Replaces a result of the same hash, kind, engine version and seed. Larger than a quarter of the cache: not stored.
    [[nodiscard]] Diagnostics putResult(ContentHash hash, const std::string& kind, const ResultProvenance& provenance,
                                        const std::string& bytes);
    [[nodiscard]] Diagnostics clearResults();

    // look at it
    [[nodiscard]] std::string path() const; ///< empty for memory()
    [[nodiscard]] std::string name() const;
    [[nodiscard]] bool readOnly() const;
    [[nodiscard]] std::string readOnlyReason() const;           ///< one sentence for people; empty when writable
    [[nodiscard]] std::optional<StudyHolder> holder() const;    ///< who else had it for writing at open
    [[nodiscard]] Diagnostics notes() const;                    ///< what opening found: migrated, newer, check not finished, ...
    [[nodiscard]] std::vector<StudyScenario> scenarios() const; ///< in order, with archived ones; from memory
    [[nodiscard]] Result<StudyScenario> scenario(std::string_view name) const;
    [[nodiscard]] Result<StudyScenario> scenario(ScenarioId id) const;
    [[nodiscard]] ScenarioId baseline() const;
    [[nodiscard]] Result<std::vector<StudyRevision>> revisions(ScenarioId id) const; ///< oldest first
    [[nodiscard]] Result<std::string> revisionJson(RevisionId id) const;
    [[nodiscard]] Result<std::vector<StudyStep>> steps() const; ///< oldest first; survives a restart
    [[nodiscard]] Result<int> cursor() const;                   ///< how many of steps() are applied; the others can be redone
    [[nodiscard]] Result<std::string> viewState(const std::string& name) const; ///< empty when never set
    [[nodiscard]] Result<std::vector<StudyAttachment>> attachments() const;
    [[nodiscard]] Result<std::string> attachmentBytes(AttachmentId id) const;
    /// The result with the most samples of this engine version and seed.
    [[nodiscard]] Result<std::optional<StoredResult>> result(ContentHash hash, const std::string& kind, const std::string& engineVersion,
                                                             std::uint64_t seed) const;
    [[nodiscard]] Result<std::int64_t> storedResultBytes() const;
    /// Whether another program wrote, replaced or removed the file since it was opened or reloaded.
    [[nodiscard]] StudyChange changedUnderneath() const;
    /// Scenarios whose last edit could not be stored, with its text.
    [[nodiscard]] std::vector<std::pair<ScenarioId, std::string>> unsaved() const;
    /// The structure as text that a person can read and a test can compare: everything but the bytes of results.
    [[nodiscard]] Result<std::string> dump() const;

    // look after it
    /// Takes over what another program wrote.
    [[nodiscard]] Diagnostics reload();
    /// A compact copy with all history (VACUUM INTO), replacing `path` atomically. Unsaved edits are in the copy. When the
    /// file itself can no longer be read, the copy holds the scenarios as they are in memory, and a warning comes back.
    [[nodiscard]] Diagnostics saveCopy(const std::string& path) const;
    /// The study as a folder of JSON and CSV; importFolder reads it back without loss. The folder must be empty or new.
    [[nodiscard]] Diagnostics exportFolder(const std::string& folder) const;
    /// Creates `path` from an exported folder.
    [[nodiscard]] static Result<Study> importFolder(const std::string& folder, const std::string& path, const StudyOptions& options = {});
    /// The whole file: SQLite's integrity check, foreign keys, every compressed part, every revision's text. Empty = sound.
    [[nodiscard]] Diagnostics check() const;
    /// Gives unused space back; dropHistory also forgets undo steps, removed scenarios and all but the current revisions.
    [[nodiscard]] Diagnostics compact(bool dropHistory = false);

    struct Impl; ///< of core/study
    explicit Study(std::unique_ptr<Impl> impl);

private:
    std::unique_ptr<Impl> m_impl;
};

/// What salvage found in a damaged file.
struct SalvageReport {
    int scenarios = 0, revisions = 0, attachments = 0, results = 0, viewStates = 0, steps = 0;
    Diagnostics losses; ///< what could not be read, as warnings
};
/// Copies everything that can be read from a damaged file into the new study `output`. The damaged file is not written.
[[nodiscard]] Result<SalvageReport> salvageStudy(const std::string& path, const std::string& output, const StudyOptions& options = {});

/// The current revision of the named scenario ("study.prism:NAME" on the command line). A study of one scenario that is not archived needs
/// no name.
[[nodiscard]] Result<Scenario> scenarioFromStudy(const std::string& path, const std::string& name);

} // namespace prism
