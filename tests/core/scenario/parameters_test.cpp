// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/parameternames.h"
#include "core/scenario/parameters.h"

#include "core/scenario/parametertable.h"
#include "core/scenario/presets.h"
#include "randomscenario.h"

#include "prism_paths.h"

#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

namespace prism {
namespace {

TEST(Parameters, HaveUniqueIdsLabelsHelpAndDefaultsInRange)
{
    std::set<std::string> ids;
    for (const Parameter& p : parameters()) {
        EXPECT_TRUE(ids.insert(p.id).second) << p.id;
        EXPECT_TRUE(p.id.starts_with(p.group + ".")) << p.id;
        EXPECT_FALSE(p.label.empty()) << p.id;
        EXPECT_GT(p.help.size(), 15U) << p.id;
        EXPECT_EQ(p.get(Scenario{}), p.defaultValue) << p.id;
        EXPECT_EQ(findParameter(p.id), &p);
        const bool number = p.type == ParameterType::integer || p.type == ParameterType::real;
        EXPECT_TRUE(!number || p.minimum < p.maximum) << p.id;
    }
    EXPECT_EQ(findParameter("nothing"), nullptr);
}

TEST(Parameters, TextReadsBackToTheSameValue)
{
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const Scenario scenario = test::randomScenario(seed);
        for (const Parameter& p : parameters()) {
            const bool preset = p.id.ends_with(".preset") || p.id == "cluster.fabric";
            if (preset || p.type == ParameterType::text)
                continue; // setting a preset loads it; text is trimmed
            const Result<Scenario> again = setParameter(Scenario{}, p.id, parameterText(p, scenario));
            ASSERT_TRUE(again.ok()) << p.id << " " << parameterText(p, scenario);
            EXPECT_EQ(p.get(*again), p.get(scenario)) << p.id << " " << parameterText(p, scenario);
        }
    }
}

struct Typed {
    const char* id;
    const char* text;
    double value;
};

class TypedNumbers : public testing::TestWithParam<Typed> {};

TEST_P(TypedNumbers, AreRead)
{
    const auto& [id, text, expected] = GetParam();
    const Result<Scenario> set = setParameter(Scenario{}, id, text);
    ASSERT_TRUE(set.ok()) << set.errors().front().message;
    const ParameterValue value = findParameter(id)->get(*set);
    const double number =
        std::holds_alternative<double>(value) ? std::get<double>(value) : static_cast<double>(std::get<std::int64_t>(value));
    EXPECT_DOUBLE_EQ(number, expected);
}

INSTANTIATE_TEST_SUITE_P(
    Units, TypedNumbers,
    testing::Values(Typed{"cluster.intra_node_gb_per_s", "900 GB/s", 900}, Typed{"cluster.intra_node_gb_per_s", "0.9 TB/s", 900},
                    Typed{"cluster.inter_node_gb_per_s", "400 Gb/s", 50}, Typed{"cluster.inter_node_gb_per_s", "400Gbps", 50},
                    Typed{"variability.gemm.cv", "15%", 0.15}, Typed{"variability.gemm.cv", "0.15", 0.15},
                    Typed{"variability.gemm.cv", " 1.5 % ", 0.015}, Typed{"cluster.num_gpus", "16k", 16384},
                    Typed{"cluster.num_gpus", "16,384", 16384}, Typed{"cluster.num_gpus", "16384 GPUs", 16384},
                    Typed{"model.seq_length", "128k", 131072}, Typed{"model.seq_length", "1M", 1048576},
                    Typed{"cluster.num_gpus", "1e3", 1000}, Typed{"training.train_tokens", "15.6T", 15.6e12},
                    Typed{"training.train_tokens", "300e9", 300e9}, Typed{"cluster.inter_node_latency_us", "0.008 ms", 8},
                    Typed{"cluster.gpu.memory_gib", "1 TiB", 1024}, Typed{"cluster.gpu.boost_clock_mhz", "1.83 GHz", 1830},
                    Typed{"cluster.gpu.peak_bf16_tflops", "2.25 PFLOP/s", 2250}));

TEST(SetParameter, RejectsNonsenseWithAReason)
{
    const std::pair<const char*, const char*> invalid[] = {{"cluster.intra_node_gb_per_s", "900 bananas"},
                                                           {"cluster.intra_node_gb_per_s", "fast"},
                                                           {"cluster.intra_node_gb_per_s", "nan"},
                                                           {"cluster.intra_node_gb_per_s", "inf"},
                                                           {"cluster.intra_node_gb_per_s", "1e999"},
                                                           {"cluster.intra_node_gb_per_s", "-3"},
                                                           {"cluster.intra_node_gb_per_s", ""},
                                                           {"cluster.intra_node_gb_per_s", "15%"},
                                                           {"cluster.intra_node_gb_per_s", "1,5"},
                                                           {"parallelism.tensor_model_parallel_size", "2.5"},
                                                           {"parallelism.tensor_model_parallel_size", "0"},
                                                           {"parallelism.tensor_model_parallel_size", "99999999999999999999"},
                                                           {"parallelism.sequence_parallel", "perhaps"},
                                                           {"training.precision", "bf61"},
                                                           {"cluster.gpu.preset", "h100"},
                                                           {"variability.gemm.cv", "600%"}};
    for (const auto& [id, text] : invalid) {
        const Result<Scenario> set = setParameter(Scenario{}, id, text);
        ASSERT_FALSE(set.ok()) << id << " " << text;
        EXPECT_EQ(set.errors().front().path, id);
        EXPECT_FALSE(set.errors().front().accepted.empty()) << id << " " << text;
    }
    EXPECT_NE(setParameter(Scenario{}, "training.precision", "bf61").errors().front().message.find("\"bf16\""), std::string::npos);
}

TEST(SetParameter, ReportsWhatToDoWithARange)
{
    const std::tuple<const char*, const char*, const char*> ranges[] = {{"cluster.inter_node_gb_per_s", "40 to 60 GB/s", "50"},
                                                                        {"cluster.inter_node_gb_per_s", "320 Gb/s – 80 GB/s", "60"},
                                                                        {"cluster.inter_node_latency_us", "2 .. 4 us", "3"},
                                                                        {"cluster.num_gpus", "64 to 128", "96"},
                                                                        {"variability.gemm.cv", "1 to 3%", "0.02"}};
    for (const auto& [id, text, middle] : ranges) {
        const Result<Scenario> set = setParameter(Scenario{}, id, text);
        ASSERT_FALSE(set.ok()) << text;
        const Diagnostic error = set.errors().front();
        EXPECT_NE(error.message.find("This is a range"), std::string::npos) << error.message;
        EXPECT_NE(error.accepted.find("Variability"), std::string::npos) << error.accepted;
        EXPECT_EQ(error.fixPath, id);
        EXPECT_EQ(error.fixValue, middle);
        EXPECT_TRUE(setParameter(Scenario{}, error.fixPath, error.fixValue).ok()) << "the fix is one";
    }
    for (const char* text : {"40 to", "to 60", "40 to fast", "a - b", "10-3 GB/s"})
        EXPECT_TRUE(setParameter(Scenario{}, "cluster.inter_node_gb_per_s", text).errors().front().fixPath.empty()) << text;
}

TEST(SetParameter, SuggestsNearIds)
{
    const auto message = [](const char* id) { return setParameter(Scenario{}, id, "1").errors().front().message; };
    EXPECT_EQ(message("parallelism.tensor_model_paralel_size"),
              "there is no such parameter; did you mean \"parallelism.tensor_model_parallel_size\"?");
    EXPECT_EQ(message("num_layer"), "there is no such parameter; did you mean \"model.num_layers\"?");
    EXPECT_EQ(message("xyzzy"), "there is no such parameter");
}

TEST(ParameterNames, ShortNamesAndWordsMeanOneParameter)
{
    const auto id = [](const char* name) {
        const Parameter* p = parameterByName(name);
        return p == nullptr ? std::string() : p->id;
    };
    for (const char* name : {"TP", "tp", "parallelism.tp", "Parallelism.TP", "tensor_model_parallel_size"})
        EXPECT_EQ(id(name), "parallelism.tensor_model_parallel_size") << name;
    EXPECT_EQ(id("gpus"), "cluster.num_gpus");
    EXPECT_EQ(id("cluster.gpus"), "cluster.num_gpus");
    EXPECT_EQ(id("training.mbs"), "training.micro_batch_size");
    EXPECT_EQ(id("preset"), "") << "models, GPUs and fabrics have one";
    EXPECT_EQ(id("model.tp"), "") << "of another section";
    for (const Parameter& p : parameters())
        EXPECT_EQ(id(p.id.c_str()), p.id);
    EXPECT_EQ(setParameter(Scenario{}, "parallelism.tp", "4").value().parallelism.tensorModelParallelSize, 4);
}

TEST(SetParameter, APresetNameLoadsTheWholePreset)
{
    Scenario s = *scenarioPreset("llama3-70b-256-h100");
    s.variability.slow = {{1, -1, 1.2, 1}};
    s = *setParameter(s, "cluster.gpu.preset", "h200-sxm-141gb");
    EXPECT_EQ(s.cluster.gpu.memoryBandwidthGbPerS, 4800);
    s = *setParameter(s, "cluster.fabric", "gb200-nvl72-ndr400");
    EXPECT_EQ(s.cluster.gpusPerNode, 72);
    EXPECT_EQ(s.cluster.numGpus, 256);
    s = *setParameter(s, "model.preset", "llama2-7b");
    EXPECT_EQ(s.model.numLayers, 32);
    s = *setParameter(s, "variability.preset", "none");
    EXPECT_TRUE(s.variability.gemm.isDeterministic());
    EXPECT_EQ(s.variability.slow.size(), 1U);
}

TEST(Differences, NameTheParametersThatDiffer)
{
    const Scenario a = *scenarioPreset("sample-baseline");
    const Scenario b = *setParameter(a, "parallelism.virtual_pipeline_model_parallel_size", "4");
    const auto different = differences(a, b);
    ASSERT_EQ(different.size(), 1U);
    EXPECT_EQ(different.front()->shortName, "VPP");
    EXPECT_TRUE(differences(a, a).empty());
}

TEST(ParameterPage, IsUpToDate)
{
    std::ifstream file(PRISM_SOURCE_DIR "/resources/help/parameters.md", std::ios::binary);
    std::ostringstream stored;
    stored << file.rdbuf();
    EXPECT_EQ(stored.str(), parameterPage()) << "run: prism-cli help parameters --markdown > resources/help/parameters.md";
}

TEST(OlderIds, AreReadInFilesAndNamedWithTheirReplacement)
{
    ASSERT_EQ(olderIds().size(), 3U);
    for (const OlderId& older : olderIds()) {
        const std::string section(older.id.substr(0, older.id.rfind('.'))), key(older.id.substr(older.id.rfind('.') + 1));
        const bool isFlag = key == "flash_attention", isGpu = section == "cluster.gpu";
        const std::string entry = "{\"" + key + "\": " + (isFlag ? "false" : "1") + "}";
        const Result<Scenario> read =
            scenarioFromJson(R"({"version": 1, )" + (isGpu ? R"("cluster": {"gpu": )" + entry + "}}" : "\"training\": " + entry + "}"));
        ASSERT_TRUE(read.ok()) << older.id;
        Scenario expected;
        expected.training.attentionBackend = isFlag ? "unfused" : expected.training.attentionBackend;
        EXPECT_EQ(*read, expected) << older.id;
        const Result<Scenario> set = setParameter(Scenario{}, older.id, "false");
        EXPECT_EQ(set.ok(), isFlag);
        EXPECT_EQ(isFlag ? older.id : set.errors().front().found, older.id);
        EXPECT_NE(parameterPage().find("| `" + std::string(older.id) + "` | " + std::string(older.now)), std::string::npos);
    }
}

} // namespace
} // namespace prism
