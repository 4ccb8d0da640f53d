// SPDX-License-Identifier: GPL-3.0-or-later
// Checks a schedule that came from outside: every item once, dependencies satisfied, no deadlock.
#include "core/schedule/lists.h"
#include "core/schedule/pieces.h"

#include <algorithm>

namespace prism {

namespace {

constexpr std::size_t kMaxReported = 20; ///< further diagnostics of one schedule are counted, not listed

class Report final {
public:
    void add(std::string path, std::string message, std::string found, std::string accepted)
    {
        if (m_found.size() < kMaxReported)
            m_found.push_back({Severity::error, std::move(path), std::move(message), std::move(found), std::move(accepted)});
        else
            ++m_more;
    }
    [[nodiscard]] Diagnostics take(std::string_view path)
    {
        if (m_more > 0)
            m_found.push_back(
                {Severity::error, std::string(path), "Further errors of this schedule are not listed.", std::to_string(m_more), "0"});
        return std::move(m_found);
    }
    [[nodiscard]] bool empty() const { return m_found.empty(); }

private:
    Diagnostics m_found;
    std::size_t m_more = 0;
};

const char* letter(Phase phase)
{
    constexpr std::array<const char*, kPhases> letters = {"F", "B", "W"};
    return letters[static_cast<std::size_t>(phase)];
}

std::string itemText(const ScheduleItem& i)
{
    return std::string(letter(i.phase)) + std::to_string(i.microbatch) + " of chunk " + std::to_string(i.chunk);
}

void checkPath(const Schedule& s, const std::string& path, Report& report)
{
    const std::size_t expected = static_cast<std::size_t>(s.numStages) * static_cast<std::size_t>(s.numChunks);
    if (s.path.size() != expected) {
        report.add(path + ".path", "The path must visit every chunk of every stage once.", std::to_string(s.path.size()),
                   std::to_string(expected) + " pairs");
        return;
    }
    std::vector<char> seen(expected, 0);
    for (std::size_t i = 0; i < s.path.size(); ++i) {
        const auto [stage, chunk] = s.path[i];
        const std::string where = path + ".path[" + std::to_string(i) + "]";
        const std::string found = std::to_string(stage) + ", " + std::to_string(chunk);
        if (stage < 0 || stage >= s.numStages || chunk < 0 || chunk >= s.numChunks) {
            report.add(where, "The pair (stage, chunk) is out of range.", found, "an existing stage and chunk");
            continue;
        }
        char& mark = seen[static_cast<std::size_t>(stage * s.numChunks + chunk)];
        if (mark != 0)
            report.add(where, "The path visits this chunk twice.", found, "every (stage, chunk) once");
        mark = 1;
    }
}

void checkOrder(const Schedule& s, int stage, const std::string& path, Report& report)
{
    const auto& order = s.order[static_cast<std::size_t>(stage)];
    const int phases = s.splitsWeight ? 3 : 2;
    const auto slots = static_cast<std::size_t>(s.numChunks) * static_cast<std::size_t>(s.numMicrobatches);
    std::vector<char> seen(slots * kPhases, 0);
    for (std::size_t i = 0; i < order.size(); ++i) {
        const ScheduleItem& it = order[i];
        const std::string where = path + "[" + std::to_string(i) + "]";
        if (static_cast<int>(it.phase) >= phases || it.chunk >= s.numChunks
            || it.microbatch >= static_cast<std::uint32_t>(s.numMicrobatches)) {
            report.add(where, "The item does not exist in this schedule.", itemText(it),
                       std::string(s.splitsWeight ? "F, B or W" : "F or B") + ", chunk 0 to " + std::to_string(s.numChunks - 1)
                           + ", micro-batch 0 to " + std::to_string(s.numMicrobatches - 1));
            continue;
        }
        char& mark = seen[static_cast<std::size_t>(it.phase) * slots
                          + static_cast<std::size_t>(it.chunk) * static_cast<std::size_t>(s.numMicrobatches) + it.microbatch];
        if (mark != 0)
            report.add(where, "Stage " + std::to_string(stage) + " runs " + itemText(it) + " twice.", itemText(it), "once");
        mark = 1;
    }
    for (int phase = 0; phase < phases; ++phase)
        for (std::size_t k = 0; k < slots; ++k)
            if (seen[static_cast<std::size_t>(phase) * slots + k] == 0) {
                const auto m = static_cast<std::size_t>(s.numMicrobatches);
                const ScheduleItem missing{static_cast<Phase>(phase), static_cast<std::uint16_t>(k / m), static_cast<std::uint32_t>(k % m)};
                report.add(path, "Stage " + std::to_string(stage) + " never runs " + itemText(missing) + ".", "missing", "every item once");
            }
}

/// Items that are joined must be able to run together.
void checkPieces(const Schedule& s, int stage, const std::string& path, Report& report)
{
    const auto& order = s.order[static_cast<std::size_t>(stage)];
    for (std::size_t first = 0, end = 0; first < order.size(); first = end) {
        end = pieceEnd(order, first);
        const auto from = order.begin() + static_cast<std::ptrdiff_t>(first);
        if (order[end - 1].withNext || (end > first + 1 && !isPiece(order, first, end)))
            report.add(path + "[" + std::to_string(first) + "]", "These items make no piece.",
                       itemsText({from, order.begin() + static_cast<std::ptrdiff_t>(std::min(end, first + 4))}, s.numChunks),
                       "a forward with a backward of another micro-batch or chunk (F3+B1), a backward with its own weight item (B1+W1), or "
                       "all three (F3+B1+W1)");
    }
}

/// Why the first item that stage has not run cannot run. `done`: nodes of each stage.
void reportStuck(const Schedule& s, const std::vector<std::size_t>& done, const std::string& path, Report& report)
{
    const auto index = pathIndices(s);
    const int last = static_cast<int>(s.path.size()) - 1;
    for (std::size_t stage = 0; stage < s.order.size(); ++stage) {
        const std::vector<PassStep> steps = passSteps(s.order[stage]);
        if (done[stage] >= steps.size())
            continue;
        const auto ran = std::count_if(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(done[stage]),
                                       [](const PassStep& step) { return step.runs; });
        const ScheduleItem& it = steps[done[stage]].item;
        const int p = index[stage][it.chunk];
        std::string waits;
        const auto place = [&](Phase phase, int at) {
            const auto [st, ch] = s.path[static_cast<std::size_t>(at)];
            return std::string(letter(phase)) + std::to_string(it.microbatch) + " of stage " + std::to_string(st) + " chunk "
                   + std::to_string(ch);
        };
        if (it.phase == Phase::forward)
            waits = place(Phase::forward, p - 1);
        else if (it.phase == Phase::weight)
            waits = place(Phase::backward, p);
        else
            waits = place(Phase::forward, p) + (p < last ? " and " + place(Phase::backward, p + 1) : "");
        report.add(path + "[" + std::to_string(stage) + "][" + std::to_string(ran) + "]",
                   "Deadlock: stage " + std::to_string(stage) + " waits at " + itemText(it) + " for " + waits + ".", itemText(it),
                   "an order in which what an item needs comes first");
    }
}

} // namespace

Diagnostics checkSchedule(const Schedule& s, std::string_view pathView)
{
    const std::string path(pathView);
    Report report;
    const auto range = [&](const char* key, int value, int largest) {
        if (value < 1 || value > largest)
            report.add(path + "." + key, "The size is out of range.", std::to_string(value), "1 to " + std::to_string(largest));
    };
    range("num_stages", s.numStages, kMaxStages);
    range("num_chunks", s.numChunks, kMaxChunks);
    range("num_microbatches", s.numMicrobatches, kMaxMicrobatches);
    if (!report.empty())
        return report.take(path);
    const std::int64_t items = std::int64_t{s.splitsWeight ? 3 : 2} * s.numStages * s.numChunks * s.numMicrobatches;
    if (items > kMaxScheduleItems)
        report.add(path, "The schedule has too many items.", std::to_string(items), "at most " + std::to_string(kMaxScheduleItems));
    if (s.order.size() != static_cast<std::size_t>(s.numStages))
        report.add(path + ".order", "There must be one list per stage.", std::to_string(s.order.size()), std::to_string(s.numStages));
    if (!report.empty())
        return report.take(path);

    checkPath(s, path, report);
    for (int stage = 0; stage < s.numStages; ++stage) {
        checkOrder(s, stage, path + ".order[" + std::to_string(stage) + "]", report);
        checkPieces(s, stage, path + ".order[" + std::to_string(stage) + "]", report);
    }
    if (!report.empty())
        return report.take(path);

    std::vector<std::size_t> done(s.order.size(), 0);
    for (const ScheduleNode& node : executionOrder(s))
        ++done[static_cast<std::size_t>(node.stage)];
    reportStuck(s, done, path + ".order", report);
    return report.take(path);
}

} // namespace prism
