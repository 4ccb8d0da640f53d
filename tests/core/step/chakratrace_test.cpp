// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/step/chakratrace.h"

#include "core/schedule/generators.h"
#include "core/schedule/lists.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
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
    EXPECT_EQ(chakraRanks(g)->size(), 8U);
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

TEST(ChakraTrace, ReportsTheDistributionAndTheGroup)
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

/// What et_def.proto of MLCommons Chakra declares of the messages that a trace holds: fields, and the JSON of their types.
bool isAttribute(const json& a)
{
    static const std::map<std::string, json::value_t> values{
        {"string_val", json::value_t::string}, {"bool_val", json::value_t::boolean}, {"double_val", json::value_t::number_float}};
    if (!a.is_object() || a.size() != 2 || !a.at("name").is_string()) // a name, and one value of the oneof
        return false;
    for (const auto& [key, value] : a.items())
        if (key == "int64_val" ? !value.is_number_integer() : key != "name" && (!values.contains(key) || value.type() != values.at(key)))
            return false;
    return true;
}

TEST(ChakraTrace, HoldsOnlyWhatTheSchemaDeclares)
{
    const std::set<std::string> types{"COMP_NODE", "COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE"};
    const std::set<std::string> fields{"id", "name", "type", "ctrl_deps", "data_deps", "duration_micros", "attr"};
    const StepGraph g = smallJob();
    for (int rank = 0; rank < 8; ++rank) {
        const json trace = json::parse(chakraTrace(g, rank));
        ASSERT_EQ(trace.size(), 2U);
        ASSERT_TRUE(trace.at("global_metadata").at("version").is_string());
        for (const json& a : trace.at("global_metadata").at("attr"))
            EXPECT_TRUE(isAttribute(a)) << a;
        for (const json& node : trace.at("nodes")) {
            for (const auto& [key, value] : node.items())
                EXPECT_TRUE(fields.contains(key)) << key;
            EXPECT_TRUE(types.contains(node.at("type"))) << node.at("type");
            EXPECT_TRUE(node.at("id").is_number_unsigned() && node.at("duration_micros").is_number_unsigned());
            for (const json& a : node.at("attr"))
                EXPECT_TRUE(isAttribute(a)) << a;
            const auto a = attributesOf(node);
            EXPECT_EQ(a.contains("comm_src") && a.contains("comm_dst") && a.contains("comm_tag"),
                      node.at("type") == "COMM_SEND_NODE" || node.at("type") == "COMM_RECV_NODE");
            EXPECT_EQ(a.contains("pg_name"), node.at("type") == "COMM_COLL_NODE");
        }
    }
}

TEST(ChakraTrace, AReceivedMessageIsWaitedForByTheNextOperation)
{
    const json trace = json::parse(chakraTrace(smallJob(), 2)); // the second stage of the first replica
    int waits = 0;
    for (std::size_t i = 0; i + 1 < trace["nodes"].size(); ++i)
        if (trace["nodes"][i]["type"] == "COMM_RECV_NODE") {
            ++waits;
            EXPECT_EQ(trace["nodes"][i + 1]["data_deps"], json::array({trace["nodes"][i]["id"]}));
        }
    EXPECT_EQ(waits, 3);                                            // three activations
    EXPECT_EQ(trace["global_metadata"]["attr"][1]["int64_val"], 2); // "rank"
}

