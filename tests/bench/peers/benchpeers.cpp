// SPDX-License-Identifier: GPL-3.0-or-later
#include "bench/peers/benchpeers.h"

#include "app/cli/frame/cli.h"
#include "bench/peers/toolrun.h"
#include "core/base/platform/process.h"
#include "core/calibrate/published.h"
#include "core/cost/predictor.h"
#include "core/insight/validate/validation.h"
#include "core/scenario/parameters.h"
#include "core/scenario/presetlibrary.h"
#include "bench/sweepbenchmark.h"
#include "generated/peerscripts.h"

#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <limits>

namespace prism::cli {

namespace {

constexpr char kThisRun[] = "this run", kHere[] = "PRISM Explorer";
constexpr char kAnswer[] = "One deterministic answer: GPT-3 175B on 64 A100", kStrategies[] = "Strategies per second on one core",
               kPass[] = "One sampled pass or transfer of a pipeline of 16 stages and 64 micro-batches",
               kSteps[] = "Steps of that pipeline sampled per second",
               kStart[] = "Start: the program says its version, or the library is loaded", kMemory[] = "Most memory held for these answers",
               kError[] = "Error of the step time (predicted over published, less 1)";
constexpr int kStages = 16, kMicrobatches = 64, kSamples = 10'000;

/// The questions of presets/peers/known.json.
const char* questionOf(const std::string& key)
{
    return key == "answer" ? kAnswer : key == "strategies" ? kStrategies : key == "memory" ? kMemory : kError;
}

/// Best of some runs, in CPU seconds: the cost of the work, regardless of the load of the machine.
template <class Work>
double bestCpuSeconds(const Work& work, int runs)
{
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < runs; ++i) {
        const std::clock_t start = std::clock();
        work();
        best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    return best;
}

class Peers final {
public:
    explicit Peers(std::string folder) : m_folder(std::move(folder)) {}

    void ourAnswers();
    void pipelines();
    void numpy();
    void statedErrors();
    void calculon();
    void starts();
    void known();
    [[nodiscard]] std::vector<PeerMetric> byQuestion() const;

private:
    void add(const char* question, const std::string& tool, std::optional<double> value, const char* unit,
             const std::string& origin = kThisRun)
    {
        m_metrics.push_back({question, tool, unit, value, value ? origin : "not there"});
    }
    [[nodiscard]] std::string checkout() const;
    /// Our own predictions of the rows that `rows` names, and the mean of their errors without sign.
    void ourErrors(const nlohmann::json& rows, const std::string& whose);

