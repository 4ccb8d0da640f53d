// SPDX-License-Identifier: GPL-3.0-or-later
// What a job takes, figure by figure, and what was assumed with the origin of each value.
#pragma once

#include "core/job/jobsection.h"
#include "ui/theme/theme.h"

#include <QFrame>

class QGridLayout;
class QLabel;
class QVBoxLayout;

namespace prism::ui {

/// One figure of a job.
struct JobFact {
    QString name, number, unit, note;
};
/// Failures, restart, spares, cost, energy and emissions of a job; what is not known is left out.
[[nodiscard]] QList<JobFact> jobFacts(const JobReport& job);

/// GUI thread only.
class FactsCard final : public QFrame {
    Q_OBJECT
public:
    explicit FactsCard(const Theme& theme, QWidget* parent = nullptr);
    void setFacts(const QList<JobFact>& facts);
    void setAssumptions(const std::vector<JobAssumption>& assumptions);
    [[nodiscard]] int factCount() const { return m_factCount; }
    [[nodiscard]] int assumptionCount() const { return m_assumptionCount; }

private:
    const Theme& m_theme;
    QGridLayout* m_facts;
    QGridLayout* m_assumptions;
    int m_factCount = 0, m_assumptionCount = 0;
};

} // namespace prism::ui
