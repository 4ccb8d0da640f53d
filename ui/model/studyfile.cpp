// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/studyfile.h"

#include "ui/model/stepmarks.h"

#include "core/study/study.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <optional>
#include <thread>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

constexpr auto kPause = std::chrono::milliseconds(150); // gathers keystrokes into one write
constexpr const char* kViewName = "explorer";
const QString kColourPrefix = u"series:"_s;

struct Pending {
    StudyState state;
    int currentId = -1;
    QJsonObject view;
};

/// Brings a study file to a state with as few changes as possible. Writer thread.
class FileState final {
public:
    explicit FileState(Study study) : study(std::move(study)) {}
    Study study;
    StudyState written;
    std::map<int, ScenarioId> ids;

    Diagnostics bring(const Pending& next)
    {
        Diagnostics errors;
        std::set<int> added;
        for (const ScenarioEntry& e : next.state.entries)
            if (!bringEntry(e, added, errors))
                return errors;
        for (auto it = ids.begin(); it != ids.end();) {
            if (next.state.find(it->first)) {
                ++it;
                continue;
            }
            keep(errors, study.remove(it->second));
            it = ids.erase(it);
        }
        order(next.state, errors);
        bringParents(next.state, added, errors);
        if (next.state.baselineId != written.baselineId)
            keep(errors, study.setBaseline(idOf(next.state.baselineId)));
        QJsonObject view = next.view;
        view[u"limit_s"_s] = next.state.limitSeconds;
        view[u"lower_limit_s"_s] = next.state.lowerLimitSeconds;
        view[u"marks"_s] = marksJson(next.state.marks);
        view[u"current"_s] = static_cast<double>(idOf(next.currentId).value);
        keep(errors, study.setViewState(kViewName, QJsonDocument(view).toJson(QJsonDocument::Compact).toStdString()));
        if (errors.empty())
            written = next.state;
        return errors;
    }

private:
    static void keep(Diagnostics& errors, const Diagnostics& found) { errors.insert(errors.end(), found.begin(), found.end()); }
    /// In the file; none where the study of the window has no such scenario.
    [[nodiscard]] ScenarioId idOf(int entry) const
    {
        const auto it = ids.find(entry);
        return entry >= 0 && it != ids.end() ? it->second : ScenarioId{};
    }
    /// False: it could not be added, and what follows would miss it.
    bool bringEntry(const ScenarioEntry& e, std::set<int>& added, Diagnostics& errors)
    {
        const ScenarioEntry* old = written.find(e.id);
        if (!ids.contains(e.id)) {
            Result<ScenarioId> made = study.addScenario(e.scenario->name, toJson(*e.scenario));
            if (!made) {
                keep(errors, made.errors());
                return false;
            }
            ids[e.id] = *made;
            added.insert(e.id);
            old = nullptr;
        } else if (old && old->scenario != e.scenario) {
            if (old->scenario->name != e.scenario->name)
                keep(errors, study.rename(ids[e.id], e.scenario->name));
            if (old->scenario->note != e.scenario->note)
                keep(errors, study.setNote(ids[e.id], e.scenario->note));
            keep(errors, study.updateScenario(ids[e.id], {toJson(*e.scenario), "Edit", "explorer"}).errors());
        }
        const ScenarioId id = ids[e.id];
        if (!old && !e.scenario->note.empty())
            keep(errors, study.setNote(id, e.scenario->note));
        if (!old || old->colour != e.colour)
            keep(errors, study.setLineStyle(id, (kColourPrefix + QString::number(e.colour)).toStdString()));
        if (old ? old->visible != e.visible : !e.visible)
            keep(errors, study.setVisible(id, e.visible));
        if (old ? old->archived != e.archived : e.archived)
            keep(errors, study.setArchived(id, e.archived));
        return true;
    }
    void bringParents(const StudyState& next, const std::set<int>& added, Diagnostics& errors)
    {
        for (const ScenarioEntry& e : next.entries) {
            const ScenarioEntry* old = added.contains(e.id) ? nullptr : written.find(e.id);
            const bool parentIsNew = added.contains(e.parentId); // it came back after it was taken out
            if (parentIsNew || (old ? old->parentId != e.parentId : e.parentId >= 0))
                keep(errors, study.setParent(ids[e.id], idOf(e.parentId)));
        }
    }
    void order(const StudyState& next, Diagnostics& errors)
    {
        const auto orderOf = [](const StudyState& s) {
            std::vector<int> list;
            for (const ScenarioEntry& e : s.entries)
                list.push_back(e.id);
            return list;
        };
        if (orderOf(next) == orderOf(written))
            return;
        for (std::size_t i = 0; i < next.entries.size(); ++i) {
            const Diagnostics found = study.reorder(ids[next.entries[i].id], static_cast<int>(i));
            errors.insert(errors.end(), found.begin(), found.end());
        }
    }
};

