// SPDX-License-Identifier: GPL-3.0-or-later
#include "bench/constants/linearfit.h"

#include "core/cost/predictor.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace prism {
namespace {

struct Free {
    const char* name;
    double low, high;
};
/// Constants that published steps determine, with their ranges. Energy of matrix units: from that of a board which is nowhere near
/// its limit to that of one that would need three times it; host times: a microsecond to what a Python call takes. What a benchmark of
/// repeated products measured (B200 in 16 bit) is not among them.
constexpr Free kFree[] = {
    {"a100.matrix_pj", 0.2, 2.7},
    {"h100.matrix_pj", 0.1, 1.2},
    {"h100.matrix_fp8_pj", 0.05, 0.6},
    {"b200.matrix_fp8_pj", 0.035, 0.5},
    {"b200.matrix_fp4_pj", 0.017, 0.25},
    {"software.host_s_per_launch", 1e-5, 3e-4},
    {"software.host_s_per_expert_call", 3e-6, 1e-4},
    {"software.host_s_per_collective", 3e-6, 1e-3},
    {"software.checkpoint_s_per_layer", 1e-5, 4e-3},
    {"software.pass_s", 1e-5, 2e-3},
    {"software.routed_counts_s", 1e-5, 2e-3},
    {"software.step_s", 1e-3, 0.2},
    {"software.step_s_per_doubling", 1e-4, 0.03},
};
static_assert(std::size(kFree) == kFreeConstants);

constexpr double kCut = 0.2;
/// Variance of a row's error inside of its source over that of the sources' offsets: (6.9 % / 3.7 %)^2 of the rows of tiers A and B.
constexpr double kRowsPerOffset = 3.5;

std::array<double*, kFreeConstants> freeValues(Calibration& calibration)
{
    const std::vector<NamedConstant> all = namedConstants(calibration);
    std::array<double*, kFreeConstants> values{};
    for (std::size_t i = 0; i < kFreeConstants; ++i)
        values[i] = std::find_if(all.begin(), all.end(), [&](const NamedConstant& n) { return n.name == kFree[i].name; })->value;
    return values;
}

/// Whether a constant can change a row: those of a GPU family only its rows.
bool concerns(std::size_t constant, const FitRow& row)
{
    const std::string_view name = kFree[constant].name, owner = name.substr(0, name.find('.'));
    return isOfHosts(constant) || owner == gpuFamily(row.row->scenario.cluster.gpu);
}

double logError(const Calibration& calibration, const FitRow& row)
{
    const PublishedRow& published = *row.row;
    const Result<double> seconds = noiseFreeSecondsWith(published.scenario, calibration);
    return seconds && *seconds > 0 && published.publishedSeconds > 0 ? std::log(*seconds * row.slowdown / published.publishedSeconds)
                                                                     : std::numeric_limits<double>::quiet_NaN();
}

} // namespace

ConstantPoint constantPoint(Calibration& calibration)
{
    ConstantPoint p{};
    const auto values = freeValues(calibration);
    for (std::size_t i = 0; i < kFreeConstants; ++i)
        p[i] = std::log(std::clamp(*values[i], kFree[i].low, kFree[i].high));
    return p;
}

void setConstants(Calibration& calibration, const ConstantPoint& point)
{
    const auto values = freeValues(calibration);
    for (std::size_t i = 0; i < kFreeConstants; ++i)
        *values[i] = std::exp(point[i]);
}

bool isOfHosts(std::size_t constant)
{
    return std::string_view(kFree[constant].name).starts_with("software.");
}

const std::string& sourceOf(const FitRow& row)
{
    return row.row->source.empty() ? row.row->suite : row.row->source;
}

SourceLoss::SourceLoss(const std::vector<FitRow>& rows, const std::string& excluded)
{
    std::map<std::string, Group> by;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!excluded.empty() && sourceOf(rows[i]) == excluded)
            continue;
        Group& g = by[sourceOf(rows[i]) + " " + rows[i].row->tier];
        g.weight = rows[i].row->tier == "A" ? 1.0 : 0.5;
        g.rows.push_back(i);
    }
    for (auto& [name, group] : by) {
        const auto n = static_cast<double>(group.rows.size());
        group.weight *= n / (n + kRowsPerOffset);
        m_groups.push_back(std::move(group));
    }
}

double SourceLoss::of(const std::vector<double>& errors) const
{
    double sum = 0, weight = 0;
    for (const Group& g : m_groups) {
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
        sum += g.weight * (abs + 1.5 * std::max(0.0, std::abs(bias) - 0.015 * n) + 3 * std::max(0.0, std::abs(bias) - 0.04 * n) + over) / n;
        weight += g.weight;
    }
    return weight > 0 ? sum / weight : 0;
}

