// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/step/seriesends.h"

#include "core/sim/step/commonerror.h"
#include "core/sim/step/sampled.h"
#include "core/sim/step/slowestoptimizer.h"
#include "core/sim/step/steptail.h"
#include "core/sim/step/stillends.h"
#include "core/sim/step/tail.h"
#include "core/stats/random.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <optional>

namespace prism {

namespace {

constexpr std::uint64_t kMaximumDraws = 0x53;
/// Sampled replicas behind a common sample: at least so many, and of small graphs more, as far as so many node-samples reach (some
/// milliseconds), until some twenty lie beyond the p99 of the slowest.
constexpr std::size_t kSmallestPool = 2000, kLargestPool = 50'000, kPoolPerReplica = 2000, kPoolNodeSamples = 4'000'000;
/// Across jobs, for so many steps, three for each: of many replicas even the p95 lies where few of the sampled ones do.
constexpr std::size_t kAcrossPool = 6000, kPerStepAcross = 3;
/// A brief one is compared with others that have the same draws: what it is short of, they are as well.
constexpr std::size_t kSmallestBriefPool = 128, kLargestBriefPool = 8'000, kBriefNodeSamples = 1'000'000;
constexpr std::uint64_t kPoolCopies = 1'000'000; ///< copies of the common sample start here
/// Blocks that are sampled and put together at once: the first few for a first curve, then as many as bound the memory.
constexpr std::size_t kFirstBlocks = 4, kMostBlocks = 128;

std::size_t copiesOf(const ReplicaLayout& layout, const Series& series)
{
    if (layout.pooled == 0)
        return 0;
    const std::size_t nodes = series.prepared.plan->nodeCount(), perStep = series.run == Run::across ? kPerStepAcross * series.steps : 0,
                      smallest = layout.brief ? kSmallestBriefPool : std::clamp(perStep, kSmallestPool, kAcrossPool);
    const std::size_t affordable = std::min(layout.brief ? kLargestBriefPool : kLargestPool,
                                            (layout.brief ? kBriefNodeSamples : kPoolNodeSamples) / std::max<std::size_t>(1, nodes));
    const std::size_t wanted =
        std::clamp(static_cast<std::size_t>(layout.pooled) * kPoolPerReplica, smallest, std::max(smallest, affordable));
    return std::max<std::size_t>(1, wanted / std::max<std::size_t>(1, series.steps));
}

/// The parts of a range of blocks: the single replicas and the copies of the common sample.
std::vector<PartRequest> requestsOf(const Series& series, const ReplicaLayout& layout)
{
    std::vector<PartRequest> out;
    if (!layout.single.empty())
        out.push_back({"single replicas", layout.single, true, nullptr});
    if (layout.pooled == 0)
        return out;
    const bool fresh = layout.members.scores.empty();
    for (std::size_t c = 0; c < copiesOf(layout, series); ++c)
        out.push_back({"common sample",
                       {{layout.pooledKind, kPoolCopies + c, fresh ? LuckSource::tilted : LuckSource::members, {}}},
                       true,
                       fresh ? nullptr : &layout.members});
    return out;
}

/// Puts the steps of one block together. One thread.
class BlockEnds final {
public:
    BlockEnds(const Series& series, const std::optional<StillEnds>& still)
        : m_series(series),
          m_still(still),
          m_tail(series.stages()),
          m_slowest(series.stages()),
          m_stillEnds(series.stages()),
          m_value(2)
    {
    }

    void take(const ReplicaLayout& layout, const SlowestOptimizer& optimizer, const std::vector<ReplicaPartPtr>& parts, std::size_t at,
              std::size_t block, Sampled& out)
    {
        const Prepared& prepared = m_series.prepared;
        const std::size_t stages = m_series.stages(), steps = m_series.steps, first = block * kLanes,
                          lanes = std::min(kLanes, steps - first);
        const Rows regime = m_series.regimeRows(block);
        m_tail.draw(prepared, roundKeys(m_series.seed, ~std::uint64_t{0}), block, regime, true);
        m_slowest.fill(0.0F);
        if (layout.pooled > 0)
            drawOptimizer(optimizer, block, regime);
        std::size_t part = 0;
        if (!layout.single.empty()) {
            const ReplicaPart& p = *parts[part++];
            for (std::size_t i = 0; i < stages * kLanes; ++i)
                m_slowest.row(0)[i] = std::max(m_slowest.row(0)[i], p.optimizer.row(at * stages)[i]);
            m_tail.end(prepared, p.ends.row(at * stages), m_slowest.row(0), m_value.row(0));
            std::copy_n(m_value.row(0), lanes, out.single.begin() + static_cast<std::ptrdiff_t>(first));
        }
        if (layout.pooled == 0)
            return;
        m_still->ends(block, m_stillEnds);
        m_tail.end(prepared, m_stillEnds.row(0), m_slowest.row(0), m_value.row(0));
        std::copy_n(m_value.row(0), lanes, out.location.begin() + static_cast<std::ptrdiff_t>(first));
        for (std::size_t c = 0; part < parts.size(); ++part, ++c) {
            m_tail.end(prepared, parts[part]->ends.row(at * stages), m_slowest.row(0), m_value.row(1));
            for (std::size_t l = 0; l < lanes; ++l) {
                out.excess[c * steps + first + l] = static_cast<double>(m_value.row(1)[l]) - static_cast<double>(m_value.row(0)[l]);
                out.weight[c * steps + first + l] = static_cast<double>(parts[part]->weights.row(at)[l]);
            }
        }
    }

private:
    void drawOptimizer(const SlowestOptimizer& optimizer, std::size_t block, const Rows& regime)
    {
        optimizer.draw(m_series.seed, block, m_slowest);
        for (std::size_t s = 0; s < m_series.stages(); ++s)
            for (std::size_t l = 0; l < kLanes; ++l)
                m_slowest.row(s)[l] *= regime.row(kComputeRegimeRow)[l];
    }