ScenarioEntry* entryOf(StudyState& state, const std::map<int, ScenarioId>& ids, ScenarioId stored)
{
    for (ScenarioEntry& e : state.entries)
        if (const auto at = ids.find(e.id); at != ids.end() && at->second == stored)
            return &e;
    return nullptr;
}

OpenedStudy contentOf(FileState& file)
{
    OpenedStudy opened;
    int nextId = 1;
    const Result<std::string> viewText = file.study.viewState(kViewName);
    if (viewText)
        opened.view = QJsonDocument::fromJson(QByteArray::fromStdString(*viewText)).object();
    opened.state.limitSeconds = opened.view[u"limit_s"_s].toDouble();
    const double lower = opened.view[u"lower_limit_s"_s].toDouble();
    opened.state.lowerLimitSeconds = lower > 0 && lower < opened.state.limitSeconds ? lower : 0;
    opened.state.marks = marksFrom(opened.view[u"marks"_s].toArray());
    const auto currentValue = static_cast<std::int64_t>(opened.view[u"current"_s].toDouble());
    for (const StudyScenario& s : file.study.scenarios()) {
        Result<Scenario> scenario = draftFromJson(s.json);
        if (!scenario) {
            opened.notes << QObject::tr("Scenario %1 could not be read and stays in the file: %2")
                                .arg(QString::fromStdString(s.name), QString::fromStdString(scenario.errors().front().message));
            continue;
        }
        scenario->name = s.name;
        scenario->note = s.note;
        ScenarioEntry e{nextId++, std::make_shared<const Scenario>(std::move(scenario).value()), 0, s.visible, s.archived};
        const QString style = QString::fromStdString(s.lineStyle);
        e.colour = style.startsWith(kColourPrefix) ? style.mid(kColourPrefix.size()).toInt() : (e.id - 1) % 8;
        file.ids[e.id] = s.id;
        if (s.id == file.study.baseline())
            opened.state.baselineId = e.id;
        if (s.id.value == currentValue)
            opened.currentId = e.id;
        opened.state.entries.push_back(std::move(e));
    }
    for (const StudyScenario& s : file.study.scenarios()) {
        ScenarioEntry* child = entryOf(opened.state, file.ids, s.id);
        const ScenarioEntry* parent = entryOf(opened.state, file.ids, s.parent);
        if (child && parent)
            child->parentId = parent->id;
    }
    file.written = opened.state;
    for (const Diagnostic& d : file.study.notes())
        opened.notes << QString::fromStdString(d.message);
    opened.readOnlyReason = QString::fromStdString(file.study.readOnlyReason());
    return opened;
}

} // namespace

struct StudyFile::Writer {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::condition_variable idle;
    std::optional<Pending> pending;                   // guarded by mutex
    bool busy = false, hurry = false, failed = false; // guarded by mutex
    std::unique_ptr<FileState> file;                  // the writer's while busy; else the GUI thread's under the mutex
    std::jthread thread;
};

StudyFile::StudyFile(QObject* parent) : QObject(parent), m_writer(std::make_unique<Writer>())
{
    m_writer->thread = std::jthread([this, w = m_writer.get()](std::stop_token quit) {
        std::unique_lock lock(w->mutex);
        while (w->wake.wait(lock, quit, [w] { return w->pending.has_value(); }) || w->pending) {
            if (!quit.stop_requested())
                w->wake.wait_for(lock, quit, kPause, [w] { return w->hurry; });
            if (!w->pending)
                continue;
            const Pending next = std::move(*w->pending);
            w->pending.reset();
            w->busy = true;
            lock.unlock();
            const Diagnostics errors = w->file ? w->file->bring(next) : Diagnostics{};
            lock.lock();
            w->busy = false;
            w->failed = hasErrors(errors);
            const bool idle = !w->pending;
            w->idle.notify_all();
            if (!quit.stop_requested())
                QMetaObject::invokeMethod(
                    this, [this, errors, idle] { report(errors, idle); }, Qt::QueuedConnection);
        }
    });
}

StudyFile::~StudyFile()
{
    flush();
    m_writer->thread.request_stop();
    m_writer->thread.join();
}

bool StudyFile::flush()
{
    std::unique_lock lock(m_writer->mutex);
    m_writer->hurry = true;
    m_writer->wake.notify_all();
    m_writer->idle.wait(lock, [this] { return !m_writer->pending && !m_writer->busy; });
    m_writer->hurry = false;
    return m_readOnly || (m_writer->file && !m_writer->failed);
}

