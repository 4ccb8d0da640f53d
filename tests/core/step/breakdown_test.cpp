// SPDX-License-Identifier: GPL-3.0-or-later
// The critical path of the noise-free step and its breakdown: values computed by hand, and the sum over random graphs.
#include "core/step/breakdown.h"

#include "core/schedule/dualpipe.h"
#include "core/schedule/lists.h"
#include "core/schedule/pieces.h"
#include "core/sim/graphs.h"
#include "core/stats/random.h"
#include "core/step/criticalpath.h"
#include "core/step/deterministicstep.h"
#include "core/step/passes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

namespace prism {
namespace {

using test::jobGraph;
using test::joinPasses;

// Chunks of 1 s forward and 2 s backward unless a test says otherwise.

TEST(Breakdown, BubbleOfEqualStagesIsTheTextbookFormula)
{
    // (P - 1)(tF + tB) with P = 4: 3 x 3 s, for M = 12 of 36 s of work (Narayanan et al. 2021, section 2.2.1).
    for (const char* name : {"gpipe", "1f1b"}) {
        const Breakdown b = breakdownOf(jobGraph({.schedule = name, .stages = 4, .microbatches = 12}));
        EXPECT_NEAR(b.computeSeconds, 36.0, 1e-12) << name;
        EXPECT_NEAR(b.bubbleSeconds, 9.0, 1e-12) << name;
        EXPECT_NEAR(b.sum(), 45.0, 1e-12) << name;
    }
    // With V = 2 chunks per stage it is half of that (same paper, section 2.2.2).
    const Breakdown v =
        breakdownOf(jobGraph({.schedule = "interleaved", .stages = 4, .chunks = 2, .microbatches = 12, .forwardSeconds = 0.5}));
    EXPECT_NEAR(v.computeSeconds, 36.0, 1e-12);
    EXPECT_NEAR(v.bubbleSeconds, 4.5, 1e-12);
}

TEST(Breakdown, OneStageHasNoBubble)
{
    const Breakdown b = breakdownOf(jobGraph({.microbatches = 5, .groupRanks = 2, .collectiveSeconds = 0.25, .optimizerSeconds = 0.5}));
    EXPECT_NEAR(b.computeSeconds, 15.0, 1e-12);
    EXPECT_NEAR(b.tensorParallelSeconds, 5 * 2 * 0.25, 1e-12);
    EXPECT_NEAR(b.optimizerSeconds, 0.5, 1e-12);
    EXPECT_EQ(b.bubbleSeconds, 0.0);
}

TEST(Breakdown, FollowsTheStageThatSetsThePaceNotTheOneThatEndsLast)
{
    // Stage 2 of 4 takes twice as long. Stage 0 ends last and idles largest of the step. The path: F0 of stages 0, 1, 2 (1 + 1 + 2 s), F0
    // and B0 of stage 3 (3 s), for which stage 2 waits 1 s after its F1, then stage 2 to its last backward (8 x 6 s less F0 and F1), and
    // the backward of stages 1 and 0 (2 x 2 s).
    StepGraph g = jobGraph({.stages = 4, .microbatches = 8});
    g.slow = {{-1, 2, -1, 2.0, 1.0}};
    const CriticalPath path = criticalPath(g);
    EXPECT_EQ(path.mainStage, 2);
    EXPECT_NEAR(path.seconds, 2.0 + 2.0 + 3.0 + (8 * 6.0 - 4.0) + 4.0, 1e-12);
    const Breakdown b = breakdownOf(g);
    EXPECT_NEAR(b.computeSeconds, 8 * 6.0, 1e-12); // all that stage 2 does
    EXPECT_NEAR(b.bubbleSeconds, 55.0 - 48.0, 1e-12);
}

TEST(Breakdown, APieceWaitsForAllItsInputsAndHandsOnTheForwardFirst)
{
    // Three stages, two micro-batches, transfers of 1 s that occupy the sender. Stage 0: F0 0-1, sent by 2, F1 2-3, sent by 4. Stage 1: F0
    // 2-3, sent by 4. Stage 2: F0 4-5, B0 5-7, sent by 8. Stage 1: F1 and B0 as one piece 8-11, F1 sent by 12 and B0 by 13. Stage 2: F1
    // 12-13, B1 13-15, sent by 16. Stage 1: B1 16-18, sent by 19. Stage 0: B0 13-15, B1 19-21.
    StepGraph g = jobGraph({.stages = 3, .microbatches = 2, .sendSeconds = 1.0});
    g.transferOccupiesSender = true;
    const char* orders[] = {"F0 F1 B0 B1", "F0 F1+B0 B1", "F0 B0 F1 B1"};
    for (std::size_t stage = 0; stage < 3; ++stage)
        g.schedule.order[stage] = itemsFromText(orders[stage], "order").value();
    ASSERT_TRUE(check(g).empty());
    const CriticalPath path = criticalPath(g);
    EXPECT_NEAR(path.seconds, 21.0, 1e-12);
    const auto on = [&](PathKind kind) {
        double seconds = 0;
        for (const PathPiece& piece : path.pieces)
            seconds += piece.kind == kind ? piece.seconds : 0.0;
        return seconds;
    };
    EXPECT_NEAR(on(PathKind::transfer), 6.0, 1e-12); // F0 twice, B0, F1, B1 twice
    EXPECT_NEAR(on(PathKind::chunk), 15.0, 1e-12);
    const Breakdown b = breakdownOf(g);
    EXPECT_NEAR(b.computeSeconds, 6.0, 1e-12);
    EXPECT_NEAR(b.pipelineSeconds, 6.0, 1e-12);
    EXPECT_NEAR(b.bubbleSeconds, 9.0, 1e-12);
}

TEST(Breakdown, PassesInOnePieceTakeTheirOwnPrograms)
{
    // DualPipeV on two stages, F = dgrad = W = 1 s, so that F + B takes 3 s; in a piece each pass takes a sixth less: F&B = 2.5 s. The
    // published bubble (P - 1)(F&B + B - 3 W) of P stages is then 1.5 s.
    StepGraph g = jobGraph({.schedule = "dualpipev", .stages = 2, .chunks = 2, .microbatches = 8});
    const std::vector<Program> alone = g.programs;
    joinPasses(g);
    for (std::size_t p = 0; p < alone.size(); ++p) {
        g.programs[alone.size() + p] = alone[p];
        for (Op& op : g.programs[alone.size() + p].blocks[0].ops)
            op.meanSeconds *= 5.0 / 6;
    }
    ASSERT_TRUE(check(g).empty());
    const std::vector<double> first = passShares(g, 0), last = passShares(g, 1);
    const auto pieces = [](const std::vector<double>& shares) { return 8 * (shares[2 * kPhases] + shares[3 * kPhases]); };
    // Of M - 2 P + 1 = 5 rounds of two pairs and one of the fifth step; the last stage has a round more and its first pair is separate.
    EXPECT_NEAR(pieces(first), 2 * 5 + 1, 1e-12);
    EXPECT_NEAR(pieces(last), 2 * 6 - 1, 1e-12);
    const Breakdown b = breakdownOf(g);
    EXPECT_NEAR(b.computeSeconds, 16 * 3 - 11 * 0.5, 1e-12);
    EXPECT_NEAR(b.bubbleSeconds, 1.5, 1e-12);
    EXPECT_NEAR(deterministicStepSeconds(g), 16 * 3 - 11 * 0.5 + 1.5, 1e-12);
}

TEST(Breakdown, SlowSpotsMultiplyAndFeelTheSensitivityOfTheirClass)
{
    StepGraph g = jobGraph({.microbatches = 4, .groupRanks = 2, .collectiveSeconds = 0.25});
    g.slow = {{-1, 0, 1, 1.5, 1.0}, {0, -1, 1, 2.0, 1.0}, {0, 0, 0, 2.5, 1.0}}; // rank 1: 1.5 x 2 = 3, rank 0: 2.5
    EXPECT_NEAR(breakdownOf(g).computeSeconds, 4 * 3.0 * 3.0, 1e-12);
    EXPECT_NEAR(breakdownOf(g).tensorParallelSeconds, 4 * 2 * 0.25, 1e-12); // collectives do not feel a slow GPU
    g.classes[0].spatialSensitivity = 0.25;                                 // 1 + 0.25 (3 - 1)
    EXPECT_NEAR(breakdownOf(g).computeSeconds, 4 * 3.0 * 1.5, 1e-12);
}

TEST(Breakdown, SlowLinksStretchWhatCrossesThem)
{
    // One micro-batch over two stages: F0 send F1 B1 send B0, then the synchronisation of stage 0.
    StepGraph g = jobGraph({.stages = 2, .microbatches = 1, .replicas = 3, .sendSeconds = 0.25, .gradSyncSeconds = 1.0});
    g.slow = {{2, 1, -1, 1.0, 3.0}}; // replica 2 sends at a third of the speed; so does the synchronisation of stage 1
    const Breakdown b = breakdownOf(g);
    EXPECT_NEAR(b.pipelineSeconds, 2 * 0.75, 1e-12);
    EXPECT_NEAR(b.dataParallelSeconds, 1.0, 1e-12); // stage 0 ends at 7.5 + 1, stage 1 at 4.75 + 3
    EXPECT_NEAR(b.sum(), 8.5, 1e-12);
    EXPECT_EQ(criticalPath(g).pieces.front().replica, 2);
}

TEST(Breakdown, MeasuredSpeedsCountOnTheSlowestRankOfTheSlowestReplica)
{
    StepGraph g = jobGraph({.stages = 2, .microbatches = 2, .replicas = 2, .groupRanks = 2});
    g.fixedSpatial = {1, 1, 1, 1.5, 1, 1, 1, 1}; // replica 0, stage 1, rank 1
    const Breakdown b = breakdownOf(g);
    EXPECT_NEAR(b.computeSeconds, 2 * 4.5, 1e-12);
    EXPECT_NEAR(b.bubbleSeconds, 3.0, 1e-12); // forward and backward of stage 0 around it
}

TEST(Breakdown, TheTailCountsByPurpose)
{
    const StepGraph g = jobGraph({.stages = 2,
                                  .microbatches = 1,
                                  .replicas = 2,
                                  .gradSyncSeconds = 0.5,
                                  .optimizerSeconds = 0.125,
                                  .paramGatherSeconds = 0.75,
                                  .gradNormSeconds = 0.0625,
                                  .embeddingSeconds = 0.25});
    const Breakdown b = breakdownOf(g);
    EXPECT_NEAR(b.dataParallelSeconds, 0.25 + 0.5 + 0.0625 + 0.75, 1e-12);
    EXPECT_NEAR(b.optimizerSeconds, 0.125, 1e-12);
    EXPECT_NEAR(b.computeSeconds + b.bubbleSeconds, 6.0, 1e-12);
}

/// A graph with everything that may decide which way the path goes; equal trials, equal graphs.
StepGraph randomGraph(std::uint64_t trial)
{
    std::uint64_t next = 0;
    const auto u = [&] { return uniform(trial, stream(7), next++); };
    const auto among = [&](int low, int high) { return low + static_cast<int>(u() * (high - low + 1)); };
    const char* names[] = {"gpipe", "1f1b", "interleaved", "zb-h1", "zb-h2", "zb-v", "dualpipev"};
    const std::string name = names[among(0, 6)];
    const bool ends = name == "dualpipev";
    const int stages = among(1, 5);
    StepGraph g = jobGraph({.schedule = name,
                            .stages = stages,
                            .chunks = name == "interleaved"    ? among(1, 3)
                                      : ends || name == "zb-v" ? 2
                                                               : 1,
                            .microbatches = stages * among(ends ? 2 : 1, 4),
                            .replicas = among(1, 4),
                            .groupRanks = among(1, 2),
                            .groups = among(1, 2),
                            .layers = among(1, 3),
                            .collectiveSeconds = 0.2 * u(),
                            .sendSeconds = u() < 0.5 ? 0.0 : 0.3 * u(),
                            .gradSyncSeconds = u() < 0.3 ? 0.0 : u(),
                            .optimizerSeconds = u() < 0.3 ? 0.0 : u(),
                            .paramGatherSeconds = u() < 0.3 ? 0.0 : u(),
                            .gradNormSeconds = u() < 0.5 ? 0.0 : u(),
                            .embeddingSeconds = u() < 0.5 ? 0.0 : u()});
    if (ends && u() < 0.8)
        joinPasses(g);
    g.transferOccupiesSender = u() < 0.5;
    g.classes[0].spatialSensitivity = u();
    for (StepOp& op : g.gradSync)
        op.minExposedSeconds = 0.3 * u();
    for (int i = among(0, 3); i > 0; --i)
        g.slow.push_back({among(-1, g.numReplicas - 1), among(-1, stages - 1), among(-1, g.cellRanks() - 1), 1 + 2 * u(), 1 + 2 * u()});
    if (u() < 0.3)
        for (int r = g.numReplicas * stages * g.cellRanks(); r > 0; --r)
            g.fixedSpatial.push_back(0.8 + 0.6 * u());
    return g;
}

/// The noise-free step as resources/help/stepgraph.md defines it, item by item until every stage is through: slow and plain, for graphs
/// without pieces.
class NaiveStep final {
public:
    explicit NaiveStep(const StepGraph& graph) : g(graph) {}

