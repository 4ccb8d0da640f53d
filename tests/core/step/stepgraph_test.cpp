// SPDX-License-Identifier: GPL-3.0-or-later
// Step graphs: lossless JSON, every mistake reported with its place, and no text that breaks the reader.
#include "core/step/stepgraph.h"

#include "everyfield.h"

#include "core/schedule/generators.h"
#include "core/sim/graphs.h"
#include "core/stats/random.h"
#include "core/step/criticalpath.h"

#include "prism_paths.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <fstream>
#include <limits>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace prism {
namespace {

/// A graph that uses every field, with numbers that have no short decimal form.
StepGraph fullGraph()
{
    test::JobShape shape{.schedule = "zb-v",
                         .stages = 2,
                         .chunks = 2,
                         .microbatches = 3,
                         .replicas = 2,
                         .groupRanks = 2,
                         .groups = 2,
                         .layers = 3,
                         .forwardSeconds = 1.0 / 3,
                         .collectiveSeconds = 0.1,
                         .sendSeconds = 1e-7 / 3,
                         .gradSyncSeconds = 0.7,
                         .optimizerSeconds = 0.3,
                         .paramGatherSeconds = 0.2,
                         .gradNormSeconds = 1e-4,
                         .embeddingSeconds = 0.05};
    shape.compute = {Family::weibull, 0.1 / 3};
    shape.intra = empiricalDistribution({1, 2, 4.0 / 3});
    shape.inter = {Family::gamma, 0.2, 1e-3, 10.0 / 3};
    StepGraph g = test::jobGraph(shape);
    g.programs[0].blocks[0].ops[2].sync = Sync::cell;
    g.programs[0].blocks[0].ops[2].hiddenSeconds = 0.1 / 7;
    g.gradSync[1].hiddenSeconds = 0.6;
    g.gradSync[1].minExposedSeconds = 0.01;
    g.paramGather[0] = {};
    g.transferOccupiesSender = true;
    g.spatial = {Family::normal, 0.01};
    g.data = {Family::lognormal, 0.3};
    g.dataScope = DataScope::group;
    g.routing = {Family::gamma, 0.1};
    g.lockstepReplicas = 2;
    g.programs[1].blocks[0].ops[2].sync = Sync::replicas;
    g.programs[1].blocks[0].ops[0].routed = true;
    g.sendForward[0].groups = 4;
    g.gradSync[0].groups = 2;
    g.gradSync[0].buckets = 7;
    g.intraRegime = {Family::lognormal, 0.05};
    g.interRegime = {Family::lognormal, 0.1, 0.01, 2.0};
    g.regimeLag1 = 0.35;
    g.slow = {{0, 1, 3, 1.5, 1.0}, {-1, 0, -1, 1.0, 2.0}};
    g.fixedSpatial.assign(16, 1.0 / 1.1);
    return g;
}

TEST(StepGraph, JsonIsLossless)
{
    const StepGraph g = fullGraph();
    ASSERT_TRUE(check(g).empty()) << check(g)[0].path << " " << check(g)[0].message;
    const std::string text = toJson(g);
    const auto back = stepGraphFromJson(text);
    ASSERT_TRUE(back.ok()) << back.errors()[0].path << " " << back.errors()[0].message;
    EXPECT_TRUE(*back == g);
    EXPECT_EQ(back->hash(), g.hash());
    EXPECT_EQ(toJson(*back), text);
}

TEST(StepGraph, TheExampleOfTheHelpPageLoads)
{
    std::ifstream in(std::string(PRISM_SOURCE_DIR) + "/resources/help/stepgraph.md");
    std::stringstream page;
    page << in.rdbuf();
    const std::string text = page.str();
    const auto begin = text.find("```json") + 7;
    const auto graph = stepGraphFromJson(text.substr(begin, text.find("```", begin) - begin));
    ASSERT_TRUE(graph.ok()) << graph.errors()[0].path << " " << graph.errors()[0].message;
    EXPECT_EQ(graph->schedule.order[0], makeSchedule("1f1b", 2, 1, 3)->order[0]);
    EXPECT_EQ(graph->gradSync[0].buckets, 10);
    EXPECT_EQ(graph->dataScope, DataScope::group);
    EXPECT_EQ(lockstepSize(*graph), 2);
    EXPECT_EQ(graph->numReplicas, 2);
}

/// The full graph with nothing absent and nothing still: what is absent or still has no other fields.
StepGraph presentGraph()
{
    StepGraph g = fullGraph();
    for (std::vector<StepOp>* ops : {&g.sendForward, &g.sendBackward, &g.gradSync, &g.optimizer, &g.paramGather})
        for (StepOp& op : *ops)
            op.kernelClass = std::max(op.kernelClass, 0);
    for (StepOp* op : {&g.embeddingAllReduce, &g.gradNorm})
        op->kernelClass = std::max(op->kernelClass, 0);
    for (KernelClass& k : g.classes)
        k.temporal = {Family::gamma, 0.1, 0.01, 2.0, k.temporal.pool};
    for (Distribution* d : {&g.spatial, &g.data, &g.routing, &g.intraRegime, &g.interRegime, &g.computeRegime, &g.routingRegime})
        *d = {Family::gamma, 0.1, 0.01, 2.0, d->pool};
    return g;
}

TEST(StepGraph, ThePoolAndNotTheFileSetsHowAMeasuredFactorVaries)
{
    StepGraph graph = fullGraph();
    graph.intraRegime = empiricalDistribution({0.5, 1.5}); // (0.5^2 + 0.5^2) / 2 = 0.5^2
    for (const double stated : {0.0, 0.2}) {
        StepGraph written = graph;
        written.intraRegime.cv = stated;
        const Result<StepGraph> read = stepGraphFromJson(toJson(written));
        ASSERT_TRUE(read);
        EXPECT_EQ(read->intraRegime.cv, 0.5) << stated;
        EXPECT_EQ(read->hash(), graph.hash()) << stated;
    }
}

TEST(StepGraph, EveryFieldIsInTheHashAndInTheFile)
{
    const StepGraph base = presentGraph();
    StepGraph g = base;
    std::set<std::uint64_t> hashes{base.hash().value};
    test::forEveryChange(g, [&](const std::string& path) {
        EXPECT_TRUE(hashes.insert(g.hash().value).second) << path << " is not in the hash";
        const Result<StepGraph> back = stepGraphFromJson(toJson(g)); // what is refused was written and read as well
        EXPECT_TRUE(!back.ok() || *back == g) << path << " is lost in the file";
    });
    EXPECT_TRUE(g == base);
    EXPECT_EQ(presentGraph().hash(), base.hash());
}

/// A text in the place of each number of a file: the message names what the reader takes there.
TEST(StepGraph, EveryNumberOfAFileHasItsRange)
{
    StepGraph g = presentGraph(); // with no field at its default, which would not be written
    for (std::vector<StepOp>* ops : {&g.sendForward, &g.sendBackward, &g.gradSync, &g.optimizer, &g.paramGather})
        ops->assign(2, {1, 0.1, 0.2, 0.3, 2, 3});
    g.embeddingAllReduce = g.gradNorm = {1, 0.1, 0.2, 0.3, 2, 3};
    g.computeRegimeLag1 = g.routingRegimeLag1 = g.spatialNodeShare = 0.25;
    g.nodeRanks = 2;
    g.delays = {0.1, 0.2, 0.3, 0.4, 0.5};
    g.slow = {{1, 1, 1, 2.0, 3.0}};
    const nlohmann::json whole = nlohmann::json::parse(toJson(g));
    std::map<std::string, std::string> ranges;
    const nlohmann::json flat = whole.flatten();
    const std::regex position("\\[\\d+\\]");
    for (const auto& [pointer, value] : flat.items()) {
        if (!value.is_number())
            continue;
        nlohmann::json changed = whole;
        changed[nlohmann::json::json_pointer(pointer)] = "x";
        const Diagnostics errors = stepGraphFromJson(changed.dump()).errors();
        ASSERT_EQ(errors.size(), 1U) << pointer;
        ranges[std::regex_replace(errors.front().path, position, "[]")] = errors.front().accepted;
    }
    const std::string any = "a number from 0 to 1.7976931348623157e+308", share = "a number from 0 to 1",
                      count = "an integer from 1 to 2147483647", lag = "a number from -1 to 1", index = "an integer from -1 to 2147483647",
                      place = "an integer from -1";
    std::map<std::string, std::string> expected = {{"version", "an integer from 1 to 2"},
                                                   {"num_replicas", count},
                                                   {"group_ranks", count},
                                                   {"groups_per_cell", count},
                                                   {"lockstep_replicas", "an integer from 0 to 2147483647"},
                                                   {"classes[].spatial_sensitivity", share},
                                                   {"programs[].blocks[].repeat", count},
                                                   {"programs[].blocks[].ops[].class", "an integer from 0 to 2147483647"},
                                                   {"programs[].blocks[].ops[].mean_s", any},
                                                   {"programs[].blocks[].ops[].hidden_s", any},
                                                   {"program_of[][][]", place},
                                                   {"schedule.num_stages", "an integer from 1 to 1024"},
                                                   {"schedule.num_chunks", "an integer from 1 to 64"},
                                                   {"schedule.num_microbatches", "an integer from 1 to 65536"},
                                                   {"schedule.path[][]", place},
                                                   {"regime_lag1", lag},
                                                   {"compute_regime_lag1", lag},
                                                   {"routing_regime_lag1", lag},
                                                   {"spatial_node_share", share},
                                                   {"node_ranks", count},
                                                   {"step_jitter_s", any},
                                                   {"stalls_per_gpu_hour", any},
                                                   {"stall_mean_s", any},
                                                   {"stall_cv", any},
                                                   {"stall_rate_cv", any},
                                                   {"slow[].replica", index},
                                                   {"slow[].stage", index},
                                                   {"slow[].rank", index},
                                                   {"slow[].compute_factor", any},
                                                   {"slow[].link_factor", any},
                                                   {"fixed_spatial[]", "a number"},
                                                   {"classes[].temporal.pool[]", "a number"}};
    for (const char* op :
         {"send_forward[]", "send_backward[]", "embedding_all_reduce", "grad_sync[]", "grad_norm", "optimizer[]", "param_gather[]"}) {
        expected[op + std::string(".class")] = index;
        for (const char* key : {".groups", ".buckets"})
            expected[op + std::string(key)] = count;
        for (const char* key : {".mean_s", ".hidden_s", ".min_exposed_s"})
            expected[op + std::string(key)] = any;
    }
    for (const char* factor :
         {"classes[].temporal", "spatial", "data", "routing", "intra_regime", "inter_regime", "compute_regime", "routing_regime"}) {
        expected[factor + std::string(".cv")] = expected[factor + std::string(".rare_multiplier")] = any;
        expected[factor + std::string(".rare_probability")] = share;
    }
    EXPECT_EQ(ranges, expected);
}

TEST(StepGraph, CheckReportsEveryProblem)
{
    StepGraph g = fullGraph();
    g.programs[0].blocks[0].ops[0].kernelClass = 9;
    g.programs[0].blocks[0].ops[1].meanSeconds = std::numeric_limits<double>::quiet_NaN();
    g.programs[1].blocks[0].repeat = 0;
    g.programOf[1][0][1] = 12;
    g.gradSync.pop_back();
    g.optimizer[0].kernelClass = 2;       // a communication
    g.embeddingAllReduce.kernelClass = 0; // a compute kernel
    g.classes[0].temporal.cv = -1;
    g.classes[0].spatialSensitivity = 2;
    g.slow[0].replica = 2;
    g.slow[1].linkFactor = 0;
    g.fixedSpatial[3] = -1;
    g.regimeLag1 = 1.0;
    g.lockstepReplicas = 3;
    g.programs[2].blocks[0].ops[2].routed = true; // a collective
    g.gradNorm.buckets = 0;
    g.optimizer[1].groups = 2; // a compute kernel
    std::set<std::string> paths;
    for (const Diagnostic& d : check(g))
        paths.insert(d.path);
    const std::set<std::string> expected = {"programs[0].blocks[0].ops[0].class",
                                            "programs[0].blocks[0].ops[1].mean_s",
                                            "programs[1].blocks[0].repeat",
                                            "program_of[1][0][1]",
                                            "grad_sync",
                                            "optimizer[0].class",
                                            "embedding_all_reduce.class",
                                            "classes[0].temporal.cv",
                                            "classes[0].spatial_sensitivity",
                                            "slow[0].replica",
                                            "slow[1].link_factor",
                                            "fixed_spatial[3]",
                                            "regime_lag1",
                                            "lockstep_replicas",
                                            "programs[2].blocks[0].ops[2].routed",
                                            "grad_norm.buckets",
                                            "optimizer[1].groups"};
    EXPECT_EQ(paths, expected);
}

TEST(StepGraph, SeparateWeightPassesNeedAProgram)
{
    test::JobShape shape;
    shape.schedule = "zb-h1";
    shape.stages = 2;
    shape.microbatches = 4;
    StepGraph g = test::jobGraph(shape);
    EXPECT_FALSE(hasErrors(check(g)));
    g.programOf[1][0][2] = -1;
    EXPECT_TRUE(hasErrors(check(g)));
    shape.schedule = "1f1b";
    EXPECT_FALSE(hasErrors(check(test::jobGraph(shape)))) << "none is scheduled";
}

TEST(CriticalPath, OnlyChunksThatRunArePiecesOfIt)
{
    test::JobShape shape;
    shape.schedule = "dualpipev";
    shape.stages = 4;
    shape.chunks = 2;
    shape.microbatches = 12;
    shape.collectiveSeconds = 0.1;
    shape.sendSeconds = 0.05;
    StepGraph g = test::jobGraph(shape);
    test::joinPasses(g);
    const CriticalPath path = criticalPath(g);
    double sum = 0.0;
    for (const PathPiece& piece : path.pieces) {
        sum += piece.seconds;
        EXPECT_EQ(piece.kind == PathKind::chunk, piece.slot >= 0);
        EXPECT_GT(piece.seconds, 0.0);
    }
    EXPECT_NEAR(sum, path.seconds, 1e-9 * path.seconds);
}

TEST(StepGraph, ProgramsOfPiecesAreThereOnAllStagesOrNone)
{
    StepGraph g = fullGraph();
    const ContentHash plain = g.hash();
    for (auto& stage : g.programOf)
        for (int chunk = 0; chunk < g.schedule.numChunks; ++chunk)
            stage.push_back(std::array(stage[static_cast<std::size_t>(chunk)]));
    EXPECT_FALSE(hasErrors(check(g)));
    EXPECT_NE(g.hash(), plain);
    g.programOf[1].resize(static_cast<std::size_t>(g.schedule.numChunks));
    Diagnostics errors = check(g);
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_EQ(errors[0].path, "program_of[1]");
    g.programOf[1].resize(5, g.programOf[0][0]);
    errors = check(g);
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_EQ(errors[0].path, "program_of[1]");
}

TEST(StepGraph, VersionOneKeepsItsMeaningAndReadsNothingNewer)
{
    const std::string rest = R"("classes": [{"name": "c", "scope": "inter_node"}], "programs": [{"blocks": [{"ops": []}]}],
        "program_of": [[[0, 0]]], "schedule": {"name": "1f1b"}, "data": {"family": "gamma", "cv": 0.1}, )";
    const auto one = stepGraphFromJson(R"({"format": "prism-stepgraph-1", )" + rest + R"("grad_sync": [{"class": 0, "mean_s": 1}]})");
    ASSERT_TRUE(one.ok()) << one.errors()[0].path;
    EXPECT_EQ(one->gradSync[0].groups * one->gradSync[0].buckets, 1);
    EXPECT_EQ(one->dataScope, DataScope::replica);
    const auto newer = stepGraphFromJson(R"({"format": "prism-stepgraph-1", )" + rest
                                         + R"("data_per": "group", "grad_sync": [{"class": 0, "mean_s": 1, "groups": 2}]})");
    ASSERT_FALSE(newer.ok());
    EXPECT_EQ(newer.errors().size(), 2U);
    EXPECT_TRUE(stepGraphFromJson(R"({"format": "prism-stepgraph", "version": 2, )" + rest + R"("data_per": "group"})").ok());
    EXPECT_FALSE(stepGraphFromJson(R"({"format": "prism-stepgraph", "version": 3, )" + rest + R"("name": "x"})").ok());
}

