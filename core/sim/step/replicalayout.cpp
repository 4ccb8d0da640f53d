// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/step/replicalayout.h"

#include "core/stats/moments.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace prism {

namespace {

/// Beyond those, the ones that stand apart from the median by more than this many robust standard deviations, up to a bound.
constexpr double kApart = 3.5;
constexpr std::size_t kMostOfJob = 64;

/// How many of a job's replicas, given by falling seconds, are simulated one by one. What is left has one mode, which the fitted tail
/// of their common sample needs: a few slow nodes among many would bend it.
std::size_t slowestOneByOne(const std::vector<double>& falling)
{
    const std::size_t n = falling.size();
    if (n <= kSlowestOfJob)
        return n;
    const double median = falling[n / 2];
    std::vector<double> away;
    away.reserve(n);
    for (const double x : falling)
        away.push_back(std::abs(x - median));
    std::nth_element(away.begin(), away.begin() + static_cast<std::ptrdiff_t>(n / 2), away.end());
    const double beyond = median + kApart * kNormalOverMad * away[n / 2];
    std::size_t count = kSlowestOfJob;
    while (count < std::min(n, kMostOfJob) && falling[count] > beyond)
        ++count;
    return count;
}

} // namespace

ReplicaLayout acrossLayout(const Prepared& prepared)
{
    ReplicaLayout out;
    for (std::size_t k = 0; k < prepared.replicas.size(); ++k) {
        const ReplicaKind& kind = prepared.replicas[k];
        if (kind.count > kDirectReplicas && out.pooled < kind.count) {
            out.pooled = kind.count;
            out.pooledKind = static_cast<int>(k);
        }
    }
    for (int d = 0; d < prepared.graph().numReplicas; ++d)
        if (const int k = prepared.kindOfReplica[static_cast<std::size_t>(d)]; out.pooled == 0 || k != out.pooledKind)
            out.single.push_back({k, static_cast<std::uint64_t>(d), LuckSource::fresh, {}});
    return out;
}

ReplicaLayout jobLayout(const Prepared& prepared, const JobScores& job, int firstReplica, bool brief)
{
    const auto stages = static_cast<std::size_t>(prepared.plan->numStages);
    const auto scores = [&](std::size_t d) {
        return std::vector<float>(job.scores.begin() + static_cast<std::ptrdiff_t>(d * stages),
                                  job.scores.begin() + static_cast<std::ptrdiff_t>((d + 1) * stages));
    };
    ReplicaLayout out;
    out.brief = brief;
    int common = 0;
    for (std::size_t k = 0; k < prepared.replicas.size(); ++k)
        if (prepared.replicas[k].count > prepared.replicas[static_cast<std::size_t>(common)].count)
            common = static_cast<int>(k);
    std::vector<std::size_t> order(job.replicaSeconds.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return job.replicaSeconds[a] > job.replicaSeconds[b]; });
    std::vector<double> falling;
    falling.reserve(order.size());
    for (const std::size_t d : order)
        falling.push_back(job.replicaSeconds[d]);
    const std::size_t oneByOne = slowestOneByOne(falling);
    std::vector<float> members;
    members.reserve(job.scores.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::size_t d = order[i];
        const int kind = prepared.kindOfReplica[static_cast<std::size_t>(firstReplica) + d];
        if (i < oneByOne || kind != common)
            out.single.push_back({kind, d, LuckSource::fixed, scores(d)});
        else
            members.insert(members.end(), &job.scores[d * stages], &job.scores[d * stages] + stages);
    }
    Hasher hash;
    for (const float score : members)
        hash.add(static_cast<double>(score));
    out.members = {std::move(members), stages, hash.result()};
    out.pooled = static_cast<int>(out.members.count());
    out.pooledKind = common;
    return out;
}

} // namespace prism
