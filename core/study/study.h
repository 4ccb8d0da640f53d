// SPDX-License-Identifier: GPL-3.0-or-later
// The study file (.prism): named scenarios with every revision, undo history, view state, imports and results in one
// SQLite file that survives kill -9, full disks, second openers and damage. docs: resources/help/study.md.
#pragma once

#include "core/base/hash.h"
#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "core/study/studytypes.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace prism {

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
    /// or when it is from a newer version. An older version is migrated after a backup next to it.
    [[nodiscard]] static Result<Study> open(const std::string& path, const StudyOptions& options = {});
    /// A study without a file; saveCopy gives it one.
    [[nodiscard]] static Result<Study> memory(const StudyOptions& options = {});
    Study(Study&& /*other*/) noexcept;
    Study& operator=(Study&& /*other*/) noexcept;
    ~Study();

    // change it; each call is one undo step unless stated otherwise
    /// At the end of the order. A taken name gets a number: "base 2". `json` up to 64 MiB.
    [[nodiscard]] Result<ScenarioId> addScenario(const std::string& name, const std::string& json, ScenarioId parent = {});
    [[nodiscard]] Result<RevisionId> updateScenario(ScenarioId id, const ScenarioEdit& edit);
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

    // look at it
    [[nodiscard]] std::string path() const; ///< empty for memory()
    [[nodiscard]] std::string name() const;
    [[nodiscard]] bool readOnly() const;
    [[nodiscard]] std::string readOnlyReason() const;           ///< one sentence for people; empty when writable
    [[nodiscard]] std::optional<StudyHolder> holder() const;    ///< the other writer that had it open
    [[nodiscard]] Diagnostics notes() const;                    ///< notes from opening: migrated, newer, check not finished, ...
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
    /// Reloads what another program wrote.
    [[nodiscard]] Diagnostics reload();
    /// A backup in `folder` of what was edited since the last one, as studyBackupFolder describes. None after a problem or a stop.
    void backUp(const std::string& folder, const std::stop_token& stop);
    /// A compact copy with all history (VACUUM INTO), replacing `path` atomically. Unsaved edits are in the copy. When the
    /// file itself can no longer be read, the copy holds the scenarios as they are in memory, and a warning comes back.
    [[nodiscard]] Diagnostics saveCopy(const std::string& path) const;
    /// The same, and opens the new file without ever letting go of its lock: "save as", and a new file at a place where there may be one
    /// (fill a memory() study, then saveAs). What is at `path` is replaced by one rename while its lock is held; when another program has
    /// it, it is write-protected, the disk is full or anything else fails, it stays exactly as it was. Ids stay; warnings are in notes().
    [[nodiscard]] Result<Study> saveAs(const std::string& path) const;
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

/// Result of salvaging a damaged file.
struct SalvageReport {
    int scenarios = 0, revisions = 0, attachments = 0, results = 0, viewStates = 0, steps = 0;
    Diagnostics losses; ///< unreadable parts, as warnings
};
/// Copies everything that can be read from a damaged file into the new study `output`, by SQL, row by row; what is lost comes from the
/// newest backup of `options.backupFolder` that can be read. The damaged file is not written. Time and size of the output are bounded.
[[nodiscard]] Result<SalvageReport> salvageStudy(const std::string& path, const std::string& output, const StudyOptions& options = {});
/// The same in a child process with at most 1 GiB of memory and 10 s of processor time, ended after 60 s or when `stop` is requested.
/// Waits for it: call it from a thread that may wait, not from a GUI thread. Any thread. In a program without salvageHelper: salvageStudy.
[[nodiscard]] Result<SalvageReport> salvageInChild(const std::string& path, const std::string& output, const StudyOptions& options = {},
                                                   std::stop_token stop = {});
/// To be called first in main: the program's exit code where it was started by salvageInChild.
[[nodiscard]] std::optional<int> salvageHelper(int argc, char** argv);

/// Where programs keep backups: $XDG_STATE_HOME/prism-explorer/backups, or the same in ~/.local/state; empty without a home. A program
/// that edits a user's studies puts it into StudyOptions::backupFolder: a copy is made when an edited study is closed, and when a study is
/// opened for writing that was edited since its last copy; at most every ten minutes, three of each study. A program that must not wait for
/// that leaves it empty and calls Study::backUp.
[[nodiscard]] std::string studyBackupFolder();

/// The current revision of the named scenario ("study.prism:NAME" on the command line). A study of one scenario that is not archived needs
/// no name.
[[nodiscard]] Result<Scenario> scenarioFromStudy(const std::string& path, const std::string& name);

} // namespace prism
