// SPDX-License-Identifier: GPL-3.0-or-later
// Random graphs against the reference: a bounded form. slow_randomgraphs_test.cpp has ten times as many.
#include "core/sim/randomgraphs.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace prism::test {
namespace {

TEST(RandomGraphs, AreValidAndHaveEveryCause)
{
    int lockstep = 0, routed = 0, slow = 0, measured = 0, rareKernels = 0, joined = 0;
    for (std::uint64_t i = 0; i < 200; ++i) {
        const BatteryCase c = randomCase(i);
        const Diagnostics found = check(c.graph);
        EXPECT_TRUE(found.empty()) << c.name << ": " << found[0].path << " " << found[0].message;
        lockstep += lockstepSize(c.graph) > 1 ? 1 : 0;
        routed += c.graph.routing.isDeterministic() || !c.graph.programs[0].blocks[0].ops[0].routed ? 0 : 1;
        slow += c.graph.slow.empty() ? 0 : 1;
        measured += c.graph.fixedSpatial.empty() ? 0 : 1;
        rareKernels += c.graph.classes[0].temporal.rareProbability > 0.0 ? 1 : 0;
        joined += c.graph.programs.size() > 3 ? 1 : 0;
    }
    for (const int many : {lockstep, routed, slow, measured, rareKernels, joined})
        EXPECT_GE(many, 8);
}

TEST(RandomGraphs, FastAgreesWithReferenceOnTwenty)
{
    std::vector<Agreement> rows;
    for (std::uint64_t i = 0; i < 20; ++i) {
        rows.push_back(agreement(randomCase(i), 1'000, 2'000));
        EXPECT_FALSE(rows.back().fails()) << i;
    }
    std::puts(agreementTable(rows).c_str());
}

/// A rare event on a rare slow GPU adds to the pass in proportion to its length; on any other GPU of the pass, which all the same is that
/// long, it adds much less. Seed 111 has both kinds.
TEST(RandomGraphs, RareKernelsWithRareGpusAddLess)
{
    const Agreement a = agreement(randomCase(111), 1'000, 4'000);
    EXPECT_FALSE(a.fails()) << agreementTable({a});
}

} // namespace
} // namespace prism::test
