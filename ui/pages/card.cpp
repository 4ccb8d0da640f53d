// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/card.h"
#include "ui/theme/plaintext.h"

#include <QFrame>
#include <QHeaderView>
#include <QLabel>
#include <QTableWidget>
#include <QVBoxLayout>

namespace prism::ui {

QVBoxLayout* makeCard(QFrame& frame, const Theme& theme)
{
    frame.setProperty("card", true);
    auto* layout = new QVBoxLayout(&frame);
    const int pad = theme.px(metric::cardPadding);
    layout->setContentsMargins(pad, theme.px(12), pad, theme.px(12));
    layout->setSpacing(theme.px(4));
    return layout;
}

QLabel* cardText(const QString& type, const QString& role, const QString& text)
{
    auto* label = plainLabel(text);
    label->setProperty("type", type);
    label->setProperty("role", role);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

void keepColumnsFitted(QTableView& table, const Theme& theme)
{
    QObject::connect(&theme, &Theme::changed, &table, [&table] {
        table.resizeColumnsToContents();
        QHeaderView& header = *table.horizontalHeader();
        for (int column = 0; column < header.count(); ++column)
            if (header.sectionResizeMode(column) == QHeaderView::Stretch)
                header.setSectionResizeMode(column, QHeaderView::Stretch); // takes what the others leave again
    });
}

void alignHeadings(QTableWidget& table, const QList<int>& words)
{
    for (int column = 0; column < table.columnCount(); ++column)
        if (QTableWidgetItem* heading = table.horizontalHeaderItem(column))
            heading->setTextAlignment((words.contains(column) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
}

} // namespace prism::ui
