// SPDX-License-Identifier: GPL-3.0-or-later
// The headline ratio of each insight on an example whose answer follows on paper: steps that do not vary, or two classes with closed forms.
#include "core/insight/compare/compare.h"
#include "core/insight/guarantee/guarantee.h"
#include "core/insight/placement/placement.h"
#include "core/insight/scale/scale.h"

#include "core/cost/predictor.h"
#include "core/insight/scenarios.h"
#include "core/scenario/parameters.h"
#include "core/sim/graphs.h"
#include "core/step/deterministicstep.h"

#include <boost/math/distributions/normal.hpp>
#include <gtest/gtest.h>

#include <cmath>

using namespace prism;
using namespace prism::testing;

namespace {

constexpr double kExact = 1e-6; ///< relative: steps are swept in single precision

/// The small scenario without any spread: each step takes its noise-free time.
Scenario noiseFreeScenario()
{
    Scenario s = smallScenario();
    s.variability = {};
    return s;
}

double stepSeconds(const Scenario& s)
{
    return deterministicStepSeconds(costStep(s)->graph);
}

void expectClose(double value, double expected, const char* what)
{
    EXPECT_NEAR(value, expected, kExact * std::abs(expected)) << what;
}

const ComparedFigure& figure(const Comparison& c, std::string_view name)
{
    for (const ComparedFigure& f : c.figures)
        if (f.name == name)
            return f;
    ADD_FAILURE() << name;
    return c.figures.front();
}

} // namespace

TEST(Headline, TheWorstPlaceIsComparedWithTheBestPlaceAndNotWithNoSlowNode)
{
    // Two stages in a row, one micro-batch: stage 0 takes 1 + 2 s, stage 1 three times that, one step 12 s. A node of half the speed on
    // stage 0 makes it 15 s, on stage 1 21 s.
    StepGraph g = test::jobGraph({.stages = 2, .microbatches = 1});
    for (std::size_t p = 0; p < 2; ++p) {
        g.programs.push_back(g.programs[p]);
        for (Op& op : g.programs.back().blocks[0].ops)
            op.meanSeconds *= 3;
        g.programOf[1][0][p] = static_cast<int>(p + 2);
    }
    Evaluator evaluator;
    const auto map = placementMap(evaluator, g, {2.0, 1.0}, withSamples(100));
    ASSERT_TRUE(map.ok());
    expectClose(map->base.p95, 12, "no slow node");
    expectClose(map->at(0, 0).p95Seconds, 15, "stage 0");
    expectClose(map->at(0, 1).p95Ratio.value, 21.0 / 12, "stage 1 over no slow node");
    expectClose(map->worstOverBest.value, 21.0 / 15 - 1, "worst over best");
    EXPECT_EQ(map->bestColumn, 0);
    EXPECT_EQ(map->worstColumn, 1);
    EXPECT_FALSE(map->withinNoise);
}

