// SPDX-License-Identifier: GPL-3.0-or-later
// Every value of a preset file reaches its parameter; quantities in every unit; defaults of imported arguments.
#include "core/scenario/import/importers.h"
#include "core/scenario/parameters.h"
#include "core/scenario/presets.h"
#include "core/scenario/quantity.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <tuple>

namespace prism {
namespace {

bool sameValue(const ParameterValue& value, const nlohmann::json& json)
{
    if (json.is_string())
        return value == ParameterValue(json.get<std::string>());
    if (json.is_boolean())
        return value == ParameterValue(json.get<bool>());
    const double number =
        std::holds_alternative<double>(value) ? std::get<double>(value) : static_cast<double>(std::get<std::int64_t>(value));
    return number == json.get<double>();
}

/// Compares each value of the file with the parameter "prefix.key", likewise in inner objects; returns their number.
int expectValues(const nlohmann::json& object, const std::string& prefix, const Scenario& loaded, const std::string& name)
{
    int compared = 0;
    for (const auto& [key, value] : object.items()) {
        if (value.is_object())
            compared += expectValues(value, prefix + "." + key, loaded, name);
        else if (const Parameter* p = findParameter(prefix + "." + key); p != nullptr && value.is_primitive()) {
            EXPECT_TRUE(sameValue(p->get(loaded), value)) << name << ": " << p->id;
            ++compared;
        }
    }
    return compared;
}

TEST(SectionPresets, EveryValueOfAFileReachesItsParameter)
{
    const auto expectAll = [](const char* kind, const std::string& prefix, int values, auto load) {
        int compared = 0;
        for (const std::string& name : presetNames(kind)) {
            Scenario s;
            load(s, name);
            compared += expectValues(*presetObject(kind, name), prefix, s, name);
        }
        EXPECT_GE(compared, values) << kind;
    };
    expectAll("gpu", "cluster.gpu", 150, [](Scenario& s, const std::string& name) { s.cluster.gpu = *gpuPreset(name); });
    expectAll("fabric", "cluster", 150, [](Scenario& s, const std::string& name) { s.cluster = *fabricPreset(name, s.cluster); });
    expectAll("model", "model", 300, [](Scenario& s, const std::string& name) { s.model = *modelPreset(name); });
    expectAll("variability", "variability", 150, [](Scenario& s, const std::string& name) { s.variability = *variabilityPreset(name); });
    expectAll("job", "job", 25, [](Scenario& s, const std::string& name) { s.job = *jobPreset(name); });
    // Failures of a job: sum and kinds of Llama 3's table, 419 stops on 2,048 nodes in 54 days (arXiv 2407.21783, table 5).
    double all = 0;
    const JobConfig llama3 = *jobPreset("llama3-16k-h100");
    for (const FailureCause& f : llama3.failures)
        all += f.per1000NodeDays;
    EXPECT_NEAR(all * 2.048 * 54, 419, 0.5);
}

TEST(Quantities, InEveryUnit)
{
    struct Case {
        const char *text, *unit;
        double value;
        bool binaryK = false;
    };
    for (const Case& c : {Case{"0.9 TB/s", "GB/s", 900},
                          {"400 Gb/s", "GB/s", 50},
                          {"1.6Tbit/s", "GB/s", 200},
                          {"800 Mb/s", "GB/s", 0.1},
                          {"2 GiB/s", "GB/s", 2.147483648},
                          {"3 MiB/s", "GB/s", 3 * 1048576e-9},
                          {"5 MB/s", "GB/s", 0.005},
                          {"7 kB/s", "GB/s", 7e-6},
                          {"9 B/s", "GB/s", 9e-9},
                          {"100 Gbps", "GB/s", 12.5},
                          {"250 ns", "us", 0.25},
                          {"3 ms", "us", 3000},
                          {"2 s", "us", 2e6},
                          {"4 us", "s", 4e-6},
                          {"5 min", "s", 300},
                          {"2h", "s", 7200},
                          {"1.5 d", "s", 129600},
                          {"36 h", "days", 1.5},
                          {"2 weeks", "days", 14},
                          {"90 min", "days", 0.0625},
                          {"43200 s", "days", 0.5},
                          {"3 kB", "bytes", 3000},
                          {"3 KiB", "bytes", 3072},
                          {"2 MiB", "bytes", 2097152},
                          {"1 GB", "bytes", 1e9},
                          {"0.5 TiB", "GiB", 512},
                          {"512 MiB", "GiB", 0.5},
                          {"80 GB", "GiB", 80e9 / 1073741824},
                          {"2048 KiB", "MiB", 2},
                          {"1 GiB", "MiB", 1024},
                          {"2.5 PFLOP/s", "TFLOP/s", 2500},
                          {"750 GFLOPS", "TFLOP/s", 0.75},
                          {"1.83 GHz", "MHz", 1830},
                          {"500 kHz", "MHz", 0.5},
                          {"15T", "tokens", 15e12},
                          {"15T tokens", "tokens", 15e12},
                          {"3B", "tokens", 3e9},
                          {"2M", "tokens", 2e6},
                          {"2M", "tokens", 2097152, true},
                          {"8k", "tokens", 8000},
                          {"8k", "tokens", 8192, true},
                          {"8Ki", "tokens", 8192},
                          {"15%", "", 0.15},
                          {"16,384", "", 16384},
                          {"16_384", "", 16384},
                          {"1,234,567.5", "", 1234567.5},
                          {"1.5e3", "", 1500},
                          {"2e-2 TB/s", "GB/s", 20},
                          {" -3 ", "", -3}}) {
        const Result<double> value = quantityFromText(c.text, c.unit, c.binaryK);
        ASSERT_TRUE(value.ok()) << c.text;
        EXPECT_NEAR(*value, c.value, 1e-12 * std::abs(c.value)) << c.text;
    }
    for (const char* text : {"", "abc", "1,23", "3 GB/s", "1e999", "e5", "4x", "--1", "1.2.3"})
        EXPECT_FALSE(quantityFromText(text, "us", false).ok()) << text;
}

TEST(Quantities, ADecimalCommaIsAnErrorWithThePointAsItsFix)
{
    EXPECT_EQ(quantityFromText("1,5", "", false).errors().front().fixValue, "1.5");
    EXPECT_EQ(quantityFromText("0,9 TB/s", "GB/s", false).errors().front().fixValue, "0.9 TB/s");
    EXPECT_EQ(quantityFromText("1,x", "", false).errors().front().fixValue, "");
    EXPECT_EQ(quantityFromText("1,500", "", false).value(), 1500) << "digits in groups";
}

TEST(Quantities, AnExponentWithoutDigitsIsAnUnknownUnit)
{
    EXPECT_NE(quantityFromText("1e", "us", false).errors().front().message.find("unit \"e\""), std::string::npos);
}

/// A wrong value of up to 60 characters is quoted whole.
TEST(SectionPresets, LongInvalidValuesAreShortened)
{
    const auto found = [](std::size_t length) {
        return scenarioFromJson(R"({"version": 1, "model": {"num_layers": ")" + std::string(length, 'x') + R"("}})").errors().front().found;
    };
    EXPECT_EQ(found(60), "\"" + std::string(60, 'x') + "\"");
    EXPECT_EQ(found(61), "\"" + std::string(57, 'x') + "...\"");
}

TEST(Quantities, RangesGetTheirMiddle)
{
    for (const char* text : {"40 to 60 GB/s", "40 GB/s to 60 GB/s", "40..60", "40 - 60 GB/s", "0.04 to 0.06 TB/s"}) {
        const Result<double> value = quantityFromText(text, "GB/s", false);
        ASSERT_FALSE(value.ok()) << text;
        EXPECT_EQ(value.errors().front().fixValue, "50") << text;
    }
}

/// Megatron-LM's defaults for experts: two of them for a token, as wide as the MLP.
TEST(MegatronArguments, ExpertsFollowMegatronDefaults)
{
    const auto model = [](const std::string& flags) {
        return importMegatronArguments("--num-layers 24 --hidden-size 2304 --num-attention-heads 24 --seq-length 2048 --micro-batch-size 1 "
                                       "--bf16 --num-experts 8 "
                                           + flags,
                                       {})
            ->scenario.model;
    };
    EXPECT_EQ(model("").moeRouterTopk, 2);
    EXPECT_EQ(model("").moeFfnHiddenSize, 4 * 2304);
    EXPECT_EQ(model("--moe-router-topk 1 --moe-ffn-hidden-size 512").moeRouterTopk, 1);
    EXPECT_EQ(model("--moe-router-topk 1 --moe-ffn-hidden-size 512").moeFfnHiddenSize, 512);
    EXPECT_EQ(model("--swiglu").ffnHiddenSize, 6144); // two thirds of 4 h in multiples of 64
    EXPECT_EQ(model("--group-query-attention").numQueryGroups, 1);
    EXPECT_EQ(model("--kv-channels 64").kvChannels, 64);
}

TEST(MegatronArguments, VariablesOfOneLetterAreVariables)
{
    const Result<ImportResult> r = importMegatronArguments(
        "L=24\nH=2304\n--num-layers $L --hidden-size ${H} --num-attention-heads 24 --seq-length 2048 --micro-batch-size 1 # sizes", {});
    ASSERT_TRUE(r.ok());
    EXPECT_EQ(r->scenario.model.numLayers, 24);
    EXPECT_EQ(r->scenario.model.hiddenSize, 2304);
    EXPECT_EQ(r->scenario.training.globalBatchSize, r->scenario.dataParallelSize()); // one micro-batch for each rank
    for (const char* fallback : {"${LAYERS:-24}", "${LAYERS-24}"})
        EXPECT_EQ(importMegatronArguments(std::string("--num-layers ") + fallback
                                              + " --hidden-size 2304 --num-attention-heads 24 --seq-length 2048 --micro-batch-size 1",
                                          {})
                      ->scenario.model.numLayers,
                  24);
}

/// The path of a parameter is not the key of a section.
TEST(SectionPresets, KeysWithADotAreUnknown)
{
    EXPECT_TRUE(scenarioFromJson(R"({"version": 1, "cluster": {"num_gpus": 8}})").ok());
    const Result<Scenario> s = scenarioFromJson(R"({"version": 1, "cluster": {"gpu.memory_gib": 100}})");
    ASSERT_FALSE(s.ok());
    EXPECT_EQ(s.errors().front().path, "cluster.gpu.memory_gib");
}

/// A file shows every section, also one in which nothing differs from its preset.
TEST(SectionPresets, EverySectionIsInTheFile)
{
    const nlohmann::json file = nlohmann::json::parse(toJson(*scenarioPreset("llama2-7b-8-a100")));
    for (const char* section : {"model", "cluster", "parallelism", "training", "variability"})
        EXPECT_TRUE(file.contains(section) && file[section].is_object()) << section;
    Scenario plain;
    const nlohmann::json defaults = nlohmann::json::parse(toJson(plain));
    for (const char* section : {"model", "cluster", "parallelism", "training", "variability"})
        EXPECT_TRUE(defaults.contains(section) && defaults[section].is_object()) << section;
}

TEST(SectionPresets, StallsOrJitterAloneVary)
{
    const auto nothingVaries = [](auto change) {
        Scenario s = *scenarioPreset("llama2-7b-8-a100");
        s.variability = VariabilityConfig();
        change(s.variability);
        const Diagnostics found = check(s);
        return std::any_of(found.begin(), found.end(),
                           [](const Diagnostic& d) { return d.message.find("nothing varies") != std::string::npos; });
    };
    EXPECT_TRUE(nothingVaries([](VariabilityConfig&) {}));
    EXPECT_FALSE(nothingVaries([](VariabilityConfig& v) { v.stepJitterS = 0.1; }));
    EXPECT_FALSE(nothingVaries([](VariabilityConfig& v) { v.stallsPerGpuHour = v.stallMeanS = 0.1; }));
    EXPECT_FALSE(nothingVaries([](VariabilityConfig& v) { v.data = {Family::gamma, 0.1}; }));
}

/// A text in the place of each number of the lists of a scenario: the message names what is read there.
TEST(SectionLists, EveryNumberHasItsRange)
{
    const std::tuple<const char*, const char*, const char*> fields[] = {
        {"/model/layer_pattern", "count", "an integer from 1 to 4096"},
        {"/model/operators", "flops", "a number from 0 to 1e+30"},
        {"/model/operators", "bytes", "a number from 0 to 1e+30"},
        {"/model/operators", "m", "an integer from 0 to 1099511627776"},
        {"/model/operators", "n", "an integer from 0 to 1099511627776"},
        {"/model/operators", "k", "an integer from 0 to 1099511627776"},
        {"/model/operators", "parameters", "an integer from 0 to 1125899906842624"},
        {"/model/operators", "count", "an integer from 1 to 1000000"},
        {"/variability/slow", "node", "an integer from -1 to 1048575"},
        {"/variability/slow", "rank", "an integer from -1 to 1048575"},
        {"/variability/slow", "compute_factor", "a number from 0.1 to 1000"},
        {"/variability/slow", "link_factor", "a number from 0.1 to 1000"},
        {"/job/failures", "per_1000_node_days", "a number from 0 to 1000000"},
        {"/measured/kernels", "mean_s", "a number from 0 to 1000000"},
        {"/measured/rows", "m", "an integer from 0 to 1125899906842624"},
        {"/measured/rows", "n", "an integer from 0 to 1125899906842624"},
        {"/measured/rows", "k", "an integer from 0 to 1125899906842624"},
        {"/measured/rows", "ranks", "an integer from 0 to 1048576"},
        {"/measured/rows", "bytes", "an integer from 0 to 1125899906842624"},
        {"/measured/rows", "time_s", "a number from 0 to 1000000"},
        {"/measured/speeds", "node", "an integer from 0 to 1048575"},
        {"/measured/speeds", "gpu", "an integer from -1 to 1023"},
        {"/measured/speeds", "relative_speed", "a number from 0.001 to 1000"}};
    for (const auto& [list, key, accepted] : fields) {
        nlohmann::json document = {{"version", 1}};
        document[nlohmann::json::json_pointer(list)] = {{{key, "x"}}};
        std::string path = std::string(list).substr(1) + "[0]." + key;
        path.replace(path.find('/'), 1, ".");
        const Diagnostics errors = scenarioFromJson(document.dump()).errors();
        const auto at = std::find_if(errors.begin(), errors.end(), [&](const Diagnostic& d) { return d.path == path; });
        ASSERT_NE(at, errors.end()) << path;
        EXPECT_EQ(at->accepted, accepted) << path;
    }
    const Diagnostics share = scenarioFromJson(R"({"version": 1, "variability": {"spatial_sensitivity": {"gemm": "x"}}})").errors();
    ASSERT_FALSE(share.empty());
    EXPECT_EQ(share.front().accepted, "a number from 0 to 1");
}

} // namespace
} // namespace prism
