// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/profilemodel.h"

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

/// By kernel of a rank: its start, and the latest end up to it; microseconds on the common clock.
using Timeline = std::vector<std::pair<double, double>>;

Timeline timelineOf(const KinetoRank& rank, double offset, const std::set<const KinetoKernel*>& omitted)
{
    Timeline timeline;
    for (const KinetoKernel& k : rank.kernels)
        if (!omitted.contains(&k))
            timeline.emplace_back(k.start - offset, std::max(k.end() - offset, timeline.empty() ? -kInfinite : timeline.back().second));
    return timeline;
}

/// Latest end of the kernels that started before `time`.
double latestEnd(const Timeline& timeline, double time)
{
    const auto next = std::lower_bound(timeline.begin(), timeline.end(), std::pair(time, -kInfinite));
    return next == timeline.begin() ? -kInfinite : std::prev(next)->second;
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
                                       const std::vector<Timeline>& timelines, const std::vector<double>& offsets)
{
    std::vector<ProfileSegment> segments(barriers.size() + 1);
    for (std::size_t s = 0; s < common.names.size(); ++s) {
        double from = common.begins[s];
        for (std::size_t k = 0; k < segments.size(); ++k) {
            std::vector<double> arrivals(offsets.size(), common.ends[s]), ends;
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
            for (double& a : arrivals)
                a = kMicroToSecond * (a - from);
            segments[k].seconds.push_back(std::move(arrivals));
            from = end;
        }
    }
    return segments;
}

} // namespace

Result<ProfileModel> profileModel(const std::vector<KinetoRank>& ranks)
{
    const std::map<CollectiveKey, CollectiveCalls> calls = collectiveCalls(ranks);
    const std::vector<double> offsets = clockOffsets(calls, ranks.size());
    const CommonSteps common = commonSteps(ranks, offsets);
    if (common.names.empty())
        return Diagnostic{
            Severity::error, "", "the ranks have no profiled step in common", "", "ProfilerStep#N with kernels in all", "", ""};
    std::vector<Position> barriers = sharedCalls(calls, common, ranks.size());
    std::set<const KinetoKernel*> kernels;
    for (const Position& p : barriers)
        for (const CollectiveCall* call : p.calls)
            for (const auto& [rank, kernel] : *call)
                kernels.insert(kernel);
    ProfileModel model{.steps = common.names};
    std::vector<Timeline> timelines;
    std::int64_t world = 0, collectives = 0;
    for (const auto& [key, list] : calls)
        world = std::max(world, key.size);
    for (std::size_t r = 0; r < ranks.size(); ++r) {
        timelines.push_back(timelineOf(ranks[r], offsets[r], kernels));
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
    model.segments = segmentsOf(barriers, common, timelines, offsets);
    for (std::size_t s = 0; s < common.names.size(); ++s)
        model.stepSeconds.push_back(kMicroToSecond * (common.ends[s] - common.begins[s]));
    model.isComplete = world <= static_cast<std::int64_t>(ranks.size());
    model.assumptions = {fmt::format("{} of {} collective kernels belong to barriers; the others are part of the segments as recorded",
                                     barriers.size() * ranks.size() * common.names.size(), collectives),
                         "persistent differences between ranks count as random; transfers do not change with the number of ranks"};
    if (!model.isComplete)
        model.assumptions.emplace_back("transfers contain the waits for ranks without a profile: with more ranks these count twice");
    return model;
}

} // namespace prism