TEST(ChakraTrace, APieceWaitsForAllItsMessagesAndNoneForAnother)
{
    StepGraph g = smallJob();
    g.schedule.order[0] = itemsFromText("F0 F1 F2+B0 B1 B2", "order").value();
    g.programOf = {{{0, 0, -1}, {1, 1, -1}}, {{0, 0, -1}, {1, 1, -1}}}; // in a piece: one kernel less
    g.programs.push_back({"beside", {{1, g.programs[0].blocks[0].ops}, g.programs[0].blocks[1]}});
    ASSERT_TRUE(check(g).empty());
    const json trace = json::parse(chakraTrace(g, 0));
    std::map<std::string, int> nodes;
    std::string order;
    for (const json& node : trace["nodes"]) {
        ++nodes[node["name"]];
        if (node["type"] == "COMM_RECV_NODE") {
            EXPECT_TRUE(node["data_deps"].empty() && node["ctrl_deps"].empty());
        }
        if (node["type"] == "COMM_SEND_NODE" || node["type"] == "COMM_RECV_NODE")
            order += node["name"].get<std::string>().substr(0, 6) + node["name"].get<std::string>().back() + " ";
    }
    EXPECT_EQ(order, "send a0 send a1 receiv0 send a2 receiv1 receiv2 ");
    EXPECT_EQ(nodes["gemm F1.0"], 2);
    EXPECT_EQ(nodes["gemm F2.0"], 1);
    EXPECT_EQ(nodes["gemm B0.0"], 1);
    // A stage in the middle of three: the piece's first kernel waits for an activation and a gradient.
    StepGraph three = smallJob();
    three.schedule = *makeSchedule("1f1b", 3, 1, 2);
    three.schedule.order[1] = itemsFromText("F0 F1+B0 B1", "order").value();
    three.programOf.assign(3, {{0, 0, -1}});
    three.sendForward.assign(2, g.sendForward[0]);
    three.sendBackward = three.sendForward;
    three.gradSync.assign(3, g.gradSync[0]);
    three.optimizer.assign(3, g.optimizer[0]);
    three.paramGather.resize(3);
    ASSERT_TRUE(check(three).empty());
    const json middle = json::parse(chakraTrace(three, 2));
    std::size_t largest = 0;
    for (const json& node : middle["nodes"])
        largest = std::max(largest, node["data_deps"].size());
    EXPECT_EQ(largest, 2U);
}

TEST(ChakraTrace, TheEmbeddingIsReducedOnTheFirstAndTheLastStage)
{
    StepGraph g = smallJob();
    g.embeddingAllReduce = {.kernelClass = 3, .meanSeconds = 1e-3};
    for (std::int64_t rank = 0; rank < 8; ++rank) {
        const json trace = json::parse(chakraTrace(g, rank));
        EXPECT_EQ(std::count_if(trace["nodes"].begin(), trace["nodes"].end(),
                                [](const json& node) { return node["name"].get<std::string>().find("embedding") != std::string::npos; }),
                  1)
            << rank;
    }
}

TEST(ChakraTrace, TheBusiestStageLimitsTheRanks)
{
    // 3 micro-batches x 2 passes x 50,000 kernels on one of two stages exceed the 250,000 nodes of a trace on a single rank.
    StepGraph g = smallJob();
    Program large = g.programs[0];
    large.blocks[0].repeat = 50'000;
    g.programs.push_back(large);
    for (const std::size_t busiest : {0U, 1U}) {
        StepGraph uneven = g;
        uneven.programOf[busiest] = {{1, 1, -1}};
        EXPECT_FALSE(chakraRanks(uneven).ok()) << busiest;
    }
}

TEST(ChakraTrace, ALargeJobIsRefusedAndReportsWhatWouldFit)
{
    StepGraph g = smallJob();
    g.numReplicas = 1000; // 4,000 ranks of 6 chunks with 3 operations and 2 transfers: 30 nodes each
    ASSERT_FALSE(chakraRanks(g).ok());
    const Diagnostic refused = chakraRanks(g).errors().front();
    EXPECT_EQ(refused.path, "--chakra");
    EXPECT_EQ(refused.found, "4000 ranks with up to 30 operations");
    EXPECT_NE(refused.accepted.find("--ranks 0-1023"), std::string::npos) << refused.accepted;
    EXPECT_EQ(chakraRanks(g, "0-1023")->size(), 1024U);
    EXPECT_EQ(*chakraRanks(g, "3999, 0-2,1"), (std::vector<std::int64_t>{0, 1, 2, 3999}));
    g.numReplicas = 2;
    g.programs[0].blocks[0].repeat = 10'000; // 6 x (10,001 + 2) = 60,018 nodes: four ranks fit into 250,000
    EXPECT_NE(chakraRanks(g).errors().front().accepted.find("--ranks 0-3"), std::string::npos);
    EXPECT_TRUE(chakraRanks(g, "4-7").ok());
    g.programs[0].blocks[0].repeat = 100'000;
    EXPECT_NE(chakraRanks(g).errors().front().accepted.find("fewer micro-batches"), std::string::npos);
}

TEST(ChakraTrace, RanksThatAreNotThereAreReported)
{
    const StepGraph g = smallJob();
    for (const char* invalid : {"8", "-1", "3-1", "a", "0,,1", "0-9999999999", "1-"})
        EXPECT_EQ(chakraRanks(g, invalid).errors().front().path, "--ranks") << invalid;
    StepGraph broken = g;
    broken.programOf.clear();
    EXPECT_FALSE(chakraRanks(broken, "0").ok());
}

} // namespace
} // namespace prism
