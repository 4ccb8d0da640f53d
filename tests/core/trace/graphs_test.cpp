// SPDX-License-Identifier: GPL-3.0-or-later
// What each operation waits for, edge by edge, and the limits of links, overlaps, gaps and hidden barriers, from jobs made in memory.
#include "core/trace/barriers.h"
#include "core/trace/blockinggraph.h"
#include "core/trace/regularjob.h"
#include "handmade.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

using enum TraceOp;
using Waits = std::vector<std::set<int>>;

TEST(LinksByCount, ReceivesGoToAllComputationsToThoseWithAPartnerOrToAllButTheFirst)
{
    // Two stages of two chunks, two micro-batches: stage 0 computes chunk 0 twice, then chunk 1 twice; chunk 0 of stage 0 begins the path.
    const auto receives = [](int count) {
        std::vector<TraceOperation> step;
        for (int k = 0; k < 4; ++k)
            step.push_back(madeOperation(forwardCompute, k, 0.5, 0, 0, k / 2));
        for (int k = 0; k < count; ++k)
            step.push_back(madeOperation(forwardRecv, 0.1 + 0.01 * k, 0.3, 0));
        for (int k = 0; k < 4; ++k)
            step.push_back(madeOperation(forwardCompute, k + 0.5, 0.5, 1, 0, k / 2));
        TraceJob job = madeJob(1, 2, {step});
        job.chunks = 2;
        const StepLinks links = stepLinks(job.steps[0], job);
        // Operations of stage 0 by start: F, the receives, F, F, F.
        std::vector<int> of = {links.recvOf[0]};
        for (int k = 1; k < 4; ++k)
            of.push_back(links.recvOf[static_cast<std::size_t>(count + k)]);
        return std::pair(of, links.unmatched);
    };
    // Six computations feed another one (four of chunk 0, two of chunk 1 on stage 0) and no transfer between them is whole: 6 unmatched.
    EXPECT_EQ(receives(2), std::pair(std::vector({-1, -1, 1, 2}), 6)) << "as many as have a partner";
    EXPECT_EQ(receives(3), std::pair(std::vector({-1, 1, 2, 3}), 6)) << "one fewer than computations: the first is missing";
    EXPECT_EQ(receives(4), std::pair(std::vector({1, 2, 3, 4}), 6)) << "one for each";
    EXPECT_EQ(receives(5), std::pair(std::vector({-1, -1, 1, 2}), 6 + 3)) << "three of no computation";
    EXPECT_EQ(receives(1), std::pair(std::vector({-1, -1, 1, -1}), 6));
}

TEST(LinksByCount, ComputationsFeedTheNextOnThePath)
{
    // Forward: stage 0 chunk 0, stage 1 chunk 0, stage 0 chunk 1, stage 1 chunk 1; backward the other way. Indices 0 to 3 are stage 0.
    TraceJob job = madeJob(1, 2,
                           {{madeOperation(forwardCompute, 0, 1, 0, 0, 0), madeOperation(forwardCompute, 2, 1, 0, 0, 1),
                             madeOperation(backwardCompute, 5, 1, 0, 0, 1), madeOperation(backwardCompute, 7, 1, 0, 0, 0),
                             madeOperation(forwardCompute, 1, 1, 1, 0, 0), madeOperation(forwardCompute, 3, 1, 1, 0, 1),
                             madeOperation(backwardCompute, 4, 1, 1, 0, 1), madeOperation(backwardCompute, 6, 1, 1, 0, 0)}});
    job.chunks = 2;
    job.transfersRecorded = false;
    const StepLinks links = stepLinks(job.steps[0], job);
    EXPECT_EQ(links.feederOf, (std::vector{-1, 4, 6, 7, 0, 1, -1, 2}));
    EXPECT_EQ(links.unmatched, 0) << "no transfers are recorded that could miss a partner";
    EXPECT_TRUE(links.groups.empty());
    // Without transfers a computation waits for its feeder too; the first of a worker for nothing else.
    const BlockingGraph graph = blockingGraph(job.steps[0], job, links, {}, {}).value();
    EXPECT_EQ(edgesOf(graph.graph), (Waits{{}, {0, 4}, {1, 6}, {2, 7}, {0}, {4, 1}, {5}, {6, 2}}));
    EXPECT_EQ(graph.firstOfTail, (std::vector{-1, -1}));
}