    std::string m_folder;
    nlohmann::json m_known = require(presetObject("peers", "known"));
    std::string m_timedRow = m_known.value("timed_row", ""); ///< whose answer is timed: one that the others have too
    std::vector<PublishedRow> m_rows = require(readPublished(require(presetText("published", "steps"))));
    std::vector<PeerMetric> m_metrics;
    double m_pipelineMean = 0; ///< of the sweep of this program: another sampler of the same pipeline must give the same mean
    std::size_t m_passes = 0;  ///< of one step of that pipeline, with its transfers
    bool m_calculonIsThere = false;
};

std::string Peers::checkout() const
{
    for (const std::filesystem::path& place : {std::filesystem::path(m_folder) / "calculon", std::filesystem::path(m_folder)})
        if (std::error_code error; std::filesystem::exists(place / "calculon" / "__init__.py", error))
            return place.string();
    return {};
}

/// Layouts of the same job on the same GPUs, each valid.
std::vector<Scenario> strategiesOf(const Scenario& base)
{
    std::vector<Scenario> valid;
    for (const char* tp : {"1", "2", "4", "8"})
        for (const char* pp : {"1", "2", "4", "8", "16", "32"})
            for (const char* batch : {"1", "2", "4"}) {
                Result<Scenario> s = base;
                const std::pair<const char*, const char*> values[] = {{"parallelism.pipeline_schedule", "1f1b"},
                                                                      {"parallelism.virtual_pipeline_model_parallel_size", "1"},
                                                                      {"parallelism.tensor_model_parallel_size", tp},
                                                                      {"parallelism.pipeline_model_parallel_size", pp},
                                                                      {"training.micro_batch_size", batch}};
                for (const auto& [path, value] : values)
                    if (s.ok())
                        s = setParameter(*s, path, value);
                if (s.ok() && costStep(*s).ok())
                    valid.push_back(std::move(s).value());
            }
    return valid;
}

void Peers::ourAnswers()
{
    const auto row = std::find_if(m_rows.begin(), m_rows.end(), [&](const PublishedRow& r) { return r.id == m_timedRow; });
    if (row == m_rows.end())
        throw InputError({{Severity::error, "presets/published/steps.json", "The row that is timed is missing.", "", m_timedRow, "", ""}});
    add(kAnswer, kHere, 1e3 * bestCpuSeconds([&] { (void)costStep(row->scenario); }, 200), "ms");
    const std::vector<Scenario> strategies = strategiesOf(row->scenario);
    const double seconds = bestCpuSeconds(
        [&] {
            for (const Scenario& s : strategies)
                (void)costStep(s);
        },
        5);
    add(kStrategies, fmt::format("{}, {} layouts of that job", kHere, strategies.size()), static_cast<double>(strategies.size()) / seconds,
        "1/s");
}

void Peers::ourErrors(const nlohmann::json& rows, const std::string& whose)
{
    std::vector<PublishedRow> requested;
    for (const PublishedRow& row : m_rows)
        if (rows.contains(row.id))
            requested.push_back(row);
    double sum = 0;
    for (const ValidatedRow& row : validatedRows(requested, calibration(), {}))
        sum += std::abs(row.error);
    add(kError, fmt::format("{}, mean over the {} rows of {}", kHere, requested.size(), whose),
        requested.empty() ? std::nullopt : std::optional(100 * sum / static_cast<double>(requested.size())), "%");
}

void Peers::pipelines()
{
    const StepGraph graph = sweepBenchmarkGraph(kStages, kMicrobatches);
    const KernelSweep kernel(graph);
    SweepBenchmarkRun swept, plain;
    constexpr int kPlainSamples = 500;
    const double sweptSeconds = bestCpuSeconds([&] { swept = kernel.run(kSamples); }, 12);
    const double plainSeconds = bestCpuSeconds([&] { plain = plainSweep(graph, kPlainSamples); }, 3);
    m_passes = plain.nodeSamples / kPlainSamples;
    m_pipelineMean = swept.meanSeconds;
    const auto metrics = [&](const std::string& tool, double seconds, std::size_t passes) {
        add(kPass, tool, 1e9 * seconds / static_cast<double>(passes), "ns");
        add(kSteps, tool, static_cast<double>(passes) / static_cast<double>(m_passes) / seconds, "1/s");
    };
    metrics(kHere, sweptSeconds, swept.nodeSamples);
    metrics("C++ loop of the standard library", plainSeconds, plain.nodeSamples);
}

void Peers::numpy()
{
    const std::string python = pythonWith("numpy");
    std::optional<ChildRun> run;
    if (!python.empty())
        run = bestChild(
            {.words = {python, "-c", kPipelineNumpy, std::to_string(kStages), std::to_string(kMicrobatches), std::to_string(kSamples)}});
    const nlohmann::json report = run ? lastLine(run->output) : nlohmann::json();
    const double seconds = numberAt(report, "seconds"), mean = numberAt(report, "mean_s");
    constexpr double kSameMean = 0.002; // two means of 10,000 samples of a spread below 2 % differ by 0.03 %
    const bool same = seconds > 0 && std::abs(mean / m_pipelineMean - 1) < kSameMean;
    const std::string tool = "NumPy " + (report.is_object() ? report.value("version", "") : std::string());
    const std::size_t passes = m_passes * static_cast<std::size_t>(kSamples);
    add(kPass, tool, same ? std::optional(1e9 * seconds / static_cast<double>(passes)) : std::nullopt, "ns");
    add(kSteps, tool, same ? std::optional(kSamples / seconds) : std::nullopt, "1/s");
    add(kMemory, tool + ", that pipeline", same ? std::optional(run->peakMib) : std::nullopt, "MiB");
}

/// Errors that tools state for rows that are predicted here too.
void Peers::statedErrors()
{
    for (const nlohmann::json& tool : m_known["rows"])
        if (tool.contains("errors")) {
            const auto name = tool["tool"].get<std::string>();
            ourErrors(tool["errors"], name);
            double sum = 0;
            for (const nlohmann::json& error : tool["errors"])
                sum += std::abs(error.get<double>());
            add(kError, fmt::format("{}, mean over these {} rows", name, tool["errors"].size()),
                100 * sum / static_cast<double>(tool["errors"].size()), "%", tool["origin"].get<std::string>());
        }
}

void Peers::calculon()
{
    nlohmann::json names = nlohmann::json::object(); // ours -> Calculon's
    for (const nlohmann::json& tool : m_known["rows"])
        if (tool.contains("runs"))
            names = tool["runs"];
    const std::string place = checkout();
    ChildCommand command{.words = {"python3", "-c", kRowsCalculon, place}};
    for (const auto& [ours, its] : names.items())
        command.words.push_back(its.get<std::string>());
    const std::optional<ChildRun> run = place.empty() ? std::nullopt : bestChild(command);
    const nlohmann::json report = run ? lastLine(run->output) : nlohmann::json();
    const nlohmann::json rows = report.is_object() ? report.value("rows", nlohmann::json::object()) : nlohmann::json::object();
    const auto of = [&](const std::string& id, const char* key) {
        const std::string its = names.value(id, "");
        return rows.contains(its) ? numberAt(rows[its], key) : 0.0;
    };
    const double shipped = of(m_timedRow, "shipped_s"), quiet = of(m_timedRow, "quiet_s");
    m_calculonIsThere = shipped > 0 && quiet > 0;
    const auto found = [&](double value) { return m_calculonIsThere ? std::optional(value) : std::nullopt; };
    add(kAnswer, "Calculon, as shipped", found(1e3 * shipped), "ms");
    add(kAnswer, "Calculon, logging quiet", found(1e3 * quiet), "ms");
    add(kStrategies, "Calculon, logging quiet, that job", found(1 / quiet), "1/s");
    add(kMemory, "Calculon, its rows", found(run ? run->peakMib : 0), "MiB");
    ourErrors(names, "Calculon");
    double sum = 0;
    for (const PublishedRow& row : m_rows)
        if (names.contains(row.id))
            sum += std::abs(of(row.id, "predicted_s") / row.publishedSeconds - 1);
    add(kError, fmt::format("Calculon, mean over these {} rows", names.size()), found(100 * sum / static_cast<double>(names.size())), "%");
}

void Peers::starts()
{
    constexpr int kRuns = 5;
    const auto milliseconds = [](const std::optional<ChildRun>& run) { return run ? std::optional(1e3 * run->cpuSeconds) : std::nullopt; };
    add(kStart, kHere, milliseconds(bestChild({.words = {PRISM_CLI, "--version"}}, kRuns)), "ms");
    const std::string python = pythonWith("numpy");
    add(kStart, "NumPy", python.empty() ? std::nullopt : milliseconds(bestChild({.words = {python, "-c", "import numpy"}}, kRuns)), "ms");
    const std::string load = "import sys; sys.path.insert(0, sys.argv[1]); import calculon; from calculon.llm import *";
    const std::string place = checkout();
    add(kStart, "Calculon", place.empty() ? std::nullopt : milliseconds(bestChild({.words = {"python3", "-c", load, place}}, kRuns)), "ms");
    const auto predicted = bestChild({.words = {PRISM_CLI, "predict", "gpt3-175b-1024-a100", "--threads", "1", "--quiet"}});
    add(kMemory, std::string(kHere) + ", 10,000 steps of GPT-3 175B on 1,024 A100",
        predicted ? std::optional(predicted->peakMib) : std::nullopt, "MiB");
}

void Peers::known()
{
    const auto text = [](const nlohmann::json& f, const char* key) { return f[key].get<std::string>(); };
    for (const nlohmann::json& f : m_known["figures"])
        m_metrics.push_back(
            {questionOf(text(f, "question")), text(f, "tool"), text(f, "unit"), f["value"].get<double>(), text(f, "origin")});
}

/// In the order in which the questions are asked above; within one, ours first and what is known of others last.
std::vector<PeerMetric> Peers::byQuestion() const
{
    std::vector<PeerMetric> sorted;
    for (const char* question : {kAnswer, kStrategies, kPass, kSteps, kStart, kMemory, kError})
        for (const bool ours : {true, false})
            for (const PeerMetric& f : m_metrics)
                if (f.question == question && f.tool.starts_with(kHere) == ours)
                    sorted.push_back(f);
    return sorted;
}

} // namespace

std::vector<PeerMetric> peerMetrics(const std::string& folder, const std::function<void(double, const char*)>& progress)
{
    Peers peers(folder);
    struct Part {
        void (Peers::*measure)();
        const char* what;
    };
    constexpr Part kParts[] = {{&Peers::ourAnswers, "our answers"},
                               {&Peers::pipelines, "pipelines"},
                               {&Peers::numpy, "NumPy"},
                               {&Peers::statedErrors, "published rows"},
                               {&Peers::calculon, "Calculon"},
                               {&Peers::starts, "starts"},
                               {&Peers::known, "others"}};
    double done = 0;
    for (const Part& part : kParts) {
        progress(done++ / std::size(kParts), part.what);
        (peers.*part.measure)();
    }
    return peers.byQuestion();
}

} // namespace prism::cli
