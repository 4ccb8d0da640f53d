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

constexpr auto kPause = std::chrono::milliseconds(150); // gathers keystrokes into one write

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

/// What can be read of a damaged file; the file itself is not touched.
Result<ReadStudy> salvaged(const QString& path)
{
    const QTemporaryDir folder;
    const std::string rescued = folder.filePath(u"salvaged.prism"_s).toStdString();
    StudyOptions options = optionsFor(StudyAccess::readWrite);
    options.backupFolder = studyBackupFolder();
    const Result<SalvageReport> report = salvageInChild(path.toStdString(), rescued, options);
    if (!report)
        return report.errors();
    Result<Study> study = Study::open(rescued, optionsFor(StudyAccess::readOnly)); // stays open when the folder goes
    if (!study)
        return study.errors();
    auto file = std::make_unique<StoredStudy>(std::move(study).value());
    OpenedStudy content = file->read();
    content.readOnlyReason = QObject::tr("The file is damaged. What could be read is shown; save it under another name.");
    for (const Diagnostic& d : report->losses)
        content.notes << QString::fromStdString(d.message);
    return ReadStudy{std::move(content), std::move(file)};
}

Result<ReadStudy> readFile(const QString& path, StudyAccess access)
{
    Result<Study> study = Study::open(path.toStdString(), optionsFor(access));
    if (!study && study.errors().front().path == study_problem::kDamaged)
        return salvaged(path);
    if (!study)
        return study.errors();
    auto file = std::make_unique<StoredStudy>(std::move(study).value());
    OpenedStudy content = file->read();
    if (access == StudyAccess::readWrite)
        content.readOnlyReason = QString::fromStdString(file->study.readOnlyReason());
    return ReadStudy{std::move(content), std::move(file)};
}

} // namespace

Result<ReadStudy> readStudy(const QString& path, StudyAccess access)
{
    const QString absolute = QFileInfo(path).absoluteFilePath();
    Result<ReadStudy> read = readFile(absolute, access);
    if (!read)
        return read;
    if (read->content.state.entries.empty())
        return Diagnostic{.message =
                              QObject::tr("It holds no scenario that can be shown. %1").arg(read->content.notes.join(u' ')).toStdString()};
    read->content.path = absolute;
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
    std::optional<Diagnostics> result; // guarded by mutex: of the last write, until it is collected
    std::unique_ptr<StoredStudy> file; // the writer's while busy; else the GUI thread's under the mutex
    std::jthread thread;
};

StudyFile::StudyFile(QObject* parent) : QObject(parent), m_writer(std::make_unique<Writer>())
{
    m_writer->thread = std::jthread([this, w = m_writer.get()](std::stop_token quit) {
        std::unique_lock lock(w->mutex);
        while (w->wake.wait(lock, quit, [w] { return w->pending.has_value(); }) || w->pending) {
            if (!quit.stop_requested())
                w->wake.wait_for(lock, quit, kPause, [w] { return w->hurry; });
            const Writer::Pending next = std::move(*w->pending);
            w->pending.reset();
            w->busy = true;
            lock.unlock();
            Diagnostics errors = w->file->write(next.state, next.currentId, next.view);
            lock.lock();
            w->busy = false;
            w->result = std::move(errors);
            w->idle.notify_all();
            if (!quit.stop_requested())
                QMetaObject::invokeMethod(this, &StudyFile::collect, Qt::QueuedConnection);
        }
    });
}

StudyFile::~StudyFile()
{
    blockSignals(true);
    flush();
    m_writer->thread.request_stop();
    m_writer->thread.join();
}

bool StudyFile::flush()
{
    {
        std::unique_lock lock(m_writer->mutex);
        m_writer->hurry = true;
        m_writer->wake.notify_all();
        m_writer->idle.wait(lock, [this] { return !m_writer->pending && !m_writer->busy; });
        m_writer->hurry = false;
    }
    collect();
    return !isUnsaved(m_status);
}

Result<OpenedStudy> StudyFile::adopt(ReadStudy read)
{
    flush();
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
    const bool readOnly = read.file->study.readOnly();
    take(std::move(read.file), read.content.path, readOnly ? FileEvent::openedReadOnly : FileEvent::opened);
    return std::move(read.content);
}

Result<OpenedStudy> StudyFile::open(const QString& path)
{
    Result<ReadStudy> read = readStudy(path);
    if (!read)
        return read.errors();
    return adopt(std::move(read).value());
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

Diagnostics StudyFile::saveAs(const QString& path, const StudyState& state, int currentId, const QJsonObject& view)
{
    const QString absolute = QFileInfo(path).absoluteFilePath();
    save(state, currentId, view);
    const bool isOnDisk = flush();
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
    take(std::move(file), absolute, reason.empty() ? FileEvent::opened : FileEvent::openedReadOnly);
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
        m_writer->wake.notify_one();
    }
    apply(FileEvent::edited, m_problem);
}

/// Nothing waits to be written.
void StudyFile::take(std::unique_ptr<StoredStudy> file, const QString& path, FileEvent event, const QString& problem)
{
    flush();
    m_writer->file = std::move(file);
    m_path = path;
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
