// SPDX-License-Identifier: GPL-3.0-or-later
// DualPipeV, and DualPipe on pairs of devices: the published bubble when a forward and a backward run as one piece, memory, and what is
// left when they do not.
#include "core/schedule/dualpipe.h"
#include "core/schedule/generators.h"
#include "core/schedule/pieces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace prism {
namespace {

Schedule made(int stages, int microbatches)
{
    auto s = makeSchedule("dualpipev", stages, 2, microbatches), paired = makeSchedule("dualpipe", stages, 2, microbatches);
    EXPECT_TRUE(s.ok() && paired.ok());
    EXPECT_EQ(s->order, paired->order); // a stage of DualPipeV does what a device of DualPipe and its mirror do
    return s.ok() ? *s : Schedule{};
}

/// A forward of one chunk with the whole backward of the other that follows it is one piece; the last stage's first pair is not.
using Piece = std::vector<ScheduleItem>;

std::vector<Piece> pieces(const Schedule& s, std::size_t stage)
{
    const auto& order = s.order[stage];
    bool keepSeparate = stage + 1 == s.order.size();
    std::size_t backwards = 0;
    std::vector<Piece> all;
    for (std::size_t i = 0; i < order.size();) {
        const bool pair = i + 2 < order.size() && order[i].phase == Phase::forward && order[i + 1].phase == Phase::backward
                          && order[i + 2].phase == Phase::weight && order[i + 1].chunk != order[i].chunk
                          && order[i + 2].chunk == order[i + 1].chunk && order[i + 2].microbatch == order[i + 1].microbatch;
        if (pair && !keepSeparate) {
            all.push_back({order[i], order[i + 1], order[i + 2]});
            i += 3;
            continue;
        }
        if (pair)
            keepSeparate = false;
        // A backward with its own weight sends when both are done; the first of chunk 1 leave theirs for later.
        const bool later = order[i].phase == Phase::backward && order[i].chunk == 1 && backwards++ < s.order.size() - 1 - stage;
        const bool whole = !later && i + 1 < order.size() && order[i].phase == Phase::backward && order[i + 1].phase == Phase::weight
                           && order[i + 1].chunk == order[i].chunk && order[i + 1].microbatch == order[i].microbatch;
        all.push_back(whole ? Piece{order[i], order[i + 1]} : Piece{order[i]});
        i += whole ? 2 : 1;
    }
    return all;
}

/// When the step ends, and the largest idle time of a stage before that.
struct Course {
    double end = 0, idle = 0;
};

/// All pieces in sequence as their inputs allow: slow and plain.
Course runWithPairs(const Schedule& s, const PassTimes& t, double pair)
{
    const auto index = pathIndices(s);
    const int last = static_cast<int>(s.path.size()) - 1;
    std::map<std::tuple<int, int, std::uint32_t>, double> done; // phase, place on the path, micro-batch
    std::vector<std::vector<Piece>> left;
    for (std::size_t stage = 0; stage < s.order.size(); ++stage)
        left.push_back(pieces(s, stage));
    std::vector<std::size_t> next(left.size(), 0);
    std::vector<double> clock(left.size(), 0), work(left.size(), 0);
    const auto ready = [&](std::size_t stage, const Piece& piece, double& begin) {
        for (const ScheduleItem& i : piece) {
            const int p = index[stage][i.chunk];
            std::vector<std::tuple<int, int, std::uint32_t>> needs;
            if (i.phase == Phase::forward && p > 0)
                needs.emplace_back(0, p - 1, i.microbatch);
            if (i.phase == Phase::backward && p < last)
                needs.emplace_back(1, p + 1, i.microbatch);
            for (const auto& need : needs) {
                if (!done.contains(need))
                    return false;
                begin = std::max(begin, done[need]);
            }
        }
        return true;
    };
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t stage = 0; stage < left.size(); ++stage)
            for (double begin = clock[stage]; next[stage] < left[stage].size() && ready(stage, left[stage][next[stage]], begin);
                 begin = clock[stage]) {
                const Piece& piece = left[stage][next[stage]++];
                double seconds = 0;
                for (const ScheduleItem& i : piece)
                    seconds += i.phase == Phase::forward ? t.forward : i.phase == Phase::backward ? t.backward : t.weight;
                seconds = piece.size() == 3 ? pair : seconds;
                clock[stage] = begin + seconds;
                work[stage] += seconds;
                for (const ScheduleItem& i : piece)
                    done[{static_cast<int>(i.phase), index[stage][i.chunk], i.microbatch}] = clock[stage];
                moved = true;
            }
    }
    Course run{*std::max_element(clock.begin(), clock.end()), 0};
    for (std::size_t stage = 0; stage < left.size(); ++stage) {
        EXPECT_EQ(next[stage], left[stage].size());
        run.idle = std::max(run.idle, run.end - work[stage]);
    }
    return run;
}

