// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/step/chakratrace.h"

#include "core/schedule/generators.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <set>

namespace prism {
namespace {

using nlohmann::json;

/// Two replicas of two stages with two ranks each; every chunk is two kernels and a collective.
StepGraph smallJob()
{
    StepGraph g;
    g.name = "small";
    g.numReplicas = 2;
    g.groupRanks = 2;
    KernelClass gemm{.name = "gemm"}, gather{.name = "tp.all_gather", .scope = Scope::intraNode},
        send{.name = "pp.send_recv", .scope = Scope::interNode}, reduce{.name = "dp.reduce_scatter", .scope = Scope::interNode};
    gemm.temporal.family = Family::lognormal;
    gemm.temporal.cv = 0.05;
    g.classes = {gemm, gather, send, reduce};
    g.programs = {{"forward", {{2, {{.kernelClass = 0, .meanSeconds = 1e-3}}}, {1, {{.kernelClass = 1, .meanSeconds = 2e-4}}}}}};
    g.schedule = *makeSchedule("1f1b", 2, 1, 3);
    g.programOf = {{{0, 0, -1}}, {{0, 0, -1}}};
    g.sendForward.assign(1, {.kernelClass = 2, .meanSeconds = 1e-4});
    g.sendBackward = g.sendForward;
    g.gradSync.assign(2, {.kernelClass = 3, .meanSeconds = 5e-3, .hiddenSeconds = 1e-3});
    g.optimizer.assign(2, {.kernelClass = 0, .meanSeconds = 1e-3});
    g.paramGather.resize(2);
    return g;
}

std::map<std::string, json> attributesOf(const json& node)
{
    std::map<std::string, json> found;
    for (const json& a : node["attr"])
        for (const auto& [key, value] : a.items())
            if (key != "name")
                found[a["name"]] = value;
    return found;
}

TEST(ChakraTrace, HoldsEveryOperationOfARankOnce)
{
    const StepGraph g = smallJob();
    ASSERT_TRUE(chakraRanks(g).ok()) << chakraRanks(g).errors().front().message;
    EXPECT_EQ(*chakraRanks(g), 8);
    std::map<std::string, int> types;
    double busy = 0;
    const json trace = json::parse(chakraTrace(g, 0));
    for (const json& node : trace["nodes"]) {
        ++types[node["type"]];
        if (node["type"] == "COMP_NODE")
            busy += node["duration_micros"].get<double>();
    }
    // Stage 0 of two: 6 chunk executions of 2 kernels and 1 collective; it sends 3 activations and receives 3 gradients; then the
    // gradient synchronisation and the optimizer.
    EXPECT_EQ(types["COMP_NODE"], 6 * 2 + 1);
    EXPECT_EQ(types["COMM_COLL_NODE"], 6 + 1);
    EXPECT_EQ(types["COMM_SEND_NODE"], 3);
    EXPECT_EQ(types["COMM_RECV_NODE"], 3);
    EXPECT_DOUBLE_EQ(busy, 13'000);
}

TEST(ChakraTrace, DependsOnEarlierNodesAlone)
{
    const StepGraph g = smallJob();
    for (int rank = 0; rank < 8; ++rank) {
        std::set<std::uint64_t> seen;
        const json trace = json::parse(chakraTrace(g, rank));
        for (const json& node : trace["nodes"]) {
            for (const char* key : {"ctrl_deps", "data_deps"})
                for (const json& before : node[key])
                    EXPECT_TRUE(seen.contains(before.get<std::uint64_t>())) << rank << " " << node["name"];
            EXPECT_TRUE(seen.insert(node["id"].get<std::uint64_t>()).second);
        }
    }
}

TEST(ChakraTrace, EverySendHasItsReceiver)
{
    const StepGraph g = smallJob();
    std::multiset<std::string> sent, received;
    for (int rank = 0; rank < 8; ++rank) {
        const json trace = json::parse(chakraTrace(g, rank));
        for (const json& node : trace["nodes"]) {
            const auto a = attributesOf(node);
            if (!a.contains("comm_tag"))
                continue;
            const std::string message = a.at("comm_src").dump() + ">" + a.at("comm_dst").dump() + "#" + a.at("comm_tag").dump();
            (node["type"] == "COMM_SEND_NODE" ? sent : received).insert(message);
            EXPECT_EQ((node["type"] == "COMM_SEND_NODE" ? a.at("comm_src") : a.at("comm_dst")).get<int>(), rank);
        }
    }
    EXPECT_EQ(sent.size(), 4U * 6U); // two replicas of two ranks per stage: 3 activations and 3 gradients each
    EXPECT_EQ(sent, received);
    EXPECT_EQ(std::set<std::string>(sent.begin(), sent.end()).size(), sent.size()) << "no two messages share a tag";
}

TEST(ChakraTrace, SaysTheDistributionAndTheGroup)
{
    const json trace = json::parse(chakraTrace(smallJob(), 5));
    for (const json& node : trace["nodes"]) {
        const auto a = attributesOf(node);
        if (node["type"] == "COMP_NODE") {
            EXPECT_EQ(a.at("prism.family"), "lognormal");
            EXPECT_EQ(a.at("prism.cv"), 0.05);
        }
        if (node["name"] == "gradient synchronisation") {
            EXPECT_EQ(a.at("comm_type"), 7);
            EXPECT_EQ(a.at("pg_name"), "stage 0");
            EXPECT_DOUBLE_EQ(a.at("prism.hidden_us").get<double>(), 1000);
        }
    }
}

TEST(ChakraTrace, IsRefusedForLargeJobsAndWrongGraphs)
{
    StepGraph g = smallJob();
    g.numReplicas = 1000;
    EXPECT_EQ(chakraRanks(g).errors().front().path, "num_replicas");
    g = smallJob();
    g.programs[0].blocks[0].repeat = 100'000;
    EXPECT_FALSE(chakraRanks(g).ok());
    g = smallJob();
    g.programOf.clear();
    EXPECT_FALSE(chakraRanks(g).ok());
}

} // namespace
} // namespace prism
