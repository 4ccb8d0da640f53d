// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/profilemodel.h"

#include "core/base/diagnostictext.h"
#include "core/stats/moments.h"
#include "core/trace/kinetoreport.h"
#include "core/trace/rankwindows.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <limits>
#include <set>

namespace prism {

namespace {

constexpr double kMicroToSecond = 1e-6, kInfinite = std::numeric_limits<double>::infinity();
constexpr double kContiguous = 1.1; // a step follows another that began at most this many of its durations before

using PoolOfKernel = std::map<const KinetoKernel*, std::size_t>;

/// A kernel of a rank, microseconds on the common clock: its start, the end of those that started before, and the latest end up to it. From
/// `begin` to `latest` the rank runs this kernel and later ones.
struct KernelTime {
    double start, begin, latest;
    std::size_t pool;
};
using Timeline = std::vector<KernelTime>;

Timeline timelineOf(const KinetoRank& rank, double offset, const std::set<const KinetoKernel*>& omitted, const PoolOfKernel& poolOf)
{
    Timeline timeline;
    for (const KinetoKernel& k : rank.kernels)
        if (!omitted.contains(&k)) {
            const double start = k.start - offset, before = timeline.empty() ? -kInfinite : timeline.back().latest;
            timeline.push_back({start, std::max(start, before), std::max(k.end() - offset, before), poolOf.at(&k)});
        }
    return timeline;
}

/// Seconds of each pool between two times.
std::map<std::size_t, double> poolsBetween(const Timeline& timeline, double from, double to)
{
    std::map<std::size_t, double> seconds{{kIdlePool, kMicroToSecond * (to - from)}};
    auto kernel = std::partition_point(timeline.begin(), timeline.end(), [&](const KernelTime& k) { return k.latest <= from; });
    for (; kernel != timeline.end() && kernel->start < to; ++kernel) {
        const double busy = kMicroToSecond * std::max(0.0, std::min(kernel->latest, to) - std::max(kernel->begin, from));
        seconds[kernel->pool] += busy;
        seconds[kIdlePool] -= busy;
    }
    return seconds;
}

/// Latest end of the kernels that started before `time`.
double latestEnd(const Timeline& timeline, double time)
{
    const auto next = std::partition_point(timeline.begin(), timeline.end(), [&](const KernelTime& k) { return k.start < time; });
    return next == timeline.begin() ? -kInfinite : std::prev(next)->latest;
}

/// Steps that every rank has; microseconds on the common clock.
struct CommonSteps {
    std::vector<std::string> names;
    std::vector<double> begins, ends;
    std::map<const KinetoKernel*, std::size_t> stepOf;
};

CommonSteps commonSteps(const std::vector<KinetoRank>& ranks, const std::vector<double>& offsets)
{
    struct Found {
        std::vector<const KinetoKernel*> kernels;
        std::size_t ranks = 0; ///< that have it, the first ones
        double begin = kInfinite, end = -kInfinite, window = 0, announced = 0;
    };
    std::map<std::string, Found> found;
    CommonSteps common;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
        const std::vector<std::vector<const KinetoKernel*>> kernels = kernelsByStep(ranks[r]);
        for (std::size_t i = 0; i < kernels.size(); ++i) {
            const KinetoStep step = ranks[r].steps.empty() ? KinetoStep{"whole recording"} : ranks[r].steps[i];
            Found& f = found[step.name];
            if (f.ranks != r || kernels[i].empty())
                continue;
            if (r == 0) {
                common.names.push_back(step.name);
                f.announced = step.start;
            }
            ++f.ranks;
            f.window = std::max(f.window, step.duration);
            for (const KinetoKernel* k : kernels[i]) {
                f.begin = std::min(f.begin, k->start - offsets[r]);
                f.end = std::max(f.end, k->end() - offsets[r]);
                f.kernels.push_back(k);
            }
        }
    }
    std::erase_if(common.names, [&](const std::string& name) { return found[name].ranks != ranks.size(); });
    for (std::size_t s = 0; s < common.names.size(); ++s) {
        const Found& f = found[common.names[s]];
        const Found* next = s + 1 < common.names.size() ? &found[common.names[s + 1]] : nullptr;
        const bool isFollowed = next != nullptr && next->announced - f.announced < kContiguous * f.window && next->begin > f.begin;
        common.begins.push_back(f.begin);
        common.ends.push_back(isFollowed ? next->begin : std::max(f.end, f.begin + f.window));
        for (const KinetoKernel* k : f.kernels)
            common.stepOf[k] = s;
    }
    return common;
}

struct Position {
    std::string signature;
    std::vector<const CollectiveCall*> calls; ///< [step]
    double place = 0;                         ///< end after the begin of the step, summed over steps, microseconds
};

/// Calls that every rank has in every step.
std::vector<Position> sharedCalls(const std::map<CollectiveKey, CollectiveCalls>& calls, const CommonSteps& common, std::size_t ranks)
{
    std::vector<Position> shared;
    for (const auto& [key, list] : calls) {
        std::vector<std::vector<const CollectiveCall*>> bySteps(common.names.size());
        for (const CollectiveCall& call : list) {
            std::set<std::pair<std::size_t, bool>> steps;
            for (const auto& [rank, kernel] : call) {
                const auto at = common.stepOf.find(kernel);
                steps.emplace(at == common.stepOf.end() ? 0 : at->second, at != common.stepOf.end());
            }
            if (call.size() == ranks && steps.size() == 1 && steps.begin()->second)
                bySteps[steps.begin()->first].push_back(&call);
        }
        std::size_t turns = bySteps.front().size();
        for (const auto& ofStep : bySteps)
            turns = std::min(turns, ofStep.size());
        for (std::size_t turn = 0; turn < turns; ++turn) {
            shared.push_back({key.signature(), {}});
            for (std::size_t s = 0; s < bySteps.size(); ++s) {
                shared.back().calls.push_back(bySteps[s][turn]);
                shared.back().place += bySteps[s][turn]->front().second->end() - common.begins[s];
            }
        }
    }
    std::stable_sort(shared.begin(), shared.end(), [](const auto& a, const auto& b) { return a.place < b.place; });
    return shared;
}

/// Cuts every step at the barriers: segments and transfers of a step add up to it.
std::vector<ProfileSegment> segmentsOf(const std::vector<Position>& barriers, const CommonSteps& common,
                                       const std::vector<Timeline>& timelines, const std::vector<double>& offsets,
                                       const std::vector<Timeline>& withOverlapped)
{
    std::vector<ProfileSegment> segments(barriers.size() + 1);
    for (std::size_t s = 0; s < common.names.size(); ++s) {
        double from = common.begins[s];
        for (std::size_t k = 0; k < segments.size(); ++k) {
            std::vector<double> arrivals, ends;
            for (const Timeline& timeline : withOverlapped)
                arrivals.push_back(latestEnd(timeline, common.ends[s]));
            if (k < barriers.size()) {
                segments[k].collective = barriers[k].signature;
                for (const auto& [r, kernel] : *barriers[k].calls[s]) {
                    ends.push_back(kernel->end() - offsets[r]);
                    arrivals[r] = std::max(kernel->start - offsets[r], latestEnd(timelines[r], ends.back()));
                }
            }
            const double end = ends.empty() ? common.ends[s] : std::clamp(medianOf(ends), from, common.ends[s]);
            for (double& a : arrivals)
                a = std::clamp(a, from, end);
            segments[k].transfer.push_back(kMicroToSecond * (end - *std::max_element(arrivals.begin(), arrivals.end())));
            segments[k].pools.emplace_back();
            for (std::size_t r = 0; r < arrivals.size(); ++r)
                segments[k].pools.back().push_back(poolsBetween(withOverlapped[r], from, arrivals[r]));
            for (double& a : arrivals)
                a = kMicroToSecond * (a - from);
            segments[k].seconds.push_back(std::move(arrivals));
            from = end;
        }
    }
    return segments;
}

/// Numbers the signatures of all kernels.
PoolOfKernel poolsOf(const std::vector<KinetoRank>& ranks, std::vector<ProfilePool>& pools)
{
    PoolOfKernel poolOf;
    std::map<std::string, std::size_t> numbers;
    pools = {{"idle"}};
    for (const auto& [kernel, signature] : kernelSignatures(ranks)) {
        const auto [number, isNew] = numbers.try_emplace(signature, pools.size());
        if (isNew)
            pools.push_back({signature, !kernel->isCollective});
        poolOf.emplace(kernel, number->second);
    }
    return poolOf;
}

/// Kernels of calls.
std::set<const KinetoKernel*> kernelsOf(const std::vector<Position>& positions)
{
    std::set<const KinetoKernel*> kernels;
    for (const Position& p : positions)
        for (const CollectiveCall* call : p.calls)
            for (const auto& [rank, kernel] : *call)
                kernels.insert(kernel);
    return kernels;
}

/// Sets the clocks of ranks that have no call with others so that their first common step begins with that of the others; how many did.
std::size_t alignBySteps(const std::vector<KinetoRank>& ranks, const std::map<CollectiveKey, CollectiveCalls>& calls,
                         std::vector<double>& offsets, const CommonSteps& common)
{
    std::vector<bool> isAligned(ranks.size(), false);
    for (const auto& [key, list] : calls)
        for (const CollectiveCall& call : list)
            for (const auto& [r, kernel] : call)
                isAligned[r] = isAligned[r] || call.size() > 1;
    const auto begin = [&](std::size_t r) { // of the first step, which every rank has
        const auto& kernels = ranks[r].kernels;
        const auto isFirst = [&](const KinetoKernel& k) { return common.stepOf.contains(&k) && common.stepOf.at(&k) == 0; };
        return std::find_if(kernels.begin(), kernels.end(), isFirst)->start;
    };
    const auto known = static_cast<std::size_t>(std::find(isAligned.begin(), isAligned.end(), true) - isAligned.begin()) % ranks.size();
    std::size_t count = 0;
    for (std::size_t r = 0; r < ranks.size(); ++r)
        if (!isAligned[r] && r != known) {
            offsets[r] = begin(r) - begin(known) + offsets[known];
            ++count;
        }
    return count;
}

} // namespace

