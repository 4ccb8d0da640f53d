#include "core/calibrate/calibrate.h"

#include "core/measured/collectivetables.h"
#include "core/cost/costmodel.h"
#include "core/calibrate/fitting.h"
#include "core/measured/tables.h"
#include "core/scenario/presets.h"
#include "core/stats/moments.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace prism {
namespace {

GpuCalibration* gpuOf(Calibration& c, const std::string& family)
{
    for (GpuCalibration& g : c.gpus)
        if (g.family == family)
            return &g;
    return nullptr;
}

/// A scenario with one GPU of a family: enough to ask a CostModel for kernels.
Scenario probe(const std::string& family)
{
    static const std::map<std::string, const char*> presets = {
        {"a100", "a100-sxm-80gb"}, {"h100", "h100-sxm-80gb"}, {"b200", "b200-sxm-180gb"}, {"mi300x", "mi300x-192gb"}};
    Scenario s;
    if (const auto it = presets.find(family); it != presets.end())
        if (const Result<GpuSpec> gpu = gpuPreset(it->second))
            s.cluster.gpu = *gpu;
    return s;
}

/// The rows of tier B that alone say what dense 16-bit training on H100 reaches (Megatron-LM README: micro-batch and chunks per stage are
/// not printed). They count half and stay out of the band.
bool isTrend(const PublishedRow& r)
{
    return r.suite == "megatron_readme_h100";
}

bool calibrates(const PublishedRow& r)
{
    return (r.tier == "A" || isTrend(r)) && r.skipped.empty() && !r.scheduleOnly;
}

/// Mean of the suites' mean absolute errors (weighted by the root of their sizes), their biases beyond 1.5 %, and a barrier from 10 %.
double publishedLoss(const Calibration& c, const std::vector<FitRow>& rows)
{
    struct Sum {
        double abs = 0, bias = 0, over = 0;
        int n = 0;
        bool trend = false;
    };
    std::map<std::string, Sum> bySuite;
    for (const FitRow& row : rows) {
        const ValidatedRow v = validatedRow(*row.row, c, row.slowdown);
        if (!v.hasError())
            continue;
        Sum& s = bySuite[v.suite];
        s.trend = isTrend(*row.row);
        const double e = std::log(std::max(1e-9, v.predictedSeconds / v.publishedSeconds));
        // Beyond 20 % a row says more about its machine than about the model (a slow node): it counts, but no further.
        s.abs += std::min(std::abs(e), 0.2);
        s.bias += std::clamp(e, -0.2, 0.2);
        s.over += std::clamp(std::abs(e) - 0.1, 0.0, 0.1);
        ++s.n;
    }
    double loss = 0, weight = 0;
    for (const auto& [suite, s] : bySuite) {
        const double w = std::sqrt(static_cast<double>(s.n)) * (s.trend ? 0.5 : 1.0);
        loss += w * (s.abs + 1.5 * std::max(0.0, std::abs(s.bias) - 0.015 * s.n) + s.over) / s.n;
        weight += w;
    }
    return weight > 0 ? loss / weight : 0;
}

struct Free {
    const char* name;
    double low, high;
};
/// What published steps decide, and the range in which it may lie; for B200 a tenth around its sustained benchmark (1.48).
constexpr Free kFree[] = {
    {"a100.training_factor", 0.9, 1.5},      {"h100.training_factor", 1.0, 1.6},
    {"h100.fp8_training_factor", 0.7, 1.6},  {"b200.training_factor", 1.35, 1.65},
    {"b200.fp8_training_factor", 0.7, 2.2},  {"eager.step_overhead_s", 0.001, 0.5},
    {"fused.step_overhead_s", 0.001, 0.2},   {"eager.checkpoint_host_s_per_layer", 0.0001, 0.004},
    {"fused.host_s_per_launch", 1e-5, 3e-4},
};

/// Host time per kernel of software without fused attention: what small layers on one node cannot beat. Every fifth row is enough.
void fitHost(Calibration& c, const std::vector<PublishedRow>& steps)
{
    const auto loss = [&](double hostSeconds) {
        c.eager.hostSecondsPerLaunch = hostSeconds;
        double sum = 0;
        for (std::size_t i = 0; i < steps.size(); i += 5)
            if (const ValidatedRow v = validatedRow(steps[i], c); v.hasError())
                sum += std::abs(std::log(v.predictedSeconds / v.publishedSeconds));
        return sum;
    };
    c.eager.hostSecondsPerLaunch = minimum(1e-5, 3e-4, 14, loss);
}

void reportSteps(const Calibration& c, const std::vector<PublishedRow>& steps, std::vector<FitReport>& reports)
{
    std::vector<ValidatedRow> rows;
    for (const PublishedRow& r : steps)
        rows.push_back(validatedRow(r, c));
    const ValidationReport report = validationReport(std::move(rows));
    for (const SuiteErrors& s : report.suites)
        reports.push_back({"single-node steps: " + s.suite, s.rows, s.meanAbs, s.bias});
}

void descend(Calibration& c, const std::vector<FitRow>& rows, int rounds)
{
    const std::vector<NamedConstant> constants = namedConstants(c);
    double best = publishedLoss(c, rows);
    for (int round = 0; round < rounds; ++round) {
        const double before = best;
        for (const Free& free : kFree) {
            const auto it = std::find_if(constants.begin(), constants.end(), [&](const NamedConstant& n) { return n.name == free.name; });
            if (it == constants.end())
                continue;
            const double old = std::clamp(*it->value, free.low, free.high);
            const double width = round == 0 ? 4 : 1.25;
            const double found = minimum(std::max(free.low, old / width), std::min(free.high, old * width), 9, [&](double x) {
                *it->value = x;
                return publishedLoss(c, rows);
            });
            *it->value = found;
            const double loss = publishedLoss(c, rows);
            if (loss < best)
                best = loss;
            else // also where no row depends on it: then it stays where benchmarks put it
                *it->value = old;
        }
        if (before - best < 2e-5)
            break;
    }
}

/// The central 90 % of errors.
void setBand(std::vector<double> errors, double& low, double& high)
{
    if (errors.size() < 20)
        return;
    std::sort(errors.begin(), errors.end());
    const auto n = static_cast<double>(errors.size());
    low = errors[static_cast<std::size_t>(0.05 * n)];
    high = errors[static_cast<std::size_t>(std::ceil(0.95 * n)) - 1];
}

/// Errors of the rows of tier A whose group was left out of the fit, each group in turn; one report per group and one over all.
template <class GroupOf>
std::vector<double> crossValidated(CalibrationRun& run, const std::vector<FitRow>& rows, const Calibration& start, const std::string& what,
                                   GroupOf groupOf)
{
    std::map<std::string, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < rows.size(); ++i)
        groups[groupOf(rows[i], i)].push_back(i);
    FitReport all{"left out, each " + what + " in turn: all", 0, 0, 0};
    std::vector<double> errors;
    for (const auto& [name, members] : groups) {
        std::vector<FitRow> train;
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (std::find(members.begin(), members.end(), i) == members.end())
                train.push_back(rows[i]);
        Calibration c = start;
        descend(c, train, 6);
        FitReport report{"left out: " + what + " " + name, 0, 0, 0};
        for (const std::size_t i : members)
            if (const ValidatedRow v = validatedRow(*rows[i].row, c, rows[i].slowdown); v.hasError()) {
                report.meanAbs += std::abs(v.error);
                report.bias += v.error;
                ++report.rows;
                if (isTrend(*rows[i].row))
                    continue;
                all.meanAbs += std::abs(v.error);
                all.bias += v.error;
                ++all.rows;
                errors.push_back(v.error);
            }
        report.meanAbs /= std::max(1, report.rows);
        report.bias /= std::max(1, report.rows);
        run.fits.push_back(report);
    }
    all.meanAbs /= std::max(1, all.rows);
    all.bias /= std::max(1, all.rows);
    run.fits.push_back(all);
    return errors;
}

