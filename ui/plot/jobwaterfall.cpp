// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/jobwaterfall.h"

#include "ui/look/dates.h"
#include "ui/look/format.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

/// The cause of a loss, in few words.
QString detailOf(const JobLoss& loss, const JobReport& job, double noiseFree)
{
    QString failures = QObject::tr("%1 failures").arg(format::count(std::llround(job.failuresP50)));
    if (loss.id == "noise_free")
        return u"%1 × %2"_s.arg(format::count(std::llround(job.plan.steps)), format::seconds(noiseFree).text());
    if (loss.id == "step_noise")
        return QObject::tr("mean step %1").arg(format::seconds(job.plan.stepSeconds).text());
    if (loss.id == "checkpoint")
        return QObject::tr("%1 every %2").arg(format::span(job.config.checkpointBlockS), format::span(job.checkpoints.usedSeconds));
    if (loss.id == "rework")
        return failures;
    if (loss.id == "detection")
        return u"%1 × %2"_s.arg(failures, format::span(job.config.detectionS));
    if (loss.id == "restart")
        return QObject::tr("%1 stops × %2").arg(format::count(std::llround(job.interruptionsMean)), format::span(job.config.restartS));
    if (loss.id == "evaluation")
        return QObject::tr("%1 every %2 steps")
            .arg(format::span(job.config.evaluationS), format::number(job.config.evaluationIntervalSteps));
    if (loss.id == "maintenance")
        return QObject::tr("every %1 days").arg(format::number(job.config.maintenanceEveryDays, 2));
    if (loss.id == "slow_episodes")
        return QObject::tr("%1 × slower").arg(format::number(job.config.slowFactor));
    return {};
}

WaterfallRow totalOf(const JobReport& job, double days)
{
    WaterfallRow total;
    total.id = u"total"_s;
    total.label = QObject::tr("Total");
    total.detail = QObject::tr("mean; nine of ten runs between the ends");
    total.value = job.meanDays;
    total.kind = WaterfallRow::Kind::total;
    total.metric = format::fixed(days, 1);
    total.interval = QObject::tr("%1 to %2").arg(format::number(job.p5Days), format::number(job.p95Days.value));
    total.note = u"100"_s;
    total.whiskerLow = job.p5Days;
    total.whiskerHigh = job.p95Days.value;
    return total;
}

} // namespace

std::vector<double> roundedToSum(const std::vector<double>& values, double unit)
{
    std::vector<double> whole(values.size());
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), 0);
    double sum = 0, kept = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        sum += values[i];
        whole[i] = std::floor(values[i] / unit);
        kept += whole[i];
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return values[a] / unit - whole[a] > values[b] / unit - whole[b]; });
    const auto missing = static_cast<std::size_t>(std::max(0.0, std::round(sum / unit) - kept));
    for (std::size_t i = 0; i < std::min(missing, order.size()); ++i)
        whole[order[i]] += 1;
    for (double& w : whole)
        w *= unit;
    return whole;
}

WaterfallData jobWaterfall(const JobReport& job, double noiseFreeStepSeconds, int series)
{
    constexpr double kTenth = 0.1;
    WaterfallData data;
    data.series = series;
    data.axisTitle = QObject::tr("days");
    data.metricTitle = QObject::tr("Days");
    data.noteTitle = QObject::tr("Share, %");
    data.groupLabel = QObject::tr("failures");
    const std::vector<JobLoss> losses = jobLosses(job, noiseFreeStepSeconds);
    std::vector<double> days;
    for (const JobLoss& loss : losses)
        days.push_back(loss.days);
    const std::vector<double> rounded = roundedToSum(days, kTenth);
    double total = 0, group = 0;
    for (std::size_t i = 0; i < losses.size(); ++i) {
        const JobLoss& loss = losses[i];
        if (i > 0 && rounded[i] == 0 && loss.days < kTenth / 2)
            continue; // rounds to 0 in the rows' unit
        total += rounded[i];
        group += loss.ofFailures ? rounded[i] : 0;
        WaterfallRow row;
        row.id = QString::fromStdString(loss.id);
        row.label = QString::fromStdString(loss.label);
        row.detail = detailOf(loss, job, noiseFreeStepSeconds);
        row.value = loss.days;
        row.kind = i == 0 ? WaterfallRow::Kind::first : WaterfallRow::Kind::step;
        row.metric = i == 0 ? format::fixed(rounded[i], 1) : u"+"_s + format::fixed(rounded[i], 1);
        row.interval = i > 0 && loss.halfWidth >= kTenth / 2 ? format::plainInterval(loss.halfWidth) : QString();
        row.note = format::fixed(100 * loss.share, 1);
        row.grouped = loss.ofFailures;
        data.rows.push_back(row);
    }
    data.rows.push_back(totalOf(job, total));
    if (group > 0)
        data.groupMetric = QObject::tr("+%1 days").arg(format::fixed(group, 1));
    return data;
}

} // namespace prism::ui
