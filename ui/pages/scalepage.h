// SPDX-License-Identifier: GPL-3.0-or-later
// The Scale page: step time, throughput, MFU and cost over the number of GPUs, weak and strong.
#pragma once

#include "core/insight/scale/scale.h"
#include "ui/pages/insightpage.h"
#include "ui/pages/levelled.h"
#include "ui/plot/scalechart.h"

class QPushButton;
class QTableWidget;

namespace prism::ui {

class SegmentedControl;

enum class ScaleMetric { stepTime, throughput, mfu, cost };
[[nodiscard]] ScaleData scaleDataOf(const ScaleCurve& curve, ScaleMetric metric, const ShownScenario& scenario);

class ScalePage final : public InsightPage {
    Q_OBJECT
public:
    explicit ScalePage(const Theme& theme, QWidget* parent = nullptr);

    [[nodiscard]] QString id() const override { return QStringLiteral("scale"); }
    [[nodiscard]] QString title() const override { return tr("Scale"); }
    [[nodiscard]] QString group() const override { return tr("Decide"); }
    [[nodiscard]] QString answer() const override;
    [[nodiscard]] TableData asTable() const override;
    [[nodiscard]] QJsonObject saveState() const override;
    void restoreState(const QJsonObject& state) override;

    [[nodiscard]] ScaleChart& chart() { return *m_chart; }

protected:
    void contextChanged() override { ask(); }

private:
    void ask();
    void refresh() override;
    [[nodiscard]] const ScaleCurve* curve() const; ///< on the headline's level
    void fillTable(const ScaleCurve* curve);
    void fitColumns();
    void buildTools();
    void statesShown() override;
    [[nodiscard]] const ScalePoint* selectedPoint() const; ///< another size, of a current answer; null = none
    void makeScenario();

    SegmentedControl *m_mode, *m_metric;
    ScaleChart* m_chart;
    QFrame* m_card;
    QTableWidget* m_points;
    QPushButton* m_make;
    InsightSlot<ScaleCurve> m_curve{QStringLiteral("scale")};
    mutable Levelled<ScaleCurve> m_levelled;
    int m_filledWith = -1; ///< the version of the levelled curve that the table shows
};

} // namespace prism::ui
