// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explore/explore.h"

#include "core/explore/ranking.h"
#include "core/explore/sampler.h"

#include <spdlog/fmt/fmt.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>

namespace prism {
namespace {

constexpr std::size_t kMaxReasons = 40, kMaxListed = 10'000;
constexpr std::int64_t kPartsAtOnce = 64; ///< between two looks at the clock
constexpr double kSecondsBetweenWrites = 2;

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin)
{
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// The text of the records so far, written now and then: rarely enough that writing takes at most a tenth of the time.
class Keeper final {
public:
    Keeper(const ExploreCheckpoint& checkpoint, const RecordsHead& head, const SearchShard& shard) : m_checkpoint(checkpoint)
    {
        if (!checkpoint.write)
            return;
        m_text.add(headLine(head) + "\n");
        m_text.add(shardLine(shard));
    }
    void add(const std::string& line)
    {
        if (!m_checkpoint.write)
            return;
        m_text.add(line);
        if (since(m_last) > kSecondsBetweenWrites + 10 * m_took)
            write();
    }
    void write()
    {
        if (!m_checkpoint.write)
            return;
        const Clock::time_point begin = Clock::now();
        m_checkpoint.write(m_text.text());
        m_took = since(begin);
        m_last = Clock::now();
    }

private:
    const ExploreCheckpoint& m_checkpoint;
    RecordsText m_text;
    Clock::time_point m_last = Clock::now();
    double m_took = 0;
};

class Search final {
public:
    Search(const SamplerInputs& inputs, const ExploreCheckpoint& checkpoint, Keeper& keeper)
        : m_in(inputs),
          m_known(checkpoint.known),
          m_keeper(keeper),
          m_points(inputs.query, inputs.options.seed)
    {
        m_out.query = inputs.query;
        m_out.seed = inputs.options.seed;
    }

    void quickPass();
    void raceAndRank();
    [[nodiscard]] Exploration take() { return std::move(m_out); }
    [[nodiscard]] const Exploration& out() const { return m_out; }
    [[nodiscard]] bool stopped() const { return m_in.options.stop.stop_requested(); }

private:
    [[nodiscard]] std::optional<SampleRow> row(std::int64_t index, int samples);
    [[nodiscard]] std::vector<std::int64_t> parts() const;
    void add(std::int64_t number, QuickPart part);
    void setRejected();
    void report(double fraction, const char* what) const
    {
        if (m_in.options.progress)
            m_in.options.progress(fraction, what);
    }

    const SamplerInputs& m_in;
    const ExploreRecords& m_known;
    Keeper& m_keeper;
    SearchPoints m_points;
    std::vector<QuickPoint> m_fitting;
    std::vector<ReasonCount> m_reasons;
    Exploration m_out;
};

/// Those of this shard.
std::vector<std::int64_t> Search::parts() const
{
    std::vector<std::int64_t> numbers;
    const SearchShard& shard = m_in.query.shard;
    for (std::int64_t part = shard.index - 1; part * kPointsPerPart < m_points.size(); part += shard.count)
        numbers.push_back(part);
    return numbers;
}

void Search::add(std::int64_t number, QuickPart part)
{
    m_keeper.add(partLine(number, part));
    m_out.points += part.points;
    m_out.valid += part.valid;
    m_out.fitting += static_cast<std::int64_t>(part.fitting.size());
    m_fitting.insert(m_fitting.end(), part.fitting.begin(), part.fitting.end());
    addReasons(m_reasons, part.reasons);
    for (RejectedPoint& r : part.rejected)
        if (m_out.excluded.size() < kMaxListed)
            m_out.excluded.push_back({valuesOf(m_in.query.space, r.index), std::move(r.reasons)});
}

void Search::quickPass()
{
    const std::vector<std::int64_t> numbers = parts();
    const auto count = static_cast<std::int64_t>(numbers.size());
    tbb::enumerable_thread_specific<QuickCoster> costers;
    tbb::task_arena arena(m_in.options.threads > 0 ? m_in.options.threads : tbb::task_arena::automatic);
    for (std::int64_t begin = 0; begin < count && !stopped(); begin += kPartsAtOnce) {
        const std::int64_t end = std::min(count, begin + kPartsAtOnce);
        std::vector<QuickPart> made(static_cast<std::size_t>(end - begin));
        arena.execute([&] {
            tbb::parallel_for(begin, end, [&](std::int64_t i) {
                const std::int64_t number = numbers[static_cast<std::size_t>(i)];
                QuickPart& part = made[static_cast<std::size_t>(i - begin)];
                if (const auto known = m_known.parts.find(number); known != m_known.parts.end())
                    part = known->second;
                else if (!stopped())
                    part = quickPart({m_in.query, m_points, m_in.maker}, costers.local(), number);
            });
        });
        for (std::int64_t i = begin; i < end && !stopped(); ++i)
            add(numbers[static_cast<std::size_t>(i)], std::move(made[static_cast<std::size_t>(i - begin)]));
        report(0.2 * static_cast<double>(end) / static_cast<double>(count), "noise-free steps");
    }
    setRejected();
}

void Search::setRejected()
{
    m_out.rejected.clear();
    for (const ReasonCount& r : m_reasons) {
        std::string example;
        for (const auto& [id, value] : valuesOf(m_in.query.space, r.first))
            example += (example.empty() ? "" : ", ") + id + " = " + value;
        m_out.rejected.push_back({r.reason, r.count, r.alone, std::move(example)});
    }
    std::stable_sort(m_out.rejected.begin(), m_out.rejected.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
    if (m_out.rejected.size() > kMaxReasons)
        m_out.rejected.resize(kMaxReasons);
}

std::optional<SampleRow> Search::row(std::int64_t index, int samples)
{
    const auto known = m_known.rows.find({index, samples});
    std::optional<SampleRow> made = known != m_known.rows.end() ? known->second : sampledRow(m_in, index, samples);
    if (made)
        m_keeper.add(rowLine(*made));
    return made;
}

void Search::raceAndRank()
{
    const auto rows = [this](std::int64_t index, int samples) { return row(index, samples); };
    const RaceResult result =
        race({m_in.query, m_in.maker, std::move(m_fitting), rows, [this](double fraction) { report(0.2 + 0.8 * fraction, "sampling"); }});
    if (result.stopped)
        return;
    if (result.doesNotFit > 0) {
        m_out.fitting -= result.doesNotFit;
        addReasons(m_reasons, {{kDoesNotFit, result.doesNotFit, result.doesNotFit, result.firstUnfit}});
        setRejected();
    }
    rank(result, m_in.maker, m_out);
    m_keeper.add(endLine());
}

Diagnostics nothingFits(const Exploration& e)
{
    Diagnostics errors{{Severity::error, "axis", "No configuration of the space is valid and fits into memory.",
                        std::to_string(e.points) + " configurations", "a wider space", "", ""}};
    for (const ExploreRejection& r : e.rejected)
        errors.push_back({Severity::error, "axis",
                          fmt::format("removes {} configurations, {} of them alone: {}", r.count, r.alone, r.reason), r.example, "", "",
                          ""});
    return errors;
}

Diagnostics checkRequested(const Scenario& scenario, const ExploreQuery& query)
{
    Diagnostics errors = check(query);
    if (query.objective.metric == ExploreObjective::Metric::lateness && scenario.training.trainTokens <= 0)
        errors.push_back({Severity::error, "training.train_tokens", "A deadline needs the number of tokens to train.", "0",
                          "a positive number of tokens", "", ""});
    return errors;
}

} // namespace

Result<Exploration> explore(Evaluator& evaluator, const Scenario& scenario, const ExploreQuery& query, const InsightOptions& options,
                            const ExploreCheckpoint& checkpoint)
{
    const Clock::time_point begin = Clock::now();
    if (Diagnostics errors = checkRequested(scenario, query); hasErrors(errors))
        return errors;
    const Result<PointMaker> maker = PointMaker::make(query.space, scenario);
    if (!maker.ok())
        return maker.errors();
    CostedPoints costed(*maker);
    const SamplerInputs inputs{evaluator, *maker, query, options, costed};
    Keeper keeper(checkpoint, {scenario, query, options.seed}, query.shard);
    Search search(inputs, checkpoint, keeper);
    search.quickPass();
    const double deterministic = since(begin);
    if (!search.stopped() && (search.out().fitting > 0 || query.shard.count > 1))
        search.raceAndRank();
    keeper.write();
    if (search.stopped())
        return cancelled();
    const bool empty = search.out().candidates.empty();
    if (empty && query.shard.count == 1)
        return nothingFits(search.out());
    Exploration result = search.take();
    result.deterministicSeconds = deterministic;
    result.elapsedSeconds = since(begin);
    return result;
}

Result<Exploration> mergedExploration(Evaluator& evaluator, std::vector<ExploreRecords> shards, const InsightOptions& options,
                                      const std::function<void(const std::string&)>& write)
{
    Result<ExploreRecords> all = joined(std::move(shards));
    if (!all.ok())
        return all.errors();
    const Result<RecordsHead> head = recordsHead(all->head);
    if (!head.ok())
        return head.errors();
    InsightOptions requested = options;
    requested.seed = head->seed;
    return explore(evaluator, head->scenario, head->query, requested, {std::move(all).value(), write});
}

} // namespace prism
