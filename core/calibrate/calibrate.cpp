// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/calibrate/calibrate.h"

#include "core/calibrate/publishedfit.h"
#include "core/cost/costmodel.h"
#include "core/measured/collectivetables.h"
#include "core/measured/tables.h"
#include "core/scenario/presets.h"
#include "core/stats/moments.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace prism {
namespace {

void reportSteps(const Calibration& c, const std::vector<PublishedRow>& steps, std::vector<FitReport>& reports)
{
    std::vector<ValidatedRow> rows;
    for (const PublishedRow& r : steps)
        rows.push_back(validatedRow(r, c));
    const ValidationReport report = validationReport(std::move(rows));
    for (const SuiteErrors& s : report.suites)
        reports.push_back({"single-node steps: " + s.suite, s.rows, s.meanAbs, s.bias});
}

/// A single-node table is long and of one kind: every so many of its rows is enough.
constexpr std::size_t kStepTableStride = 20;

/// Rows that the fit has not seen: what the band holds of them widens the domain; all of them are reported.
void coverUnseen(CalibrationRun& run, const std::vector<PublishedRow>& published, const std::set<std::string>& fitted,
                 const SlowdownOf& slowdownOf)
{
    std::vector<double> unseen;
    FitReport report{"not in the fit", 0, 0, 0};
    for (const PublishedRow& r : published) {
        if (fitted.contains(r.id) || r.scheduleOnly || !r.skipped.empty() || !r.counts())
            continue;
        const ValidatedRow v = validatedRow(r, run.calibration, slowdownOf(r, run.calibration));
        if (!v.hasError())
            continue;
        unseen.push_back(v.error);
        report.meanAbs += std::abs(v.error);
        report.bias += v.error;
        ++report.rows;
        const ErrorBand band = errorBand(run.calibration, modelCoverage(r.scenario));
        if (v.error >= band.low && v.error <= band.high)
            cover(run.calibration.domain, r.scenario);
    }
    report.meanAbs /= std::max(1, report.rows);
    report.bias /= std::max(1, report.rows);
    run.fits.push_back(report);
    // Outside of the calibration: as far off as rows of other software, machines and incomplete configuration.
    std::sort(unseen.begin(), unseen.end());
    if (unseen.size() < 20)
        return;
    const auto n = static_cast<double>(unseen.size());
    run.calibration.domain.bandLow = unseen[static_cast<std::size_t>(0.05 * n)];
    run.calibration.domain.bandHigh = unseen[static_cast<std::size_t>(std::ceil(0.95 * n)) - 1];
}

void reportPublished(CalibrationRun& run, const std::vector<FitRow>& rows)
{
    std::vector<ValidatedRow> validated;
    for (const FitRow& r : rows)
        validated.push_back(validatedRow(*r.row, run.calibration, r.slowdown));
    run.calibration.domain = {};
    for (const FitRow& r : rows)
        cover(run.calibration.domain, r.row->scenario);
    const ValidationReport report = validationReport(std::move(validated));
    for (const SuiteErrors& s : report.suites)
        run.fits.push_back({"published: " + s.suite, s.rows, s.meanAbs, s.bias});
    run.fits.push_back({"published: all", report.all.rows, report.all.meanAbs, report.all.bias});
}

} // namespace

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
    const Result<std::string> text = readTextFile(folder + "/published2.json");
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

    std::vector<FitRow> rows = fitRows(*published);
    for (std::size_t i = 0; i < steps->size(); i += kStepTableStride)
        rows.push_back({&(*steps)[i], 1});
    // Slowdowns depend a little on the constants: sampled at the start and again after a first fit.
    const auto sampleSlowdowns = [&] {
        for (FitRow& r : rows)
            r.slowdown = slowdownOf(*r.row, run.calibration);
    };
    sampleSlowdowns();
    fitConstants(run.calibration, rows, 6);
    sampleSlowdowns();
    fitConstants(run.calibration, rows, 8);
    reportPublished(run, rows);
    reportSteps(run.calibration, *steps, run.fits);
    // What a row can expect that the fit has not seen.
    if (leaveSourcesOut)
        setBands(run.calibration, leftOutSources(rows, run.calibration, run.fits), run.fits);
    std::set<std::string> fitted;
    for (const FitRow& r : rows)
        fitted.insert(r.row->id);
    std::vector<PublishedRow> rest = *published;
    if (const Result<std::string> own = presetText("published", "steps")) // the curated rows hold sources that the data lacks
        if (const Result<std::vector<PublishedRow>> curated = readPublished(*own))
            for (const PublishedRow& r : *curated)
                if (std::none_of(published->begin(), published->end(), [&](const PublishedRow& p) { return p.id == r.id; }))
                    rest.push_back(r);
    coverUnseen(run, rest, fitted, slowdownOf);
    return run;
}

} // namespace prism
