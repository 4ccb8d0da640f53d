// SPDX-License-Identifier: GPL-3.0-or-later
// Every field of a scenario, items of lists included: in the parameter table or in a list, in the hash, written and read. No field is
// named here, so that one that is added and forgotten somewhere is found.
#include "everyfield.h"

#include "core/base/jsontext.h"
#include "core/scenario/namedspreads.h"
#include "core/scenario/parametercheck.h"
#include "core/scenario/parameters.h"
#include "core/scenario/scenariodifferences.h"
#include "core/scenario/sectionreader.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace prism {
namespace {

/// Two items in every list, so that the last one and their order count.
Scenario filledScenario()
{
    Scenario s;
    s.note = "note";
    s.model.layerPattern = {{"dense", 2}, {"mamba", 1}};
    s.model.operators = {{"conv", 1e12, 1e9, 64, 128, 256, 1'000'000, 3}, {"pool", 1e6, 2e6, 0, 0, 0, 0, 1}};
    s.parallelism.customSchedule = {"F0 B0", "F0 B0 "};
    s.variability.gemm = empiricalDistribution({1, 2, 4});
    s.variability.classOverrides = {{"norm", {Family::gamma, 0.1, 0.01, 3.0, nullptr}}, {"optimizer", empiricalDistribution({1, 3})}};
    s.variability.spatialSensitivity = {{"gemm", 0.5}, {"norm", 0.25}};
    s.variability.slow = {{3, -1, 1.5, 1}, {-1, 5, 1, 1.25}};
    s.job.failures = {{"gpu", 1.5, true}, {"link", 0.5, false}};
    s.measured.kernels = {{"norm", 1e-3}, {"gemm.qkv", 2e-3}};
    s.measured.rows = {{"gemm", "bf16", 64, 128, 256, 0, 0, 1e-3}, {"all_reduce", "bf16", 0, 0, 0, 8, 1 << 20, 2e-3}};
    s.measured.speeds = {{2, -1, 0.5}, {3, 1, 0.75}};
    s.measured.nodeOrder = {1, 0};
    return s;
}

/// The scenario of a text, read without the rules that join fields.
SectionReading readBack(const Scenario& scenario)
{
    SectionReading reading;
    readScenario(*parseJson(toJson(scenario)), reading);
    return reading;
}

/// Sorts each pool again and derives its spread from it.
Scenario withPoolsRead(Scenario s)
{
    const auto read = [](Distribution& d) {
        if (d.family == Family::empirical && d.pool)
            d = empiricalDistribution(*d.pool);
    };
    for (const NamedSpread& spread : kNamedSpreads)
        read(s.variability.*spread.member);
    for (auto& [name, distribution] : s.variability.classOverrides)
        read(distribution);
    return s;
}

/// The entries of the parameter table that see a difference.
std::vector<const Parameter*> movedParameters(const Scenario& a, const Scenario& b)
{
    std::vector<const Parameter*> moved;
    for (const Parameter& p : parameters())
        if (p.get(a) != p.get(b))
            moved.push_back(&p);
    return moved;
}

TEST(EveryField, OfAScenarioIsInTheTableOrAListAndInTheHash)
{
    const Scenario base = filledScenario();
    Scenario s = base;
    std::set<std::uint64_t> hashes{base.hash().value};
    int labels = 0, scalars = 0;
    test::forEveryChange(s, [&](const std::string& path) {
        const std::vector<const Parameter*> moved = movedParameters(base, s);
        const bool heading = s.version != base.version || s.name != base.name || s.note != base.note;
        const bool isList = path.find('[') != std::string::npos || path.find(' ') != std::string::npos;
        EXPECT_NE(s, base) << path;
        EXPECT_EQ(moved.size(), isList || heading ? 0U : 1U) << path << " needs its own entry of the parameter table";
        const bool label = heading || (!moved.empty() && isLabel(*moved.front()));
        if (label)
            EXPECT_EQ(s.hash(), base.hash()) << path << " is a label";
        else
            EXPECT_TRUE(hashes.insert(s.hash().value).second) << path << " is not in the hash";
        EXPECT_EQ(allDifferences(base, s).empty(), s.hash() == base.hash()) << path << " is not a difference";
        labels += label ? 1 : 0;
        scalars += static_cast<int>(moved.size());
    });
    EXPECT_EQ(s, base);
    EXPECT_EQ(static_cast<std::size_t>(scalars), parameters().size()) << "every entry has its own field";
    EXPECT_GT(labels, 3);
}

TEST(EveryField, ThatDiffersCanBeCopiedOver)
{
    const Scenario base = filledScenario();
    Scenario s = base;
    test::forEveryChange(s, [&](const std::string& path) {
        for (const Difference& d : allDifferences(base, s))
            if (d.parameter == nullptr && readBack(s).scenario == s) { // not: a pool of a spread that is not a table
                const Result<Scenario> copy = withValueOf(base, withPoolsRead(s), d);
                EXPECT_TRUE(!copy.ok() || copy->hash() == withPoolsRead(s).hash()) << path; // not: a value that no file may hold
            }
    });
    Scenario slow = base, none = base;
    slow.variability.slow = {{3, -1, 1.15, 1}, {-1, 12, 1, 2}};
    none.variability.slow.clear();
    const std::vector<Difference> different = allDifferences(slow, none);
    ASSERT_EQ(different.size(), 1U);
    EXPECT_EQ(different[0].label, "Variability: slow");
    EXPECT_EQ(different[0].a, "node 3, compute factor 1.15, link factor 1.0; rank 12, compute factor 1.0, link factor 2.0");
    EXPECT_EQ(different[0].b, "none");
}

TEST(EveryField, OfAScenarioIsWrittenAndRead)
{
    const Scenario base = filledScenario();
    ASSERT_TRUE(readBack(base).diagnostics.empty()) << readBack(base).diagnostics.front().path;
    ASSERT_EQ(readBack(base).scenario, base);
    Scenario s = base;
    test::forEveryChange(s, [&](const std::string& path) {
        const std::vector<const Parameter*> moved = movedParameters(base, s);
        if (!moved.empty() && isLabel(*moved.front()) && !moved.front()->id.ends_with(".name"))
            return; // the name of a preset that there is not
        if (withPoolsRead(s) == base)
            return;
        // A value that is refused was written and read as well; a pool that changed comes back with mean 1.
        const SectionReading reading = readBack(s);
        const bool mayHavePool = s.variability != base.variability;
        EXPECT_TRUE(!reading.diagnostics.empty() || (mayHavePool ? reading.scenario != base : reading.scenario == s))
            << path << " is lost in the file";
    });
}

} // namespace
} // namespace prism