/// Curated rows that the fit has not seen: what the band holds of them widens the domain; all of them are reported.
void coverUnseen(CalibrationRun& run, const SlowdownOf& slowdownOf)
{
    const Result<std::string> text = presetText("published", "steps");
    const Result<std::vector<PublishedRow>> curated = text ? readPublished(*text) : Result<std::vector<PublishedRow>>(text.errors());
    if (!curated)
        return;
    for (const PublishedRow& r : *curated) {
        if (calibrates(r) || r.scheduleOnly || !r.skipped.empty())
            continue;
        const ValidatedRow v = validatedRow(r, run.calibration, slowdownOf(r, run.calibration));
        if (!v.hasError())
            continue;
        run.fits.push_back({"not in the fit: " + r.id, 1, std::abs(v.error), v.error});
        if (v.error >= run.calibration.bandLow && v.error <= run.calibration.bandHigh)
            cover(run.calibration.domain, r.scenario);
    }
}

} // namespace

void fitGemms(Calibration& calibration, const std::vector<GemmRow>& rows, std::vector<FitReport>& reports)
{
    for (const auto& [precision, name] :
         {std::pair{MatrixPrecision::bits16, "16 bit"}, {MatrixPrecision::fp8, "FP8"}, {MatrixPrecision::fp4, "FP4"}})
        for (const char* family : {"a100", "h100", "b200"}) {
            std::vector<const GemmRow*> of;
            for (std::size_t i = 0; i<rows.size(); i += rows.size()> 20'000 ? 3 : 1) // every third row of a long table is enough
                if (rows[i].family == family && rows[i].precision == precision)
                    of.push_back(&rows[i]);
            GpuCalibration* gpu = gpuOf(calibration, family);
            if (of.size() < 50 || gpu == nullptr)
                continue;
            const Scenario s = probe(family);
            const bool low = precision != MatrixPrecision::bits16;
            double quantised = low ? 3 : 0; // bytes per element of A that the benchmark moves to quantise it before the product
            FitReport report;
            const auto loss = [&] {
                const CostModel cost(s, calibration);
                double sum = 0, bias = 0;
                for (const GemmRow* r : of) {
                    const double seconds =
                        cost.gemmSeconds(r->m, r->n, r->k, 1, precision) + (low ? cost.memorySeconds(quantised * r->m * r->k, 1) : 0.0);
                    const double e = std::log(seconds / r->seconds);
                    sum += std::abs(e);
                    bias += e;
                }
                report = {std::string(family) + ": GEMM " + name, static_cast<int>(of.size()), sum / static_cast<double>(of.size()),
                          bias / static_cast<double>(of.size())};
                return sum;
            };
            double& efficiency = precision == MatrixPrecision::fp8 ? gpu->fp8Efficiency : low ? gpu->fp4Efficiency : gpu->gemmEfficiency;
            if (low) { // tiles and waves are those of 16 bit
                for (int round = 0; round < 4; ++round) {
                    efficiency = minimum(0.3, 0.98, 12, [&](double x) {
                        efficiency = x;
                        return loss();
                    });
                    quantised = minimum(0.5, 16, 12, [&](double x) {
                        quantised = x;
                        return loss();
                    });
                }
                (void)loss();
                report.what += ", of which " + std::to_string(quantised) + " bytes per element of A to quantise it";
                reports.push_back(report);
                continue;
            }
            double bestWave = gpu->waveQuantisation, bestEfficiency = efficiency, bestOverhead = gpu->tileOverheadK, bestLoss = 1e300;
            for (const double wave : {0.0, 1.0}) {
                gpu->waveQuantisation = wave;
                for (int round = 0; round < 3; ++round) {
                    efficiency = minimum(0.3, 0.98, 12, [&](double x) {
                        efficiency = x;
                        return loss();
                    });
                    gpu->tileOverheadK = minimum(20, 2000, 12, [&](double x) {
                        gpu->tileOverheadK = x;
                        return loss();
                    });
                }
                const double l = loss();
                if (l < bestLoss) {
                    bestLoss = l;
                    bestWave = wave;
                    bestEfficiency = efficiency;
                    bestOverhead = gpu->tileOverheadK;
                }
            }
            gpu->waveQuantisation = bestWave;
            efficiency = bestEfficiency;
            gpu->tileOverheadK = bestOverhead;
            (void)loss();
            reports.push_back(report);
        }
}

void fitSustained(Calibration& calibration, const std::vector<GemmRow>& rows, std::vector<FitReport>& reports)
{
    if (rows.empty())
        return;
    GpuCalibration* gpu = gpuOf(calibration, rows.front().family);
    if (gpu == nullptr)
        return;
    const CostModel cost(probe(gpu->family), calibration);
    std::vector<double> ratios;
    for (const GemmRow& r : rows)
        if (r.seconds >= 3e-4)
            ratios.push_back(r.seconds / cost.gemmSeconds(r.m, r.n, r.k, 1, MatrixPrecision::bits16));
    if (ratios.empty())
        return;
    gpu->trainingFactor = medianOf(ratios);
    FitReport report{gpu->family + ": sustained matrix products, training factor " + std::to_string(gpu->trainingFactor),
                     static_cast<int>(ratios.size()), 0, 0};
    for (const double ratio : ratios) {
        const double e = gpu->trainingFactor / ratio - 1;
        report.meanAbs += std::abs(e) / static_cast<double>(ratios.size());
        report.bias += e / static_cast<double>(ratios.size());
    }
    reports.push_back(report);
}

void fitPublished(Calibration& calibration, const std::vector<FitRow>& rows, std::vector<FitReport>& reports)
{
    descend(calibration, rows, 12);
    std::vector<ValidatedRow> validated;
    for (const FitRow& r : rows)
        validated.push_back(validatedRow(*r.row, calibration, r.slowdown));
    calibration.domain = {};
    for (const FitRow& r : rows)
        cover(calibration.domain, r.row->scenario);
    const ValidationReport report = validationReport(std::move(validated));
    for (const SuiteErrors& s : report.suites)
        reports.push_back({"published: " + s.suite, s.rows, s.meanAbs, s.bias});
    reports.push_back({"published: all", report.all.rows, report.all.meanAbs, report.all.bias});
}

Result<CalibrationRun> calibrated(const std::string& folder, const Calibration& start, const SlowdownOf& slowdownOf, bool leaveSourcesOut)
{
    CalibrationRun run;
    run.calibration = start;
    Diagnostics errors;
    const auto require = [&](auto&& result) {
        if (!result) {
            const Diagnostics e = result.errors();
            errors.insert(errors.end(), e.begin(), e.end());
        }
        return result.ok();
    };
    const Result<std::vector<BusRow>> bus = readBusTable(folder + "/collectives/aiconfigurator_nccl_all.csv.gz");
    const Result<CollectiveFolder> collectives = readCollectiveFolder(folder + "/collectives");
    const Result<std::vector<GemmRow>> gemm = readGemmTable(folder + "/operators/aiconfigurator_gemm_large_m.csv.gz");
    const Result<std::vector<GemmRow>> sustained = readSustainedGemms(folder + "/operators/simumax_system_b200_bf16_ceperm.json");
    const Result<std::string> text = readTextFile(folder + "/published.json");
    const Result<std::string> stepTable = readTextFile(folder + "/tables/vtrain_ground_truth_single.csv");
    (void)require(bus);
    (void)require(stepTable);
    (void)require(collectives);
    (void)require(sustained);
    (void)require(gemm);
    (void)require(text);
    if (!errors.empty())
        return errors;
    const Result<std::vector<PublishedRow>> published = readPublished(*text), steps = readPublished(*stepTable);
    (void)require(published);
    (void)require(steps);
    if (!errors.empty())
        return errors;
    fitCollectives(run.calibration, *bus, *collectives, leaveSourcesOut, run.fits);
    fitGemms(run.calibration, *gemm, run.fits);
    fitSustained(run.calibration, *sustained, run.fits);

    fitHost(run.calibration, *steps);

    // Slowdowns depend a little on the constants: sampled at the start and again after a first fit.
    const Calibration beforePublished = run.calibration;
    std::vector<FitRow> rows;
    for (const PublishedRow& r : *published)
        if (calibrates(r))
            rows.push_back({&r, slowdownOf(r, run.calibration)});
    descend(run.calibration, rows, 6);
    fitHost(run.calibration, *steps);
    for (FitRow& r : rows)
        r.slowdown = slowdownOf(*r.row, run.calibration);
    fitPublished(run.calibration, rows, run.fits);
    reportSteps(run.calibration, *steps, run.fits);
    // What a row can expect that the fit has not seen.
    setBand(
        crossValidated(run, rows, beforePublished, "fifth of the rows", [](const FitRow&, std::size_t i) { return std::to_string(i % 5); }),
        run.calibration.bandLow, run.calibration.bandHigh);
    coverUnseen(run, slowdownOf);
    // Outside of the calibration: as far off as rows of other software, machines and incomplete configuration (tiers B and C).
    std::vector<double> unseen;
    for (const PublishedRow& r : *published)
        if (!calibrates(r) && !r.scheduleOnly && r.skipped.empty())
            if (const ValidatedRow v = validatedRow(r, run.calibration, slowdownOf(r, run.calibration)); v.hasError())
                unseen.push_back(v.error);
    setBand(std::move(unseen), run.calibration.domain.bandLow, run.calibration.domain.bandHigh);
    if (leaveSourcesOut)
        (void)crossValidated(run, rows, beforePublished, "source", [](const FitRow& r, std::size_t) { return r.row->suite; });
    return run;
}

} // namespace prism
