// SPDX-License-Identifier: GPL-3.0-or-later
// Parameter table: the variability section, four entries per distribution.
#include "core/scenario/parameterentry.h"
#include "core/scenario/presetlibrary.h"

namespace prism::table {
namespace {

struct Quantity {
    Distribution VariabilityConfig::*member;
    const char* id;
    const char* label;
    const char* help;
    bool basic;
};

constexpr Quantity kQuantities[] = {
    {&VariabilityConfig::spatial, "spatial", "GPU to GPU",
     "Speed of one GPU against the average GPU; drawn once per job and kept for all its steps.", true},
    {&VariabilityConfig::gemm, "gemm", "GEMM", "Matrix multiplications, redrawn for every invocation.", true},
    {&VariabilityConfig::attention, "attention", "Attention", "Attention kernels, redrawn for every invocation.", true},
    {&VariabilityConfig::memoryBound, "memory_bound", "Memory-bound kernels",
     "Norms, activations, embeddings and the optimizer, redrawn for every invocation.", false},
    {&VariabilityConfig::intraCollective, "intra_collective", "Collectives in a node",
     "Collectives over intra-node links, redrawn for every invocation.", true},
    {&VariabilityConfig::interCollective, "inter_collective", "Collectives between nodes",
     "Collectives over the network, redrawn for every invocation.", true},
    {&VariabilityConfig::p2p, "p2p", "Pipeline transfers", "Sends between pipeline stages, redrawn for every transfer.", false},
    {&VariabilityConfig::intraRegime, "intra_regime", "Intra-node regime",
     "Condition of the intra-node links: one draw per step shared by all communication in nodes.", false},
    {&VariabilityConfig::interRegime, "inter_regime", "Network regime",
     "Condition of the network: one draw per step shared by all communication between nodes.", true},
    {&VariabilityConfig::computeRegime, "compute_regime", "Compute regime",
     "Condition of the compute of the whole job (power, clocks, hosts): one draw per step shared by all compute kernels.", false},
    {&VariabilityConfig::data, "data", "Micro-batch",
     "Weight of a micro-batch (sequence lengths): one draw per data-parallel rank and micro-batch, the same on every stage.", true},
    {&VariabilityConfig::moeImbalance, "moe_imbalance", "Expert imbalance",
     "Load of the busiest rank of an expert group over its own mean: one draw per layer and micro-batch, shared by all expert products.",
     false},
    {&VariabilityConfig::moeImbalanceRegime, "moe_imbalance_regime", "Expert imbalance of a step",
     "What all layers, micro-batches and expert groups of a step share of the load of their busiest ranks: one draw per step. It does not "
     "average out over layers.",
     false},
};

std::vector<std::string> withNone(std::vector<std::string> names)
{
    names.insert(names.begin(), "");
    return names;
}

void addQuantity(std::vector<Parameter>& t, const Quantity& q)
{
    const std::string id = std::string("variability.") + q.id;
    const std::string label = q.label;
    const std::string help = q.help;
    const auto member = q.member;
    const auto distribution = [member](auto& s) -> auto&
    {
        return s.variability.*member;
    };

    Parameter cv = real(
        {id + ".cv", label + ": spread", "", "", help + " Coefficient of variation (standard deviation over mean) without the rare event."},
        0, 5, [distribution](auto& s) -> auto& { return distribution(s).cv; });
    cv.isPercent = true;
    cv.basic = q.basic;
    t.push_back(std::move(cv));

    Parameter family;
    family.id = id + ".family";
    family.group = "variability";
    family.label = label + ": family";
    family.help = help + " Shape of the distribution; empirical uses measured values.";
    family.type = ParameterType::choice;
    family.choices = {"deterministic", "normal", "lognormal", "gamma", "weibull", "empirical"};
    family.basic = false;
    family.get = [distribution](const Scenario& s) -> ParameterValue { return std::string(familyName(distribution(s).family)); };
    family.set = [distribution](Scenario& s, const ParameterValue& v) {
        if (const auto parsed = familyFromName(std::get<std::string>(v)))
            distribution(s).family = *parsed;
    };
    family.defaultValue = family.get(Scenario{});
    t.push_back(std::move(family));

    Parameter probability = real(
        {id + ".rare_probability", label + ": rare event probability", "", "", help + " Probability per draw that the rare event happens."},
        0, 0.5, [distribution](auto& s) -> auto& { return distribution(s).rareProbability; });
    probability.isPercent = true;
    t.push_back(advanced(std::move(probability)));
    t.push_back(advanced(real(
        {id + ".rare_multiplier", label + ": rare event multiplier", "", "x",
         help + " Factor on the duration when the rare event happens."},
        0.1, 1000, [distribution](auto& s) -> auto& { return distribution(s).rareMultiplier; })));
}

void addPersistence(std::vector<Parameter>& t)
{
    t.push_back(advanced(real({"variability.regime_lag1", "Regime persistence", "", "",
                               "Correlation of the regime factors of the links from one step of a job to the next."},
                              0, 0.999, PRISM_FIELD(variability.regimeLag1))));
    t.push_back(advanced(real({"variability.compute_regime_lag1", "Compute regime persistence", "", "",
                               "Correlation of the compute regime from one step of a job to the next."},
                              0, 0.999, PRISM_FIELD(variability.computeRegimeLag1))));
    t.push_back(advanced(real({"variability.moe_imbalance_regime_lag1", "Expert imbalance persistence", "", "",
                               "Correlation of the expert imbalance of a step from one step of a job to the next."},
                              0, 0.999, PRISM_FIELD(variability.moeImbalanceRegimeLag1))));
    Parameter share = real({"variability.spatial_node_share", "GPU to GPU: shared in a node", "", "",
                            "Part of the variance between GPUs that the GPUs of one node have in common (cooling, power): 0 = none, "
                            "1 = all GPUs of a node are equal. The spread of one GPU stays the same."},
                           0, 1, PRISM_FIELD(variability.spatialNodeShare));
    share.isPercent = true;
    t.push_back(advanced(std::move(share)));
}

void addDelays(std::vector<Parameter>& t)
{
    t.push_back(real({"variability.step_jitter_s", "Step jitter", "", "s",
                      "Standard deviation of what hosts and logging add to a whole step or save of it, in seconds. It does not grow "
                      "with the length of the step or the number of GPUs, and its mean is 0."},
                     0, 100, PRISM_FIELD(variability.stepJitterS)));
    t.push_back(real({"variability.stalls_per_gpu_hour", "Stalls per GPU-hour", "", "1/h",
                      "Events on one GPU or host that hold up the whole step: their number in a step grows with the number of GPUs and "
                      "the length of the step."},
                     0, 100, PRISM_FIELD(variability.stallsPerGpuHour)));
    t.push_back(real({"variability.stall_mean_s", "Stall: mean size", "", "s", "Mean seconds that a stall adds to its step."}, 0, 10'000,
                     PRISM_FIELD(variability.stallMeanS)));
    t.push_back(advanced(real(
        {"variability.stall_cv", "Stall: spread of the size", "", "", "Coefficient of variation of the seconds of a stall (lognormal)."}, 0,
        5, PRISM_FIELD(variability.stallCv))));
    t.push_back(advanced(real({"variability.stall_rate_cv", "Stalls: spread of the rate", "", "",
                               "Coefficient of variation of the stall rate from one system to another (gamma): systems differ by more "
                               "than chance. Drawn once per job; the median job has the median rate."},
                              0, 5, PRISM_FIELD(variability.stallRateCv))));
}

} // namespace

void addVariability(std::vector<Parameter>& t)
{
    t.push_back(choice({"variability.preset", "Variability preset", "", "",
                        "The set of spreads of the library that the section starts from. Setting it loads all of them."},
                       withNone(presetNames("variability")), PRISM_FIELD(variability.preset)));
    for (const Quantity& q : kQuantities)
        addQuantity(t, q);
    addPersistence(t);
    addDelays(t);
}

} // namespace prism::table
