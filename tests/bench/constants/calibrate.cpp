// SPDX-License-Identifier: GPL-3.0-or-later
#include "bench/constants/calibrate.h"

#include "bench/constants/bands.h"
#include "bench/constants/leftout.h"
#include "bench/constants/publishedfit.h"

#include <tbb/parallel_for.h>

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
        reports.push_back({s, "single-node steps: " + s.suite});
}

/// A single-node table is long and of one kind: every 19th row is enough. A prime, since such tables go through their settings
/// in rounds.
constexpr std::size_t kStepTableStride = 19;

/// Rows that are not in the fit: those that the band covers widen the domain; the errors of all go into the report.
void coverUnseen(CalibrationRun& run, const std::vector<PublishedRow>& published, const std::set<std::string>& fitted,
                 const SlowdownOf& slowdownOf)
{
    std::vector<double> unseen;
    FitReport report{{}, "not in the fit"};
    for (const PublishedRow& r : published) {
        if (fitted.contains(r.id) || r.scheduleOnly || !r.skipped.empty() || !r.counts())
            continue;
        const ValidatedRow v = validatedRow(r, run.calibration, slowdownOf(r, run.calibration));
        if (!v.hasError())
            continue;
        unseen.push_back(v.error);
        report.add(v.error);
        const ErrorBand band = errorBand(run.calibration, r.scenario);
        if (v.error >= band.low && v.error <= band.high)
            cover(run.calibration.domain, r.scenario);
    }
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
        run.fits.push_back({s, "published: " + s.suite});
    run.fits.push_back({report.all, "published: all"});
}

/// The calibration in use; constants that an iterative fit will set from the data start at their uncalibrated values.
Calibration startOf(const CalibrationData& data, const CalibrationStart& start)
{
    Calibration c = start.inUse;
    const auto decides = [](const CollectiveTable& t) { return t.rows.front().group.nodes > 1 && !t.shapeOnly && t.remark.empty(); };
    if (std::any_of(data.collectives.tables.begin(), data.collectives.tables.end(), decides))
        c.network = start.uncalibrated.network;
    if (data.steps.empty())
        return c;
    c.software = start.uncalibrated.software;
    for (GpuCalibration& gpu : c.gpus)
        for (const GpuCalibration& first : start.uncalibrated.gpus)
            if (first.family == gpu.family) {
                gpu.idleWatts = first.idleWatts;
                gpu.matrixEnergy = first.matrixEnergy;
                gpu.matrix8Energy = first.matrix8Energy;
                gpu.matrix4Energy = first.matrix4Energy;
            }
    return c;
}

/// The constants that published steps decide, their residuals, bands and domain.
void fitSteps(CalibrationRun& run, const CalibrationData& data, const SlowdownOf& slowdownOf, bool leaveSourcesOut)
{
    std::vector<FitRow> rows = fitRows(data.steps);
    for (std::size_t i = 0; i < data.single.size(); i += kStepTableStride)
        rows.push_back({&data.single[i], 1});
    // Slowdowns depend a little on the constants: sampled at the start and again after a first fit.
    const auto sampleSlowdowns = [&] {
        tbb::parallel_for(std::size_t{0}, rows.size(),
                          [&](std::size_t i) { rows[i].slowdown = slowdownOf(*rows[i].row, run.calibration); });
    };
    const Calibration before = run.calibration;
    sampleSlowdowns();
    fitConstants(run.calibration, rows, 6);
    sampleSlowdowns();
    searchConstants(run.calibration, rows, 8);
    reportPublished(run, rows);
    if (leaveSourcesOut)
        setBands(run.calibration, heldOutErrors(rows, {before, run.calibration}, run.fits), run.fits);
    std::set<std::string> fitted;
    for (const FitRow& r : rows)
        fitted.insert(r.row->id);
    coverUnseen(run, data.steps, fitted, slowdownOf);
}

} // namespace

CalibrationRun calibrated(const CalibrationData& data, const CalibrationStart& start, const SlowdownOf& slowdownOf, bool leaveSourcesOut)
{
    CalibrationRun run;
    run.calibration = startOf(data, start);
    fitCollectives(run.calibration, data.bus, data.collectives, leaveSourcesOut, run.fits);
    fitGemms(run.calibration, data.gemms, run.fits);
    fitSustained(run.calibration, data.sustained, run.fits);
    if (!data.steps.empty())
        fitSteps(run, data, slowdownOf, leaveSourcesOut);
    if (!data.single.empty())
        reportSteps(run.calibration, data.single, run.fits);
    return run;
}

} // namespace prism
