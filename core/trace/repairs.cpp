// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/repairs.h"

#include "core/stats/moments.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace prism {

namespace {

/// A step that can be run with other durations and gaps; by node of its graph.
struct Rerun {
    BlockingGraph graph;
    std::vector<double> seconds, gaps;
};

/// Where an operation is: step, replica, slot.
struct OperationPlace {
    std::size_t step = 0, replica = 0, slot = 0;
};

class Workshop {
public:
    explicit Workshop(const RegularJob& job) : m_job(job), m_factors(computeFactors(job)) {}

    Result<Repairs> run()
    {
        for (const RegularStep& s : m_job.steps) {
            const StepLinks links = stepLinks(*s.step, *m_job.job);
            auto graph = blockingGraph(*s.step, *m_job.job, links, m_job.barriers, m_job.overlapped);
            if (!graph)
                return Diagnostic{Severity::error, m_job.job->name, "the operations wait for each other in a circle", "", "", "", ""};
            m_steps.push_back({std::move(*graph), {}, {}});
            m_steps.back().seconds = nodeSeconds(*s.step, links, m_steps.back().graph);
            m_steps.back().gaps = launchGaps(*s.step, m_steps.back().graph);
        }
        m_result.beforeSeconds = again([](const OperationPlace&, double, double&) {});
        m_result.before = stepTimes(m_result.beforeSeconds);
        for (std::size_t t = 0; t < m_job.steps.size(); ++t)
            m_result.replayError = std::max(m_result.replayError, std::abs(m_result.beforeSeconds[t] / m_job.steps[t].stepSeconds - 1));
        mendSlowWorkers();
        evenStages();
        evenMicroBatches();
        gapsAndTransfers();
        return std::move(m_result);
    }

private:
    /// The new duration of one operation; left alone where it keeps its own.
    using Mend = std::function<void(const OperationPlace&, double own, double& seconds)>;

    [[nodiscard]] std::vector<double> again(const Mend& mend, bool withGaps = true) const
    {
        std::vector<double> result, seconds, none;
        ReplayTimes times;
        for (std::size_t t = 0; t < m_steps.size(); ++t) {
            seconds = m_steps[t].seconds;
            for (std::size_t j = 0; j < m_job.size(); ++j) {
                double& own = seconds[static_cast<std::size_t>(m_job.steps[t].operation[j])];
                mend({t, j / m_job.slots.size(), j % m_job.slots.size()}, own, own);
            }
            none.assign(seconds.size(), 0.0);
            m_steps[t].graph.graph.run(seconds, withGaps ? m_steps[t].gaps : none, times);
            result.push_back(times.seconds());
        }
        return result;
    }

    void add(std::string id, std::string text, std::vector<double> seconds)
    {
        addRepair(m_result, std::move(id), std::move(text), std::move(seconds));
    }

    [[nodiscard]] std::size_t worker(const OperationPlace& p) const
    {
        return p.replica * static_cast<std::size_t>(m_job.job->stages) + static_cast<std::size_t>(m_job.slots[p.slot].stage);
    }
    [[nodiscard]] bool computes(const OperationPlace& p) const { return isCompute(m_job.slots[p.slot].type); }

    void mendSlowWorkers()
    {
        const int stages = m_job.job->stages;
        m_result.slow = slowWorkers(m_job, m_factors);
        const std::array<std::vector<double>, 2> over = {overMedian(m_factors.byDirection[0], stages),
                                                         overMedian(m_factors.byDirection[1], stages)};
        std::vector<bool> isSlow(m_factors.worker.size(), false);
        for (const SlowWorker& w : m_result.slow)
            isSlow[static_cast<std::size_t>(w.replica * stages + w.stage)] = true;
        const auto repaired = [&](const OperationPlace& p, double own) {
            return own / std::max(1.0, over[isForward(m_job.slots[p.slot].type) ? 0 : 1][worker(p)]);
        };
        if (m_job.job->replicas < 2)
            m_result.notes.push_back({Severity::warning, m_job.job->name,
                                      "one replica is recorded: a slow worker cannot be distinguished from a stage with more work", "", "",
                                      "", ""});
        constexpr std::size_t kNamed = 8; // repairs of single workers; the rest go with "all slow workers"
        for (std::size_t k = 0; k < std::min(kNamed, m_result.slow.size()); ++k) {
            const SlowWorker& w = m_result.slow[k];
            const auto place = static_cast<std::size_t>(w.replica * stages + w.stage);
            add(fmt::format("worker:{}:{}", number(w.replica), w.stage),
                fmt::format("replica {}, stage {} as fast as the median of its stage (it takes {:.2f} times as long)", number(w.replica),
                            w.stage, w.factor),
                again([&](const OperationPlace& p, double own, double& seconds) {
                    if (computes(p) && worker(p) == place)
                        seconds = repaired(p, own);
                }));
        }
        if (m_result.slow.size() > 1)
            add("slow_workers", fmt::format("all {} slow workers as fast as the median of their stages", m_result.slow.size()),
                again([&](const OperationPlace& p, double own, double& seconds) {
                    if (computes(p) && isSlow[worker(p)])
                        seconds = repaired(p, own);
                }));
    }
    [[nodiscard]] int number(int replica) const { return m_job.job->replicaNumbers[static_cast<std::size_t>(replica)]; }

