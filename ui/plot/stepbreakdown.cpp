// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/stepbreakdown.h"

#include "core/cost/communication.h"
#include "core/step/breakdown.h"
#include "ui/look/format.h"

#include <algorithm>

namespace prism::ui {

namespace {

constexpr std::size_t kMaxBars = 16; // rows that can be read at 1,280 × 720

WaterfallRow rowOf(const QString& label, double value, bool isFirst)
{
    WaterfallRow row;
    row.label = label;
    row.value = value;
    row.kind = isFirst ? WaterfallRow::Kind::first : WaterfallRow::Kind::step;
    return row;
}

} // namespace

StepParts stepBreakdown(const CostedStep& costed, double noiseFreeSeconds)
{
    const Communication communication = communicationOf(costed.graph, noiseFreeSeconds);
    const auto hidden = [&](const BreakdownPart& part, int stage) {
        return part.isCommunication ? communication.hidden[static_cast<std::size_t>(stage)][static_cast<std::size_t>(*part.category)] : 0.0;
    };
    const double all = costed.breakdown.sum();
    const format::TimeUnit unit = format::timeUnit(all);
    StepParts out;
    out.step.axisTitle = unit.name;
    out.step.perUnit = unit.perSecond;
    out.step.noteTitle = QObject::tr("% of the step");
    for (const StageRange& range : similarStages(costed.stages, kMaxBars)) {
        double overlapped = 0;
        for (const BreakdownPart& part : kBreakdownParts)
            overlapped += hidden(part, range.first);
        const QString last = QString::number(range.last);
        out.stages.push_back({range.first == range.last ? QObject::tr("Stage %1").arg(last)
                                                        : QObject::tr("Stages %1–%2").arg(QString::number(range.first), last),
                              QObject::tr("%1 hidden").arg(format::seconds(overlapped).text()), range.first});
    }
    std::vector<BreakdownPart> parts(kBreakdownParts.begin(), kBreakdownParts.end());
    std::ranges::stable_partition(parts, [](const BreakdownPart& part) { return !part.isWaiting; });
    for (const BreakdownPart& part : parts) {
        const double seconds = costed.breakdown.*part.seconds;
        const auto exposed = [&](const ThinBar& bar) { return costed.stages[static_cast<std::size_t>(bar.id)].*part.seconds; };
        const auto runs = [&](const ThinBar& bar) { return exposed(bar) + hidden(part, bar.id) > 0; };
        if (!(seconds > 0) && std::ranges::none_of(out.stages, runs))
            continue;
        WaterfallRow row = rowOf(QString::fromUtf8(part.label), seconds, out.step.rows.empty());
        row.metric = format::seconds(seconds).text();
        row.note = format::number(100 * seconds / all, 2);
        row.grouped = part.isWaiting;
        if (part.category)
            row.id = QString::fromStdString(communication.longestClass[static_cast<std::size_t>(*part.category)]);
        if (part.isCommunication)
            row.detail = QObject::tr("exposed; %1 more hides behind compute on the busiest stage")
                             .arg(format::seconds(hidden(part, communication.stage)).text());
        out.step.rows.push_back(std::move(row));
        for (ThinBar& bar : out.stages) {
            bar.values.push_back(exposed(bar));
            bar.overlapped.push_back(hidden(part, bar.id));
        }
    }
    return out;
}

WaterfallData varianceShares(const VarianceShare& v)
{
    struct Cause {
        QString label;
        double share, halfWidth;
        const char* id;
    };
    const Cause causes[] = {{QObject::tr("GPU to GPU"), v.spatial, v.ciSpatial, "spatial"},
                            {QObject::tr("Kernel to kernel"), v.temporal, v.ciTemporal, ""},
                            {QObject::tr("Network regime"), v.regime, v.ciRegime, "regime.inter_node"},
                            {QObject::tr("Micro-batch"), v.data, v.ciData, "data"},
                            {QObject::tr("Rare events"), v.rare, v.ciRare, ""},
                            {QObject::tr("Step jitter"), v.jitter, v.ciJitter, "step_jitter"},
                            {QObject::tr("Stalls"), v.stall, v.ciStall, "stalls"},
                            {QObject::tr("Interaction"), v.interaction, 0, ""}};
    WaterfallData data;
    data.axisTitle = data.metricTitle = QStringLiteral("%");
    data.perUnit = 100;
    for (const Cause& cause : causes) {
        if (cause.share == 0)
            continue;
        WaterfallRow row = rowOf(cause.label, cause.share, data.rows.empty());
        row.id = QString::fromLatin1(cause.id);
        row.metric = format::fixed(100 * cause.share, 1);
        if (cause.halfWidth > 0)
            row.metric += QStringLiteral(" ± ") + format::fixed(100 * cause.halfWidth, 1);
        data.rows.push_back(std::move(row));
    }
    return data;
}

} // namespace prism::ui
