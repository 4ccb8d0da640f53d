// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/whatif.h"

#include "core/base/diagnostictext.h"
#include "core/stats/moments.h"
#include "core/trace/blockinggraph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

namespace prism {

namespace {

constexpr double kWorstShare = 0.03; // of the workers, arXiv 2505.05713, section 4.3

struct MeasuredStep {
    const TraceStep* step = nullptr;
    std::vector<double> seconds; ///< duration, or transfer time in a group; [operations]
    ReplayGraph graph;
};

/// Every step that can be put in order; the notes count the others, and transfers without a partner.
std::vector<MeasuredStep> measuredSteps(const TraceJob& job, Diagnostics& notes)
{
    std::vector<MeasuredStep> steps;
    int unmatched = 0, circular = 0;
    for (const TraceStep& step : job.steps) {
        const StepLinks links = stepLinks(step, job);
        unmatched += links.unmatched;
        if (std::optional<ReplayGraph> graph = publishedGraph(step, job, links))
            steps.push_back({&step, transferSeconds(step, links), std::move(*graph)});
        else
            ++circular;
    }
    const auto note = [&](int n, const char* what) {
        if (n > 0)
            notes.push_back({Severity::warning, job.name, std::to_string(n) + what, "", "", "", ""});
    };
    note(unmatched, " sends and receives have no partner; their recorded durations include waiting");
    note(circular, " steps were omitted because their operations wait for each other in a circle");
    return steps;
}

/// Send and receive of one direction are one class.
std::string className(TraceOp type)
{
    if (isTransfer(type))
        return isForward(type) ? "forward-pp-comm" : "backward-pp-comm";
    return std::string(traceOpName(type));
}

bool idealIsMean(TraceOp type)
{
    return isCompute(type) || type == TraceOp::optimizer || type == TraceOp::garbageCollection;
}

/// The one value of every operation type, seconds.
std::array<double, kTraceOps> idealSeconds(const std::vector<MeasuredStep>& steps)
{
    std::array<std::vector<double>, kTraceOps> values;
    for (const MeasuredStep& m : steps)
        for (std::size_t i = 0; i < m.seconds.size(); ++i)
            values[static_cast<std::size_t>(m.step->operations[i].type)].push_back(m.seconds[i]);
    std::array<double, kTraceOps> ideal{};
    for (std::size_t t = 0; t < values.size(); ++t)
        if (!values[t].empty())
            ideal[t] = idealIsMean(static_cast<TraceOp>(t)) ? meanOf(values[t]) : medianOf(values[t]);
    return ideal;
}

class Questions {
public:
    Questions(const TraceJob& job, const std::vector<MeasuredStep>& steps) : m_job(job), m_steps(steps), m_ideal(idealSeconds(steps)) {}

    /// Step times where the operations chosen keep their measured durations and all others have the ideal ones.
    template <class Keep>
    [[nodiscard]] std::vector<double> stepSeconds(Keep keep) const
    {
        std::vector<double> result, durations;
        ReplayTimes times;
        for (const MeasuredStep& m : m_steps) {
            durations.resize(m.seconds.size());
            for (std::size_t i = 0; i < durations.size(); ++i) {
                const TraceOperation& o = m.step->operations[i];
                durations[i] = keep(o) ? m.seconds[i] : m_ideal[static_cast<std::size_t>(o.type)];
            }
            m.graph.run(durations, {}, times);
            result.push_back(times.seconds());
        }
        return result;
    }
    template <class Keep>
    [[nodiscard]] double meanSeconds(Keep keep) const
    {
        return meanOf(stepSeconds(keep));
    }

    void shares(WhatIf& w, double noDelay) const
    {
        std::vector<int> workers(static_cast<std::size_t>(m_job.workers()));
        std::iota(workers.begin(), workers.end(), 0);
        const auto slowdown = [&](int worker) {
            return std::min(w.byReplica[static_cast<std::size_t>(worker / m_job.stages)],
                            w.byStage[static_cast<std::size_t>(worker % m_job.stages)]);
        };
        const std::vector<int> ranks = firstRanks();
        const auto place = [&](int w) { return std::pair(ranks[static_cast<std::size_t>(w)], w); };
        std::sort(workers.begin(), workers.end(), [&](int a, int b) { return place(a) < place(b); });
        std::stable_sort(workers.begin(), workers.end(), [&](int a, int b) { return slowdown(a) > slowdown(b); });
        workers.resize(static_cast<std::size_t>(std::ceil(kWorstShare * static_cast<double>(workers.size()))));
        const std::set<int> worst(workers.begin(), workers.end());
        const double excess = noDelay - w.idealSeconds;
        if (excess > 0) {
            w.worstWorkersShare = (noDelay - meanSeconds([&](const auto& o) { return !worst.contains(m_job.worker(o)); })) / excess;
            w.lastStageShare = (noDelay - meanSeconds([&](const auto& o) { return o.stage != m_job.stages - 1; })) / excess;
        }
        w.worstWorkers = std::move(workers);
    }

private:
    [[nodiscard]] std::vector<int> firstRanks() const
    {
        std::vector<int> ranks(static_cast<std::size_t>(m_job.workers()), std::numeric_limits<int>::max());
        for (const TraceOperation& o : m_steps.front().step->operations) {
            int& rank = ranks[static_cast<std::size_t>(m_job.worker(o))];
            rank = std::min(rank, o.rank);
        }
        return ranks;
    }

    const TraceJob& m_job;
    const std::vector<MeasuredStep>& m_steps;
    std::array<double, kTraceOps> m_ideal;
};

} // namespace

Result<WhatIf> whatIf(const TraceJob& job)
{
    WhatIf w;
    const std::vector<MeasuredStep> steps = measuredSteps(job, w.notes);
    if (steps.empty())
        return errorAt(job.name, "no step's operations can be put in order", "", "a step without circular waiting");
    const Questions questions(job, steps);
    const std::vector<double> noDelay = questions.stepSeconds([](const auto&) { return true; });
    const std::vector<double> ideal = questions.stepSeconds([](const auto&) { return false; });
    double base = 0;
    std::set<TraceOp> types;
    for (std::size_t k = 0; k < noDelay.size(); ++k) {
        const TraceStep& step = *steps[k].step;
        w.steps.push_back({step.number, step.seconds(), noDelay[k], ideal[k]});
        base += w.steps.back().base / static_cast<double>(noDelay.size());
        for (const TraceOperation& o : step.operations)
            types.insert(o.type);
    }
    w.idealSeconds = meanOf(ideal);
    w.launchSlowdown = base / meanOf(noDelay);
    w.slowdown = meanOf(noDelay) / w.idealSeconds;
    for (const TraceOp type : types)
        if (const std::string name = className(type); !w.byType.contains(name))
            w.byType[name] = questions.meanSeconds([&](const auto& o) { return className(o.type) == name; }) / w.idealSeconds;
    for (int s = 0; s < job.stages; ++s)
        w.byStage.push_back(questions.meanSeconds([s](const auto& o) { return o.stage == s; }) / w.idealSeconds);
    for (int r = 0; r < job.replicas; ++r)
        w.byReplica.push_back(questions.meanSeconds([r](const auto& o) { return o.replica == r; }) / w.idealSeconds);
    questions.shares(w, meanOf(noDelay));
    return w;
}

} // namespace prism
