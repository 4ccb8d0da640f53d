// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/placescard.h"

#include "ui/pages/card.h"
#include "ui/look/change.h"
#include "ui/look/format.h"

#include <QLabel>
#include <QVBoxLayout>

namespace prism::ui {

using namespace Qt::StringLiterals;

PlacesCard::PlacesCard(const Theme& theme, QWidget* parent) : QFrame(parent)
{
    QVBoxLayout* layout = makeCard(*this, theme);
    m_headline = cardText(u"title"_s);
    layout->addWidget(m_headline);
    auto* pair = new QHBoxLayout;
    pair->setSpacing(theme.px(12));
    const auto half = [&](const QString& name, QLabel*& value, QLabel*& note) {
        auto* box = new QVBoxLayout;
        box->setSpacing(theme.px(2));
        value = cardText(u"headline"_s);
        value->setWordWrap(false);
        note = cardText(u"tick"_s, u"secondary"_s);
        box->addWidget(cardText(u"tick"_s, u"secondary"_s, name));
        box->addWidget(value);
        box->addWidget(note);
        box->addStretch(1); // both begin at the top, regardless of the height of their notes
        pair->addLayout(box, 1);
    };
    half(tr("Best"), m_best, m_bestNote);
    half(tr("Worst"), m_worst, m_worstNote);
    layout->addLayout(pair);
    m_noise = cardText(u"tick"_s, u"tertiary"_s);
    layout->addWidget(m_noise);
}

void PlacesCard::setPlaces(const PlacementMap* map, const HeatData& data, PlaceMetric metric)
{
    const ExtremePlaces places = map ? extremePlaces(*map, metric) : ExtremePlaces();
    const auto describe = [&](int cell, const std::vector<int>& others, QLabel* value, QLabel* note) {
        const bool known = map && cell >= 0;
        value->setText(known ? format::factor(data.cells[static_cast<std::size_t>(cell)].ratio) : u"–"_s);
        if (!known)
            return note->clear();
        const PlacementCell& there = map->cells[static_cast<std::size_t>(cell)];
        const double seconds = secondsOf(there, metric), without = secondsOf(map->base, metric);
        note->setText(tr("Stage %1, %2\n%3 %4\n%5")
                          .arg(QString::number(cell % map->columns),
                               QString::fromStdString(map->rowLabels[static_cast<std::size_t>(cell / map->columns)]), nameOf(metric),
                               format::seconds(seconds).text(),
                               format::deltaSeconds(seconds, without, without * ratioOf(there, metric).halfWidth))
                      + (others.empty() ? QString() : tr("\nWithin its error: %1 more").arg(others.size())));
    };
    describe(data.best, places.asGood, m_best, m_bestNote);
    describe(data.worst, places.asBad, m_worst, m_worstNote);
    const auto seconds = [&](int cell) { return cell < 0 ? 0.0 : secondsOf(map->cells[static_cast<std::size_t>(cell)], metric); };
    m_headline->setText(
        !map ? tr("Where a slow node hurts")
        : places.equal
            ? tr("The places cannot be distinguished")
            : tr("The place decides %1 of %2").arg(format::secondsDelta(seconds(data.worst) - seconds(data.best)).mid(1), nameOf(metric)));
    m_noise->setText(map && !map->notes.empty() ? QString::fromStdString(map->notes.front()) : QString());
}

} // namespace prism::ui
