// SPDX-License-Identifier: GPL-3.0-or-later
// Each rule of step graphs, distributions and schedules, just broken and just kept; no rule of the sources is without a case.
#include "rulecases.h"

#include "core/sim/graphs.h"

#include <cmath>
#include <functional>
#include <limits>

namespace prism {
namespace {

StepGraph fine()
{
    test::JobShape shape{.stages = 2, .microbatches = 2, .replicas = 4, .groupRanks = 2, .groups = 2, .collectiveSeconds = 0.1};
    shape.sendSeconds = shape.gradSyncSeconds = shape.optimizerSeconds = shape.paramGatherSeconds = 0.1;
    return test::jobGraph(shape);
}

struct Rule {
    const char* message; ///< or a part of it
    const char* path;
    std::function<void(StepGraph&)> broken, kept;
};

#define PRISM_EDIT(...) [](StepGraph& g) { __VA_ARGS__; }
#define PRISM_ONE(member, invalid, right) PRISM_EDIT(g.member = invalid), PRISM_EDIT(g.member = right)
constexpr double kHuge = 1e9 * (1 + 1e-15), kTiny = -1e-300;
const auto kNan = std::numeric_limits<double>::quiet_NaN();
std::shared_ptr<const std::vector<double>> pool(std::vector<double> values)
{
    return std::make_shared<const std::vector<double>>(std::move(values));
}

// clang-format off
const Rule kRules[] = {
    {"The value is out of range", "num_replicas", PRISM_ONE(numReplicas, 0, 1)},
    {"The value is out of range", "num_replicas", PRISM_ONE(numReplicas, (1 << 20) + 1, 1 << 20)},
    {"The value is out of range", "lockstep_replicas", PRISM_ONE(lockstepReplicas, -1, 0)},
    {"The value is out of range", "lockstep_replicas", PRISM_ONE(lockstepReplicas, 8, 4)},
    {"Sets of replicas in lockstep must be equal", "lockstep_replicas", PRISM_ONE(lockstepReplicas, 3, 2)},
    {"The value is out of range", "group_ranks", PRISM_ONE(groupRanks, 0, 1)},
    {"The value is out of range", "group_ranks", PRISM_ONE(groupRanks, (1 << 15) + 1, 1 << 15)}, // two groups a cell
    {"The value is out of range", "groups_per_cell", PRISM_ONE(groupsPerCell, 0, 1)},
    {"The value is out of range", "groups_per_cell", PRISM_ONE(groupsPerCell, (1 << 16) + 1, 1 << 15)},
    {"The value is out of range", "group_ranks", PRISM_EDIT(g.groupsPerCell = 1; g.groupRanks = (1 << 16) + 1), PRISM_EDIT(g.groupsPerCell = 1; g.groupRanks = 1 << 16)},
    {"The value is out of range", "groups_per_cell", PRISM_EDIT(g.groupRanks = 1; g.groupsPerCell = (1 << 16) + 1), PRISM_EDIT(g.groupRanks = 1; g.groupsPerCell = 1 << 16)},
    {"The value is out of range", "classes", PRISM_EDIT(g.classes.resize(4097)), PRISM_EDIT(g.classes.resize(4096))},
    {"The value is out of range", "programs", PRISM_EDIT(g.programs.resize(65537)), PRISM_EDIT(g.programs.resize(65536))},
    {"The value is out of range", "programs", PRISM_EDIT(g.programs[0].blocks[0].ops.resize(999'998)), PRISM_EDIT(g.programs[0].blocks[0].ops.resize(999'997))},
    {"The value must lie between 0 and 1", "classes[0].spatial_sensitivity", PRISM_ONE(classes[0].spatialSensitivity, 1.0001, 1)},
    {"The value must lie between 0 and 1", "classes[0].spatial_sensitivity", PRISM_ONE(classes[0].spatialSensitivity, kTiny, 0)},
    {"There is no kernel class of this index", "programs[0].blocks[0].ops[0].class", PRISM_ONE(programs[0].blocks[0].ops[0].kernelClass, 4, 3)},
    {"There is no kernel class of this index", "programs[0].blocks[0].ops[0].class", PRISM_ONE(programs[0].blocks[0].ops[0].kernelClass, -1, 0)},
    {"There is no kernel class of this index", "grad_norm.class", PRISM_ONE(gradNorm.kernelClass, 4, 2)},
    {"The value is out of range", "programs[1].blocks[0].repeat", PRISM_ONE(programs[1].blocks[0].repeat, 0, 1)},
    {"The value is out of range", "programs[1].blocks[0].repeat", PRISM_ONE(programs[1].blocks[0].repeat, 1'000'001, 1'000'000)},
    {"A time must be a finite number of seconds", "programs[0].blocks[0].ops[1].mean_s", PRISM_ONE(programs[0].blocks[0].ops[1].meanSeconds, kHuge, 1e9)},
    {"A time must be a finite number of seconds", "programs[0].blocks[0].ops[1].mean_s", PRISM_ONE(programs[0].blocks[0].ops[1].meanSeconds, kTiny, 0)},
    {"A time must be a finite number of seconds", "programs[0].blocks[0].ops[1].mean_s", PRISM_ONE(programs[0].blocks[0].ops[1].meanSeconds, kNan, 0)},
    {"A time must be a finite number of seconds", "programs[0].blocks[0].ops[2].hidden_s", PRISM_ONE(programs[0].blocks[0].ops[2].hiddenSeconds, kTiny, 1e9)},
    {"Only a collective can be hidden", "programs[0].blocks[0].ops[0].hidden_s", PRISM_EDIT(g.programs[0].blocks[0].ops[0].hiddenSeconds = 1), PRISM_EDIT(g.programs[0].blocks[0].ops[2].hiddenSeconds = 1)},
    {"Only a compute kernel has a routing factor", "programs[0].blocks[0].ops[2].routed", PRISM_EDIT(g.programs[0].blocks[0].ops[2].routed = true), PRISM_EDIT(g.programs[0].blocks[0].ops[0].routed = true)},
    {"is a communication and needs a class with a scope", "grad_sync[1].class", PRISM_ONE(gradSync[1].kernelClass, 0, 1)},
    {"is a communication and needs a class with a scope", "send_forward[0].class", PRISM_ONE(sendForward[0].kernelClass, 3, -1)},
    {"is a communication and needs a class with a scope", "embedding_all_reduce.class", PRISM_ONE(embeddingAllReduce.kernelClass, 3, 2)},
    {"is a communication and needs a class with a scope", "send_backward[0].class", PRISM_ONE(sendBackward[0].kernelClass, 3, 2)},
    {"is a communication and needs a class with a scope", "param_gather[0].class", PRISM_ONE(paramGather[0].kernelClass, 3, 2)},
    {"is a compute kernel and needs a class without scope", "optimizer[0].class", PRISM_ONE(optimizer[0].kernelClass, 2, 0)},
    {"A time must be a finite number of seconds", "grad_sync[0].mean_s", PRISM_ONE(gradSync[0].meanSeconds, kTiny, 0)},
    {"A time must be a finite number of seconds", "grad_sync[0].hidden_s", PRISM_ONE(gradSync[0].hiddenSeconds, kHuge, 1e9)},
    {"A time must be a finite number of seconds", "grad_sync[0].min_exposed_s", PRISM_ONE(gradSync[0].minExposedSeconds, kTiny, 0)},
    {"The value is out of range", "grad_sync[0].groups", PRISM_ONE(gradSync[0].groups, 0, 1)},
    {"The value is out of range", "optimizer[0].groups", PRISM_ONE(optimizer[0].groups, 2, 1)},
    {"The value is out of range", "optimizer[0].buckets", PRISM_ONE(optimizer[0].buckets, 2, 1)},
    {"The value is out of range", "grad_sync[0].buckets", PRISM_ONE(gradSync[0].buckets, (1 << 16) + 1, 1 << 16)},
    {"The value is out of range", "grad_sync[0].groups", PRISM_EDIT(g.gradSync[0].groups = 1 << 11; g.gradSync[0].buckets = 1 << 10), PRISM_EDIT(g.gradSync[0].groups = g.gradSync[0].buckets = 1 << 10)},
    {"The list has the wrong length", "send_forward", PRISM_EDIT(g.sendForward.clear()), PRISM_EDIT(g.sendForward.resize(1))},
    {"The list has the wrong length", "send_backward", PRISM_EDIT(g.sendBackward.resize(2)), PRISM_EDIT(g.sendBackward.resize(1))},
    {"The list has the wrong length", "grad_sync", PRISM_EDIT(g.gradSync.resize(1)), PRISM_EDIT(g.gradSync.resize(2))},
    {"The list has the wrong length", "optimizer", PRISM_EDIT(g.optimizer.resize(3)), PRISM_EDIT(g.optimizer.resize(2))},
    {"The list has the wrong length", "param_gather", PRISM_EDIT(g.paramGather.resize(1)), PRISM_EDIT(g.paramGather.resize(2))},
    {"There must be one entry per stage", "program_of", PRISM_EDIT(g.programOf.pop_back()), PRISM_EDIT(g.programOf.resize(2))},
    {"There must be one entry per chunk", "program_of[0]", PRISM_EDIT(for (auto& s : g.programOf) s.resize(3, s[0])), PRISM_EDIT(for (auto& s : g.programOf) s.resize(2, s[0]))},
    {"All stages must have the same number of entries", "program_of[1]", PRISM_EDIT(g.programOf[0].resize(2, g.programOf[0][0])), PRISM_EDIT(for (auto& s : g.programOf) s.resize(2, s[0]))},
    {"The value is out of range", "program_of[1][0][0]", PRISM_ONE(programOf[1][0][0], 2, 1)},
    {"The value is out of range", "program_of[1][0][1]", PRISM_ONE(programOf[1][0][1], -1, 0)},
    {"The value is out of range", "program_of[1][0][2]", PRISM_ONE(programOf[1][0][2], -2, -1)},
    {"There must be one factor per rank", "fixed_spatial", PRISM_EDIT(g.fixedSpatial.assign(31, 1)), PRISM_EDIT(g.fixedSpatial.assign(32, 1))},
    {"There must be one factor per rank", "fixed_spatial", PRISM_EDIT(g.numReplicas = g.groupRanks = 1; g.groupsPerCell = 1 << 16; g.fixedSpatial = {1}), PRISM_EDIT(g.numReplicas = g.groupRanks = 1; g.groupsPerCell = 1 << 16; g.fixedSpatial.assign(1 << 17, 1))},
    {"There must be one factor per rank", "fixed_spatial", PRISM_EDIT(g.numReplicas = g.groupsPerCell = 1; g.groupRanks = 1 << 16; g.fixedSpatial = {1}), PRISM_EDIT(g.numReplicas = g.groupsPerCell = 1; g.groupRanks = 1 << 16; g.fixedSpatial.assign(1 << 17, 1))},
    {"There must be one factor per rank", "fixed_spatial", PRISM_EDIT(g.groupRanks = g.groupsPerCell = 1; g.numReplicas = 1 << 20; g.fixedSpatial = {1}), PRISM_EDIT(g.groupRanks = g.groupsPerCell = 1; g.numReplicas = 1 << 20; g.fixedSpatial.assign(1 << 21, 1))},
    {"A rank's factor must be positive", "fixed_spatial[31]", PRISM_EDIT(g.fixedSpatial.assign(32, 1); g.fixedSpatial[31] = 0), PRISM_EDIT(g.fixedSpatial.assign(32, 1e-300))},
    {"A rank's factor must be positive", "fixed_spatial[0]", PRISM_EDIT(g.fixedSpatial.assign(32, 1); g.fixedSpatial[0] = 1e6 * (1 + 1e-15)), PRISM_EDIT(g.fixedSpatial.assign(32, 1e6))},
    {"The lag-1 correlation must lie inside", "regime_lag1", PRISM_ONE(regimeLag1, -1, -0.999)},
    {"The lag-1 correlation must lie inside", "compute_regime_lag1", PRISM_ONE(computeRegimeLag1, 1, 0.999)},
    {"The lag-1 correlation must lie inside", "routing_regime_lag1", PRISM_ONE(routingRegimeLag1, 1, 0.999)},
    {"The value must lie between 0 and 1", "spatial_node_share", PRISM_ONE(spatialNodeShare, 1.0001, 1)},
    {"The value is out of range", "node_ranks", PRISM_ONE(nodeRanks, 0, 1)},
    {"The value is out of range", "node_ranks", PRISM_ONE(nodeRanks, (1 << 16) + 1, 1 << 16)},
    {"A time must be a finite number of seconds", "step_jitter_s", PRISM_ONE(delays.jitterSeconds, kTiny, 0)},
    {"A time must be a finite number of seconds", "stall_mean_s", PRISM_ONE(delays.stallMeanSeconds, kHuge, 1e9)},
    {"The value is out of range", "stalls_per_gpu_hour", PRISM_ONE(delays.stallsPerGpuHour, 1e6 * (1 + 1e-15), 1e6)},
    {"The value is out of range", "stall_cv", PRISM_ONE(delays.stallCv, 10.0001, 10)},
    {"The value is out of range", "stall_rate_cv", PRISM_ONE(delays.stallRateCv, kTiny, 10)},
    {"The value is out of range", "slow", PRISM_EDIT(g.slow.resize(4097)), PRISM_EDIT(g.slow.resize(4096))},
    {"The value is out of range", "slow[0].replica", PRISM_EDIT(g.slow = {{4, 0, 0}}), PRISM_EDIT(g.slow = {{3, 0, 0}})},
    {"The value is out of range", "slow[0].stage", PRISM_EDIT(g.slow = {{0, 2, 0}}), PRISM_EDIT(g.slow = {{0, 1, 0}})},
    {"The value is out of range", "slow[0].rank", PRISM_EDIT(g.slow = {{0, 0, 4}}), PRISM_EDIT(g.slow = {{-1, -1, 3}})},
    {"The value is out of range", "slow[0].rank", PRISM_EDIT(g.slow = {{0, 0, -2}}), PRISM_EDIT(g.slow = {{0, 0, -1}})},
    {"A factor must be positive", "slow[0].compute_factor", PRISM_EDIT(g.slow = {{0, 0, 0, 0}}), PRISM_EDIT(g.slow = {{0, 0, 0, 1e-300, 1e6}})},
    {"A factor must be positive", "slow[0].link_factor", PRISM_EDIT(g.slow = {{0, 0, 0, 1, 1e6 * (1 + 1e-15)}}), PRISM_EDIT(g.slow = {{0, 0, 0, 1e6, 1e-300}})},
    // distributions
    {"The coefficient of variation must be a finite number", "spatial.cv", PRISM_ONE(spatial.cv, kTiny, 0)},
    {"The coefficient of variation must be a finite number", "classes[2].temporal.cv", PRISM_ONE(classes[2].temporal.cv, kNan, 0)},
    {"The coefficient of variation is too large", "data.cv", PRISM_EDIT(g.data = {Family::normal, 0.9001}), PRISM_EDIT(g.data = {Family::normal, 0.9})},
    {"The coefficient of variation is too large", "routing.cv", PRISM_EDIT(g.routing = {Family::gamma, 10.0001}), PRISM_EDIT(g.routing = {Family::gamma, 10})},
    {"The probability of the rare event", "intra_regime.rare_probability", PRISM_ONE(intraRegime.rareProbability, 1, 0.999)},
    {"The multiplier of the rare event", "inter_regime.rare_multiplier", PRISM_ONE(interRegime.rareMultiplier, 0, 1e-300)},
    {"The multiplier of the rare event", "compute_regime.rare_multiplier", PRISM_ONE(computeRegime.rareMultiplier, 1e6 * (1 + 1e-15), 1e6)},
    {"The coefficient of variation is too large", "routing_regime.cv", PRISM_EDIT(g.routingRegime = {Family::gamma, 10.0001}), PRISM_EDIT(g.routingRegime = {Family::gamma, 10})},
    {"An empirical factor needs a pool", "data.pool", PRISM_EDIT(g.data.family = Family::empirical), PRISM_EDIT(g.data = empiricalDistribution({1}))},
    {"Every value of the pool must be", "data.pool", PRISM_EDIT(g.data = {Family::empirical, 0, 0, 1, pool({0, 2})}), PRISM_EDIT(g.data = {Family::empirical, 0, 0, 1, pool({1e-300, 2})})},
    {"The pool must be sorted", "data.pool", PRISM_EDIT(g.data = {Family::empirical, 0, 0, 1, pool({2, 1})}), PRISM_EDIT(g.data = {Family::empirical, 0, 0, 1, pool({1, 1})})},
    // schedules
    {"The size is out of range", "schedule.num_stages", PRISM_ONE(schedule.numStages, 0, 2)},
    {"The size is out of range", "schedule.num_chunks", PRISM_ONE(schedule.numChunks, 65, 1)},
    {"The size is out of range", "schedule.num_microbatches", PRISM_ONE(schedule.numMicrobatches, (1 << 16) + 1, 2)},
    {"The schedule has too many items", "schedule", PRISM_EDIT(g.schedule.numStages = 1024; g.schedule.numMicrobatches = 1954), PRISM_EDIT(g.schedule.numStages = 1024; g.schedule.numMicrobatches = 1953)},
    {"There must be one list per stage", "schedule.order", PRISM_EDIT(g.schedule.order.pop_back()), PRISM_EDIT(g.schedule.order.resize(2))},
    {"The path must visit every chunk of every stage once", "schedule.path", PRISM_EDIT(g.schedule.path.pop_back()), PRISM_EDIT(g.schedule.path.resize(2))},
    {"The pair (stage, chunk) is out of range", "schedule.path[1]", PRISM_EDIT(g.schedule.path[1] = {2, 0}), PRISM_EDIT(g.schedule.path[1] = {1, 0})},
    {"The path visits this chunk twice", "schedule.path[1]", PRISM_EDIT(g.schedule.path[1] = {0, 0}), PRISM_EDIT(g.schedule.path[1] = {1, 0})},
    {"The item does not exist", "schedule.order[0][0]", PRISM_ONE(schedule.order[0][0].microbatch, 2, 0)},
    {"The item does not exist", "schedule.order[0][0]", PRISM_ONE(schedule.order[0][0].chunk, 1, 0)},
    {"The item does not exist", "schedule.order[0][0]", PRISM_EDIT(g.schedule = *makeSchedule("zb-h1", 2, 1, 2); g.schedule.order[0][0].microbatch = 2), PRISM_EDIT(g.schedule = *makeSchedule("zb-h1", 2, 1, 2))},
    {"The item does not exist", "schedule.order[1][3]", PRISM_EDIT(g.schedule.order[1].back().phase = Phase::weight), PRISM_EDIT(g.schedule.order[1].back().phase = Phase::backward)},
    {"runs F0 of chunk 0 twice", "schedule.order[0][1]", PRISM_ONE(schedule.order[0][1].microbatch, 0, 1)},
    {"never runs B1 of chunk 0", "schedule.order[0]", PRISM_EDIT(g.schedule.order[0].pop_back()), PRISM_EDIT(g.schedule.order[0].resize(4))},
    {"These items make no piece", "schedule.order[0][0]", PRISM_ONE(schedule.order[0][0].withNext, true, false)},
    {"These items make no piece", "schedule.order[1][3]", PRISM_ONE(schedule.order[1].back().withNext, true, false)},
    {"Deadlock: stage 0 waits at B0", "schedule.order[0][0]", PRISM_EDIT(std::rotate(g.schedule.order[0].begin(), std::find(g.schedule.order[0].begin(), g.schedule.order[0].end(), ScheduleItem{Phase::backward, 0, 0}), g.schedule.order[0].end())), PRISM_EDIT(std::reverse(g.schedule.order.begin(), g.schedule.order.begin()))},
};
// clang-format on

TEST(GraphRules, EachIsBrokenAndKeptAtItsBorder)
{
    ASSERT_TRUE(check(fine()).empty()) << check(fine()).front().path;
    for (const Rule& rule : kRules) {
        StepGraph broken = fine(), kept = fine();
        rule.broken(broken);
        rule.kept(kept);
        const auto reported = [&rule](const StepGraph& g) {
            const Diagnostics found = test::withMessage(check(g), rule.message);
            return std::count_if(found.begin(), found.end(), [&](const Diagnostic& d) { return d.path == rule.path; });
        };
        EXPECT_EQ(reported(broken), 1) << rule.path << ": " << rule.message;
        EXPECT_EQ(reported(kept), 0) << rule.path << ": " << rule.message << ": kept, and reported all the same";
    }
}

TEST(GraphRules, TwoHundredFindingsAreReported)
{
    StepGraph g = fine();
    g.slow.assign(300, {-2, 0, 0});
    EXPECT_EQ(check(g).size(), 200U);
}

TEST(GraphRules, NoneOfTheSourcesIsWithoutACase)
{
    Diagnostics reported;
    for (const Rule& rule : kRules) {
        StepGraph broken = fine();
        rule.broken(broken);
        for (Diagnostic& d : check(broken))
            reported.push_back(std::move(d));
    }
    StepGraph many = fine();
    many.schedule = makeSchedule("1f1b", 2, 1, 64).value();
    for (auto& order : many.schedule.order)
        order.clear();
    for (Diagnostic& d : check(many)) // more than are listed
        reported.push_back(std::move(d));
    test::expectEverySentence("core/step/stepgraph.cpp", reported);
    test::expectEverySentence("core/stats/distribution.cpp", reported);
    test::expectEverySentence("core/schedule/check.cpp", reported);
}

} // namespace
} // namespace prism
