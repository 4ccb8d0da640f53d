// SPDX-License-Identifier: GPL-3.0-or-later
// Sums of independent variables on a grid: the characteristic function of a sum is the product (Feller, vol. II, ch. XV).
#include "core/stats/griddist.h"

#include "core/stats/quantile.h"

#include <unsupported/Eigen/FFT>

#include <algorithm>
#include <cmath>
#include <complex>

namespace prism {

namespace {

using Complex = std::complex<double>;

constexpr int kMaxCells = 65'536;
/// Cells of a grid per standard deviation of the bulk, where a far tail widens the grid.
constexpr double kCellsPerBulk = 24.0;

int cellsFor(double range, double bulkSigma, int smallest)
{
    int cells = smallest;
    while (cells < kMaxCells && bulkSigma > 0.0 && static_cast<double>(cells) * bulkSigma < kCellsPerBulk * range)
        cells *= 2;
    return cells;
}

/// The transforms of this thread; plans are kept from call to call.
Eigen::FFT<double>& transforms()
{
    thread_local Eigen::FFT<double> fft(Eigen::FFT<double>::impl_type(), Eigen::FFT<double>::HalfSpectrum);
    return fft;
}

/// The characteristic function of a sum of independent variables is the product of theirs.
class CharacteristicProduct final {
public:
    explicit CharacteristicProduct(int cells)
        : m_grid(static_cast<std::size_t>(cells)),
          m_one(m_grid.size() / 2 + 1),
          m_product(m_one.size(), Complex{1.0, 0.0})
    {
    }

    /// Splits a point mass of the next factor between its two grid neighbours so that the mean is kept. Offsets wrap around.
    void deposit(double offsetInSteps, double mass)
    {
        const auto n = static_cast<std::int64_t>(m_grid.size());
        const double base = std::floor(offsetInSteps), part = offsetInSteps - base;
        const auto i = static_cast<std::size_t>(static_cast<std::int64_t>(base) & (n - 1)); // n is a power of two
        m_grid[i] += mass * (1.0 - part);
        m_grid[(i + 1) & (m_grid.size() - 1)] += mass * part;
    }
    /// Multiplies by the function of the deposited masses to the power of `count`, and forgets them.
    void multiply(int count)
    {
        transforms().fwd(m_one.data(), m_grid.data(), static_cast<Eigen::Index>(m_grid.size()));
        for (std::size_t i = 0; i < m_one.size(); ++i)
            m_product[i] = times(m_product[i], power(m_one[i], count));
        std::fill(m_grid.begin(), m_grid.end(), 0.0);
    }
    /// Mass of the sum around `mean`; 3/8 of the grid lie below it.
    GridDist result(double mean, double step)
    {
        transforms().inv(m_grid.data(), m_product.data(), static_cast<Eigen::Index>(m_grid.size()));
        const std::size_t below = 3 * m_grid.size() / 8;
        GridDist out;
        out.step = step;
        out.origin = mean - static_cast<double>(below) * step;
        out.mass.assign(m_grid.end() - static_cast<std::ptrdiff_t>(below), m_grid.end());
        out.mass.insert(out.mass.end(), m_grid.begin(), m_grid.end() - static_cast<std::ptrdiff_t>(below));
        double total = 0.0;
        for (double& m : out.mass) {
            m = std::max(0.0, m);
            total += m;
        }
        for (double& m : out.mass)
            m /= total;
        return out;
    }

private:
    static Complex power(Complex base, int exponent)
    {
        Complex result{1.0, 0.0};
        for (; exponent > 0; exponent >>= 1) {
            if (exponent & 1)
                result = times(result, base);
            base = times(base, base);
        }
        return result;
    }
    /// Without the operator's checks for infinities.
    static Complex times(Complex a, Complex b)
    {
        return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
    }

