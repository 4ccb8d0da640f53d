// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps the compared figures of pairs of snapshots: a repaint must not compare again.
#pragma once

#include "core/insight/compare/changes.h"

#include <list>

namespace prism::ui {

/// GUI thread only. A few milliseconds for a new pair, nothing for a known one.
class ChangesCache final {
public:
    [[nodiscard]] const HeadlineChanges& changes(const SnapshotPtr& baseline, const SnapshotPtr& scenario, bool within);

private:
    struct Entry {
        SnapshotPtr baseline, scenario;
        bool within = false;
        HeadlineChanges changes;
    };
    std::list<Entry> m_entries; ///< latest use first
};

} // namespace prism::ui
