// SPDX-License-Identifier: GPL-3.0-or-later
// State of an open study. Internal to core/study.
#pragma once

#include "core/study/database.h"
#include "core/study/studylimits.h"
#include "core/study/filelock.h"
#include "core/study/study.h"

#include <map>
#include <mutex>

namespace prism {

struct Study::Impl {
    struct Row {
        StudyScenario scenario;
        std::int64_t position = 0;
    };

    Impl() = default;
    ~Impl(); ///< keeps a backup of an edited file
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    mutable std::mutex mutex;
    std::string path;
    StudyOptions options;
    mutable Database db;
    std::shared_ptr<FileLock> lock;
    bool readOnly = false;
    bool edited = false; ///< since the last try to back it up
    std::string reason;
    std::optional<StudyHolder> other;
    Diagnostics notes;
    std::int64_t dataVersion = 0;
    // The current content, kept in memory so that it outlives the file; sorted by position.
    std::vector<Row> rows;
    ScenarioId baseline;
    std::string name;
    std::map<std::int64_t, std::string> unsaved;
    std::vector<std::int64_t> touched;               ///< scenarios that the transaction in progress changes
    std::map<std::int64_t, std::int64_t> resultUses; ///< result id -> use counter, written with the next putResult
    mutable std::int64_t uses = 0;

    [[nodiscard]] std::int64_t now() const;
    /// Runs `f` in one transaction and takes the touched scenarios into memory: all of it or nothing.
    [[nodiscard]] Diagnostics write(const std::function<void()>& f);
    [[nodiscard]] StudyChange change() const;
    /// See Study::backUp.
    void backUp(const std::string& folder, const std::stop_token& stop);
    void loadAll();
    [[nodiscard]] std::optional<Row> readScenario(std::int64_t id) const;
    [[nodiscard]] std::pair<std::string, ScenarioId> readStudyRow() const;
    void replaceRow(std::int64_t id, std::optional<Row> row);
    [[nodiscard]] Row* find(std::int64_t id);
    /// Throws kInvalid for an id that is not shown.
    Row& need(ScenarioId id);
    [[nodiscard]] std::string freeName(const std::string& requested, std::int64_t except) const;

    // Undo steps; inside write().
    std::int64_t beginStep(const std::string& label, const std::string& mergeKey = {});
    void changeField(std::int64_t step, std::int64_t scenario, const std::string& field, const SqlValue& value);
    void setField(std::int64_t scenario, const std::string& field, const SqlValue& value);
    [[nodiscard]] Diagnostics changeOne(ScenarioId id, const std::string& label, const std::string& field, const SqlValue& value);
    [[nodiscard]] Diagnostics walk(bool back);

    // Revisions and parts; inside write() or attempt().
    std::int64_t addRevision(std::int64_t scenario, std::int64_t timeMs, const std::string& label, const std::string& json);
    void setRevisionText(std::int64_t revision, const std::string& json);
    std::int64_t addPart(std::string_view bytes);
    [[nodiscard]] std::string partBytes(std::int64_t id) const;
    [[nodiscard]] std::string revisionText(std::int64_t revision) const;

    // Opening.
    static std::unique_ptr<Impl> openFile(const std::string& path, const StudyOptions& options, std::shared_ptr<FileLock> lock);
    void takeLock();
    void connect();
    void openFromDisk();
    void rollBackElsewhere();
    void inspect();
    void checkPages();
    void bringUpToDate(std::int64_t version);
    void copyIntoMemory();
    void writeMirror(const std::string& to) const;
    [[nodiscard]] StudyHolder me() const { return currentHolder(options.program, now()); }
    /// Study::saveCopy; returns the lock of the new file.
    [[nodiscard]] std::shared_ptr<FileLock> writeCopy(const std::string& to, Diagnostics& warnings) const;
};

/// Reads the texts of many revisions: each statement is prepared once and a shared section unpacked once. Throws StudyError for a text
/// that is missing, does not fit together or is beyond kMaxScenarioBytes or kMaxRevisionParts. Linear in the text.
class RevisionReader final {
public:
    explicit RevisionReader(const Database& db);
    /// The whole text.
    [[nodiscard]] std::string text(std::int64_t revision) { return read(revision, false); }
    /// The text with 0 for each section that is stored separately; only its position and size are checked.
    [[nodiscard]] std::string outline(std::int64_t revision) { return read(revision, true); }

private:
    std::string read(std::int64_t revision, bool outline);
    const std::string& part(std::int64_t id);
    std::string m_file;
    Statement m_text, m_parts;
    std::int64_t m_partId = 0;
    std::string m_partBytes;
};

/// Spans [begin, end) of the values of top-level keys of a JSON object that are longer than `minimum`, ascending. Text that is
/// not a JSON object gives none.
[[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> longValues(std::string_view json, std::size_t minimum);
void removeFile(const std::string& path);
/// Into a new file that only its owner reads, up to where `from` cannot be read any more. Throws StudyError where it cannot be written.
void copyFile(const std::string& from, const std::string& to);
[[nodiscard]] bool fileExists(const std::string& path);

/// How makeFile treats an existing file at its path.
struct MakeOptions {
    StudyHolder me;
    bool replace = false;           ///< otherwise an existing file is an error
    const FileLock* held = nullptr; ///< a lock that the caller has: it counts where it is the existing file's
};
/// The new file that makeFile passes to its caller: empty, with its lock taken.
struct NewStudy {
    std::string path;
    std::shared_ptr<FileLock> lock;
};
/// Writes the SQLite file `path` by `make`: all or nothing, under its final name only when it is complete and flushed. What is replaced is
/// replaced by one rename while its lock is held; where anything fails, it is as it was, and no other file is there. Returns the lock of
/// the new file, held since before it had its name. After kill -9 the unfinished file is removed by the next start in that folder.
std::shared_ptr<FileLock> makeFile(const std::string& path, const MakeOptions& how, const std::function<void(const NewStudy&)>& make);
/// Removes what killed programs left unfinished in the folder of `path`: files with makeFile's kind of name, of this user, that hold
/// nothing or a database and whose lock no program has.
void removeUnfinished(const std::string& path);

} // namespace prism
