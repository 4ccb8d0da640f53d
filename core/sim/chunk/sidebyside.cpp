// SPDX-License-Identifier: GPL-3.0-or-later
// Means of buckets are sums on a grid; the largest of the groups has the product of their CDFs.
#include "core/sim/chunk/sidebyside.h"

#include "core/stats/quantile.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>

namespace prism {

namespace {

constexpr int kCells = 4096;
/// Values that stand for the factor where some draw is rare.
constexpr std::size_t kRareValues = 2048;
/// Numbers of rare draws in one group that are told apart, and the probability of more that may be left out.
constexpr int kMostRare = 12;
constexpr double kLeftOut = 1e-9;
/// Up to this probability of any rare draw they are drawn apart from the rest.
constexpr double kRareUpTo = 0.5;

using Quantile = std::function<double(double lower, double upper)>;

/// CDF of a grid distribution, each mass spread over its cell, and its inverse by either tail.
class GridTails final {
public:
    explicit GridTails(GridDist dist) : m_dist(std::move(dist)), m_below(m_dist.mass.size() + 1, 0.0), m_above(m_below)
    {
        for (std::size_t i = 0; i < m_dist.mass.size(); ++i)
            m_below[i + 1] = m_below[i] + m_dist.mass[i];
        for (std::size_t i = m_dist.mass.size(); i-- > 0;)
            m_above[i] = m_above[i + 1] + m_dist.mass[i];
    }
    [[nodiscard]] double low() const { return m_dist.origin - 0.5 * m_dist.step; }
    [[nodiscard]] double high() const { return low() + m_dist.step * static_cast<double>(m_dist.mass.size()); }
    [[nodiscard]] double below(double x) const
    {
        const double t = (x - low()) / m_dist.step;
        if (t <= 0.0)
            return 0.0;
        const auto i = static_cast<std::size_t>(std::min(t, static_cast<double>(m_dist.mass.size())));
        return i >= m_dist.mass.size() ? 1.0 : m_below[i] + (t - static_cast<double>(i)) * m_dist.mass[i];
    }
    [[nodiscard]] double quantile(double lower, double upper) const
    {
        std::size_t i = 0;
        double part = 0.5;
        const std::size_t n = m_dist.mass.size();
        if (lower <= 0.5) {
            i = static_cast<std::size_t>(std::upper_bound(m_below.begin(), m_below.end(), lower) - m_below.begin());
            i = std::clamp<std::size_t>(i, 1, n) - 1;
            part = m_dist.mass[i] > 0.0 ? (lower - m_below[i]) / m_dist.mass[i] : 0.5;
        } else {
            i = static_cast<std::size_t>(std::partition_point(m_above.begin(), m_above.end(), [&](double a) { return a > upper; })
                                         - m_above.begin());
            i = std::clamp<std::size_t>(i, 1, n) - 1;
            part = m_dist.mass[i] > 0.0 ? 1.0 - (upper - m_above[i + 1]) / m_dist.mass[i] : 0.5;
        }
        return low() + m_dist.step * (static_cast<double>(i) + std::clamp(part, 0.0, 1.0));
    }

private:
    GridDist m_dist;
    std::vector<double> m_below, m_above;
};

/// Mean of `buckets` draws of which `rare` are rare ones.
GridTails meanOfBuckets(const ClassModel& single, double multiplier, int buckets, int rare)
{
    const double scale = 1.0 / buckets;
    std::vector<Summand> summands;
    if (rare < buckets)
        summands.push_back({&single.base, scale, buckets - rare});
    if (rare > 0)
        summands.push_back({&single.base, scale * multiplier, rare});
    return GridTails(sumDistribution(summands, 0.0, kCells));
}

/// The groups' means by their number of rare draws: P(mean <= x) = sum of probability[j] F_j(x).
struct GroupMean {
    std::vector<double> probability;
    std::vector<GridTails> part;

