// SPDX-License-Identifier: GPL-3.0-or-later
// Which scenarios a typed filter shows: by words of name and note, by parameters and by results.
#pragma once

#include "ui/workspace/context.h"
#include "ui/model/studystate.h"

#include <QString>

#include <functional>
#include <vector>

namespace prism::ui {

/// "h100", "p95 < 7 s", "tp = 8 and fits", "mfu > 40 %": conditions joined with "and", "," or ";". Figures: p5, p50, p95, p99, mean, mfu,
/// tokens, memory, days, cost; parameters by short name or id; "fits", "does not fit", "visible". Comparisons: < <= > >= = !=. Anything
/// else is words that name or note hold. Never changes a result. GUI thread.
class ScenarioFilter final {
public:
    ScenarioFilter() = default;
    explicit ScenarioFilter(const QString& text);

    [[nodiscard]] bool isEmpty() const { return m_conditions.empty(); }
    /// A scenario without a result matches no condition on results.
    [[nodiscard]] bool matches(const ScenarioEntry& entry, const SnapshotPtr& snapshot) const;

private:
    using Condition = std::function<bool(const ScenarioEntry&, const SnapshotPtr&)>;
    [[nodiscard]] static Condition conditionOf(const QString& text);

    std::vector<Condition> m_conditions;
};

} // namespace prism::ui
