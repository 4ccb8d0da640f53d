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

/// The bands of all kinds that have enough rows, made without one source.
std::map<std::string, ErrorBand> bandsWithout(const std::vector<Row>& rows, const std::string& source)
{
    std::map<std::string, std::vector<const Row*>> complete, all;
    for (const Row& r : rows)
        for (const std::string& kind : r.kinds)
            if (r.source != source) {
                all[kind].push_back(&r);
                if (r.complete)
                    complete[kind].push_back(&r);
            }
    std::map<std::string, ErrorBand> bands;
    for (const auto& [kind, of] : all)
        if (const auto it = complete.find(kind); it != complete.end() && enough(it->second))
            bands[kind] = bandOf(kind, it->second);
        else if (enough(of))
            bands[kind] = bandOf(kind, of);
    return bands;
}

/// A row beside the narrowest band that was made without its source.
struct Checked {
    const Row* row = nullptr;
    ErrorBand band;

    [[nodiscard]] bool heldBy(double widening) const
    {
        const ErrorBand wide = widened(band, widening);
        return row->error >= wide.low && row->error <= wide.high;
    }
};

std::vector<Checked> checkedRows(const std::vector<Row>& rows)
{
    std::set<std::string> sources;
    for (const Row& r : rows)
        sources.insert(r.source);
    std::vector<Checked> checked;
    for (const std::string& source : sources) {
        const std::map<std::string, ErrorBand> bands = bandsWithout(rows, source);
        for (const Row& r : rows) {
            if (r.source != source)
                continue;
            for (const std::string& kind : r.kinds)
                if (const auto it = bands.find(kind); it != bands.end()) {
                    checked.push_back({&r, it->second});
                    break;
                }
        }
    }
    return checked;
}

/// The share of the complete rows that the widened bands hold.
double heldShare(const std::vector<Checked>& checked, double widening)
{
    double held = 0, rows = 0;
    for (const Checked& c : checked)
        if (c.row->complete) {
            ++rows;
            held += c.heldBy(widening) ? 1 : 0;
        }
    return rows > 0 ? held / rows : 1;
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

} // namespace

void setBands(Calibration& calibration, const std::vector<LeftOutError>& errors, std::vector<FitReport>& reports)
{
    std::vector<Row> rows;
    for (const LeftOutError& e : errors)
        rows.push_back({e.error, sourceOf(*e.row), bandKinds(e.row->row->scenario), e.row->row->tier == "A"});
    const std::vector<Checked> checked = checkedRows(rows);
    calibration.bandWidening = wideningOf(checked);
    calibration.bands.clear();
    for (const auto& [kind, narrow] : bandsWithout(rows, "")) {
        ErrorBand band = widened(narrow, calibration.bandWidening);
        double held = 0, bias = 0, meanAbs = 0;
        for (const Checked& c : checked)
            if (std::find(c.row->kinds.begin(), c.row->kinds.end(), kind) != c.row->kinds.end()) {
                ++band.checked;
                held += c.heldBy(calibration.bandWidening) ? 1 : 0;
                bias += c.row->error;
                meanAbs += std::abs(c.row->error);
            }
        const double n = std::max(1, band.checked);
        band.held = band.checked > 0 ? held / n : -1;
        reports.push_back({"band of " + (kind.empty() ? "all jobs" : kind)
                               + ", each row by a band without its source: " + std::to_string(std::lround(100 * held / n)) + " % inside",
                           band.checked, meanAbs / n, bias / n});
        calibration.bands.push_back(band);
    }
}

} // namespace prism
