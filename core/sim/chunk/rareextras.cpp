// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/chunk/rareextras.h"

#include "core/sim/chunk/hits.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace prism {

namespace {

/// Sampled events of a program; of a segment, whose ranks are all drawn, fewer when they are many.
constexpr int kEventExtras = 4096, kSegmentExtras = 4096, kFewestExtras = 512, kRankDraws = 1 << 16, kGroupDraws = 1 << 19;
/// Fractional parts of multiples of the first three fill the unit cube evenly (the generalised golden ratio in three dimensions, Roberts
/// 2018, "The unreasonable effectiveness of quasirandom sequences").
constexpr double kEven[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};

double evenly(int dimension, int i)
{
    const double x = 0.5 + kEven[dimension] * (i + 1);
    return x - std::floor(x);
}

/// Of so many samples for all cells those for the cells of the context: few cells decide the step of many replicas.
int samplesOf(const RareContext& context, int all)
{
    constexpr double kLeastShare = 0.4;
    return std::max(kFewestExtras, static_cast<int>(std::lround(all * std::max(context.lucky.share, kLeastShare))));
}

/// Something that events may delay: its chance, and seconds that they add given that there is one.
struct Source {
    double probability = 0.0;
    std::vector<double> extra;
    int count = 1;
    int segment = -1; ///< of the program's shape; -1 = a collective
};

double meanExtra(const std::vector<double>& extra)
{
    return extra.empty() ? 0.0 : std::accumulate(extra.begin(), extra.end(), 0.0) / static_cast<double>(extra.size());
}

/// Seconds that sources add in the mean, `copies` of each side by side, given that any does.
double expectedOf(const std::vector<Source>& sources, int copies, double any)
{
    double sum = 0.0;
    for (const Source& s : sources)
        sum += s.count * s.probability * meanExtra(s.extra);
    return any > 0.0 ? copies * sum / any : 0.0;
}

/// Corrects sampled seconds by what their events last in the mean, which is known, over what the sampled ones last (a ratio estimator:
/// Cochran, Sampling Techniques, 1977, ch. 6): few samples have more than one event, and how many of them do is chance.
template <class T>
void lastAsExpected(std::vector<T>& extra, double sampled, double expected)
{
    if (!(sampled > 0.0 && expected > 0.0))
        return;
    for (T& x : extra)
        x = static_cast<T>(x * (expected / sampled));
}

/// Draws a source's samples one after another: each as often as the others, and the first of them as evenly as all.
class Picker final {
public:
    explicit Picker(const std::vector<Source>& sources) : m_sources(sources), m_next(sources.size(), 0) {}
    double operator()(std::size_t source)
    {
        const std::vector<double>& extra = m_sources[source].extra;
        return extra[m_next[source]++ % extra.size()];
    }

private:
    const std::vector<Source>& m_sources;
    std::vector<std::size_t> m_next;
};

Hits hitsOf(const std::vector<Source>& sources, int copies = 1)
{
    std::vector<Hits::Places> places;
    places.reserve(sources.size());
    for (const Source& s : sources)
        places.push_back({s.probability, s.count * copies});
    return Hits(std::move(places));
}

/// Quantiles of a factor without its rare event, from its weighted points.
class PointQuantiles final {
public:
    explicit PointQuantiles(const QuantilePoints& points) : m_points(points), m_below(points.weight.size())
    {
        std::partial_sum(points.weight.begin(), points.weight.end(), m_below.begin());
    }
    [[nodiscard]] double at(double lower) const
    {
        const auto i = static_cast<std::size_t>(std::lower_bound(m_below.begin(), m_below.end(), lower) - m_below.begin());
        return m_points.value[std::min(i, m_points.value.size() - 1)];
    }

private:
    const QuantilePoints& m_points;
    std::vector<double> m_below;
};

/// Samples the events of one class.
class EventSampler final {
public:
    EventSampler(const RareContext& context, int kernelClass)
        : m_context(context),
          m_class(kernelClass),
          m_kernel(context.graph.classes[static_cast<std::size_t>(kernelClass)]),
          m_factor(context.classes.factor[static_cast<std::size_t>(kernelClass)]->base),
          m_quantiles(m_factor)
    {
        m_spatialBelow.resize(context.lucky.spatial.weight.size());
        std::partial_sum(context.lucky.spatial.weight.begin(), context.lucky.spatial.weight.end(), m_spatialBelow.begin());
        const std::size_t perSample = context.lucky.spatial.factor.size() / std::max<std::size_t>(1, context.lucky.spatial.weight.size());
        double sum = 0.0;
        for (std::size_t i = 0; i < context.lucky.spatial.factor.size(); ++i)
            sum += context.lucky.spatial.weight[i / perSample] * context.lucky.spatial.factor[i];
        if (perSample > 0)
            m_meanSpatial = sum / (m_spatialBelow.back() * static_cast<double>(perSample));
    }

