// SPDX-License-Identifier: GPL-3.0-or-later
// A report as sheets of A4 or as slides of 16:9, each ready to be painted. Always in the light palette.
#pragma once

#include "ui/report/reportcharts.h"

namespace prism::ui {

enum class ReportForm { paper, slides };

/// One sheet: its size in pixels of 96 dpi, and what paints it.
struct ReportPage {
    QSizeF size;
    std::function<void(QPainter&)> paint;
};

/// One to three sheets of paper, or a slide for each picture. `found` must outlive them.
[[nodiscard]] std::vector<ReportPage> reportPages(const Findings& found, ReportForm form);

} // namespace prism::ui