    [[nodiscard]] double seconds()
    {
        for (int d = 0; d < g.numReplicas; ++d)
            ends.push_back(pipeline(d));
        const auto first = static_cast<std::size_t>(g.schedule.path.front()[0]), last = static_cast<std::size_t>(g.schedule.path.back()[0]);
        for (int d = 0; d < g.numReplicas && g.embeddingAllReduce.kernelClass >= 0; ++d) {
            std::vector<double>& end = ends[static_cast<std::size_t>(d)];
            const double link = std::max(linkOf(d, static_cast<int>(first)), linkOf(d, static_cast<int>(last)));
            end[first] = end[last] = std::max(end[first], end[last]) + exposed(g.embeddingAllReduce, link);
        }
        synchronise(g.gradSync);
        if (g.gradNorm.kernelClass >= 0) {
            double link = 1;
            for (int d = 0; d < g.numReplicas; ++d)
                for (int s = 0; s < g.schedule.numStages; ++s)
                    link = std::max(link, linkOf(d, s));
            const double end = latest() + exposed(g.gradNorm, link);
            for (auto& e : ends)
                std::fill(e.begin(), e.end(), end);
        }
        for (int d = 0; d < g.numReplicas; ++d)
            for (int s = 0; s < g.schedule.numStages; ++s)
                if (const StepOp& op = g.optimizer[static_cast<std::size_t>(s)]; op.kernelClass >= 0)
                    ends[static_cast<std::size_t>(d)][static_cast<std::size_t>(s)] +=
                        op.meanSeconds * compute(op.kernelClass, slowestOf(d, s));
        synchronise(g.paramGather);
        return latest();
    }

private:
    const StepGraph& g;
    std::vector<std::vector<double>> ends;

