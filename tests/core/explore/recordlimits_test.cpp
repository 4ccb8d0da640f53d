// SPDX-License-Identifier: GPL-3.0-or-later
// Records of a search at the limits of their numbers: what is read back, counted and refused.
#include "core/explore/records.h"

#include "core/scenario/presets.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <vector>

namespace prism {
namespace {

/// Lines as a file has them.
std::string limitLines(const std::vector<std::string>& lines)
{
    RecordsText text;
    for (const std::string& line : lines)
        text.add(line);
    return text.text();
}

bool isTaken(const std::string& line)
{
    return recordsFromText(limitLines({line}), "r").ok();
}

std::string lineWith(const std::string& line, const char* pointer, const nlohmann::json& value)
{
    nlohmann::json object = nlohmann::json::parse(line);
    object[nlohmann::json::json_pointer(pointer)] = value;
    return object.dump() + "\n";
}

SampleRow limitRow()
{
    return {37, 512, false, 1.5, 20.25, 80.5, {1.6, 0.01}, {1.7, 0.02}, {1.8, 0.03}, {1.9, 0.04}, {0.25, 0.05}};
}

/// Three points of which two fit and one has two reasons, another one.
QuickPart limitPart()
{
    return {5,
            4,
            {{0, 1.5, 20, 80, 4'096, false}, {3, 2.5, 30, 90, 8'192, true}},
            {{"memory", 3, 1, 1}, {"nodes", 2, 0, 2}, {"size", 1, 1, 4}},
            {{1, {"memory", "nodes"}}, {4, {"size"}}}};
}

TEST(RecordLimits, ARowComesBackWithAllOfItsNumbers)
{
    const ExploreRecords read = *recordsFromText(limitLines({rowLine(limitRow())}), "r");
    ASSERT_EQ(read.rows.size(), 1U);
    ASSERT_EQ(read.rows.begin()->first, std::pair(std::int64_t{37}, 512));
    const SampleRow row = read.rows.begin()->second, expected = limitRow();
    EXPECT_EQ(row.index, 37);
    EXPECT_EQ(row.samples, 512);
    EXPECT_FALSE(row.fits);
    EXPECT_EQ((std::array{row.noiseFreeSeconds, row.peakGib, row.capacityGib}), (std::array{1.5, 20.25, 80.5}));
    for (const auto member : {&SampleRow::mean, &SampleRow::p50, &SampleRow::p95, &SampleRow::p99, &SampleRow::probability}) {
        EXPECT_EQ((row.*member).value, (expected.*member).value);
        EXPECT_EQ((row.*member).halfWidth, (expected.*member).halfWidth);
    }
}

TEST(RecordLimits, APartComesBackWithAllOfItsCounts)
{
    const ExploreRecords read = *recordsFromText(limitLines({partLine(7, limitPart())}), "r");
    ASSERT_EQ(read.parts.count(7), 1U);
    const QuickPart& part = read.parts.at(7);
    EXPECT_EQ(part.points, 5);
    EXPECT_EQ(part.valid, 4);
    ASSERT_EQ(part.fitting.size(), 2U);
    const QuickPoint& p = part.fitting[1];
    EXPECT_EQ((std::array{p.noiseFreeSeconds, p.peakGib, p.capacityGib, p.tokensPerStep}), (std::array{2.5, 30.0, 90.0, 8'192.0}));
    EXPECT_EQ(p.index, 3);
    EXPECT_TRUE(p.bound);
    ASSERT_EQ(part.reasons.size(), 3U);
    const ReasonCount& r = part.reasons[0];
    EXPECT_EQ((std::array{r.count, r.alone, r.first}), (std::array<std::int64_t, 3>{3, 1, 1}));
    ASSERT_EQ(part.rejected.size(), 2U);
    EXPECT_EQ(part.rejected[1].index, 4);
    EXPECT_EQ(part.rejected[0].reasons.size(), 2U);
}

TEST(RecordLimits, EntriesAreFourOfALineAndOneOfEachText)
{
    const auto entries = [](const std::vector<std::string>& lines) { return recordsFromText(limitLines(lines), "r")->entries; };
    // A part: its line, two that fit, three reasons, two that were omitted with two and one reasons.
    EXPECT_EQ(entries({partLine(7, limitPart())}), 4U + 2 + 3 + (1 + 2) + (1 + 1));
    SampleRow more = limitRow();
    more.samples = 1'024;
    EXPECT_EQ(entries({rowLine(limitRow()), rowLine(more)}), 8U);
    EXPECT_EQ(entries({rowLine(limitRow()), partLine(7, limitPart()), rowLine(more)}), 22U);
    EXPECT_EQ(entries({partLine(7, limitPart()), partLine(8, {})}), 18U);
}

TEST(RecordLimits, IndicesReachToTwoToThe62)
{
    const std::int64_t largest = std::int64_t{1} << 62;
    EXPECT_TRUE(isTaken(lineWith(rowLine(limitRow()), "/row", largest)));
    EXPECT_FALSE(isTaken(lineWith(rowLine(limitRow()), "/row", largest + 1)));
    const std::string part = partLine(7, limitPart());
    for (const char* pointer : {"/fitting/0/0", "/reasons/1/3", "/rejected/1/0"}) {
        EXPECT_TRUE(isTaken(lineWith(part, pointer, largest))) << pointer;
        EXPECT_FALSE(isTaken(lineWith(part, pointer, largest + 1))) << pointer;
    }
}

TEST(RecordLimits, NumbersReachToABillionAndAmountsToAThousandTrillion)
{
    const std::string part = partLine(7, limitPart()), row = rowLine(limitRow());
    for (const std::int64_t number : {0, 1'000'000'000}) {
        EXPECT_TRUE(isTaken(lineWith(part, "/part", number)));
        EXPECT_TRUE(isTaken(lineWith(row, "/samples", number)));
    }
    EXPECT_TRUE(isTaken(lineWith(part, "/points", 1'000'000'000)));
    EXPECT_FALSE(isTaken(lineWith(part, "/part", 1'000'000'001)));
    EXPECT_FALSE(isTaken(lineWith(part, "/points", 1'000'000'001)));
    EXPECT_FALSE(isTaken(lineWith(row, "/samples", 1'000'000'001)));
    EXPECT_TRUE(isTaken(lineWith(row, "/memory_gib", 1e15)));
    EXPECT_TRUE(isTaken(lineWith(row, "/memory_gib", 0)));
    EXPECT_FALSE(isTaken(lineWith(row, "/memory_gib", 1.01e15)));
    EXPECT_FALSE(isTaken(lineWith(row, "/memory_gib", -1e-9)));
    EXPECT_TRUE(isTaken(lineWith(part, "/fitting/0/4", 0.5))) << "half a token";
    EXPECT_FALSE(isTaken(lineWith(part, "/fitting/0/4", 0)));
}

TEST(RecordLimits, CountsAndPercentilesAreInTheirOrder)
{
    const std::string part = partLine(7, limitPart()), row = rowLine(limitRow());
    EXPECT_TRUE(isTaken(lineWith(part, "/reasons/0/1", 5))) << "all points";
    EXPECT_FALSE(isTaken(lineWith(part, "/reasons/0/1", 6)));
    EXPECT_TRUE(isTaken(lineWith(part, "/reasons/0/2", 3)));
    EXPECT_FALSE(isTaken(lineWith(part, "/reasons/0/2", 4)));
    EXPECT_TRUE(isTaken(lineWith(part, "/valid", 5)));
    EXPECT_FALSE(isTaken(lineWith(part, "/valid", 6)));
    EXPECT_TRUE(isTaken(lineWith(part, "/valid", 2)));
    EXPECT_FALSE(isTaken(lineWith(part, "/valid", 1))) << "two fit";
    EXPECT_TRUE(isTaken(lineWith(row, "/p50", {1.8, 0})));
    EXPECT_FALSE(isTaken(lineWith(row, "/p50", {1.81, 0})));
    EXPECT_TRUE(isTaken(lineWith(row, "/p99", {1.8, 0})));
    EXPECT_FALSE(isTaken(lineWith(row, "/p99", {1.79, 0})));
    EXPECT_TRUE(isTaken(lineWith(row, "/chance", {1, 0})));
    EXPECT_FALSE(isTaken(lineWith(row, "/chance", {1.001, 0})));
}

TEST(RecordLimits, ListsHaveTheirNumberOfElements)
{
    const std::string part = partLine(7, limitPart()), row = rowLine(limitRow());
    EXPECT_FALSE(isTaken(lineWith(row, "/p99", {1.9, 0, 0})));
    EXPECT_FALSE(isTaken(lineWith(row, "/p99", nlohmann::json::array({1.9}))));
    EXPECT_FALSE(isTaken(lineWith(part, "/fitting/0", {0, 1.5, 20, 80, 4'096, false, 1})));
    EXPECT_FALSE(isTaken(lineWith(part, "/reasons/0", {"memory", 3, 1, 1, 1})));
    EXPECT_FALSE(isTaken(lineWith(part, "/rejected/0", {1, {"memory"}, 1})));
}

TEST(RecordLimits, TheHeadIsOfThisFormatAndVersionAndKeepsItsSeed)
{
    ExploreQuery query;
    query.space.axes.push_back(*searchAxis("tp=1,2"));
    query.constraints = {2.5, 64, true};
    query.keep = 3;
    query.maxSampled = 15;
    query.confidence = 0.9;
    query.maxPoints = 5'000;
    query.drawPoints = 40;
    const std::string head = headLine({*scenarioPreset("llama2-7b-8-a100"), query, 77});
    const Result<RecordsHead> read = recordsHead(head);
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(read->seed, 77U);
    EXPECT_EQ(read->query.constraints, query.constraints);
    EXPECT_EQ((std::array{read->query.keep, read->query.maxSampled}), (std::array{3, 15}));
    EXPECT_EQ((std::array{read->query.maxPoints, read->query.drawPoints}), (std::array<std::int64_t, 2>{5'000, 40}));
    EXPECT_EQ(read->query.confidence, 0.9);
    EXPECT_FALSE(recordsHead(lineWith(head, "/format", "prism-explore")).ok());
    EXPECT_FALSE(recordsHead(lineWith(head, "/version", 1)).ok());
    EXPECT_FALSE(recordsHead(lineWith(head, "/version", 3)).ok());
    EXPECT_FALSE(recordsHead(lineWith(head, "/seed", 1.5)).ok());
    EXPECT_FALSE(recordsHead(lineWith(head, "/query/most_points", 2'000'001)).ok()) << "beyond the usual limit";
    EXPECT_TRUE(recordsHead(lineWith(head, "/query/most_points", 2'000'000)).ok());
}

TEST(RecordLimits, PartsOfOneSearchAreJoinedByTheirShards)
{
    const auto shard = [](int index, int count) {
        ExploreRecords r;
        r.head = "head";
        r.shard = {index, count};
        r.complete = true;
        r.parts[index - 1].points = 10 + index;
        r.rows[{index, 512}].index = index;
        return r;
    };
    const Result<ExploreRecords> all = joined({shard(2, 3), shard(1, 3), shard(3, 3)});
    ASSERT_TRUE(all.ok());
    EXPECT_EQ(all->parts.size(), 3U);
    EXPECT_EQ(all->parts.at(2).points, 13);
    EXPECT_EQ(all->rows.size(), 3U);
    EXPECT_EQ(joined({shard(1, 3), shard(3, 3)}).errors().at(0).found, "no file of part 2/3");
    EXPECT_EQ(joined({shard(1, 3), shard(2, 3)}).errors().at(0).found, "no file of part 3/3");
    EXPECT_EQ(joined({}).errors().at(0).found, "no file of part 1/1");
    EXPECT_EQ(joined({}).errors().size(), 1U);
    ExploreRecords stranger = shard(2, 2);
    stranger.head = "another";
    EXPECT_EQ(joined({shard(1, 2), stranger}).errors().size(), 1U);
    EXPECT_EQ(joined({shard(1, 2), shard(2, 4)}).errors().at(0).found, "2/4") << "of another number of parts";
    EXPECT_EQ(joined({shard(1, 2), shard(2, 2), shard(2, 2)}).errors().at(0).found, "2/2");
    EXPECT_TRUE(joined({shard(1, 1)}).ok());
}

TEST(RecordLimits, SizesOfPartsAddUp)
{
    ExploreRecords third, rest;
    third.textBytes = kMaxRecordsBytes / 4;
    third.entries = 3'000'000;
    rest.textBytes = kMaxRecordsBytes / 2;
    rest.entries = 2'000'000;
    EXPECT_TRUE(tooLargeTogether({third, rest, third}).empty());
    rest.entries += 1;
    EXPECT_EQ(tooLargeTogether({third, rest, third}).at(0).found, "512 MiB, 8000001 entries");
    EXPECT_EQ(tooLargeTogether({third, rest, third}).at(0).accepted, "at most 512 MiB and 8000000 entries");
}

TEST(RecordLimits, AChecksumIsTheEndOfItsLine)
{
    std::uint32_t checksum = 0;
    EXPECT_EQ(withChecksum(R"({"end":true})", checksum).size(), 12U + 17) << "eight digits in 17 characters";
    checksum = 0;
    const std::optional<CheckedLine> shortest = checkedLine(R"(,"crc":"000000ff"})", checksum);
    ASSERT_TRUE(shortest.has_value()) << "18 characters that are nothing but the end";
    EXPECT_EQ(shortest->object, "}");
    EXPECT_EQ(shortest->stated, 255U);
    EXPECT_EQ(checksum, 255U);
    EXPECT_FALSE(checkedLine(R"("crc":"000000ff"})", checksum).has_value()) << "one less";
    EXPECT_FALSE(checkedLine(R"({,"crc":"000000fg"})", checksum).has_value());
    EXPECT_EQ(checksumText(255), "000000ff");
    EXPECT_EQ(checksumText(0xDEADBEEF), "deadbeef");
    // CRC-32 of "123456789" is cbf43926 (the check value of its specification), also continued from line to line.
    checksum = 0;
    EXPECT_EQ(withChecksum("123456789", checksum), R"(12345678,"crc":"cbf43926"})");
    checksum = 0;
    (void)withChecksum("1234", checksum);
    (void)withChecksum("56789", checksum);
    EXPECT_EQ(checksum, 0xCBF43926U);
}

TEST(RecordLimits, AnOlderVersionIsNamedAtTheStartOfItsLine)
{
    const auto message = [](std::size_t before) {
        const std::string start = R"({"format":"prism-explore-records",)"; // 34 characters
        return recordsFromText(start + std::string(before - start.size(), ' ') + "\"version\":1,\"a\":1}\n", "r").errors().at(0).message;
    };
    EXPECT_EQ(message(34), "An older version without checksums wrote this file.");
    EXPECT_EQ(message(59), "An older version without checksums wrote this file.");
    EXPECT_EQ(message(60), "This line ends with no checksum.");
}

TEST(RecordLimits, AtMostTwentyProblemsAreReported)
{
    std::string text;
    for (int i = 0; i < 30; ++i)
        text += "{}\n";
    const Result<ExploreRecords> read = recordsFromText(text, "r");
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.errors().size(), 20U);
    EXPECT_EQ(read.errors().back().path, "r:20");
}

} // namespace
} // namespace prism
