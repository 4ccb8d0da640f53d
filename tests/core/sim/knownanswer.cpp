// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/knownanswer.h"

#include "core/stats/normal.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace prism::test {

namespace {

/// Places of the distribution function, and events that a replica may have next to its work, for the range that it covers.
constexpr int kPlaces = 40'000, kEvents = 7;
/// Normal scores of a lognormal or normal factor: equally spaced, the trapezoidal rule.
constexpr int kScores = 161;
constexpr double kFarthest = 8.0;
/// The characteristic function is as good as 0 below this.
constexpr double kNothing = 1e-17;

double scoreAt(int i)
{
    return kFarthest * (2.0 * i / (kScores - 1) - 1.0);
}

double weightAt(int i)
{
    return normalDensity(scoreAt(i)) * 2.0 * kFarthest / (kScores - 1);
}

/// Mean seconds of the kernels of one replica and step.
std::vector<double> kernelSeconds(const StepGraph& graph)
{
    std::vector<double> out;
    for (int b = 0; b < graph.schedule.numMicrobatches; ++b)
        for (const Program& program : graph.programs)
            for (const Block& block : program.blocks)
                for (int r = 0; r < block.repeat; ++r)
                    for (const Op& op : block.ops)
                        out.push_back(op.meanSeconds);
    return out;
}

/// Characteristic function of the sum of the kernels at w; a gamma factor of mean 1 has (1 - i cv^2 w)^(-1 / cv^2).
std::complex<double> characteristic(const std::vector<double>& kernels, const Distribution& d, double w)
{
    const double scale = d.cv * d.cv;
    const auto gamma = [&](double seconds) { return std::exp(-std::log(std::complex<double>(1.0, -scale * w * seconds)) / scale); };
    std::complex<double> out = 1.0;
    for (const double seconds : kernels)
        out *= (1.0 - d.rareProbability) * gamma(seconds)
               + (d.rareProbability > 0.0 ? d.rareProbability * gamma(seconds * d.rareMultiplier) : 0.0);
    return out;
}

/// P(sum > k range / kPlaces).
std::vector<double> aboveOf(const std::vector<double>& kernels, const Distribution& d, double range)
{
    std::vector<double> coefficient{1.0};
    for (int k = 1;; ++k) {
        const std::complex<double> value = characteristic(kernels, d, k * std::numbers::pi / range);
        if (std::abs(value) < kNothing)
            break;
        coefficient.push_back(2.0 * value.real() / (k * std::numbers::pi));
    }
    std::vector<double> out(kPlaces + 1);
    for (int at = 0; at <= kPlaces; ++at) {
        const double share = static_cast<double>(at) / kPlaces;
        const std::complex<double> turn = std::polar(1.0, share * std::numbers::pi);
        std::complex<double> now = 1.0;
        double below = share;
        for (std::size_t k = 1; k < coefficient.size(); ++k) {
            now *= turn;
            below += coefficient[k] * now.imag();
        }
        out[static_cast<std::size_t>(at)] = std::clamp(1.0 - below, 0.0, 1.0);
    }
    return out;
}

double between(const std::vector<double>& values, double place)
{
    const double at = std::clamp(place, 0.0, static_cast<double>(values.size() - 1));
    const auto low = std::min(static_cast<std::size_t>(at), values.size() - 2);
    return values[low] + (at - static_cast<double>(low)) * (values[low + 1] - values[low]);
}

} // namespace

KnownAnswer::KnownAnswer(const StepGraph& graph) : m_count(graph.numReplicas)
{
    const Distribution& factor = graph.classes[0].temporal;
    const std::vector<double> kernels = kernelSeconds(graph);
    double range = 0.0;
    for (const double seconds : kernels)
        range += 1.5 * seconds;
    if (factor.rareProbability > 0.0)
        range += kEvents * factor.rareMultiplier * *std::max_element(kernels.begin(), kernels.end());
    const std::vector<double> above = aboveOf(kernels, factor, range);
    m_step = range / kPlaces;
    m_above.assign(above.size(), 0.0);
    for (int i = 0; i < kScores; ++i)
        for (std::size_t k = 0; k < above.size(); ++k)
            m_above[k] += weightAt(i) * between(above, static_cast<double>(k) / (1.0 + graph.spatial.cv * scoreAt(i)));
    const double inter = graph.classes[2].temporal.cv, regime = graph.interRegime.cv;
    const double square = std::log1p(inter * inter) + std::log1p(regime * regime);
    for (int i = 0; i < kScores; ++i) {
        m_syncs.push_back(graph.gradSync[0].meanSeconds * std::exp(std::sqrt(square) * scoreAt(i) - 0.5 * square));
        m_weights.push_back(weightAt(i));
    }
}

double KnownAnswer::slowestBelow(double seconds) const
{
    return seconds <= 0.0 ? 0.0 : std::pow(1.0 - between(m_above, seconds / m_step), m_count);
}

double KnownAnswer::below(double seconds) const
{
    double sum = 0.0;
    for (std::size_t i = 0; i < m_syncs.size(); ++i)
        sum += m_weights[i] * slowestBelow(seconds - m_syncs[i]);
    return sum;
}

double KnownAnswer::quantile(double p) const
{
    double low = 0.0, high = m_step * kPlaces;
    for (int i = 0; i < 60; ++i) {
        const double middle = 0.5 * (low + high);
        (below(middle) < p ? low : high) = middle;
    }
    return high;
}

double KnownAnswer::mean() const
{
    double sum = 0.0;
    for (std::size_t i = 0; i < m_syncs.size(); ++i)
        sum += m_weights[i] * m_syncs[i];
    for (std::size_t k = 0; k < m_above.size(); ++k)
        sum += m_step * (k == 0 ? 0.5 : 1.0) * (1.0 - slowestBelow(static_cast<double>(k) * m_step));
    return sum;
}

} // namespace prism::test