    [[nodiscard]] std::vector<Source> sources() const
    {
        std::vector<Source> out;
        for (std::size_t s = 0; s < m_context.shape.sections.size(); ++s) {
            const Section& section = m_context.shape.sections[s];
            std::vector<Source> inside = groupSources(section);
            if (m_context.graph.groupsPerCell > 1 && !inside.empty())
                inside = {meeting(inside, s)};
            for (const OpTerm& t : section.cellCollectives)
                if (t.kernelClass == m_class)
                    inside.push_back(collective(t));
            for (Source& source : inside) {
                source.count *= section.count;
                out.push_back(std::move(source));
            }
        }
        return out;
    }

private:
    /// What one group does between two meetings of the cell.
    [[nodiscard]] std::vector<Source> groupSources(const Section& section) const
    {
        std::vector<Source> out;
        for (const SegmentUse& use : section.segments) {
            Source s = segment(static_cast<std::size_t>(use.segment));
            s.count = use.count;
            if (s.probability > 0.0)
                out.push_back(std::move(s));
        }
        for (const OpTerm& t : section.groupCollectives)
            if (t.kernelClass == m_class)
                out.push_back(collective(t));
        return out;
    }

    [[nodiscard]] Source collective(const OpTerm& t) const
    {
        Source out{m_kernel.temporal.rareProbability, {}, t.count};
        const double mean = t.meanSeconds * (m_kernel.scope == Scope::interNode ? m_context.linkFactor : 1.0);
        for (int i = 0; i < kFewestExtras; ++i) {
            const double seconds = mean * m_quantiles.at((i + 0.5) / kFewestExtras);
            out.extra.push_back(std::max(0.0, seconds * m_kernel.temporal.rareMultiplier - t.hiddenSeconds)
                                - std::max(0.0, seconds - t.hiddenSeconds));
        }
        return out;
    }

    /// A segment with kernels of the class: where they may be hit, and when its ranks meet without that.
    struct Ranks {
        std::vector<OpTerm> terms;
        int kernels = 0;
        Hits hits{{}};
        const RankSum* sum = nullptr;
        double mean1 = 0.0, sigma1 = 0.0;
    };
    [[nodiscard]] Ranks ranksOf(std::size_t segment) const
    {
        Ranks out;
        for (const OpTerm& t : m_context.shape.segments[segment])
            if (t.kernelClass == m_class) {
                out.terms.push_back(t);
                out.kernels += t.count;
            }
        out.hits = Hits({{m_kernel.temporal.rareProbability, out.kernels * m_context.graph.groupRanks}});
        out.sum = &m_context.segments[segment]->sum;
        out.mean1 = out.sum->mean(1.0);
        out.sigma1 = out.sum->sigma(1.0);
        return out;
    }