TEST(Headline, TheLimitOfASensitivityIsTheGivenOne)
{
    // 2 x 30 kernels: the step is close to normal. Its chance to exceed a limit, and what removing one spread does to it, in closed form.
    const double a = 3e-3, ca = 0.1, b = 1e-3, cb = 0.2, n = 30;
    const double mean = n * (a + b), std = std::sqrt(n * (a * a * ca * ca + b * b * cb * cb)), limit = mean + std;
    const auto exceeds = [&](double sigma) { return cdf(complement(boost::math::normal(mean, sigma), limit)); };
    InsightOptions options = withSamples(8'000);
    options.limitSeconds = limit;
    Evaluator evaluator;
    const auto table = sensitivity(evaluator, serialGraph(a, ca, b, cb, 30), options);
    ASSERT_TRUE(table.ok());
    EXPECT_EQ(table->limitSeconds, limit);
    const double error = 4 * std::sqrt(0.16 * 0.84 / 8'000) + 0.01; // of sampling, and of the skewness of sums of 30
    EXPECT_NEAR(table->exceedance.value, exceeds(std), error);
    for (const SensitivityRow& row : table->rows) {
        if (row.id != "a" && row.id != "b")
            continue;
        const auto changed = [&](double factor) {
            const double other = row.id == "a" ? b * cb : a * ca, own = row.id == "a" ? a * ca : b * cb;
            return exceeds(std::sqrt(n * (other * other + factor * factor * own * own))) - exceeds(std);
        };
        EXPECT_NEAR(row.spreadRemoved.exceedance.value, changed(0), error) << row.id;
        EXPECT_NEAR(row.spreadHalved.exceedance.value, changed(0.5), error) << row.id;
        EXPECT_NEAR(row.spreadDoubled.exceedance.value, changed(2), error) << row.id;
    }
    const auto sweep = sweepParameter(evaluator, noiseFreeScenario(), "training.global_batch_size", {"8", "32"},
                                      {.samples = 10, .limitSeconds = 1.5 * stepSeconds(noiseFreeScenario())});
    ASSERT_TRUE(sweep.ok());
    EXPECT_EQ(sweep->points[0].change.exceedance.value, 0); // below the limit as before
    EXPECT_EQ(sweep->points[1].change.exceedance.value, 1); // twice the micro-batches exceed one and a half of the step
}

TEST(Headline, ScalingFollowsFromTheStepsOfBothSizes)
{
    Scenario s = noiseFreeScenario(); // 64 GPUs, two replicas
    s.cluster.gpuHourPriceUsd = 3;
    for (const ScaleMode mode : {ScaleMode::weak, ScaleMode::strong}) {
        Evaluator evaluator;
        const auto curve = scaleCurve(evaluator, s, mode, {32, 128}, withSamples(10));
        ASSERT_TRUE(curve.ok());
        double first = 0;
        for (const ScalePoint& p : curve->points) {
            Scenario size = s;
            size.cluster.numGpus = p.gpus;
            size.training.globalBatchSize = mode == ScaleMode::weak ? 16 * p.gpus / 64 : 16;
            const double tokens = static_cast<double>(size.training.globalBatchSize * s.model.seqLength), seconds = stepSeconds(size);
            EXPECT_EQ(p.globalBatch, size.training.globalBatchSize);
            EXPECT_EQ(p.dataParallel, p.gpus / 32);
            expectClose(p.step.p50, seconds, "step");
            expectClose(p.tokensPerSecond, tokens / seconds, "tokens/s");
            expectClose(p.daysToTrain, 1e9 / tokens * seconds / 86'400, "days");
            expectClose(p.costUsd, p.daysToTrain * 24 * static_cast<double>(p.gpus) * 3, "cost");
            expectClose(p.costPerBillionTokensUsd, p.costUsd, "of a billion tokens, as many as are trained");
            const double perGpu = tokens / seconds / static_cast<double>(p.gpus);
            first = first > 0 ? first : perGpu;
            expectClose(p.efficiency, perGpu / first, "efficiency");
        }
    }
}

TEST(Headline, AComparisonIsTheDifferenceOfBothStepsAndItsBarsAreShapleyShares)
{
    const Scenario a = noiseFreeScenario();
    Scenario batch = a, links = a, b = a;
    batch.training.globalBatchSize = b.training.globalBatchSize = 32;
    links.cluster.intraNodeGbPerS = b.cluster.intraNodeGbPerS = 150;
    const double ta = stepSeconds(a), tb = stepSeconds(b), tBatch = stepSeconds(batch), tLinks = stepSeconds(links);
    Evaluator evaluator;
    const auto c = compare(evaluator, a, b, withSamples(10));
    ASSERT_TRUE(c.ok());
    expectClose(figure(*c, "p95").a, ta, "a");
    expectClose(figure(*c, "p95").b, tb, "b");
    expectClose(figure(*c, "p95").delta.value, tb - ta, "delta");
    expectClose(figure(*c, "p95").relative.value, tb / ta - 1, "relative");
    EXPECT_EQ(c->probabilityABetter.value, 1);
    EXPECT_EQ(c->ksDistance, 1);
    expectClose(c->wassersteinSeconds, tb - ta, "distance");
    for (const WaterfallItem& w : c->waterfall)
        if (w.parameter == "training.global_batch_size")
            EXPECT_NEAR(w.deltaP95.value, ((tBatch - ta) + (tb - tLinks)) / 2, kExact * ta);
        else if (w.parameter == "cluster.intra_node_gb_per_s")
            EXPECT_NEAR(w.deltaP95.value, ((tLinks - ta) + (tb - tBatch)) / 2, kExact * ta);
        else
            EXPECT_NEAR(w.deltaP95.value, 0, kExact * ta) << w.parameter;
}

TEST(Headline, WithoutSpreadAGuaranteeIsCertain)
{
    const Scenario s = noiseFreeScenario();
    const double step = stepSeconds(s), days = 1e9 / static_cast<double>(16 * s.model.seqLength) * step / 86'400;
    Evaluator evaluator;
    for (const double share : {0.999, 1.001}) {
        const auto g = guarantee(evaluator, s, {.limitsSeconds = {share * step}, .probabilities = {0.5}, .deadlineDays = share * days},
                                 withSamples(100));
        ASSERT_TRUE(g.ok());
        EXPECT_EQ(g->exceedances[0].acrossProbability.value, share < 1 ? 1 : 0);
        expectClose(g->limits[0].acrossSeconds.value, step, "limit");
        // The number of steps is whole.
        EXPECT_NEAR(g->training.p50Days, days, 1e-4 * days);
        EXPECT_EQ(g->training.deadlineProbability.value, share < 1 ? 0 : 1);
    }
}

TEST(Headline, ASlowNodeThatIsRepairedGivesBackWhatItCost)
{
    const Scenario s = noiseFreeScenario();
    Scenario slow = s;
    slow.variability.slow = {{2, -1, 1.5, 1}};
    Evaluator evaluator;
    const auto report = slowNodes(evaluator, s, slow.variability.slow, withSamples(10));
    ASSERT_TRUE(report.ok());
    expectClose(report->total.p95.value, stepSeconds(slow) - stepSeconds(s), "total");
    expectClose(report->rows[0].mended.p95.value, stepSeconds(s) - stepSeconds(slow), "repaired");
    EXPECT_GT(report->total.p95.value, 0.1 * stepSeconds(s));
}
