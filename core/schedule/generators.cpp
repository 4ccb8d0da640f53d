// SPDX-License-Identifier: GPL-3.0-or-later
// The closed-form schedules, the planned ones, and custom lists.
#include "core/schedule/generators.h"

#include "core/base/diagnostictext.h"
#include "core/schedule/dualpipe.h"
#include "core/schedule/greedy.h"
#include "core/schedule/shape.h"

#include <algorithm>

namespace prism {

namespace {

using Order = std::vector<ScheduleItem>;

ScheduleItem item(Phase phase, int chunk, int microbatch)
{
    return {phase, static_cast<std::uint16_t>(chunk), static_cast<std::uint32_t>(microbatch)};
}

Order gpipeOrder(int numMicrobatches)
{
    Order order;
    for (const Phase phase : {Phase::forward, Phase::backward})
        for (int m = 0; m < numMicrobatches; ++m)
            order.push_back(item(phase, 0, m));
    return order;
}

Order oneFOneBOrder(int stagesBehind, int numMicrobatches)
{
    Order order;
    const int warmup = std::min(stagesBehind, numMicrobatches);
    for (int m = 0; m < warmup; ++m)
        order.push_back(item(Phase::forward, 0, m));
    for (int m = 0; m < numMicrobatches; ++m) {
        if (warmup + m < numMicrobatches)
            order.push_back(item(Phase::forward, 0, warmup + m));
        order.push_back(item(Phase::backward, 0, m));
    }
    return order;
}

/// Chunk executions of Megatron-LM's interleaved schedule in one direction: numStages micro-batches through each chunk in turn.
class InterleavedItems final {
public:
    InterleavedItems(Phase phase, int numStages, int numChunks) : m_phase(phase), m_numStages(numStages), m_numChunks(numChunks) {}
    ScheduleItem next()
    {
        const ScheduleItem out = item(m_phase, m_phase == Phase::forward ? m_chunk : m_numChunks - 1 - m_chunk, m_first + m_inGroup);
        if (++m_inGroup == m_numStages) {
            m_inGroup = 0;
            if (++m_chunk == m_numChunks) {
                m_chunk = 0;
                m_first += m_numStages;
            }
        }
        return out;
    }

private:
    Phase m_phase;
    int m_numStages, m_numChunks;
    int m_first = 0, m_chunk = 0, m_inGroup = 0;
};

Order interleavedOrder(int stage, int numStages, int numChunks, int numMicrobatches)
{
    Order order;
    const int total = numMicrobatches * numChunks;
    const int warmup = std::min(total, 2 * (numStages - 1 - stage) + (numChunks - 1) * numStages);
    order.reserve(2 * static_cast<std::size_t>(total));
    InterleavedItems forwards(Phase::forward, numStages, numChunks), backwards(Phase::backward, numStages, numChunks);
    for (int k = 0; k < warmup; ++k)
        order.push_back(forwards.next());
    for (int k = 0; k < total; ++k) {
        if (warmup + k < total)
            order.push_back(forwards.next());
        order.push_back(backwards.next());
    }
    return order;
}

/// `warmup` forwards, then (backward i, weight i - delay, forward) until everything has run.
Order handcraftedOrder(int warmup, int delay, int numMicrobatches)
{
    Order order;
    int forwards = std::min(warmup, numMicrobatches);
    for (int m = 0; m < forwards; ++m)
        order.push_back(item(Phase::forward, 0, m));
    for (int m = 0; m < numMicrobatches; ++m) {
        order.push_back(item(Phase::backward, 0, m));
        if (m >= delay)
            order.push_back(item(Phase::weight, 0, m - delay));
        if (forwards < numMicrobatches)
            order.push_back(item(Phase::forward, 0, forwards++));
    }
    for (int m = std::max(0, numMicrobatches - delay); m < numMicrobatches; ++m)
        order.push_back(item(Phase::weight, 0, m));
    return order;
}

std::vector<std::array<int, 2>> roundPath(int numStages, int numChunks)
{
    std::vector<std::array<int, 2>> path;
    for (int chunk = 0; chunk < numChunks; ++chunk)
        for (int stage = 0; stage < numStages; ++stage)
            path.push_back({stage, chunk});
    return path;
}

std::vector<std::array<int, 2>> vPath(int numStages)
{
    std::vector<std::array<int, 2>> path = roundPath(numStages, 1);
    for (int stage = numStages - 1; stage >= 0; --stage)
        path.push_back({stage, 1});
    return path;
}

/// Runs on pairs of devices, in both directions.
constexpr std::string_view kPaired = "dualpipe";

bool isVShaped(std::string_view name)
{
    return name == "zb-v" || isDualPipe(name);
}

Diagnostics checkSizes(int numStages, int numChunks, int numMicrobatches, const std::string& path)
{
    Diagnostics found;
    const auto range = [&](const char* key, int value, int largest) {
        if (value < 1 || value > largest)
            found.push_back(
                errorAt(path + "." + key, "The size is out of range.", std::to_string(value), "1 to " + std::to_string(largest)));
    };
    range("num_stages", numStages, kMaxStages);
    range("num_chunks", numChunks, kMaxChunks);
    range("num_microbatches", numMicrobatches, kMaxMicrobatches);
    const std::int64_t items = std::int64_t{3} * numStages * numChunks * numMicrobatches;
    if (found.empty() && items > kMaxScheduleItems)
        found.push_back(errorAt(path, "Stages x chunks x micro-batches x 3 is more than a schedule may have.", std::to_string(items),
                                "at most " + std::to_string(kMaxScheduleItems)));
    return found;
}

Diagnostics checkFits(std::string_view name, int numStages, int numChunks, int numMicrobatches)
{
    Diagnostics found;
    if (isVShaped(name) && numChunks != 2)
        found.push_back(errorAt("schedule.num_chunks", std::string(name) + " has two chunks per stage.", std::to_string(numChunks), "2"));
    if (!isVShaped(name) && name != "interleaved" && numChunks != 1)
        found.push_back(errorAt("schedule.num_chunks", std::string(name) + " has one chunk per stage.", std::to_string(numChunks),
                                "1, or schedule interleaved, zb-v, dualpipev or dualpipe"));
    if (isDualPipe(name) && numMicrobatches < 2 * numStages)
        found.push_back(errorAt("schedule.num_microbatches", std::string(name) + " needs two micro-batches per stage.",
                                std::to_string(numMicrobatches), "at least " + std::to_string(2 * numStages)));
    if (name == "interleaved" && numMicrobatches % numStages != 0)
        found.push_back(errorAt("schedule.num_microbatches", "The interleaved schedule needs a multiple of the stages.",
                                std::to_string(numMicrobatches), "a multiple of " + std::to_string(numStages)));
    return found;
}

Order closedFormOrder(std::string_view name, const Schedule& s, int stage)
{
    const int behind = s.numStages - 1 - stage;
    if (name == "gpipe")
        return gpipeOrder(s.numMicrobatches);
    if (name == "1f1b")
        return oneFOneBOrder(behind, s.numMicrobatches);
    if (name == "interleaved")
        return interleavedOrder(stage, s.numStages, s.numChunks, s.numMicrobatches);
    if (isDualPipe(name))
        return dualPipeVOrder(stage, s.numStages, s.numMicrobatches);
    if (name == "zb-h1")
        return handcraftedOrder(behind + 1, stage, s.numMicrobatches);
    return handcraftedOrder(2 * behind + 1, 2 * stage, s.numMicrobatches);
}

} // namespace

const std::vector<std::string>& scheduleNames()
{
    static const std::vector<std::string> names = {"gpipe", "1f1b",  "interleaved", "zb-h1",     "zb-h2",
                                                   "zb-1p", "zb-2p", "zb-v",        "dualpipev", "dualpipe"};
    return names;
}

bool schedulesWeight(std::string_view name)
{
    return name.starts_with("zb-") || isDualPipe(name);
}

bool plansOrder(std::string_view name)
{
    return name == "zb-1p" || name == "zb-2p" || name == "zb-v";
}

int virtualStagesOf(std::string_view name)
{
    const auto& names = scheduleNames();
    const bool known = std::find(names.begin(), names.end(), name) != names.end();
    return !known || name == "interleaved" ? 0 : isVShaped(name) && name != kPaired ? 2 : 1;
}

PipelineSize scheduledSize(std::string_view name, int devices, int virtualStages)
{
    return name == kPaired ? PipelineSize{devices / 2, 2} : PipelineSize{devices, virtualStages};
}

Result<Schedule> scheduleShape(std::string_view name, int numStages, int numChunks, int numMicrobatches)
{
    const auto& names = scheduleNames();
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        std::string accepted;
        for (const std::string& known : names)
            accepted += (accepted.empty() ? "" : ", ") + known;
        return errorAt("schedule.name", "There is no schedule of this name.", std::string(name), accepted);
    }
    Diagnostics found = checkSizes(numStages, numChunks, numMicrobatches, "schedule");
    if (found.empty())
        found = checkFits(name, numStages, numChunks, numMicrobatches);
    if (!found.empty())
        return found;
    Schedule s;
    s.name = name;
    s.numStages = numStages;
    s.numChunks = numChunks;
    s.numMicrobatches = numMicrobatches;
    s.splitsWeight = schedulesWeight(name);
    s.path = isVShaped(name) ? vPath(numStages) : roundPath(numStages, numChunks);
    return s;
}