    void evenStages()
    {
        std::vector<double> load(static_cast<std::size_t>(m_job.job->stages), 0.0), microBatches(load.size(), 0.0);
        for (std::size_t l = 0; l < m_job.slots.size(); ++l) {
            const OperationSlot& slot = m_job.slots[l];
            const auto s = static_cast<std::size_t>(slot.stage);
            load[s] += m_factors.mean[l];
            microBatches[s] += slot.type == TraceOp::forwardCompute && slot.chunk == 0 ? 1 : 0;
        }
        for (std::size_t s = 0; s < load.size(); ++s)
            load[s] /= std::max(1.0, microBatches[s]);
        const double mean = meanOf(load);
        bool isUneven = false;
        for (std::size_t s = 0; s < load.size(); ++s) {
            m_result.stages.push_back({static_cast<int>(s), load[s], load[s] / mean});
            isUneven = isUneven || std::abs(load[s] / mean - 1) > kUnevenStage;
        }
        if (isUneven)
            add("even_stages", "the same work on every stage (layers moved, none taken away)",
                again([&](const OperationPlace& p, double own, double& seconds) {
                    if (computes(p))
                        seconds = own / m_result.stages[static_cast<std::size_t>(m_job.slots[p.slot].stage)].overMean;
                }));
    }

    void evenMicroBatches()
    {
        const std::size_t slots = m_job.slots.size();
        add("even_micro_batches", "every micro-batch of a step as heavy as the others (tokens dealt evenly over all replicas)",
            again([&](const OperationPlace& p, double own, double& seconds) {
                if (const double heavy = m_factors.residual[p.step][p.replica * slots + p.slot]; computes(p) && heavy > 0)
                    seconds = own / heavy;
            }));
    }

    void gapsAndTransfers()
    {
        add("no_gaps", "no gaps between operations (launches, logging, input)",
            again([](const OperationPlace&, double, double&) {}, false));
        std::map<std::pair<TraceOp, int>, std::vector<double>> values;
        for (std::size_t t = 0; t < m_job.steps.size(); ++t)
            for (std::size_t j = 0; j < m_job.size(); ++j)
                if (const OperationSlot& slot = m_job.slots[j % m_job.slots.size()]; !isCompute(slot.type))
                    values[{slot.type, slot.stage}].push_back(m_job.steps[t].seconds[j]);
        std::map<std::pair<TraceOp, int>, double> usual;
        for (auto& [kind, seconds] : values)
            usual[kind] = medianOf(std::move(seconds));
        if (!usual.empty())
            add("steady_transfers", "no transfer or collective longer than its median",
                again([&](const OperationPlace& p, double own, double& seconds) {
                    if (!computes(p))
                        seconds = std::min(own, usual.at({m_job.slots[p.slot].type, m_job.slots[p.slot].stage}));
                }));
    }

    const RegularJob& m_job;
    ComputeFactors m_factors;
    std::vector<Rerun> m_steps;
    Repairs m_result;
};

} // namespace

StepTimes stepTimes(std::vector<double> seconds)
{
    std::sort(seconds.begin(), seconds.end());
    return {meanOf(seconds), quantileOfSorted(seconds, 0.5), quantileOfSorted(seconds, 0.95), quantileOfSorted(seconds, 0.99)};
}

std::vector<double> overMedian(std::vector<double> factors, int stages)
{
    const auto n = static_cast<std::size_t>(stages);
    for (std::size_t s = 0; s < n; ++s) {
        std::vector<double> ofStage;
        for (std::size_t w = s; w < factors.size(); w += n)
            ofStage.push_back(factors[w]);
        const double median = medianOf(std::move(ofStage));
        for (std::size_t w = s; w < factors.size(); w += n)
            factors[w] /= median > 0 ? median : 1;
    }
    return factors;
}

std::vector<SlowWorker> slowWorkers(const RegularJob& job, const ComputeFactors& factors)
{
    const int replicas = job.job->replicas, stages = job.job->stages;
    const std::vector<double> over = overMedian(factors.worker, stages);
    std::vector<SlowWorker> slow;
    for (int s = 0; s < stages && replicas > 1; ++s)
        for (int r = 0; r < replicas; ++r)
            if (const double factor = over[static_cast<std::size_t>(r * stages + s)]; factor >= kSlowWorker)
                slow.push_back({r, s, factor});
    std::stable_sort(slow.begin(), slow.end(), [](const auto& a, const auto& b) { return a.factor > b.factor; });
    return slow;
}

void addRepair(Repairs& repairs, std::string id, std::string text, std::vector<double> seconds)
{
    Repair repair{.id = std::move(id), .text = std::move(text), .seconds = std::move(seconds)};
    repair.after = stepTimes(repair.seconds);
    std::vector<double> saved;
    for (std::size_t t = 0; t < repair.seconds.size(); ++t)
        saved.push_back(repairs.beforeSeconds[t] - repair.seconds[t]);
    repair.saved = {meanOf(saved), halfWidthOfSeriesMean(saved)};
    repair.savedP95Seconds = repairs.before.p95 - repair.after.p95;
    const auto isLess = [](const Repair& a, const Repair& b) { return a.saved.value > b.saved.value; };
    repairs.repairs.insert(std::upper_bound(repairs.repairs.begin(), repairs.repairs.end(), repair, isLess), std::move(repair));
}

Result<Repairs> repairsOf(const RegularJob& job)
{
    return Workshop(job).run();
}

} // namespace prism
