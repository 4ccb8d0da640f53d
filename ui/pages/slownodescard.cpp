// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/slownodescard.h"

#include "ui/pages/card.h"
#include "ui/pages/slownoderow.h"
#include "ui/look/change.h"
#include "ui/look/format.h"
#include "ui/theme/rescale.h"
#include "ui/theme/segmented.h"
#include "ui/theme/theme.h"
#include "ui/theme/barelayout.h"

#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kRowHeight = 44, kMinRows = 3; // of the list, at scale 1

/// The change of a time by a gain that is a share of it.
Estimate gained(const Estimate& gain, double seconds)
{
    return {-seconds * gain.value, seconds * gain.halfWidth};
}

/// Scrolls where there are more rows than fit; those that are always seen are what it asks for.
class RowList final : public QScrollArea {
public:
    [[nodiscard]] QSize sizeHint() const override { return {QScrollArea::sizeHint().width(), minimumHeight()}; }
};
} // namespace

SlowNodesCard::SlowNodesCard(const Theme& theme, QWidget* parent) : QFrame(parent), m_theme(theme)
{
    QVBoxLayout* layout = makeCard(*this, theme);
    layout->addWidget(cardText(u"title"_s, {}, tr("Slow nodes")));
    m_note = cardText(u"small"_s, u"secondary"_s);
    m_note->setObjectName(u"slowNodesNote"_s);
    layout->addWidget(m_note);
    m_list = new RowList;
    m_list->setAccessibleName(tr("Slow nodes"));
    m_list->setWidgetResizable(true);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Expanding); // it scrolls, the page does not
    auto* list = new QFrame;
    list->setProperty("surface", u"panel"_s);
    auto* listLayout = bareLayout<QVBoxLayout>(list, 0);
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
    m_few = new SegmentedControl(theme);
    m_few->setAccessibleName(tr("How many exchanges of two nodes"));
    m_exchanges = cardText(u"small"_s);
    layout->addWidget(m_few);
    layout->addWidget(m_exchanges);
    layout->addWidget(m_adviceNote);
    m_few->hide();
    m_exchanges->hide();
    connect(m_few, &SegmentedControl::chosen, this, &SlowNodesCard::chooseExchanges);
    layout->addWidget(m_message);
    layout->addSpacing(theme.px(8));
    const auto button = [this](QHBoxLayout* row, const QString& name, const QString& text, auto requested) {
        auto* made = new QPushButton(text);
        made->setObjectName(name);
        connect(made, &QPushButton::clicked, this, requested);
        row->addWidget(made);
        return made;
    };
    auto *first = new QHBoxLayout, *second = new QHBoxLayout;
    m_import = button(first, u"importSpeeds"_s, tr("Import speeds…"), &SlowNodesCard::importRequested);
    m_find = button(first, u"findPlaces"_s, tr("Find best places"), &SlowNodesCard::searchRequested);
    m_hostfile = button(second, u"exportHostfile"_s, tr("Export hostfile"), &SlowNodesCard::hostfileRequested);
    m_apply = button(second, u"applyAdvice"_s, tr("Apply as scenario"), &SlowNodesCard::applyRequested);
    for (QPushButton* editing : {m_import, m_apply})
        showWhileEditable(*editing, theme);
    layout->addLayout(first);
    layout->addLayout(second);
}

void SlowNodesCard::setNodes(const SnapshotPtr& snapshot, const Scenario& scenario, const SlowNodesReport* report, const HostNames& hosts)
{
    m_hosts = hosts;
    while (QLayoutItem* item = m_rows->takeAt(0)) {
        if (item->widget())
            item->widget()->deleteLater();
        delete item;
    }
    m_list->setMinimumHeight(0);
    if (!snapshot)
        return m_note->setText(tr("No result yet."));
    const std::vector<SlowEntry>& slow = scenario.variability.slow;
    const bool known = report && report->rows.size() == slow.size();
    if (slow.empty())
        m_note->setText(scenario.measured.speeds.empty()
                            ? m_theme.isEditable()
                                  ? tr("None marked. Choose a cell and press Enter, double click it, or import measured speeds.")
                                  : tr("None marked.")
                            : measuredText(scenario));
    else if (known)
        m_note->setText(tr("Together %1 of p95; right: change when one is repaired, n = %2")
                            .arg(format::timeChange(report->total.p95, report->withAll.p95), format::count(report->samples)));
    else
        m_note->setText(
            tr("%1 of %2 nodes").arg(format::count(static_cast<std::int64_t>(slow.size())), format::count(snapshot->costed->world.nodes)));
    double largest = 0; // one unit for all rows
    for (std::size_t i = 0; known && i < report->rows.size(); ++i)
        largest = std::max({largest, std::abs(report->rows[i].repaired.p95.value), report->rows[i].repaired.p95.halfWidth});
    for (std::size_t i = 0; i < std::min(slow.size(), kMaxSlowNodes); ++i)
        if (slow[i].node >= 0)
            addRow(scenario, slow[i], known && report->rows[i].entry == slow[i] ? &report->rows[i] : nullptr, format::deltaScale(largest));
    m_list->setMinimumHeight(m_theme.px(kRowHeight * std::min(m_rows->count(), kMinRows)));
}

