// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/explorer/script.h"

#include "app/explorer/opening.h"
#include "app/explorer/settle.h"
#include "app/explorer/terminal.h"
#include "core/base/platform/process.h"
#include "core/base/textfile.h"
#include "ui/window/actions.h"
#include "ui/window/mainwindow.h"
#include "ui/window/pagehost.h"

#include <QApplication>
#include <QFileInfo>

#include <algorithm>
#include <cstdint>
#include <map>

using namespace Qt::Literals::StringLiterals;

namespace prism::explorer {

namespace {

constexpr qsizetype kMaxLines = 100'000;
constexpr int kMaxRounds = 1'000'000;

/// Runs one action after the other; the first problem ends it.
class Actor final {
public:
    explicit Actor(ui::MainWindow& window) : m_window(window)
    {
        m_actions = {{u"set"_s, &Actor::set},        {u"undo"_s, &Actor::undo},           {u"redo"_s, &Actor::redo},
                     {u"page"_s, &Actor::page},      {u"duplicate"_s, &Actor::duplicate}, {u"remove"_s, &Actor::remove},
                     {u"wait"_s, &Actor::wait},      {u"save"_s, &Actor::save},           {u"save-as"_s, &Actor::saveAs},
                     {u"rss"_s, &Actor::rss},        {u"open"_s, &Actor::open},           {u"do"_s, &Actor::perform},
                     {u"picture"_s, &Actor::picture}};
    }

    /// In a study that is read-only the script ends there.
    static bool changes(const QString& line)
    {
        return QStringList{u"set"_s, u"undo"_s, u"redo"_s, u"duplicate"_s, u"remove"_s, u"save"_s}.contains(line.section(u' ', 0, 0));
    }

    int act(const QString& line)
    {
        const QString verb = line.section(u' ', 0, 0), rest = line.section(u' ', 1).trimmed();
        const auto action = m_actions.find(verb);
        if (action == m_actions.end()) {
            complain(u"%1: no such action"_s.arg(line));
            return 1;
        }
        m_code = 0;
        if (changes(line) && study().isReadOnly())
            fail(u"the study is read-only: %1"_s.arg(line));
        else
            (this->*action->second)(rest);
        QApplication::processEvents(QEventLoop::AllEvents, 5);
        if (m_code == 0 && verb != u"rss"_s)
            printLine(line);
        return m_code;
    }

private:
    using Action = void (Actor::*)(const QString&);

    ui::StudyModel& study() { return m_window.workspace().study(); }
    void fail(const QString& why, int code = 1)
    {
        complain(why);
        m_code = code;
    }

    void set(const QString& rest)
    {
        study().endMerge();
        const Diagnostics errors =
            study().setParameter(study().currentId(), rest.section(u' ', 0, 0).toStdString(), rest.section(u' ', 1).toStdString());
        if (hasErrors(errors))
            fail(QString::fromStdString(errors.front().message));
    }
    void undo(const QString& /*rest*/) { study().undoStack()->undo(); }
    void redo(const QString& /*rest*/) { study().undoStack()->redo(); }
    void page(const QString& id)
    {
        for (const ui::Page* page : m_window.pages().pages())
            if (page->id() == id) {
                m_window.pages().showPage(id);
                return;
            }
        fail(u"%1: no such page"_s.arg(id));
    }
    void duplicate(const QString& /*rest*/) { study().duplicate(study().currentId()); }
    void remove(const QString& /*rest*/) { study().setArchived(study().currentId(), true); }
    void wait(const QString& /*rest*/)
    {
        if (!settle(m_window))
            fail(u"the window did not finish in time"_s, 3);
    }
    void save(const QString& /*rest*/)
    {
        if (!m_window.file().flush())
            fail(u"the study was not written: "_s + m_window.file().problem());
    }
    void saveAs(const QString& file)
    {
        if (!m_window.saveStudyAs(file))
            fail(u"%1 was not written"_s.arg(file));
    }
    void open(const QString& file)
    {
        if (!QFileInfo::exists(file))
            return fail(u"%1: there is no such file"_s.arg(file));
        m_window.openDropped(file);
    }
    void perform(const QString& id)
    {
        if (QAction* action = m_window.actions().get(id); action != nullptr && action->isEnabled())
            action->trigger();
        else
            fail(u"%1: no such command, or not now"_s.arg(id));
    }
    void picture(const QString& file)
    {
        if (!m_window.grab().save(file))
            fail(u"%1 was not written"_s.arg(file));
    }
    void rss(const QString& /*rest*/)
    {
        if (const std::int64_t resident = residentKib(); resident > 0)
            printLine(u"rss %1"_s.arg(resident));
        else
            fail(u"the system does not say how much memory the program uses"_s);
    }

    ui::MainWindow& m_window;
    std::map<QString, Action> m_actions;
    int m_code = 0;
};

/// The lines with their repetitions, run through the actor.
int runLines(Actor& actor, const QStringList& lines)
{
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const QString line = lines[i].trimmed();
        if (line.isEmpty() || line.startsWith(u'#'))
            continue;
        if (!line.startsWith(u"repeat "_s)) {
            if (const int code = actor.act(line); code != 0)
                return code;
            continue;
        }
        const qsizetype end = lines.indexOf(u"end"_s, i);
        const int rounds = line.section(u' ', 1).toInt();
        if (end < 0 || rounds < 1 || rounds > kMaxRounds) {
            complain(u"repeat needs a count of 1 to %1 and an end"_s.arg(kMaxRounds));
            return 1;
        }
        for (int round = 1; round <= rounds; ++round)
            for (qsizetype k = i + 1; k < end; ++k)
                if (const int code = actor.act(QString(lines[k].trimmed()).replace(u"{i}"_s, QString::number(round))); code != 0)
                    return code;
        i = end;
    }
    return 0;
}

} // namespace

int runScript(ui::Theme& theme, const ScriptOptions& options)
{
    const Result<std::string> text = readTextFile(options.file.toStdString());
    const QStringList lines = text.ok() ? QString::fromStdString(*text).split(u'\n') : QStringList();
    if (!text || lines.size() > kMaxLines) {
        complain(text.ok() ? u"the script is too long"_s : QString::fromStdString(text.errors().front().message));
        return 1;
    }
    ui::MainWindow window(theme);
    const bool edits = std::any_of(lines.begin(), lines.end(), [](const QString& line) { return Actor::changes(line.trimmed()); });
    const StudyAccess access = edits ? StudyAccess::readWrite : StudyAccess::readOnly;
    if (const QString problem = openForBatch(window, options.study, access); !problem.isEmpty()) {
        complain(problem);
        return 1;
    }
    window.resize(windowSize(options.size));
    theme.setUiScale(options.uiScale);
    window.show();
    Actor actor(window);
    return runLines(actor, lines);
}

} // namespace prism::explorer