TEST(StepGraph, MistakesInAFileComeAllAtOnceWithTheirPlace)
{
    const auto result = stepGraphFromJson(R"({"format": "prism-stepgraph-1", "num_replica": 2, "group_ranks": "two",
        "classes": [{"name": "a", "scope": "node", "temporal": {"family": "gama", "cv": -1}}],
        "programs": [{"blocks": [{"repeat": 1.5, "ops": [{"class": 0, "mean": 1}]}]}],
        "schedule": {"name": "1f1b", "num_stages": 1, "num_microbatches": 1, "path": [[0, 0]], "order": ["F0 X1"]}})");
    ASSERT_FALSE(result.ok());
    std::vector<std::string> paths;
    for (const Diagnostic& d : result.errors())
        paths.push_back(d.path);
    for (const char* path : {"num_replica", "group_ranks", "classes[0].scope", "classes[0].temporal.family", "classes[0].temporal.cv",
                             "programs[0].blocks[0].repeat", "programs[0].blocks[0].ops[0].mean", "schedule.order[0]"})
        EXPECT_NE(std::find(paths.begin(), paths.end(), path), paths.end()) << path;
}

TEST(StepGraph, HostileTextsEndInErrors)
{
    EXPECT_FALSE(stepGraphFromJson("").ok());
    EXPECT_FALSE(stepGraphFromJson("[]").ok());
    EXPECT_FALSE(stepGraphFromJson("{}").ok());
    EXPECT_FALSE(stepGraphFromJson("null").ok());
    EXPECT_FALSE(stepGraphFromJson(std::string(10'000, '[') + std::string(10'000, ']')).ok());
    EXPECT_FALSE(stepGraphFromJson(R"({"format": "prism-stepgraph-1", "num_replicas": 1e999})").ok());
    EXPECT_FALSE(stepGraphFromJson(R"({"format": "prism-stepgraph-2"})").ok());
    EXPECT_FALSE(stepGraphFromJson(R"({"format": "prism-stepgraph-1", "group_ranks": 2000000000, "groups_per_cell": 2000000000,
        "fixed_spatial": [1], "schedule": {"name": "zb-h1", "num_stages": 1024, "num_microbatches": 65536}})")
                     .ok());
}

