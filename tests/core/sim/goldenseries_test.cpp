// SPDX-License-Identifier: GPL-3.0-or-later
// Sampled steps of random graphs stay those of their seed: a stored result is repeated by its seed. They notice a change; whether the steps
// are true is the matter of the battery, the known answers and the formulas. packaging/golden.sh renews the file.
#include "core/sim/graphs.h"
#include "core/sim/randomgraphs.h"
#include "core/sim/record/steprecorder.h"
#include "core/sim/simulate.h"
#include "core/sim/sweep/stepsweeper.h"
#include "prism_paths.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>

namespace prism::test::goldenseries {
namespace {

constexpr const char* kFile = PRISM_SOURCE_DIR "/tests/core/sim/goldenseries.txt";
constexpr double kTolerance = 3e-6; ///< relative, of sums in single precision
constexpr double kRounding = 1e-5;  ///< seconds: of differences between hundreds of passes in single precision
constexpr double kDraws = 3e5;      ///< of the tables: enough for several lengths of a pass

using SeriesValues = std::map<std::string, std::vector<double>>;

/// Mean and root mean square: a single step that differs is seen in one of them.
std::vector<double> momentsOf(const std::vector<double>& x)
{
    const double n = static_cast<double>(x.size());
    return {std::accumulate(x.begin(), x.end(), 0.0) / n, std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0) / n)};
}

void append(std::vector<double>& to, const std::vector<double>& more)
{
    to.insert(to.end(), more.begin(), more.end());
}

std::vector<double> sweptSeries(const SweepModel& model, SweptSeries series, std::size_t first, std::size_t count)
{
    series.first = first;
    const RegimeTable regimes(model, regimeSeries(model.graph, series.seed, series.run, first, count));
    StepSweeper sweeper(model, regimes, std::move(series), {});
    std::vector<double> out = momentsOf(sweeper.seconds(count));
    out.push_back(static_cast<double>(sweeper.nodeSamples()));
    return out;
}

/// Steps across jobs and within three of them; the error of the tables, and the jobs around the median one.
std::vector<double> sweptOf(const StepGraph& g, std::size_t steps)
{
    Memo memo(std::size_t{1} << 26);
    Recall recall(memo);
    const auto model = sweepModel(g, 5, kDraws, recall, {});
    std::vector<double> out = sweptSeries(*model, {5, Run::across, {}}, 0, steps);
    append(out, sweptSeries(*model, {5, Run::within, {4, 9, 2}}, 3, steps / 2));
    out.push_back(tableError(*model, 5, {}));
    return out;
}

std::vector<double> referenceOf(const StepGraph& g)
{
    SimOptions o;
    o.seed = 5;
    o.numSamples = 6;
    o.numWithinSamples = 4;
    const StepSamples s = simulateReference(g, o);
    std::vector<double> out = momentsOf(s.acrossSeconds);
    append(out, momentsOf(s.withinSeconds));
    return out;
}

/// Of five recorded steps: seconds by cause of passes, transfers and operations, and the sum of the times of the critical path's pieces.
std::vector<double> recordOf(const StepGraph& g)
{
    const auto recorder = StepRecorder::make(g, {.seed = 5, .first = 2, .steps = 5});
    std::vector<double> passes(kCauses, 0.0), transfers = passes, operations = passes, classes(g.classes.size(), 0.0), path(4, 0.0);
    const auto add = [&](std::vector<double>& to, const Parts& parts) {
        for (std::size_t c = 0; c < to.size(); ++c)
            to[c] += parts.byCause[c];
        for (std::size_t c = 0; c < classes.size(); ++c)
            classes[c] += parts.byClass[c];
    };
    for (StepRecord& step : recorder->record(std::vector<std::size_t>{0, 1, 2, 3, 4}, true)) {
        path[1] += step.stepSeconds;
        path[2] += step.jitterSeconds;
        path[3] += step.stallSeconds;
        for (const CriticalPiece& p : step.critical)
            path[0] += p.start * (1.0 + static_cast<double>(p.kind)) + p.stage;
        for (int s = 0; s < g.schedule.numStages; ++s)
            for (int op = 0; op < kStageOps; ++op)
                add(operations, recorder->stageOpParts(step, s, static_cast<StageOp>(op)));
        const StepRecord other = recorder->withReplica(std::move(step), g.numReplicas - 1);
        for (int n = 0; n < static_cast<int>(recorder->nodes().size()); ++n) {
            add(passes, recorder->passParts(other, n));
            add(transfers, recorder->transferParts(other, n));
            path[1] += other.start[static_cast<std::size_t>(n)];
        }
    }
    for (const auto& more : {transfers, operations, classes, path})
        append(passes, more);
    return passes;
}