    [[nodiscard]] double below(double x, std::size_t from) const
    {
        double sum = 0.0;
        for (std::size_t j = from; j < part.size(); ++j)
            sum += probability[j] * part[j].below(x);
        return sum;
    }
};

GroupMean groupMean(const ClassModel& single, const Distribution& d, int buckets)
{
    GroupMean out;
    double left = 1.0, p = std::pow(1.0 - d.rareProbability, buckets);
    for (int j = 0; j <= std::min(buckets, kMostRare) && left > kLeftOut * d.rareProbability; ++j) {
        out.probability.push_back(p);
        out.part.push_back(meanOfBuckets(single, d.rareMultiplier, buckets, j));
        left -= p;
        p *= (buckets - j) / (j + 1.0) * d.rareProbability / (1.0 - d.rareProbability);
    }
    out.probability.back() += std::max(0.0, left);
    return out;
}

/// Root of a rising function between the ends of a group's mean.
template <class Below>
double inverse(const GroupMean& mean, double probability, const Below& below)
{
    double low = mean.part.front().low(), high = mean.part.front().high();
    for (const GridTails& part : mean.part) {
        low = std::min(low, part.low());
        high = std::max(high, part.high());
    }
    for (int i = 0; i < 48; ++i) {
        const double middle = 0.5 * (low + high);
        (below(middle) < probability ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

/// The largest of the groups where at least one draw of all is rare. With a = P(no rare draw, mean <= x) and r = P(a rare draw, mean <=
/// x) of one group that is (a + r)^n - a^n, here without cancellation.
std::vector<float> valuesWithRare(const GroupMean& mean, int groups, double any)
{
    const auto below = [&](double x) {
        const double a = mean.probability[0] * mean.part[0].below(x), r = mean.below(x, 1);
        if (a <= 0.0)
            return std::pow(r, groups) / any;
        return std::exp(groups * std::log(a)) * std::expm1(groups * std::log1p(r / a)) / any;
    };
    std::vector<float> out(kRareValues);
    for (std::size_t i = 0; i < kRareValues; ++i)
        out[i] = static_cast<float>(inverse(mean, (static_cast<double>(i) + 0.5) / kRareValues, below));
    return out;
}

/// Makes the table of a quantile function, with the mean and variance that it has.
void setTable(ClassModel& model, const Quantile& quantile)
{
    constexpr int kOctaves = 25, kPoints = 32;
    double total = 0.0, mean = 0.0, square = 0.0;
    for (int k = 1; k <= kOctaves; ++k)
        for (int j = 0; j < kPoints; ++j) {
            const double width = std::ldexp(1.0 / kPoints, -(k + 1)), tail = std::ldexp(1.0, -(k + 1)) + (j + 0.5) * width;
            for (const double x : {quantile(tail, 1.0 - tail) - 1.0, quantile(1.0 - tail, tail) - 1.0}) {
                total += width;
                mean += width * x;
                square += width * x * x;
            }
        }
    mean /= total;
    model.isRandom = true;
    model.mean = 1.0 + mean;
    model.variance = std::max(0.0, square / total - mean * mean);
    model.table = registerTable(quantile, model.mean, model.variance);
}

/// Adds the values with rare draws, of probability `any`, to the factor without.
void setRare(ClassModel& model, std::vector<float> values, double any)
{
    double mean = 0.0, square = 0.0;
    for (const float v : values) {
        mean += v / static_cast<double>(values.size());
        square += static_cast<double>(v) * v / static_cast<double>(values.size());
    }
    square = (1.0 - any) * (model.variance + model.mean * model.mean) + any * square;
    model.mean = (1.0 - any) * model.mean + any * mean;
    model.variance = std::max(0.0, square - model.mean * model.mean);
    model.rare.chance = rareChance(any);
    model.rare.extra = std::move(values);
    model.rare.replaces = true;
}

/// The largest of n independent draws, as points: P(largest <= x) = P(one <= x)^n.
QuantilePoints largestOf(const QuantilePoints& one, int n)
{
    std::vector<std::size_t> order(one.value.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return one.value[a] < one.value[b]; });
    QuantilePoints out;
    double above = 1.0, below = 0.0, second = 0.0;
    out.mean = 0.0;
    for (const std::size_t k : order) {
        above -= one.weight[k];
        const double upTo = above > 0.0 ? std::exp(n * std::log1p(-above)) : 1.0;
        out.value.push_back(one.value[k]);
        out.weight.push_back(std::max(0.0, upTo - below));
        out.mean += out.weight.back() * one.value[k];
        second += out.weight.back() * one.value[k] * one.value[k];
        below = upTo;
    }
    out.largest = out.value.back();
    out.variance = out.bulkVariance = std::max(0.0, second - out.mean * out.mean);
    return out;
}

ClassModel made(const ClassModel& single, const Distribution& d, int groups, int buckets, double rareUpTo)
{
    ClassModel out;
    out.base = single.base;
    out.all = single.all;
    const bool rare = single.rare.chance.probability > 0.0;
    const double any = rare ? -std::expm1(static_cast<double>(groups) * buckets * std::log1p(-d.rareProbability)) : 0.0;
    const auto largest = [groups](const Quantile& one) {
        return [groups, one](double lower, double upper) {
            const TailPair t = tailsOfOne({lower, upper}, groups);
            return one(t.lower, t.upper);
        };
    };
    if (any > rareUpTo) {
        const GroupMean mean = groupMean(single, d, buckets);
        setTable(out, largest([&](double lower, double) { return inverse(mean, lower, [&](double x) { return mean.below(x, 0); }); }));
        return out;
    }
    if (single.isRandom && buckets == 1) {
        const QuantileFunction one(d);
        setTable(out, largest([&](double lower, double upper) { return one.fromTails(lower, upper); }));
    } else if (single.isRandom) {
        const GridTails one = meanOfBuckets(single, 1.0, buckets, 0);
        setTable(out, largest([&](double lower, double upper) { return one.quantile(lower, upper); }));
    }
    if (rare)
        setRare(out, valuesWithRare(groupMean(single, d, buckets), groups, any), any);
    return out;
}

} // namespace

TailPair tailsOfOne(TailPair ofLargest, int n)
{
    const double log = (ofLargest.lower <= 0.5 ? std::log(ofLargest.lower) : std::log1p(-ofLargest.upper)) / n;
    return {std::exp(log), -std::expm1(log)};
}

namespace {

ClassModelPtr found(const Distribution& distribution, int groups, int buckets, double rareUpTo, Recall& recall)
{
    ClassModelPtr single = classModel(distribution, recall);
    if ((groups == 1 && buckets == 1 && rareUpTo > 0.0) || !single->varies())
        return single;
    const ContentHash hash = Hasher().add("factor side by side").add(single->hash).add(groups).add(buckets).add(rareUpTo).result();
    return recall.node<ClassModel>(
        "factor", hash,
        [&] {
            ClassModel model = made(*single, distribution, groups, buckets, rareUpTo);
            model.hash = hash;
            return model;
        },
        [](const ClassModel& m) {
            return sizeof m + 16 * (m.base.value.size() + m.all.value.size()) + 4 * (m.table.steps.size() + m.rare.extra.size());
        });
}

} // namespace

ClassModelPtr sideBySide(const Distribution& distribution, int groups, int buckets, Recall& recall)
{
    return found(distribution, groups, buckets, kRareUpTo, recall);
}

ClassModelPtr meanOf(const Distribution& distribution, int draws, Recall& recall)
{
    return found(distribution, 1, draws, 0.0, recall);
}

ClassModelPtr layersOfSlowest(const Distribution& distribution, int members, int layers, Recall& recall)
{
    const ClassModelPtr single = classModel(distribution, recall);
    const ContentHash hash = Hasher().add("layers of the slowest").add(single->hash).add(members).add(layers).result();
    return recall.node<ClassModel>(
        "factor", hash,
        [&] {
            ClassModel model;
            model.hash = hash;
            const QuantilePoints slowest = largestOf(single->all, members);
            if (!(slowest.variance > 0.0))
                return model;
            const Summand mean{&slowest, 1.0 / layers, layers};
            const GridTails tails(sumDistribution(std::span(&mean, 1), 1.0 - slowest.mean, kCells));
            setTable(model, [&](double lower, double upper) { return tails.quantile(lower, upper); });
            return model;
        },
        [](const ClassModel& m) { return sizeof m + 4 * m.table.steps.size(); });
}

} // namespace prism
