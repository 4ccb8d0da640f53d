// SPDX-License-Identifier: GPL-3.0-or-later
// Each limit of measured tables and logs, just kept and just passed. The numbers are those that the headers and messages promise.
#include "core/measured/importmeasured.h"
#include "core/measured/loglines.h"
#include "core/measured/speedtable.h"
#include "core/measured/steplog.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

std::string repeated(const std::string& text, int times)
{
    std::string all;
    for (int i = 0; i < times; ++i)
        all += text;
    return all;
}

/// The first error; one without a text where there is none.
template <class T>
Diagnostic firstError(const Result<T>& result)
{
    return result.ok() ? Diagnostic{} : result.errors().front();
}

TEST(MeasuredLimits, TwentyThousandRowsAreImported)
{
    const std::string log = "# Collective test starting: all_gather_perf\n# Rank 0 a\n# Rank 1 a\n", row = "4096 1024 half 50 1 2 0\n";
    const std::string head = "m,n,k,dtype,time_us\n", line = "1,2,3,half,7\n";
    ASSERT_TRUE(ncclTestsRows(log + repeated(row, 20'000), {}).ok());
    EXPECT_EQ(ncclTestsRows(log + repeated(row, 20'000), {})->size(), 20'000U);
    EXPECT_EQ(firstError(ncclTestsRows(log + repeated(row, 20'001), {})).accepted, "at most 20000");
    ASSERT_TRUE(operatorTableRows(head + repeated(line, 20'000)).ok());
    EXPECT_EQ(operatorTableRows(head + repeated(line, 20'000))->size(), 20'000U);
    EXPECT_EQ(firstError(operatorTableRows(head + repeated(line, 20'001))).accepted, "at most 20000");
}

TEST(MeasuredLimits, ATextOf64MibIsRead)
{
    const std::string log = "# Collective test starting: all_gather_perf\n# Rank 0 a\n# Rank 1 a\n4096 1024 half 50 1 2 0\n";
    const std::string head = "m,n,k,dtype,time_us\n1,2,3,half,7\n";
    const auto filled = [](const std::string& text, std::size_t bytes) { return text + std::string(bytes - text.size(), ' '); };
    EXPECT_TRUE(ncclTestsRows(filled(log, 67'108'864), {}).ok());
    EXPECT_EQ(firstError(ncclTestsRows(filled(log, 67'108'865), {})).message, "the text is too large");
    EXPECT_EQ(firstError(ncclTestsRows(filled(log, 67'108'865), {})).found, "67108865 bytes");
    EXPECT_EQ(firstError(operatorTableRows(filled(head, 67'108'865))).message, "the text is too large");
}

TEST(MeasuredLimits, AnErrorQuotesSixtyCharacters)
{
    const Diagnostics errors = operatorTableRows("op,dtype,time_us\n" + std::string(80, 'x') + ",half,1\n").errors();
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_EQ(errors.front().found, std::string(60, 'x'));
}

TEST(MeasuredLimits, HundredErrorsAreListedAndOneMoreIsCounted)
{
    for (const int invalid : {99, 100, 101, 102})
        EXPECT_EQ(operatorTableRows("op,dtype,time_us\n" + repeated("x,half,1\n", invalid)).errors().size(),
                  static_cast<std::size_t>(std::min(invalid, 101)));
}

TEST(MeasuredLimits, SpeedsOfGpus0To1023)
{
    const auto isRead = [](const std::string& gpu) { return readSpeedTable("node,gpu,speed\na," + gpu + ",1\n").ok(); };
    EXPECT_TRUE(isRead("0"));
    EXPECT_TRUE(isRead("1023"));
    EXPECT_FALSE(isRead("1024"));
    EXPECT_FALSE(isRead("-1"));
    // Nodes and GPUs are distinguished up to the last of each.
    std::string table = "node,gpu,speed\n";
    for (const char* node : {"a", "b", "c"})
        for (const char* gpu : {"0", "1", "1022", "1023"})
            table += std::string(node) + "," + gpu + ",1\n";
    EXPECT_TRUE(readSpeedTable(table).ok());
    EXPECT_FALSE(readSpeedTable(table + "a,1023,1\n").ok());
}

TEST(MeasuredLimits, SpeedsUpToTwentyTimesOffTheMedian)
{
    const auto isRead = [](const std::string& value) { return readSpeedTable("node,tflops\na,100\nb,100\nc,100\nd," + value + "\n").ok(); };
    EXPECT_TRUE(isRead("2000"));
    EXPECT_FALSE(isRead("2000.1"));
    EXPECT_TRUE(isRead("5"));
    EXPECT_FALSE(isRead("4.99"));
    const auto isRelative = [](const std::string& value) { return readSpeedTable("node,relative_speed\na," + value + "\n").ok(); };
    EXPECT_TRUE(isRelative("5"));
    EXPECT_FALSE(isRelative("5.01"));
    EXPECT_TRUE(isRelative("0.2"));
    EXPECT_FALSE(isRelative("0.199"));
    EXPECT_FALSE(isRelative("0"));
}

TEST(MeasuredLimits, ALineOfATableOfSpeedsHas4096Bytes)
{
    const std::string row = "a,1,";
    const auto isRead = [&](std::size_t bytes) {
        return readSpeedTable("node,speed,note\n" + row + std::string(bytes - row.size(), 'x') + "\n").ok();
    };
    EXPECT_TRUE(isRead(4096));
    EXPECT_FALSE(isRead(4097));
    std::string wide = "node,speed", cells = "a,1";
    for (int i = 2; i < 1'024; ++i) {
        wide += ",c" + std::to_string(i);
        cells += ",";
    }
    EXPECT_FALSE(readSpeedTable(wide + ",last\n" + cells + ",\n").ok()) << "1,025 columns";
}

TEST(MeasuredLimits, QuotesOfSpeedErrorsHave80Characters)
{
    const auto found = [](std::size_t length) {
        return firstError(readSpeedTable("node,speed\na," + std::string(length, 'x') + "\n")).found;
    };
    EXPECT_EQ(found(80), std::string(80, 'x'));
    EXPECT_EQ(found(81), std::string(77, 'x') + "...");
}

TEST(MeasuredLimits, NodeNumbersBeginAt0Or1AndHaveNoGaps)
{
    const auto table = [](const std::string& rows) { return readSpeedTable("node,speed\n" + rows); };
    EXPECT_EQ(table("1,1\n0,1.1\n").value().rows[0].node, 1);
    EXPECT_EQ(table("2,1\n1,1.1\n3,1\n").value().rows[0].node, 1);
    EXPECT_EQ(table("2,1\n1,1.1\n3,1\n").value().hosts, (std::vector<std::string>{"1", "2", "3"}));
    EXPECT_EQ(table("2,1\n1,1.1\n3,1\n").value().notes[1].message, "Node 1 of the file is the cluster's first node.");
    EXPECT_EQ(firstError(table("3,1\n1,1.1\n")).found, "node 2 is missing or twice");
    EXPECT_EQ(firstError(table("3,1\n2,1.1\n")).found, "node 0 is missing or twice");
    EXPECT_EQ(table("n3,1\n2,1.1\n").value().notes[1].message, "Nodes are the cluster's in the order of the file.");
}

/// Fields of an object count up to the 4,096th; fields of objects inside up to the third depth.
TEST(MeasuredLimits, AnObjectOfALogHas4096Fields)
{
    const auto steps = [](int before, const std::string& time) {
        std::string text;
        for (int i = 1; i <= 8; ++i) {
            text += ":::MLLOG {\"key\": \"tracked_stats\", \"a\": {";
            for (int f = 0; f < before; ++f)
                text += (f ? ",\"f" : "\"f") + std::to_string(f) + "\": 1";
            text += "}, " + time + "}\n";
        }
        const Result<StepLog> log = readStepLog(text);
        return log.ok() && !log->runs.empty() ? log->runs[0].steps.size() : 0;
    };
    const std::string time = R"("value": {"step_time": 2.5})";
    EXPECT_EQ(steps(1, time), 8U);
    EXPECT_EQ(steps(4'094, time), 8U); // keys are in the order of the alphabet: those of a, key, value
    EXPECT_EQ(steps(4'095, time), 0U);
}

} // namespace
} // namespace prism
