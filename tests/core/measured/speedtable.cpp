// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measured/speedtable.h"

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
    const auto t = readSpeedTable(
        "node,gpu,tflops\na,0,600\n,0,600\na,0,600\nb,0,0\nc,0,-3\nd,0,600 GFLOP/s\ne,0,nan\nf,x,600\ng,0\nh,0,0.6\n", "s.csv");
    ASSERT_FALSE(t.ok());
    EXPECT_EQ(paths(t.errors()),
              (std::set<std::string>{"s.csv:3", "s.csv:4", "s.csv:5", "s.csv:6", "s.csv:7", "s.csv:8", "s.csv:9", "s.csv:10", "s.csv:11"}));
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

namespace {

/// The only error of a table with the given lines after "node,tflops" and one good row.
std::string onlyError(const std::string& lines, const std::string& header = "node,tflops\ngood,600\n")
{
    const auto t = readSpeedTable(header + lines, "s.csv");
    if (t.ok())
        return "none";
    EXPECT_EQ(t.errors().size(), 1U) << lines;
    return t.errors().front().path + " " + t.errors().front().message;
}

std::string noteTexts(const SpeedTable& table)
{
    std::string text;
    for (const Diagnostic& d : table.notes)
        text += d.message + "\n";
    return text;
}

} // namespace

TEST(SpeedTable, EachKindOfErrorReportsItsLine)
{
    EXPECT_EQ(onlyError(",600\n"), "s.csv:3 The node is missing.");
    EXPECT_EQ(onlyError("good,600\n"), "s.csv:3 The node is listed twice.");
    EXPECT_EQ(onlyError("a,0\n"), "s.csv:3 A speed must be positive and finite.");
    EXPECT_EQ(onlyError("a,-5\n"), "s.csv:3 A speed must be positive and finite.");
    EXPECT_EQ(onlyError("a,inf\n"), "s.csv:3 A speed must be positive and finite.");
    EXPECT_EQ(onlyError("a,\n"), "s.csv:3 The speed is missing or not a number.");
    EXPECT_EQ(onlyError("a,fast\n"), "s.csv:3 The speed is missing or not a number.");
    EXPECT_EQ(onlyError("a,600 GFLOP/s\n"), "s.csv:3 The speed has another unit than the header: tflops.");
    EXPECT_EQ(onlyError("a,98%\n"), "s.csv:3 The speed has another unit than the header: tflops.");
    EXPECT_EQ(onlyError("a,600,7\n"), "s.csv:3 The row has another number of cells than the header.");
    EXPECT_EQ(onlyError("a,\"612,5\"\n"), "s.csv:3 The comma may stand for decimals or for thousands.");
    EXPECT_EQ(onlyError("\"a,600\n"), "s.csv:3 A quote is not closed.");
    EXPECT_EQ(onlyError("# note\n\n" + std::string(5'000, 'x') + "\n"), "s.csv:5 The line is too long.");
    EXPECT_EQ(onlyError("a,600\nb,590\nc,0.6\n"), "s.csv:5 The speed is more than 20 times off the table's median: another unit?");
    EXPECT_EQ(onlyError("a;612,5\n", "node;tflops\ngood;600\n"), "s.csv:3 The comma may stand for decimals or for thousands.");
    EXPECT_EQ(onlyError("a,-1,600\n", "node,gpu,tflops\ngood,0,600\n"), "s.csv:3 The GPU is not a number inside a node.");
    EXPECT_EQ(onlyError("2,600\n3,600\n", "node,tflops\n0,600\n"), "s.csv The node numbers are not consecutive.");
    EXPECT_EQ(onlyError("a,600\n", "host,speed\nb,610\n"), "s.csv The column speed holds no relative speeds.");
    EXPECT_EQ(onlyError("", std::string("\xFF\xFEn", 3)), "s.csv:1 The table is in UTF-16.");
    EXPECT_EQ(onlyError("", std::string("no\0de", 5)), "s.csv:1 The file is not text.");
    EXPECT_EQ(onlyError("", "# note\n"), "s.csv:1 The table is empty.");
}

TEST(SpeedTable, FormatsOfInfrastructureTeamsAreRead)
{
    const char* const same[] = {
        "node,gpu,tflops\nn1,0,600\nn2,0,300\n",
        "\xEF\xBB\xBFnode,gpu,tflops\r\nn1,0,600\r\nn2,0,300\r\n",
        "Hostname;GPU ID;TFLOP/s\nn1;0;600\nn2;0;300\n",
        "# dcgm, 2025-11-01\nServer\tlocal_rank\tGEMM TFLOPS\nn1\t0\t600\n\nn2\t0\t300",
        "\"host\",\"gpu_index\",\"throughput (TFLOP/s)\"\n\"n1\",\"0\",\"600\"\n\"n2\",\"0\",\"300\"\n",
        "Node Name, Device , bf16_gflops\n n1 , 0 , 600000\n n2 , 0 , 3e5\n",
        "node,gpu,step time [ms],rack\nn1,0,50,\"r1, left\"\nn2,0,100,\"r\"\"2\"\n",
        "host,device_id,time_s,temperature (C),memory (GB)\nn1,0,0.05,70,80\nn2,0,0.1,88,80\n",
        "host,gpu,Relative Speed (%)\nn1,0,100\nn2,0,50\n",
    };
    for (const char* text : same) {
        const auto t = readSpeedTable(text);
        ASSERT_TRUE(t.ok()) << text << "\n" << t.errors().front().message << t.errors().front().found;
        EXPECT_EQ(t->hosts, (std::vector<std::string>{"n1", "n2"})) << text;
        ASSERT_EQ(t->rows.size(), 2U);
        EXPECT_EQ(t->rows[1].gpu, 0);
        EXPECT_NEAR(t->rows[1].relativeSpeed / t->rows[0].relativeSpeed, 0.5, 1e-12) << text;
    }
}

TEST(SpeedTable, AmbiguousHeadersAreErrors)
{
    for (const char* header :
         {"node,tflops,time_ms", "node,speed,relative_speed", "node,s", "node,power (W)", "node,uptime (s)", "node,clock", "gpu,tflops",
          "node,server,tflops", "node,gpu,device,tflops", "node,tokens/s", "\"node,tflops"}) {
        const auto t = readSpeedTable(std::string(header) + "\na,1,1,1\n", "s.csv");
        ASSERT_FALSE(t.ok()) << header;
        EXPECT_EQ(t.errors().front().path, "s.csv:1");
        EXPECT_FALSE(t.errors().front().accepted.empty());
    }
}

TEST(SpeedTable, NodesNumberedFromOneReportIt)
{
    const auto t = readSpeedTable("node,relative_speed\n3,0.8\n1,1\n2,0.9\n");
    ASSERT_TRUE(t.ok());
    EXPECT_EQ(t->hosts, (std::vector<std::string>{"1", "2", "3"}));
    EXPECT_EQ(t->rows[0].node, 2);
    EXPECT_NE(noteTexts(*t).find("Node 1 of the file is the cluster's first node."), std::string::npos);
    EXPECT_NE(noteTexts(*readSpeedTable("host,speed\nb,1\na,1\n")).find("in the order of the file"), std::string::npos);
}