/// Whether a send of stage 0 that ends at `end` and a receive of stage 1 that starts at `start` have a computation; each stage computes at
/// 0 to 1 and 2 to 3.
std::pair<bool, bool> launchedAt(double end, double start)
{
    std::vector<TraceOperation> step = {madeOperation(forwardSend, 0.25, end - 0.25, 0), madeOperation(forwardSend, 3, 1, 0),
                                        madeOperation(forwardRecv, -1, 1, 1), madeOperation(forwardRecv, start, 4, 1)};
    for (const int stage : {0, 1})
        for (const double at : {0.0, 2.0})
            step.push_back(madeOperation(forwardCompute, at, 1, stage));
    const TraceJob job = madeJob(1, 2, {step});
    const StepLinks links = stepLinks(job.steps[0], job);
    bool send = false, recv = false;
    for (std::size_t i = 0; i < job.steps[0].operations.size(); ++i) {
        send = send || (job.steps[0].operations[i].start == 0.25 && links.computeOf[i] >= 0);
        recv = recv || (job.steps[0].operations[i].start == start && links.computeOf[i] >= 0);
    }
    return {send, recv};
}

TEST(LinksByCount, ATransferTouchesAComputationWithinFiftyMicroseconds)
{
    EXPECT_EQ(launchedAt(1 - 4.9e-5, 2 + 4.9e-5), std::pair(true, true));
    EXPECT_EQ(launchedAt(1 - 5.1e-5, 2 + 4.9e-5), std::pair(false, true)) << "it ends before the first computation has ended";
    EXPECT_EQ(launchedAt(1 - 4.9e-5, 2 + 5.1e-5), std::pair(true, false)) << "it starts after the last computation has started";
    EXPECT_EQ(launchedAt(1.5, 1.5), std::pair(true, true));
}

TEST(LinksByCount, CollectivesJoinWorkersByTypeStageChunkAndTurn)
{
    std::vector<TraceOperation> step;
    for (const int r : {0, 1})
        for (const int s : {0, 1}) {
            for (const auto& [type, start, chunk] : {std::tuple{paramsAllGather, 0.0, 0},
                                                     {paramsAllGather, 1.0, 0},
                                                     {paramsAllGather, 2.0, 1},
                                                     {gradsReduceScatter, 3.0, 0},
                                                     {separateGradsAllReduce, 4.0, -1},
                                                     {embeddingAllReduce, 5.0, -1},
                                                     {layernormAllReduce, 6.0, -1},
                                                     {optimizerClip, 7.0, -1},
                                                     {optimizer, 8.0, -1}})
                step.push_back(madeOperation(type, start, 0.5, s, r, chunk));
        }
    const TraceJob job = madeJob(2, 2, {step});
    const StepLinks links = stepLinks(job.steps[0], job);
    // Nine operations for each of the workers (0, 0), (0, 1), (1, 0), (1, 1): begins 0, 9, 18, 27.
    std::set<std::set<int>> groups;
    for (const std::vector<int>& group : links.groups)
        groups.insert({group.begin(), group.end()});
    std::set<std::set<int>> expected = {{5, 14}, {23, 32}, {7, 16, 25, 34}}; // embedding of a replica; the clip of all
    for (const int k : {0, 1, 2, 3, 4})                                      // over the replicas of a stage
        for (const int s : {0, 9})
            expected.insert({s + k, s + 18 + k});
    EXPECT_EQ(groups, expected);
    EXPECT_EQ(links.groups.size(), expected.size());
    for (std::size_t g = 0; g < links.groups.size(); ++g)
        for (const int i : links.groups[g])
            EXPECT_EQ(links.groupOf[static_cast<std::size_t>(i)], static_cast<int>(g));
    EXPECT_EQ(links.groupOf[6], -1) << "layer norms are reduced within a worker's tensor group";
    EXPECT_EQ(links.groupOf[8], -1);
}

