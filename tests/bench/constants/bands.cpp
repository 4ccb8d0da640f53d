// SPDX-License-Identifier: GPL-3.0-or-later
#include "bench/constants/bands.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

namespace prism {
namespace {

constexpr std::size_t kEnoughRowsOfAKind = 20, kEnoughSourcesOfAKind = 2;
constexpr double kMinScale = 1e-6; // rows that are all exact have no scale

/// One held-out row: its error, its source, and the kinds that it belongs to.
struct Row {
    double error = 0, distance = 0; ///< relative, and |log(predicted / published)|
    std::string source;
    std::vector<std::string> kinds; ///< the narrowest first
};
using Rows = std::vector<const Row*>;

/// A number that a row contributes, and how much it weighs.
struct Weighted {
    double value = 0, weight = 0;
};

/// `valueOf` each row, all sources weighing the same.
std::vector<Weighted> weighted(const Rows& rows, const auto& valueOf)
{
    std::map<std::string, double> rowsOf;
    for (const Row* r : rows)
        ++rowsOf[r->source];
    std::vector<Weighted> list;
    for (const Row* r : rows)
        list.push_back({valueOf(*r), 1 / (rowsOf[r->source] * static_cast<double>(rowsOf.size()))});
    return list;
}

/// The value below which `share` of the weight lies, between the middles of the weights.
double quantileOf(std::vector<Weighted> list, double share)
{
    std::sort(list.begin(), list.end(), [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
    double below = 0, last = 0, lastAt = 0;
    for (const Weighted& w : list) {
        const double at = below + w.weight / 2;
        if (at >= share)
            return lastAt > 0 ? last + (w.value - last) * (share - lastAt) / (at - lastAt) : w.value;
        below += w.weight;
        last = w.value;
        lastAt = at;
    }
    return last;
}

std::size_t sourcesOf(const Rows& rows)
{
    std::set<std::string> sources;
    for (const Row* r : rows)
        sources.insert(r->source);
    return sources.size();
}

/// Scales by kind and the percentile of the scores: all that a band needs.
class Scores final {
public:
    /// From all rows but those of one source; "" = from all.
    Scores(const std::vector<Row>& rows, const std::string& without)
    {
        std::map<std::string, Rows> byKind;
        for (const Row& r : rows)
            if (r.source != without)
                for (const std::string& kind : r.kinds)
                    byKind[kind].push_back(&r);
        const Rows& all = byKind[""];
        for (std::size_t level = all.empty() ? 0 : all.front()->kinds.size(); level-- > 0;) // the widest first
            for (const auto& [kind, of] : byKind)
                if (of.front()->kinds[level] == kind)
                    addScale(kind, level, of);
        m_percentile =
            quantileOf(weighted(all, [&](const Row& r) { return r.distance / std::max(kMinScale, scaleOf(r.kinds)); }), kBandShare);
    }

    /// The band of the narrowest kind that has a scale, in logarithms on either side.
    [[nodiscard]] double halfWidthOf(const std::vector<std::string>& kinds) const { return scaleOf(kinds) * m_percentile; }
    [[nodiscard]] bool holds(const Row& row) const { return row.distance <= halfWidthOf(row.kinds); }
    [[nodiscard]] bool has(const std::string& kind) const { return m_scales.contains(kind); }

private:
    void addScale(const std::string& kind, std::size_t level, const Rows& rows)
    {
        const bool widest = kind.empty();
        const auto sources = static_cast<double>(sourcesOf(rows));
        if (!widest && (rows.size() < kEnoughRowsOfAKind || sourcesOf(rows) < kEnoughSourcesOfAKind))
            return;
        double mean = 0;
        for (const Weighted& w : weighted(rows, [](const Row& r) { return r.distance; }))
            mean += w.value * w.weight;
        const std::vector<std::string>& kinds = rows.front()->kinds;
        const std::vector<std::string> wider(kinds.begin() + static_cast<std::ptrdiff_t>(level) + 1, kinds.end());
        m_scales[kind] = widest ? mean : (sources * mean + scaleOf(wider)) / (sources + 1);
    }
    [[nodiscard]] double scaleOf(const std::vector<std::string>& kinds) const
    {
        for (const std::string& kind : kinds)
            if (const auto it = m_scales.find(kind); it != m_scales.end())
                return it->second;
        return 1;
    }

    std::map<std::string, double> m_scales;
    double m_percentile = 0;
};

std::vector<Row> rowsOf(const std::vector<HeldOutError>& errors)
{
    std::vector<Row> rows;
    for (const HeldOutError& e : errors)
        rows.push_back({e.error, std::abs(std::log1p(e.error)), sourceOf(*e.row), bandKinds(e.row->row->scenario)});
    return rows;
}

ErrorBand bandOf(const std::string& kind, const Scores& scores, const Rows& rows)
{
    const double half = scores.halfWidthOf({kind});
    ErrorBand band{kind, std::exp(-half) - 1, std::exp(half) - 1};
    band.rows = static_cast<int>(rows.size());
    band.sources = static_cast<int>(sourcesOf(rows));
    return band;
}

FitReport reportOf(const ErrorBand& band, const Rows& rows)
{
    FitReport report{{},
                     "band of " + (band.kind.empty() ? "all jobs" : band.kind)
                         + ", each row by the band without its source: " + std::to_string(std::lround(100 * band.held)) + " % inside"};
    for (const Row* r : rows)
        report.add(r->error);
    return report;
}

} // namespace

void setBands(Calibration& calibration, const std::vector<HeldOutError>& errors, std::vector<FitReport>& reports)
{
    calibration.bands.clear();
    const std::vector<Row> rows = rowsOf(errors);
    std::map<std::string, Scores> others; // by the source that they lack
    std::map<std::string, Rows> byKind;
    for (const Row& r : rows) {
        others.try_emplace(r.source, rows, r.source);
        for (const std::string& kind : r.kinds)
            byKind[kind].push_back(&r);
    }
    if (others.size() < kEnoughSourcesOfAKind)
        return;
    const Scores scores(rows, "");
    for (const auto& [kind, of] : byKind) {
        if (!scores.has(kind))
            continue;
        ErrorBand band = bandOf(kind, scores, of);
        band.held = static_cast<double>(std::count_if(of.begin(), of.end(), [&](const Row* r) { return others.at(r->source).holds(*r); }))
                    / static_cast<double>(of.size());
        reports.push_back(reportOf(band, of));
        calibration.bands.push_back(std::move(band));
    }
}

} // namespace prism