TEST(StepGraph, RandomlyChangedTextsNeverBreakTheReader)
{
    const std::string good = toJson(fullGraph());
    const std::string alphabet = "{}[]\",:0123456789.-+eEtfnulFBW \n\\";
    const auto draw = [](std::uint64_t i, std::uint64_t which, std::size_t n) {
        return static_cast<std::size_t>(uniform(2026, stream(99, which), i) * static_cast<double>(n));
    };
    int accepted = 0;
    for (std::uint64_t i = 0; i < 3000; ++i) {
        std::string text = good;
        for (std::size_t k = 0; k <= draw(i, 0, 4); ++k) {
            const std::size_t at = draw(i, 1 + 4 * k, text.size());
            const char c = alphabet[draw(i, 2 + 4 * k, alphabet.size())];
            switch (draw(i, 3 + 4 * k, 4)) {
            case 0:
                text[at] = c;
                break;
            case 1:
                text.insert(at, 1, c);
                break;
            case 2:
                text.erase(at, 1 + draw(i, 4 + 4 * k, 20));
                break;
            default:
                text.resize(at);
                text += 'x';
                break;
            }
            if (text.empty())
                text.push_back('{');
        }
        const auto result = stepGraphFromJson(text);
        if (result.ok()) {
            ++accepted;
            EXPECT_TRUE(check(*result).empty());
            const auto again = stepGraphFromJson(toJson(*result));
            ASSERT_TRUE(again.ok());
            EXPECT_TRUE(*again == *result);
        } else {
            EXPECT_FALSE(result.errors().empty());
        }
    }
    EXPECT_GT(accepted, 10); // a changed digit or a blank is still a graph
    EXPECT_LT(accepted, 2990);
}

} // namespace
} // namespace prism