TEST(LinksByCount, TransferTimeCountsFromTheLastStartUpToTheClockError)
{
    const TraceStep step{1,
                         {madeOperation(optimizerClip, 1, 3), madeOperation(optimizerClip, 3, 0.25),
                          madeOperation(optimizerClip, 1.5, 1.4902), madeOperation(optimizerClip, 2, 0.9898),
                          madeOperation(optimizer, 5, 0.75)}};
    StepLinks links;
    links.groups = {{0, 1, 2, 3}};
    const std::vector<double> seconds = transferSeconds(step, links); // the latest start is 3
    ASSERT_EQ(seconds.size(), 5U);
    EXPECT_DOUBLE_EQ(seconds[0], 1);
    EXPECT_DOUBLE_EQ(seconds[1], 0.25);
    EXPECT_NEAR(seconds[2], -0.0098, 1e-12) << "less than 10 ms before it";
    EXPECT_EQ(seconds[3], 0) << "10.2 ms before it";
    EXPECT_DOUBLE_EQ(seconds[4], 0.75);
}

/// One worker's operations 0 to 10: gather, two forwards, two backwards, reduce-scatter, gc, layer norm, embedding, clip, optimizer; with
/// `separate` a separate reduction 9 before the clip.
TraceJob wholeTail(bool separate)
{
    std::vector<TraceOp> types = {paramsAllGather,    forwardCompute,     forwardCompute,    backwardCompute,
                                  backwardCompute,    gradsReduceScatter, garbageCollection, layernormAllReduce,
                                  embeddingAllReduce, optimizerClip,      optimizer};
    if (separate)
        types.insert(types.begin() + 9, separateGradsAllReduce);
    std::vector<TraceOperation> step;
    for (const TraceOp type : types)
        step.push_back(madeOperation(type, static_cast<double>(step.size()), 0.5, 0, 0, 0));
    return madeJob(1, 1, {step});
}

TEST(PublishedGraph, TheTailFollowsTheLastComputationInItsOrder)
{
    const TraceJob job = wholeTail(false);
    const auto graph = publishedGraph(job.steps[0], job, stepLinks(job.steps[0], job));
    ASSERT_TRUE(graph);
    // gc after the last backward, then layer norm, embedding, reduce-scatter, clip, optimizer; the reduce-scatter also after the gather.
    EXPECT_EQ(edgesOf(*graph), (Waits{{}, {0}, {1}, {2}, {3}, {0, 8}, {4}, {6}, {7}, {5}, {9}}));
    const TraceJob other = wholeTail(true);
    const auto overlapping = publishedGraph(other.steps[0], other, stepLinks(other.steps[0], other));
    ASSERT_TRUE(overlapping);
    // The reduce-scatter follows the last backward of its chunk, and layer norm follows it; the separate reduction takes its place.
    EXPECT_EQ(edgesOf(*overlapping), (Waits{{}, {0}, {1}, {2}, {3}, {0, 4}, {4}, {5, 6}, {7}, {8}, {9}, {10}}));
}

/// Stage 0 of two with three micro-batches: `forwards` forwards, then three backwards, each with its receive; and the rest.
Waits waitsOfReceives(int forwards)
{
    std::vector<TraceOperation> step;
    for (int k = 0; k < 3; ++k) {
        const double late = k < forwards ? 0 : 20; // forwards beyond those come last
        step.push_back(madeOperation(forwardCompute, k + late, 0.5));
        step.push_back(madeOperation(forwardSend, k + 0.5 + late, 0.25));
        step.push_back(madeOperation(backwardRecv, 10 + 2 * k, 0.5));
        step.push_back(madeOperation(backwardCompute, 10.5 + 2 * k, 0.5));
        step.push_back(madeOperation(forwardCompute, 30 + 2 * k, 0.5, 1));
        step.push_back(madeOperation(backwardCompute, 31 + 2 * k, 0.5, 1));
    }
    const TraceJob job = madeJob(1, 2, {step});
    return edgesOf(publishedGraph(job.steps[0], job, stepLinks(job.steps[0], job)).value());
}

