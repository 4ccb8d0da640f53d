// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens per second, utilisation, days and money by hand, from the step and the published count of FLOPs.
#include "core/cost/predictor.h"
#include "core/engine/evaluator.h"
#include "core/scenario/presets.h"

#include <gtest/gtest.h>

namespace prism {
namespace {

SnapshotPtr noiseFreeSnapshot(Scenario s)
{
    s.variability = VariabilityConfig();
    Evaluator evaluator;
    EvaluateOptions options;
    options.numSamples = 1;
    options.varianceShares = options.systemsRange = false;
    return evaluator.evaluate(s, options);
}

/// Llama 2 7B: 32 layers of 4,096 with a gated MLP of 11,008, 32,000 words, 4,096 tokens. Forward FLOPs of a token: 2 for each weight of
/// the layers (4 h h + 3 h f) and of the output layer, and 2 x 2 h s of attention, of which a causal mask leaves a half.
constexpr double kHidden = 4096, kFfn = 11008, kWords = 32000, kLength = 4096;
constexpr double kLayers = 32 * 2 * (4 * kHidden * kHidden + 3 * kHidden * kFfn), kCoreProducts = 32 * 4 * kHidden * kLength,
                 kOutput = 2 * kWords * kHidden;
constexpr double kTokensPerStep = 128 * kLength, kPeak = 8 * 312e12;

TEST(Utilisation, FollowsFromFlopsStepAndPeak)
{
    Scenario s = *scenarioPreset("llama2-7b-8-a100");
    s.training.trainTokens = 1e12;
    s.cluster.gpuHourPriceUsd = 3;
    const auto expectRatios = [&](double forwardAgain) { // a sampled step is a sum of single-precision values: 1e-6
        const SnapshotPtr r = noiseFreeSnapshot(s);
        const double step = r->costed->noiseFreeSeconds, model = 3 * (kLayers + kCoreProducts + kOutput),
                     causal = model - 3 * kCoreProducts / 2;
        EXPECT_NEAR(r->tokensPerSecond, kTokensPerStep / step, 1e-6 * r->tokensPerSecond);
        EXPECT_NEAR(r->tflopsPerGpu, model * kTokensPerStep / step / 8 / 1e12, 1e-6 * r->tflopsPerGpu);
        EXPECT_NEAR(r->mfu, model * kTokensPerStep / step / kPeak, 1e-6);
        EXPECT_NEAR(r->mfuCausal, causal * kTokensPerStep / step / kPeak, 1e-6);
        EXPECT_NEAR(r->hfu, (model + forwardAgain) * kTokensPerStep / step / kPeak, 1e-6);
        EXPECT_NEAR(r->slowdownP50, 1, 1e-6);
        EXPECT_NEAR(r->daysToTrain, 1e12 / kTokensPerStep * step / 86'400, 1e-6 * r->daysToTrain);
        EXPECT_NEAR(r->costUsd, 1e12 / kTokensPerStep * step / 3600 * 8 * 3, 1e-6 * r->costUsd);
    };
    expectRatios(0);
    s.training.recomputeGranularity = "full"; // the layers' forward once more
    expectRatios(kLayers + kCoreProducts);
    s.training.recomputeMethod = "block"; // eight of 32
    s.training.recomputeNumLayers = 8;
    expectRatios((kLayers + kCoreProducts) / 4);
    s.training.recomputeMethod = "uniform"; // every layer: the number is for method block
    expectRatios(kLayers + kCoreProducts);
    s.training.recomputeGranularity = "selective"; // core attention alone
    expectRatios(kCoreProducts);
    s.training.recomputeModules = "mlp";
    expectRatios(32 * 2 * 3 * kHidden * kFfn);
}

/// Recomputed parts of a mixture with latent attention (DeepSeek-V2's sizes, arXiv 2405.04434): up-projections, experts with router, and
/// the shared ones; FLOPs of one token, forward.
TEST(Utilisation, RecomputedModulesAddTheirForward)
{
    Scenario s = *scenarioPreset("deepseek-v3-2048-h800");
    const double h = 7168, heads = 128, layers = 61, expertLayers = 58;
    const auto again = [&](const char* modules) {
        s.training.recomputeModules = modules;
        const Result<CostedStep> step = costStep(s);
        return (step->hardwareFlopsPerStep - step->modelFlopsPerStep) / step->tokensPerStep;
    };
    const double up = layers * 2 * heads * (1536 * 192 + 512 * (128 + 128)), shared = expertLayers * 2 * 3 * h * 2048;
    EXPECT_NEAR(again("mla_up_proj") / up, 1, 1e-9);
    EXPECT_NEAR(again("shared_experts") / shared, 1, 1e-9);
    EXPECT_NEAR(again("moe") / (expertLayers * 2 * (8 * 3 * h * 2048 + h * 256) + shared), 1, 1e-9);
    EXPECT_NEAR(again("mlp") / (3 * 2 * 3 * h * 18432), 1, 1e-9);
    EXPECT_NEAR(again("core_attn") / (layers * 2 * heads * (192 + 128) * 4096), 1, 1e-9);
    EXPECT_EQ(again("layernorm moe_act"), 0); // no products
}

} // namespace
} // namespace prism
