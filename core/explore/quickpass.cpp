// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explore/quickpass.h"

#include <algorithm>

namespace prism {
namespace {

/// What speaks against a configuration before its memory is known.
std::vector<std::string> reasonsOf(const Scenario& s, const SearchConstraints& constraints, const Diagnostics& errors)
{
    std::vector<std::string> reasons;
    for (const Diagnostic& d : errors)
        if (d.severity == Severity::error)
            reasons.push_back(d.path + ": " + d.message);
    if (constraints.maxGpus > 0 && s.cluster.numGpus > constraints.maxGpus)
        reasons.emplace_back("constraint: more GPUs than allowed");
    if (constraints.tensorInsideNode && s.parallelism.tensorModelParallelSize > s.cluster.gpusPerNode)
        reasons.emplace_back("constraint: tensor parallelism leaves the node");
    std::sort(reasons.begin(), reasons.end());
    reasons.erase(std::unique(reasons.begin(), reasons.end()), reasons.end());
    return reasons;
}

void count(QuickPart& part, std::int64_t index, std::vector<std::string> reasons, bool list)
{
    std::vector<ReasonCount> counts;
    for (const std::string& reason : reasons)
        counts.push_back({reason, 1, reasons.size() == 1 ? 1 : 0, index});
    addReasons(part.reasons, counts);
    if (list)
        part.rejected.push_back({index, std::move(reasons)});
}

} // namespace

void addReasons(std::vector<ReasonCount>& to, const std::vector<ReasonCount>& other)
{
    for (const ReasonCount& r : other) {
        const auto at =
            std::lower_bound(to.begin(), to.end(), r.reason, [](const ReasonCount& a, const std::string& b) { return a.reason < b; });
        if (at == to.end() || at->reason != r.reason) {
            to.insert(at, r);
            continue;
        }
        at->count += r.count;
        at->alone += r.alone;
        at->first = std::min(at->first, r.first);
    }
}

QuickPart quickPart(const QuickInputs& in, QuickCoster& coster, std::int64_t part)
{
    QuickPart out;
    const SearchConstraints& constraints = in.query.constraints;
    const std::int64_t end = std::min(in.points.size(), (part + 1) * kPointsPerPart);
    for (std::int64_t i = part * kPointsPerPart; i < end; ++i) {
        ++out.points;
        const std::int64_t index = in.points.at(i);
        const Scenario scenario = in.maker.at(index);
        const Result<QuickStep> quick = coster.step(scenario);
        std::vector<std::string> reasons = reasonsOf(scenario, constraints, quick.errors());
        out.valid += quick.ok() ? 1 : 0;
        if (quick.ok() && (!quick->fits || quick->peakGib + constraints.memoryMarginGib > quick->capacityGib))
            reasons.emplace_back(kDoesNotFit);
        if (reasons.empty())
            out.fitting.push_back({index, quick->noiseFreeSeconds, quick->peakGib, quick->capacityGib, quick->tokensPerStep, quick->bound});
        else
            count(out, index, std::move(reasons), in.query.listRejected);
    }
    return out;
}

} // namespace prism
