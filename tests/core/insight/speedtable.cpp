#include "core/insight/speedtable.h"

#include <gtest/gtest.h>

#include <set>

using namespace prism;

namespace {

std::set<std::string> paths(const Diagnostics& errors)
{
    std::set<std::string> found;
    for (const Diagnostic& d : errors)
        found.insert(d.path);
    return found;
}

} // namespace

TEST(SpeedTable, ReadsHostsGpusAndTflops)
{
    const auto t = readSpeedTable("hostname,gpu,TFLOP/s,serial\nn1,0,600,x\nn1,1,660,y\nn2,0,540,z\n");
    ASSERT_TRUE(t.ok());
    EXPECT_EQ(t->hosts, (std::vector<std::string>{"n1", "n2"}));
    ASSERT_EQ(t->rows.size(), 3U);
    EXPECT_DOUBLE_EQ(t->referenceValue, 600);
    EXPECT_DOUBLE_EQ(t->rows[1].relativeSpeed, 1.1);
    EXPECT_EQ(t->rows[2].line, 4);
    EXPECT_EQ(t->notes.back().message, "The column serial is not used.");
}

TEST(SpeedTable, TimesAreInverted)
{
    const auto t = readSpeedTable("node;time_ms\n0;10\n1;20\n2;10\n");
    ASSERT_TRUE(t.ok());
    EXPECT_DOUBLE_EQ(t->rows[1].relativeSpeed, 0.5);
}

TEST(SpeedTable, NumberedNodesKeepTheirNumber)
{
    const auto t = readSpeedTable("node,relative_speed\n2,0.9\n0,1\n1,1\n");
    ASSERT_TRUE(t.ok());
    EXPECT_EQ(t->rows[0].node, 2);
    EXPECT_DOUBLE_EQ(t->rows[0].relativeSpeed, 0.9);
}

TEST(SpeedTable, AllErrorsAtOnceWithLines)
{
    const auto t = readSpeedTable("node,gpu,tflops\na,0,600\n,0,600\na,0,600\nb,0,0\nc,0,-3\nd,0,600 GFLOP/s\ne,0,nan\nf,x,600\ng,0\nh,0,0.6\n", "s.csv");
    ASSERT_FALSE(t.ok());
    EXPECT_EQ(paths(t.errors()), (std::set<std::string>{"s.csv:3", "s.csv:4", "s.csv:5", "s.csv:6", "s.csv:7", "s.csv:8", "s.csv:9", "s.csv:10",
                                                        "s.csv:11"}));
}

TEST(SpeedTable, HeadersAreNotGuessed)
{
    EXPECT_FALSE(readSpeedTable("").ok());
    EXPECT_FALSE(readSpeedTable("machine,perf\na,1\n").ok());
    EXPECT_FALSE(readSpeedTable("node,tflops,relative_speed\na,1,1\n").ok());
    EXPECT_FALSE(readSpeedTable("node,host,tflops\na,b,1\n").ok());
    EXPECT_FALSE(readSpeedTable("node,tflops\n").ok());
}

TEST(SpeedTable, ManyErrorsAreBounded)
{
    std::string text = "node,tflops\n";
    for (int i = 0; i < 100'000; ++i)
        text += std::to_string(i) + ",0\n";
    const auto t = readSpeedTable(text);
    ASSERT_FALSE(t.ok());
    EXPECT_EQ(t.errors().size(), 201U);
    EXPECT_EQ(t.errors().back().found, "99800 more");
}

TEST(SpeedTable, HundredThousandRowsAreFine)
{
    std::string text = "node,gpu,relative_speed\n";
    for (int i = 0; i < 100'000; ++i)
        text += "host" + std::to_string(i / 8) + "," + std::to_string(i % 8) + ",1.0\n";
    const auto t = readSpeedTable(text);
    ASSERT_TRUE(t.ok());
    EXPECT_EQ(t->rows.size(), 100'000U);
    EXPECT_EQ(t->hosts.size(), 12'500U);
}
