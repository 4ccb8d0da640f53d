// SPDX-License-Identifier: GPL-3.0-or-later
// Cumulative distributions of step times with one flag above them: for reports, goals, measured runs and first looks.
#pragma once

#include "core/insight/curve.h"
#include "ui/plot/axes.h"
#include "ui/plot/plotbase.h"

#include <optional>

namespace prism::ui {

/// One distribution.
struct StepCurve {
    QString id, name;
    int series = 0;
    bool baseline = false;
    bool measured = false; ///< in the text's colour: something that happened
    bool ghost = false;    ///< thin: something that might be
    QString number;        ///< in a circle on a ghost; empty = none
    std::vector<CurvePoint> points;
};

/// A vertical line with a flag in the lane above the plot.
struct StepFlag {
    double seconds = 0;
    QString text, note;       ///< note: next to the flag
    double probability = -1;  ///< of the curve that is read, at the line; negative = the line does not cross it
    bool beyondShaded = true; ///< what is right of it is "beyond the limit"
    QString hint;             ///< what may be done with it, after its text; not on paper
    [[nodiscard]] QString reading() const { return hint.isEmpty() ? text : text + QStringLiteral(": ") + hint; }
};

struct StepCurves {
    std::vector<StepCurve> curves;
    double noiseFreeSeconds = 0; ///< 0 = not drawn
    std::optional<StepFlag> flag;
    std::optional<StepCurve> envelope; ///< drawn as its band alone, under the curves
    QString axisTitle = QStringLiteral("Step time"), shareTitle = QStringLiteral("Share of steps, %");
    double smallest = 0, largest = 0; ///< seconds that the axis holds; equal = from the curves
    double markedShare = 0;           ///< a dotted line at this probability ("p95"); 0 = none
};

/// Plot rectangle of the curves inside an area.
[[nodiscard]] Axes stepAxes(const Canvas& canvas, const QRectF& area, const StepCurves& data);
/// Axes, bands, curves, lines and flag. `highlighted`: a ghost that is drawn in full.
void paintStepCurves(Canvas& canvas, const QRectF& area, const StepCurves& data, const QString& highlighted = {});

/// The same as a card. A flag can be dragged. GUI thread only.
class StepCurveChart final : public PlotBase {
    Q_OBJECT
public:
    using PlotBase::PlotBase;

    // change it
    void setData(const StepCurves& data);
    void setHighlighted(const QString& id);
    void setFlagMovable(bool movable) { m_movable = movable; }

    // look at it
    [[nodiscard]] const StepCurves& data() const { return m_data; }
    [[nodiscard]] const QString& highlighted() const { return m_highlighted; }
    [[nodiscard]] TableData asTable() const override;
    [[nodiscard]] int itemCount() const override { return static_cast<int>(m_data.curves.size()); }
    [[nodiscard]] QStringList itemReading(int item) const override;
    [[nodiscard]] double secondsAt(double x) const; ///< of the widget

Q_SIGNALS:
    void flagMoved(double seconds);
    void flagReleased();

protected:
    void paintPlot(Canvas& canvas, const QRectF& area, bool interactive) const override;
    [[nodiscard]] int itemAt(const Canvas& canvas, const QRectF& area, QPointF at) const override;
    [[nodiscard]] QPointF itemAnchor(const Canvas& canvas, const QRectF& area, int item) const override;
    [[nodiscard]] QList<LegendEntry> legend(const Look& look) const override;
    [[nodiscard]] bool legendNextToTitle() const override { return true; }
    [[nodiscard]] double minPlotHeight() const override { return 150; }
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    [[nodiscard]] bool nearFlag(QPointF at) const;

    StepCurves m_data;
    QString m_highlighted;
    bool m_movable = false, m_dragging = false;
};

} // namespace prism::ui
