#include "core/cost/scheduleof.h"

#include <charconv>

namespace prism {

Result<Schedule> scheduleFromLists(const std::vector<std::string>& lists, int numChunks, int numMicrobatches)
{
    Schedule schedule;
    schedule.numStages = static_cast<int>(lists.size());
    schedule.numChunks = numChunks;
    schedule.numMicrobatches = numMicrobatches;
    Diagnostics errors;
    for (std::size_t stage = 0; stage < lists.size(); ++stage) {
        auto& order = schedule.order.emplace_back();
        const std::string& text = lists[stage];
        std::size_t begin = 0;
        while ((begin = text.find_first_not_of(" ,\t\n", begin)) != std::string::npos) {
            const std::size_t end = std::min(text.find_first_of(" ,\t\n", begin), text.size());
            const std::string word = text.substr(begin, end - begin);
            begin = end;
            ScheduleItem item;
            unsigned batch = 0, chunk = 0;
            const char* last = word.data() + word.size();
            auto [next, code] = std::from_chars(word.data() + 1, last, batch);
            bool good = code == std::errc() && std::string_view("FBW").find(word[0]) != std::string_view::npos;
            if (good && next != last) {
                const auto parsed = std::from_chars(next + 1, last, chunk);
                good = *next == '.' && parsed.ec == std::errc() && parsed.ptr == last && chunk < kMaxChunks;
            }
            if (!good) {
                if (errors.size() < 20)
                    errors.push_back({Severity::error, "parallelism.custom_schedule[" + std::to_string(stage) + "]", "this is no schedule item",
                                      word.substr(0, 40), "F, B or W, a micro-batch and optionally .chunk, such as F3 or B0.1", "", ""});
                continue;
            }
            item.phase = word[0] == 'F' ? Phase::forward : word[0] == 'B' ? Phase::backward : Phase::weight;
            item.chunk = static_cast<std::uint16_t>(chunk);
            item.microbatch = batch;
            order.push_back(item);
        }
    }
    if (!errors.empty())
        return errors;
    return customSchedule(std::move(schedule));
}

Result<Schedule> scheduleOf(const Scenario& scenario, int numMicrobatches, const PassTimes& times)
{
    const ParallelismConfig& par = scenario.parallelism;
    const int stages = par.pipelineModelParallelSize, chunks = par.virtualPipelineModelParallelSize;
    if (par.pipelineSchedule == "custom")
        return scheduleFromLists(par.customSchedule, chunks, numMicrobatches);
    std::string name = par.pipelineSchedule;
    if (name == "1f1b" && chunks > 1)
        name = "interleaved";
    if (name == "interleaved" && chunks <= 1)
        name = "1f1b";
    return makeSchedule(name, stages, chunks, numMicrobatches, times);
}

} // namespace prism
