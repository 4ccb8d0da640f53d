// SPDX-License-Identifier: GPL-3.0-or-later
// Random user actions on the real window, the same ones for the same seed.
#pragma once

#include "tests/ui/window_fixture.h"

#include "ui/pages/slownoderow.h"
#include "ui/window/actions.h"

#include <QDialog>
#include <QWheelEvent>

#include <iterator>
#include <random>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

/// A user who presses, drags, types and commands without aim, but leaves the study itself open.
class MonkeyUser final {
public:
    MonkeyUser(MainWindow& window, unsigned seed) : m_window(window), m_random(seed)
    {
        for (QAction* action : window.actions().all()) {
            static const QSet<QString> kLeaves{u"file.sample"_s,         u"file.open"_s,           u"file.import"_s,
                                               u"file.recent"_s,         u"file.saveAs"_s,         u"file.quit"_s,
                                               u"tools.samples.10000"_s, u"tools.samples.50000"_s, u"help.tour"_s};
            if (!kLeaves.contains(action->objectName()))
                m_commands << action;
        }
        // Dialogs wait for an answer and popups for a choice: both are closed soon, as with Escape.
        QObject::connect(&m_closer, &QTimer::timeout, &window, [this] { closeOthers(); });
        m_closer.start(5);
    }

    void act()
    {
        switch (pick(12)) {
        case 0:
        case 1:
            m_commands[pick(static_cast<int>(m_commands.size()))]->trigger();
            break;
        case 2:
            m_window.actions().get(u"edit.undo"_s)->trigger();
            break;
        case 3:
        case 4:
            typeIntoAField();
            break;
        case 5:
            study().setLimit(0.001 * (1 + pick(10'000)));
            break;
        case 6:
            study().setSlowNode(study().currentId(), pick(8), 1 + 0.05 * pick(6));
            break;
        case 7:
            m_window.pages().showPage(pick(static_cast<int>(m_window.pages().pages().size())));
            break;
        case 8:
            click();
            break;
        case 9:
            drag();
            break;
        case 10:
            wheel();
            break;
        default:
            key();
        }
        if (study().state().entries.size() > 12) // a study of people has a dozen scenarios, not thousands
            while (study().undoStack()->canUndo() && study().state().entries.size() > 4)
                study().undoStack()->undo();
    }

private:
    [[nodiscard]] int pick(int n) { return static_cast<int>(m_random() % static_cast<unsigned>(n)); }
    [[nodiscard]] StudyModel& study() { return m_window.workspace().study(); }

    void closeOthers()
    {
        for (QWidget* widget : QApplication::topLevelWidgets())
            if (widget != &m_window && widget->isVisible())
                widget->close();
    }

    void typeIntoAField()
    {
        static constexpr const char* kFields[] = {"parallelism.tensor_model_parallel_size", "parallelism.pipeline_model_parallel_size",
                                                  "training.global_batch_size", "training.micro_batch_size", "training.train_tokens"};
        static constexpr const char* kTexts[] = {"1", "2", "4", "8", "3", "-1", "1e3", "abc", "", "64", "1e99", "15%", "0x10"};
        if (ParameterRow* row = m_window.editor().row(QString::fromLatin1(kFields[pick(std::size(kFields))]))) {
            auto* field = static_cast<QLineEdit*>(row->field());
            field->setFocus();
            field->selectAll();
            QTest::keyClicks(field, QString::fromLatin1(kTexts[pick(std::size(kTexts))]));
        }
    }

    /// A place below the menus, and the widget there.
    [[nodiscard]] std::pair<QWidget*, QPoint> somewhere()
    {
        const QPoint at(pick(m_window.width()), 40 + pick(m_window.height() - 40));
        QWidget* under = m_window.childAt(at);
        return {under, under ? under->mapFrom(&m_window, at) : QPoint()};
    }

    void click()
    {
        const auto [widget, at] = somewhere();
        if (!widget)
            return;
        if (pick(4) == 0)
            QTest::mouseDClick(widget, Qt::LeftButton, Qt::NoModifier, at);
        else
            QTest::mouseClick(widget, pick(6) == 0 ? Qt::RightButton : Qt::LeftButton, Qt::NoModifier, at);
    }

    void drag()
    {
        const auto [widget, at] = somewhere();
        if (!widget || !m_window.pages().isAncestorOf(widget) || qobject_cast<NodeHandle*>(widget))
            return; // rows of the scenario table and handles start a drag of the desktop, which has its own event loop
        const QPoint to = at + QPoint(pick(400) - 200, pick(200) - 100);
        const Qt::KeyboardModifiers keys = pick(2) ? Qt::AltModifier : Qt::NoModifier;
        const auto send = [&, target = QPointer<QWidget>(widget)](QEvent::Type type, QPoint where, Qt::MouseButton button,
                                                                  Qt::MouseButtons buttons) {
            if (!target)
                return;
            QMouseEvent event(type, QPointF(where), QPointF(target->mapToGlobal(where)), button, buttons, keys);
            QApplication::sendEvent(target, &event);
        };
        send(QEvent::MouseButtonPress, at, Qt::LeftButton, Qt::LeftButton);
        for (int i = 1; i <= 4; ++i)
            send(QEvent::MouseMove, at + (to - at) * i / 4, Qt::NoButton, Qt::LeftButton);
        send(QEvent::MouseButtonRelease, to, Qt::LeftButton, Qt::NoButton);
    }

    void wheel()
    {
        const auto [widget, at] = somewhere();
        if (!widget)
            return;
        QWheelEvent event(QPointF(at), QPointF(widget->mapToGlobal(at)), QPoint(), QPoint(0, pick(2) ? 120 : -120), Qt::NoButton,
                          pick(2) ? Qt::ControlModifier : Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(widget, &event);
    }

    void key()
    {
        static constexpr Qt::Key kKeys[] = {Qt::Key_Tab,   Qt::Key_Backtab, Qt::Key_Up,    Qt::Key_Down,   Qt::Key_Left,
                                            Qt::Key_Right, Qt::Key_Escape,  Qt::Key_Space, Qt::Key_Return, Qt::Key_Home,
                                            Qt::Key_End,   Qt::Key_Delete,  Qt::Key_F2,    Qt::Key_Plus};
        if (QWidget* focus = m_window.focusWidget())
            QTest::keyClick(focus, kKeys[pick(std::size(kKeys))]);
    }

    MainWindow& m_window;
    std::mt19937 m_random;
    QList<QAction*> m_commands;
    QTimer m_closer;
};

/// Does `actions` random things; true when undoing everything led back to the first state exactly.
inline bool monkey(MainWindow& window, int actions, unsigned seed)
{
    StudyModel& study = window.workspace().study();
    study.undoStack()->clear();
    const StudyState start = study.state();
    {
        MonkeyUser user(window, seed);
        for (int i = 0; i < actions; ++i) {
            user.act();
            if (i % 16 == 0)
                QApplication::processEvents(QEventLoop::AllEvents, 5);
        }
        QTest::qWait(10);
    }
    const bool complete = study.undoStack()->count() < study.undoStack()->undoLimit();
    while (study.undoStack()->canUndo())
        study.undoStack()->undo();
    return complete && study.state() == start;
}

} // namespace prism::ui::test
