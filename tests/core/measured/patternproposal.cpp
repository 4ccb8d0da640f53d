// SPDX-License-Identifier: GPL-3.0-or-later
// A pattern proposed for logs of an unknown format: it reads the steps of the lines it was made from, and nothing is proposed for lines
// without a time.
#include "core/measured/patternproposal.h"
#include "core/measured/steplog.h"

#include <gtest/gtest.h>

#include <cctype>
#include <functional>

namespace prism {
namespace {

std::deque<std::string> linesOf(const std::function<std::string(const std::string& step, const std::string& time)>& line)
{
    std::deque<std::string> lines;
    for (int i = 0; i < 12; ++i) {
        lines.push_back("config value " + std::to_string(i % 3));
        lines.push_back(line(std::to_string(10 * i), std::to_string(400 + (7 * i) % 5) + ".5"));
    }
    return lines;
}

std::string textOf(const std::deque<std::string>& lines)
{
    std::string text;
    for (const std::string& line : lines)
        text += line + "\n";
    return text;
}

TEST(PatternProposal, ThePatternReadsTheLinesItWasMadeFrom)
{
    struct Known {
        std::string pattern;
        std::function<std::string(const std::string&, const std::string&)> line;
        double unit;
    };
    const std::vector<Known> logs = {
        {"] finished batch {step} (fwd+bwd {ms}",
         [](const auto& i, const auto& t) { return "[worker 3] finished batch " + i + " (fwd+bwd " + t + " msec) loss=3." + i; }, 1e-3},
        {"INFO it {step} took {seconds}",
         [](const auto& i, const auto& t) { return "2026-01-02 03:04:05 INFO it " + i + " took " + t + "s, 512 tokens/s"; }, 1},
        {"spent {us} us on part {step}", [](const auto& i, const auto& t) { return "spent " + t + " us on part " + i + " now"; }, 1e-6},
    };
    for (const Known& known : logs) {
        const std::deque<std::string> lines = linesOf(known.line);
        EXPECT_EQ(proposedPattern(lines), known.pattern);
        const auto refused = readStepLog(textOf(lines));
        ASSERT_FALSE(refused.ok()) << refused->format;
        EXPECT_NE(refused.errors().front().accepted.find("--pattern '" + known.pattern + "'"), std::string::npos)
            << refused.errors().front().accepted;
        const auto log = readStepLog(textOf(lines), {.pattern = known.pattern});
        ASSERT_TRUE(log.ok()) << known.pattern;
        ASSERT_EQ(log->steps(), 12U) << known.pattern;
        EXPECT_NEAR(log->runs[0].steps[1].seconds, 402.5 * known.unit, 1e-9);
        EXPECT_EQ(log->runs[0].steps[11].number, 110);
    }
}

TEST(PatternProposal, NothingIsProposedWithoutATimeOrForTheShell)
{
    EXPECT_EQ(proposedPattern(linesOf([](const auto& i, const auto& t) { return "loss " + t + " at " + i; })), "");
    EXPECT_EQ(proposedPattern(linesOf([](const auto& i, const auto& t) { return "it's " + i + " took " + t + " s"; })), "");
    EXPECT_EQ(proposedPattern(linesOf([](const auto& i, const auto& t) { return "\x1b[2J " + i + " took " + t + " s"; })), "");
    EXPECT_EQ(proposedPattern(linesOf([](const auto& i, const auto&) { return "item " + i + " took " + i + " s"; })), "") << "a clock";
    EXPECT_EQ(proposedPattern({"it 1 took 5 s", "it 2 took 6 s", "it 3 took 5 s"}), "") << "three lines are too few";
}

/// The numbers of a line behind the fortieth are part of its text, which differs from line to line.
TEST(PatternProposal, ATimeIsAmongTheFirstFortyNumbers)
{
    const auto proposed = [](int before) {
        return proposedPattern(linesOf([&](const auto&, const auto& t) {
            std::string line = "x";
            for (int k = 0; k < before; ++k)
                line += " 7";
            return line + " took " + t + " s";
        }));
    };
    EXPECT_EQ(proposed(39), "took {seconds}");
    EXPECT_EQ(proposed(40), "");
}

} // namespace
} // namespace prism
