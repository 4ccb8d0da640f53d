// SPDX-License-Identifier: GPL-3.0-or-later
// Time, cost and losses of a job, value by value, and the assumptions with the source of each value.
#pragma once

#include "core/job/jobsection.h"
#include "ui/theme/theme.h"

#include <QFrame>

class QGridLayout;
class QLabel;
class QVBoxLayout;

namespace prism::ui {

/// One value of a job.
struct JobFact {
    QString name, number, unit, note;
    bool operator==(const JobFact&) const = default;
};
/// Failures, restart, spares, cost, energy and emissions of a job; what is not known is omitted.
[[nodiscard]] QList<JobFact> jobFacts(const JobReport& job);

/// GUI thread only.
class FactsCard final : public QFrame {
    Q_OBJECT
public:
    explicit FactsCard(const Theme& theme, QWidget* parent = nullptr);
    /// Without a change it does nothing; other texts in as many rows reuse their labels.
    void setFacts(const QList<JobFact>& facts);
    void setAssumptions(const std::vector<JobAssumption>& assumptions);
    [[nodiscard]] int factCount() const { return static_cast<int>(m_shownFacts.size()); }
    [[nodiscard]] int assumptionCount() const { return static_cast<int>(m_shownAssumptions.size()); }

private:
    const Theme& m_theme;
    QGridLayout* m_facts;
    QGridLayout* m_assumptions;
    QList<JobFact> m_shownFacts;
    std::vector<JobAssumption> m_shownAssumptions;
};

} // namespace prism::ui
