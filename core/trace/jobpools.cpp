// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/jobpools.h"

#include <boost/math/distributions/binomial.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <map>

namespace prism {

std::vector<DurationPool> durationPools(const RegularJob& job, const ComputeFactors& factors)
{
    const auto stages = static_cast<std::size_t>(job.job->stages);
    const auto replicas = static_cast<std::size_t>(job.job->replicas);
    std::map<std::string, std::vector<double>> pools;
    for (std::size_t l = 0; l < job.slots.size(); ++l) {
        const OperationSlot& slot = job.slots[l];
        const std::string place = std::string(traceOpName(slot.type)) + ", stage " + std::to_string(slot.stage);
        const bool hasChunks = isCompute(slot.type) && job.job->chunks > 1;
        std::vector<double>& durations = pools[place + (hasChunks ? ", chunk " + std::to_string(slot.chunk) : "")];
        std::vector<double>& gaps = pools["gap before " + place];
        for (std::size_t r = 0; r < replicas; ++r) {
            const std::size_t at = r * job.slots.size() + l;
            const double worker =
                isCompute(slot.type) ? factors.ofWorker(slot.type, r * stages + static_cast<std::size_t>(slot.stage)) : 1.0;
            for (const RegularStep& step : job.steps) {
                durations.push_back(std::max(0.0, step.seconds[at]) / worker);
                gaps.push_back(std::max(0.0, step.gaps[at]));
            }
        }
    }
    std::vector<DurationPool> fitted;
    for (auto& [signature, seconds] : pools)
        fitted.push_back(fittedPool(signature, std::move(seconds)));
    sortByTotal(fitted);
    return fitted;
}

std::string unseenText(int seen, int slow, int whole)
{
    if (seen <= 0 || whole <= seen)
        return {};
    const double bound = boost::math::binomial_distribution<>::find_upper_bound_on_p(seen, std::min(slow, seen), 0.05);
    return fmt::format("{} of {} workers are recorded and stand for the others at their place of the layout; {} of them {} slow, so up to "
                       "{:.0f} % of the others could be (95 %), and one is enough to slow every step",
                       seen, whole, slow == 0 ? "none" : std::to_string(slow), slow == 1 || slow == 0 ? "is" : "are", 100 * bound);
}

} // namespace prism
