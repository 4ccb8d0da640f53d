// SPDX-License-Identifier: GPL-3.0-or-later
// Caches the compared metrics of pairs of snapshots and their shares beyond a limit: a repaint must not find them again.
#pragma once

#include "core/engine/evaluator.h"
#include "core/insight/compare/changes.h"
#include "core/stats/intervals.h"

#include <QString>
#include <list>

namespace prism::ui {

/// The limits in force, seconds; 0 = none. With a lower one P between the two is requested, else P beyond the upper one.
struct StepLimits {
    double lower = 0, upper = 0;
    [[nodiscard]] bool between() const { return lower > 0 && upper > lower; }
    bool operator==(const StepLimits&) const = default;
};

/// P(lower < step <= upper), or P(step > upper) without a lower limit.
/// The interval includes the error common to all samples, as those of the percentiles do. Half a millisecond: `ChangesCache` keeps them.
[[nodiscard]] Estimate shareAt(const Snapshot& snapshot, bool within, const StepLimits& limits);
/// "P(step > 9.30 s)", "P(9.10 s < step ≤ 9.30 s)".
[[nodiscard]] QString shareName(const StepLimits& limits);

/// GUI thread only. A few milliseconds for a new pair, nothing for a known one.
class ChangesCache final {
public:
    [[nodiscard]] const HeadlineChanges& changes(const SnapshotPtr& baseline, const SnapshotPtr& scenario, bool within);
    /// As `shareAt`.
    [[nodiscard]] Estimate share(const SnapshotPtr& snapshot, bool within, const StepLimits& limits);

private:
    struct Entry {
        SnapshotPtr baseline, scenario;
        bool within = false;
        HeadlineChanges changes;
    };
    struct Share {
        SnapshotPtr snapshot;
        bool within = false;
        StepLimits limits;
        Estimate estimate;
    };
    std::list<Entry> m_entries; ///< latest use first
    std::list<Share> m_shares;  ///< the same
};

} // namespace prism::ui
