// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/stepshare.h"

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

} // namespace prism::ui
