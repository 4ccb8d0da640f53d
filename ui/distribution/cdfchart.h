// SPDX-License-Identifier: GPL-3.0-or-later
// The chart of step-time distributions: CDF, density or exceedance of the scenarios, with one or two limits that can be dragged.
// The only file that uses Qt Charts.
#pragma once

#include "ui/distribution/cdfdata.h"
#include "ui/theme/theme.h"

#include <QWidget>

#include <memory>

namespace prism::ui {

struct CdfState;
class CdfView;
struct Drawn;

/// GUI thread only. Sizes and colours come from the theme's look at paint time.
class CdfChart final : public QWidget {
    Q_OBJECT
public:
    using Mode = CdfMode;

    explicit CdfChart(const Theme& theme, QWidget* parent = nullptr);
    ~CdfChart() override;

    // change it
    void setMode(Mode mode);
    void setCurves(QList<ChartCurve> curves); ///< one `replace` per curve; keeps the series
    void setLimit(const LimitReading& limit);
    void setBrushed(int scenarioId); ///< this curve is drawn in full, the others step back; -1 = none
    void setGhost(ChartGhost ghost);
    void setMarks(const QList<ChartMark>& marks);
    void setNotice(const QString& text); ///< "computing" over the plot; empty = none
    void setFixed(bool fixed);           ///< limits cannot be moved nor marks be set: the study is only looked at
    void setPaper(bool paper);           ///< drawn for a picture: no handles, no hints, nothing of the pointer
    void resetZoom();
    /// Ends typing of a limit; a problem is shown at the editor, which stays open with the typed text.
    void showLimitProblem(const QString& problem);

    // look at it
    [[nodiscard]] Mode mode() const;
    [[nodiscard]] QRectF plotArea() const;
    [[nodiscard]] double secondsAt(double x) const;
    [[nodiscard]] double xAt(double seconds) const;
    [[nodiscard]] const QList<ChartCurve>& curves() const;
    [[nodiscard]] const ChartGhost& ghost() const;
    [[nodiscard]] QPointF goalMark() const;           ///< middle of the mark to pull, in the plot's pixels; null = none is drawn
    [[nodiscard]] QList<PaintedLabel> labels() const; ///< of the last paint
    [[nodiscard]] int paintCount() const;             ///< for benchmarks: repaints of the plot so far
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] static QString limitHint(); ///< what can be typed as a limit

Q_SIGNALS:
    /// The user moves the limit: to a time, or (snapped) to a probability of the curve that is read; `probability` < 0 = none.
    void limitMoved(double seconds, double probability);
    void lowerLimitMoved(double seconds, double probability); ///< the same of the second limit
    void limitReleased();
    void goalDropped(double seconds); ///< the mark of the current p95 was pulled here
    void limitTyped(const QString& text);
    void curveClicked(int scenarioId);
    void markRequested(double seconds);       ///< the user asks for a mark at this time
    void metricRequested(const QString& key); ///< ... the source of a value

protected:
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refresh();
    void setAxes();    ///< ranges and ticks of what is shown
    void growSeries(); ///< a series for every curve
    void drawCurve(Drawn& drawn, const ChartCurve& curve);
    void layoutPlot();
    void editLimit();
    void closeEditor();
    std::unique_ptr<CdfState> m_state;
    CdfView* m_view;
};

} // namespace prism::ui
