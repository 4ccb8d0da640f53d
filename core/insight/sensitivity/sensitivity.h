// SPDX-License-Identifier: GPL-3.0-or-later
// Causes of the spread: effect of each input on the distribution, by changing it under common random numbers.
#pragma once

#include "core/insight/insight.h"

namespace prism {

/// The input of the step that a row changes.
enum class InputKind { kernelClass, scopeRegime, computeRegime, spatial, data, routing, routingRegime, jitter, stall, slowPlaces };
[[nodiscard]] std::string_view inputKindName(InputKind kind);
struct SensitivityRow;
/// The parameter of the table whose value a row changes ("variability.gemm.cv"); empty where there is none (slow places, traces).
[[nodiscard]] std::string parameterOf(const SensitivityRow& row);

/// A copy in which the parameters behind a row have half their spread (cv and rare probability; what slow places exceed 1 by). Other
/// classes that the same parameter decides follow. Error: no parameter decides this spread.
[[nodiscard]] Result<Scenario> withHalvedSpread(const Scenario& scenario, const SensitivityRow& row);

struct SensitivityRow {
    InputKind kind = InputKind::kernelClass;
    std::string id;    ///< class name, "regime.intra_node", "regime.inter_node", "regime.compute", "spatial", "data", "routing",
                       ///< "regime.routing", "step_jitter", "stalls", "slow_places"
    std::string label; ///< for people
    Category category = Category::other;
    Scope scope = Scope::none;
    double cv = 0; ///< of the factor, without rare events; jitter: its standard deviation over the noise-free step; stalls: of a size
    double rareProbability = 0, rareMultiplier = 1;
    double busySeconds = 0; ///< noise-free seconds of this input per step, sum over one GPU of the busiest stage; 0 for data and spatial
    bool varies = false;    ///< false: deterministic, so spread changes are zero by construction
    MetricChange spreadRemoved, spreadHalved, spreadDoubled; ///< cv (and the rare probability) x 0, 0.5, 2; slow places: what their
                                                             ///< time factors exceed 1 by
    bool hasMean = false;          ///< mean changes exist (kernel classes; for a scope: every class of it; spatial: every compute class)
    MetricChange meanUp, meanDown; ///< mean +10 % and -10 %
    Estimate elasticityP50, elasticityP95; ///< d ln(statistic) / d ln(mean), central difference over +-10 %
    Estimate firstOrderShare;              ///< variance of the step with only this input varying, over the full variance
    Estimate totalEffectShare;             ///< 1 - variance with this input's spread removed, over the full variance
    int samples = 0;                       ///< behind the changes of this row
    bool nonMonotonic = false;             ///< more spread makes p95 go down, or a longer mean a shorter p50, beyond its interval
};

struct SensitivityTable {
    DistributionSummary base; ///< step time across jobs, seconds
    double noiseFreeSeconds = 0;
    double limitSeconds = 0;          ///< of the exceedance changes
    Estimate exceedance;              ///< P(step > limit) of the base
    std::vector<SensitivityRow> rows; ///< descending |p95 change when the spread is removed|
    Estimate interactionShare;        ///< 1 - sum of the first-order shares: what no input explains alone
    int samples = 0;                  ///< of the base, and per variation of the rows whose intervals need them
    int evaluations = 0;              ///< variations sampled
    std::uint64_t seed = 1;
    double elapsedSeconds = 0;
    std::vector<std::string> notes; ///< assumptions and warnings, one sentence each
};

/// Full table of one scenario. Pure function of scenario, seed and samples (default 500). Every variation draws half as many; the rows
/// with a p95 change that is not known to 0.1 % of the p95 then draw all of them.
/// Errors: the scenario's diagnostics; cancelled. Blocks the calling thread.
[[nodiscard]] Result<SensitivityTable> sensitivity(Evaluator& evaluator, const Scenario& scenario, const InsightOptions& options = {});
/// The same from a graph (traces, tests).
[[nodiscard]] Result<SensitivityTable> sensitivity(Evaluator& evaluator, const StepGraph& graph, const InsightOptions& options = {});

/// One point of a parameter sweep.
struct SweepPoint {
    double value = 0;   ///< numeric value (choices: position)
    std::string text;   ///< as setParameter reads it
    bool valid = false; ///< false: the scenario is impossible there; `problem` gives the reason, nothing else is set
    std::string problem;
    DistributionSummary step; ///< seconds, across jobs
    MetricChange change;      ///< against the unchanged scenario
    double mfu = 0, peakMemoryGib = 0;
    bool memoryFits = true;
};

struct ParameterSweep {
    std::string parameter, label, unit;
    std::string baseText; ///< the unchanged value
    DistributionSummary base;
    double limitSeconds = 0;        ///< of the exceedance changes
    std::vector<SweepPoint> points; ///< in the order requested
    Estimate elasticityP95;         ///< between the smallest and the largest positive value; 0 without two
    bool nonMonotonic = false;      ///< p95 turns beyond its interval
    int samples = 0;
};

/// Sweeps one parameter of the parameter table over texts ("4", "100 GB/s", "interleaved").
/// Errors: unknown parameter, text that it cannot hold, more than 1,000 points, invalid base scenario.
[[nodiscard]] Result<ParameterSweep> sweepParameter(Evaluator& evaluator, const Scenario& scenario, std::string_view id,
                                                    const std::vector<std::string>& values, const InsightOptions& options = {});
/// "lo:hi:n" -> n values, evenly spaced (integers rounded, repeats dropped); "lo:hi:n:log" spaced by ratio; "a,b,c" as listed.
[[nodiscard]] Result<std::vector<std::string>> sweepValues(std::string_view id, std::string_view range);

/// One object per table; keys as in the structs, snake_case.
[[nodiscard]] std::string toJson(const SensitivityTable& table);
[[nodiscard]] std::string toCsv(const SensitivityTable& table, TableText texts = TableText::forSheets);
[[nodiscard]] std::string toJson(const ParameterSweep& sweep);
[[nodiscard]] std::string toCsv(const ParameterSweep& sweep, TableText texts = TableText::forSheets);

} // namespace prism