    [[nodiscard]] double product(int replica, int stage, int rank, double SlowSpot::*factor) const
    {
        double f = 1;
        for (const SlowSpot& spot : g.slow)
            if ((spot.replica < 0 || spot.replica == replica) && (spot.stage < 0 || spot.stage == stage)
                && (spot.rank < 0 || spot.rank == rank))
                f *= spot.*factor;
        return f;
    }
    [[nodiscard]] double slowestOf(int replica, int stage) const
    {
        double largest = 0;
        for (int r = 0; r < g.cellRanks(); ++r) {
            const int at = (replica * g.schedule.numStages + stage) * g.cellRanks() + r;
            largest = std::max(largest, product(replica, stage, r, &SlowSpot::computeFactor)
                                            * (g.fixedSpatial.empty() ? 1 : g.fixedSpatial[static_cast<std::size_t>(at)]));
        }
        return largest;
    }
    [[nodiscard]] double linkOf(int replica, int stage) const
    {
        double largest = 0;
        for (int r = 0; r < g.cellRanks(); ++r)
            largest = std::max(largest, product(replica, stage, r, &SlowSpot::linkFactor));
        return largest;
    }
    /// Of the replicas that run in lockstep with one.
    template <class Of>
    [[nodiscard]] double largestOfSet(int replica, Of of) const
    {
        const int size = lockstepSize(g);
        double largest = 0;
        for (int d = replica / size * size; d < (replica / size + 1) * size; ++d)
            largest = std::max(largest, of(d));
        return largest;
    }
    [[nodiscard]] double compute(int kernelClass, double slowest) const
    {
        return 1 + g.classes[static_cast<std::size_t>(kernelClass)].spatialSensitivity * (slowest - 1);
    }
    [[nodiscard]] double linkFactor(int kernelClass, double link) const
    {
        return g.classes[static_cast<std::size_t>(kernelClass)].scope == Scope::interNode ? link : 1;
    }
    [[nodiscard]] double exposed(const StepOp& op, double link) const
    {
        const double f = linkFactor(op.kernelClass, link);
        return std::max(f * op.minExposedSeconds, f * op.meanSeconds - op.hiddenSeconds);
    }
    [[nodiscard]] double duration(int replica, int stage, const ScheduleItem& item) const
    {
        const double slowest = largestOfSet(replica, [&](int d) { return slowestOf(d, stage); }),
                     link = largestOfSet(replica, [&](int d) { return linkOf(d, stage); });
        double seconds = 0;
        for (const Block& block :
             g.programs[static_cast<std::size_t>(
                            g.programOf[static_cast<std::size_t>(stage)][item.chunk][static_cast<std::size_t>(item.phase)])]
                 .blocks)
            for (int i = 0; i < block.repeat; ++i)
                for (const Op& op : block.ops)
                    seconds += g.classes[static_cast<std::size_t>(op.kernelClass)].scope == Scope::none
                                   ? op.meanSeconds * compute(op.kernelClass, slowest)
                                   : std::max(0.0, op.meanSeconds * linkFactor(op.kernelClass, link) - op.hiddenSeconds);
        return seconds;
    }
    /// Ends of the stages of one replica.
    [[nodiscard]] std::vector<double> pipeline(int replica) const
    {
        const auto stages = static_cast<std::size_t>(g.schedule.numStages);
        const int hops = static_cast<int>(g.schedule.path.size()) - 1, microbatches = g.schedule.numMicrobatches;
        const std::vector<std::vector<int>> place = pathIndices(g.schedule);
        std::map<std::tuple<bool, int, int>, double> arrival; // forward, place on the path, micro-batch
        for (int m = 0; m < microbatches; ++m)
            arrival[{true, 0, m}] = arrival[{false, hops, m}] = 0;
        std::vector<double> clock(stages);
        std::vector<std::size_t> next(stages);
        for (bool moved = true; moved;) {
            moved = false;
            for (std::size_t s = 0; s < stages; ++s) {
                if (next[s] == g.schedule.order[s].size())
                    continue;
                const ScheduleItem& item = g.schedule.order[s][next[s]];
                const int at = place[s][item.chunk], to = item.phase == Phase::forward ? at + 1 : at - 1,
                          m = static_cast<int>(item.microbatch);
                const auto input = arrival.find({item.phase == Phase::forward, at, m});
                if (item.phase != Phase::weight && input == arrival.end())
                    continue;
                const double start = std::max(clock[s], item.phase == Phase::weight ? 0 : input->second);
                double end = start + duration(replica, static_cast<int>(s), item), arrives = end;
                if (item.phase != Phase::weight && to >= 0 && to <= hops) {
                    const StepOp& send = item.phase == Phase::forward ? g.sendForward[static_cast<std::size_t>(at)]
                                                                      : g.sendBackward[static_cast<std::size_t>(to)];
                    const int other = g.schedule.path[static_cast<std::size_t>(to)][0];
                    if (send.kernelClass >= 0)
                        arrives += exposed(
                            send, largestOfSet(replica, [&](int d) { return std::max(linkOf(d, static_cast<int>(s)), linkOf(d, other)); }));
                    arrival[{item.phase == Phase::forward, to, m}] = arrives;
                }
                clock[s] = g.transferOccupiesSender ? arrives : end;
                ++next[s];
                moved = true;
            }
        }
        for (std::size_t s = 0; s < stages; ++s)
            EXPECT_EQ(next[s], g.schedule.order[s].size());
        return clock;
    }
    void synchronise(const std::vector<StepOp>& ops)
    {
        for (int s = 0; s < g.schedule.numStages; ++s) {
            const StepOp& op = ops[static_cast<std::size_t>(s)];
            if (op.kernelClass < 0)
                continue;
            double last = 0, link = 0;
            for (int d = 0; d < g.numReplicas; ++d) {
                last = std::max(last, ends[static_cast<std::size_t>(d)][static_cast<std::size_t>(s)]);
                link = std::max(link, linkOf(d, s));
            }
            for (auto& e : ends)
                e[static_cast<std::size_t>(s)] = last + exposed(op, link);
        }
    }
    [[nodiscard]] double latest() const
    {
        double last = 0;
        for (const auto& e : ends)
            last = std::max(last, *std::max_element(e.begin(), e.end()));
        return last;
    }
};

/// The same graph with two classes in each other's place.
void swapClasses(StepGraph& g, int a, int b)
{
    const auto swapped = [&](int& kernelClass) { kernelClass = kernelClass == a ? b : kernelClass == b ? a : kernelClass; };
    std::swap(g.classes[static_cast<std::size_t>(a)], g.classes[static_cast<std::size_t>(b)]);
    for (Program& p : g.programs)
        for (Block& block : p.blocks)
            for (Op& op : block.ops)
                swapped(op.kernelClass);
    for (auto* ops : {&g.sendForward, &g.sendBackward, &g.gradSync, &g.paramGather, &g.optimizer})
        for (StepOp& op : *ops)
            swapped(op.kernelClass);
    swapped(g.gradNorm.kernelClass);
    swapped(g.embeddingAllReduce.kernelClass);
}

TEST(DeterministicStep, AgreesWithAnItemByItemRunOfAnyGraph)
{
    int compared = 0, inLockstep = 0;
    for (std::uint64_t trial = 0; trial < 500; ++trial) {
        StepGraph g = randomGraph(trial);
        if (pairsPasses(g.schedule))
            continue;
        std::uint64_t next = 0;
        const auto u = [&] { return uniform(trial, stream(8), next++); };
        for (Program& p : g.programs)
            for (Op& op : p.blocks[0].ops)
                if (op.kernelClass == 1) {
                    op.hiddenSeconds = u() < 0.5 ? 0 : 0.2 * u();
                    op.sync = u() < 0.3 ? Sync::replicas : Sync::group;
                    op.kernelClass = u() < 0.3 ? 2 : 1; // between nodes
                }
        for (auto* ops : {&g.sendForward, &g.sendBackward, &g.gradSync, &g.paramGather})
            for (StepOp& op : *ops)
                op.hiddenSeconds = 0.3 * u();
        for (auto* ops : {&g.sendForward, &g.sendBackward, &g.gradSync, &g.paramGather})
            for (StepOp& op : *ops)
                op.kernelClass = op.kernelClass >= 0 && u() < 0.3 ? 1 : op.kernelClass; // inside of a node
        if (u() < 0.5)
            swapClasses(g, 0, 2);
        g.lockstepReplicas = g.numReplicas % 2 == 0 && u() < 0.5 ? 2 : 0;
        ASSERT_FALSE(hasErrors(check(g))) << trial << ": " << check(g).front().path;
        const double expected = NaiveStep(g).seconds();
        EXPECT_NEAR(deterministicStepSeconds(g), expected, 1e-9 * expected) << trial << " " << g.name;
        EXPECT_NEAR(breakdownOf(g).sum(), expected, 1e-9 * expected) << trial << " " << g.name;
        ++compared;
        inLockstep += lockstepSize(g) > 1 ? 1 : 0;
    }
    EXPECT_GT(compared, 300);
    EXPECT_GT(inLockstep, 50);
}

/// Two replicas of two stages, one micro-batch of 1 s forward and 2 s backward, transfers of 0.5 s; replica 1 computes half as fast on
/// stage
/// 1. Stage 0 of replica 0 ends at 1 + 0.5 + 3 + 0.5 + 2 = 7, stage 1 at 4.5; of replica 1 at 10 and 7.5.
TEST(DeterministicStep, TheTailOfUnequalReplicasByHand)
{
    StepGraph g = jobGraph({.stages = 2,
                            .microbatches = 1,
                            .replicas = 2,
                            .sendSeconds = 0.5,
                            .gradSyncSeconds = 0.75,
                            .optimizerSeconds = 0.5,
                            .paramGatherSeconds = 0.3,
                            .gradNormSeconds = 0.125,
                            .embeddingSeconds = 0.25});
    g.slow = {{1, 1, -1, 2.0, 1.0}};
    const DeterministicStep step(g);
    const auto slowest = [&](int replica, int stage) { return step.fixedSlowest(replica, stage); };
    TailTimes t;
    EXPECT_DOUBLE_EQ(step.seconds({0, 1}, slowest, &t), 12.425);
    using Ends = TailTimes::Ends;
    EXPECT_EQ(t.pipeline, (Ends{{7, 4.5}, {10, 7.5}}));
    EXPECT_EQ(t.embedding, (Ends{{7.25, 7.25}, {10.25, 10.25}}));
    EXPECT_EQ(t.gradSync, (Ends{{11, 11}, {11, 11}}));
    EXPECT_EQ(t.gradNorm, (Ends{{11.125, 11.125}, {11.125, 11.125}}));
    EXPECT_EQ(t.optimizer, (Ends{{11.625, 11.625}, {11.625, 12.125}})); // half as fast there too
    EXPECT_EQ(t.paramGather, (Ends{{11.925, 11.925 + 0.5}, {11.925, 12.125 + 0.3}}));
    NodeTimes n;
    EXPECT_EQ(step.stageEnds(1, slowest, &n), (std::vector<double>{10, 7.5}));
    EXPECT_EQ(n.start, (std::vector<double>{0, 1.5, 3.5, 8}));
    EXPECT_EQ(n.end, (std::vector<double>{1, 3.5, 7.5, 10}));
    EXPECT_EQ(n.arrives, (std::vector<double>{1.5, 3.5, 8, 10}));
    EXPECT_EQ(n.free, n.end); // transfers do not occupy the sender
    EXPECT_EQ(step.distinctReplicas(), (std::vector<int>{0, 1}));
    g.numReplicas = 5;
    EXPECT_EQ(DeterministicStep(g).distinctReplicas(), (std::vector<int>{0, 1})); // replica 0 stands for those that no spot names
    // A replica of compute 2 + 4 s on one stage, by category: the transfer is not part of it.
    EXPECT_DOUBLE_EQ(step.slotSeconds(0, 2.0, 1.0)[static_cast<std::size_t>(Category::compute)], 2.0);
}

TEST(Breakdown, SumsToTheNoiseFreeStepOfAnyGraph)
{
    for (std::uint64_t trial = 0; trial < 400; ++trial) {
        const StepGraph g = randomGraph(trial);
        ASSERT_FALSE(hasErrors(check(g))) << trial << ": " << check(g).front().path;
        const double seconds = deterministicStepSeconds(g);
        const CriticalPath path = criticalPath(g);
        double along = 0;
        for (const PathPiece& piece : path.pieces) {
            EXPECT_GE(piece.seconds, -1e-12 * seconds) << trial;
            along += piece.seconds;
        }
        EXPECT_EQ(path.seconds, seconds) << trial;
        EXPECT_NEAR(along, seconds, 1e-9 * seconds) << trial << " " << g.name;
        EXPECT_NEAR(breakdownOf(g).sum(), seconds, 1e-9 * seconds) << trial << " " << g.name;
        for (const Breakdown& stage : stageBreakdowns(g, DeterministicStep(g), path))
            EXPECT_NEAR(stage.sum(), seconds, 1e-9 * seconds) << trial << " " << g.name;
    }
}

TEST(DeterministicStep, CopiesOfAReplicaChangeNothing)
{
    for (std::uint64_t trial = 0; trial < 200; ++trial) {
        const StepGraph g = randomGraph(trial);
        const DeterministicStep step(g);
        const auto slowest = [&step](int replica, int stage) { return step.fixedSlowest(replica, stage); };
        EXPECT_EQ(deterministicStepSeconds(g), step.seconds(slowest)) << trial;
    }
}

} // namespace
} // namespace prism