TEST(PublishedGraph, TheFirstBackwardReceiveFollowsTheSecondForwardBeforeIt)
{
    // F 0, send 1, F 2, send 3, F 4, send 5, then receive 6, B 7, receive 8, B 9, receive 10, B 11.
    Waits w = waitsOfReceives(3);
    EXPECT_EQ(w[6], (std::set{2})) << "the second forward before the first backward";
    EXPECT_EQ(w[8], (std::set{6, 7})) << "the receive before it and the backward before its own";
    EXPECT_EQ(w[10], (std::set{8, 9}));
    EXPECT_EQ(w[7], (std::set{4, 6}));
    EXPECT_EQ(w[9], (std::set{7, 8}));
    EXPECT_EQ(w[1], (std::set{0})) << "a send follows its computation";
    EXPECT_EQ(w[3], (std::set{1, 2}));
    EXPECT_EQ(w[5], (std::set{3, 4}));
    EXPECT_EQ(w[4], (std::set{2})) << "and blocks none";
    // F 0, send 1, F 2, send 3, receive 4, B 5, receive 6, B 7, receive 8, B 9, F 10, send 11: two forwards are enough, one is not.
    w = waitsOfReceives(2);
    EXPECT_EQ(w[4], (std::set{0}));
    EXPECT_EQ(w[10], (std::set{9}));
    w = waitsOfReceives(1);
    EXPECT_EQ(w[2], (std::set<int>{}));
    EXPECT_EQ(w[3], (std::set{0, 2}));
}

/// Stage 0 of two: a forward up to 0, a send at 0 of `sending` s, a receive at `start` of `receiving` s, a backward: what the receive waits
/// for. 0 = it is posted with the send; 1 = it follows the send.
std::set<int> waitOfReceive(double sending, double start, double receiving)
{
    const TraceJob job = madeJob(
        1, 2,
        {{madeOperation(forwardCompute, -1, 1), madeOperation(forwardSend, 0, sending), madeOperation(backwardRecv, start, receiving),
          madeOperation(backwardCompute, 5, 1), madeOperation(forwardCompute, 1, 1, 1), madeOperation(backwardCompute, 2, 1, 1)}});
    const auto graph = blockingGraph(job.steps[0], job, stepLinks(job.steps[0], job), {}, {});
    const Waits waits = edgesOf(graph.value().graph);
    EXPECT_EQ(waits[3], waits[2] == std::set{0} ? (std::set{1, 2}) : (std::set{2}));
    EXPECT_EQ(waits[1], (std::set{0}));
    return waits[2];
}

TEST(BlockingGraph, TransfersArePostedTogetherWithinATenthOfAMillisecond)
{
    EXPECT_EQ(waitOfReceive(1, 1e-4, 3), (std::set{0})) << "the limit itself";
    EXPECT_EQ(waitOfReceive(1, 9.8e-5, 3), (std::set{0}));
    EXPECT_EQ(waitOfReceive(1, 1.02e-4, 3), (std::set{1}));
    // And run together for half of the shorter one: of 0.2 ms for 0.102, not for 0.098 ms.
    EXPECT_EQ(waitOfReceive(2e-4, 9.8e-5, 9e-4), (std::set{0}));
    EXPECT_EQ(waitOfReceive(1.96e-4, 9.9e-5, 9e-4), (std::set{1}));
    EXPECT_EQ(waitOfReceive(9e-4, 0.5e-4, 2e-4), (std::set{0})) << "the receive is the shorter one and lies in the send";
}

