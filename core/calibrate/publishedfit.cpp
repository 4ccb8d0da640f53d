// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/calibrate/publishedfit.h"

#include <set>

namespace prism {
namespace {

/// What a row can decide: GPU type, precision and kind of model.
std::string groundOf(const PublishedRow& r)
{
    return gpuCoverage(r.scenario) + ", " + modelCoverage(r.scenario);
}

bool runs(const PublishedRow& r)
{
    return r.skipped.empty() && r.counts() && !r.scheduleOnly && r.publishedSeconds > 0;
}

} // namespace

std::vector<FitRow> fitRows(const std::vector<PublishedRow>& published)
{
    std::set<std::string> covered;
    for (const PublishedRow& r : published)
        if (runs(r) && r.tier == "A")
            covered.insert(groundOf(r));
    std::vector<FitRow> rows;
    for (const PublishedRow& r : published)
        if (runs(r) && (r.tier == "A" || (r.tier == "B" && !covered.contains(groundOf(r)))))
            rows.push_back({&r, 1});
    return rows;
}

void fitConstants(Calibration& calibration, const std::vector<FitRow>& rows, int rounds)
{
    const SourceLoss loss(rows);
    setConstants(calibration, constantPoint(calibration));
    std::vector<double> errors = logErrors(calibration, rows);
    double best = loss.of(errors), reach = 0.5;
    for (int round = 0; round < rounds && reach > 0.02; ++round) {
        const LinearRows linear = linearRows(calibration, rows, errors);
        std::optional<FitPoint> lower = lowerPoint(calibration, rows, loss, {linear, reach, best - 1e-6});
        reach = nextReach(reach, lower.has_value());
        if (!lower)
            continue;
        best = lower->loss;
        setConstants(calibration, lower->at);
        errors = std::move(lower->errors);
    }
}

} // namespace prism