Result<Schedule> makeSchedule(std::string_view name, int numStages, int numChunks, int numMicrobatches, const PassTimes& times)
{
    Result<Schedule> shape = scheduleShape(name, numStages, numChunks, numMicrobatches);
    if (!shape.ok())
        return shape;
    Schedule s = std::move(shape).value();
    if (name == "zb-v") {
        s.order = greedyOrder(s, times, 2 * numStages);
        return s;
    }
    const std::string_view closed = name == "zb-1p" ? "zb-h1" : name == "zb-2p" ? "zb-h2" : name;
    for (int stage = 0; stage < numStages; ++stage)
        s.order.push_back(closedFormOrder(closed, s, stage));
    if (plansOrder(name)) { // the handcrafted order keeps the same limit; the shorter one wins
        Schedule greedy = s;
        greedy.order = greedyOrder(s, times, name == "zb-1p" ? numStages : 2 * numStages);
        if (scheduleTiming(greedy, times).longestStageSeconds < scheduleTiming(s, times).longestStageSeconds)
            return greedy;
    }
    return s;
}

Result<Schedule> customSchedule(Schedule lists)
{
    lists.name = "custom";
    if (Diagnostics sizes = checkSizes(lists.numStages, lists.numChunks, lists.numMicrobatches, "schedule"); !sizes.empty())
        return sizes;
    if (lists.path.empty())
        lists.path = roundPath(lists.numStages, lists.numChunks);
    for (const Order& order : lists.order)
        for (const ScheduleItem& i : order)
            lists.splitsWeight = lists.splitsWeight || i.phase == Phase::weight;
    if (Diagnostics found = checkSchedule(lists); hasErrors(found))
        return found;
    return lists;
}

} // namespace prism