    /// Seconds by which events delay the meeting of ranks with factors g, given that there is one; `place` and `size` in (0, 1)
    /// decide the first of them. `lasted` grows by what the events last.
    [[nodiscard]] double delayOf(const Ranks& at, const GridQuantiles& atOne, const double* g, double place, double size, Uniforms& next,
                                 double& lasted) const
    {
        const auto ranks = static_cast<std::size_t>(m_context.graph.groupRanks);
        std::vector<double>&own = m_own, &late = m_late;
        own.resize(ranks);
        for (std::size_t r = 0; r < ranks; ++r) {
            const double z = at.sigma1 > 0.0 ? (atOne.at(next()) - at.mean1) / at.sigma1 : 0.0;
            own[r] = at.sum->mean(g[r]) + at.sum->sigma(g[r]) * z;
        }
        late = own;
        bool isFirst = true;
        const PointQuantiles& factor = m_quantiles;
        at.hits.draw(place, next, [&](std::size_t, int hit) {
            const auto r = static_cast<std::size_t>(hit / at.kernels);
            int kernel = hit % at.kernels;
            const double draw = factor.at(isFirst ? size : next());
            isFirst = false;
            std::size_t t = 0;
            while (t + 1 < at.terms.size() && kernel >= at.terms[t].count)
                kernel -= at.terms[t++].count;
            const double lasts = eventSeconds(at.terms[t].meanSeconds, draw) * (1.0 + m_kernel.spatialSensitivity * (g[r] - 1.0));
            late[r] += lasts;
            lasted += lasts;
        });
        return *std::max_element(late.begin(), late.end()) - *std::max_element(own.begin(), own.end());
    }

    /// Ranks of a group that meet after a segment.
    [[nodiscard]] Source segment(std::size_t index) const
    {
        const Ranks at = ranksOf(index);
        Source out;
        if (at.terms.empty())
            return out;
        out.probability = at.hits.any();
        out.segment = static_cast<int>(index);
        const GridQuantiles atOne(at.sum->atOne);
        const int ranks = m_context.graph.groupRanks,
                  samples = samplesOf(m_context, std::clamp(kRankDraws / ranks, kFewestExtras, kSegmentExtras));
        double lasted = 0.0, seconds = 0.0;
        for (int i = 0; i < samples; ++i) {
            Uniforms next(0x52 + index, i);
            const double* g = spatialFactors(evenly(0, i), next);
            out.extra.push_back(delayOf(at, atOne, g, evenly(1, i), evenly(2, i), next, lasted));
        }
        for (const OpTerm& t : at.terms)
            seconds += t.count * t.meanSeconds;
        lastAsExpected(out.extra, lasted / samples,
                       ranks * m_kernel.temporal.rareProbability * seconds * (m_kernel.temporal.rareMultiplier - 1.0)
                           * (1.0 + m_kernel.spatialSensitivity * (m_meanSpatial - 1.0)) / out.probability);
        return out;
    }

    /// Seconds that an event adds to a kernel, `draw` its factor. The sum that it is added to has the kernel with a draw of its own, so
    /// what is added has the mean m - 1 of the event's m times the factor, and the variance m^2 - 1.
    [[nodiscard]] double eventSeconds(double meanSeconds, double draw) const
    {
        const double m = m_kernel.temporal.rareMultiplier;
        return meanSeconds * (m - 1.0 + (m > 1.0 ? std::sqrt(m * m - 1.0) : m - 1.0) * (draw - 1.0));
    }

    /// Spatial factors of the ranks of some group in a cell drawn by its weight.
    [[nodiscard]] const double* spatialFactors(double u, Uniforms& next) const
    {
        const auto ranks = static_cast<std::size_t>(m_context.graph.groupRanks),
                   groups = m_context.lucky.spatial.factor.size() / (m_spatialBelow.size() * ranks);
        const auto found = std::lower_bound(m_spatialBelow.begin(), m_spatialBelow.end(), u * m_spatialBelow.back());
        const auto sample = std::min(static_cast<std::size_t>(found - m_spatialBelow.begin()), m_spatialBelow.size() - 1);
        const auto group = std::min(groups - 1, static_cast<std::size_t>(next() * static_cast<double>(groups)));
        return &m_context.lucky.spatial.factor[(sample * groups + group) * ranks];
    }

    /// Compute of a group in one section.
    [[nodiscard]] Moments compute(std::size_t section, std::size_t row) const
    {
        Moments sum;
        for (const SegmentUse& use : m_context.shape.sections[section].segments) {
            const Moments& m = m_context.segments[static_cast<std::size_t>(use.segment)]->group[row];
            sum.mean += use.count * m.mean;
            sum.variance += use.count * m.variance;
        }
        return sum;
    }

