// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/changescache.h"

#include "core/insight/empirical.h"
#include "ui/look/format.h"

#include <QObject>

namespace prism::ui {

Estimate shareAt(const Snapshot& snapshot, bool within, const StepLimits& limits)
{
    if (!snapshot.samples)
        return {};
    const RunMetrics run = within ? RunMetrics::within(*snapshot.samples, snapshot.sortedWithinSeconds)
                                  : RunMetrics::across(*snapshot.samples, snapshot.sortedAcrossSeconds);
    return limits.between() ? run.between(limits.lower, limits.upper) : run.exceedance(limits.upper);
}

QString shareName(const StepLimits& limits)
{
    const QString upper = format::seconds(limits.upper).text();
    return limits.between() ? QObject::tr("P(%1 < step ≤ %2)").arg(format::seconds(limits.lower).text(), upper)
                            : QObject::tr("P(step > %1)").arg(upper);
}

namespace {
constexpr std::size_t kEntries = 24;
}

const HeadlineChanges& ChangesCache::changes(const SnapshotPtr& baseline, const SnapshotPtr& scenario, bool within)
{
    for (auto it = m_entries.begin(); it != m_entries.end(); ++it)
        if (it->baseline == baseline && it->scenario == scenario && it->within == within) {
            m_entries.splice(m_entries.begin(), m_entries, it);
            return m_entries.front().changes;
        }
    m_entries.push_front({baseline, scenario, within, headlineChanges(*baseline, *scenario, within)});
    if (m_entries.size() > kEntries)
        m_entries.pop_back();
    return m_entries.front().changes;
}

Estimate ChangesCache::share(const SnapshotPtr& snapshot, bool within, const StepLimits& limits)
{
    for (auto it = m_shares.begin(); it != m_shares.end(); ++it)
        if (it->snapshot == snapshot && it->within == within && it->limits == limits) {
            m_shares.splice(m_shares.begin(), m_shares, it);
            return it->estimate;
        }
    m_shares.push_front({snapshot, within, limits, shareAt(*snapshot, within, limits)});
    if (m_shares.size() > kEntries)
        m_shares.pop_back();
    return m_shares.front().estimate;
}

} // namespace prism::ui
