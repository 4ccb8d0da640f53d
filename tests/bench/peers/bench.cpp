// SPDX-License-Identifier: GPL-3.0-or-later
// bench: the engine's claims on this machine, measured and compared with their bounds and with other tools; a record of a run shown again.
#include "bench/peers/benchpeers.h"
#include "bench/peers/benchrecord.h"
#include "bench/commands.h"
#include "app/cli/frame/progressline.h"
#include "core/base/platform/process.h"
#include "core/engine/evaluator.h"
#include "core/scenario/parameters.h"
#include "core/scenario/presets.h"
#include "core/sim/lanetargets.h"
#include "bench/sweepbenchmark.h"

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include <sys/resource.h>

#include <chrono>
#include <memory>
#include <thread>

namespace prism::cli {

namespace {

struct BenchOptions : CommonOptions {
    std::string peers, record;
    bool markdown = false;
};

/// Best of some runs, in seconds of wall time: what the machine can do, not what else it did.
template <class Work>
double bestSeconds(const Work& work, int runs = 3)
{
    double best = 1e300;
    for (int i = 0; i < runs; ++i) {
        const auto start = std::chrono::steady_clock::now();
        work(i);
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return best;
}

/// One row per instruction set of interest: the best one that the processor has, and AVX2.
void measureSweep(std::vector<BenchBound>& rows)
{
    const StepGraph graph = sweepBenchmarkGraph(16, 64);
    const KernelSweep kernel(graph);
    SweepBenchmarkRun plain;
    const double plainSeconds = bestSeconds([&](int) { plain = plainSweep(graph, 500); });
    const double plainPerNode = plainSeconds / static_cast<double>(plain.nodeSamples) * 1e9;
    double best = 0.0;
    for (const LaneTarget& target : laneTargets()) {
        const bool wide = target.name.rfind("AVX3", 0) == 0; // Highway's name of AVX-512
        if (!(best == 0.0 || target.name == "AVX2"))
            continue;
        useLaneTarget(target.id);
        SweepBenchmarkRun fast;
        const double seconds = bestSeconds([&](int) { fast = kernel.run(10'000); }, 12);
        const double perNode = seconds / static_cast<double>(fast.nodeSamples) * 1e9;
        rows.push_back({"16 x 64 pipeline, 10,000 samples, one core, " + (wide ? "AVX-512" : target.name), "ns per node-sample", perNode,
                        wide ? 0.3 : 0.6});
        best = best == 0.0 ? perNode : best;
    }
    useLaneTarget(0);
    rows.push_back({"  against a loop with the standard library", "times faster", plainPerNode / best, 25.0, true});
}

/// Longest time from a request to stop to the return, over moments spread evenly over a cold evaluation.
double slowestCancel(const Scenario& scenario, double coldSeconds)
{
    using Clock = std::chrono::steady_clock;
    constexpr int kMoments = 20;
    double slowest = 0.0;
    for (int i = 0; i < kMoments; ++i) {
        std::stop_source source;
        EvaluateOptions options;
        options.stop = source.get_token();
        Clock::time_point requested;
        std::thread canceller([&] {
            std::this_thread::sleep_for(std::chrono::duration<double>(coldSeconds * (i + 0.5) / kMoments));
            requested = Clock::now();
            source.request_stop();
        });
        Evaluator evaluator;
        (void)evaluator.evaluate(scenario, options);
        const Clock::time_point done = Clock::now();
        canceller.join();
        slowest = std::max(slowest, std::chrono::duration<double>(done - requested).count());
    }
    return slowest;
}

double peakMemoryMib()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

void measureLargeJob(std::vector<BenchBound>& rows)
{
    const Scenario scenario = require(scenarioPreset("prism-64k"));
    const CostedStep costed = require(costStep(scenario));
    rows.push_back({"deterministic evaluation of a configuration", "us", bestSeconds([&](int) { (void)costStep(scenario); }) * 1e6, 100.0});
    const double coldSeconds = bestSeconds([&](int) {
        Evaluator evaluator;
        (void)evaluator.evaluate(scenario, {});
    });
    rows.push_back({"65,536 GPUs, 10,000 steps, cold", "ms", coldSeconds * 1e3, 500.0});
    rows.push_back({"  cancelled at 20 moments of it: slowest return", "ms", slowestCancel(scenario, coldSeconds) * 1e3, 5.0});
    Evaluator evaluator;
    (void)evaluator.evaluate(scenario, {});
    double first = 1e300;
    EvaluateOptions options;
    options.varianceShares = options.systemsRange = false;
    const auto edit = [&](const char* id, const std::string& value) {
        (void)evaluator.evaluate(require(setParameter(scenario, id, value)), options);
    };
    options.onProgress = [&](const SnapshotPtr& s) { first = std::min(first, s->cost.elapsedSeconds); };
    const double complete = bestSeconds([&](int i) { edit("variability.gemm.cv", std::to_string(0.011 + 1e-3 * i)); }, 8);
    rows.push_back({"  a kernel class's spread changed: first curve", "ms", first * 1e3, 16.0});
    rows.push_back({"  a kernel class's spread changed: complete", "ms", complete * 1e3, 150.0});
    SimOptions sim;
    sim.numWithinSamples = -1;
    const auto withReplicas = [&](int replicas) {
        StepGraph graph = costed.graph;
        graph.numReplicas = replicas;
        return graph;
    };
    rows.push_back({"  the number of replicas changed", "ms",
                    bestSeconds([&](int i) { (void)evaluator.samples(withReplicas(448 - i), sim); }) * 1e3, 20.0});
    const auto cold = [&](int replicas) { return bestSeconds([&](int) { (void)simulate(withReplicas(replicas), sim); }); };
    rows.push_back({"cost at 512 replicas over 1 replica", "times", cold(512) / cold(1), 3.0});
    rows.push_back({"cache after these evaluations", "MiB", static_cast<double>(evaluator.cacheBytes()) / 1048576.0, 256.0});
    rows.push_back({"most memory that this process has held", "MiB", peakMemoryMib(), 256.0});
}

BenchRecord machine()
{
    const auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
    const std::chrono::year_month_day date(today);
    return {.version = PRISM_VERSION,
            .date = fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                                static_cast<unsigned>(date.day())),
            .processor = processorName(),
            .system = systemName(),
            .cores = usableCores()};
}

/// One run on this machine: first the results that other tools are compared with, then the bounds.
BenchRecord measured(const BenchOptions& options)
{
    BenchRecord record = machine();
    ProgressLine progress(!options.quiet);
    const bool both = !options.peers.empty();
    if (both)
        record.peers = peerMetrics(options.peers, [&](double fraction, const char* what) { progress.show(fraction / 2, what); });
    progress.show(both ? 0.5 : 0, "the sweep");
    measureSweep(record.bounds);
    progress.show(both ? 0.7 : 0.4, "a large job");
    measureLargeJob(record.bounds);
    progress.clear();
    return record;
}

void bench(const BenchOptions& options)
{
    const BenchRecord record =
        options.record.empty() ? measured(options) : require(benchRecordFromJson(readInput(options.record)), options.record);
    writeOutput(options, options.json ? benchJson(record) : options.markdown ? benchPage(record) : benchText(record));
}

} // namespace

void addBench(CLI::App& app, Cli& cli)
{
    auto options = std::make_shared<BenchOptions>();
    CLI::App* command = app.add_subcommand("bench", "Measure the engine on this machine against its bounds, and next to other tools");
    auto* peers =
        command->add_option("--peers", options->peers,
                            "Measure other tools too, in the same run: NumPy, a plain C++ loop, and Calculon if this folder holds "
                            "a checkout of it");
    command->add_option("--record", options->record, "Measure nothing: show the run that this file of bench --json holds")->excludes(peers);
    addOutput(*command, *options, cli);
    command->add_flag("--markdown", options->markdown, "Write the page of the help")->excludes(command->get_option("--json"));
    command->footer("Example: prism-develop bench --peers ~/src --json --output run.json && prism-develop bench --record run.json");
    command->callback([options] { bench(*options); });
}

} // namespace prism::cli
