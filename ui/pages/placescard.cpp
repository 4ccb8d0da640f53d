// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/placescard.h"

#include "ui/pages/card.h"
#include "ui/look/change.h"
#include "ui/look/format.h"

#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

/// Decimals that show how much two times differ: two digits of the difference, at least three of the time.
int decimalsOf(double best, double worst)
{
    const auto decimals = [](double value, int digits) {
        return value > 0 ? digits - 1 - static_cast<int>(std::floor(std::log10(value))) : 0;
    };
    return std::max({0, decimals(worst, 3), decimals(worst - best, 2)});
}

} // namespace

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
    const auto secondsAt = [&](int cell) { return map && cell >= 0 ? secondsOf(map->cells[static_cast<std::size_t>(cell)], metric) : 0.0; };
    const format::TimeUnit unit = format::timeUnit(secondsAt(data.worst));
    const int decimals = decimalsOf(secondsAt(data.best) * unit.perSecond, secondsAt(data.worst) * unit.perSecond);
    const double scale = std::pow(10.0, decimals);
    const auto shown = [&](int cell) { return std::round(secondsAt(cell) * unit.perSecond * scale) / scale; };
    const auto describe = [&](int cell, const std::vector<int>& others, QLabel* value, QLabel* note) {
        const bool known = map && cell >= 0;
        value->setText(known ? format::factor(data.cells[static_cast<std::size_t>(cell)].ratio) : u"–"_s);
        if (!known)
            return note->clear();
        const Estimate& ratio = ratioOf(map->cells[static_cast<std::size_t>(cell)], metric);
        note->setText(tr("Stage %1, %2\n%3 %4 (%5)")
                          .arg(QString::number(cell % map->columns),
                               QString::fromStdString(map->rowLabels[static_cast<std::size_t>(cell / map->columns)]), nameOf(metric),
                               format::fixed(shown(cell), decimals) + u' ' + unit.name,
                               format::percentChange({ratio.value - 1, ratio.halfWidth}))
                      + (others.empty() ? QString() : tr("\nWithin its error: %1 more").arg(format::count(std::ssize(others)))));
    };
    describe(data.best, places.asGood, m_best, m_bestNote);
    describe(data.worst, places.asBad, m_worst, m_worstNote);
    m_headline->setText(
        !map           ? tr("Where a slow node hurts")
        : places.equal ? tr("The places cannot be distinguished")
                       : tr("The place decides %1 of %2")
                             .arg(format::secondsDelta((shown(data.worst) - shown(data.best)) / unit.perSecond).mid(1), nameOf(metric)));
    m_noise->setText(map && (places.equal || map->notes.size() > 1) && !map->notes.empty() ? QString::fromStdString(map->notes.front())
                                                                                           : QString());
}

} // namespace prism::ui
