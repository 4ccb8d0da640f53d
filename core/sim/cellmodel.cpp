#include "core/sim/cellmodel.h"

#include "core/sim/sweep.h"
#include "core/stats/quantile.h"
#include "core/stats/random.h"

#include <boost/math/special_functions/erf.hpp>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <memory>
#include <numeric>

namespace prism {

namespace {

constexpr int kRegimeNodes = 33;
/// Rare events up to this expected number per chunk execution are drawn one by one; more frequent ones are part of the shape.
constexpr double kRareUpTo = 0.05;
constexpr std::size_t kRareSamples = 1024;

double normalQuantile(double u) { return -std::numbers::sqrt2 * boost::math::erfc_inv(2.0 * u); }

/// CDF of a standardised variable, tabulated; and the integration points for its maximum.
class StandardCdf final {
public:
    StandardCdf() = default;
    explicit StandardCdf(const GridDist& dist)
    {
        const double mean = dist.mean(), sigma = std::sqrt(dist.variance());
        if (!(sigma > 0.0) || dist.mass.size() < 2)
            return;
        m_low = (dist.origin - 0.5 * dist.step - mean) / sigma;
        m_perUnit = sigma / dist.step;
        m_cdf.resize(dist.mass.size() + 1);
        double sum = 0.0;
        for (std::size_t i = 0; i < dist.mass.size(); ++i) {
            m_cdf[i] = static_cast<float>(sum);
            sum += dist.mass[i];
        }
        m_cdf.back() = 1.0F;
        m_zMin = 0.0;
        m_zMax = 0.0;
        for (std::size_t i = 0; i < m_cdf.size(); ++i) {
            const double z = m_low + static_cast<double>(i) / m_perUnit;
            if (m_cdf[i] < 1e-7F)
                m_zMin = z;
            if (m_cdf[i] < 1.0F - 2e-7F)
                m_zMax = z;
        }
    }
    [[nodiscard]] bool empty() const { return m_cdf.empty(); }
    [[nodiscard]] double zMin() const { return m_zMin; }
    [[nodiscard]] double zMax() const { return m_zMax; }
    [[nodiscard]] double at(double z) const
    {
        const double t = (z - m_low) * m_perUnit;
        if (t <= 0.0)
            return 0.0;
        const auto i = static_cast<std::size_t>(t);
        if (i + 1 >= m_cdf.size())
            return 1.0;
        const double part = t - static_cast<double>(i);
        return static_cast<double>(m_cdf[i]) * (1.0 - part) + static_cast<double>(m_cdf[i + 1]) * part;
    }

private:
    double m_low = 0.0, m_perUnit = 1.0, m_zMin = -1.0, m_zMax = 1.0;
    std::vector<float> m_cdf;
};

struct Moments {
    double mean = 0.0, variance = 0.0;
};

/// Mean and variance of the maximum of independent variables of one shape with their own means and spreads, around a centre c:
/// E X - c = int_c (1 - F) - int^c F and E (X - c)^2 = 2 int_c (x - c)(1 - F) + 2 int^c (c - x) F, F = product of the CDFs.
/// Each side by Simpson's rule in t with x = c + scale sinh(t). Integrals from one end would cancel: a far tail makes
/// (end - mean)^2 hundreds of times the variance.
Moments maximumMoments(const StandardCdf& shape, const double* means, const double* sigmas, int n)
{
    double top = means[0], sigma = sigmas[0], low = means[0] + shape.zMin() * sigmas[0];
    double high = means[0] + shape.zMax() * sigmas[0];
    for (int r = 1; r < n; ++r) {
        if (means[r] > top) {
            top = means[r];
            sigma = sigmas[r];
        }
        low = std::max(low, means[r] + shape.zMin() * sigmas[r]);
        high = std::max(high, means[r] + shape.zMax() * sigmas[r]);
    }
    if (shape.empty() || !(sigma > 0.0) || !(high > low))
        return {top, 0.0};
    constexpr int kPoints = 24; // per side, even
    const double center = std::clamp(top + 0.5 * sigma, low, high), scale = 1.5 * sigma;
    double first = 0.0, second = 0.0;
    for (const double side : {-1.0, 1.0}) {
        const double end = side < 0.0 ? center - low : high - center;
        const double dt = std::asinh(end / scale) / kPoints;
        for (int i = 0; i <= kPoints; ++i) {
            const double e = std::exp(i * dt), away = scale * 0.5 * (e - 1.0 / e), x = center + side * away;
            double f = 1.0;
            for (int r = 0; r < n; ++r) {
                const double z = (x - means[r]) / sigmas[r];
                if (z < shape.zMax())
                    f *= shape.at(z);
            }
            const double simpson = (i == 0 || i == kPoints ? 1.0 : (i % 2 == 1 ? 4.0 : 2.0)) / 3.0;
            const double weight = simpson * dt * scale * 0.5 * (e + 1.0 / e) * (side < 0.0 ? f : 1.0 - f);
            first += side * weight;
            second += 2.0 * away * weight;
        }
    }
    return {center + first, std::max(0.0, second - first * first)};
}

/// Sum of a rank's kernels in a segment as a function of its spatial factor: mean = a + b G, variance = v0 + v1 G + v2 G^2.
struct RankSum {
    double a = 0.0, b = 0.0, v0 = 0.0, v1 = 0.0, v2 = 0.0;
    GridDist atOne;
    StandardCdf shape;
    [[nodiscard]] double mean(double g) const { return a + b * g; }
    [[nodiscard]] double sigma(double g) const { return std::sqrt(std::max(0.0, v0 + g * (v1 + g * v2))); }
};

RankSum rankSum(const StepGraph& graph, const SegmentTerms& terms, const std::vector<QuantilePoints>& points)
{
    RankSum out;
    std::vector<Summand> summands;
    for (const OpTerm& t : terms) {
        const KernelClass& c = graph.classes[static_cast<std::size_t>(t.kernelClass)];
        const QuantilePoints& p = points[static_cast<std::size_t>(t.kernelClass)];
        const double s = c.spatialSensitivity, m = t.meanSeconds;
        out.a += t.count * m * p.mean * (1.0 - s);
        out.b += t.count * m * p.mean * s;
        const double v = t.count * m * m * p.variance;
        out.v0 += v * (1.0 - s) * (1.0 - s);
        out.v1 += v * 2.0 * s * (1.0 - s);
        out.v2 += v * s * s;
        summands.push_back({&p, m, t.count});
    }
    out.atOne = sumDistribution(summands, 0.0);
    out.shape = StandardCdf(out.atOne);
    return out;
}

/// Exposed part of a collective at regime factor r: mean and variance of max(0, r mu e - hidden).
Moments exposed(const OpTerm& t, const QuantilePoints& p, double r)
{
    if (t.hiddenSeconds <= 0.0)
        return {t.meanSeconds * r * p.mean, t.meanSeconds * t.meanSeconds * r * r * p.variance};
    double mean = 0.0, square = 0.0;
    for (std::size_t i = 0; i < p.value.size(); ++i) {
        const double x = std::max(0.0, r * t.meanSeconds * p.value[i] - t.hiddenSeconds);
        mean += p.weight[i] * x;
        square += p.weight[i] * x * x;
    }
    return {mean, std::max(0.0, square - mean * mean)};
}

int scopeIndex(const StepGraph& graph, int kernelClass)
{
    return graph.classes[static_cast<std::size_t>(kernelClass)].scope == Scope::interNode ? 1 : 0;
}

/// Weighted vectors of spatial factors for a cell: stratified by the slowest rank, with its upper tail to 1e-7 resolved.
struct SpatialSamples {
    std::vector<double> weight;
    std::vector<double> factor; ///< [sample][rank]
};

/// The slowest rank at each score node, the others below it as they are measured.
SpatialSamples fixedSamples(const StepGraph& graph, const FixedRange& fixed)
{
    SpatialSamples out;
    const int ranks = graph.cellRanks();
    for (int j = 0; j < kScoreNodes; ++j) {
        const double slowest = fixed.low + (fixed.high - fixed.low) * j / (kScoreNodes - 1);
        const auto below = static_cast<double>(std::upper_bound(fixed.sorted.begin(), fixed.sorted.end(), slowest) - fixed.sorted.begin());
        out.weight.push_back(1.0);
        out.factor.push_back(slowest);
        for (int r = 1; r < ranks; ++r) {
            const auto at = static_cast<std::size_t>(std::max(0.0, (r - 0.5) / (ranks - 1) * below - 0.5));
            out.factor.push_back(std::min(slowest, fixed.sorted[std::min(at, fixed.sorted.size() - 1)]));
        }
    }
    return out;
}

SpatialSamples spatialSamples(const StepGraph& graph, const CellKind& kind, const FixedRange& fixed)
{
    if (!fixed.sorted.empty())
        return fixedSamples(graph, fixed);
    const int ranks = graph.cellRanks();
    const auto factorOf = [&](int r) {
        return kind.computeFactor.empty() ? 1.0 : kind.computeFactor[static_cast<std::size_t>(r)];
    };
    SpatialSamples out;
    if (graph.spatial.cv <= 0.0 || graph.spatial.family == Family::deterministic) {
        out.weight = {1.0};
        for (int r = 0; r < ranks; ++r)
            out.factor.push_back(factorOf(r));
        return out;
    }
    const QuantileFunction base(graph.spatial);
    // A rare event of the spatial factor takes the top of the probability scale.
    const auto quantile = [&](double lower, double upper) {
        const double p = graph.spatial.rareProbability;
        if (p <= 0.0)
            return base.fromTails(lower, upper);
        if (upper < p)
            return graph.spatial.rareMultiplier * base.fromTails(1.0 - upper / p, upper / p);
        return base.fromTails(lower / (1.0 - p), 1.0 - lower / (1.0 - p));
    };
    // Octaves of the tail probability of the slowest rank's rank statistic, both tails.
    std::vector<std::array<double, 2>> strata; // upper tail probability, weight
    for (int side = 0; side < 2; ++side)
        for (int k = 1; k <= 24; ++k) {
            const int count = side == 0 ? (k <= 4 ? 20 : 5) : (k <= 4 ? 14 : (k <= 10 ? 3 : 1));
            const double low = std::ldexp(1.0, -(k + 1)), width = low / count;
            for (int j = 0; j < count; ++j) {
                const double tail = low + (j + 0.5) * width;
                strata.push_back({side == 0 ? tail : 1.0 - tail, width});
            }
        }
    const double total = std::accumulate(strata.begin(), strata.end(), 0.0, [](double s, const auto& x) { return s + x[1]; });
    for (std::size_t i = 0; i < strata.size(); ++i) {
        // P(max <= x) = u^n: the slowest of n has 1 - u = 1 - (1 - tail)^(1/n); the others lie uniformly below it.
        const double tailOfMax = -std::expm1(std::log1p(-strata[i][0]) / ranks);
        const auto slowest = static_cast<int>(uniform(0x51, stream(1), i) * ranks);
        out.weight.push_back(strata[i][1] / total);
        for (int r = 0; r < ranks; ++r) {
            double tail = tailOfMax;
            if (r != slowest)
                tail = 1.0 - (1.0 - tailOfMax) * uniform(0x51, stream(2, static_cast<std::uint64_t>(r)), i);
            out.factor.push_back(factorOf(r) * quantile(1.0 - tail, tail));
        }
    }
    return out;
}

/// One program while its model is being built.
struct Builder {
    const StepGraph& graph;
    const CellKind& kind;
    ProgramShape shape;
    std::vector<QuantilePoints> points;
    std::vector<RankSum> sums;
    std::vector<StandardCdf> sectionShape; ///< of a group's time, only with several groups

