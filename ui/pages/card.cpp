// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/card.h"
#include "ui/theme/plaintext.h"

#include <QFrame>
#include <QGraphicsOpacityEffect>
#include <QHeaderView>
#include <QLabel>
#include <QTableWidget>
#include <QVBoxLayout>

namespace prism::ui {

using namespace Qt::StringLiterals;

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

void dim(QWidget& part, bool on)
{
    auto* effect = on ? new QGraphicsOpacityEffect : nullptr;
    if (effect)
        effect->setOpacity(metric::staleOpacity);
    part.setGraphicsEffect(effect);
}

void setCardStale(QWidget& card, const QString& note)
{
    auto* label = card.findChild<QLabel*>(u"staleNote"_s, Qt::FindDirectChildrenOnly);
    const bool wasStale = label && !label->isHidden();
    if (note.isEmpty() && !wasStale)
        return;
    if (!label) {
        label = cardText(u"small"_s, u"tertiary"_s);
        label->setObjectName(u"staleNote"_s);
        label->setWordWrap(false);
        label->setParent(&card);
        label->setProperty("surface", u"panel"_s);
    }
    label->setVisible(!note.isEmpty());
    label->setText(note);
    label->adjustSize();
    const int around = label->fontMetrics().height() / 2;
    label->move(std::max(0, card.width() - label->width() - around), around);
    label->raise();
    if (wasStale != note.isEmpty())
        return; // dimmed already
    for (QWidget* part : card.findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
        dim(*part, part != label && !note.isEmpty());
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
