// SPDX-License-Identifier: GPL-3.0-or-later
// The Pipeline page: one sampled step as a Gantt chart, or two above each other; under it where the step goes,
// what makes it vary, and the memory of each stage.
#pragma once

#include "core/insight/onestep/timeline.h"
#include "ui/pages/insightpage.h"
#include "ui/plot/gantt.h"
#include "ui/plot/memorychart.h"
#include "ui/plot/stackedbar.h"

class QLabel;
class QLineEdit;
class QPushButton;

namespace prism::ui {

class SegmentedControl;

class PipelinePage final : public InsightPage {
    Q_OBJECT
public:
    explicit PipelinePage(const Theme& theme, QWidget* parent = nullptr);

    [[nodiscard]] QString id() const override { return QStringLiteral("pipeline"); }
    [[nodiscard]] QString title() const override { return tr("Pipeline"); }
    [[nodiscard]] QString answer() const override;
    [[nodiscard]] TableData asTable() const override;
    [[nodiscard]] QJsonObject saveState() const override;
    void restoreState(const QJsonObject& state) override;

    [[nodiscard]] GanttChart& gantt() { return *m_gantt; }
    [[nodiscard]] GanttChart& median() { return *m_median; } ///< the p50 step above it, while both are compared
    [[nodiscard]] MemoryChart& memory() { return *m_memory; }
    [[nodiscard]] StackedBarChart& breakdown() { return *m_breakdown; }
    [[nodiscard]] StackedBarChart& variance() { return *m_variance; }
    /// Writes the shown step as a Chrome trace; what went wrong as a sentence, empty = done.
    [[nodiscard]] QString writeTrace(const QString& path) const;

protected:
    void contextChanged() override;
    void selectionChanged() override;

private:
    void makeTools();
    void connectCharts();
    void ask();
    void refresh() override;
    void statesShown() override;
    void refreshTexts(); ///< of the step and of the stretch that is chosen in it
    void refreshBreakdown();
    void refreshPair(); ///< the median step, on one scale with the other
    [[nodiscard]] bool isPaired() const;
    void findKernels();
    void exportTrace();
    [[nodiscard]] DrawChoice draw() const;
    [[nodiscard]] int replica() const; ///< as typed, at most the last one; -1 = the slowest

    SegmentedControl* m_which;
    QLineEdit *m_number, *m_replica, *m_find;
    QLabel* m_hits;
    QPushButton *m_pair, *m_trace;
    GanttChart *m_median, *m_gantt;
    StackedBarChart *m_breakdown, *m_variance;
    QWidget* m_below; ///< breakdown, variance and memory
    MemoryChart* m_memory;
    InsightSlot<Timeline> m_step{QStringLiteral("timeline")};
    InsightSlot<Timeline> m_medianStep{QStringLiteral("timeline of the median")};
    InsightSlot<VarianceShare> m_shares{QStringLiteral("variance shares")};
    ResultToken m_shown, m_shownMedian;
};

} // namespace prism::ui
