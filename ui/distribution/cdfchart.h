// SPDX-License-Identifier: GPL-3.0-or-later
// The chart of step-time distributions: CDF, density or exceedance of the scenarios, with one or two limits that can be dragged.
// The one place that knows Qt Charts.
#pragma once

#include "core/insight/curve.h"
#include "ui/theme/theme.h"

#include <QList>
#include <QWidget>

#include <memory>

class QLineEdit;

namespace prism::ui {

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
};

/// What the limit's flag says; made by the page from core's figures.
struct LimitReading {
    double seconds = 0;                            ///< where the limit stands; 0 = no limit drawn
    double probability = 0;                        ///< P(step <= seconds) on the curve that is read
    double lowerSeconds = 0, lowerProbability = 0; ///< of a second limit below it; 0 = none
    QString sentence;                              ///< "P(step > 9.30 s) = 5.0 %"
    QString note;                                  ///< "± 0.4 points, baseline"
};

/// A curve that is only looked at: thin, with a text that says what it is.
struct ChartGhost {
    QString text; ///< "TP 4: p95 6.31 s (−160 ms)", or why there is none; empty = no ghost
    int colour = 0;
    std::vector<CurvePoint> cdf;
};

struct Drawn;

/// GUI thread only. Sizes and colours come from the theme's look at paint time.
class CdfChart final : public QWidget {
    Q_OBJECT
public:
    enum class Mode { cdf, density, exceedance };

    explicit CdfChart(const Theme& theme, QWidget* parent = nullptr);
    ~CdfChart() override;

    // change it
    void setMode(Mode mode);
    void setCurves(QList<ChartCurve> curves); ///< one `replace` per curve; keeps the series
    void setLimit(const LimitReading& limit);
    void setBrushed(int scenarioId); ///< this curve is drawn in full, the others step back; -1 = none
    void setGhost(ChartGhost ghost);
    void setNotice(const QString& text); ///< "computing" over the plot; empty = none
    void setPaper(bool paper);           ///< drawn for a picture: no handles, no hints, nothing of the pointer
    void resetZoom();

    // look at it
    [[nodiscard]] Mode mode() const;
    [[nodiscard]] QRectF plotArea() const;
    [[nodiscard]] double secondsAt(double x) const;
    [[nodiscard]] double xAt(double seconds) const;
    [[nodiscard]] const QList<ChartCurve>& curves() const;
    [[nodiscard]] const ChartGhost& ghost() const;
    [[nodiscard]] QPointF goalMark() const; ///< middle of the mark to pull, in the plot's pixels; null = none is drawn
    [[nodiscard]] int paintCount() const;   ///< for benchmarks: repaints of the plot so far
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    /// The user moves the limit: to a time, or (snapped) to a probability of the curve that is read; `probability` < 0 = none.
    void limitMoved(double seconds, double probability);
    void lowerLimitMoved(double seconds, double probability); ///< the same of the second limit
    void limitReleased();
    void goalDropped(double seconds); ///< the mark of the current p95 was pulled here
    void limitTyped(const QString& text);
    void curveClicked(int scenarioId);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    class View;
    struct Impl;
    void refresh();
    void setAxes();    ///< ranges and ticks of what is shown
    void growSeries(); ///< a series and a band for every curve
    void drawCurve(Drawn& drawn, const ChartCurve& curve);
    void layoutPlot();
    void editLimit();
    std::unique_ptr<Impl> m_impl;
};

} // namespace prism::ui
