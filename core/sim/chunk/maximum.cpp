// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/chunk/maximum.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace prism {

namespace {

constexpr std::size_t kMostKnots = 32, kPlaces = 5;

/// Places of a function on a grid, the first and the last among them, between which lines miss its integral by up to `missed` each.
std::vector<std::size_t> knotsOf(const std::vector<double>& y, std::size_t first, double missed)
{
    std::vector<std::size_t> out = {first};
    double area = 0.0;
    for (std::size_t i = first + 1; i < y.size(); ++i) {
        const double piece = 0.5 * (y[i - 1] + y[i]);
        area += piece;
        if (std::abs(area - 0.5 * (y[out.back()] + y[i]) * static_cast<double>(i - out.back())) <= missed)
            continue;
        out.push_back(i - 1);
        area = piece;
    }
    out.push_back(y.size() - 1);
    return out;
}

double powerOf(double x, int n)
{
    double out = 1.0;
    for (; n > 0; n >>= 1, x *= x)
        out *= (n & 1) != 0 ? x : 1.0;
    return out;
}

} // namespace

StandardCdf::StandardCdf(const GridDist& dist)
{
    const double mean = dist.mean(), sigma = std::sqrt(dist.variance());
    if (!(sigma > 0.0) || dist.mass.size() < 2)
        return;
    m_low = (dist.origin - 0.5 * dist.step - mean) / sigma;
    m_perUnit = sigma / dist.step;
    std::vector<float> cdf(dist.mass.size() + 1);
    double sum = 0.0;
    for (std::size_t i = 0; i < dist.mass.size(); ++i) {
        cdf[i] = static_cast<float>(sum);
        sum += dist.mass[i];
    }
    cdf.back() = 1.0F;
    m_zMin = 0.0;
    m_zMax = 0.0;
    for (std::size_t i = 0; i < cdf.size(); ++i) {
        const double z = m_low + static_cast<double>(i) / m_perUnit;
        if (cdf[i] < 1e-7F)
            m_zMin = z;
        if (cdf[i] < 1.0F - 2e-7F)
            m_zMax = z;
        m_cell.push_back({cdf[i], i + 1 < cdf.size() ? cdf[i + 1] - cdf[i] : 0.0F});
    }
    m_last = static_cast<double>(cdf.size() - 1);
}

StandardCdf::StandardCdf(const GridDist& dist, const GridDist& bulk, int ranks) : StandardCdf(dist)
{
    if (m_cell.empty())
        return;
    const double mean = dist.mean(), sigma = std::sqrt(dist.variance()), bulkSigma = std::sqrt(bulk.variance());
    m_bulkCenter = (bulk.mean() - mean) / sigma;
    m_bulkSigma = bulkSigma / sigma;
    double above = 0.0;
    std::size_t last = bulk.mass.size();
    while (last > 1 && above < 1e-7)
        above += bulk.mass[--last];
    m_bulkMax = std::min(m_zMax, (bulk.origin + bulk.step * (static_cast<double>(last) + 0.5) + 2.0 * dist.step - mean) / sigma);
    // Backwards over the grid, the trapezoid rule.
    m_beyond.resize(m_cell.size());
    std::vector<double> any(m_cell.size(), 0.0);
    const double h = 1.0 / m_perUnit;
    double tail = 0.0, above1 = 0.0;
    for (std::size_t i = m_cell.size() - 1; i-- > 0;) {
        tail = std::min(1.0, tail + dist.mass[i]);
        const double upper = tail < 1.0 ? -std::expm1(ranks * std::log1p(-tail)) : 1.0;
        const double piece = 0.5 * h * (upper + above1);
        above1 = any[i] = upper;
        m_beyond[i] = {m_beyond[i + 1].mean + piece, m_beyond[i + 1].variance + h * m_beyond[i + 1].mean + 0.5 * h * piece};
    }
    const auto first = static_cast<std::size_t>(std::clamp((m_bulkMax - m_low) * m_perUnit, 0.0, m_last - 1.0));
    constexpr double kMissed = 0.002; // of the whole integral
    for (double missed = kMissed * m_beyond[first].mean / h; m_knots.empty() && missed > 0.0; missed *= 1.5)
        if (const std::vector<std::size_t> places = knotsOf(any, first, missed); places.size() <= kMostKnots)
            for (const std::size_t i : places)
                m_knots.push_back(m_low + static_cast<double>(i) * h);
}

Moments StandardCdf::beyond(double z) const
{
    if (m_beyond.empty())
        return {};
    const double t = std::clamp((z - m_low) * m_perUnit, 0.0, m_last - 1.0);
    const auto i = static_cast<std::size_t>(t);
    const double part = t - static_cast<double>(i);
    const Moments &a = m_beyond[i], &b = m_beyond[i + 1];
    return {a.mean + part * (b.mean - a.mean), a.variance + part * (b.variance - a.variance)};
}

void StandardCdf::multiply(double mean, double sigma, const double* x, double* factors, std::size_t n) const
{
    if (!(sigma > 0.0)) {
        for (std::size_t i = 0; i < n; ++i)
            factors[i] *= x[i] < mean ? 0.0 : 1.0;
        return;
    }
    const double scale = m_perUnit / sigma, offset = -(mean / sigma + m_low) * m_perUnit;
    for (std::size_t i = 0; i < n; ++i)
        factors[i] *= valueAt(x[i] * scale + offset);
}