    std::vector<double> m_grid;
    std::vector<Complex> m_one, m_product;
};

} // namespace

QuantilePoints quantilePoints(const Distribution& distribution)
{
    QuantilePoints out;
    if (distribution.family == Family::deterministic || distribution.cv <= 0.0) {
        out.value = {1.0};
        out.weight = {1.0};
        return out;
    }
    if (distribution.family == Family::empirical && distribution.pool && distribution.pool->size() <= 2048) {
        out.value = *distribution.pool;
        out.weight.assign(out.value.size(), 1.0 / static_cast<double>(out.value.size()));
    } else {
        // Octaves of tail probability [2^-(k+1), 2^-k), k = 1..25, with mid-points; fewer points where there is less mass.
        const QuantileFunction quantile(distribution);
        for (int side = 0; side < 2; ++side) {
            std::vector<double> values, weights;
            for (int k = 25; k >= 1; --k) {
                const int points = k <= 4 ? 48 : (k <= 10 ? 16 : 4);
                const double low = std::ldexp(1.0, -(k + 1)), width = low / points;
                for (int j = 0; j < points; ++j) {
                    const double tail = low + (j + 0.5) * width;
                    values.push_back(side == 0 ? quantile.fromTails(tail, 1.0 - tail) : quantile.fromTails(1.0 - tail, tail));
                    weights.push_back(width);
                }
            }
            if (side == 1) {
                std::reverse(values.begin(), values.end());
                std::reverse(weights.begin(), weights.end());
            }
            out.value.insert(out.value.end(), values.begin(), values.end());
            out.weight.insert(out.weight.end(), weights.begin(), weights.end());
        }
    }
    double total = 0.0, mean = 0.0;
    for (std::size_t i = 0; i < out.value.size(); ++i) {
        total += out.weight[i];
        mean += out.weight[i] * out.value[i];
    }
    mean /= total;
    double m2 = 0.0;
    for (std::size_t i = 0; i < out.value.size(); ++i) {
        out.weight[i] /= total;
        const double d = out.value[i] - mean;
        m2 += out.weight[i] * d * d;
    }
    // The mid-point rule's mean is off by some 1e-5 of the cv; put mean and spread where the family has them.
    const double exact = distribution.baseVariance();
    const double stretch = m2 > 0.0 ? std::sqrt(exact / m2) : 1.0;
    for (double& v : out.value)
        v = 1.0 + (v - mean) * stretch;
    out.variance = out.bulkVariance = exact;
    out.largest = out.value.back();
    return out;
}

QuantilePoints withRareEvent(QuantilePoints base, const Distribution& distribution)
{
    if (distribution.rareProbability <= 0.0 || distribution.rareMultiplier == 1.0)
        return base;
    const std::size_t n = base.value.size();
    const double p = distribution.rareProbability;
    for (std::size_t i = 0; i < n; ++i) {
        base.value.push_back(base.value[i] * distribution.rareMultiplier);
        base.weight.push_back(base.weight[i] * p);
        base.weight[i] *= 1.0 - p;
    }
    base.mean = distribution.mean();
    base.variance = distribution.variance();
    base.largest = std::max(base.value[n - 1], base.value.back());
    return base;
}

double GridDist::mean() const
{
    double sum = 0.0;
    for (std::size_t i = 0; i < mass.size(); ++i)
        sum += mass[i] * static_cast<double>(i);
    return origin + step * sum;
}

double GridDist::variance() const
{
    const double center = (mean() - origin) / step;
    double sum = 0.0;
    for (std::size_t i = 0; i < mass.size(); ++i)
        sum += mass[i] * (static_cast<double>(i) - center) * (static_cast<double>(i) - center);
    return step * step * sum;
}

double GridDist::quantile(double lower) const
{
    double sum = 0.0;
    for (std::size_t i = 0; i < mass.size(); ++i) {
        if (sum + mass[i] >= lower && mass[i] > 0.0)
            return origin + step * (static_cast<double>(i) - 0.5 + (lower - sum) / mass[i]);
        sum += mass[i];
    }
    return origin + step * static_cast<double>(mass.size());
}

GridQuantiles::GridQuantiles(const GridDist& dist) : m_dist(dist), m_below(dist.mass.size() + 1, 0.0)
{
    for (std::size_t i = 0; i < dist.mass.size(); ++i)
        m_below[i + 1] = m_below[i] + dist.mass[i];
}

double GridQuantiles::at(double lower) const
{
    const auto above = std::upper_bound(m_below.begin(), m_below.end(), lower);
    const auto i = std::clamp<std::size_t>(static_cast<std::size_t>(above - m_below.begin()), 1, m_dist.mass.size()) - 1;
    const double part = m_dist.mass[i] > 0.0 ? std::clamp((lower - m_below[i]) / m_dist.mass[i], 0.0, 1.0) : 0.5;
    return m_dist.origin + m_dist.step * (static_cast<double>(i) - 0.5 + part);
}

GridDist sumDistribution(std::span<const Summand> summands, double shift, int minCells)
{
    double mean = shift, variance = 0.0, jump = 0.0, bulk = 0.0;
    for (const Summand& s : summands) {
        mean += s.scale * s.factor->mean * s.count;
        variance += s.scale * s.scale * s.factor->variance * s.count;
        bulk += s.scale * s.scale * s.factor->bulkVariance * s.count;
        jump = std::max(jump, s.scale * (s.factor->largest - s.factor->mean));
    }
    if (variance <= 0.0)
        return {mean, 1e-12 * std::max(mean, 1e-12), {1.0}};
    // Linear splitting adds up to step^2/4 of variance per summand: the step is small against the spread of the sum.
    const double sigma = std::sqrt(variance);
    const double range = std::max(18.0 * sigma, 1.6 * (jump + 6.0 * sigma));
    const int cells = cellsFor(range, std::sqrt(bulk), minCells);
    const double step = range / static_cast<double>(cells);
    CharacteristicProduct product(cells);
    for (const Summand& s : summands) {
        if (s.factor->variance <= 0.0 || s.scale <= 0.0)
            continue;
        for (std::size_t i = 0; i < s.factor->value.size(); ++i)
            product.deposit(s.scale * (s.factor->value[i] - s.factor->mean) / step, s.factor->weight[i]);
        product.multiply(s.count);
    }
    return product.result(mean, step);
}

} // namespace prism