Result<ProfileModel> profileModel(const std::vector<KinetoRank>& ranks)
{
    const std::map<CollectiveKey, CollectiveCalls> calls = collectiveCalls(ranks);
    std::vector<double> offsets = clockOffsets(calls, ranks.size());
    CommonSteps common = commonSteps(ranks, offsets);
    if (common.names.empty()) {
        std::string found;
        for (const KinetoRank& rank : ranks)
            found += fmt::format("{}{}: {} steps{}", found.empty() ? "" : "; ", rank.path, rank.steps.size(),
                                 rank.steps.empty() ? "" : " from " + rank.steps.front().name);
        return errorAt(ranks.front().path, "the ranks have no profiled step in common", found, "ProfilerStep#N with kernels in all");
    }
    const std::size_t aligned = alignBySteps(ranks, calls, offsets, common);
    if (aligned > 0)
        common = commonSteps(ranks, offsets);
    std::vector<Position> barriers = sharedCalls(calls, common, ranks.size());
    const std::set<const KinetoKernel*> shared = kernelsOf(barriers);
    ProfileModel model{.steps = common.names};
    const PoolOfKernel poolOf = poolsOf(ranks, model.pools);
    std::vector<Timeline> timelines, withOverlapped;
    std::int64_t world = 0, collectives = 0;
    for (const auto& [key, list] : calls)
        world = std::max(world, key.size);
    for (std::size_t r = 0; r < ranks.size(); ++r) {
        timelines.push_back(timelineOf(ranks[r], offsets[r], shared, poolOf));
        model.ranks.push_back(ranks[r].rank);
        world = std::max<std::int64_t>(world, ranks[r].worldSize);
        collectives += std::count_if(ranks[r].kernels.begin(), ranks[r].kernels.end(), [](const auto& k) { return k.isCollective; });
    }
    std::erase_if(barriers, [&](const Position& p) {
        std::size_t overlapped = 0;
        for (const CollectiveCall* call : p.calls)
            for (const auto& [r, kernel] : *call)
                overlapped += latestEnd(timelines[r], kernel->end() - offsets[r]) < kernel->end() - offsets[r] ? 0U : 1U;
        return 2 * overlapped >= p.calls.size() * ranks.size();
    });
    const std::set<const KinetoKernel*> ofBarriers = kernelsOf(barriers);
    for (std::size_t r = 0; r < ranks.size(); ++r)
        withOverlapped.push_back(timelineOf(ranks[r], offsets[r], ofBarriers, poolOf));
    model.segments = segmentsOf(barriers, common, timelines, offsets, withOverlapped);
    for (std::size_t s = 0; s < common.names.size(); ++s)
        model.stepSeconds.push_back(kMicroToSecond * (common.ends[s] - common.begins[s]));
    model.isComplete = world <= static_cast<std::int64_t>(ranks.size());
    model.assumptions = {fmt::format("{} of {} collective kernels belong to barriers; the others are part of the segments as recorded",
                                     barriers.size() * ranks.size() * common.names.size(), collectives),
                         "persistent differences between ranks count as random; transfers do not change with the number of ranks"};
    if (aligned > 0)
        model.assumptions.push_back(
            fmt::format("{} ranks without a collective in common with others begin their steps with them", aligned));
    std::size_t largest = 0;
    for (const KinetoRank& rank : ranks)
        largest = std::max(largest, rank.steps.size());
    if (largest > model.steps.size())
        model.assumptions.push_back(
            fmt::format("{} of up to {} steps are used: not every rank has the others", model.steps.size(), largest));
    if (!model.isComplete)
        model.assumptions.emplace_back("transfers contain the waits for ranks without a profile: with more ranks these count twice");
    return model;
}

} // namespace prism
