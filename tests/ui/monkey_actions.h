// Random user actions on the real window, the same ones for the same seed.
#pragma once

#include "tests/ui/window_fixture.h"

#include "ui/distribution/distributionpage.h"
#include "ui/window/actions.h"
#include "ui/window/scenariopanel.h"

#include <random>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

/// Does `actions` random things; true when undoing everything led back to the first state exactly.
inline bool monkey(MainWindow& window, int actions, unsigned seed)
{
    std::mt19937 random(seed);
    const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    StudyModel& study = window.workspace().study();
    study.undoStack()->clear();
    const StudyState start = study.state();
    const QStringList harmless{u"edit.undo"_s, u"edit.redo"_s, u"scenario.next"_s, u"scenario.previous"_s, u"scenario.pin"_s, u"scenario.visible"_s,
                               u"scenario.duplicate"_s, u"scenario.archive"_s, u"scenario.up"_s, u"scenario.down"_s, u"view.table"_s, u"view.dock"_s,
                               u"view.presentation"_s, u"view.theme.dark"_s, u"view.theme.light"_s, u"view.larger"_s, u"view.smaller"_s, u"view.reset"_s,
                               u"view.page.distribution"_s, u"scenario.add"_s};
    const char* fields[] = {"parallelism.tensor_model_parallel_size", "parallelism.pipeline_model_parallel_size", "training.global_batch_size",
                            "training.micro_batch_size", "training.train_tokens"};
    const char* texts[] = {"1", "2", "4", "8", "3", "-1", "1e3", "abc", "", "64", "1e99", "15%", "0x10"};
    for (int i = 0; i < actions; ++i) {
        switch (pick(8)) {
        case 0: window.actions().get(harmless[pick(static_cast<int>(harmless.size()))])->trigger(); break;
        case 1: window.actions().get(u"edit.undo"_s)->trigger(); break;
        case 2:
        case 3:
            if (ParameterRow* row = window.editor().row(QString::fromLatin1(fields[pick(5)]))) {
                auto* field = static_cast<QLineEdit*>(row->field());
                field->setFocus();
                field->selectAll();
                QTest::keyClicks(field, QString::fromLatin1(texts[pick(13)]));
            }
            break;
        case 4: study.setLimit(0.001 * (1 + pick(10'000))); break;
        case 5: study.setSlowNode(study.currentId(), pick(8), 1 + 0.05 * pick(6)); break;
        case 6: {
            const QPoint at(pick(window.width()), 130 + pick(window.height() - 180)); // not the menus: they would wait for a choice
            QWidget* under = window.childAt(at);
            if (under && qobject_cast<QWidget*>(under) && window.pages().isAncestorOf(under) && under->metaObject()->className() == QByteArray("QWidget"))
                QTest::mouseClick(under, Qt::LeftButton, Qt::NoModifier, under->mapFrom(&window, at));
            break;
        }
        default: {
            static constexpr Qt::Key kKeys[] = {Qt::Key_Tab, Qt::Key_Up, Qt::Key_Down, Qt::Key_Left, Qt::Key_Right, Qt::Key_Escape, Qt::Key_Space};
            if (QWidget* focus = window.focusWidget())
                QTest::keyClick(focus, kKeys[pick(7)]);
        }
        }
        if (study.state().entries.size() > 12) // a study of people has a dozen scenarios, not thousands
            while (study.undoStack()->canUndo() && study.state().entries.size() > 4)
                study.undoStack()->undo();
        if (i % 16 == 0)
            QApplication::processEvents(QEventLoop::AllEvents, 5);
    }
    study.setReadOnly(false);
    const bool complete = study.undoStack()->count() < study.undoStack()->undoLimit();
    while (study.undoStack()->canUndo())
        study.undoStack()->undo();
    return !complete || study.state() == start;
}

} // namespace prism::ui::test
