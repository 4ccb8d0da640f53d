// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explore/query.h"

#include "core/base/text.h"
#include "core/stats/random.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace prism {
namespace {

constexpr int kMaxShards = 1'000; ///< Slurm's own limit of an array (MaxArraySize 1001)
constexpr std::uint64_t kDrawPurpose = 0x706f696e7473ULL;
constexpr std::array<std::pair<const char*, ParetoAxis>, 5> kParetoNames = {{{"time", ParetoAxis::time},
                                                                             {"memory", ParetoAxis::memory},
                                                                             {"cost", ParetoAxis::cost},
                                                                             {"gpus", ParetoAxis::gpus},
                                                                             {"energy", ParetoAxis::energy}}};

Diagnostic outOf(const char* path, const char* message, std::string found, std::string accepted)
{
    return {Severity::error, path, message, std::move(found), std::move(accepted), "", ""};
}

/// "18 x 37 x 4 = 2,664".
std::string product(const SearchSpace& space)
{
    std::string text;
    for (const SearchAxis& axis : space.axes)
        text += (text.empty() ? "" : " x ") + std::to_string(axis.values.size());
    return std::to_string(space.size()) + " configurations (" + text + ")";
}

} // namespace

Result<SearchShard> searchShard(const std::string& text)
{
    SearchShard shard{0, 0}; // an empty number leaves it
    const std::size_t slash = std::min(text.find('/'), text.size());
    const char *begin = text.data(), *end = begin + text.size();
    const bool read = slash < text.size() && std::from_chars(begin, begin + slash, shard.index).ptr == begin + slash
                      && std::from_chars(begin + slash + 1, end, shard.count).ptr == end;
    if (!read || shard.index < 1 || shard.index > shard.count || shard.count > kMaxShards)
        return outOf("shard", "Not a part of a search.", text.substr(0, 40), "I/N with I from 1 to N, N at most 1,000");
    return shard;
}

Result<std::vector<ParetoAxis>> paretoAxes(const std::string& text)
{
    std::vector<ParetoAxis> axes;
    const auto reject = [&] {
        return outOf("pareto", "Not dimensions of a Pareto front.", text.substr(0, 60),
                     "two or three different ones of time, memory, cost, gpus, energy, separated by commas");
    };
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find(',', start), text.size());
        const std::string_view name = trimmed(std::string_view(text).substr(start, end - start));
        const auto known = std::find_if(kParetoNames.begin(), kParetoNames.end(), [&](const auto& n) { return n.first == name; });
        if (known == kParetoNames.end() || std::find(axes.begin(), axes.end(), known->second) != axes.end())
            return reject();
        axes.push_back(known->second);
        start = end + 1;
    }
    if (axes.size() < 2 || axes.size() > 3)
        return reject();
    return axes;
}

std::string paretoText(const std::vector<ParetoAxis>& axes)
{
    std::string text;
    for (const ParetoAxis axis : axes)
        for (const auto& [name, known] : kParetoNames)
            if (known == axis)
                text += (text.empty() ? "" : ",") + std::string(name);
    return text;
}

Diagnostics check(const ExploreQuery& query)
{
    Diagnostics errors;
    const auto isLong = [](const SearchAxis& axis) { return axis.values.size() > kMaxAxisValues; };
    if (query.space.axes.size() > kMaxAxes || std::any_of(query.space.axes.begin(), query.space.axes.end(), isLong))
        errors.push_back(outOf("axis", "The space has too many axes, or an axis too many values.",
                               std::to_string(query.space.axes.size()) + " axes",
                               fmt::format("at most {} axes of {} values", kMaxAxes, kMaxAxisValues)));
    const std::int64_t points = query.space.size();
    if (points == 0)
        errors.push_back(outOf("axis", "The space is empty.", "0 configurations", "at least one axis with a value"));
    if (points > query.maxPoints && query.drawPoints == 0) {
        const auto longest = std::max_element(query.space.axes.begin(), query.space.axes.end(),
                                              [](const SearchAxis& a, const SearchAxis& b) { return a.values.size() < b.values.size(); });
        errors.push_back(outOf(longest->ids.front().c_str(), "The space is too large; narrow this axis, the longest, first.",
                               product(query.space),
                               "at most " + std::to_string(query.maxPoints) + ", or --draw N to take N of them at random"));
    }
    if (query.drawPoints < 0 || query.drawPoints > query.maxPoints)
        errors.push_back(outOf("draw", "The number of configurations to draw is out of range.", std::to_string(query.drawPoints),
                               "1 to " + std::to_string(query.maxPoints)));
    if (query.maxSampled > kMaxSampledPoints)
        errors.push_back(outOf("most", "There are too many configurations to sample.", std::to_string(query.maxSampled),
                               "at most " + std::to_string(kMaxSampledPoints)));
    if (query.keep < 1 || query.keep > 100 || query.maxSampled < query.keep)
        errors.push_back(outOf("keep", "The number of best configurations is out of range.", std::to_string(query.keep),
                               "1 to 100, and at most --most"));
    if (!(query.confidence >= 0.5 && query.confidence <= 0.9999))
        errors.push_back(outOf("confidence", "The confidence is out of range.", fmt::format("{}", query.confidence), "0.5 to 0.9999"));
    return errors;
}

SearchPoints::SearchPoints(const ExploreQuery& query, std::uint64_t seed) : m_size(query.space.size())
{
    if (query.drawPoints == 0 || query.drawPoints >= m_size)
        return;
    const StreamId draws = stream(kDrawPurpose);
    // As many draws as twice the points: few repeat in a space that is larger than what is drawn.
    for (std::int64_t i = 0; i < 2 * query.drawPoints; ++i)
        m_drawn.push_back(std::min(
            m_size - 1, static_cast<std::int64_t>(uniform(seed, draws, static_cast<std::uint64_t>(i)) * static_cast<double>(m_size))));
    std::vector<std::int64_t> order = m_drawn;
    std::sort(order.begin(), order.end());
    order.erase(std::unique(order.begin(), order.end()), order.end());
    if (static_cast<std::int64_t>(order.size()) > query.drawPoints) { // the first that came, not the smallest
        std::vector<std::int64_t> first;
        std::vector<char> taken(order.size(), 0);
        for (const std::int64_t index : m_drawn) {
            const auto at = static_cast<std::size_t>(std::lower_bound(order.begin(), order.end(), index) - order.begin());
            if (taken[at] == 0 && static_cast<std::int64_t>(first.size()) < query.drawPoints) {
                taken[at] = 1;
                first.push_back(index);
            }
        }
        std::sort(first.begin(), first.end());
        order = std::move(first);
    }
    m_drawn = std::move(order);
    m_size = static_cast<std::int64_t>(m_drawn.size());
}

} // namespace prism
