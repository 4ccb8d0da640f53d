// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/insight/histogram.h"

#include "core/base/valuetext.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace prism::cli {

namespace {

constexpr double kShownShare = 0.995; ///< the longest half percent would squeeze all others together
constexpr std::size_t kMinSamples = 50;
constexpr std::array kEighths = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

double shownEnd(std::span<const double> sorted)
{
    return sorted[static_cast<std::size_t>(kShownShare * static_cast<double>(sorted.size() - 1))];
}

/// Centres a text at a column of a line, unless it would touch text that is already in the line.
void put(std::string& line, int column, const std::string& text)
{
    const int from = std::clamp(column - static_cast<int>(text.size()) / 2, 0, std::max(0, static_cast<int>(line.size() - text.size())));
    const auto at = static_cast<std::size_t>(from);
    const std::size_t before = at > 0 ? at - 1 : 0;
    if (at + text.size() <= line.size() && line.find_first_not_of(' ', before) >= std::min(at + text.size() + 1, line.size()))
        line.replace(at, text.size(), text);
}

std::string trimmedEnd(std::string text)
{
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
}

} // namespace

std::vector<int> binCounts(std::span<const double> sorted, int bins)
{
    std::vector<int> counts(static_cast<std::size_t>(std::max(bins, 1)));
    if (sorted.empty())
        return counts;
    const double low = sorted.front(), width = (shownEnd(sorted) - low) / static_cast<double>(counts.size());
    for (const double value : sorted) {
        const double place = width > 0 ? (value - low) / width : 0;
        if (place <= static_cast<double>(counts.size()))
            ++counts[std::min(static_cast<std::size_t>(place), counts.size() - 1)];
    }
    return counts;
}

std::string histogramText(std::span<const double> sorted, const DistributionSummary& s, const HistogramLook& look)
{
    if (sorted.size() < kMinSamples || s.std == 0 || shownEnd(sorted) <= sorted.front())
        return {};
    const std::vector<int> counts = binCounts(sorted, look.columns);
    const int largest = *std::max_element(counts.begin(), counts.end());
    std::string picture;
    for (int row = look.rows - 1; row >= 0; --row) {
        std::string line;
        for (const int count : counts) {
            const int eighths = static_cast<int>(std::lround(8.0 * look.rows * count / largest)) - 8 * row;
            line += kEighths[static_cast<std::size_t>(std::clamp(count > 0 && row == 0 ? std::max(eighths, 1) : eighths, 0, 8))];
        }
        picture += "  " + look.style.blue(trimmedEnd(line)) + "\n";
    }
    const double low = sorted.front(), high = shownEnd(sorted);
    const auto columns = static_cast<std::size_t>(look.columns);
    std::string ticks(columns, ' '), names(columns, ' '), values(columns, ' ');
    const std::array<std::pair<const char*, std::pair<double, double>>, 4> marks = {
        {{"p50", {s.p50, s.ciP50}}, {"p95", {s.p95, s.ciP95}}, {"p5", {s.p5, s.ciP50}}, {"p99", {s.p99, s.ciP99}}}};
    for (const auto& [name, metric] : marks) {
        const int column = std::clamp(static_cast<int>((metric.first - low) / (high - low) * look.columns), 0, look.columns - 1);
        ticks[static_cast<std::size_t>(column)] = '|';
        put(names, column, name);
        put(values, column, earnedDigits(metric.first, metric.second) + " s");
    }
    std::string axis;
    for (const char c : ticks)
        axis += c == '|' ? "┴" : "─";
    return picture + "  " + look.style.faint(axis) + "\n  " + look.style.bold(trimmedEnd(names)) + "\n  " + trimmedEnd(values) + "\n";
}

} // namespace prism::cli
