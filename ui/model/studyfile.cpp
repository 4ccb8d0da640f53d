// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/studyfile.h"

#include <QFileInfo>
#include <QTemporaryDir>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

constexpr auto kPause = std::chrono::milliseconds(150);         // gathers keystrokes into one write
constexpr auto kBackupPause = std::chrono::seconds(3);          // without an edit: a backup keeps the writer from writing
constexpr std::int64_t kOneWriteMs = 100;                       // at most between the undo steps of one write; between two writes: kPause
constexpr auto kMaxBackupWait = std::chrono::milliseconds(500); // of a user who closes the file

StudyOptions optionsFor(StudyAccess access)
{
    StudyOptions options;
    options.program = "prism-explorer";
    options.access = access;
    return options;
}

QString firstMessage(const Diagnostics& errors)
{
    return errors.empty() ? QString() : QString::fromStdString(errors.front().message);
}

bool isSameFile(const std::string& a, const std::string& b)
{
    std::error_code error; // either is missing: not the same
    return std::filesystem::equivalent(a, b, error);
}

/// The whole content of an open file, which is shown as `path`.
Result<ReadStudy> contentOf(Result<Study> study, const QString& path, const Diagnostics& losses = {})
{
    if (!study)
        return study.errors();
    auto file = std::make_unique<StoredStudy>(std::move(study).value());
    OpenedStudy content = file->read();
    std::map<std::string, QStringList> places; // of each message: most losses differ in their table only
    for (const Diagnostic& d : losses)
        places[d.message] << QString::fromStdString(d.path);
    for (const auto& [message, where] : places)
        content.notes << u"%1: %2."_s.arg(where.join(u", "_s), QString::fromStdString(message));
    if (content.state.entries.empty())
        return Diagnostic{.message = QObject::tr("It holds no scenario that can be shown. %1").arg(content.notes.join(u' ')).toStdString()};
    content.path = path;
    return ReadStudy{std::move(content), std::move(file)};
}

} // namespace

Result<ReadStudy> readStudy(const QString& path, StudyAccess access)
{
    const QString absolute = QFileInfo(path).absoluteFilePath();
    Result<ReadStudy> read = contentOf(Study::open(absolute.toStdString(), optionsFor(access)), absolute);
    if (read && access == StudyAccess::readWrite)
        read->content.readOnlyReason = QString::fromStdString(read->file->study.readOnlyReason());
    return read;
}

bool isDamaged(const Result<ReadStudy>& read)
{
    return !read && read.errors().front().path == study_problem::kDamaged;
}

Result<ReadStudy> salvageToRead(const QString& path, const std::stop_token& stop)
{
    const QString absolute = QFileInfo(path).absoluteFilePath();
    const QTemporaryDir folder;
    const std::string salvaged = folder.filePath(u"salvaged.prism"_s).toStdString();
    StudyOptions options = optionsFor(StudyAccess::readWrite);
    options.backupFolder = studyBackupFolder();
    const Result<SalvageReport> report = salvageInChild(absolute.toStdString(), salvaged, options, stop);
    if (!report)
        return report.errors();
    // It stays open when the folder is removed.
    Result<ReadStudy> read = contentOf(Study::open(salvaged, optionsFor(StudyAccess::readOnly)), absolute, report->losses);
    if (read)
        read->content.readOnlyReason = QObject::tr("The file is damaged. What could be read is shown; save it under another name.");
    return read;
}

struct StudyFile::Writer {
    struct Pending {
        StudyState state;
        int currentId = -1;
        QJsonObject view;
    };
    std::mutex mutex;
    std::condition_variable_any wake;
    std::condition_variable idle;
    std::optional<Pending> pending;    // guarded by mutex
    bool busy = false, hurry = false;  // guarded by mutex
    bool isBackupDue = false;          // guarded by mutex: the file may differ from its last backup
    bool isClosing = false;            // guarded by mutex: the backup is made at once
    int holds = 0;                     // guarded by mutex: the GUI thread uses the file, no backup begins
    std::stop_source backup;           // guarded by mutex: of the one that is being made
    bool isBackingUp = false;          // guarded by mutex
    std::optional<Diagnostics> result; // guarded by mutex: of the last write, until it is collected
    std::unique_ptr<StoredStudy> file; // the GUI thread's under a Hold, else the writer's
    std::jthread thread;
};

StudyFile::StudyFile(QObject* parent) : QObject(parent), m_writer(std::make_unique<Writer>())
{
    m_writer->thread = std::jthread([this](const std::stop_token& quit) { work(quit); });
}

