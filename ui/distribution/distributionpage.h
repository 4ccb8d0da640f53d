// SPDX-License-Identifier: GPL-3.0-or-later
// The Distribution page: step-time distributions of several scenarios in one plot, with labels and a limit.
#pragma once

#include "ui/distribution/cdfchart.h"
#include "ui/pages/page.h"
#include "ui/workspace/changescache.h"

class QLabel;
class QPushButton;

namespace prism::ui {

class SegmentedControl;

/// Share of the steps up to which the axis goes, and from which it begins.
inline constexpr double kAxisShare = 0.999;
/// Where the axis of sorted steps ends: there, or earlier where rare long steps would leave less than a sixth of the room to the first nine
/// of ten; p95 is always on it.
[[nodiscard]] double axisEnd(const std::vector<double>& sortedSeconds);

class DistributionPage final : public Page {
    Q_OBJECT
public:
    DistributionPage(const Theme& theme, ChangesCache& cache, QWidget* parent = nullptr);

    [[nodiscard]] QString id() const override { return QStringLiteral("distribution"); }
    [[nodiscard]] QString title() const override { return tr("Distribution"); }
    void setContext(const PageContext& context) override;
    [[nodiscard]] QWidget* tools() override { return m_tools; }
    [[nodiscard]] TableData asTable() const override;
    [[nodiscard]] PageState state() const override;
    [[nodiscard]] QJsonObject saveState() const override;
    void restoreState(const QJsonObject& state) override;
    [[nodiscard]] CdfChart& chart() { return *m_chart; }
    /// The limits in force: the study's, or the baseline's p95 while none is set.
    [[nodiscard]] StepLimits limits() const;
    void setBetween(bool on); ///< a second limit below the first, at p5 to begin with, or none
    void paintExport(QPainter& painter) override;
    [[nodiscard]] const QWidget* mainChart() const override { return m_chart; }
    [[nodiscard]] QSize exportSize() const override;

private:
    void makeTools();
    [[nodiscard]] QWidget* makeChartCard();
    struct Reduced { ///< curves of one snapshot, kept while it is shown
        SnapshotPtr snapshot;
        bool within = false;
        std::vector<CurvePoint> cdf;
        std::vector<DensityPoint> density;
        int dropped = 0;
        bool hasIntervals = false; ///< of the points: in the exceedance alone
    };
    [[nodiscard]] Reduced reducedOf(const ShownScenario& scenario, CdfChart::Mode mode) const;
    [[nodiscard]] QString changeOf(const ShownScenario& scenario) const; ///< of p95: "+5.4 %", "baseline"; empty = nothing to compare with
    [[nodiscard]] ChartCurve curveOf(const ShownScenario& scenario, const Reduced& reduced, CdfChart::Mode mode) const;
    void refreshTexts(CdfChart::Mode mode, int dropped);
    void refresh();
    void refreshLimit();
    void refreshGhost();
    void moveLimit(double seconds, double probability);
    void moveLowerLimit(double seconds, double probability);
    [[nodiscard]] double secondsOf(double seconds, double probability) const; ///< of the limit, or of the marked percentile that it is on
    void typeLimit(const QString& text);
    [[nodiscard]] const ShownScenario* readScenario() const;
    [[nodiscard]] const std::vector<double>* readSamples() const;
    /// Whether the shared error is a large part of the error at the limit; bands exclude it.
    [[nodiscard]] bool sharesMuch() const;
    [[nodiscard]] bool within() const;

    const Theme& m_theme;
    ChangesCache& m_cache;
    PageContext m_context;
    QWidget* m_tools;
    SegmentedControl *m_modes, *m_spread;
    QPushButton* m_between;
    QLabel *m_title, *m_note, *m_footer, *m_footerRight;
    CdfChart* m_chart;
    std::vector<Reduced> m_reduced;
};

} // namespace prism::ui
