// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/validate/changecard.h"

#include "ui/findings/measuredchange.h"
#include "ui/pages/card.h"
#include "ui/plot/plotbase.h"

#include <QDateTime>
#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

namespace prism::ui {

using namespace Qt::StringLiterals;

QString contentId(const QString& path)
{
    return u"%1/%2"_s.arg(path).arg(QFileInfo(path).lastModified().toMSecsSinceEpoch());
}

ChangeCard::ChangeCard(const Theme& theme, const QString& what, QWidget* parent)
    : QFrame(parent),
      m_theme(theme),
      m_what(what),
      m_tool(new QPushButton),
      m_title(cardText(u"title"_s)),
      m_notes(cardText(u"tick"_s, u"secondary"_s)),
      m_table(new QTableWidget)
{
    setObjectName(u"changes"_s);
    QVBoxLayout* layout = makeCard(*this, theme);
    layout->addWidget(m_title);
    m_table->setObjectName(u"changeTable"_s);
    m_table->setAccessibleName(tr("What changed, with the interval of each change"));
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setShowGrid(false);
    m_table->verticalHeader()->hide();
    layout->addWidget(m_table, 1);
    layout->addWidget(m_notes);
    m_tool->setObjectName(u"compareWith"_s);
    m_tool->setCheckable(true);
    m_tool->setToolTip(tr("Which metrics changed by more than noise between this %1 and another one of the same job").arg(what));
    connect(m_tool, &QPushButton::clicked, this, [this] {
        m_tool->setChecked(isOn());
        isOn() ? Q_EMIT endRequested() : Q_EMIT chooseRequested();
    });
    connect(&theme, &Theme::changed, this, &ChangeCard::fill); // changes have colours
    keepColumnsFitted(*m_table, theme);
    setAfter({});
}

void ChangeCard::setAfter(const QString& path)
{
    m_after = path;
    m_changes.forget();
    m_tool->setChecked(isOn());
    m_tool->setText(isOn() ? tr("Compared with %1").arg(QFileInfo(path).fileName()) : tr("Compare with a %1…").arg(m_what));
    setVisible(isOn());
}

void ChangeCard::ask(InsightRunner* runner, const QString& before, InsightSlot<ChangeReport>::Work work, std::function<void()> changed)
{
    if (!isOn())
        return;
    const ResultToken token{{}, 0, u"change/%1/%2"_s.arg(before, contentId(m_after))};
    m_changes.ask(runner, this, token, tr("Comparing two %1s").arg(m_what), std::move(work), std::move(changed));
}

InsightStatus ChangeCard::status() const
{
    InsightStatus now = m_changes.status();
    if (!isOn())
        now.hasAnswer = now.isCurrent = true;
    return now;
}

void ChangeCard::refresh(const QString& beforeName)
{
    m_title->setText(tr("From %1 to %2").arg(beforeName, QFileInfo(m_after).fileName()));
    QStringList lines;
    if (const QString error = m_changes.error(); !error.isEmpty())
        lines << error;
    if (report())
        for (const std::string& note : report()->notes)
            lines << QString::fromStdString(note);
    constexpr int kShownNotes = 2;
    m_notes->setText(lines.mid(0, kShownNotes).join(u'\n'));
    m_notes->setToolTip(lines.join(u'\n'));
    fill();
}

void ChangeCard::fill()
{
    const QStringList header{tr("Of"), tr("Metric"), tr("Before"), tr("After"), tr("Change"), tr("95 % of all together")};
    const QList<ChangeRow> rows = report() ? changeRows(*report()) : QList<ChangeRow>();
    m_table->setColumnCount(static_cast<int>(header.size()));
    m_table->setHorizontalHeaderLabels(header);
    alignHeadings(*m_table, {0, 1});
    m_table->setRowCount(static_cast<int>(rows.size()));
    for (int r = 0; r < rows.size(); ++r) {
        const ChangeRow& row = rows[r];
        const QStringList cells{row.subject, row.metric, row.before, row.after, row.change, row.interval};
        for (int c = 0; c < cells.size(); ++c) {
            auto* item = new QTableWidgetItem(cells[c]);
            item->setToolTip(cells[c]);
            item->setTextAlignment((c < 2 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
            if (c == 4 && row.isBeyondNoise)
                item->setForeground(m_theme.color(row.isWorse ? Role::bad : Role::good));
            else if (!row.isBeyondNoise)
                item->setForeground(m_theme.color(Role::textSecondary));
            m_table->setItem(r, c, item);
        }
    }
    m_table->resizeColumnsToContents();
    m_table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
}

TableData ChangeCard::asTable() const
{
    TableData table;
    table.header = {u"subject"_s, u"metric"_s,   u"unit"_s,      u"before"_s,      u"after"_s,
                    u"change"_s,  u"low 95 %"_s, u"high 95 %"_s, u"beyond noise"_s};
    for (const ChangedMetric& m : report() ? report()->metrics : std::vector<ChangedMetric>())
        table.rows << QStringList{QString::fromStdString(m.subject),
                                  QString::fromStdString(m.name),
                                  QString::fromStdString(m.unit),
                                  tableNumber(m.before),
                                  tableNumber(m.after),
                                  tableNumber(m.change.value),
                                  tableNumber(m.change.low),
                                  tableNumber(m.change.high),
                                  m.isBeyondNoise() ? u"yes"_s : u"no"_s};
    return table;
}

} // namespace prism::ui