namespace {

/// Integral from a place on, and of the same times the distance from it.
struct Apart {
    double area = 0.0, moment = 0.0;
};

/// By how much the mean of the ranks' F_r^n lies above the product of their F_r from `high` on: nothing where the ranks are equal. It
/// changes where some of the ranks have had an event and others have not: the knots of some ranks, evenly from the fastest on, hold it.
Apart apartBeyond(const StandardCdf& shape, const double* means, const double* sigmas, int n, double high)
{
    std::vector<int> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int a, int b) { return means[a] < means[b]; });
    if (means[order.back()] == means[order.front()] && sigmas[order.back()] == sigmas[order.front()])
        return {};
    std::vector<double> x = {high};
    for (std::size_t q = 0, before = order.size(); q < kPlaces; ++q) {
        const std::size_t k = q * (order.size() - 1) / (kPlaces - 1);
        for (std::size_t i = 0; i < shape.knots().size() && k != before; ++i)
            if (const double at = means[order[k]] + shape.knots()[i] * sigmas[order[k]]; at > high)
                x.push_back(at);
        before = k;
    }
    std::sort(x.begin(), x.end());
    std::vector<double> one(x.size()), product(x.size(), 1.0), powers(x.size(), 0.0);
    for (int r = 0; r < n; ++r) {
        std::fill(one.begin(), one.end(), 1.0);
        shape.multiply(means[r], sigmas[r], x.data(), one.data(), x.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
            product[i] *= one[i];
            powers[i] += powerOf(one[i], n) / n;
        }
    }
    Apart out;
    for (std::size_t i = 1; i < x.size(); ++i) {
        const double before = powers[i - 1] - product[i - 1], after = powers[i] - product[i], half = 0.5 * (x[i] - x[i - 1]);
        out.area += half * (before + after);
        out.moment += half * (before * (x[i - 1] - high) + after * (x[i] - high));
    }
    return out;
}

} // namespace

// Around a centre c: E X - c = int_c (1 - F) - int^c F and E (X - c)^2 = 2 int_c (x - c)(1 - F) + 2 int^c (c - x) F, F = product of
// the CDFs. Each side by Simpson's rule in t with x = c + scale sinh(t). Integrals from one end would cancel: a far tail makes
// (end - mean)^2 hundreds of times the variance. Rare events make that tail, in lumps that the rule's few points would miss: from the
// end of the bulk on, 1 - F is the mean over the ranks of 1 - F_r^n, which is exact for equal ranks and for one event, and what that is
// short by (Apart).
Moments maximumMoments(const StandardCdf& shape, const double* means, const double* sigmas, int n)
{
    double top = means[0], sigma = sigmas[0], low = means[0] + shape.zMin() * sigmas[0];
    double high = means[0] + shape.bulkMax() * sigmas[0];
    for (int r = 1; r < n; ++r) {
        if (means[r] > top) {
            top = means[r];
            sigma = sigmas[r];
        }
        low = std::max(low, means[r] + shape.zMin() * sigmas[r]);
        high = std::max(high, means[r] + shape.bulkMax() * sigmas[r]);
    }
    if (shape.empty() || !(sigma > 0.0))
        return {top, 0.0};
    low = std::min(low, high);
    constexpr int kPoints = 24; // per side, even
    const double bulk = std::max(shape.bulkSigma(), 1e-6) * sigma;
    const double center = std::clamp(top + shape.bulkCenter() * sigma + 0.5 * bulk, low, high), scale = 1.5 * bulk;
    double first = 0.0, second = 0.0;
    double away[kPoints + 1], slope[kPoints + 1], x[kPoints + 1], f[kPoints + 1];
    for (const double side : {-1.0, 1.0}) {
        const double end = side < 0.0 ? center - low : high - center;
        const double dt = std::asinh(end / scale) / kPoints, factor = std::exp(dt);
        double e = 1.0;
        for (int i = 0; i <= kPoints; ++i, e *= factor) {
            const double inverse = 1.0 / e;
            away[i] = scale * 0.5 * (e - inverse);
            slope[i] = scale * 0.5 * (e + inverse);
            x[i] = center + side * away[i];
            f[i] = 1.0;
        }
        for (int r = 0; r < n; ++r)
            shape.multiply(means[r], sigmas[r], x, f, kPoints + 1);
        for (int i = 0; i <= kPoints; ++i) {
            const double simpson = (i == 0 || i == kPoints ? 1.0 : (i % 2 == 1 ? 4.0 : 2.0)) / 3.0;
            const double weight = simpson * dt * slope[i] * (side < 0.0 ? f[i] : 1.0 - f[i]);
            first += side * weight;
            second += 2.0 * away[i] * weight;
        }
    }
    for (int r = 0; r < n && shape.bulkMax() < shape.zMax() && sigmas[r] > 0.0; ++r) {
        const Moments m = shape.beyond((high - means[r]) / sigmas[r]);
        first += sigmas[r] * m.mean / n;
        second += 2.0 * sigmas[r] * ((high - center) * m.mean + sigmas[r] * m.variance) / n;
    }
    if (shape.bulkMax() < shape.zMax()) {
        const Apart apart = apartBeyond(shape, means, sigmas, n, high);
        first += apart.area;
        second += 2.0 * (apart.moment + (high - center) * apart.area);
    }
    return {center + first, std::max(0.0, second - first * first)};
}

} // namespace prism