    Builder(const StepGraph& g, const std::vector<QuantilePoints>& p, const CellKind& k, const Program& program)
        : graph(g), kind(k), shape(programShape(g, program))
    {
        usePoints(p);
    }

    /// Takes the classes' points, with or without their rare events.
    void usePoints(const std::vector<QuantilePoints>& p)
    {
        points = p;
        sums.clear();
        for (const SegmentTerms& terms : shape.segments)
            sums.push_back(rankSum(graph, terms, points));
    }

    double linkFactor(int kernelClass) const { return scopeIndex(graph, kernelClass) == 1 ? kind.linkFactor : 1.0; }

    Moments collectives(const std::vector<OpTerm>& terms, int scope, double r) const
    {
        Moments out;
        for (const OpTerm& t : terms) {
            if (scopeIndex(graph, t.kernelClass) != scope)
                continue;
            const Moments m = exposed(t, points[static_cast<std::size_t>(t.kernelClass)], r * linkFactor(t.kernelClass));
            out.mean += t.count * m.mean;
            out.variance += t.count * m.variance;
        }
        return out;
    }

    /// Compute part of the chunk, and with several groups what their meeting adds, for given spatial factors.
    Moments compute(const double* g) const
    {
        Moments total;
        std::vector<double> mean(static_cast<std::size_t>(graph.groupRanks)), sigma(mean.size());
        std::vector<double> groupMean(static_cast<std::size_t>(graph.groupsPerCell)), groupSigma(groupMean.size());
        for (std::size_t s = 0; s < shape.sections.size(); ++s) {
            const Section& section = shape.sections[s];
            for (int group = 0; group < graph.groupsPerCell; ++group) {
                Moments sum;
                for (const SegmentUse& use : section.segments) {
                    const RankSum& rank = sums[static_cast<std::size_t>(use.segment)];
                    for (int r = 0; r < graph.groupRanks; ++r) {
                        mean[static_cast<std::size_t>(r)] = rank.mean(g[group * graph.groupRanks + r]);
                        sigma[static_cast<std::size_t>(r)] = rank.sigma(g[group * graph.groupRanks + r]);
                    }
                    const Moments m = maximumMoments(rank.shape, mean.data(), sigma.data(), graph.groupRanks);
                    sum.mean += use.count * m.mean;
                    sum.variance += use.count * m.variance;
                }
                if (graph.groupsPerCell == 1) {
                    total.mean += section.count * sum.mean;
                    total.variance += section.count * sum.variance;
                    continue;
                }
                for (int scope = 0; scope < 2; ++scope) {
                    const Moments m = collectives(section.groupCollectives, scope, 1.0);
                    sum.mean += m.mean;
                    sum.variance += m.variance;
                }
                groupMean[static_cast<std::size_t>(group)] = sum.mean;
                groupSigma[static_cast<std::size_t>(group)] = std::sqrt(sum.variance);
            }
            if (graph.groupsPerCell == 1)
                continue;
            const Moments meeting = maximumMoments(sectionShape[s], groupMean.data(), groupSigma.data(), graph.groupsPerCell);
            Moments own;
            for (int scope = 0; scope < 2; ++scope) {
                const Moments m = collectives(section.groupCollectives, scope, 1.0);
                own.mean += m.mean;
                own.variance += m.variance;
            }
            total.mean += section.count * (meeting.mean - own.mean);
            total.variance += section.count * std::max(0.0, meeting.variance - own.variance);
        }
        return total;
    }