TEST(BlockingGraph, OverlappedOperationsWaitForWhatTheyNeedAlone)
{
    // 0 gather, 1 F, 2 F, 3 B, 4 reduce-scatter next to 5 B, 6 reduce-scatter, 7 gc, 8 optimizer; all but the computations are overlapped.
    const std::vector<TraceOp> types = {paramsAllGather, forwardCompute,     forwardCompute,    backwardCompute, gradsReduceScatter,
                                        backwardCompute, gradsReduceScatter, garbageCollection, optimizer};
    std::vector<TraceOperation> step;
    for (const TraceOp type : types)
        step.push_back(madeOperation(type, static_cast<double>(step.size()), 0.5, 0, 0, type == gradsReduceScatter ? -1 : 0));
    TraceJob job = madeJob(1, 1, {step});
    const StepLinks links = stepLinks(job.steps[0], job);
    const OverlappedSlots slots = {
        {0, paramsAllGather, 0}, {0, gradsReduceScatter, 0}, {0, gradsReduceScatter, 1}, {0, garbageCollection, 0}};
    const BlockingGraph graph = blockingGraph(job.steps[0], job, links, {}, slots).value();
    EXPECT_EQ(edgesOf(graph.graph), (Waits{{}, {0}, {1}, {2}, {3}, {3}, {4, 5}, {5}, {5}}));
    EXPECT_EQ(graph.firstOfTail, (std::vector{8}));
    // The second reduce-scatter alone is overlapped: the first blocks, and what follows the pipeline begins behind it.
    const BlockingGraph half = blockingGraph(job.steps[0], job, links, {}, {{0, gradsReduceScatter, 1}}).value();
    EXPECT_EQ(edgesOf(half.graph), (Waits{{}, {0}, {1}, {2}, {3}, {4}, {4, 5}, {5}, {7}}));
    EXPECT_EQ(half.firstOfTail, (std::vector{8}));
    // No gc and no optimizer: a job that ends with its pipeline has no tail.
    job.steps[0].operations.resize(6);
    EXPECT_EQ(blockingGraph(job.steps[0], job, stepLinks(job.steps[0], job), {}, slots)->firstOfTail, (std::vector{-1}));
}

TEST(BlockingGraph, ABarrierJoinsTheEndsOfItsWorkersBeforeTheTail)
{
    // Two replicas of one stage: 0 F, 1 B, 2 optimizer and 3, 4, 5; the second begins 0.5 s later and is ready 0.25 s before the first.
    TraceJob job = madeJob(2, 1,
                           {{madeOperation(forwardCompute, 10, 1), madeOperation(backwardCompute, 11, 2), madeOperation(optimizer, 13.5, 1),
                             madeOperation(forwardCompute, 10.5, 0.75, 0, 1), madeOperation(backwardCompute, 11.2398, 1.5102, 0, 1),
                             madeOperation(optimizer, 13.25, 1, 0, 1)}});
    const TraceStep& step = job.steps[0];
    const StepLinks links = stepLinks(step, job);
    const BlockingGraph graph = blockingGraph(step, job, links, {{0, 1}}, {}).value();
    EXPECT_EQ(graph.barriers, (std::vector<std::vector<int>>{{6, 7}}));
    EXPECT_EQ(edgesOf(graph.graph), (Waits{{}, {0}, {6}, {}, {3}, {7}, {1}, {4}}));
    EXPECT_EQ(graph.firstOfTail, (std::vector{2, 5}));
    EXPECT_EQ(std::vector(graph.graph.members(0).begin(), graph.graph.members(0).end()), (std::vector{6, 7}));
    // Behind the barrier both count from 13, when the last is ready; the second replica's backward starts 10.2 ms before its forward ends.
    std::vector<double> gaps = launchGaps(step, graph);
    EXPECT_EQ(gaps, (std::vector{0.0, 0.0, 0.5, 0.5, 0.0, 0.25, 0.0, 0.0}));
    job.steps[0].operations[4].start = 11.2402; // 9.8 ms are kept
    gaps = launchGaps(step, graph);
    EXPECT_NEAR(gaps[4], -0.0098, 1e-12);
    EXPECT_EQ(nodeSeconds(step, links, graph), (std::vector<double>{1, 2, 1, 0.75, 1.5102, 1, 0, 0}));
    const BlockingGraph without = blockingGraph(step, job, links, {}, {}).value();
    EXPECT_NEAR(launchGaps(step, without)[5], 0.4996, 1e-12); // 13.25 - (11.2402 + 1.5102)
}

/// Workers (replica * stages + stage) that are ready for their optimizer at the first time and start it at the second one, in every step.
struct TailSeconds {
    double ready, start;
};