std::vector<double> logErrors(const Calibration& calibration, const std::vector<FitRow>& rows)
{
    std::vector<double> errors(rows.size());
    tbb::parallel_for(std::size_t{0}, rows.size(), [&](std::size_t i) { errors[i] = logError(calibration, rows[i]); });
    return errors;
}

LinearRows linearRows(Calibration calibration, const std::vector<FitRow>& rows, std::vector<double> errors)
{
    constexpr double kStep = 0.08;
    LinearRows linear{constantPoint(calibration), std::move(errors), {}};
    std::array<Calibration, kFreeConstants> moved;
    std::array<double, kFreeConstants> step{};
    for (std::size_t k = 0; k < kFreeConstants; ++k) {
        ConstantPoint there = linear.at;
        step[k] = there[k] + kStep > std::log(kFree[k].high) ? -kStep : kStep;
        there[k] += step[k];
        moved[k] = calibration;
        setConstants(moved[k], there);
        linear.slopes[k].assign(rows.size(), 0.0);
    }
    tbb::parallel_for(std::size_t{0}, rows.size(), [&](std::size_t i) {
        for (std::size_t k = 0; k < kFreeConstants; ++k)
            if (concerns(k, rows[i]))
                linear.slopes[k][i] = (logError(moved[k], rows[i]) - linear.errors[i]) / step[k];
    });
    return linear;
}

namespace {

/// The least loss of linear rows over steps within reach.
class LinearDescent final {
public:
    LinearDescent(const SourceLoss& loss, const LinearRows& rows, double reach)
        : m_loss(loss),
          m_rows(rows),
          m_now(rows.errors),
          m_best(loss.of(m_now))
    {
        for (std::size_t i = 0; i < kFreeConstants; ++i) {
            m_low[i] = std::max(-reach, std::log(kFree[i].low) - rows.at[i]);
            m_high[i] = std::min(reach, std::log(kFree[i].high) - rows.at[i]);
        }
    }

    /// One constant after the other, then two at a time: a loss of absolute values has edges on which no single constant can move.
    ConstantPoint descend()
    {
        constexpr int kSweeps = 40;
        for (int sweep = 0; sweep < kSweeps; ++sweep) {
            const double before = m_best;
            for (std::size_t i = 0; i < kFreeConstants; ++i)
                move(i, i, 0);
            for (std::size_t i = 0; i < kFreeConstants; ++i)
                for (std::size_t j = 0; j < kFreeConstants; ++j)
                    for (const double ratio : {-1.0, -0.4, 0.4, 1.0})
                        if (i != j)
                            move(i, j, ratio);
            if (before - m_best < 1e-6)
                break;
        }
        return m_step;
    }

private:
    /// To the best of evenly spaced places along constant `i` with `ratio` times as much of `j`.
    void move(std::size_t i, std::size_t j, double ratio)
    {
        constexpr int kTries = 24;
        const double low = m_low[i] - m_step[i], high = m_high[i] - m_step[i];
        double found = 0;
        std::vector<double> tried(m_now.size()), kept = m_now;
        for (int k = 0; k <= kTries; ++k) {
            const double x = low + (high - low) * k / kTries, y = m_step[j] + ratio * x;
            if (i != j && (y < m_low[j] || y > m_high[j]))
                continue;
            for (std::size_t r = 0; r < m_now.size(); ++r)
                tried[r] = m_now[r] + x * (m_rows.slopes[i][r] + ratio * m_rows.slopes[j][r]);
            if (const double l = m_loss.of(tried); l < m_best - 1e-9) {
                m_best = l;
                found = x;
                kept = tried;
            }
        }
        m_now = std::move(kept);
        m_step[i] += found;
        if (i != j)
            m_step[j] += ratio * found;
    }

    const SourceLoss& m_loss;
    const LinearRows& m_rows;
    std::vector<double> m_now;
    double m_best;
    ConstantPoint m_step{}, m_low{}, m_high{};
};

} // namespace

ConstantPoint linearStep(const SourceLoss& loss, const LinearRows& rows, double reach)
{
    return LinearDescent(loss, rows, reach).descend();
}

std::optional<FitPoint> lowerPoint(Calibration calibration, const std::vector<FitRow>& rows, const SourceLoss& loss, const FitStep& step)
{
    constexpr double kMinShare = 0.2;
    const ConstantPoint direction = linearStep(loss, step.from, step.reach);
    for (double share = 1; share > kMinShare; share /= 2) {
        FitPoint point{step.from.at, {}, 0};
        for (std::size_t i = 0; i < point.at.size(); ++i)
            point.at[i] += share * direction[i];
        setConstants(calibration, point.at);
        point.errors = logErrors(calibration, rows);
        point.loss = loss.of(point.errors);
        if (point.loss < step.below)
            return point;
    }
    return std::nullopt;
}

double nextReach(double reach, bool better)
{
    return reach * (better ? 0.8 : 0.4);
}

} // namespace prism