    /// Distribution of the chunk with all spatial factors and regimes at 1: its shape serves all others.
    GridDist chunkAtOne()
    {
        std::vector<GridDist> maxima, collectiveSums;
        for (const RankSum& s : sums)
            maxima.push_back(maximumOf(s.atOne, graph.groupRanks));
        std::vector<GridDist> sections;
        sectionShape.clear();
        for (const Section& section : shape.sections) {
            std::vector<GridPart> parts;
            for (const SegmentUse& use : section.segments)
                parts.push_back({&maxima[static_cast<std::size_t>(use.segment)], use.count});
            const GridDist groupComm = sumDistribution(summands(section.groupCollectives), 0.0);
            if (!section.groupCollectives.empty())
                parts.push_back({&groupComm, 1});
            GridDist group = sumOfGrids(parts);
            sectionShape.push_back(StandardCdf(group));
            if (graph.groupsPerCell > 1)
                group = maximumOf(group, graph.groupsPerCell);
            const GridDist cellComm = sumDistribution(summands(section.cellCollectives), 0.0);
            std::vector<GridPart> all = {{&group, 1}};
            if (!section.cellCollectives.empty())
                all.push_back({&cellComm, 1});
            sections.push_back(sumOfGrids(all));
        }
        std::vector<GridPart> parts;
        for (std::size_t s = 0; s < sections.size(); ++s)
            parts.push_back({&sections[s], shape.sections[s].count});
        return sumOfGrids(parts);
    }

