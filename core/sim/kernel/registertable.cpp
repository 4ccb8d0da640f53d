// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/kernel/registertable.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace prism {

namespace {

constexpr int kOctaves = 16;
constexpr std::size_t kSteps = 4096;
/// A piece that misses the function by more than this share of a standard deviation, on average, is not followed.
constexpr double kRough = 0.02;

/// Cubic through four points, as coefficients of powers of m (Newton's divided differences expanded).
std::array<double, 4> cubicThrough(const std::array<double, 4>& m, const std::array<double, 4>& y)
{
    std::array<double, 4> d = y;
    for (int k = 1; k < 4; ++k)
        for (int i = 3; i >= k; --i) {
            const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(i - k);
            d[a] = (d[a] - d[a - 1]) / (m[a] - m[b]);
        }
    std::array<double, 4> c = {d[3], 0.0, 0.0, 0.0};
    for (int i = 2; i >= 0; --i) {
        for (std::size_t k = 3; k > 0; --k)
            c[k] = c[k - 1] - m[static_cast<std::size_t>(i)] * c[k];
        c[0] = d[static_cast<std::size_t>(i)] - m[static_cast<std::size_t>(i)] * c[0];
    }
    return c;
}

double cubic(const std::array<double, 4>& c, double m)
{
    return c[0] + m * (c[1] + m * (c[2] + m * c[3]));
}

/// Sums over the draws of an octave of m^0 ... m^6: x = 2^o, ... 2^(o+1) - 1, odd.
const std::array<std::array<double, 7>, kOctaves>& powerSums()
{
    static const auto sums = [] {
        std::array<std::array<double, 7>, kOctaves> out{};
        for (std::size_t o = 0; o < kOctaves; ++o) {
            const int low = 1 << o, high = 2 << o;
            for (int x = low | 1; x < high; x += 2) {
                double p = 1.0;
                for (double& s : out[o]) {
                    s += p;
                    p *= static_cast<double>(x) / low;
                }
            }
        }
        return out;
    }();
    return sums;
}

std::size_t entry(unsigned half, std::size_t octave)
{
    return (138U + octave + 16U * half) & 31U;
}

/// Cubic pieces through a quantile function, each half from its own tail.
struct Pieces {
    std::array<std::array<std::array<double, 4>, kOctaves>, 2> c{};
    double mean = 0.0, variance = 0.0; ///< over all draws
    double miss = 0.0;                 ///< mean distance from the function
};

Pieces piecesThrough(const std::function<double(double, double)>& quantile)
{
    Pieces out;
    double first = 0.0, second = 0.0;
    for (int half = 0; half < 2; ++half)
        for (std::size_t o = 0; o < kOctaves; ++o) {
            const auto at = [&](double m) {
                const double tail = std::ldexp(m, static_cast<int>(o) - 17);
                return half == 0 ? quantile(tail, 1.0 - tail) : quantile(1.0 - tail, tail);
            };
            // Chebyshev nodes of [1, 2]; octaves with one draw are constant, with two draws linear.
            std::array<double, 4> m{}, y{};
            for (std::size_t k = 0; k < 4; ++k) {
                m[k] = 1.5 + 0.5 * std::cos((2.0 * static_cast<double>(k) + 1.0) * 3.14159265358979323846 / 8.0);
                y[k] = o <= 1 ? at(o == 0 ? 1.0 : 1.5) : at(m[k]);
            }
            auto& piece = out.c[static_cast<std::size_t>(half)][o];
            piece = cubicThrough(m, y);
            const auto& sums = powerSums()[o];
            for (std::size_t i = 0; i < 4; ++i) {
                first += piece[i] * sums[i];
                for (std::size_t j = 0; j < 4; ++j)
                    second += piece[i] * piece[j] * sums[i + j];
            }
            for (int k = 0; o >= 10 && k < 16; ++k) {
                const double x = 1.0 + (k + 0.5) / 16.0;
                out.miss += std::abs(cubic(piece, x) - at(x)) * std::ldexp(1.0, static_cast<int>(o) - 17) / 16.0;
            }
        }
    out.mean = first / 65536.0;
    out.variance = second / 65536.0 - out.mean * out.mean;
    return out;
}

/// The function as equally likely steps of the given mean and standard deviation: for those that no cubic follows.
std::vector<float> stepsOf(const std::function<double(double, double)>& quantile, double mean, double sigma)
{
    std::vector<double> q(kSteps);
    double sum = 0.0, square = 0.0;
    for (std::size_t i = 0; i < kSteps; ++i) {
        const double u = (static_cast<double>(i) + 0.5) / kSteps;
        q[i] = quantile(u, 1.0 - u);
        sum += q[i] / kSteps;
        square += q[i] * q[i] / kSteps;
    }
    const double scale = sigma / std::sqrt(square - sum * sum);
    // Above the median the steps go down: a draw counts from its tail.
    std::reverse(q.begin() + kSteps / 2, q.end());
    std::vector<float> out;
    out.reserve(q.size());
    for (const double x : q)
        out.push_back(static_cast<float>(mean + (x - sum) * scale));
    return out;
}

} // namespace

