// SPDX-License-Identifier: GPL-3.0-or-later
#include "bench/constants/publishedfit.h"

#include <cmath>

namespace prism {
namespace {

/// Rounds around the present constants, each with the slopes there and a shorter reach.
FitPoint descended(Calibration calibration, const std::vector<FitRow>& rows, const SourceLoss& loss, int rounds)
{
    FitPoint best{constantPoint(calibration), logErrors(calibration, rows), 0};
    best.loss = loss.of(best.errors);
    double reach = 0.5;
    for (int round = 0; round < rounds && reach > 0.02; ++round) {
        const LinearRows linear = linearRows(calibration, rows, best.errors);
        std::optional<FitPoint> lower = lowerPoint(calibration, rows, loss, {linear, reach, best.loss - 1e-6});
        reach = nextReach(reach, lower.has_value());
        if (!lower)
            continue;
        best = std::move(*lower);
        setConstants(calibration, best.at);
    }
    return best;
}

bool runs(const PublishedRow& r)
{
    return r.skipped.empty() && r.counts() && !r.scheduleOnly && r.publishedSeconds > 0;
}

} // namespace

std::vector<FitRow> fitRows(const std::vector<PublishedRow>& published)
{
    std::vector<FitRow> rows;
    for (const PublishedRow& r : published)
        if (runs(r) && (r.tier == "A" || r.tier == "B"))
            rows.push_back({&r, 1});
    return rows;
}

void fitConstants(Calibration& calibration, const std::vector<FitRow>& rows, int rounds)
{
    setConstants(calibration, constantPoint(calibration));
    const SourceLoss loss(rows);
    setConstants(calibration, descended(calibration, rows, loss, rounds).at);
}

void searchConstants(Calibration& calibration, const std::vector<FitRow>& rows, int rounds)
{
    const double kDistance = std::log(4.0);
    constexpr double kBetter = 1e-4;
    const SourceLoss loss(rows);
    FitPoint best = descended(calibration, rows, loss, rounds);
    for (std::size_t constant = 0; constant < kFreeConstants; ++constant) {
        if (!isOfHosts(constant))
            continue;
        for (const double distance : {kDistance, -kDistance}) {
            Calibration from = calibration;
            ConstantPoint start = best.at;
            start[constant] += distance;
            setConstants(from, start);
            setConstants(from, constantPoint(from)); // inside of its range
            if (FitPoint found = descended(from, rows, loss, rounds); found.loss < best.loss - kBetter)
                best = std::move(found);
        }
    }
    setConstants(calibration, best.at);
}

} // namespace prism
