// SPDX-License-Identifier: GPL-3.0-or-later
// Creating and opening a study: the lock, the checks, versions, and falling back to reading.
#include "core/study/backup.h"
#include "core/study/impl.h"
#include "core/study/schema.h"
#include "core/study/siblings.h"

#include <sqlite3.h>

#include <chrono>
#include <filesystem>
#include <thread>
#include <tuple>

#include <sys/stat.h>
#include <unistd.h>

namespace prism {

using namespace study_problem;

namespace {

constexpr double kLockPollSeconds = 0.05;

Diagnostic note(std::string_view problem, std::string message)
{
    return {Severity::note, std::string(problem), std::move(message)};
}

} // namespace

Study::Impl::~Impl()
{
    if (edited)
        backUp(options.backupFolder, {});
}

void Study::Impl::backUp(const std::string& folder, const std::stop_token& stop)
{
    struct stat status {};
    if (folder.empty() || !lock || !lock->file().isAt(path) || stat(path.c_str(), &status) != 0)
        return;
    const std::vector<StudyBackup> own = backupsOf(path, folder);
    if (edited || own.empty() || own.front().timeMs / 1000 < status.st_mtime)
        keepBackup(db, path, folder, me(), now(), stop);
    edited = false;
}

std::int64_t Study::Impl::now() const
{
    if (options.nowMs)
        return options.nowMs();
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

void Study::Impl::takeLock()
{
    if (options.access == StudyAccess::readOnly) {
        reason = "It was opened for reading.";
        readOnly = true;
        return;
    }
    const std::string folder = std::filesystem::path(realPath(path)).parent_path().string();
    const bool file = access(path.c_str(), W_OK) == 0;
    if (!file || access(folder.empty() ? "." : folder.c_str(), W_OK) != 0) { // the journal lies in the folder
        reason = std::string(file ? "Its folder" : "The file") + " is write-protected. Save a copy to edit it.";
        readOnly = true;
        return;
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(options.waitSeconds);
    const Diagnostics problem = attempt([&] {
        for (;;) {
            lock = FileLock::take(path, me(), other);
            if (lock || std::chrono::steady_clock::now() >= end)
                break;
            std::this_thread::sleep_for(std::chrono::duration<double>(kLockPollSeconds));
        }
    });
    if (lock) {
        other.reset();
        return;
    }
    readOnly = true;
    reason = other ? "It is open for editing in " + other->text() + "."
                   : (problem.empty() ? std::string("It is locked.") : problem.front().message) + " Save a copy to edit it.";
}

void Study::Impl::rollBackElsewhere()
{
    const bool wal = usesWal(path);
    const PrivateFolder folder;
    const std::string copy = folder.path() + "/study";
    copyWithSiblings(path, copy);
    if (usesWal(copy))
        bringBackFromWal(copy);
    db = Database(copy, Database::Mode::readWrite, {});
    copyIntoMemory();
    notes.push_back(
        note(kReadOnly, wal ? "Another program has a separate log of the study (WAL); what is shown includes the log."
                            : "A program was killed while it changed the study; what is shown is the state before that change."));
}

void Study::Impl::connect()
{
    const bool wal = usesWal(path);
    if (wal && applicationIdOf(path) != kStudyApplicationId) // a database of another program: not to be changed
        failStudy(kNotAStudy, "This is a database, but not a study.", path, "a file made by PRISM Explorer (.prism)");
    if (wal && (readOnly || !attempt([&] { bringBackFromWal(path); }).empty())) {
        rollBackElsewhere();
        if (!readOnly)
            reason = "Another program has a separate log of it (WAL). Save a copy to edit it.";
        readOnly = true;
    } else {
        openFromDisk();
    }
    if (db.integer("PRAGMA application_id") != kStudyApplicationId)
        failStudy(kNotAStudy, "This is a database, but not a study.", path, "a file made by PRISM Explorer (.prism)");
    if (!readOnly && !db.writable()) {
        readOnly = true;
        reason = "The file is write-protected. Save a copy to edit it.";
    }
    db.script("PRAGMA synchronous = FULL;");
}

void Study::Impl::openFromDisk()
{
    const auto mode = readOnly ? Database::Mode::readOnly : Database::Mode::readWrite;
    const auto open = [&] {
        db = Database(path, mode, options.vfs);
        (void)db.integer("PRAGMA application_id");
    };
    const Diagnostics unread = attempt(open);
    if (!unread.empty() && (unread.front().path != kReadOnly || !fileExists(realPath(path) + "-journal")))
        throw StudyError{unread.front()};
    if (!unread.empty()) {
        // A killed writer left a change half done. A reader may not undo it; a writer does so by looking.
        const Diagnostics problem = attempt([&] {
            Database writer(path, Database::Mode::readWrite, options.vfs);
            (void)writer.integer("PRAGMA application_id");
            open();
        });
        if (!problem.empty())
            rollBackElsewhere();
    }
}

void Study::Impl::checkPages()
{
    if (options.checkBudgetSeconds == 0)
        return;
    const Deadline deadline(db, options.checkBudgetSeconds);
    const Diagnostics problem = attempt([&] {
        Statement check(db.handle(), "PRAGMA quick_check(1)");
        if (check.row() && check.text(0) != "ok")
            failStudy(kDamaged, "The study file is damaged.", check.text(0), "`prism-cli study salvage` copies what can be read");
    });
    if (!problem.empty() && deadline.passed())
        notes.push_back(note(kTooLarge, "The file is large: its integrity was checked in part. Check the study to check it all."));
    else if (!problem.empty())
        throw StudyError{problem.front()};
}

void Study::Impl::copyIntoMemory()
{
    Database memory(":memory:", Database::Mode::create, {});
    sqlite3_backup* backup = sqlite3_backup_init(memory.handle(), "main", db.handle(), "main");
    const int code = backup ? sqlite3_backup_step(backup, -1) : SQLITE_ERROR;
    sqlite3_backup_finish(backup);
    if (code != SQLITE_DONE)
        failSql(db.handle(), code);
    db = std::move(memory);
}

void Study::Impl::bringUpToDate(std::int64_t version)
{
    if (readOnly) {
        copyIntoMemory();
        notes.push_back(note(kReadOnly, "The file is of the older format " + std::to_string(version)
                                            + "; it is shown as it would be after an update."));
    } else {
        std::string backup = path + ".backup-v" + std::to_string(version);
        for (int i = 2; fileExists(backup); ++i)
            backup = path + ".backup-v" + std::to_string(version) + "-" + std::to_string(i);
        makeFile(backup, {me()}, [&](const NewStudy& made) { db.run("VACUUM INTO ?1", made.path); });
        notes.push_back(note(kNewer, "The file was updated from format " + std::to_string(version) + "; as it was, it is kept in "
                                         + backup.substr(backup.rfind('/') + 1) + "."));
    }
    migrateStudy(db);
}

void Study::Impl::inspect()
{
    checkPages();
    const auto version = db.integer("PRAGMA user_version");
    if (version > kStudySchemaVersion) {
        readOnly = true;
        reason = "It was written by a newer version of PRISM Explorer (format " + std::to_string(version) + "; this version writes "
                 + std::to_string(kStudySchemaVersion) + ").";
        notes.push_back(note(kNewer, reason));
    } else if (version < 1) {
        failStudy(kNotAStudy, "The study file has no contents that this version knows.", "format " + std::to_string(version));
    } else {
        const std::string difference = schemaDifference(db, static_cast<int>(version));
        if (!difference.empty())
            failStudy(kDamaged, "The tables of the study file are not as they should be.", difference,
                      "`prism-cli study salvage` copies what can be read");
        if (version < kStudySchemaVersion)
            bringUpToDate(version);
    }
    const Diagnostics problem = attempt([&] { loadAll(); });
    if (!problem.empty() && version > kStudySchemaVersion)
        failStudy(kNewer, "The study was written by a newer version of PRISM Explorer, and this version cannot read it.",
                  "format " + std::to_string(version), "format " + std::to_string(kStudySchemaVersion) + " or older");
    if (!problem.empty())
        throw StudyError{problem.front()};
    dataVersion = db.integer("PRAGMA data_version");
}

std::unique_ptr<Study::Impl> Study::Impl::openFile(const std::string& path, const StudyOptions& options, std::shared_ptr<FileLock> lock)
{
    struct stat status {};
    if (stat(path.c_str(), &status) != 0)
        failStudy(kNotFound, "There is no such study file.", path);
    if (!S_ISREG(status.st_mode))
        failStudy(kNotAStudy, "This is not a file.", path, "a file made by PRISM Explorer (.prism)");
    if (status.st_size == 0)
        failStudy(kNotAStudy, "The file is empty.", path, "a file made by PRISM Explorer (.prism)");
    requireFilesNextTo(path);
    auto impl = std::make_unique<Impl>();
    impl->path = path;
    impl->options = options;
    impl->lock = std::move(lock);
    if (!impl->lock) {
        if (options.access == StudyAccess::readWrite)
            removeUnfinished(realPath(path));
        impl->takeLock();
    }
    impl->connect();
    if (impl->lock && !impl->lock->file().isAt(path))
        failStudy(kChanged, "The study file was replaced while it was opened.", path, "open it again");
    impl->inspect();
    if (impl->readOnly)
        impl->lock.reset();
    impl->backUp(options.backupFolder, {}); // where no close since the last edit made one
    return impl;
}

Study::Study(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
Study::Study(Study&&) noexcept = default;
Study& Study::operator=(Study&&) noexcept = default;
Study::~Study() = default;

Result<Study> Study::create(const std::string& path, const StudyOptions& options)
{
    return attemptFor<Study>([&] {
        Impl maker;
        maker.options = options;
        auto lock = makeFile(path, {maker.me()}, [&](const NewStudy& made) {
            Database db(made.path, Database::Mode::create, options.vfs);
            migrateStudy(db);
            std::string name = path.substr(path.rfind('/') + 1);
            if (name.ends_with(".prism"))
                name.resize(name.size() - 6);
            db.run("UPDATE study SET name = ?1, created_ms = ?2, program = ?3", name, maker.now(), options.program + " " + PRISM_VERSION);
        });
        return Study(Impl::openFile(path, options, std::move(lock)));
    });
}

Result<Study> Study::open(const std::string& path, const StudyOptions& options)
{
    return attemptFor<Study>([&] { return Study(Impl::openFile(path, options, nullptr)); });
}

Result<Study> Study::memory(const StudyOptions& options)
{
    return attemptFor<Study>([&] {
        auto impl = std::make_unique<Impl>();
        impl->options = options;
        impl->db = Database(":memory:", Database::Mode::create, {});
        migrateStudy(impl->db);
        impl->db.run("UPDATE study SET created_ms = ?1, program = ?2", impl->now(), options.program + " " + PRISM_VERSION);
        impl->loadAll();
        impl->dataVersion = impl->db.integer("PRAGMA data_version");
        return Study(std::move(impl));
    });
}

StudyChange Study::Impl::change() const
{
    if (path.empty())
        return StudyChange::none;
    if (!fileExists(path))
        return StudyChange::removed;
    if (db.moved())
        return StudyChange::replaced;
    std::int64_t version = 0;
    const Diagnostics problem = attempt([&] { version = db.integer("PRAGMA data_version"); });
    return !problem.empty() || version != dataVersion ? StudyChange::contents : StudyChange::none;
}

Diagnostics Study::Impl::write(const std::function<void()>& f)
{
    if (readOnly)
        return {
            {Severity::error, std::string(kReadOnly), "The study is open for reading only. " + reason, path, "save a copy and edit that"}};
    return attempt([&] {
        if (!path.empty() && !fileExists(path))
            failStudy(kNotFound, "The study file was removed while it was open.", path, "save a copy; everything is still here");
        Transaction transaction(db);
        if (db.integer("PRAGMA data_version") != dataVersion)
            failStudy(kChanged, "Another program changed the study file.", path, "reload it, or save a copy of what is shown");
        touched.clear();
        f();
        std::vector<std::optional<Row>> fresh;
        for (const std::int64_t id : touched)
            fresh.push_back(readScenario(id));
        auto studyRow = readStudyRow();
        transaction.commit();
        edited = true;
        for (std::size_t i = 0; i < touched.size(); ++i)
            replaceRow(touched[i], std::move(fresh[i]));
        std::tie(name, baseline) = std::move(studyRow);
    });
}

std::string Study::path() const
{
    return m_impl->path;
}

std::string Study::name() const
{
    const std::lock_guard guard(m_impl->mutex);
    return m_impl->name;
}

bool Study::readOnly() const
{
    return m_impl->readOnly;
}
std::string Study::readOnlyReason() const
{
    return m_impl->reason;
}
std::optional<StudyHolder> Study::holder() const
{
    return m_impl->other;
}
Diagnostics Study::notes() const
{
    return m_impl->notes;
}

StudyChange Study::changedUnderneath() const
{
    const std::lock_guard guard(m_impl->mutex);
    return m_impl->change();
}

std::vector<std::pair<ScenarioId, std::string>> Study::unsaved() const
{
    const std::lock_guard guard(m_impl->mutex);
    std::vector<std::pair<ScenarioId, std::string>> edits;
    for (const auto& [id, json] : m_impl->unsaved)
        edits.emplace_back(ScenarioId{id}, json);
    return edits;
}

Diagnostics Study::reload()
{
    const std::lock_guard guard(m_impl->mutex);
    return attempt([&] {
        if (m_impl->change() == StudyChange::removed)
            failStudy(kNotFound, "The study file was removed while it was open.", m_impl->path, "save a copy; everything is still here");
        if (m_impl->change() == StudyChange::replaced)
            failStudy(kChanged, "The study file was replaced by another file.", m_impl->path,
                      "open it again, or save a copy of what is shown");
        m_impl->loadAll();
        m_impl->dataVersion = m_impl->db.integer("PRAGMA data_version");
    });
}

} // namespace prism
