// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/tracejob.h"

#include <algorithm>
#include <limits>

namespace prism {

namespace {

constexpr std::array<std::string_view, kTraceOps> kNames = {"forward-compute",
                                                            "backward-compute",
                                                            "forward-send",
                                                            "forward-recv",
                                                            "backward-send",
                                                            "backward-recv",
                                                            "params-all-gather",
                                                            "grads-reduce-scatter",
                                                            "separate-grads-all-reduce",
                                                            "embedding-grads-all-reduce",
                                                            "layernorm-grads-all-reduce",
                                                            "optimizer-clip-main-grad",
                                                            "optimizer",
                                                            "gc"};

} // namespace

std::string_view traceOpName(TraceOp op)
{
    return kNames[static_cast<std::size_t>(op)];
}

std::optional<TraceOp> traceOpFromName(std::string_view name)
{
    const auto at = std::find(kNames.begin(), kNames.end(), name);
    if (at == kNames.end())
        return std::nullopt;
    return static_cast<TraceOp>(at - kNames.begin());
}

double TraceStep::begin() const
{
    double first = operations.empty() ? 0.0 : std::numeric_limits<double>::infinity();
    for (const TraceOperation& o : operations)
        first = std::min(first, o.start);
    return first;
}

double TraceStep::seconds() const
{
    double last = begin();
    for (const TraceOperation& o : operations)
        last = std::max(last, o.end());
    return last - begin();
}

std::vector<double> TraceJob::stepSeconds() const
{
    std::vector<double> seconds;
    seconds.reserve(steps.size());
    for (const TraceStep& step : steps)
        seconds.push_back(step.seconds());
    return seconds;
}

} // namespace prism
