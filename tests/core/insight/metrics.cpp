// SPDX-License-Identifier: GPL-3.0-or-later
// Every row of the table of metrics names a function that is in the file it names, and the help page is the one that the table makes.
#include "core/insight/metrics/metrictable.h"

#include "prism_paths.h"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace prism {
namespace {

std::string content(const std::string& path)
{
    std::ifstream in(PRISM_SOURCE_DIR "/" + path);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

TEST(Metrics, EveryFunctionIsWhereTheRowPutsIt)
{
    for (const Metric& f : metrics()) {
        const std::string text = content(std::string(f.file));
        ASSERT_FALSE(text.empty()) << f.file;
        EXPECT_TRUE(std::regex_search(text, std::regex("\\b" + std::string(f.function) + "\\("))) << f.function << " is not in " << f.file;
    }
}

TEST(Metrics, KeysAreUniqueAndRowsComplete)
{
    std::set<std::string_view> keys;
    for (const Metric& f : metrics()) {
        EXPECT_TRUE(keys.insert(f.key).second) << f.key;
        EXPECT_GT(f.formula.size(), 8U) << f.key;
    }
}

TEST(Metrics, ListsAndSubkeysFindTheirRow)
{
    EXPECT_EQ(metricOf("step_time_s.p95")->label, "p95");
    EXPECT_EQ(metricOf("step_time_s.ci95.p95")->key, "step_time_s.ci95");
    EXPECT_EQ(metricOf("within_job_s.p50")->key, "within_job_s");
    EXPECT_EQ(metricOf("no_such_key"), nullptr);
    EXPECT_EQ(metricOf("mfu_of_nothing"), nullptr);
}

TEST(Metrics, TheHelpPageIsCurrent)
{
    EXPECT_EQ(content("resources/help/metrics.md"), metricPage()) << "prism-cli help metrics --markdown > resources/help/metrics.md";
}

} // namespace
} // namespace prism
