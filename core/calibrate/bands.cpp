// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/calibrate/bands.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace prism {
namespace {

constexpr std::size_t kEnoughRows = 20, kEnoughSources = 2;

/// One left-out row: its error, its source and the kinds that it belongs to.
struct Row {
    double error = 0;
    std::string source;
    std::vector<std::string> kinds; ///< the narrowest first
    bool complete = false;
};

/// The error below which `share` of the weight lies; every source weighs the same.
double quantileOf(const std::vector<const Row*>& sorted, const std::map<std::string, double>& rowsOf, double share)
{
    const double sources = static_cast<double>(rowsOf.size());
    double below = 0, last = sorted.front()->error, lastAt = 0;
    for (const Row* r : sorted) {
        const double weight = 1 / (sources * rowsOf.at(r->source)), at = below + weight / 2;
        if (at >= share)
            return lastAt > 0 && at > lastAt ? last + (r->error - last) * (share - lastAt) / (at - lastAt) : r->error;
        below += weight;
        last = r->error;
        lastAt = at;
    }
    return last;
}

/// The central 90 %; what stays outside lies on both sides alike.
ErrorBand bandOf(const std::string& kind, std::vector<const Row*> rows)
{
    std::sort(rows.begin(), rows.end(), [](const Row* a, const Row* b) { return a->error < b->error; });
    std::map<std::string, double> rowsOf;
    for (const Row* r : rows)
        ++rowsOf[r->source];
    ErrorBand band{kind, quantileOf(rows, rowsOf, (1 - kBandShare) / 2), quantileOf(rows, rowsOf, (1 + kBandShare) / 2)};
    band.rows = static_cast<int>(rows.size());
    band.sources = static_cast<int>(rowsOf.size());
    return band;
}

/// As many times as wide around its middle.
ErrorBand widened(ErrorBand band, double widening)
{
    const double middle = (band.low + band.high) / 2, half = widening * (band.high - band.low) / 2;
    band.low = middle - half;
    band.high = middle + half;
    return band;
}

bool enough(const std::vector<const Row*>& rows)
{
    std::set<std::string> sources;
    for (const Row* r : rows)
        sources.insert(r->source);
    return rows.size() >= kEnoughRows && sources.size() >= kEnoughSources;
}

/// What makes the band of a kind, `without` one source: its complete rows, or all of them where those are too few; empty = too few.
std::vector<const Row*> rowsBehind(const std::vector<Row>& rows, const std::string& kind, const std::string& without)
{
    std::vector<const Row*> complete, all;
    for (const Row& r : rows)
        if (r.source != without && std::find(r.kinds.begin(), r.kinds.end(), kind) != r.kinds.end()) {
            all.push_back(&r);
            if (r.complete)
                complete.push_back(&r);
        }
    if (enough(complete))
        return complete;
    return enough(all) ? all : std::vector<const Row*>{};
}

/// A row beside a band that was made without its source.
struct Checked {
    double error = 0;
    ErrorBand band;

    [[nodiscard]] bool heldBy(double widening) const
    {
        const ErrorBand wide = widened(band, widening);
        return error >= wide.low && error <= wide.high;
    }
};

/// The rows behind the band of a kind, each beside the band of that kind without its source, or of the next wider kind that has one.
std::vector<Checked> checkedRows(const std::vector<Row>& rows, const std::string& kind)
{
    std::map<std::pair<std::string, std::string>, std::vector<const Row*>> behind; // by kind and missing source
    std::vector<Checked> checked;
    for (const Row* r : rowsBehind(rows, kind, ""))
        for (auto wider = std::find(r->kinds.begin(), r->kinds.end(), kind); wider != r->kinds.end(); ++wider) {
            const auto [it, added] = behind.try_emplace({*wider, r->source});
            if (added)
                it->second = rowsBehind(rows, *wider, r->source);
            if (it->second.empty())
                continue;
            checked.push_back({r->error, bandOf(*wider, it->second)});
            break;
        }
    return checked;
}

/// The share of rows that the widened bands hold; 1 where there are none.
double heldShare(const std::vector<Checked>& checked, double widening)
{
    const auto held = std::count_if(checked.begin(), checked.end(), [&](const Checked& c) { return c.heldBy(widening); });
    return checked.empty() ? 1 : static_cast<double>(held) / static_cast<double>(checked.size());
}

/// The least factor of 1 and more with which the bands hold what they state.
double wideningOf(const std::vector<Checked>& checked)
{
    constexpr double kMost = 4, kStep = 0.01;
    double widening = 1;
    while (widening < kMost && heldShare(checked, widening) < kBandShare)
        widening += kStep;
    return widening;
}

FitReport reportOf(const ErrorBand& band, const std::vector<Checked>& checked, double widening)
{
    FitReport report{"band of " + (band.kind.empty() ? "all jobs" : band.kind) + ", " + std::to_string(std::lround(100 * widening))
                         + " % as wide as the errors behind it, each row by a band without its source: "
                         + std::to_string(std::lround(100 * std::max(0.0, band.held))) + " % inside",
                     static_cast<int>(checked.size()), 0, 0};
    for (const Checked& c : checked) {
        report.meanAbs += std::abs(c.error) / static_cast<double>(checked.size());
        report.bias += c.error / static_cast<double>(checked.size());
    }
    return report;
}

} // namespace

void setBands(Calibration& calibration, const std::vector<LeftOutError>& errors, std::vector<FitReport>& reports)
{
    std::vector<Row> rows;
    for (const LeftOutError& e : errors)
        rows.push_back({e.error, sourceOf(*e.row), bandKinds(e.row->row->scenario), e.row->row->tier == "A"});
    std::set<std::string> kinds;
    for (const Row& r : rows)
        kinds.insert(r.kinds.begin(), r.kinds.end());
    calibration.bands.clear();
    for (const std::string& kind : kinds) {
        const std::vector<const Row*> behind = rowsBehind(rows, kind, "");
        if (behind.empty())
            continue;
        const std::vector<Checked> checked = checkedRows(rows, kind);
        const double widening = wideningOf(checked);
        ErrorBand band = widened(bandOf(kind, behind), widening);
        band.checked = static_cast<int>(checked.size());
        band.held = checked.empty() ? -1 : heldShare(checked, widening);
        if (kind.empty())
            calibration.bandWidening = widening;
        calibration.bands.push_back(band);
        reports.push_back(reportOf(band, checked, widening));
    }
}

} // namespace prism
