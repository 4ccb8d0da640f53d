// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/calibrate/leftout.h"

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

/// The central 90 % of errors; what stays outside lies on both sides alike.
ErrorBand bandOf(const std::string& kind, std::vector<double> errors)
{
    std::sort(errors.begin(), errors.end());
    const auto n = static_cast<double>(errors.size());
    const auto at = [&](double share) {
        const double x = std::clamp(share * n - 0.5, 0.0, n - 1);
        const auto i = static_cast<std::size_t>(x);
        return errors[i] + (x - std::floor(x)) * (errors[std::min(errors.size() - 1, i + 1)] - errors[i]);
    };
    return {kind, at(0.05), at(0.95), static_cast<int>(errors.size())};
}

constexpr std::size_t kEnoughForBand = 20;

void addTo(FitReport& report, double error)
{
    report.meanAbs += std::abs(error);
    report.bias += error;
    ++report.rows;
}

FitReport mean(FitReport report)
{
    report.meanAbs /= std::max(1, report.rows);
    report.bias /= std::max(1, report.rows);
    return report;
}

} // namespace

std::vector<LeftOutError> leftOutSources(const std::vector<FitRow>& rows, const LeftOutStart& from, std::vector<FitReport>& reports)
{
    std::set<std::string> sources;
    for (const FitRow& r : rows)
        sources.insert(sourceOf(r));
    const LinearRows first = linearRows(from.start, rows, logErrors(from.start, rows)),
                     later = linearRows(from.fitted, rows, logErrors(from.fitted, rows));
    FitReport all{"left out, each source in turn: rows of tier A", 0, 0, 0};
    std::vector<LeftOutError> errors;
    for (const std::string& source : sources) {
        const std::vector<double> found = errorsWithout(source, rows, from.start, first, later);
        FitReport report{"left out: " + source, 0, 0, 0};
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (sourceOf(rows[i]) != source || std::isnan(found[i]))
                continue;
            const double error = std::exp(found[i]) - 1;
            addTo(report, error);
            if (rows[i].row->tier == "A")
                addTo(all, error);
            errors.push_back({&rows[i], error});
        }
        reports.push_back(mean(report));
    }
    reports.push_back(mean(all));
    return errors;
}

namespace {

/// The left-out errors that make the band of a kind ("" = of all jobs).
std::vector<LeftOutError> errorsOfKind(const std::vector<LeftOutError>& errors, const std::string& kind)
{
    std::vector<LeftOutError> complete, all;
    for (const LeftOutError& e : errors) {
        if (!kind.empty() && modelCoverage(e.row->row->scenario) != kind)
            continue;
        all.push_back(e);
        if (e.row->row->tier == "A")
            complete.push_back(e);
    }
    return complete.size() >= kEnoughForBand ? complete : all;
}

std::vector<double> values(const std::vector<LeftOutError>& errors, const std::string& withoutSource = {})
{
    std::vector<double> list;
    for (const LeftOutError& e : errors)
        if (withoutSource.empty() || sourceOf(*e.row) != withoutSource)
            list.push_back(e.error);
    return list;
}

} // namespace

void setBands(Calibration& calibration, const std::vector<LeftOutError>& errors, std::vector<FitReport>& reports)
{
    std::set<std::string> kinds{""};
    for (const LeftOutError& e : errors)
        kinds.insert(modelCoverage(e.row->row->scenario));
    calibration.bands.clear();
    for (const std::string& kind : kinds) {
        const std::vector<LeftOutError> of = errorsOfKind(errors, kind);
        if (of.size() < kEnoughForBand)
            continue;
        calibration.bands.push_back(bandOf(kind, values(of)));
        int inside = 0, checked = 0;
        for (const LeftOutError& e : of) {
            const std::vector<double> others = values(of, sourceOf(*e.row));
            if (others.size() < kEnoughForBand)
                continue;
            const ErrorBand band = bandOf(kind, others);
            inside += e.error >= band.low && e.error <= band.high ? 1 : 0;
            ++checked;
        }
        if (checked > 0)
            reports.push_back({"band of " + (kind.empty() ? "all jobs" : kind)
                                   + ", each row by a band without its source: " + std::to_string(100 * inside / checked) + " % inside",
                               checked, 0, 0});
    }
}

} // namespace prism
