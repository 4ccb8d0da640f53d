// SPDX-License-Identifier: GPL-3.0-or-later
#include "bench/constants/calibrate.h"

#include "bench/constants/bands.h"
#include "bench/constants/leftout.h"
#include "bench/constants/publishedfit.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

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

/// Widens the domain by a validated scenario.
void cover(CalibrationDomain& domain, const Scenario& scenario)
{
    for (const std::string& what : {gpuCoverage(scenario), modelCoverage(scenario)})
        if (const auto at = std::lower_bound(domain.covered.begin(), domain.covered.end(), what); at == domain.covered.end() || *at != what)
            domain.covered.insert(at, what);
    const auto hidden = static_cast<double>(scenario.model.hiddenSize);
    domain.maxGpus = std::max(domain.maxGpus, static_cast<double>(scenario.cluster.numGpus));
    domain.minHiddenSize = domain.minHiddenSize > 0 ? std::min(domain.minHiddenSize, hidden) : hidden;
    domain.maxSeqLength = std::max(domain.maxSeqLength, static_cast<double>(scenario.model.seqLength));
}

/// GPU with precision, or kind of model, of a row.
using Ground = std::string;

/// The errors of rows that are not in the fit, into the report as well. A GPU or kind of model that only they have widens the domain where
/// the stated band covers at least kBandShare of them.
std::vector<double> coverUnseen(CalibrationRun& run, const std::vector<PublishedRow>& published, const std::set<std::string>& fitted,
                                const SlowdownOf& slowdownOf)
{
    struct Rows {
        std::vector<const Scenario*> scenarios;
        std::size_t inside = 0;
    };
    std::vector<double> unseen;
    std::map<Ground, Rows> byGround;
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
        Rows& rows = byGround[bandKinds(r.scenario).front()];
        rows.scenarios.push_back(&r.scenario);
        rows.inside += v.error >= band.low && v.error <= band.high ? 1 : 0;
    }
    run.fits.push_back(report);
    for (const auto& [ground, rows] : byGround)
        if (static_cast<double>(rows.inside) >= kBandShare * static_cast<double>(rows.scenarios.size()))
            for (const Scenario* s : rows.scenarios)
                cover(run.calibration.domain, *s);
    return unseen;
}

/// Held-out errors of the rows whose GPU and precision, or kind of model, their own source alone has: the fit without it did not know them.
std::vector<double> errorsOnNewGround(const std::vector<HeldOutError>& errors)
{
    std::map<Ground, std::set<std::string>> sources;
    const auto groundsOf = [](const HeldOutError& e) {
        return std::array{gpuCoverage(e.row->row->scenario), modelCoverage(e.row->row->scenario)};
    };
    for (const HeldOutError& e : errors)
        for (const Ground& ground : groundsOf(e))
            sources[ground].insert(sourceOf(*e.row));
    std::vector<double> found;
    for (const HeldOutError& e : errors) {
        const auto grounds = groundsOf(e);
        if (std::any_of(grounds.begin(), grounds.end(), [&](const Ground& g) { return sources.at(g).size() == 1; }))
            found.push_back(e.error);
    }
    return found;
}

/// The band outside of the calibration: nine of ten such errors.
void setBandOutside(CalibrationDomain& domain, std::vector<double> errors)
{
    constexpr std::size_t kEnough = 20;
    if (errors.size() < kEnough)
        return;
    std::sort(errors.begin(), errors.end());
    const auto n = static_cast<double>(errors.size());
    domain.bandLow = errors[static_cast<std::size_t>((1 - kBandShare) / 2 * n)];
    domain.bandHigh = errors[static_cast<std::size_t>(std::ceil((1 + kBandShare) / 2 * n)) - 1];
}

void reportPublished(CalibrationRun& run, const std::vector<FitRow>& rows)
{
    std::vector<ValidatedRow> validated;
    for (const FitRow& r : rows)
        validated.push_back(validatedRow(*r.row, run.calibration, r.slowdown));
    const CalibrationDomain before = std::exchange(run.calibration.domain, {});
    run.calibration.domain.bandLow = before.bandLow;
    run.calibration.domain.bandHigh = before.bandHigh;
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
    std::vector<HeldOutError> heldOut;
    if (leaveSourcesOut) {
        heldOut = heldOutErrors(rows, {before, run.calibration}, run.fits);
        setBands(run.calibration, heldOut, run.fits);
    }
    std::set<std::string> fitted;
    for (const FitRow& r : rows)
        fitted.insert(r.row->id);
    std::vector<double> outside = coverUnseen(run, data.steps, fitted, slowdownOf);
    if (!leaveSourcesOut)
        return;
    const std::vector<double> newGround = errorsOnNewGround(heldOut);
    outside.insert(outside.end(), newGround.begin(), newGround.end());
    setBandOutside(run.calibration.domain, std::move(outside));
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
