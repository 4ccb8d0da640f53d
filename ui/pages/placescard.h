// SPDX-License-Identifier: GPL-3.0-or-later
// The best and the worst place of a slow node, in words.
#pragma once

#include "ui/pages/placementdata.h"

#include <QFrame>

class QLabel;

namespace prism::ui {

/// GUI thread only.
class PlacesCard final : public QFrame {
    Q_OBJECT
public:
    explicit PlacesCard(const Theme& theme, QWidget* parent = nullptr);
    /// A map and the same map as it is drawn; no map = nothing is known yet.
    void setPlaces(const PlacementMap* map, const HeatData& data, PlaceMetric metric);

private:
    QLabel *m_headline, *m_best, *m_bestNote, *m_worst, *m_worstNote, *m_noise;
};

} // namespace prism::ui