std::vector<TraceOperation> stepOfTails(const std::vector<TailSeconds>& workers, int stages)
{
    std::vector<TraceOperation> step;
    for (std::size_t w = 0; w < workers.size(); ++w) {
        const int r = static_cast<int>(w) / stages, s = static_cast<int>(w) % stages;
        step.push_back(madeOperation(forwardCompute, workers[w].ready - 3 + 0.1 * s, 0.0625, s, r));
        step.push_back(madeOperation(backwardCompute, workers[w].ready, 0, s, r));
        step.push_back(madeOperation(optimizer, workers[w].start, 0.5, s, r));
    }
    return step;
}

TraceJob jobOfTails(const std::vector<std::vector<TailSeconds>>& steps, int stages, int replicasOfJob = 0)
{
    std::vector<std::vector<TraceOperation>> operations;
    for (const std::vector<TailSeconds>& workers : steps)
        operations.push_back(stepOfTails(workers, stages));
    TraceJob job = madeJob(static_cast<int>(steps[0].size()) / stages, stages, operations);
    job.transfersRecorded = false;
    job.replicasOfJob = std::max(job.replicas, replicasOfJob);
    return job;
}

std::size_t barriersOfTails(const std::vector<TailSeconds>& workers, int replicasOfJob = 0)
{
    return hiddenBarriers(jobOfTails({workers}, 1, replicasOfJob)).sets.size();
}

TEST(HiddenBarriers, LimitsOfTheGapItsFallAndTheClock)
{
    // Two workers, ready at -2 g and 0, both start at 0: mean gap g, nothing behind the last one.
    EXPECT_EQ(barriersOfTails({{-0.00200, 0}, {0, 0}}), 1U) << "a millisecond exactly";
    EXPECT_EQ(barriersOfTails({{-0.00204, 0}, {0, 0}}), 1U);
    EXPECT_EQ(barriersOfTails({{-0.00196, 0}, {0, 0}}), 0U);
    // Both start s behind the last one: s of s + 0.5.
    EXPECT_EQ(barriersOfTails({{-1, 0.5}, {0, 0.5}}), 1U) << "a half exactly";
    EXPECT_EQ(barriersOfTails({{-1, 0.52}, {0, 0.52}}), 0U) << "0.51 of the gap";
    EXPECT_EQ(barriersOfTails({{-1, 0.48}, {0, 0.48}}), 1U);
    // The first one starts before the last is ready.
    EXPECT_EQ(barriersOfTails({{-1, -0.00100}, {0, 0}}), 1U) << "a millisecond exactly";
    EXPECT_EQ(barriersOfTails({{-1, -0.00102}, {0, 0}}), 0U);
    EXPECT_EQ(barriersOfTails({{-1, -0.00098}, {0, 0}}), 1U);
    EXPECT_EQ(barriersOfTails({{-1, 0}}), 0U) << "one worker waits for none";
}

TEST(HiddenBarriers, WhereReplicasLeftNoRecordTheStartsLieTogether)
{
    // Ready over 4 s; 9.5 s behind the ready ones on average fall to 7.5: less than a half, so only the starts decide.
    const std::vector<TailSeconds> quarter = {{0, 11}, {4, 12}};
    EXPECT_EQ(barriersOfTails(quarter, 3), 1U) << "a quarter exactly";
    EXPECT_EQ(barriersOfTails(quarter, 2), 0U);
    EXPECT_EQ(barriersOfTails({{0, 11}, {4, 12.02}}, 3), 0U);
    EXPECT_EQ(barriersOfTails({{0, 11}, {4, 11.98}}, 3), 1U);
    EXPECT_EQ(barriersOfTails({{4, 12}, {0, 11}, {1, 11.5}}, 4), 1U) << "from the first to the last, in any order";
    EXPECT_EQ(barriersOfTails({{1, 5}, {0, 2}, {1.5, 3}}, 4), 0U) << "starts over 3 s";
    // Means over the steps: starts over 0 and 2 s, ready over 3 and 5 s.
    EXPECT_EQ(hiddenBarriers(jobOfTails({{{0, 11}, {3, 11}}, {{0, 11}, {5, 13}}}, 1, 3)).sets.size(), 1U);
    EXPECT_EQ(hiddenBarriers(jobOfTails({{{0, 11}, {3, 11}}, {{0, 11}, {5, 13.1}}}, 1, 3)).sets.size(), 0U);
}

