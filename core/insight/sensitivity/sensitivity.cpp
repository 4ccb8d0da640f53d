// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/sensitivity/sensitivity.h"

#include "core/cost/classes.h"
#include "core/insight/paired.h"
#include "core/insight/variation.h"
#include "core/step/deterministicstep.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <numeric>

namespace prism {

namespace {

constexpr int kDefaultSamples = 500;
constexpr double kMeanStep = 0.1;
/// Rows are refined while a half-width of their p95 changes is above this share of the p95.
constexpr double kTargetHalfWidth = 1e-3;
constexpr int kMinSamples = 500;

/// What is done to one input in one variation.
enum class Change { removed, halved, doubled, only, meanUp, meanDown };

/// One input of the graph: a kernel class by index, a regime, the spatial, the data or the routing factor, or a delay of whole steps.
struct Input {
    InputKind kind;
    int kernelClass = -1;
    Scope scope = Scope::none;
};

Distribution& distributionOf(StepGraph& graph, const Input& input)
{
    switch (input.kind) {
    case InputKind::kernelClass:
        return graph.classes[static_cast<std::size_t>(input.kernelClass)].temporal;
    case InputKind::scopeRegime:
        return input.scope == Scope::intraNode ? graph.intraRegime : graph.interRegime;
    case InputKind::computeRegime:
        return graph.computeRegime;
    case InputKind::spatial:
        return graph.spatial;
    case InputKind::routing:
        return graph.routing;
    case InputKind::routingRegime:
        return graph.routingRegime;
    default:
        return graph.data;
    }
}

/// The size of a delay; null for inputs with a distribution.
double* amountOf(StepGraph& graph, const Input& input)
{
    if (input.kind == InputKind::jitter)
        return &graph.delays.jitterSeconds;
    return input.kind == InputKind::stall ? &graph.delays.stallsPerGpuHour : nullptr;
}

/// Slow places slower or faster: multiplies the excess of their factors over 1 by `factor`; 0 removes it.
void scaleSlowness(StepGraph& graph, double factor)
{
    for (SlowSpot& spot : graph.slow) {
        spot.computeFactor = 1 + (spot.computeFactor - 1) * factor;
        spot.linkFactor = 1 + (spot.linkFactor - 1) * factor;
    }
}

void scaleSpread(StepGraph& graph, const Input& input, double factor)
{
    if (input.kind == InputKind::slowPlaces)
        return scaleSlowness(graph, factor);
    if (double* amount = amountOf(graph, input)) {
        *amount *= factor;
        return;
    }
    Distribution& own = distributionOf(graph, input);
    own = scaledSpread(own, factor);
}

/// The graph in which nothing but the input varies.
StepGraph onlyInput(StepGraph graph, const Input& input)
{
    StepGraph noiseFree = withoutSpread(graph);
    if (input.kind == InputKind::slowPlaces)
        return noiseFree; // they stay, and vary nothing
    if (amountOf(graph, input) == nullptr) {
        distributionOf(noiseFree, input) = distributionOf(graph, input);
        return noiseFree;
    }
    noiseFree.delays = graph.delays;
    (input.kind == InputKind::jitter ? noiseFree.delays.stallsPerGpuHour : noiseFree.delays.jitterSeconds) = 0;
    return noiseFree;
}

bool hasRouting(const StepGraph& graph)
{
    const auto routed = [](const Op& op) { return op.routed; };
    const auto anyIn = [&](const Block& b) { return std::any_of(b.ops.begin(), b.ops.end(), routed); };
    return std::any_of(graph.programs.begin(), graph.programs.end(),
                       [&](const Program& p) { return std::any_of(p.blocks.begin(), p.blocks.end(), anyIn); });
}

void scaleMean(StepGraph& graph, const Input& input, double factor)
{
    if (input.kind == InputKind::kernelClass)
        return scaleClassMean(graph, input.kernelClass, factor);
    for (std::size_t c = 0; c < graph.classes.size(); ++c)
        if (graph.classes[c].scope == input.scope)
            scaleClassMean(graph, static_cast<int>(c), factor);
}

StepGraph changed(const StepGraph& graph, const Input& input, Change change)
{
    if (change == Change::only)
        return onlyInput(graph, input);
    StepGraph copy = graph;
    switch (change) {
    case Change::removed:
        scaleSpread(copy, input, 0.0);
        break;
    case Change::halved:
        scaleSpread(copy, input, 0.5);
        break;
    case Change::doubled:
        scaleSpread(copy, input, 2.0);
        break;
    case Change::only:
        break;
    case Change::meanUp:
        scaleMean(copy, input, 1 + kMeanStep);
        break;
    case Change::meanDown:
        scaleMean(copy, input, 1 - kMeanStep);
        break;
    }
    return copy;
}

std::string scopeLabel(Scope scope)
{
    return scope == Scope::intraNode ? "Congestion inside nodes (regime)" : "Congestion between nodes (regime)";
}

bool hasCompute(const StepGraph& graph, const std::vector<double>& busy)
{
    for (std::size_t c = 0; c < busy.size(); ++c)
        if (graph.classes[c].scope == Scope::none && busy[c] > 0 && graph.classes[c].spatialSensitivity > 0)
            return true;
    return false;
}

/// A row and its input, before anything is sampled. `varies` is false where no time hangs on the factor.
struct Plan {
    std::vector<Input> inputs;
    std::vector<SensitivityRow> rows;
    std::vector<std::pair<std::size_t, Change>> variations; ///< (row, change)
};

void addRow(Plan& plan, const Input& input, SensitivityRow row, const Distribution& distribution, bool hasTime)
{
    row.kind = input.kind;
    row.cv = distribution.family == Family::deterministic ? 0 : std::sqrt(distribution.baseVariance());
    row.rareProbability = distribution.rareProbability;
    row.rareMultiplier = distribution.rareMultiplier;
    row.varies = hasTime && !distribution.isDeterministic() && distribution.variance() > 0;
    const std::size_t index = plan.rows.size();
    if (row.varies)
        for (const Change change : {Change::removed, Change::halved, Change::doubled, Change::only})
            plan.variations.emplace_back(index, change);
    if (row.hasMean)
        for (const Change change : {Change::meanUp, Change::meanDown})
            plan.variations.emplace_back(index, change);
    plan.inputs.push_back(input);
    plan.rows.push_back(std::move(row));
}

/// A row that no class stands for: all compute of a job, a delay of its steps.
SensitivityRow wholeRow(const char* id, const char* label, Category category)
{
    SensitivityRow row;
    row.id = id;
    row.label = label;
    row.category = category;
    return row;
}

/// Rows of what delays whole steps; stalls of one size vary, too. Spreads: a cv over the noise-free step, and that of one stall.
void addDelayRows(Plan& plan, const StepGraph& graph)
{
    const auto add = [&](InputKind kind, SensitivityRow row, double cv) {
        addRow(plan, {kind}, std::move(row), Distribution{Family::gamma, std::max(cv, 1e-6)}, true);
        plan.rows.back().cv = cv;
    };
    const StepDelays& d = graph.delays;
    const double noiseFree = deterministicStepSeconds(graph);
    if (d.jitterSeconds > 0)
        add(InputKind::jitter, wholeRow("step_jitter", "Step jitter", Category::other), noiseFree > 0 ? d.jitterSeconds / noiseFree : 0);
    if (d.stallsPerGpuHour > 0)
        add(InputKind::stall, wholeRow("stalls", "Stalls", Category::other), d.stallCv);
}

/// The places that are marked slow, together: no spread, and often the largest cause of all.
void addSlowRow(Plan& plan, const StepGraph& graph)
{
    if (graph.slow.empty())
        return;
    double slowest = 1;
    for (const SlowSpot& spot : graph.slow)
        slowest = std::max({slowest, spot.computeFactor, spot.linkFactor});
    addRow(plan, {InputKind::slowPlaces}, wholeRow("slow_places", "Slow places", Category::compute),
           Distribution{Family::gamma, slowest - 1}, slowest > 1);
    plan.rows.back().cv = slowest - 1;
}

Plan planOf(const StepGraph& graph)
{
    Plan plan;
    const std::vector<double> busy = busySecondsByClass(graph);
    double scopeBusy[3] = {0, 0, 0};
    for (std::size_t c = 0; c < graph.classes.size(); ++c) {
        if (busy[c] <= 0)
            continue; // no op of this class takes time: no change of it reaches the step
        const KernelClass& kernelClass = graph.classes[c];
        scopeBusy[static_cast<int>(kernelClass.scope)] += busy[c];
        SensitivityRow row;
        row.id = row.label = kernelClass.name;
        row.category = kernelClass.category;
        row.scope = kernelClass.scope;
        row.busySeconds = busy[c];
        row.hasMean = true;
        addRow(plan, {InputKind::kernelClass, static_cast<int>(c), kernelClass.scope}, std::move(row), kernelClass.temporal, true);
    }
    for (const Scope scope : {Scope::intraNode, Scope::interNode}) {
        SensitivityRow row;
        row.id = scope == Scope::intraNode ? "regime.intra_node" : "regime.inter_node";
        row.label = scopeLabel(scope);
        row.scope = scope;
        row.busySeconds = scopeBusy[static_cast<int>(scope)];
        row.hasMean = row.busySeconds > 0;
        if (row.hasMean)
            addRow(plan, {InputKind::scopeRegime, -1, scope}, std::move(row),
                   scope == Scope::intraNode ? graph.intraRegime : graph.interRegime, true);
    }
    if (!graph.computeRegime.isDeterministic())
        addRow(plan, {InputKind::computeRegime}, wholeRow("regime.compute", "Condition of all compute (regime)", Category::compute),
               graph.computeRegime, scopeBusy[0] > 0);
    addRow(plan, {InputKind::spatial}, wholeRow("spatial", "GPU to GPU (persistent)", Category::compute), graph.spatial,
           hasCompute(graph, busy) && graph.fixedSpatial.empty());
    addRow(plan, {InputKind::data}, wholeRow("data", "Micro-batch to micro-batch (data)", Category::compute), graph.data, scopeBusy[0] > 0);
    if (hasRouting(graph))
        addRow(plan, {InputKind::routing}, wholeRow("routing", "Expert routing", Category::compute), graph.routing, true);
    if (hasRouting(graph) && !graph.routingRegime.isDeterministic())
        addRow(plan, {InputKind::routingRegime}, wholeRow("regime.routing", "Expert routing of a step (regime)", Category::compute),
               graph.routingRegime, true);
    addDelayRows(plan, graph);
    addSlowRow(plan, graph);
    return plan;
}

/// More spread cannot make the p95 of sums and maxima of positive parts fall, nor a longer mean shorten the step, unless
/// a schedule's fixed order or a hidden part turns it: worth a flag.
bool isNonMonotonic(const SensitivityRow& row)
{
    const auto falls = [](const Estimate& e) { return e.value < 0 && e.significant(); };
    const auto rises = [](const Estimate& e) { return e.value > 0 && e.significant(); };
    const bool spread = row.varies && (rises(row.spreadRemoved.p95) || falls(row.spreadDoubled.p95));
    const bool mean = row.hasMean && (falls(row.meanUp.p50) || rises(row.meanDown.p50));
    return spread || mean;
}

void fill(SensitivityRow& row, const PairedSample& base, const std::map<Change, PairedSample>& by, double limit)
{
    if (row.varies) {
        row.spreadRemoved = pairedChange(base, by.at(Change::removed), limit);
        row.spreadHalved = pairedChange(base, by.at(Change::halved), limit);
        row.spreadDoubled = pairedChange(base, by.at(Change::doubled), limit);
        const Estimate without = varianceRatio(by.at(Change::removed), base);
        row.totalEffectShare = {1 - without.value, without.halfWidth};
        row.firstOrderShare = varianceRatio(by.at(Change::only), base);
    }
    if (row.hasMean) {
        const PairedSample &up = by.at(Change::meanUp), &down = by.at(Change::meanDown);
        row.meanUp = pairedChange(base, up, limit);
        row.meanDown = pairedChange(base, down, limit);
        row.elasticityP50 = elasticity(down, up, 1 - kMeanStep, 1 + kMeanStep, 0.5);
        row.elasticityP95 = elasticity(down, up, 1 - kMeanStep, 1 + kMeanStep, 0.95);
    }
    row.nonMonotonic = isNonMonotonic(row);
}

/// Draws the variations of the given rows, and the base, and fills the rows. Returns the base.
Result<PairedSample> sampleRows(Evaluator& evaluator, const StepGraph& graph, Plan& plan, const std::vector<std::size_t>& rows, int samples,
                                const InsightOptions& options, double from, double to)
{
    std::vector<std::pair<std::size_t, Change>> variations;
    for (const auto& variation : plan.variations)
        if (std::find(rows.begin(), rows.end(), variation.first) != rows.end())
            variations.push_back(variation);
    auto sampled = sampleAll(
        evaluator, variations.size() + 1,
        [&](std::size_t i) { return i == 0 ? graph : changed(graph, plan.inputs[variations[i - 1].first], variations[i - 1].second); },
        samples, options, from, to, "sensitivity");
    if (!sampled.ok())
        return sampled.errors();
    PairedSample base(sampled.value()[0]);
    const double limit = options.limitSeconds > 0 ? options.limitSeconds : base.p95;
    std::map<std::size_t, std::map<Change, PairedSample>> byRow;
    for (std::size_t v = 0; v < variations.size(); ++v)
        byRow[variations[v].first].emplace(variations[v].second, PairedSample(sampled.value()[v + 1]));
    for (const std::size_t row : rows) {
        fill(plan.rows[row], base, byRow[row], limit);
        plan.rows[row].samples = samples;
    }
    return base;
}

bool needsMore(const SensitivityRow& row, double p95)
{
    const MetricChange* const changes[] = {&row.spreadRemoved, &row.spreadHalved, &row.spreadDoubled, &row.meanUp, &row.meanDown};
    return std::any_of(std::begin(changes), std::end(changes),
                       [p95](const MetricChange* c) { return c->p95.halfWidth > kTargetHalfWidth * p95; });
}

Estimate interaction(const std::vector<SensitivityRow>& rows, bool anyVariance)
{
    Estimate share{anyVariance ? 1.0 : 0.0, 0};
    for (const SensitivityRow& row : rows) {
        share.value -= row.firstOrderShare.value;
        share.halfWidth = std::hypot(share.halfWidth, row.firstOrderShare.halfWidth);
    }
    return share;
}

void addNotes(SensitivityTable& table, const StepGraph& graph)
{
    table.notes.emplace_back("Every variation draws the same random numbers; intervals are of the paired difference (95 %).");
    table.notes.emplace_back("Halving and doubling spread scales the cv and the probability of rare events; means stay, so hidden "
                             "communication stays hidden by the same seconds.");
    if (!graph.fixedSpatial.empty())
        table.notes.emplace_back("GPU speeds are measured, so the GPU-to-GPU factor is not drawn.");
}

} // namespace

std::string_view inputKindName(InputKind kind)
{
    switch (kind) {
    case InputKind::kernelClass:
        return "kernel_class";
    case InputKind::scopeRegime:
        return "scope_regime";
    case InputKind::computeRegime:
        return "compute_regime";
    case InputKind::spatial:
        return "spatial";
    case InputKind::data:
        return "data";
    case InputKind::jitter:
        return "jitter";
    case InputKind::stall:
        return "stall";
    case InputKind::slowPlaces:
        return "slow_places";
    case InputKind::routing:
        return "routing";
    case InputKind::routingRegime:
        return "routing_regime";
    }
    return "data";
}

std::string parameterOf(const SensitivityRow& row)
{
    switch (row.kind) {
    case InputKind::kernelClass:
        return spreadParameter(row.id, row.scope);
    case InputKind::scopeRegime:
        return row.scope == Scope::intraNode ? "variability.intra_regime.cv" : "variability.inter_regime.cv";
    case InputKind::computeRegime:
        return "variability.compute_regime.cv";
    case InputKind::spatial:
        return "variability.spatial.cv";
    case InputKind::data:
        return "variability.data.cv";
    case InputKind::routing:
        return "variability.moe_imbalance.cv";
    case InputKind::routingRegime:
        return "variability.moe_imbalance_regime.cv";
    case InputKind::jitter:
        return "variability.step_jitter_s";
    case InputKind::stall:
        return "variability.stalls_per_gpu_hour";
    case InputKind::slowPlaces:
        break;
    }
    return {};
}

Result<SensitivityTable> sensitivity(Evaluator& evaluator, const StepGraph& graph, const InsightOptions& options)
{
    const auto start = std::chrono::steady_clock::now();
    if (Diagnostics problems = check(graph); hasErrors(problems))
        return problems;
    SensitivityTable table;
    table.samples = options.samples > 0 ? options.samples : kDefaultSamples;
    table.seed = options.seed;
    Plan plan = planOf(graph);
    std::vector<std::size_t> rows(plan.rows.size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    const int first = std::min(table.samples, std::max(table.samples / 2, kMinSamples));
    Result<PairedSample> sampled = sampleRows(evaluator, graph, plan, rows, first, options, 0, 0.6);
    if (!sampled.ok())
        return sampled.errors();
    table.evaluations = static_cast<int>(plan.variations.size()) + 1;
    if (first < table.samples) {
        std::erase_if(rows, [&](std::size_t row) { return !needsMore(plan.rows[row], sampled->p95); });
        sampled = sampleRows(evaluator, graph, plan, rows, table.samples, options, 0.6, 1);
        if (!sampled.ok())
            return sampled.errors();
    }
    const PairedSample& base = sampled.value();
    table.limitSeconds = options.limitSeconds > 0 ? options.limitSeconds : base.p95;
    table.exceedance = exceedance(base, table.limitSeconds);
    table.base = summarize(base.seconds(), base.samples.get());
    table.noiseFreeSeconds = base.samples->noiseFreeSeconds;
    table.rows = std::move(plan.rows);
    table.interactionShare = interaction(table.rows, base.variance > 0);
    std::stable_sort(table.rows.begin(), table.rows.end(), [](const SensitivityRow& a, const SensitivityRow& b) {
        return std::abs(a.spreadRemoved.p95.value) > std::abs(b.spreadRemoved.p95.value);
    });
    addNotes(table, graph);
    table.elapsedSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return table;
}

Result<SensitivityTable> sensitivity(Evaluator& evaluator, const Scenario& scenario, const InsightOptions& options)
{
    const Result<CostedStep> costed = costStep(scenario);
    if (!costed.ok())
        return costed.errors();
    return sensitivity(evaluator, costed->graph, options);
}

} // namespace prism
