// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/distributiondata.h"

#include "core/engine/verdict.h"
#include "core/insight/empirical.h"
#include "ui/look/change.h"
#include "ui/look/textruns.h"

#include <cmath>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

constexpr int kCurvePercents[] = {1, 10, 20, 25, 30, 40, 60, 70, 75, 80, 90}; // in addition to p5, p50, p95 and p99

QString digits(double value)
{
    return std::isfinite(value) ? QString::number(value, 'g', 17) : QString();
}

QString lineOf(const QString& name, const Estimate& value, const HeadlineChange* change)
{
    const QString metric = name + u' ' + format::seconds(value.value).text();
    if (!change)
        return metric + u' ' + format::intervalNextTo(value.value, value.halfWidth);
    if (!change->delta.significant())
        return metric + u", "_s + format::noDifference();
    return metric
           + u" (%1, %2 %3)"_s.arg(format::percentChange(change->relative), format::timeChange(change->delta),
                                   format::intervalNextTo(change->delta.value, change->delta.halfWidth));
}

} // namespace

QString outsideCalibration(const Snapshot& snapshot)
{
    QStringList sentences;
    for (const Caveat& caveat : verdictOf(snapshot).caveats)
        if (caveat.kind == Caveat::Kind::outsideCalibration)
            sentences << format::sentence(QString::fromStdString(caveat.sentence));
    return sentences.join(u"; "_s);
}

bool isCompared(const SnapshotPtr& baseline, const SnapshotPtr& snapshot)
{
    return baseline && snapshot && baseline != snapshot && baseline->hash != snapshot->hash;
}

bool hasEqualTokens(const Snapshot& a, const Snapshot& b)
{
    return !a.costed || !b.costed || a.costed->tokensPerStep == b.costed->tokensPerStep;
}

QStringList metricLines(const SnapshotPtr& snapshot, const SnapshotPtr& baseline, ChangesCache& cache, const StepLimits& limits)
{
    if (!snapshot)
        return {};
    const DistributionSummary& d = snapshot->across;
    const HeadlineChanges* c = isCompared(baseline, snapshot) ? &cache.changes(baseline, snapshot, false) : nullptr;
    QStringList lines{lineOf(u"p50"_s, {d.p50, d.ciP50}, c ? &c->p50 : nullptr), lineOf(u"p95"_s, {d.p95, d.ciP95}, c ? &c->p95 : nullptr),
                      lineOf(u"p99"_s, {d.p99, d.ciP99}, c ? &c->p99 : nullptr)};
    if (limits.upper > 0) {
        const Estimate share = cache.share(snapshot, false, limits);
        lines << shareName(limits) + u' ' + plainText(shareRuns(share.value, share.halfWidth));
    }
    if (c && !hasEqualTokens(*baseline, *snapshot))
        lines << QObject::tr("Changes are per step, of different tokens.");
    if (c && c->paired)
        lines << QObject::tr("P(faster) %1").arg(plainText(shareRuns(c->probabilityFaster.value, c->probabilityFaster.halfWidth)));
    return lines;
}

TableData distributionTable(const PageContext& context, ChangesCache& cache, const StepLimits& limits, bool within)
{
    TableData t;
    t.header = u"scenario samples seed mean_s p5_s"_s.split(u' ');
    for (const char* percent : {"p50", "p95", "p99"})
        for (const char* part : {"%1_s", "%1_half_width_s", "%1_change_s", "%1_change_half_width_s"})
            t.header << QString::fromLatin1(part).arg(QLatin1String(percent));
    t.header << u"limit_s p_step_over_limit p_faster_than_baseline noise_free_s"_s.split(u' ');
    for (const int percent : kCurvePercents) // the curve itself
        t.header << u"p%1_s"_s.arg(percent);
    t.header << u"outside_calibration"_s;
    if (limits.between())
        t.header << u"lower_limit_s"_s << u"p_step_between_limits"_s;
    t.names = {0};
    const ShownScenario* pinned = context.baseline();
    for (const ShownScenario& s : context.scenarios) {
        if (!s.snapshot)
            continue;
        const DistributionSummary& d = within ? s.snapshot->within : s.snapshot->across;
        const auto& sorted = within ? s.snapshot->sortedWithinSeconds : s.snapshot->sortedAcrossSeconds;
        const HeadlineChanges* c =
            pinned && pinned->snapshot && !s.isBaseline ? &cache.changes(pinned->snapshot, s.snapshot, within) : nullptr;
        QStringList row{s.name, QString::number(d.samples), QString::number(s.snapshot->seed), digits(d.mean), digits(d.p5)};
        const auto percentile = [&](double value, double halfWidth, const HeadlineChange* change) {
            row << digits(value) << digits(halfWidth) << (change ? digits(change->delta.value) : QString())
                << (change ? digits(change->delta.halfWidth) : QString());
        };
        percentile(d.p50, d.ciP50, c ? &c->p50 : nullptr);
        percentile(d.p95, d.ciP95, c ? &c->p95 : nullptr);
        percentile(d.p99, d.ciP99, c ? &c->p99 : nullptr);
        row << (limits.upper > 0 ? digits(limits.upper) : QString())
            << (limits.upper > 0 ? digits(exceedance(sorted, limits.upper).value) : QString())
            << (c && c->paired ? digits(c->probabilityFaster.value) : QString())
            << (s.snapshot->samples ? digits(s.snapshot->samples->noiseFreeSeconds) : QString());
        for (const int percent : kCurvePercents)
            row << (sorted.empty() ? QString() : digits(quantileOfSorted(sorted, percent / 100.0)));
        row << outsideCalibration(*s.snapshot);
        if (limits.between())
            row << digits(limits.lower) << digits(cache.share(s.snapshot, within, limits).value);
        t.rows << row;
    }
    return t;
}

} // namespace prism::ui
