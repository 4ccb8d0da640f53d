// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/slownodescard.h"

#include "ui/pages/card.h"
#include "ui/pages/slownoderow.h"
#include "ui/look/format.h"

#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kMostMoves = 3;                  // of the advice, in words
constexpr int kRowHeight = 44, kLeastRows = 3; // of the list, at scale 1
} // namespace

SlowNodesCard::SlowNodesCard(const Theme& theme, QWidget* parent) : QFrame(parent), m_theme(theme)
{
    QVBoxLayout* layout = makeCard(*this, theme);
    layout->addWidget(cardText(u"title"_s, {}, tr("Slow nodes")));
    m_note = cardText(u"small"_s, u"secondary"_s);
    layout->addWidget(m_note);
    m_list = new QScrollArea;
    m_list->setWidgetResizable(true);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Ignored); // it scrolls, the page does not
    auto* list = new QFrame;
    list->setProperty("surface", u"panel"_s);
    auto* listLayout = new QVBoxLayout(list);
    listLayout->setContentsMargins(0, 0, 0, 0);
    listLayout->setSpacing(0);
    m_rows = new QVBoxLayout;
    m_rows->setSpacing(0);
    listLayout->addLayout(m_rows);
    listLayout->addStretch();
    m_list->setWidget(list);
    layout->addWidget(m_list, 1);
    m_advice = cardText(u"strong"_s);
    m_adviceNote = cardText(u"tick"_s, u"tertiary"_s);
    m_message = cardText(u"small"_s, u"secondary"_s);
    layout->addWidget(m_advice);
    layout->addWidget(m_adviceNote);
    layout->addWidget(m_message);
    layout->addSpacing(theme.px(8));
    const auto button = [this](QHBoxLayout* row, const QString& name, const QString& text, auto wanted) {
        auto* made = new QPushButton(text);
        made->setObjectName(name);
        connect(made, &QPushButton::clicked, this, wanted);
        row->addWidget(made);
        return made;
    };
    auto *first = new QHBoxLayout, *second = new QHBoxLayout;
    m_import = button(first, u"importSpeeds"_s, tr("Import speeds…"), &SlowNodesCard::importWanted);
    m_find = button(first, u"findPlaces"_s, tr("Find best places"), &SlowNodesCard::searchWanted);
    m_hostfile = button(second, u"exportHostfile"_s, tr("Export hostfile"), &SlowNodesCard::hostfileWanted);
    m_apply = button(second, u"applyAdvice"_s, tr("Apply as scenario"), &SlowNodesCard::applyWanted);
    m_hostfile->setProperty("kind", u"primary"_s);
    layout->addLayout(first);
    layout->addLayout(second);
}

void SlowNodesCard::setNodes(const SnapshotPtr& snapshot, const SlowNodesReport* report)
{
    while (QLayoutItem* item = m_rows->takeAt(0)) {
        if (item->widget())
            item->widget()->deleteLater();
        delete item;
    }
    m_list->setMinimumHeight(0);
    if (!snapshot)
        return m_note->setText(tr("No result yet."));
    const std::vector<SlowEntry>& slow = snapshot->scenario.variability.slow;
    const bool known = report && report->rows.size() == slow.size();
    if (slow.empty())
        m_note->setText(tr("None marked. Choose a cell and press Enter, double click it, or import measured speeds."));
    else if (known)
        m_note->setText(tr("Together %1 of p95; right: change when one is mended, n = %2")
                            .arg(format::secondsDelta(report->total.p95.value), format::count(report->samples)));
    else
        m_note->setText(tr("%1 of %2 nodes").arg(slow.size()).arg(format::count(snapshot->costed->world.nodes)));
    for (std::size_t i = 0; i < std::min(slow.size(), kMostSlowNodes); ++i)
        if (slow[i].node >= 0)
            addRow(snapshot->scenario, slow[i], known && report->rows[i].entry == slow[i] ? &report->rows[i] : nullptr);
    m_list->setMinimumHeight(m_theme.px(kRowHeight * std::min(m_rows->count(), kLeastRows)));
}

void SlowNodesCard::addRow(const Scenario& scenario, const SlowEntry& entry, const SlowNodesReport::Row* mended)
{
    const NodePlaces places = placesOf(scenario, entry.node);
    SlowNodeText text{entry.node, entry.computeFactor, places.empty() ? tr("not in this cluster") : placeText(places.front()), {}, {}};
    if (places.size() > 1)
        text.place += tr(" and %1 more").arg(places.size() - 1);
    if (mended) {
        text.gain = format::secondsDelta(mended->mended.p95.value);
        text.interval = format::interval(mended->mended.p95.halfWidth);
    }
    auto* row = new SlowNodeRow(m_theme, text);
    connect(row, &SlowNodeRow::factorChosen, this, &SlowNodesCard::factorChosen);
    m_rows->addWidget(row);
}

void SlowNodesCard::setAdvice(const SnapshotPtr& snapshot, const SearchState& search)
{
    const bool measured = snapshot && !snapshot->scenario.measured.speeds.empty();
    const PlacementResult* result = search.result;
    m_find->setEnabled(measured && !search.isComputing);
    m_apply->setEnabled(result && !result->withinNoise && result->movedNodes > 0);
    m_hostfile->setEnabled(snapshot != nullptr);
    if (result) {
        const double p95 = result->given.p95;
        m_advice->setText(result->withinNoise ? tr("Moving nodes is not worth it")
                                              : tr("All moves together %1 (%2)")
                                                    .arg(format::secondsDelta(-p95 * result->gainOverGiven.value),
                                                         format::interval(p95 * result->gainOverGiven.halfWidth)));
        const QStringList moves = movesOf(snapshot->scenario, *result, kMostMoves);
        m_adviceNote->setText(tr("p95 %1 to %2. %3 of %4 positions change: %5%6. n = %7, seed %8")
                                  .arg(format::seconds(p95).text(), format::seconds(result->best.p95).text(),
                                       format::count(result->movedNodes),
                                       format::count(static_cast<std::int64_t>(result->bestOrder.size())), moves.join(u"; "_s),
                                       result->movedNodes > moves.size() ? u" …"_s : QString(), format::count(result->samples),
                                       QString::number(result->seed)));
    } else {
        m_advice->setText(search.error);
        m_adviceNote->setText(!measured ? tr("Import measured speeds to be advised on positions.")
                              : search.isComputing
                                  ? tr("Searching …")
                                  : tr("Measured speeds of %1 entries are in use.")
                                        .arg(format::count(static_cast<std::int64_t>(snapshot->scenario.measured.speeds.size()))));
    }
    m_advice->setVisible(!m_advice->text().isEmpty());
}

void SlowNodesCard::say(const QString& text, bool isError)
{
    m_message->setText(text);
    m_message->setProperty("role", isError ? u"error"_s : u"secondary"_s);
    restyle(m_message);
}

} // namespace prism::ui
