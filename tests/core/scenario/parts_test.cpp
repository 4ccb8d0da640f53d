// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of a scenario: every field that a fabric names, texts of values in messages, whole numbers at their limits.
#include "core/scenario/objectreader.h"
#include "core/scenario/presets.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace prism {
namespace {

TEST(FabricPreset, TakesEveryFieldOfTheFabricAndNoOther)
{
    // No field of this cluster is that of a fabric.
    ClusterConfig other;
    other.numGpus = 12345;
    other.gpuHourPriceUsd = 7.25;
    other.gpusPerNode = 3;
    other.intraNodeGbPerS = other.intraNodeLatencyUs = other.intraNodeBaseLatencyUs = 0.5;
    other.interNodeGbPerS = other.interNodeLatencyUs = other.interNodeEfficiency = 0.5;
    other.intraNodeTopology = other.topology = "none";
    other.oversubscription = 77;
    other.nodesPerPod = 77;
    for (const std::string& name : presetNames("fabric")) {
        for (const bool nvls : {false, true}) {
            other.nvlsSupported = nvls;
            const ClusterConfig c = fabricPreset(name, other).value(), plain = fabricPreset(name, ClusterConfig()).value();
            EXPECT_EQ(c.fabricPreset, name);
            EXPECT_EQ(c.numGpus, 12345);
            EXPECT_EQ(c.gpuHourPriceUsd, 7.25);
            for (double ClusterConfig::*const field :
                 {&ClusterConfig::intraNodeGbPerS, &ClusterConfig::intraNodeLatencyUs, &ClusterConfig::intraNodeBaseLatencyUs,
                  &ClusterConfig::interNodeGbPerS, &ClusterConfig::interNodeLatencyUs, &ClusterConfig::interNodeEfficiency,
                  &ClusterConfig::oversubscription}) {
                EXPECT_EQ(c.*field, plain.*field) << name;
                EXPECT_NE(c.*field, other.*field) << name;
            }
            EXPECT_EQ(c.gpusPerNode, plain.gpusPerNode) << name;
            EXPECT_NE(c.gpusPerNode, 3) << name;
            EXPECT_NE(c.nodesPerPod, 77) << name;
            EXPECT_EQ(c.nvlsSupported, plain.nvlsSupported) << name;
            EXPECT_NE(c.topology, "none") << name;
            EXPECT_NE(c.intraNodeTopology, "none") << name;
        }
    }
    const ClusterConfig h100 = fabricPreset("dgx-h100-ndr400-rail", other).value();
    EXPECT_EQ(h100.gpusPerNode, 8);
    EXPECT_EQ(h100.interNodeGbPerS, 50) << "400 Gb/s a GPU";
}

TEST(ObjectReaderAnswers, ValuesInMessagesHaveSixtyLetters)
{
    const auto lettersOf = [](std::size_t letters) {
        const std::string shown = jsonShort(nlohmann::json(std::string(letters, 'a')));
        return std::pair(std::count(shown.begin(), shown.end(), 'a'), shown.ends_with("...\""));
    };
    EXPECT_EQ(lettersOf(60), std::pair(std::ptrdiff_t{60}, false));
    EXPECT_EQ(lettersOf(61), std::pair(std::ptrdiff_t{57}, true));
    EXPECT_EQ(jsonShort(nlohmann::json::array({1, 2, 3})), "a list of 3");
    EXPECT_EQ(jsonShort(1.5), "1.5");
    std::int64_t number = -7;
    const std::pair<nlohmann::json, bool> known[] = {{3, true},
                                                     {-3, true},
                                                     {3.0, true},
                                                     {3.5, false},
                                                     {9007199254740992.0, true},
                                                     {9007199254740994.0, false},
                                                     {-9007199254740992.0, true},
                                                     {std::uint64_t{9223372036854775807U}, true},
                                                     {std::uint64_t{9223372036854775808U}, false},
                                                     {"3", false}};
    for (const auto& [value, isWhole] : known)
        EXPECT_EQ(wholeNumber(value, number), isWhole) << value;
    EXPECT_TRUE(wholeNumber(-3, number));
    EXPECT_EQ(number, -3);
    EXPECT_TRUE(wholeNumber(4.0, number));
    EXPECT_EQ(number, 4);
}

} // namespace
} // namespace prism
