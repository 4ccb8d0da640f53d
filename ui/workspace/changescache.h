// SPDX-License-Identifier: GPL-3.0-or-later
// Caches the compared metrics of pairs of snapshots and their shares beyond a limit: a repaint must not find them again.
#pragma once

#include "core/insight/compare/changes.h"
#include "ui/workspace/stepshare.h"

#include <list>

namespace prism::ui {

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