/// 64 replicas of one kind: most are swept without noise, or predicted from what their stages are busy.
StepGraph manyReplicas(double spatialCv, double rare)
{
    StepGraph g = jobGraph({.schedule = "1f1b",
                            .stages = 2,
                            .microbatches = 3,
                            .replicas = 64,
                            .groupRanks = 2,
                            .collectiveSeconds = 0.02,
                            .sendSeconds = 0.05,
                            .gradSyncSeconds = 0.2,
                            .optimizerSeconds = 0.1,
                            .compute = {Family::lognormal, 0.01},
                            .inter = {Family::gamma, 0.1}});
    g.spatial = {Family::lognormal, spatialCv};
    g.data = {Family::lognormal, 0.1};
    g.interRegime = {Family::lognormal, 0.1};
    g.classes[0].temporal.rareProbability = rare;
    g.classes[0].temporal.rareMultiplier = 4.0;
    return g;
}

/// Replicas that wait for each other in every layer, with routing, data of each group, slow links, rare events and delays.
StepGraph lockstepGraph()
{
    StepGraph g = jobGraph({.schedule = "1f1b",
                            .stages = 2,
                            .microbatches = 3,
                            .replicas = 8,
                            .groupRanks = 2,
                            .groups = 2,
                            .layers = 2,
                            .collectiveSeconds = 0.03,
                            .sendSeconds = 0.05,
                            .gradSyncSeconds = 0.2,
                            .optimizerSeconds = 0.1,
                            .paramGatherSeconds = 0.05,
                            .gradNormSeconds = 0.02,
                            .embeddingSeconds = 0.03,
                            .compute = {Family::lognormal, 0.05},
                            .intra = {Family::gamma, 0.2},
                            .inter = {Family::gamma, 0.1}});
    for (Program& p : g.programs) {
        p.blocks[0].ops[0].routed = true;
        p.blocks[0].ops[2].sync = Sync::replicas;
        p.blocks[0].ops[2].hiddenSeconds = 0.01;
        p.blocks[0].ops.push_back({2, 0.02});
        p.blocks[0].ops.back().sync = Sync::cell;
    }
    g.lockstepReplicas = 4;
    g.spatial = {Family::lognormal, 0.03};
    g.spatialNodeShare = 0.4;
    g.nodeRanks = 2;
    g.data = {Family::lognormal, 0.1};
    g.dataScope = DataScope::group;
    g.routing = {Family::lognormal, 0.3};
    g.routingRegime = g.interRegime = g.intraRegime = g.computeRegime = {Family::lognormal, 0.05};
    g.regimeLag1 = g.routingRegimeLag1 = g.computeRegimeLag1 = 0.5;
    g.classes[0].spatialSensitivity = 0.6;
    for (const std::size_t c : {0U, 1U, 2U}) {
        g.classes[c].temporal.rareProbability = 0.001;
        g.classes[c].temporal.rareMultiplier = 3.0;
    }
    g.slow = {{1, 0, 1, 1.2, 1.5}, {5, 1, -1, 1.1, 1.0}};
    g.delays = {0.01, 200.0, 0.5, 1.0, 1.0};
    return g;
}

