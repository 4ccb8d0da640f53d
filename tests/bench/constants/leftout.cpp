// SPDX-License-Identifier: GPL-3.0-or-later
#include "bench/constants/leftout.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace prism {
namespace {

/// Rounds of a fit without one source: the first with the slopes at the start, the others with those at the end.
constexpr int kRounds = 5;

/// One fit without `source`: the errors of all rows at its end.
std::vector<double> errorsWithout(const std::string& source, const std::vector<FitRow>& rows, const Calibration& start,
                                  const LinearRows& first, const LinearRows& later)
{
    const SourceLoss loss(rows, source);
    LinearRows here = first;
    double best = loss.of(here.errors), reach = 0.5;
    for (int round = 0; round < kRounds; ++round) {
        if (round > 0)
            here.slopes = later.slopes;
        std::optional<FitPoint> lower = lowerPoint(start, rows, loss, {here, reach, best - 1e-5});
        reach = nextReach(reach, lower.has_value());
        if (!lower)
            continue;
        best = lower->loss;
        here.at = lower->at;
        here.errors = std::move(lower->errors);
    }
    return here.errors;
}

} // namespace

std::vector<HeldOutError> heldOutErrors(const std::vector<FitRow>& rows, const HeldOutStart& from, std::vector<FitReport>& reports)
{
    std::set<std::string> sources;
    for (const FitRow& r : rows)
        sources.insert(sourceOf(r));
    const LinearRows first = linearRows(from.start, rows, logErrors(from.start, rows)),
                     later = linearRows(from.fitted, rows, logErrors(from.fitted, rows));
    FitReport all{{}, "held out, each source in turn: rows of tier A"};
    std::vector<HeldOutError> errors;
    for (const std::string& source : sources) {
        const std::vector<double> found = errorsWithout(source, rows, from.start, first, later);
        FitReport report{{}, "left out: " + source};
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (sourceOf(rows[i]) != source || std::isnan(found[i]))
                continue;
            const double error = std::exp(found[i]) - 1;
            report.add(error);
            if (rows[i].row->tier == "A")
                all.add(error);
            errors.push_back({&rows[i], error});
        }
        reports.push_back(std::move(report));
    }
    reports.push_back(std::move(all));
    return errors;
}

} // namespace prism