    const Series& m_series;
    const std::optional<StillEnds>& m_still;
    StepTail m_tail;
    Rows m_slowest, m_stillEnds, m_value;
};

/// False when stopped.
bool sampleBlocks(const Series& series, const ReplicaLayout& layout, const SlowestOptimizer& optimizer, Recall& recall,
                  std::stop_token stop, std::uint64_t& nodeSamples, Sampled& out)
{
    const std::size_t copies = copiesOf(layout, series);
    out.single.assign(series.steps, 0.0);
    out.location.assign(copies > 0 ? series.steps : 0, 0.0);
    out.excess.assign(series.steps * copies, 0.0);
    out.weight.assign(series.steps * copies, 1.0);
    out.follow = series.run == Run::within;
    const std::vector<PartRequest> requests = requestsOf(series, layout);
    std::optional<StillEnds> still;
    if (layout.pooled > 0)
        still.emplace(series, layout.pooledKind,
                      layout.members.scores.empty() ? std::vector<float>(series.stages(), 0.0F)
                                                    : std::vector<float>(layout.members.of(0), layout.members.of(1)),
                      recall, stop, nodeSamples);
    if (stop.stop_requested())
        return false;
    tbb::enumerable_thread_specific<BlockEnds> workers([&] { return BlockEnds(series, still); });
    for (std::size_t first = 0; first < series.blocks();) {
        const std::size_t count = std::min(series.blocks() - first, first == 0 ? kFirstBlocks : kMostBlocks);
        const std::vector<ReplicaPartPtr> parts = replicaParts(series, requests, first, count, recall, stop, nodeSamples);
        if (stop.stop_requested())
            return false;
        tbb::parallel_for(std::size_t{0}, count,
                          [&](std::size_t at) { workers.local().take(layout, optimizer, parts, at, first + at, out); });
        first += count;
    }
    return true;
}

} // namespace

SeriesEnds seriesEnds(const Series& series, const ReplicaLayout& layout, Recall& recall, std::stop_token stop, std::uint64_t& nodeSamples)
{
    SeriesEnds out;
    Sampled sampled;
    SlowestOptimizer optimizer;
    if (layout.pooled > 0)
        optimizer = SlowestOptimizer(series.prepared, layout.pooledKind, layout.pooled,
                                     // A brief sample does without the members' own: other jobs' optimizers are as slow.
                                     layout.brief && series.prepared.drawsScores() ? MemberScores{} : layout.members);
    if (!sampleBlocks(series, layout, optimizer, recall, stop, nodeSamples, sampled))
        return out;
    if (layout.pooled == 0) {
        out.seconds = std::move(sampled.single);
        return out;
    }
    moveByRare(sampled, series.regimes.intra, series.prepared.graph().intraRegime);
    moveByRare(sampled, series.regimes.inter, series.prepared.graph().interRegime);
    scaleByRegime(sampled, series.regimes.compute);
    const TailSample pool(sampled.excess, sampled.weight);
    std::vector<double> seconds(series.steps);
    tbb::parallel_for(std::size_t{0}, series.blocks(), [&](std::size_t block) {
        for (std::size_t i = block * kLanes; i < std::min(series.steps, (block + 1) * kLanes) && !stop.stop_requested(); ++i) {
            const double upper = 1.0 - uniform(series.seed, stream(kMaximumDraws), i);
            seconds[i] = std::max(sampled.single[i], sampled.secondsAt(pool.upperQuantile(tailOfMaximum(upper, layout.pooled)), i));
        }
    });
    if (stop.stop_requested())
        return out;
    if (!layout.brief)
        out.shared = commonError(sampled, pool, layout.pooled, seconds);
    out.extrapolated = tailOfMaximum(0.01, layout.pooled) < pool.supportedTail();
    out.seconds = std::move(seconds);
    return out;
}

} // namespace prism
