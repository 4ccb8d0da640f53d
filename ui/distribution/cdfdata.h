// SPDX-License-Identifier: GPL-3.0-or-later
// Data of the chart of step times: curves, a limit's reading, a preview.
#pragma once

#include "core/insight/curve.h"
#include "ui/plot/curvelabels.h"

#include <QHash>
#include <QList>
#include <QString>

#include <vector>

namespace prism::ui {

enum class CdfMode { cdf, density, exceedance };

/// One scenario's curves, reduced in core.
struct ChartCurve {
    int id = -1;
    QString name;
    int colour = 0;
    bool baseline = false, stale = false, current = false;
    std::vector<CurvePoint> cdf;
    std::vector<DensityPoint> density;
    double axisLow = 0, axisHigh = 0; ///< seconds that must be on the axis
    double noiseFreeSeconds = 0;
    bool outside = false; ///< of the calibrated range: its band is hatched
    QString change;       ///< of p95 against the baseline: "+5.4 %", "baseline"; empty = nothing to compare with
    QString metric;       ///< "p95 7.13 s": part of the label on paper, where no table is next to it
};

/// Text of the limit's flag; made by the page from core's results.
struct LimitReading {
    double seconds = 0;                            ///< where the limit is; 0 = no limit drawn
    double probability = 0;                        ///< P(step <= seconds) on the curve that is read
    double lowerSeconds = 0, lowerProbability = 0; ///< of a second limit below it; 0 = none
    QString sentence;                              ///< "P(step > 9.30 s) = 5.0 %"
    QString note;                                  ///< "± 0.4 points, baseline"
    QHash<int, QString> shares;                    ///< by scenario: "misses 94 %", drawn at its curve
};

/// A text at a curve, where it is drawn.
struct PaintedLabel {
    int scenario = -1;       ///< -1 = of a mark
    QString text, shortText; ///< the shorter one where the place asks for it
    LabelPlace place;
    bool isReading = false; ///< the share at the limit; else the curve's name
};

/// The curve of a preview: thin, with a text that explains it.
struct ChartGhost {
    QString text; ///< "TP 4: p95 6.31 s (−160 ms)", or why there is none; empty = no ghost
    int colour = 0;
    std::vector<CurvePoint> cdf;
};

/// A time that people marked: a line with a letter, which the footer explains, and with its text where there is room.
struct ChartMark {
    double seconds = 0;
    QString letter, text;
};

} // namespace prism::ui
