// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/leads.h"

#include "core/scenario/parameters.h"
#include "ui/editor/configeditor.h"
#include "ui/explore/explorepage.h"
#include "ui/moves/movespage.h"
#include "ui/window/headlinestrip.h"
#include "ui/window/pagehost.h"

#include <QLineEdit>

namespace prism::ui {

void connectLeads(PageHost& pages, HeadlineStrip& headline, ConfigEditor& editor)
{
    auto* moves = qobject_cast<MovesPage*>(pages.page(QStringLiteral("moves")));
    auto* explore = qobject_cast<ExplorePage*>(pages.page(QStringLiteral("explore")));
    for (Page* page : pages.pages()) {
        QObject::connect(page, &Page::goalRequested, moves, [&pages, moves](double seconds) {
            pages.showPage(moves->id());
            moves->setGoal(seconds);
        });
        QObject::connect(page, &Page::pageRequested, &pages, [&pages](const QString& id) { pages.showPage(id); });
    }
    QObject::connect(&headline, &HeadlineStrip::whyRequested, moves, [&pages, moves] {
        pages.showPage(moves->id());
        moves->why().setFocus(Qt::OtherFocusReason);
    });
    QObject::connect(&editor, &ConfigEditor::rangeEntered, explore, [explore](const QString& id, const QStringList& values) {
        if (const Parameter* parameter = findParameter(id.toStdString()))
            explore->setAxis(*parameter, values);
    });
    QObject::connect(&editor, &ConfigEditor::searchRequested, explore, [&pages, explore] {
        pages.showPage(explore->id());
        explore->search();
    });
}

} // namespace prism::ui