float RegisterTable::at(std::uint16_t draw) const
{
    if (!steps.empty())
        return steps[draw >> 4U];
    const auto x = static_cast<float>((2U * (draw & 0x7fffU) + 1U) << 11U);
    const auto& c = row[((std::bit_cast<std::uint32_t>(x) >> 23U) + 16U * (draw >> 15U)) & 31U];
    return c[0] + x * (c[1] + x * (c[2] + x * c[3]));
}

RegisterTable registerTable(const std::function<double(double, double)>& quantile, double mean, double variance)
{
    const Pieces pieces = piecesThrough(quantile);
    const double sigma = std::sqrt(variance);
    RegisterTable out;
    out.mean = mean;
    if (!(pieces.variance > 0.0) || !(sigma > 0.0)) {
        for (std::size_t i = 0; i < 32; ++i)
            out.coefficient[0][i] = out.row[i][0] = static_cast<float>(mean);
        return out;
    }
    out.variance = variance;
    if (pieces.miss > kRough * std::sqrt(pieces.variance)) {
        out.steps = stepsOf(quantile, mean, sigma);
        return out;
    }
    const double scale = sigma / std::sqrt(pieces.variance);
    for (unsigned half = 0; half < 2; ++half)
        for (std::size_t o = 0; o < kOctaves; ++o)
            for (std::size_t k = 0; k < 4; ++k) {
                // From powers of the mantissa to powers of x.
                const double power = std::ldexp(pieces.c[half][o][k] * scale, -static_cast<int>((o + 11) * k));
                const double value = power + (k == 0 ? mean - pieces.mean * scale : 0.0);
                const std::size_t i = entry(half, o);
                out.coefficient[k][i] = out.row[i][k] = static_cast<float>(value);
            }
    return out;
}

RegisterTable standardTable(const GridDist& dist)
{
    std::vector<double> below(dist.mass.size() + 1, 0.0), above(dist.mass.size() + 1, 0.0);
    for (std::size_t i = 0; i < dist.mass.size(); ++i)
        below[i + 1] = below[i] + dist.mass[i];
    for (std::size_t i = dist.mass.size(); i-- > 0;)
        above[i] = above[i + 1] + dist.mass[i];
    const auto quantile = [&](double lower, double upper) {
        std::size_t i = 0;
        double part = 0.5;
        if (lower <= 0.5) {
            i = static_cast<std::size_t>(std::upper_bound(below.begin(), below.end(), lower) - below.begin());
            i = std::clamp<std::size_t>(i, 1, dist.mass.size()) - 1;
            part = dist.mass[i] > 0.0 ? (lower - below[i]) / dist.mass[i] : 0.5;
        } else {
            i = static_cast<std::size_t>(std::partition_point(above.begin(), above.end(), [&](double a) { return a > upper; })
                                         - above.begin());
            i = std::clamp<std::size_t>(i, 1, dist.mass.size()) - 1;
            part = dist.mass[i] > 0.0 ? 1.0 - (upper - above[i + 1]) / dist.mass[i] : 0.5;
        }
        return dist.origin + dist.step * (static_cast<double>(i) - 0.5 + std::clamp(part, 0.0, 1.0));
    };
    return registerTable(quantile, 0.0, 1.0);
}

} // namespace prism