TEST(HiddenBarriers, OneGapInAHundredMayBeAnErrorOfTheClock)
{
    // Three workers; in the first step one starts 5 ms before the last is ready. 33 steps have 99 gaps, 34 have 102.
    const auto found = [](std::size_t steps) {
        std::vector<std::vector<TailSeconds>> times(steps, {{-1, 0}, {-2, 0}, {0, 0}});
        times[0][1].start = -0.005;
        return hiddenBarriers(jobOfTails(times, 1)).sets.size();
    };
    EXPECT_EQ(found(33), 0U);
    EXPECT_EQ(found(34), 1U);
}

TEST(HiddenBarriers, StagesThenReplicasThenAllAndEachOnce)
{
    const auto found = [](const std::vector<TailSeconds>& workers) {
        TraceJob job = jobOfTails({workers, workers}, 2);
        job.replicaNumbers = {4, 9};
        return hiddenBarriers(job);
    };
    // Workers 0 and 1 are the stages of the first replica. Stage 1 waits for worker 1; what joins its workers explains every other gap.
    const FoundBarriers stage = found({{5, 5}, {5, 5}, {5, 5}, {3, 5}});
    EXPECT_EQ(stage.sets, (HiddenBarriers{{1, 3}}));
    EXPECT_TRUE(stage.texts[0].starts_with("the replicas of stage 1 wait")) << stage.texts[0];
    EXPECT_TRUE(stage.texts[0].ends_with("from 1000 ms to 0 ms")) << stage.texts[0];
    EXPECT_EQ(found({{3, 5}, {8, 8}, {5, 5}, {7, 7}}).sets, (HiddenBarriers{{0, 2}}));
    const FoundBarriers replica = found({{7, 7}, {8, 8}, {3, 5}, {5, 5}});
    EXPECT_EQ(replica.sets, (HiddenBarriers{{2, 3}}));
    EXPECT_TRUE(replica.texts[0].starts_with("the stages of replica 9 wait")) << replica.texts[0];
    // Any two of them have a mean gap of 0.8 ms, all four one of 1.2 ms.
    const FoundBarriers all = found({{5, 5}, {4.9984, 5}, {4.9984, 5}, {4.9984, 5}});
    EXPECT_EQ(all.sets, (HiddenBarriers{{0, 1, 2, 3}}));
    EXPECT_TRUE(all.texts[0].starts_with("all workers wait")) << all.texts[0];
    EXPECT_TRUE(all.texts[0].ends_with("from 1 ms to 0 ms")) << all.texts[0];
    // Milliseconds are rounded, and what starts too early leaves no gap: 2 (3 - 0.9) / 3 = 1.4 and 2 (5.1 - 0.9) / 3 = 2.8; behind -0.6.
    const auto text = [](double ready) {
        return hiddenBarriers(jobOfTails({{{ready, -0.0009}, {ready, -0.0009}, {0, 0}}}, 1)).texts.at(0);
    };
    EXPECT_TRUE(text(-0.0030).ends_with("from 1 ms to 0 ms")) << text(-0.0030);
    EXPECT_TRUE(text(-0.0051).ends_with("from 3 ms to 0 ms")) << text(-0.0051);
    EXPECT_TRUE(hiddenBarriers(jobOfTails({{{-9, 1.7}, {0, 1.7}}}, 1)).texts.at(0).ends_with("from 6200 ms to 1700 ms"));
}

/// Whether the first operation of a type is overlapped in a job of one step with these operations.
bool isOverlappedIn(TraceOp type, const std::vector<TraceOperation>& step)
{
    return overlappedSlots(madeJob(1, 1, {step})).contains({0, type, 0});
}

