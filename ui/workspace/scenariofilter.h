// SPDX-License-Identifier: GPL-3.0-or-later
// Selects scenarios by a typed filter: by words of name and note, by parameters and by results.
#pragma once

#include "ui/workspace/context.h"
#include "ui/model/studystate.h"

#include <QString>

#include <functional>
#include <vector>

namespace prism::ui {

/// "h100", "p95 < 7 s", "tp = 8 and fits", "mfu > 40 %": conditions joined with "and", "," or ";". Metrics: p5, p50, p95, p99, mean, mfu,
/// tokens, memory, days, cost; parameters by short name or id; "fits", "does not fit", "visible". Comparisons: < <= > >= = !=. Anything
/// else is words that name or note hold. A condition with an unknown name or an unreadable value is a problem and matches nothing. Never
/// changes a result. GUI thread.
class ScenarioFilter final {
public:
    ScenarioFilter() = default;
    explicit ScenarioFilter(const QString& text);

    [[nodiscard]] bool isEmpty() const { return m_conditions.empty(); }
    [[nodiscard]] QString problem() const { return m_problem; } ///< of the first unreadable condition; empty = none
    /// A scenario without a result matches no condition on results.
    [[nodiscard]] bool matches(const ScenarioEntry& entry, const SnapshotPtr& snapshot) const;

private:
    using Condition = std::function<bool(const ScenarioEntry&, const SnapshotPtr&)>;
    [[nodiscard]] Condition conditionOf(const QString& text);
    [[nodiscard]] Condition comparison(const QString& name, const QString& how, const QString& typed);
    [[nodiscard]] Condition rejected(const QString& problem);

    std::vector<Condition> m_conditions;
    QString m_problem;
};

} // namespace prism::ui
