// SPDX-License-Identifier: GPL-3.0-or-later
// Every chart with hand-made results, for the tests that paint, read and export them.
#pragma once

#include "ui/plot/plotbase.h"

#include <QImage>

#include <memory>
#include <vector>

namespace prism::ui {

struct NamedChart {
    QString name;
    std::unique_ptr<PlotBase> chart;
};

[[nodiscard]] std::vector<NamedChart> galleryCharts(const Theme& theme);
/// The chart as the screen shows it, in another look.
[[nodiscard]] QImage paintedChart(const PlotBase& chart, const Look& look, double ratio);

} // namespace prism::ui