TEST(OverlapLimits, MoreThanATenthOfAMillisecondAndATwentiethOfTheDuration)
{
    const TraceOperation compute = madeOperation(forwardCompute, -1, 1); // up to 0
    const auto reduce = [&](double overlap, double duration) {
        return isOverlappedIn(gradsReduceScatter, {compute, madeOperation(gradsReduceScatter, -overlap, duration)});
    };
    EXPECT_TRUE(reduce(1.02e-4, 1e-3));
    EXPECT_FALSE(reduce(0.98e-4, 1e-3));
    EXPECT_FALSE(reduce(1e-4, 1e-3)) << "the limit itself is none";
    EXPECT_TRUE(reduce(0.051, 1));
    EXPECT_FALSE(reduce(0.049, 1));
    EXPECT_FALSE(reduce(0.05, 1)) << "the limit itself is none";
    EXPECT_FALSE(reduce(0.5, 0.9e-4)) << "it overlaps for its whole duration, which is too short";
    EXPECT_FALSE(reduce(-0.5, 1)) << "it starts after the computation";
    // Of a second: 0.03 and 0.025 of two computations that begin within it; each alone would not do.
    const TraceOperation before = madeOperation(gradsReduceScatter, 0, 1);
    const TraceOperation a = madeOperation(forwardCompute, 0.93, 0.03), b = madeOperation(backwardCompute, 0.975, 2);
    EXPECT_TRUE(isOverlappedIn(gradsReduceScatter, {before, a, b}));
    EXPECT_FALSE(isOverlappedIn(gradsReduceScatter, {before, a}));
    EXPECT_FALSE(isOverlappedIn(gradsReduceScatter, {before, b}));
    EXPECT_FALSE(isOverlappedIn(gradsReduceScatter, {before, a, madeOperation(backwardCompute, 1, 2)})) << "it begins when the other ends";
    // The computation that ends last counts, not the one that started last.
    EXPECT_TRUE(
        isOverlappedIn(gradsReduceScatter, {madeOperation(forwardCompute, -1, 1.2), madeOperation(forwardCompute, -0.5, 0.25), before}));
    for (const TraceOp type : {forwardSend, backwardRecv, paramsAllGather, garbageCollection})
        EXPECT_TRUE(isOverlappedIn(type, {compute, madeOperation(type, -0.5, 1)})) << traceOpName(type);
    for (const TraceOp type : {optimizer, embeddingAllReduce, separateGradsAllReduce})
        EXPECT_FALSE(isOverlappedIn(type, {compute, madeOperation(type, -0.5, 1)})) << traceOpName(type);
    // A garbage collection of less than a tenth of a millisecond is a mark.
    for (const auto& [duration, isMark] : {std::pair{0.98e-4, true}, {1e-4, false}, {1.02e-4, false}})
        EXPECT_EQ(isOverlappedIn(garbageCollection, {compute, madeOperation(garbageCollection, 1, duration)}), isMark) << duration;
}

TEST(OverlapLimits, TheGrainIsTheLongestOverlapBelowATwentieth)
{
    // Two computations, the first up to 0, the second begins `overlap` before.
    const auto grain = [](double first, double overlap, double second) {
        return clockGrain(madeJob(1, 1,
                                  {{madeOperation(forwardCompute, -first, first), madeOperation(optimizer, -0.0625, 3),
                                    madeOperation(backwardCompute, -overlap, second)}}));
    };
    EXPECT_DOUBLE_EQ(grain(1, 0.049, 1), 0.049);
    EXPECT_EQ(grain(1, 0.051, 1), 0);
    EXPECT_EQ(grain(1, 0.05, 1), 0) << "the limit itself is none";
    EXPECT_DOUBLE_EQ(grain(3, 0.09, 2), 0.09) << "of the shorter one";
    EXPECT_EQ(grain(3, 0.11, 2), 0);
    EXPECT_EQ(grain(2, 0.11, 3), 0);
    EXPECT_EQ(grain(1, -0.5, 1), 0) << "a gap";
    const TraceJob job = madeJob(1, 1,
                                 {{madeOperation(forwardCompute, 0, 1), madeOperation(forwardCompute, 0.98, 1),
                                   madeOperation(forwardCompute, 1.95, 1), madeOperation(forwardCompute, 2.94, 1)}});
    EXPECT_NEAR(clockGrain(job), 0.03, 1e-12) << "0.02, 0.03 and 0.01";
}

} // namespace
} // namespace prism