    /// Which models of its segments each group of a cell has, drawn by their weights.
    void drawGroups(Uniforms& next, std::vector<std::size_t>& rows) const
    {
        const auto within = [&](std::size_t first, std::size_t last) {
            const double from = first > 0 ? m_spatialBelow[first - 1] : 0.0, at = from + next() * (m_spatialBelow[last - 1] - from);
            const auto begin = m_spatialBelow.begin() + static_cast<std::ptrdiff_t>(first),
                       end = m_spatialBelow.begin() + static_cast<std::ptrdiff_t>(last - 1);
            return static_cast<std::size_t>(std::lower_bound(begin, end, at) - m_spatialBelow.begin());
        };
        const LuckyCells& lucky = m_context.lucky;
        if (lucky.cells.empty()) {
            const std::size_t sample = within(0, m_spatialBelow.size());
            for (std::size_t k = 0; k < rows.size(); ++k)
                rows[k] = sample * rows.size() + k;
            return;
        }
        const std::vector<GroupKind>& cell = lucky.cells[static_cast<std::size_t>(next() * static_cast<double>(lucky.cells.size()))];
        const bool oneHit = lucky.othersHit >= 0.0;
        const std::size_t first = oneHit ? static_cast<std::size_t>(next() * static_cast<double>(rows.size())) : 0;
        std::size_t kind = 0;
        double upTo = cell[0].count;
        for (std::size_t k = 0; k < rows.size(); ++k) {
            while (static_cast<double>(k) >= upTo && kind + 1 < cell.size())
                upTo += cell[++kind].count;
            const bool isHit = oneHit && (k == first || next() < lucky.othersHit);
            rows[k] = within(isHit ? cell[kind].firstHit : cell[kind].first, oneHit && !isHit ? cell[kind].firstHit : cell[kind].last);
        }
    }

    /// The groups of a cell meet: what one of them is late by counts beyond the slowest of the others.
    [[nodiscard]] Source meeting(const std::vector<Source>& inside, std::size_t section) const
    {
        const auto groups = static_cast<std::size_t>(m_context.graph.groupsPerCell);
        const Hits hits = hitsOf(inside, static_cast<int>(groups));
        const GridDist& groupAtOne = m_context.groupAtOne[section];
        const GridQuantiles atOne(groupAtOne);
        const double mean1 = groupAtOne.mean(), sigma1 = std::sqrt(groupAtOne.variance());
        const Moments& collectives = m_context.groupCollectives[section];
        Picker pick(inside);
        std::vector<Ranks> ranks;
        std::vector<GridQuantiles> ranksAtOne;
        for (const Source& source : inside) {
            ranks.push_back(source.segment < 0 ? Ranks{} : ranksOf(static_cast<std::size_t>(source.segment)));
            ranksAtOne.emplace_back(source.segment < 0 ? groupAtOne : ranks.back().sum->atOne);
        }
        double unused = 0.0;
        const auto inGroup = [&](std::size_t source, std::size_t row, Uniforms& next) {
            const double* g = &m_context.lucky.spatial.factor[row * static_cast<std::size_t>(m_context.graph.groupRanks)];
            const double place = next(), size = next();
            return delayOf(ranks[source], ranksAtOne[source], g, place, size, next, unused);
        };
        std::vector<std::size_t> rows(groups);
        Source out;
        out.probability = hits.any();
        std::vector<double> own(groups), late(groups);
        std::vector<double> factor(groups, 1.0);
        double lasted = 0.0;
        const GroupFactors& factors = m_context.groups;
        const auto quantiles = [](const std::optional<QuantilePoints>& points) {
            return points ? std::make_optional<PointQuantiles>(*points) : std::nullopt;
        };
        const std::optional<PointQuantiles> ownData = quantiles(factors.data), ownRouting = quantiles(factors.routing);
        const double share = m_context.routedShare[section];
        double data = 1.0, routing = 1.0;
        const int samples = samplesOf(m_context, std::clamp(kGroupDraws / m_context.graph.groupsPerCell, kFewestExtras, kEventExtras));
        for (int i = 0; i < samples; ++i) {
            Uniforms next(0x53, i);
            drawGroups(next, rows);
            for (std::size_t k = 0; k < groups; ++k) {
                if (ownData && k % static_cast<std::size_t>(factors.sharingData) == 0)
                    data = ownData->at(next());
                if (ownRouting && share > 0.0 && k % static_cast<std::size_t>(factors.sharingRouting) == 0)
                    routing = 1.0 + share * (ownRouting->at(next()) - 1.0);
                factor[k] = data * routing;
                const Moments m = compute(section, rows[k]);
                const double z = sigma1 > 0.0 ? (atOne.at(next()) - mean1) / sigma1 : 0.0;
                own[k] = late[k] =
                    collectives.mean + factor[k] * m.mean + std::sqrt(factor[k] * factor[k] * m.variance + collectives.variance) * z;
            }
            hits.draw(evenly(0, i), next, [&](std::size_t source, int place) {
                const auto k = static_cast<std::size_t>(place / inside[source].count);
                const double lasts = (inside[source].segment < 0 ? pick(source) : inGroup(source, rows[k], next)) * factor[k];
                late[k] += lasts;
                lasted += lasts / samples;
            });
            out.extra.push_back(*std::max_element(late.begin(), late.end()) - *std::max_element(own.begin(), own.end()));
        }
        lastAsExpected(out.extra, lasted, expectedOf(inside, m_context.graph.groupsPerCell, out.probability));
        return out;
    }