QString SlowNodesCard::measuredText(const Scenario& scenario) const
{
    constexpr std::size_t kMaxNamed = 4;
    constexpr double kShown = 1.005; // what prints as more than 1.00×
    QStringList named;
    for (const NodeSlowness& node : slowestNodes(scenario, kMaxNamed)) {
        const NodePlaces places = placesOf(scenario, node.node);
        if (node.factor >= kShown)
            named << tr("%1 %2%3").arg(nodeName(node.node, m_hosts), format::factor(node.factor),
                                       places.empty() ? QString() : u" ("_s + placeText(places.front()) + u')');
    }
    return named.isEmpty() ? tr("The measured nodes are equally fast.")
                           : tr("Slowest as measured, over the median node: %1.").arg(named.join(u"; "_s));
}

void SlowNodesCard::addRow(const Scenario& scenario, const SlowEntry& entry, const SlowNodesReport::Row* repaired,
                           const format::DeltaScale& scale)
{
    const NodePlaces places = placesOf(scenario, entry.node);
    SlowNodeText text{entry.node,
                      nodeName(entry.node, m_hosts),
                      entry.computeFactor,
                      places.empty() ? tr("not in this cluster") : placeText(places.front()),
                      {},
                      {}};
    if (places.size() > 1)
        text.place += tr(" and %1 more").arg(places.size() - 1);
    if (repaired) {
        const Estimate& p95 = repaired->repaired.p95;
        const bool found = format::isFound(p95);
        text.gain = found ? format::secondsDelta(p95.value, scale) : format::noDifference();
        text.interval = format::interval(p95.halfWidth, scale);
        text.gainInWords = !found;
        text.gainRole = !found ? Role::textSecondary : p95.value < 0 ? Role::good : Role::bad;
    }
    auto* row = new SlowNodeRow(m_theme, text);
    connect(row, &SlowNodeRow::factorChosen, this, &SlowNodesCard::factorChosen);
    m_rows->addWidget(row);
}

void SlowNodesCard::setAdvice(const SnapshotPtr& snapshot, const SearchState& search)
{
    const bool measured = snapshot && hasOrder(snapshot->scenario);
    const PlacementResult* result = search.result;
    m_find->setEnabled(measured && !search.isComputing);
    const bool another = result && (!m_result || m_result->bestOrder != result->bestOrder || m_result->givenOrder != result->givenOrder);
    m_result = result ? std::optional(*result) : std::nullopt;
    const bool few = result && !result->exchanges.empty();
    m_few->setVisible(few);
    m_exchanges->setVisible(few);
    if (few && another) {
        QStringList choices;
        for (std::size_t k = 1; k <= result->exchanges.size(); ++k)
            choices << QString::number(k);
        m_few->setChoices(choices << tr("all"));
        m_few->setCurrent(std::min(2, static_cast<int>(choices.size()) - 1)); // three at most: what is done by hand
    }
    if (few)
        reportExchanges();
    if (result) {
        const double p95 = result->given.p95;
        m_advice->setText(result->withinNoise
                              ? tr("Moving nodes is not worth it")
                              : tr("All moves together %1 (%2)")
                                    .arg(format::timeChange(gained(result->gainOverGiven, p95)),
                                         format::intervalNextTo(p95 * result->gainOverGiven.value, p95 * result->gainOverGiven.halfWidth)));
        m_adviceNote->setText(tr("p95 %1 to %2 with all: %3 of %4 positions change. n = %5, seed %6")
                                  .arg(format::seconds(p95).text(), format::seconds(result->best.p95).text(),
                                       format::count(result->movedNodes),
                                       format::count(static_cast<std::int64_t>(result->bestOrder.size())), format::count(result->samples),
                                       QString::number(result->seed)));
    } else {
        m_advice->setText(search.error);
        m_adviceNote->setText(
            !measured ? m_theme.isEditable() ? tr("Mark slow nodes or import measured speeds to be advised on positions.") : QString()
            : search.isComputing ? tr("Searching …")
                                 : tr("Measured speeds: %1; marked places: %2.")
                                       .arg(format::count(static_cast<std::int64_t>(snapshot->scenario.measured.speeds.size())),
                                            format::count(static_cast<std::int64_t>(snapshot->scenario.variability.slow.size()))));
    }
    m_advice->setVisible(!m_advice->text().isEmpty());
    showNextStep(measured);
}

