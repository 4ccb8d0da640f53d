// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/leads.h"

#include "core/scenario/parameters.h"
#include "ui/editor/configeditor.h"
#include "ui/explore/explorepage.h"
#include "ui/moves/movespage.h"
#include "ui/window/headlinestrip.h"
#include "ui/window/mainwindow.h"
#include "ui/window/pagehost.h"

#include <QLineEdit>

namespace prism::ui {

void connectLeads(MainWindow& window)
{
    auto* moves = qobject_cast<MovesPage*>(window.pages().page(QStringLiteral("moves")));
    auto* explore = qobject_cast<ExplorePage*>(window.pages().page(QStringLiteral("explore")));
    for (Page* page : window.pages().pages())
        QObject::connect(page, &Page::goalWanted, moves, [&window, moves](double seconds) {
            window.pages().showPage(moves->id());
            moves->setGoal(seconds);
        });
    QObject::connect(&window.headline(), &HeadlineStrip::whyWanted, moves, [&window, moves] {
        window.pages().showPage(moves->id());
        moves->why().setFocus(Qt::OtherFocusReason);
    });
    QObject::connect(&window.editor(), &ConfigEditor::rangeEntered, explore, [explore](const QString& id, const QStringList& values) {
        if (const Parameter* parameter = findParameter(id.toStdString()))
            explore->setAxis(*parameter, values);
    });
    QObject::connect(&window.editor(), &ConfigEditor::searchRequested, explore, [&window, explore] {
        window.pages().showPage(explore->id());
        explore->search();
    });
}

} // namespace prism::ui