    /// Collectives as summands: those with a hidden part through the points of their exposed part.
    std::vector<Summand> summands(const std::vector<OpTerm>& terms)
    {
        std::vector<Summand> out;
        for (const OpTerm& t : terms) {
            const QuantilePoints& p = points[static_cast<std::size_t>(t.kernelClass)];
            if (t.hiddenSeconds <= 0.0) {
                out.push_back({&p, t.meanSeconds * linkFactor(t.kernelClass), t.count});
                continue;
            }
            auto q = std::make_unique<QuantilePoints>(p);
            const Moments m = exposed(t, p, linkFactor(t.kernelClass));
            q->mean = m.mean;
            q->variance = m.variance;
            q->largest = 0.0;
            for (double& v : q->value) {
                v = std::max(0.0, linkFactor(t.kernelClass) * t.meanSeconds * v - t.hiddenSeconds);
                q->largest = std::max(q->largest, v);
            }
            out.push_back({q.get(), 1.0, t.count});
            m_exposed.push_back(std::move(q));
        }
        return out;
    }

    /// What rare events add to one chunk execution, and how often; probability 0 when there are none.
    RareEvent rareEvent() const;

private:
    std::vector<std::unique_ptr<QuantilePoints>> m_exposed;
};

/// Conditional averages of per-sample values at the score nodes, by a triangular kernel over the samples' own scores,
/// rescaled so that the table's mean over a normal score is the samples' mean.
std::vector<float> scoreTable(const std::vector<double>& score, const std::vector<double>& weight, const std::vector<double>& value)
{
    const double spacing = 2.0 * kScoreLimit / (kScoreNodes - 1);
    std::vector<double> sum(kScoreNodes, 0.0), mass(kScoreNodes, 0.0), table(kScoreNodes, 0.0);
    double mean = 0.0;
    for (std::size_t i = 0; i < score.size(); ++i) {
        mean += weight[i] * value[i];
        const double t = std::clamp((score[i] + kScoreLimit) / spacing, 0.0, kScoreNodes - 1.0);
        const auto j = std::min<std::size_t>(static_cast<std::size_t>(t), kScoreNodes - 2);
        const double part = t - static_cast<double>(j);
        sum[j] += weight[i] * (1.0 - part) * value[i];
        mass[j] += weight[i] * (1.0 - part);
        sum[j + 1] += weight[i] * part * value[i];
        mass[j + 1] += weight[i] * part;
    }
    // Nodes without samples take the line between their neighbours, and the nearest value beyond the ends.
    int last = -1;
    for (int j = 0; j < kScoreNodes; ++j) {
        const auto k = static_cast<std::size_t>(j);
        if (mass[k] <= 0.0)
            continue;
        table[k] = sum[k] / mass[k];
        for (int q = last + 1; q < j; ++q) {
            const double part = last < 0 ? 1.0 : static_cast<double>(q - last) / (j - last);
            table[static_cast<std::size_t>(q)] = (last < 0 ? table[k] : table[static_cast<std::size_t>(last)]) * (1.0 - part) + table[k] * part;
        }
        last = j;
    }
    for (int q = last + 1; q < kScoreNodes; ++q)
        table[static_cast<std::size_t>(q)] = table[static_cast<std::size_t>(last)];
    double tableMean = 0.0, total = 0.0;
    for (int i = 0; i < 8 * (kScoreNodes - 1); ++i) {
        const double z = -kScoreLimit + (i + 0.5) * spacing / 8.0, part = (i % 8 + 0.5) / 8.0;
        const double w = std::exp(-0.5 * z * z);
        tableMean += w * (table[static_cast<std::size_t>(i / 8)] * (1.0 - part) + table[static_cast<std::size_t>(i / 8 + 1)] * part);
        total += w;
    }
    tableMean /= total;
    std::vector<float> out;
    for (const double v : table)
        out.push_back(static_cast<float>(tableMean > 0.0 ? v * mean / tableMean : v));
    return out;
}

RareEvent Builder::rareEvent() const
{
    struct Source {
        const OpTerm* term;
        int segment; ///< -1: a collective
        double rate;
    };
    std::vector<Source> sources;
    double total = 0.0, byScope[2] = {0.0, 0.0};
    const auto add = [&](const OpTerm& t, int segment, double count) {
        const Distribution& d = graph.classes[static_cast<std::size_t>(t.kernelClass)].temporal;
        if (d.rareProbability <= 0.0 || d.rareMultiplier == 1.0)
            return;
        const double rate = count * t.count * -std::log1p(-d.rareProbability);
        sources.push_back({&t, segment, rate});
        total += rate;
        if (segment < 0)
            byScope[scopeIndex(graph, t.kernelClass)] += rate;
    };
    for (const Section& section : shape.sections) {
        for (const SegmentUse& use : section.segments)
            for (const OpTerm& t : shape.segments[static_cast<std::size_t>(use.segment)])
                add(t, use.segment, section.count * use.count * graph.cellRanks());
        for (const OpTerm& t : section.groupCollectives)
            add(t, -1, section.count * graph.groupsPerCell);
        for (const OpTerm& t : section.cellCollectives)
            add(t, -1, section.count);
    }
    RareEvent out;
    if (!(total > 0.0))
        return out;
    out.probability = -std::expm1(-total);
    out.scope = byScope[1] > byScope[0] ? 1 : 0;
    const auto draw = [&](std::uint64_t what, std::uint64_t i) { return uniform(0x52, stream(what), i); };
    for (std::size_t i = 0; i < kRareSamples; ++i) {
        // The number of events, given that there is one: a zero-truncated Poisson variable.
        double left = -std::log1p(-out.probability * draw(1, i)), extra = 0.0;
        int events = 1;
        for (double p = total * std::exp(-total), sum = p; sum < -std::expm1(-left) && events < 4; ++events) {
            p *= total / (events + 1);
            sum += p;
        }
        for (int e = 0; e < events; ++e) {
            const auto at = static_cast<std::uint64_t>(e) * kRareSamples + i;
            double pick = draw(2, at) * total;
            std::size_t k = 0;
            while (k + 1 < sources.size() && pick >= sources[k].rate)
                pick -= sources[k++].rate;
            const OpTerm& t = *sources[k].term;
            const KernelClass& c = graph.classes[static_cast<std::size_t>(t.kernelClass)];
            const double factor = c.temporal.family == Family::deterministic ? 1.0 : c.temporal.baseQuantile(draw(3, at));
            const double mean = t.meanSeconds * factor * (sources[k].segment < 0 ? linkFactor(t.kernelClass) : 1.0);
            if (sources[k].segment < 0) {
                extra += std::max(0.0, mean * c.temporal.rareMultiplier - t.hiddenSeconds) - std::max(0.0, mean - t.hiddenSeconds);
                continue;
            }
            // One rank is late by (m - 1) mu e: the meeting waits for what exceeds the slowest of the others.
            const RankSum& sum = sums[static_cast<std::size_t>(sources[k].segment)];
            const double own = sum.atOne.quantile(draw(4, at));
            const double others = graph.groupRanks > 1 ? sum.atOne.quantile(std::pow(draw(5, at), 1.0 / (graph.groupRanks - 1))) : 0.0;
            extra += std::max(others, own + (c.temporal.rareMultiplier - 1.0) * mean) - std::max(others, own);
        }
        out.extra.push_back(static_cast<float>(extra));
    }
    std::sort(out.extra.begin(), out.extra.end());
    out.noneInBlock = std::pow(1.0 - out.probability, static_cast<double>(kLanes));
    out.perLog = 1.0 / std::log1p(-out.probability);
    return out;
}

} // namespace

double LinearTable::at(double x) const
{
    if (value.size() < 2)
        return value.empty() ? 0.0 : value[0];
    const double t = std::clamp((x - low) * perUnit, 0.0, static_cast<double>(value.size() - 1));
    const auto i = std::min(static_cast<std::size_t>(t), value.size() - 2);
    return value[i] + (t - static_cast<double>(i)) * (value[i + 1] - value[i]);
}

float FixedRange::score(double slowest) const
{
    if (!(high > low))
        return 0.0F;
    return static_cast<float>(-kScoreLimit + 2.0 * kScoreLimit * std::clamp((slowest - low) / (high - low), 0.0, 1.0));
}

FixedRange fixedRange(const StepGraph& graph)
{
    FixedRange out;
    if (graph.fixedSpatial.empty())
        return out;
    out.sorted = graph.fixedSpatial;
    if (!graph.slow.empty()) {
        std::size_t i = 0;
        for (int d = 0; d < graph.numReplicas; ++d)
            for (int s = 0; s < graph.schedule.numStages; ++s)
                for (int r = 0; r < graph.cellRanks(); ++r)
                    out.sorted[i++] *= slowComputeFactor(graph, d, s, r);
    }
    std::sort(out.sorted.begin(), out.sorted.end());
    out.low = out.sorted.front();
    out.high = std::max(out.sorted.back(), out.low * (1.0 + 1e-9));
    return out;
}

RegimeRange regimeRange(const StepGraph& graph)
{
    RegimeRange out;
    const Distribution* regimes[2] = {&graph.intraRegime, &graph.interRegime};
    for (int s = 0; s < 2; ++s) {
        if (regimes[s]->family == Family::deterministic && regimes[s]->rareProbability <= 0.0)
            continue;
        const QuantileFunction quantile(*regimes[s]);
        out.low[s] = quantile.fromTails(1e-8, 1.0 - 1e-8);
        out.high[s] = quantile.fromTails(1.0 - 1e-8, 1e-8);
        if (regimes[s]->rareProbability > 0.0) {
            out.high[s] *= std::max(1.0, regimes[s]->rareMultiplier);
            out.low[s] *= std::min(1.0, regimes[s]->rareMultiplier);
        }
    }
    return out;
}

ClassPoints classPoints(const StepGraph& graph)
{
    ClassPoints out;
    for (std::size_t c = 0; c < graph.classes.size(); ++c) {
        const Distribution& d = graph.classes[c].temporal;
        std::size_t same = 0;
        while (same < c && !(graph.classes[same].temporal == d))
            ++same;
        out.base.push_back(same < c ? out.base[same] : quantilePoints(d));
        out.all.push_back(withRareEvent(out.base.back(), d));
    }
    return out;
}

std::vector<ChunkModel> chunkModels(const StepGraph& graph, const CellKind& kind, const std::vector<int>& programs,
                                    const std::vector<double>& weights, const ClassPoints& points,
                                    const RegimeRange& regimes, const FixedRange& fixed, std::stop_token stop)
{
    const SpatialSamples spatial = spatialSamples(graph, kind, fixed);
    const std::size_t count = spatial.weight.size();
    std::vector<double> key(count, 0.0);
    std::vector<std::vector<double>> means(programs.size()), variances(programs.size());
    std::vector<ChunkModel> models(programs.size());
    tbb::parallel_for(std::size_t{0}, programs.size(), [&](std::size_t p) {
        const Program& program = graph.programs[static_cast<std::size_t>(programs[p])];
        Builder builder(graph, points.base, kind, program);
        RareEvent rare = builder.rareEvent();
        if (rare.probability > kRareUpTo)
            builder.usePoints(points.all);
        else
            models[p].rare = std::move(rare);
        const GridDist chunk = builder.chunkAtOne();
        for (std::size_t i = 0; i < count; ++i) {
            if ((i & 63U) == 0 && stop.stop_requested())
                return;
            const Moments m = builder.compute(&spatial.factor[i * static_cast<std::size_t>(graph.cellRanks())]);
            means[p].push_back(m.mean);
            variances[p].push_back(m.variance);
        }
        ChunkModel& model = models[p];
        double spread = 0.0;
        for (int scope = 0; scope < 2; ++scope) {
            const bool fixed = regimes.low[scope] == regimes.high[scope];
            const int nodes = fixed ? 1 : kRegimeNodes;
            LinearTable& mean = model.collectiveMean[scope];
            LinearTable& variance = model.collectiveVariance[scope];
            mean.low = variance.low = regimes.low[scope];
            mean.perUnit = variance.perUnit = fixed ? 0.0 : (nodes - 1) / (regimes.high[scope] - regimes.low[scope]);
            for (int k = 0; k < nodes; ++k) {
                const double r = fixed ? regimes.low[scope] : regimes.low[scope] + k / mean.perUnit;
                Moments sum;
                for (const Section& section : builder.shape.sections)
                    for (const std::vector<OpTerm>* terms : {&section.groupCollectives, &section.cellCollectives}) {
                        const Moments m = builder.collectives(*terms, scope, r);
                        sum.mean += section.count * m.mean;
                        sum.variance += section.count * m.variance;
                    }
                mean.value.push_back(sum.mean);
                variance.value.push_back(sum.variance);
                spread = std::max(spread, sum.variance);
            }
        }
        for (const double v : variances[p])
            spread = std::max(spread, v);
        model.isRandom = spread > 0.0 && chunk.mass.size() > 1;
        if (model.isRandom)
            model.shape = standardTable(chunk);
    });
    if (stop.stop_requested())
        return {};
    for (std::size_t p = 0; p < programs.size(); ++p)
        for (std::size_t i = 0; i < count; ++i)
            key[i] += weights[p] * means[p][i];
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key[a] < key[b]; });
    std::vector<double> score(count, 0.0);
    double below = 0.0;
    for (const std::size_t i : order) {
        score[i] = normalQuantile(std::clamp(below + 0.5 * spatial.weight[i], 1e-12, 1.0 - 1e-12));
        below += spatial.weight[i];
    }
    for (std::size_t p = 0; p < programs.size(); ++p) {
        if (count == 1 || !fixed.sorted.empty()) {
            models[p].computeMean.assign(means[p].begin(), means[p].end());
            models[p].computeVariance.assign(variances[p].begin(), variances[p].end());
            if (count == 1) {
                models[p].computeMean.resize(kScoreNodes, models[p].computeMean[0]);
                models[p].computeVariance.resize(kScoreNodes, models[p].computeVariance[0]);
            }
            continue;
        }
        models[p].computeMean = scoreTable(score, spatial.weight, means[p]);
        models[p].computeVariance = scoreTable(score, spatial.weight, variances[p]);
    }
    return models;
}

} // namespace prism
