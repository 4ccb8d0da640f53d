// SPDX-License-Identifier: GPL-3.0-or-later
// A followed log that grows in pieces, is truncated, is rotated, or is away for a moment.
#include "core/insight/follow/growinglog.h"

#include "core/measured/loglines.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include <unistd.h>

namespace prism {
namespace {

class GrowingLogTest : public testing::Test {
protected:
    ~GrowingLogTest() override { std::filesystem::remove(m_path); }

    void append(const std::string& text) { std::ofstream(m_path, std::ios::app) << text; }
    void replace(const std::string& text) { std::ofstream(m_path, std::ios::trunc) << text; }
    /// Lines since the last call; a restart is as "RESTART".
    std::vector<std::string> news(bool atEnd = false)
    {
        std::vector<std::string> lines;
        m_log.read({[&](std::string_view line) { lines.emplace_back(line); }, [&] { lines.emplace_back("RESTART"); }}, atEnd);
        return lines;
    }
    using Lines = std::vector<std::string>;

    std::string m_path = (std::filesystem::temp_directory_path() / ("prism-growing-" + std::to_string(::getpid()) + ".log")).string();
    GrowingLog m_log{m_path};
};

TEST_F(GrowingLogTest, WholeLinesOnceEachHoweverTheyAreWritten)
{
    EXPECT_EQ(news(), Lines{}); // not there yet
    append("one\ntw");
    EXPECT_EQ(news(), Lines{"one"});
    EXPECT_EQ(news(), Lines{});
    append("o\nthree");
    EXPECT_EQ(news(), Lines{"two"});
    EXPECT_EQ(news(true), Lines{"three"}); // the end asks for a last line without its line feed
}

TEST_F(GrowingLogTest, ProgressBarsEndTheirLinesByACarriageReturnAlone)
{
    append("one\rtwo\r\nthree\r");
    EXPECT_EQ(news(), (Lines{"one", "two", "three"}));
    append("\nfour\n\nfive\n"); // the line feed belongs to the carriage return before
    EXPECT_EQ(news(), (Lines{"four", "", "five"}));
}

TEST_F(GrowingLogTest, TruncatedAndRotatedFilesStartAgainAndReportIt)
{
    append("one\ntwo\nthr");
    EXPECT_EQ(news().size(), 2U);
    replace("fresh\n"); // shorter
    EXPECT_EQ(news(), (Lines{"RESTART", "fresh"}));
    replace("another beginning\nand longer\n"); // longer, but another file
    EXPECT_EQ(news(), (Lines{"RESTART", "another beginning", "and longer"}));
    std::filesystem::remove(m_path); // between two files of a rotation
    EXPECT_EQ(news(), Lines{});
    append("after the rotation\n");
    EXPECT_EQ(news(), (Lines{"RESTART", "after the rotation"}));
}

TEST_F(GrowingLogTest, ALineWithoutEndIsNotKeptWhole)
{
    constexpr std::size_t kPiece = 16 * 1024;
    for (std::size_t k = 0; k < 2 * kLongestLogLine / kPiece; ++k) {
        append(std::string(kPiece, 'x'));
        EXPECT_EQ(news(), Lines{});
    }
    append("\nshort\n");
    const Lines lines = news();
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_LE(lines[0].size(), kLongestLogLine + kPiece);
    EXPECT_EQ(lines[1], "short");
}

TEST_F(GrowingLogTest, AFileIsKnownAgainByItsFirst256Bytes)
{
    const std::string start = "0123456789\n"; // read first, and completed by what is appended
    append(start);
    EXPECT_EQ(news().size(), 1U);
    const std::string known = start + std::string(244, 'k'); // 255 bytes
    replace(known + "a-");
    EXPECT_EQ(news(), Lines{}) << "the eleven bytes that are known are the same";
    replace(known + "a+ and more\nlast\n"); // the 257th is another one
    EXPECT_EQ(news(), (Lines{std::string(244, 'k') + "a- and more", "last"})) << "what was read stays";
    replace(known + "b- and still more\nlast line\n"); // the 256th
    EXPECT_EQ(news(), (Lines{"RESTART", "0123456789", std::string(244, 'k') + "b- and still more", "last line"}));
    replace(known + "b- and still more\nlast line"); // shorter by its end of line alone
    EXPECT_EQ(news(), (Lines{"RESTART", "0123456789", std::string(244, 'k') + "b- and still more"}));
    replace(known + "b- and still more\nlast line"); // nothing new
    EXPECT_EQ(news(), Lines{});
    EXPECT_EQ(news(true), Lines{"last line"});
}

} // namespace
} // namespace prism