Result<OpenedStudy> StudyFile::open(const QString& path)
{
    flush();
    StudyOptions options;
    options.program = "prism-explorer";
    const QString absolute = QFileInfo(path).absoluteFilePath();
    { // the same file again: let go of it first
        const std::lock_guard lock(m_writer->mutex);
        if (absolute == m_path)
            m_writer->file.reset();
    }
    Result<Study> study = Study::open(absolute.toStdString(), options);
    QStringList notes;
    QString reason;
    if (!study && !study.errors().empty() && study.errors().front().path == study_problem::kDamaged) {
        // Read what can be read into a copy beside the application's data; the damaged file is not touched.
        const QString rescued = QDir::temp().filePath(u"prism-salvaged-%1.prism"_s.arg(qHash(absolute), 0, 16));
        QFile::remove(rescued);
        const Result<SalvageReport> report = salvageStudy(absolute.toStdString(), rescued.toStdString(), options);
        if (!report)
            return study.errors();
        options.access = StudyAccess::readOnly;
        study = Study::open(rescued.toStdString(), options);
        reason = tr("The file is damaged. What could be read is shown; save it under another name.");
        for (const Diagnostic& d : report->losses)
            notes << QString::fromStdString(d.message);
    }
    if (!study)
        return study.errors();
    auto file = std::make_unique<FileState>(std::move(study).value());
    OpenedStudy opened = contentOf(*file);
    opened.path = absolute;
    if (!reason.isEmpty())
        opened.readOnlyReason = reason;
    opened.notes += notes;
    const std::lock_guard lock(m_writer->mutex);
    m_writer->file = std::move(file);
    m_writer->failed = false;
    m_path = absolute;
    m_readOnly = !opened.readOnlyReason.isEmpty();
    m_saved = true;
    m_problem.clear();
    return opened;
}

Diagnostics StudyFile::create(const QString& path)
{
    flush();
    const QString absolute = QFileInfo(path).absoluteFilePath();
    QDir().mkpath(QFileInfo(absolute).absolutePath());
    const std::lock_guard lock(m_writer->mutex);
    m_writer->file.reset();
    QFile::remove(absolute);
    StudyOptions options;
    options.program = "prism-explorer";
    Result<Study> study = Study::create(absolute.toStdString(), options);
    if (!study) {
        m_problem = QString::fromStdString(study.errors().front().message);
        return study.errors();
    }
    m_writer->file = std::make_unique<FileState>(std::move(study).value());
    m_writer->failed = false;
    m_path = absolute;
    m_readOnly = false;
    return {};
}

Diagnostics StudyFile::saveAs(const QString& path, const StudyState& state, int currentId, const QJsonObject& view)
{
    flush();
    const QString absolute = QFileInfo(path).absoluteFilePath();
    if (absolute == m_path && !m_readOnly)
        return {};
    if (!m_writer->file) {
        if (Diagnostics errors = create(absolute); !errors.empty())
            return errors;
        save(state, currentId, view);
        return {};
    }
    const std::lock_guard lock(m_writer->mutex);
    Diagnostics errors = m_writer->file->study.saveCopy(absolute.toStdString());
    if (hasErrors(errors))
        return errors;
    StudyOptions options;
    options.program = "prism-explorer";
    Result<Study> study = Study::open(absolute.toStdString(), options);
    if (!study)
        return study.errors();
    auto file = std::make_unique<FileState>(std::move(study).value());
    file->ids = m_writer->file->ids; // a copy keeps the ids
    file->written = m_writer->file->written;
    m_writer->file = std::move(file);
    m_writer->failed = false;
    m_path = absolute;
    m_readOnly = false;
    m_problem.clear();
    m_writer->pending = Pending{state, currentId, view};
    m_writer->wake.notify_one();
    m_saved = false;
    return {};
}

void StudyFile::save(const StudyState& state, int currentId, const QJsonObject& view)
{
    if (m_readOnly)
        return;
    {
        const std::lock_guard lock(m_writer->mutex);
        if (!m_writer->file)
            return;
        m_writer->pending = Pending{state, currentId, view};
    }
    m_writer->wake.notify_one();
    if (m_saved) {
        m_saved = false;
        Q_EMIT savedChanged();
    }
}

void StudyFile::report(const Diagnostics& errors, bool idle)
{
    m_problem = errors.empty() ? QString() : QString::fromStdString(errors.front().message);
    m_saved = idle && errors.empty();
    Q_EMIT savedChanged();
}

} // namespace prism::ui
