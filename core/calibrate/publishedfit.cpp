// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/calibrate/publishedfit.h"

#include "core/calibrate/fitting.h"

#include <algorithm>
#include <cmath>
#include <map>
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

std::string sourceOf(const FitRow& r)
{
    return r.row->source.empty() ? r.row->suite : r.row->source;
}

/// Beyond 20 % a row says more about its machine (a slow node) than about the model: it counts, but no further.
constexpr double kCut = 0.2;

/// Logarithms of predicted over published; NaN where a row could not be predicted.
std::vector<double> logErrors(const Calibration& c, const std::vector<FitRow>& rows)
{
    std::vector<double> errors;
    errors.reserve(rows.size());
    for (const FitRow& r : rows) {
        const ValidatedRow v = validatedRow(*r.row, c, r.slowdown);
        errors.push_back(v.hasError() && v.predictedSeconds > 0 ? std::log(v.predictedSeconds / v.publishedSeconds) : std::nan(""));
    }
    return errors;
}

/// Rows by source and tier; made once per fit.
struct Groups {
    struct Group {
        double weight = 1;
        std::vector<std::size_t> rows;
    };
    std::vector<Group> groups;

    explicit Groups(const std::vector<FitRow>& rows)
    {
        std::map<std::string, Group> by;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            Group& g = by[sourceOf(rows[i]) + " " + rows[i].row->tier];
            g.weight = rows[i].row->tier == "A" ? 1.0 : 0.5;
            g.rows.push_back(i);
        }
        for (auto& [name, group] : by)
            groups.push_back(std::move(group));
    }

    [[nodiscard]] double loss(const std::vector<double>& errors) const
    {
        double sum = 0, weight = 0;
        for (const Group& g : groups) {
            double abs = 0, bias = 0, over = 0, n = 0;
            for (const std::size_t i : g.rows) {
                const double e = errors[i];
                if (std::isnan(e))
                    continue;
                abs += std::min(std::abs(e), kCut);
                bias += std::clamp(e, -kCut, kCut);
                over += std::clamp(std::abs(e) - 0.1, 0.0, kCut);
                ++n;
            }
            if (n == 0)
                continue;
            sum += g.weight * (abs + 1.5 * std::max(0.0, std::abs(bias) - 0.015 * n) + 3 * std::max(0.0, std::abs(bias) - 0.04 * n) + over)
                   / n;
            weight += g.weight;
        }
        return weight > 0 ? sum / weight : 0;
    }
};

struct Free {
    const char* name;
    double low, high;
};
/// What published steps decide, and the range in which it may lie. Watts of matrix units: those of a board at its limit and up to three
/// times it; host times: a microsecond to what a Python call takes.
constexpr Free kFree[] = {
    {"a100.matrix_w", 100, 1200},
    {"h100.matrix_w", 200, 2100},
    {"h100.matrix_fp8_w", 200, 2100},
    {"b200.idle_w", 100, 700},
    {"b200.matrix_w", 300, 4200},
    {"b200.matrix_fp8_w", 300, 4200},
    {"b200.matrix_fp4_w", 300, 4200},
    {"software.host_s_per_launch", 1e-5, 3e-4},
    {"software.checkpoint_s_per_layer", 1e-5, 4e-3},
    {"software.pass_s", 1e-5, 2e-3},
    {"software.routed_counts_s", 1e-5, 2e-3},
    {"software.step_s", 1e-3, 0.2},
};
constexpr std::size_t kFreeCount = std::size(kFree);
using Point = std::array<double, kFreeCount>; ///< logarithms

/// The free constants of one calibration.
class Constants final {
public:
    explicit Constants(Calibration& c)
    {
        const std::vector<NamedConstant> all = namedConstants(c);
        for (std::size_t i = 0; i < kFreeCount; ++i)
            m_value[i] = std::find_if(all.begin(), all.end(), [&](const NamedConstant& n) { return n.name == kFree[i].name; })->value;
    }
    [[nodiscard]] Point get() const
    {
        Point p{};
        for (std::size_t i = 0; i < kFreeCount; ++i)
            p[i] = std::log(std::clamp(*m_value[i], kFree[i].low, kFree[i].high));
        return p;
    }
    void set(const Point& p)
    {
        for (std::size_t i = 0; i < kFreeCount; ++i)
            *m_value[i] = std::exp(p[i]);
    }

private:
    std::array<double*, kFreeCount> m_value{};
};

/// Slopes of every row's error along every constant: slopes[i][row].
std::array<std::vector<double>, kFreeCount> slopesAt(Calibration& c, Constants& constants, const Point& at,
                                                     const std::vector<double>& errors, const std::vector<FitRow>& rows)
{
    constexpr double kStep = 0.08;
    std::array<std::vector<double>, kFreeCount> slopes;
    for (std::size_t i = 0; i < kFreeCount; ++i) {
        Point moved = at;
        const double step = at[i] + kStep > std::log(kFree[i].high) ? -kStep : kStep;
        moved[i] += step;
        constants.set(moved);
        slopes[i] = logErrors(c, rows);
        for (std::size_t r = 0; r < rows.size(); ++r)
            slopes[i][r] = (slopes[i][r] - errors[r]) / step;
    }
    constants.set(at);
    return slopes;
}