    const RareContext& m_context;
    int m_class;
    const KernelClass& m_kernel;
    const QuantilePoints& m_factor;
    PointQuantiles m_quantiles;
    mutable std::vector<double> m_own, m_late;
    std::vector<double> m_spatialBelow;
    double m_meanSpatial = 1.0;
};

} // namespace

double rareRate(const StepGraph& graph, const ProgramShape& shape, int kernelClass)
{
    double kernels = 0.0;
    const auto add = [&](const std::vector<OpTerm>& terms, double count) {
        for (const OpTerm& t : terms)
            if (t.kernelClass == kernelClass)
                kernels += count * t.count;
    };
    for (const Section& section : shape.sections) {
        for (const SegmentUse& use : section.segments)
            add(shape.segments[static_cast<std::size_t>(use.segment)], section.count * use.count * graph.cellRanks());
        add(section.groupCollectives, section.count * graph.groupsPerCell);
        add(section.cellCollectives, section.count);
    }
    return kernels * -std::log1p(-graph.classes[static_cast<std::size_t>(kernelClass)].temporal.rareProbability);
}

RareEvent rareEventOf(const RareContext& context, int kernelClass)
{
    RareEvent out;
    const std::vector<Source> sources = EventSampler(context, kernelClass).sources();
    if (sources.empty())
        return out;
    const Scope scope = context.graph.classes[static_cast<std::size_t>(kernelClass)].scope;
    out.kernelClass = kernelClass;
    out.followsData = scope == Scope::none;
    out.scope = scope == Scope::none ? static_cast<int>(kComputeRegimeRow) : (scope == Scope::interNode ? 1 : 0);
    const Hits hits = hitsOf(sources);
    out.chance = rareChance(hits.any());
    Picker pick(sources);
    const int samples = samplesOf(context, kEventExtras);
    for (int i = 0; i < samples; ++i) {
        Uniforms next(0x54, i);
        double extra = 0.0;
        hits.draw((i + 0.5) / samples, next, [&](std::size_t source, int) { extra += pick(source); });
        out.extra.push_back(static_cast<float>(extra));
    }
    const double sampled = std::accumulate(out.extra.begin(), out.extra.end(), 0.0) / samples;
    lastAsExpected(out.extra, sampled, expectedOf(sources, 1, hits.any()));
    std::sort(out.extra.begin(), out.extra.end());
    return out;
}

} // namespace prism