/// The next step is the primary button: speeds, a search, what it found, the file for the launcher.
void SlowNodesCard::showNextStep(bool measured)
{
    const bool moves = m_result && !m_result->withinNoise && m_result->movedNodes > 0;
    const QPushButton* next = !measured ? m_import : moves ? m_apply : m_result ? m_hostfile : m_find;
    for (QPushButton* button : {m_import, m_find, m_apply, m_hostfile}) {
        const QVariant kind = button == next ? QVariant(u"primary"_s) : QVariant();
        if (button->property("kind") == kind)
            continue;
        restyle(button, "kind", kind);
    }
}

void SlowNodesCard::setActing(bool on)
{
    m_apply->setEnabled(on && m_result && !m_result->withinNoise && m_result->movedNodes > 0);
    m_hostfile->setEnabled(on);
}

void SlowNodesCard::reportExchanges()
{
    if (!m_result)
        return;
    const auto chosen = static_cast<std::size_t>(std::max(m_few->current(), 0));
    const double p95 = m_result->given.p95;
    const format::DeltaScale scale = format::deltaScale(p95 * m_result->gainOverGiven.value);
    QStringList lines;
    for (std::size_t k = 0; k < m_result->exchanges.size() && k <= chosen; ++k) {
        const ExchangeGain& e = m_result->exchanges[k];
        lines << tr("%1. %2 with %3, to %4: %5 so far (%6)")
                     .arg(k + 1)
                     .arg(nodeName(e.move.node, m_hosts), nodeName(e.partner, m_hosts), placeText({e.move.toReplica, e.move.toStage}),
                          format::isFound(e.gain) ? format::secondsDelta(-p95 * e.gain.value, scale) : format::noDifference(),
                          format::interval(p95 * e.gain.halfWidth, scale));
    }
    m_exchanges->setText(lines.join(u'\n'));
}

QList<GainPoint> SlowNodesCard::gainPoints() const
{
    QList<GainPoint> points;
    if (!m_result || m_result->exchanges.empty())
        return points;
    const double p95 = m_result->given.p95;
    for (const ExchangeGain& e : m_result->exchanges)
        points << GainPoint{QString::number(points.size() + 1),
                            tr("%1 with %2").arg(nodeName(e.move.node, m_hosts), nodeName(e.partner, m_hosts)), p95 * e.gain.value,
                            p95 * e.gain.halfWidth, false};
    points << GainPoint{tr("all"), tr("All moves, %1 positions change").arg(format::count(m_result->movedNodes)),
                        p95 * m_result->gainOverGiven.value, p95 * m_result->gainOverGiven.halfWidth, true};
    return points;
}

int SlowNodesCard::chosenExchanges() const
{
    return m_result && !m_result->exchanges.empty() ? m_few->current() : -1;
}

void SlowNodesCard::chooseExchanges(int choice)
{
    m_few->setCurrent(choice);
    reportExchanges();
    Q_EMIT exchangesChosen(choice);
}

std::vector<int> SlowNodesCard::chosenOrder() const
{
    if (!m_result)
        return {};
    const auto chosen = static_cast<std::size_t>(std::max(m_few->current(), 0));
    return chosen < m_result->exchanges.size() ? m_result->exchanges[chosen].order : m_result->bestOrder;
}

void SlowNodesCard::showMessage(const QString& text, bool isError)
{
    m_message->setText(text);
    restyle(m_message, "role", isError ? u"error"_s : u"secondary"_s);
}

} // namespace prism::ui
