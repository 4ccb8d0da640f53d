// SPDX-License-Identifier: GPL-3.0-or-later
// Recorded metrics: a change of any of them is noticed, shown with its old and new value, and renewed by packaging/golden.sh alone.
//
// They notice a change; whether a metric is true is the matter of the known answers in the other suites.
#include "core/golden/cases.h"
#include "core/golden/metrics.h"
#include "core/scenario/parameters.h"
#include "prism_paths.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

namespace prism::golden {
namespace {

constexpr double kTolerance = 1e-6; ///< relative
constexpr double kRounding = 1e-11; ///< of sums that are zero
constexpr const char* kFile = PRISM_SOURCE_DIR "/tests/core/golden/metrics.txt";
constexpr std::size_t kShown = 40; ///< differences in one message

const Metrics& computed()
{
    static const Metrics all = [] {
        Metrics metrics;
        for (const Case& c : cases())
            addScenario(metrics, c.name, c.scenario);
        addSchedules(metrics);
        addMeasurements(metrics);
        return metrics;
    }();
    return all;
}

/// "0.25*3 1.5": four values.
std::string valuesText(const std::vector<double>& values)
{
    std::string text;
    for (std::size_t i = 0, next = 0; i < values.size(); i = next) {
        char value[40];
        std::snprintf(value, sizeof value, "%.9g", values[i]);
        for (next = i + 1; next < values.size() && values[next] == values[i];)
            ++next;
        text += (text.empty() ? "" : " ") + std::string(value) + (next - i > 1 ? "*" + std::to_string(next - i) : "");
    }
    return text;
}

std::vector<double> valuesOf(const std::string& text)
{
    std::vector<double> values;
    std::istringstream in(text);
    for (std::string word; in >> word;) {
        const std::size_t star = word.find('*');
        values.insert(values.end(), star == std::string::npos ? 1 : std::stoul(word.substr(star + 1)), std::stod(word));
    }
    return values;
}

/// The rows of the file: "case metric = values", as text after the last "= ".
std::map<std::string, std::string> recorded()
{
    std::map<std::string, std::string> rows;
    std::ifstream file(kFile);
    std::string last;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line.front() == '#')
            continue;
        const std::size_t at = line.find(" = ");
        rows[line.substr(0, at)] = line.substr(at + 3);
        EXPECT_LT(last, line.substr(0, at)) << "the rows are not sorted";
        last = line.substr(0, at);
    }
    return rows;
}

bool agrees(const std::vector<double>& a, const std::vector<double>& b)
{
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) {
               return std::abs(x - y) <= std::max(kTolerance * std::max(std::abs(x), std::abs(y)), kRounding);
           });
}

std::string change(const std::vector<double>& old, const std::vector<double>& now)
{
    for (std::size_t i = 0; i < std::min(old.size(), now.size()); ++i)
        if (!agrees({old[i]}, {now[i]})) {
            char text[60];
            std::snprintf(text, sizeof text, " (%+.3g %% at value %zu)", 100 * (now[i] / old[i] - 1), i + 1);
            return text;
        }
    return " (number of values)";
}

/// Rows that still agree keep their text: the difference shows what changed.
void renew(const std::map<std::string, std::string>& rows)
{
    std::ofstream file(kFile);
    file << "# Recorded metrics: case, metric with its unit, values (0.25*3 = three of them). Renew: packaging/golden.sh; the commit names "
            "the reason.\n";
    for (const auto& [name, values] : computed()) {
        const auto old = rows.find(name);
        file << name << " = " << (old != rows.end() && agrees(valuesOf(old->second), values) ? old->second : valuesText(values)) << "\n";
    }
}

TEST(Golden, EveryMetricIsAsRecorded)
{
    const std::map<std::string, std::string> rows = recorded();
    if (std::getenv("PRISM_RENEW_GOLDEN") != nullptr)
        return renew(rows);
    std::vector<std::string> differences;
    for (const auto& [name, values] : computed()) {
        const auto old = rows.find(name);
        if (old == rows.end())
            differences.push_back(name + ": not recorded, now " + valuesText(values));
        else if (const std::vector<double> before = valuesOf(old->second); !agrees(before, values))
            differences.push_back(name + ": recorded " + old->second + ", now " + valuesText(values) + change(before, values));
    }
    for (const auto& [name, values] : rows)
        if (!computed().contains(name))
            differences.push_back(name + ": recorded " + values + ", now missing");
    std::string text;
    for (std::size_t i = 0; i < std::min(kShown, differences.size()); ++i)
        text += "\n  " + differences[i];
    EXPECT_TRUE(differences.empty())
        << differences.size() << " of " << computed().size() << " metrics changed:" << text
        << (differences.size() > kShown ? "\n  ..." : "")
        << "\nIf this is intended: packaging/golden.sh renews tests/core/golden/metrics.txt; name the reason in the commit.";
}

/// A parameter that no recorded case changes could be ignored without notice.
TEST(Golden, CasesChangeEveryParameterThatMovesAMean)
{
    const std::set<std::string> moveNothing = {"model.name", "cluster.gpu.name", "job.start_date", "measured.calibration"};
    const std::vector<Case> all = cases();
    for (const Parameter& p : parameters()) {
        if (moveNothing.contains(p.id) || (p.group == "variability" && p.id != "variability.preset"))
            continue;
        EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Case& c) { return p.get(c.scenario) != p.get(all.front().scenario); }))
            << p.id << " has one value in all recorded cases: add a variant to cases.cpp";
    }
}

} // namespace
} // namespace prism::golden