/// While it lives, everything is written and the file is the GUI thread's.
class StudyFile::Hold final {
public:
    explicit Hold(Writer& writer) : m_writer(writer)
    {
        std::unique_lock lock(m_writer.mutex);
        ++m_writer.holds;
        m_writer.hurry = true;
        m_writer.backup.request_stop();
        m_writer.wake.notify_all();
        m_writer.idle.wait(lock, [this] { return !m_writer.pending && !m_writer.busy && !m_writer.isBackingUp; });
        m_writer.hurry = false;
    }
    ~Hold()
    {
        const std::lock_guard lock(m_writer.mutex);
        --m_writer.holds;
    }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

private:
    Writer& m_writer;
};

StudyFile::~StudyFile()
{
    blockSignals(true);
    flush();
    finishBackup();
    m_writer->thread.request_stop();
    m_writer->thread.join();
}

/// The writer thread.
void StudyFile::work(const std::stop_token& quit)
{
    Writer& w = *m_writer;
    std::unique_lock lock(w.mutex);
    while (w.wake.wait(lock, quit, [&w] { return w.pending || w.isBackupDue; }), w.pending || !quit.stop_requested()) {
        if (w.pending) {
            w.wake.wait_for(lock, quit, kPause, [&w] { return w.hurry; });
            const Writer::Pending next = std::move(*w.pending);
            w.pending.reset();
            w.busy = true;
            lock.unlock();
            Diagnostics errors = w.file->write(next.state, next.currentId, next.view);
            lock.lock();
            w.busy = false;
            w.isBackupDue = true;
            w.result = std::move(errors);
            if (!quit.stop_requested())
                QMetaObject::invokeMethod(this, &StudyFile::collect, Qt::QueuedConnection);
        } else if (w.wake.wait_for(lock, quit, kBackupPause, [&w] { return w.pending || w.isClosing; }), !w.pending && w.holds == 0) {
            w.backup = {};
            w.isBackingUp = w.isBackupDue && w.file && !quit.stop_requested();
            if (w.isBackingUp) {
                const std::stop_token stop = w.backup.get_token();
                lock.unlock();
                w.file->study.backUp(studyBackupFolder(), stop);
                lock.lock();
            }
            w.isBackingUp = false;
            w.isBackupDue = w.backup.stop_requested();
        }
        w.idle.notify_all();
    }
}

/// Before the file is closed: a last backup, if it is made soon.
void StudyFile::finishBackup()
{
    std::unique_lock lock(m_writer->mutex);
    m_writer->isBackupDue = m_writer->isClosing = ownsFile(m_status) && m_writer->file;
    m_writer->wake.notify_all();
    m_writer->idle.wait_for(lock, kMaxBackupWait, [this] { return !m_writer->isBackupDue; });
    m_writer->isBackupDue = m_writer->isClosing = false;
    m_writer->backup.request_stop();
}

bool StudyFile::flush()
{
    {
        const Hold everythingIsWritten(*m_writer);
    }
    collect();
    return !isUnsaved(m_status);
}

Result<OpenedStudy> StudyFile::adopt(ReadStudy read)
{
    flush();
    std::optional<Hold> hold(*m_writer);
    const std::string path = read.file->study.path();
    if (StoredStudy* own = m_writer->file.get(); ownsFile(m_status) && read.file->study.readOnly() && isSameFile(path, own->study.path())) {
        // This window has the lock: it keeps its file and takes over what was read.
        if (Diagnostics errors = own->study.reload(); !errors.empty())
            return errors;
        own->ids = std::move(read.file->ids);
        own->written = std::move(read.file->written);
        read.file = std::move(m_writer->file);
        read.content.readOnlyReason.clear();
    }
    hold.reset();
    const bool readOnly = read.file->study.readOnly();
    const Result<int> applied = read.file->study.cursor();
    take(std::move(read.file), read.content.path, readOnly ? FileEvent::openedReadOnly : FileEvent::opened);
    m_opened = applied.ok() ? *applied : 0;
    return std::move(read.content);
}

std::optional<OpenedStudy> StudyFile::stepStored(bool back)
{
    if (!(back ? canStepBack() : canStepForward()))
        return std::nullopt;
    const Hold hold(*m_writer);
    Study& study = m_writer->file->study;
    const Result<std::vector<StudyStep>> steps = study.steps();
    const Result<int> cursor = study.cursor();
    if (!steps || !cursor)
        return std::nullopt;
    const auto sameWrite = [&steps](int step) { // with the one before it
        const auto at = static_cast<std::size_t>(step);
        return at > 0 && at < steps->size() && (*steps)[at].timeMs - (*steps)[at - 1].timeMs < kOneWriteMs;
    };
    int now = *cursor;
    const auto move = [&](bool undo) {
        const bool moved = (undo ? study.undo() : study.redo()).empty();
        now += moved ? (undo ? -1 : 1) : 0;
        return moved;
    };
    const int from = now, last = static_cast<int>(steps->size());
    while (back && now > 0 && (now >= m_opened || sameWrite(now)) && move(true))
        ;
    while (!back && now < last && (now == from || sameWrite(now)) && move(false))
        ;
    OpenedStudy content = m_writer->file->read();
    if (content.state.entries.empty()) { // the first scenario stays
        while (now < from && move(false))
            ;
        content = m_writer->file->read();
        m_opened = 0;
        return content;
    }
    m_opened = now;
    m_redoable = now < last;
    return content;
}

