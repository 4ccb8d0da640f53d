// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measured/sources.h"

#include "core/measured/collectivetables.h"
#include "core/measured/tables.h"
#include "core/scenario/presets.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace prism {
namespace {

constexpr const char* kSmall = R"({"title": "t",
 "collectives": [{"file": "ours_1", "not_read": "one rank"}, {"file": "ours_", "format": "elements", "gpu": "g", "fabric": "f",
                  "shape_only_between_nodes": true}],
 "systems": [{"name": "big", "family": "b", "gpu": "g", "fabric": "f"}],
 "products": {"systems": ["big"], "sustained_systems": [], "collector_16_bit": "x", "collector_8_bit": "y", "collector_4_bit": "z"}})";

std::string changed(std::string text, const std::string& from, const std::string& to)
{
    return text.replace(text.find(from), from.size(), to);
}

class Scratch final {
public:
    Scratch() { std::filesystem::create_directories(m_folder); }
    ~Scratch() { std::filesystem::remove_all(m_folder); }
    [[nodiscard]] std::string write(const std::string& name, const std::string& text) const
    {
        std::ofstream(m_folder / name) << text;
        return (m_folder / name).string();
    }
    [[nodiscard]] std::string folder() const { return m_folder.string(); }

private:
    std::filesystem::path m_folder = std::filesystem::path(testing::TempDir()) / "measured_sources";
};

TEST(MeasurementSources, TheFirstFileNameThatFitsCounts)
{
    const Result<MeasurementSources> sources = measurementSourcesFromJson(kSmall);
    ASSERT_TRUE(sources.ok());
    EXPECT_EQ(sources->collectivesOf("ours_1.log")->notRead, "one rank");
    const CollectiveSource* second = sources->collectivesOf("ours_2.log");
    ASSERT_NE(second, nullptr);
    EXPECT_TRUE(second->notRead.empty());
    EXPECT_TRUE(second->shapeOnlyBetweenNodes);
    EXPECT_EQ(second->format, CollectiveFormat::elements);
    EXPECT_EQ(sources->collectivesOf("theirs_2.log"), nullptr);
    EXPECT_EQ(sources->systemOf("big_sxm")->gpu, "g");
    EXPECT_EQ(sources->systemOf("bigger"), nullptr);
}

TEST(MeasurementSources, ErrorsAreReportedWithTheirPlace)
{
    const auto firstPath = [](const std::string& text) {
        const Diagnostics errors = measurementSourcesFromJson(text).errors();
        return errors.empty() ? "none" : errors.front().path;
    };
    EXPECT_EQ(firstPath(kSmall), "none");
    EXPECT_EQ(firstPath(changed(kSmall, "elements", "element")), "collectives[1].format");
    EXPECT_EQ(firstPath(changed(kSmall, "\"format\": \"elements\",", "")), "collectives[1]");
    EXPECT_EQ(firstPath(changed(kSmall, "\"fabric\": \"f\"}]", "\"fabrics\": \"f\"}]")), "systems[0].fabrics");
    EXPECT_EQ(firstPath(changed(kSmall, "[\"big\"]", "[1]")), "products.systems[0]");
    EXPECT_EQ(firstPath(changed(kSmall, "\"systems\": [{", "\"system\": [{")), "systems");
    EXPECT_FALSE(measurementSourcesFromJson("[1, 2]").ok());
    EXPECT_FALSE(measurementSourcesFromJson("{").ok());
}

TEST(MeasurementSources, EveryMachineIsInTheLibrary)
{
    const Result<MeasurementSources>& sources = measurementSources();
    ASSERT_TRUE(sources.ok()) << sources.errors().front().path << " " << sources.errors().front().message;
    const auto expectMachine = [](const std::string& gpu, const std::string& fabric) {
        EXPECT_TRUE(gpuPreset(gpu).ok()) << gpu;
        EXPECT_TRUE(fabricPreset(fabric, {}).ok()) << fabric;
    };
    for (const CollectiveSource& s : sources->collectives)
        if (s.notRead.empty() && s.format != CollectiveFormat::busTable)
            expectMachine(s.gpu, s.fabric);
    for (const MeasuredSystem& s : sources->systems)
        expectMachine(s.gpu, s.fabric);
    for (const auto* list : {&sources->products.systems, &sources->products.sustainedSystems})
        for (const std::string& system : *list)
            EXPECT_NE(sources->systemOf(system), nullptr) << system;
}

/// NVLink 3, 4 and 5 carry 300, 450 and 900 GB/s a GPU and direction.
TEST(MeasurementSources, ABusTableTakesTheLinksOfItsMachines)
{
    const Scratch scratch;
    const std::string rows = "a100_sxm,2,all_reduce,half,8,1048576,50,100\nh200_sxm,2,all_gather,half,8,1048576,50,100\n"
                             "gb300,2,alltoall,half,8,1048576,50,100\nnobody,2,all_reduce,half,8,1048576,50,100\n";
    const std::string header = "system,nccl_version,op,dtype,num_gpus,bytes,latency_us,busbw_GBps\n";
    const Result<std::vector<BusRow>> read = readBusTable(scratch.write("bus.csv", header + rows));
    ASSERT_TRUE(read.ok());
    std::vector<double> links;
    for (const BusRow& r : *read)
        links.push_back(r.linkGbPerS);
    EXPECT_EQ(links, (std::vector<double>{300, 450, 900, 0}));
    (void)scratch.write("aiconfigurator_nccl.csv", header + rows);
    const Result<CollectiveFolder> folder = readCollectiveFolder(scratch.folder());
    ASSERT_TRUE(folder.ok());
    EXPECT_EQ(folder->tables.size(), 3U);
    EXPECT_EQ(folder->notRead,
              (std::vector<std::string>{"aiconfigurator_nccl.csv: nobody: not a known system", "bus.csv: not a known table"}));
}

} // namespace
} // namespace prism
