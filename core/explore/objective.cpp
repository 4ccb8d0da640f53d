// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explore/objective.h"

#include "core/base/diagnostictext.h"
#include "core/base/text.h"
#include "core/base/timeunits.h"
#include "core/job/jobdefaults.h"
#include "core/scenario/quantity.h"

#include <algorithm>
#include <array>
#include <utility>

namespace prism {
namespace {

using Metric = ExploreObjective::Metric;
using Per = ExploreObjective::Per;

constexpr double kMillion = 1e6;
constexpr std::array<std::pair<const char*, Metric>, 4> kMetrics = {
    {{"mean", Metric::mean}, {"p50", Metric::p50}, {"p95", Metric::p95}, {"p99", Metric::p99}}};
constexpr std::array<std::pair<const char*, Per>, 3> kPers = {{{"cost_", Per::dollar}, {"energy_", Per::energy}, {"", Per::time}}};

Diagnostic unknownObjective(const std::string& text)
{
    std::vector<std::string> names{"tokens_per_s", "tokens_per_usd"};
    for (const auto& [prefix, per] : kPers)
        for (const auto& [name, metric] : kMetrics)
            names.push_back(std::string(prefix) + name);
    if (text.find(':') == std::string::npos) {
        Diagnostic unknown = unknownName("objective", "objective", text, names);
        unknown.accepted += ", over:TIME or deadline:DAYS";
        return unknown;
    }
    return errorAt("objective", "The limit of the objective cannot be read.", text.substr(0, 40),
                   "over:TIME, such as over:4.0s, or deadline:DAYS");
}

} // namespace

Result<ExploreObjective> exploreObjective(const std::string& text)
{
    if (text == "tokens_per_s")
        return ExploreObjective{Metric::p50, Per::time, 0};
    if (text == "tokens_per_usd")
        return ExploreObjective{Metric::p50, Per::dollar, 0};
    const std::size_t colon = text.find(':');
    const std::string_view kind = std::string_view(text).substr(0, colon);
    if (colon != std::string::npos && (kind == "over" || kind == "deadline")) {
        const std::string_view limit = std::string_view(text).substr(colon + 1);
        const Result<double> value = quantityFromText(limit, kind == "over" ? "s" : "", false);
        if (!value.ok() || !(*value > 0))
            return unknownObjective(text);
        return ExploreObjective{kind == "over" ? Metric::exceedance : Metric::lateness, Per::time, *value};
    }
    for (const auto& [prefix, per] : kPers)
        for (const auto& [name, metric] : kMetrics)
            if (text == std::string(prefix) + name)
                return ExploreObjective{metric, per, 0};
    return unknownObjective(text);
}

std::string objectiveText(const ExploreObjective& o)
{
    if (o.isProbability())
        return (o.metric == Metric::exceedance ? "over:" : "deadline:") + numberText(o.limit);
    std::string text;
    for (const auto& [prefix, per] : kPers)
        text += per == o.per ? prefix : "";
    for (const auto& [name, metric] : kMetrics)
        text += metric == o.metric ? name : "";
    return text;
}

std::string objectiveUnit(const ExploreObjective& o)
{
    if (o.isProbability())
        return o.metric == Metric::exceedance ? "chance of a longer step" : "chance of a late job";
    return o.per == Per::time ? "s per million tokens" : o.per == Per::dollar ? "USD per million tokens" : "kWh per million tokens";
}

double gpuKilowatts(const Scenario& s)
{
    return nodeKilowatts(s) * facilityShare(s) / std::max(1, s.cluster.gpusPerNode);
}

double perMillionTokens(Per per, double seconds, double tokensPerStep, const Scenario& s)
{
    const double time = seconds / tokensPerStep * kMillion;
    const double gpuHours = time / kSecondsPerHour * static_cast<double>(s.cluster.numGpus);
    return per == Per::time ? time : per == Per::dollar ? gpuHours * s.cluster.gpuHourPriceUsd : gpuHours * gpuKilowatts(s);
}

} // namespace prism