/// The step, within `reach` of each logarithm, that lowers the loss of the linear rows most.
Point linearStep(const Groups& groups, const std::vector<double>& errors, const std::array<std::vector<double>, kFreeCount>& slopes,
                 const Point& at, double reach)
{
    Point step{};
    std::vector<double> now = errors, tried(errors.size());
    double best = groups.loss(now);
    for (int sweep = 0; sweep < 40; ++sweep) {
        const double before = best;
        for (std::size_t i = 0; i < kFreeCount; ++i) {
            const double low = std::max(-reach, std::log(kFree[i].low) - at[i]), high = std::min(reach, std::log(kFree[i].high) - at[i]);
            const auto lossAt = [&](double x) {
                for (std::size_t r = 0; r < now.size(); ++r)
                    tried[r] = now[r] + (x - step[i]) * slopes[i][r];
                return groups.loss(tried);
            };
            double found = step[i];
            for (int k = 0; k <= 24; ++k) {
                const double x = low + (high - low) * k / 24;
                if (const double l = lossAt(x); l < best - 1e-9) {
                    best = l;
                    found = x;
                }
            }
            (void)lossAt(found);
            now = tried;
            step[i] = found;
        }
        if (before - best < 1e-6)
            break;
    }
    return step;
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

double publishedLoss(const Calibration& calibration, const std::vector<FitRow>& rows)
{
    return Groups(rows).loss(logErrors(calibration, rows));
}

void fitConstants(Calibration& calibration, const std::vector<FitRow>& rows, int rounds)
{
    const Groups groups(rows);
    Constants constants(calibration);
    Point at = constants.get();
    constants.set(at);
    std::vector<double> errors = logErrors(calibration, rows);
    double best = groups.loss(errors), reach = 0.5;
    for (int round = 0; round < rounds && reach > 0.02; ++round) {
        const auto slopes = slopesAt(calibration, constants, at, errors, rows);
        const Point step = linearStep(groups, errors, slopes, at, reach);
        bool better = false;
        for (double share = 1; share > 0.2 && !better; share /= 2) {
            Point moved = at;
            for (std::size_t i = 0; i < kFreeCount; ++i)
                moved[i] += share * step[i];
            constants.set(moved);
            std::vector<double> there = logErrors(calibration, rows);
            if (const double loss = groups.loss(there); loss < best - 1e-6) {
                better = true;
                best = loss;
                at = moved;
                errors = std::move(there);
            }
        }
        constants.set(at);
        reach *= better ? 0.8 : 0.4;
    }
}

std::vector<LeftOutError> leftOutSources(const std::vector<FitRow>& rows, const Calibration& start, std::vector<FitReport>& reports)
{
    std::set<std::string> sources;
    for (const FitRow& r : rows)
        sources.insert(sourceOf(r));
    FitReport all{"left out, each source in turn: rows of tier A", 0, 0, 0};
    std::vector<LeftOutError> errors;
    for (const std::string& source : sources) {
        std::vector<FitRow> train;
        for (const FitRow& r : rows)
            if (sourceOf(r) != source)
                train.push_back(r);
        Calibration c = start;
        fitConstants(c, train, 5);
        FitReport report{"left out: " + source, 0, 0, 0};
        for (const FitRow& r : rows) {
            if (sourceOf(r) != source)
                continue;
            const ValidatedRow v = validatedRow(*r.row, c, r.slowdown);
            if (!v.hasError())
                continue;
            for (FitReport* to : {&report, &all}) {
                if (to == &all && r.row->tier != "A")
                    continue;
                to->meanAbs += std::abs(v.error);
                to->bias += v.error;
                ++to->rows;
            }
            errors.push_back({&r, v.error});
        }
        report.meanAbs /= std::max(1, report.rows);
        report.bias /= std::max(1, report.rows);
        reports.push_back(report);
    }
    all.meanAbs /= std::max(1, all.rows);
    all.bias /= std::max(1, all.rows);
    reports.push_back(all);
    return errors;
}

namespace {

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

} // namespace

void setBands(Calibration& calibration, const std::vector<LeftOutError>& errors, std::vector<FitReport>& reports)
{
    std::set<std::string> kinds{""};
    for (const LeftOutError& e : errors)
        kinds.insert(modelCoverage(e.row->row->scenario));
    calibration.bands.clear();
    for (const std::string& kind : kinds) {
        const auto belongs = [&](const LeftOutError& e) { return kind.empty() || modelCoverage(e.row->row->scenario) == kind; };
        std::vector<double> all;
        for (const LeftOutError& e : errors)
            if (belongs(e))
                all.push_back(e.error);
        if (all.size() < kEnoughForBand)
            continue;
        calibration.bands.push_back(bandOf(kind, all));
        int inside = 0, checked = 0;
        for (const LeftOutError& e : errors) {
            if (!belongs(e))
                continue;
            std::vector<double> others;
            for (const LeftOutError& o : errors)
                if (belongs(o) && sourceOf(*o.row) != sourceOf(*e.row))
                    others.push_back(o.error);
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
