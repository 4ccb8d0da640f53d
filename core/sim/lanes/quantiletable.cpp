// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/lanes/quantiletable.h"

#include "core/stats/griddist.h"
#include "core/stats/moments.h"
#include "core/stats/quantile.h"
#include "core/stats/random.h"
#include "core/stats/sampler.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

namespace prism {

namespace {

constexpr std::size_t kPieces = 13; ///< of two octaves each, on either side of the median
/// A quantile function is drawn in steps where its cubics differ from it by more than this share of a standard deviation on average.
constexpr double kRough = 0.02;
/// From this probability on that some draw is rare, rare draws are part of the usual ones.
constexpr double kUsuallyRare = 0.3;
constexpr int kRareValues = 2048;

using Quantile = std::function<double(double lower, double upper)>;

/// Lower end of a piece in y: 2^(2 p + 5) / 2^31.
double pieceBegin(std::size_t piece)
{
    return std::ldexp(1.0, 2 * static_cast<int>(piece) + 5 - 31);
}

double valueAt(const Quantile& quantile, bool above, double y)
{
    return above ? quantile(1.0 - 0.5 * y, 0.5 * y) : quantile(0.5 * y, 1.0 - 0.5 * y);
}

/// Cubic through four points, as coefficients of powers of m (Newton's divided differences expanded).
std::array<double, 4> cubicThrough(const std::array<double, 4>& m, std::array<double, 4> d)
{
    for (std::size_t k = 1; k < 4; ++k)
        for (std::size_t i = 3; i >= k; --i)
            d[i] = (d[i] - d[i - 1]) / (m[i] - m[i - k]);
    std::array<double, 4> c = {d[3], 0.0, 0.0, 0.0};
    for (std::size_t i = 3; i-- > 0;) {
        for (std::size_t k = 3; k > 0; --k)
            c[k] = c[k - 1] - m[i] * c[k];
        c[0] = d[i] - m[i] * c[0];
    }
    return c;
}

double cubic(const std::array<double, 4>& c, double m)
{
    return c[0] + m * (c[1] + m * (c[2] + m * c[3]));
}

/// Gauss-Legendre nodes and weights of [1, 4]: exact for the square of a cubic.
constexpr std::array<double, 4> kGaussNode = {-0.8611363115940526, -0.3399810435848563, 0.3399810435848563, 0.8611363115940526};
constexpr std::array<double, 4> kGaussWeight = {0.3478548451374538, 0.6521451548625461, 0.6521451548625461, 0.3478548451374538};

struct Pieces {
    std::array<std::array<std::array<double, 4>, kPieces>, 2> c{}; ///< [above][piece], in powers of y / pieceBegin
    double mean = 0.0, variance = 0.0, miss = 0.0;
};

Pieces piecesThrough(const Quantile& quantile)
{
    Pieces out;
    double first = 0.0, second = 0.0, total = 0.0;
    for (std::size_t side = 0; side < 2; ++side)
        for (std::size_t p = 0; p < kPieces; ++p) {
            const double begin = pieceBegin(p);
            std::array<double, 4> m{}, y{};
            for (std::size_t k = 0; k < 4; ++k) { // Chebyshev nodes of [1, 4]
                m[k] = 2.5 + 1.5 * std::cos((2.0 * static_cast<double>(k) + 1.0) * std::numbers::pi / 8.0);
                y[k] = valueAt(quantile, side == 1, begin * m[k]);
            }
            const auto& c = out.c[side][p] = cubicThrough(m, y);
            for (std::size_t k = 0; k < 4; ++k) {
                const double weight = 0.5 * begin * 1.5 * kGaussWeight[k], value = cubic(c, 2.5 + 1.5 * kGaussNode[k]);
                total += weight;
                first += weight * value;
                second += weight * value * value;
            }
            for (int k = 0; k < 24; ++k) {
                const double at = 1.0 + (k + 0.5) / 8.0;
                out.miss += 0.5 * begin / 8.0 * std::abs(cubic(c, at) - valueAt(quantile, side == 1, begin * at));
            }
        }
    out.mean = first / total;
    out.variance = std::max(0.0, second / total - out.mean * out.mean);
    return out;
}

std::vector<float> stepsOf(const Quantile& quantile, double mean, double variance)
{
    constexpr int kInStep = 4;
    std::vector<double> q(kQuantileSteps);
    for (std::size_t i = 0; i < kQuantileSteps; ++i)
        for (int k = 0; k < kInStep; ++k) {
            const double u = (static_cast<double>(i) + (k + 0.5) / kInStep) / kQuantileSteps;
            q[i] += quantile(u, 1.0 - u) / kInStep;
        }
    const double middle = meanOf(q), own = varianceOf(q) * (kQuantileSteps - 1) / kQuantileSteps;
    const double scale = own > 0.0 ? std::sqrt(variance / own) : 0.0;
    std::reverse(q.begin() + kQuantileSteps / 2, q.end()); // above the median a draw counts from its tail
    std::vector<float> out;
    out.reserve(q.size());
    for (const double x : q)
        out.push_back(static_cast<float>(mean + (x - middle) * scale));
    return out;
}

/// The largest of `groups` means of `buckets` draws, rare ones as the distribution has them.
QuantileTable slowestOf(const Distribution& d, int groups, int buckets)
{
    QuantilePoints points = quantilePoints(d);
    if (d.rareProbability > 0.0)
        points = withRareEvent(std::move(points), d);
    const Summand mean{&points, 1.0 / buckets, buckets};
    const GridDist grid = sumDistribution({&mean, 1}, 0.0, 4096);
    const GridQuantiles at(grid);
    const QuantileFunction one(d);
    const auto quantile = [&](double lower, double upper) {
        // Of one draw: lower^(1 / groups), by its upper tail where that is exact.
        const double tail = -std::expm1((lower < 0.5 ? std::log(lower) : std::log1p(-upper)) / groups);
        return buckets == 1 && d.rareProbability == 0.0 ? one.fromTails(1.0 - tail, tail) : at.at(1.0 - tail);
    };
    const Pieces m = piecesThrough(quantile);
    return quantileTable(quantile, groups == 1 ? points.mean : m.mean, groups == 1 ? points.variance / buckets : m.variance);
}

/// The same where at least one draw is rare: the first rare one by its distance, the next by fresh distances.
QuantileTable withSomeRare(const Distribution& d, int groups, int buckets, double probability)
{
    const FactorSampler sampler(d);
    const double perDraw = std::log1p(-d.rareProbability);
    const int draws = groups * buckets;
    std::uint64_t count = 0;
    const auto next = [&] { return uniform(1, StreamId{0x510e527fade682d1ULL}, count++); };
    std::vector<double> out;
    for (int i = 0; i < kRareValues; ++i) {
        auto rare = static_cast<std::int64_t>(std::log1p(-next() * probability) / perDraw);
        double slowest = 0.0;
        for (int g = 0, at = 0; g < groups; ++g) {
            double sum = 0.0;
            for (int b = 0; b < buckets; ++b, ++at) {
                const double x = sampler.base(next());
                sum += at == rare ? x * d.rareMultiplier : x;
                if (at == rare)
                    rare += 1 + static_cast<std::int64_t>(std::min(std::log(next()) / perDraw, static_cast<double>(draws)));
            }
            slowest = std::max(slowest, sum / buckets);
        }
        out.push_back(slowest);
    }
    return sampleTable(std::move(out));
}

} // namespace

float QuantileTable::at(std::uint32_t word) const
{
    if (!steps.empty())
        return steps[word >> 20U];
    const auto t = static_cast<float>((word & 0x7fffff80U) | 64U);
    const std::uint32_t entry = ((std::bit_cast<std::uint32_t>(t) - (132U << 23U)) >> 24U) + ((word >> 27U) & 16U);
    const float y = t * 0x1.0p-31F;
    return coefficient[0][entry] + y * (coefficient[1][entry] + y * (coefficient[2][entry] + y * coefficient[3][entry]));
}

QuantileTable constantTable(double value)
{
    QuantileTable out;
    out.mean = value;
    std::fill(std::begin(out.coefficient[0]), std::end(out.coefficient[0]), static_cast<float>(value));
    return out;
}

QuantileTable quantileTable(const Quantile& quantile, double mean, double variance)
{
    const Pieces pieces = piecesThrough(quantile);
    if (!(pieces.variance > 0.0) || !(variance > 0.0))
        return constantTable(mean);
    QuantileTable out;
    out.mean = mean;
    out.variance = variance;
    if (pieces.miss > kRough * std::sqrt(pieces.variance)) {
        out.steps = stepsOf(quantile, mean, variance);
        return out;
    }
    const double scale = std::sqrt(variance / pieces.variance);
    for (std::size_t side = 0; side < 2; ++side)
        for (std::size_t p = 0; p <= kPieces; ++p) { // one draw in 2^24 is rounded up to y = 1, which belongs to the last piece
            const std::size_t of = std::min(p, kPieces - 1);
            for (std::size_t k = 0; k < 4; ++k)
                out.coefficient[k][p + 16 * side] =
                    static_cast<float>(pieces.c[side][of][k] * scale / std::pow(pieceBegin(of), static_cast<double>(k))
                                       + (k == 0 ? mean - pieces.mean * scale : 0.0));
        }
    return out;
}

QuantileTable sampleTable(std::vector<double> values)
{
    sortAscending(values);
    const double n = static_cast<double>(values.size());
    return quantileTable([&](double lower, double) { return quantileOfSorted(values, lower); }, meanOf(values),
                         values.size() > 1 ? varianceOf(values) * (n - 1) / n : 0.0);
}

DrawTable drawTable(const Distribution& d)
{
    DrawTable out;
    const QuantileFunction quantile(d);
    const auto base = [&](double lower, double upper) { return quantile.fromTails(lower, upper); };
    out.body = quantileTable(base, 1.0, d.baseVariance());
    out.rareProbability = d.rareProbability;
    out.mean = d.mean();
    if (d.rareProbability > 0.0) {
        out.rareBelow = static_cast<std::uint32_t>(std::min(d.rareProbability, 1.0 - 0x1.0p-32) * 0x1.0p32);
        out.rare = quantileTable(base, d.rareMultiplier, d.baseVariance() * d.rareMultiplier * d.rareMultiplier);
    }
    return out;
}

DrawTable slowestMeanTable(const Distribution& d, int groups, int buckets)
{
    if (groups == 1 && buckets == 1)
        return drawTable(d);
    const double probability = -std::expm1(static_cast<double>(groups) * buckets * std::log1p(-d.rareProbability));
    DrawTable out;
    if (probability >= kUsuallyRare) {
        out.body = slowestOf(d, groups, buckets);
        out.mean = out.body.mean;
        return out;
    }
    Distribution usual = d;
    usual.rareProbability = 0.0;
    out.body = slowestOf(usual, groups, buckets);
    out.mean = out.body.mean;
    if (probability > 0.0) {
        out.rare = withSomeRare(d, groups, buckets, probability);
        out.rareProbability = probability;
        out.rareBelow = static_cast<std::uint32_t>(probability * 0x1.0p32);
        out.mean += probability * (out.rare.mean - out.body.mean);
    }
    return out;
}

DrawTable slowestScaledTable(const DrawTable& factor, const std::vector<float>& scale)
{
    constexpr std::uint64_t kValues = 16384;
    std::vector<double> values;
    std::uint64_t count = 0;
    const auto next = [&] { return static_cast<std::uint32_t>(mix64(count++ ^ 0x9b05688c2b3e6c1fULL)); };
    for (std::uint64_t i = 0; i < kValues; ++i) {
        double slowest = 0.0;
        for (const float s : scale) {
            const std::uint32_t word = next();
            slowest = std::max(slowest, static_cast<double>(s * factor.at(word, next())));
        }
        values.push_back(slowest);
    }
    DrawTable out;
    out.body = sampleTable(std::move(values));
    out.mean = out.body.mean;
    return out;
}

} // namespace prism
