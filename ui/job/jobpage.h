// SPDX-License-Identifier: GPL-3.0-or-later
// Job: end date of the training run, loss of days by cause, checkpoint interval, cost, and the source of each input.
#pragma once

#include "core/job/jobsection.h"
#include "ui/pages/insightpage.h"
#include "ui/plot/enddates.h"
#include "ui/plot/intervalchart.h"
#include "ui/plot/stackedbar.h"

class QLineEdit;
class QPushButton;

namespace prism::ui {

class FactsCard;
class SegmentedControl;

/// GUI thread only.
class JobPage final : public InsightPage {
    Q_OBJECT
public:
    explicit JobPage(const Theme& theme, QWidget* parent = nullptr);

    [[nodiscard]] QString id() const override { return QStringLiteral("job"); }
    [[nodiscard]] QString title() const override { return tr("Job"); }
    [[nodiscard]] QString answer() const override;
    [[nodiscard]] QString group() const override { return tr("Decide"); }
    [[nodiscard]] TableData asTable() const override;
    [[nodiscard]] QJsonObject saveState() const override;
    void restoreState(const QJsonObject& state) override;

    [[nodiscard]] EndDateChart& ends() { return *m_ends; }
    [[nodiscard]] StackedBarChart& losses() { return *m_losses; }
    [[nodiscard]] IntervalChart& intervals() { return *m_intervals; }
    [[nodiscard]] QPushButton& useBest() { return *m_useBest; }
    [[nodiscard]] QLineEdit& startField() { return *m_start; }
    [[nodiscard]] QLineEdit& deadlineField() { return *m_deadline; }
    [[nodiscard]] FactsCard& facts() { return *m_facts; }
    [[nodiscard]] const JobReport* report() const { return m_job.value(); }

protected:
    void contextChanged() override;

private:
    void buildTools();
    void refresh() override;
    void statesShown() override;
    void refreshEnds();
    void refreshFields();
    void refreshIntervals();
    /// Sets parameters of the job section; one undo step. A section that was assumed becomes the scenario's own.
    void set(const std::vector<std::pair<std::string, std::string>>& settings, const QString& undoText);
    void typeDeadline();
    [[nodiscard]] bool isEndless() const; ///< no number of tokens is given: nothing failed, there is nothing to compute yet
    [[nodiscard]] Presented presented(PlotBase& chart, const QString& nothing = {}) const;
    [[nodiscard]] double deadlineDays() const; ///< while it is dragged, where it is

    SegmentedControl* m_mode;
    QLineEdit *m_start, *m_deadline;
    EndDateChart* m_ends;
    StackedBarChart* m_losses;
    IntervalChart* m_intervals;
    QPushButton* m_useBest;
    FactsCard* m_facts;
    double m_dragged = 0; ///< days; 0 = not being dragged
    InsightSlot<JobReport> m_job{QStringLiteral("job")};
};

} // namespace prism::ui