TEST(DualPipe, JoinsThePairsOfTheMainStepAndWholeBackwards)
{
    for (const int stages : {2, 4, 8}) {
        const Schedule plain = made(stages, 3 * stages), joined = withPieces(plain);
        EXPECT_TRUE(checkSchedule(joined).empty());
        for (std::size_t stage = 0; stage < plain.order.size(); ++stage) {
            const auto& order = joined.order[stage];
            std::size_t at = 0;
            for (const Piece& expected : pieces(plain, stage)) {
                // The last backwards of chunk 0 leave their weights for later; on stage 0 these come next, and no stage waits for either.
                const bool separate = stage == 0 && expected.front().phase == Phase::backward && expected.front().chunk == 0;
                ASSERT_EQ(pieceEnd(order, at) - at, separate ? 1 : expected.size()) << stages << " " << stage << " " << at;
                for (std::size_t i = 0; i < expected.size(); ++i) {
                    EXPECT_EQ(order[at + i].phase, expected[i].phase);
                    EXPECT_EQ(order[at + i].chunk, expected[i].chunk);
                    EXPECT_EQ(order[at + i].microbatch, expected[i].microbatch);
                }
                at += expected.size();
            }
            EXPECT_EQ(at, order.size());
        }
        EXPECT_EQ(activationsInFlight(joined), activationsInFlight(plain));
    }
    const Schedule other = *makeSchedule("zb-v", 4, 2, 8);
    EXPECT_EQ(withPieces(other), other);
}

TEST(DualPipe, BubblesAreThePublishedOnes)
{
    // A forward takes as long as the part of the backward that is not its weights, as the formula has it.
    for (const int stages : {2, 4, 8})
        for (const int microbatches : {2 * stages, 3 * stages, 40})
            for (const auto& [pass, pair] :
                 {std::pair{PassTimes{1, 1, 1, 0}, 3.0}, {PassTimes{1, 1, 1, 0}, 2.5}, {PassTimes{2, 2, 1.5, 0}, 4.5}}) {
                const double backward = pass.backward + pass.weight;
                const Schedule plain = made(stages, microbatches);
                const Course slow = runWithPairs(plain, pass, pair);
                // As published: (devices / 2 - 1) (F&B + B - 3 W) of DualPipe, and of DualPipeV on half of the devices.
                EXPECT_NEAR(slow.idle, (stages - 1) * (pair + backward - 3 * pass.weight), 1e-9) << stages << " " << microbatches;
                // The product's schedule and clock give the same, and of it all pairs but those of the warm-up are F&B.
                PassTimes times = pass;
                times.pairSaves = pass.forward + backward - pair;
                EXPECT_NEAR(scheduleTiming(withPieces(plain), times).endSeconds, slow.end, 1e-9) << stages << " " << microbatches;
            }
}

TEST(DualPipe, AForwardThatIsHandedOnAtOnceLeavesLess)
{
    for (const int stages : {2, 4, 8}) {
        const int microbatches = 5 * stages;
        const double work = 2.0 * microbatches * 3;
        const double idle = scheduleTiming(made(stages, microbatches), {1, 1, 1, 0}).longestStageSeconds - work;
        EXPECT_NEAR(idle, stages - 1, 1e-9); // (P - 1)(F + B - 2 W) with B = 2
        EXPECT_LT(idle, (stages - 1) * (3 + 2 - 3 * 1)) << "the joined order's";
    }
}

