// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/step/lucks.h"

#include "core/stats/random.h"

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

constexpr std::uint64_t kScoreDraws = 0x51, kPickDraws = 0x52, kMemberDraws = 0x54;
/// Tail probabilities of a cell's luck down to here are sampled on purpose.
constexpr double kDeepest = 1e-9;

} // namespace

double scoreOfTail(double tail)
{
    // Acklam's rational approximation of the normal quantile, relative error below 1.2e-9.
    static constexpr double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                                   1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
    static constexpr double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02, 6.680131188771972e+01,
                                   -1.328068155288572e+01};
    static constexpr double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                                   -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
    static constexpr double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00};
    const double p = std::min(tail, 1.0 - tail);
    double z = 0.0;
    if (p < 0.02425) {
        const double q = std::sqrt(-2.0 * std::log(p));
        z = (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) / ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1.0);
    } else {
        const double q = p - 0.5, r = q * q;
        z = (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q
            / (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1.0);
    }
    return tail < 0.5 ? -z : z;
}

void fixedLucks(const std::vector<float>& scores, std::size_t parts, Rows& out)
{
    const std::size_t stages = out.rows(), lanes = kLanes / parts, replicas = scores.size() / stages;
    for (std::size_t q = 0; q < parts; ++q)
        for (std::size_t s = 0; s < stages; ++s)
            std::fill_n(out.row(s) + q * lanes, lanes, scores[std::min(q, replicas - 1) * stages + s]);
}

void freshLucks(std::uint64_t seed, std::uint64_t copy, std::uint64_t block, Rows& out)
{
    for (std::size_t s = 0; s < out.rows(); ++s) {
        const StreamId id = stream(kScoreDraws, copy, s);
        for (std::size_t l = 0; l < kLanes; ++l)
            out.row(s)[l] = static_cast<float>(scoreOfTail(uniform(seed, id, block * kLanes + l)));
    }
}

void tiltedLucks(std::uint64_t seed, std::uint64_t copy, std::uint64_t block, bool tilt, Rows& out, double* density)
{
    const double range = -std::log(kDeepest), stages = static_cast<double>(out.rows());
    const StreamId which = stream(kPickDraws, copy), depth = stream(kPickDraws, copy, 1);
    double found[kLanes] = {};
    std::size_t picked[kLanes];
    double deep[kLanes];
    for (std::size_t l = 0; l < kLanes; ++l) {
        picked[l] = static_cast<std::size_t>(uniform(seed, which, block * kLanes + l) * 2.0 * stages);
        if (!tilt)
            picked[l] = out.rows();
        deep[l] = std::exp(-range * uniform(seed, depth, block * kLanes + l));
    }
    for (std::size_t s = 0; s < out.rows(); ++s) {
        const StreamId id = stream(kScoreDraws, copy, s);
        for (std::size_t l = 0; l < kLanes; ++l) {
            const double tail = picked[l] == s ? deep[l] : uniform(seed, id, block * kLanes + l);
            out.row(s)[l] = static_cast<float>(scoreOfTail(tail));
            found[l] += tail >= kDeepest ? 1.0 / (tail * range) : 0.0;
        }
    }
    for (std::size_t l = 0; l < kLanes; ++l)
        density[l] = 0.5 + 0.5 * found[l] / stages;
}

void memberLucks(const MemberScores& members, const LuckDraw& draw, bool tilt, Rows& out, double* density)
{
    const StreamId id = stream(kMemberDraws, draw.copy);
    const auto count = static_cast<double>(members.count());
    const double range = std::log1p(count);
    for (std::size_t l = 0; l < kLanes; ++l) {
        const double u = uniform(draw.seed, id, draw.block * kLanes + l);
        const double place = !tilt ? u * count : u < 0.5 ? 2.0 * u * count : std::expm1((2.0 * u - 1.0) * range);
        const auto picked = std::min(static_cast<std::size_t>(place), members.count() - 1);
        for (std::size_t s = 0; s < members.stages; ++s)
            out.row(s)[l] = members.of(picked)[s];
        density[l] = 0.5 + 0.5 * count * std::log1p(1.0 / (static_cast<double>(picked) + 1.0)) / range;
    }
}

} // namespace prism