Diagnostics StudyFile::create(const QString& path)
{
    const QString absolute = QFileInfo(path).absoluteFilePath();
    Result<Study> study = Study::create(absolute.toStdString(), optionsFor(StudyAccess::readWrite));
    if (!study)
        return study.errors();
    take(std::make_unique<StoredStudy>(std::move(study).value()), absolute, FileEvent::opened);
    return {};
}

void StudyFile::showWithoutFile(const Diagnostics& reason)
{
    take(nullptr, {}, FileEvent::createFailed, firstMessage(reason));
}

void StudyFile::setSalvaging(bool on)
{
    apply(on ? FileEvent::salvageStarted : FileEvent::salvageEnded, m_problem);
}

Diagnostics StudyFile::saveAs(const QString& path, const StudyState& state, int currentId, const QJsonObject& view)
{
    const QString absolute = QFileInfo(path).absoluteFilePath();
    save(state, currentId, view);
    const bool isOnDisk = flush();
    std::optional<Hold> hold(*m_writer);
    if (isOnDisk && ownsFile(m_status) && isSameFile(absolute.toStdString(), m_path.toStdString()))
        return {};
    std::unique_ptr<StoredStudy> memory; // a study without a file is put together here
    if (!m_writer->file) {
        Result<Study> made = Study::memory(optionsFor(StudyAccess::readWrite));
        if (!made)
            return made.errors();
        memory = std::make_unique<StoredStudy>(std::move(made).value());
        if (Diagnostics errors = memory->write(state, currentId, view); !errors.empty())
            return errors;
    }
    const StoredStudy& from = memory ? *memory : *m_writer->file;
    Result<Study> study = from.study.saveAs(absolute.toStdString());
    if (!study)
        return study.errors();
    auto file = std::make_unique<StoredStudy>(std::move(study).value());
    file->ids = from.ids; // a copy keeps the ids
    file->written = from.written;
    Diagnostics found = file->study.notes();
    const std::string reason = file->study.readOnlyReason();
    if (!reason.empty())
        found.push_back({Severity::warning, "", reason});
    hold.reset();
    const int opened = m_opened; // a copy has all steps
    take(std::move(file), absolute, reason.empty() ? FileEvent::opened : FileEvent::openedReadOnly);
    m_opened = opened;
    save(state, currentId, view);
    return found;
}

void StudyFile::save(const StudyState& state, int currentId, const QJsonObject& view)
{
    if (state.entries.empty())
        return;
    if (ownsFile(m_status)) {
        const std::lock_guard lock(m_writer->mutex);
        m_writer->pending = {state, currentId, view};
        m_writer->backup.request_stop();
        m_writer->wake.notify_one();
    }
    apply(FileEvent::edited, m_problem);
}

/// Nothing waits to be written.
void StudyFile::take(std::unique_ptr<StoredStudy> file, const QString& path, FileEvent event, const QString& problem)
{
    flush();
    finishBackup();
    {
        const Hold hold(*m_writer);
        m_writer->file = std::move(file);
        const std::lock_guard lock(m_writer->mutex);
        m_writer->isBackupDue = m_writer->file && !m_writer->file->written.entries.empty();
        m_writer->wake.notify_all();
    }
    m_path = path;
    m_opened = 0;
    m_redoable = false;
    apply(event, problem);
}

void StudyFile::apply(FileEvent event, const QString& problem)
{
    const FileStatus status = nextStatus(m_status, event);
    if (status == m_status && problem == m_problem)
        return;
    m_status = status;
    m_problem = problem;
    Q_EMIT savedChanged();
}

/// Takes over how the last write went.
void StudyFile::collect()
{
    std::optional<Diagnostics> result;
    {
        const std::lock_guard lock(m_writer->mutex);
        std::swap(result, m_writer->result);
        if (result && result->empty() && (m_writer->pending || m_writer->busy))
            return; // a later edit is on its way
    }
    if (result)
        apply(result->empty() ? FileEvent::written : FileEvent::writeFailed, firstMessage(*result));
}

} // namespace prism::ui