TEST(DualPipe, HoldsOneActivationMoreThanItsDevicesTwiceOver)
{
    // Published: PP + 1 of the 1 / PP parts that a stage of a pipeline of PP = 2 P holds of a micro-batch.
    for (const int stages : {2, 4, 8})
        for (const int largest : activationsInFlight(made(stages, 4 * stages)))
            EXPECT_EQ(largest, 2 * stages + 1);
}

/// Longest time of a device in a pipeline of 2 P devices that is fed from both ends, each device with a stage of both directions: device d
/// runs the order of stage min(d, 2 P - 1 - d), in which chunk 0 is the direction that enters at its own end. Seconds.
double bothEnds(const Schedule& s, const PassTimes& t)
{
    const int devices = 2 * s.numStages, last = devices - 1;
    const auto index = [](int i) { return static_cast<std::size_t>(i); };
    std::vector<double> clock(index(devices), 0), first(index(devices), -1);
    std::vector<std::size_t> next(index(devices), 0);
    std::map<std::tuple<int, int, int, std::uint32_t>, double> done; // phase, direction, stage of the model, micro-batch
    const auto step = [&](int device) {
        const auto& order = s.order[index(std::min(device, last - device))];
        if (next[index(device)] == order.size())
            return false;
        const ScheduleItem& i = order[next[index(device)]];
        const int direction = (device < s.numStages) == (i.chunk == 0) ? 0 : 1;
        const int stage = direction == 0 ? device : last - device;
        const int phase = static_cast<int>(i.phase), from = i.phase == Phase::forward ? stage - 1 : stage + 1;
        double begin = clock[index(device)];
        if (i.phase != Phase::weight && from >= 0 && from <= last) {
            const auto arrived = done.find({phase, direction, from, i.microbatch});
            if (arrived == done.end())
                return false;
            begin = std::max(begin, arrived->second);
        }
        first[index(device)] = first[index(device)] < 0 ? begin : first[index(device)];
        clock[index(device)] = begin + (i.phase == Phase::forward ? t.forward : i.phase == Phase::backward ? t.backward : t.weight);
        done[{phase, direction, stage, i.microbatch}] = clock[index(device)];
        ++next[index(device)];
        return true;
    };
    for (bool moved = true; moved;) {
        moved = false;
        for (int device = 0; device < devices; ++device)
            while (step(device))
                moved = true;
    }
    double longest = 0;
    for (int device = 0; device < devices; ++device) {
        EXPECT_EQ(next[index(device)], s.order[index(std::min(device, last - device))].size());
        longest = std::max(longest, clock[index(device)] - first[index(device)]);
    }
    return longest;
}

TEST(DualPipe, OnTwiceTheDevicesBothEndsAtOnceTakeAsLong)
{
    for (const int stages : {1, 2, 4, 8})
        for (const PassTimes t : {PassTimes{1, 1, 1, 0}, PassTimes{2, 2, 1.5, 0}, PassTimes{1, 1.7, 0.9, 0}}) {
            const Schedule s = made(stages, 3 * stages);
            EXPECT_NEAR(bothEnds(s, t), scheduleTiming(s, t).longestStageSeconds, 1e-9) << stages;
        }
}

TEST(DualPipe, NeedsTwoChunksAndTwoMicrobatchesPerStage)
{
    EXPECT_FALSE(makeSchedule("dualpipev", 4, 1, 16).ok());
    EXPECT_FALSE(makeSchedule("dualpipev", 4, 2, 7).ok());
    EXPECT_TRUE(makeSchedule("dualpipev", 4, 2, 8).ok());
    EXPECT_TRUE(checkSchedule(made(4, 8)).empty());
}

} // namespace
} // namespace prism