/// A thousand replicas of one rank and one pass of each direction: 256 steps are a window of the sweep.
StepGraph smallUnits()
{
    StepGraph g = jobGraph({.replicas = 1024, .gradSyncSeconds = 0.2, .compute = {Family::lognormal, 0.05}});
    g.spatial = {Family::lognormal, 0.05};
    return g;
}

/// The instructions that every machine has: fused ones round otherwise, and a unit at the edge of the screened ones is then swept or not.
class CommonInstructions final {
public:
    CommonInstructions() { hwy::SetSupportedTargetsForTest(HWY_STATIC_TARGET); }
    ~CommonInstructions() { hwy::SetSupportedTargetsForTest(0); }
    CommonInstructions(const CommonInstructions&) = delete;
    CommonInstructions& operator=(const CommonInstructions&) = delete;
};

const SeriesValues& computed()
{
    static const SeriesValues all = [] {
        const CommonInstructions common;
        SeriesValues out;
        char name[40];
        for (std::uint64_t number = 0; number < 40; ++number) {
            const StepGraph g = randomCase(number).graph;
            std::snprintf(name, sizeof name, "random %03d", static_cast<int>(number));
            out[std::string(name) + " swept"] = sweptOf(g, 24);
            out[std::string(name) + " reference"] = referenceOf(g);
        }
        for (const std::uint64_t number : {1, 3, 7, 12, 18, 26}) {
            std::snprintf(name, sizeof name, "random %03d", static_cast<int>(number));
            out[std::string(name) + " recorded"] = recordOf(randomCase(number).graph);
        }
        out["lockstep swept"] = sweptOf(lockstepGraph(), 24);
        out["lockstep reference"] = referenceOf(lockstepGraph());
        out["lockstep recorded"] = recordOf(lockstepGraph());
        out["more steps than a window has"] = sweptOf(smallUnits(), 300);
        out["replicas predicted"] = sweptOf(manyReplicas(0.1, 0.0), 80);
        out["replicas screened"] = sweptOf(manyReplicas(0.02, 0.0), 80);
        out["replicas with rare events"] = sweptOf(manyReplicas(0.05, 1e-5), 80);
        return out;
    }();
    return all;
}

SeriesValues recorded()
{
    SeriesValues rows;
    std::ifstream file(kFile);
    for (std::string line; std::getline(file, line);) {
        const std::size_t at = line.find(" = ");
        if (line.starts_with('#') || at == std::string::npos)
            continue;
        std::istringstream in(line.substr(at + 3));
        for (double x = 0; in >> x;)
            rows[line.substr(0, at)].push_back(x);
    }
    return rows;
}

TEST(GoldenSeries, SeedsGiveTheStepsThatAreRecorded)
{
    const SeriesValues& now = computed();
    if (std::getenv("PRISM_RENEW_GOLDEN") != nullptr) {
        std::ofstream file(kFile);
        file << "# Of sampled steps of one seed; packaging/golden.sh renews it. Swept: mean and root mean square (s) and node samples "
                "across jobs, and\n"
                "# within jobs; standard error of the tables (s). Reference: mean and root mean square across and within. Recorded:\n"
                "# seconds by cause of passes, transfers and operations, and sums of times.\n";
        for (const auto& [name, values] : now) {
            file << name << " =";
            for (const double x : values) {
                char text[40];
                std::snprintf(text, sizeof text, " %.9g", x);
                file << text;
            }
            file << '\n';
        }
    }
    const SeriesValues before = recorded();
    ASSERT_EQ(before.size(), now.size());
    for (const auto& [name, values] : now) {
        ASSERT_TRUE(before.contains(name)) << name;
        ASSERT_EQ(before.at(name).size(), values.size()) << name;
        for (std::size_t i = 0; i < values.size(); ++i)
            EXPECT_NEAR(values[i], before.at(name)[i],
                        kTolerance * std::abs(before.at(name)[i]) + (name.ends_with("recorded") ? kRounding : 1e-8))
                << name << ' ' << i << ": if this is intended, packaging/golden.sh renews the file; name the reason in the commit";
    }
}

} // namespace
} // namespace prism::test::goldenseries
