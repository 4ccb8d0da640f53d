// SPDX-License-Identifier: GPL-3.0-or-later
// Records of a search: shards that are merged, and a search that was stopped, give the bytes of one run.
#include "core/explore/explore.h"

#include "core/calibrate/clustercalibration.h"
#include "core/cost/engineversion.h"
#include "core/scenario/presets.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <set>

namespace prism {
namespace {

/// A space of three parts with planned schedules among them.
ExploreQuery query()
{
    ExploreQuery q;
    for (const char* axis : {"tp=1,2,4,8", "pp=1,2,4", "schedule=1f1b,zb-v,zb-h1", "vpp=1,2", "zero=1,2,3", "mbs=1,2,4,8"})
        q.space.axes.push_back(*searchAxis(axis));
    q.keep = 3;
    q.maxSampled = 15;
    return q;
}

Scenario base()
{
    return *setParameter(*scenarioPreset("llama2-7b-8-a100"), "cluster.num_gpus", "16");
}

/// Lines as a file holds them, with their checksums.
std::string sealed(const std::string& lines)
{
    RecordsText text;
    for (std::size_t from = 0; from < lines.size();) {
        const std::size_t end = lines.find('\n', from) + 1;
        text.add(std::string_view(lines).substr(from, end - from));
        from = end;
    }
    return text.text();
}

struct Kept {
    Result<Exploration> exploration;
    std::string text;
};

Kept searched(const ExploreQuery& q, const ExploreRecords& known = {})
{
    Evaluator evaluator;
    std::string text;
    Result<Exploration> e = explore(evaluator, base(), q, {}, {known, [&text](const std::string& t) { text = t; }});
    return {std::move(e), std::move(text)};
}

/// The whole search of query(), made once for all tests.
const Kept& wholeSearch()
{
    static const Kept whole = searched(query());
    return whole;
}

/// Without what differs from run to run.
std::string withoutTimes(Exploration e)
{
    e.elapsedSeconds = e.deterministicSeconds = 0;
    return toJson(e);
}

TEST(ExploreRecords, ShardsMergeToTheBytesOfOneRun)
{
    const Kept& whole = wholeSearch();
    ASSERT_TRUE(whole.exploration.ok());
    ASSERT_GE(whole.exploration->points, 3 * kPointsPerPart);
    std::vector<ExploreRecords> shards;
    for (int i = 1; i <= 3; ++i) {
        ExploreQuery q = query();
        q.shard = {i, 3};
        const Kept part = searched(q);
        ASSERT_TRUE(part.exploration.ok()) << i;
        shards.push_back(*recordsFromText(part.text, "shard"));
    }
    Evaluator evaluator;
    std::string text;
    const Result<Exploration> merged = mergedExploration(evaluator, shards, {}, [&text](const std::string& t) { text = t; });
    ASSERT_TRUE(merged.ok());
    EXPECT_EQ(text, whole.text);
    EXPECT_EQ(withoutTimes(*merged), withoutTimes(*whole.exploration));
}

TEST(ExploreRecords, AStoppedSearchGoesOnToTheSameBytes)
{
    const Kept& whole = wholeSearch();
    ASSERT_TRUE(whole.exploration.ok());
    for (const double share : {0.05, 0.4, 0.8, 1.0}) { // cut in the middle of a line, as a killed writer may leave it
        const std::string half = whole.text.substr(0, static_cast<std::size_t>(share * static_cast<double>(whole.text.size())));
        const Result<ExploreRecords> known = recordsFromText(half, "half");
        ASSERT_TRUE(known.ok()) << share;
        EXPECT_EQ(searched(query(), *known).text, whole.text) << share;
    }
}

TEST(ExploreRecords, WhatIsNoRecordIsReportedLineByLine)
{
    const std::string text = wholeSearch().text;
    const Result<ExploreRecords> invalid =
        recordsFromText(sealed("{\"end\":true}\n{\"part\":-1}\n{\"row\":-4}\n") + "nonsense\n[]\n", "file");
    ASSERT_FALSE(invalid.ok());
    EXPECT_EQ(invalid.errors().size(), 4U);
    EXPECT_TRUE(invalid.errors().front().path.starts_with("file:2"));
    ExploreRecords one = *recordsFromText(text, "file"), other = one;
    one.shard = {1, 2};
    other.shard = {1, 2};
    EXPECT_FALSE(joined({one, other}).ok()); // twice
    EXPECT_FALSE(joined({one}).ok());        // one missing
    other.shard = {2, 2};
    EXPECT_TRUE(joined({one, other}).ok());
    other.complete = false;
    EXPECT_FALSE(joined({one, other}).ok());
    EXPECT_FALSE(joined({}).ok());
    EXPECT_FALSE(recordsHead("{}").ok());
    EXPECT_FALSE(recordsHead("no JSON").ok());
}

/// The head of a search with one thing in it changed.
std::string headWith(const char* pointer, const nlohmann::json& value)
{
    nlohmann::json head = nlohmann::json::parse(headLine({base(), query(), 1}));
    head[nlohmann::json::json_pointer(pointer)] = value;
    return head.dump();
}

TEST(ExploreRecords, RowsOfOtherConstantsAreNotTakenForThese)
{
    EXPECT_NE(engineVersion().find("constants "), std::string::npos);
    const std::string version = engineVersion().substr(0, engineVersion().find(','));
    const Result<RecordsHead> older = recordsHead(headWith("/engine", version)),
                              other = recordsHead(headWith("/engine", version + ", constants 0"));
    ASSERT_TRUE(!older.ok() && !other.ok());
    EXPECT_EQ(other.errors().front().accepted, engineVersion());
}

/// A scenario's file may be fitted again under the same name: rows by the old one are not shown as the new one's.
TEST(ExploreRecords, RowsOfAnotherCalibrationFileAreNotTakenForThese)
{
    Scenario named = base();
    named.measured.calibration = "site.json";
    const auto head = [&](const ClusterCalibration& file) { return headLine({*calibratedScenario(named, file), query(), 1}); };
    ClusterCalibration file;
    file.values = {{"variability.step_jitter_s", "0.02"}};
    std::set<std::string> heads = {head({}), head(file)};
    file.values = {{"variability.step_jitter_s", "0.03"}};
    heads.insert(head(file));
    file.regimePool = {0.99, 1.0, 1.02};
    heads.insert(head(file));
    file.regimePool = {0.99, 1.0, 1.03};
    heads.insert(head(file));
    file.measured.rows = {{.op = "all_reduce", .ranks = 8, .bytes = 1 << 20, .seconds = 1e-4}};
    heads.insert(head(file));
    file.measured.rows.front().seconds = 2e-4;
    heads.insert(head(file));
    file.measured.kernels = {{"gemm.qkv", 1e-3}};
    heads.insert(head(file));
    file.measured.speeds = {{.node = 1, .relativeSpeed = 0.9}};
    heads.insert(head(file));
    EXPECT_EQ(heads.size(), 9U);
    EXPECT_EQ(heads.count(head(file)), 1U);
    EXPECT_TRUE(recordsHead(head(file)).ok());
}

TEST(ExploreRecords, AHeadFromStrangersRequestsNothingImpossible)
{
    ASSERT_TRUE(recordsHead(headWith("/seed", 7)).ok());
    const nlohmann::json huge = 9'000'000'000'000'000'000, oneValueForTwo = {{{"ids", {"tp", "pp"}}, {"values", {{"1"}}}}};
    nlohmann::json longAxis = {{{"ids", {"parallelism.tensor_model_parallel_size"}}, {"values", nlohmann::json::array()}}};
    for (int i = 0; i < 1'001; ++i)
        longAxis[0]["values"].push_back({"1"});
    for (const auto& [pointer, value] : std::vector<std::pair<const char*, nlohmann::json>>{{"/query/most_points", huge},
                                                                                            {"/query/draw", huge},
                                                                                            {"/query/most", 2'000'000'000},
                                                                                            {"/query/most", 1e300},
                                                                                            {"/query/keep", "ten"},
                                                                                            {"/query/max_gpus", -1},
                                                                                            {"/query/confidence", 2},
                                                                                            {"/query/axes", oneValueForTwo},
                                                                                            {"/query/axes", longAxis},
                                                                                            {"/query/axes", 7},
                                                                                            {"/query", 7},
                                                                                            {"/seed", -1},
                                                                                            {"/seed", 1e300},
                                                                                            {"/engine", nullptr},
                                                                                            {"/scenario", 7}})
        EXPECT_FALSE(recordsHead(headWith(pointer, value)).ok()) << pointer << " " << value.dump().substr(0, 80);
}

TEST(ExploreRecords, MetricsThatNoSearchHasAreNoRecords)
{
    const std::string row = rowLine({3, 512, true, 1, 2, 3, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {0, 0}});
    const std::string part = partLine(0, {1, 1, {{0, 1.5, 20, 80, 4096, false}}, {{"memory", 1, 1, 0}}, {{0, {"memory"}}}});
    ASSERT_TRUE(recordsFromText(sealed(row + part), "good").ok());
    const auto changed = [](const std::string& line, const char* pointer, const nlohmann::json& value) {
        nlohmann::json object = nlohmann::json::parse(line);
        object[nlohmann::json::json_pointer(pointer)] = value;
        return object.dump() + "\n";
    };
    for (const auto& [pointer, value] : std::vector<std::pair<const char*, nlohmann::json>>{{"/row", 1e300},
                                                                                            {"/row", -1},
                                                                                            {"/samples", 1e12},
                                                                                            {"/noise_free_s", -1},
                                                                                            {"/memory_gib", 1e300},
                                                                                            {"/p95", {1}},
                                                                                            {"/p95", {0.9, 0}},
                                                                                            {"/p99", {0.9, 0}},
                                                                                            {"/p50", {1, -1}},
                                                                                            {"/chance", {1.1, 0}},
                                                                                            {"/fits", 1}})
        EXPECT_FALSE(recordsFromText(sealed(changed(row, pointer, value)), "row").ok()) << pointer;
    for (const auto& [pointer, value] : std::vector<std::pair<const char*, nlohmann::json>>{{"/part", 1e300},
                                                                                            {"/points", -1},
                                                                                            {"/fitting/0/0", -1},
                                                                                            {"/fitting/0/1", 1e300},
                                                                                            {"/fitting/0/4", 0},
                                                                                            {"/fitting/0", {0}},
                                                                                            {"/rejected/0/1", 7},
                                                                                            {"/reasons/0/2", 2},
                                                                                            {"/valid", 2},
                                                                                            {"/valid", 0},
                                                                                            {"/reasons", 7}})
        EXPECT_FALSE(recordsFromText(sealed(changed(part, pointer, value)), "part").ok()) << pointer;
}

TEST(ExploreRecords, EditedMovedAndRemovedLinesAreRefusedByTheirNumber)
{
    const std::string text = sealed(headLine({base(), query()}) + "\n" + shardLine({1, 1})
                                    + rowLine({3, 512, true, 1, 2, 3, {1.1, 0}, {1.2, 0}, {1.3, 0}, {1.4, 0}, {0, 0}})
                                    + rowLine({4, 512, true, 1, 2, 3, {1.1, 0}, {1.2, 0}, {1.25, 0}, {1.5, 0}, {0, 0}}) + endLine());
    ASSERT_TRUE(recordsFromText(text, "s").ok());
    std::vector<std::string> lines;
    for (std::size_t from = 0, end = 0; from < text.size(); from = end)
        lines.push_back(text.substr(from, (end = text.find('\n', from) + 1) - from));
    const auto problems = [](const std::vector<std::string>& of) {
        std::string all;
        for (const std::string& line : of)
            all += line;
        const Result<ExploreRecords> read = recordsFromText(all, "s");
        std::string places;
        for (const Diagnostic& d : read.errors())
            places += d.path + " ";
        return places;
    };
    std::vector<std::string> edited = lines, swapped = lines, removed = lines, older = lines, bare = lines;
    edited[2].replace(edited[2].find("1.3"), 3, "1.9");
    EXPECT_EQ(problems(edited), "s:3 ");
    std::swap(swapped[2], swapped[3]);
    EXPECT_EQ(problems(swapped), "s:3 s:4 s:5 ");
    removed.erase(removed.begin() + 3);
    EXPECT_EQ(problems(removed), "s:4 ");
    bare[2].replace(bare[2].find(",\"crc\""), std::string::npos, "}\n");
    EXPECT_EQ(problems(bare).substr(0, 4), "s:3 ");
    older[0].replace(older[0].find(":2"), 2, ":1").replace(older[0].find(",\"crc\""), std::string::npos, "}\n");
    EXPECT_NE(recordsFromText(older[0], "s").errors().front().message.find("older version"), std::string::npos);
}

TEST(ExploreRecords, RowsAndPartsCountAsEntriesAlsoOfAllShardsTogether)
{
    const std::string row = rowLine({}), part = partLine(1, {});
    const Result<ExploreRecords> read = recordsFromText(sealed(row + part), "r");
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(read->entries, 2 * kEntriesOfLine);
    EXPECT_EQ(read->textBytes, sealed(row + part).size());
    ExploreRecords half, more;
    half.entries = kMaxRecordsEntries / 2;
    half.textBytes = kMaxRecordsBytes / 2;
    more = half;
    EXPECT_TRUE(tooLargeTogether({half, more}).empty());
    ++more.entries;
    EXPECT_FALSE(tooLargeTogether({half, more}).empty());
    more = half;
    ++more.textBytes;
    EXPECT_FALSE(tooLargeTogether({half, more}).empty());
}

TEST(ExploreRecords, AnAxisOfAnotherNameIsRefused)
{
    const std::string head = headLine({.scenario = base(), .query = query()});
    ASSERT_TRUE(recordsHead(head).ok());
    const std::string id = "parallelism.tensor_model_parallel_size";
    for (const char* other : {"tp", " parallelism.tensor_model_parallel_size", "no.such"}) {
        std::string changed = head;
        changed.replace(changed.find(id), id.size(), other);
        EXPECT_FALSE(recordsHead(changed).ok()) << other;
    }
    ExploreQuery named = query();
    named.space.axes.front().ids = {"tp"}; // a caller of the library may write it so
    EXPECT_TRUE(PointMaker::make(named.space, base()).ok());
}

TEST(ExploreRecords, AnotherUsersFileIsNoSearchThatWasStopped)
{
    const std::string head = "{\"format\":\"prism-explore-records\",\"version\":1";
    EXPECT_TRUE(recordsFromText("", "r").ok());
    EXPECT_TRUE(recordsFromText(head.substr(0, 12), "r").ok()) << "killed in its first line";
    EXPECT_TRUE(recordsFromText(head, "r").ok());
    for (const std::string text : {"{\"model\":{}}", "notes", "\xFF\xFE"})
        EXPECT_EQ(recordsFromText(text, "r").errors().front().path, "r") << text;
}

} // namespace
} // namespace prism
