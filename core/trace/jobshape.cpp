// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/jobshape.h"

#include "core/base/diagnostictext.h"
#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <tuple>

namespace prism {

namespace {

using Rows = std::vector<SteppedOperation>;
using Worker = std::pair<int, int>; // replica in the file, stage
using Identity = std::tuple<TraceOp, int, int, int, int>;

Diagnostic note(const JobShape& shape, std::string message, std::string found = "")
{
    return {Severity::warning, shape.path, std::move(message), std::move(found), "", "", ""};
}

auto workerStep(const SteppedOperation& r)
{
    return std::tuple(r.step, r.operation.replica, r.operation.stage);
}

Identity identity(const TraceOperation& o)
{
    return {o.type, o.sequence, o.chunk, o.microBatch, o.rank};
}

/// Appends the rows of one (step, worker) to `kept` without those that are twice. Numbers that repeat here and there are a table's
/// own way of counting; where nearly all repeat, the step itself is twice.
void keepFirst(std::span<const SteppedOperation> rows, Rows& kept)
{
    std::map<Identity, double> first;
    std::size_t again = 0;
    for (const SteppedOperation& r : rows)
        again += first.try_emplace(identity(r.operation), r.operation.start).second ? 0U : 1U;
    const bool wholeStep = again > 0 && 10 * again >= 9 * first.size();
    std::set<Identity> seen;
    for (const SteppedOperation& r : rows) {
        const bool isFirst = again == 0 || seen.insert(identity(r.operation)).second;
        if (isFirst || (!wholeStep && first[identity(r.operation)] != r.operation.start))
            kept.push_back(r);
    }
}

/// Rows, sorted by (step, worker), without those that are twice.
Rows withoutRepeats(const Rows& rows)
{
    Rows kept;
    kept.reserve(rows.size());
    for (auto begin = rows.begin(); begin != rows.end();) {
        const auto end = std::find_if(begin, rows.end(), [&](const auto& r) { return workerStep(r) != workerStep(*begin); });
        keepFirst({begin, end}, kept);
        begin = end;
    }
    return kept;
}

/// Workers that have rows in at least half of the steps.
std::set<Worker> steadyWorkers(const Rows& rows)
{
    std::set<int> steps;
    std::map<Worker, std::set<int>> stepsOf;
    for (const SteppedOperation& r : rows) {
        steps.insert(r.step);
        stepsOf[{r.operation.replica, r.operation.stage}].insert(r.step);
    }
    std::set<Worker> steady;
    for (const auto& [worker, seen] : stepsOf)
        if (2 * seen.size() >= steps.size())
            steady.insert(worker);
    return steady;
}

/// For each kept replica, the replica in the file that gives each stage.
using ReplicaSources = std::vector<std::vector<int>>;

ReplicaSources replicaSources(const std::set<Worker>& steady, int stages)
{
    std::map<int, int> stagesOf; // replica -> how many of its stages there are
    for (const auto& [replica, stage] : steady)
        stagesOf[replica] += stage < stages ? 1 : 0;
    ReplicaSources sources;
    for (const auto& [replica, count] : stagesOf)
        if (count == stages)
            sources.emplace_back(static_cast<std::size_t>(stages), replica);
    if (!sources.empty())
        return sources;
    std::vector<int> mixed;
    for (int s = 0; s < stages; ++s) {
        const auto at = std::find_if(steady.begin(), steady.end(), [s](const Worker& w) { return w.second == s; });
        if (at == steady.end())
            return {};
        mixed.push_back(at->first);
    }
    return {mixed};
}

/// Whether every worker has as many forward as backward computations, and as many as every other.
bool isComplete(const TraceStep& step, const TraceJob& job)
{
    std::vector<std::array<int, 2>> counts(static_cast<std::size_t>(job.workers()), {0, 0});
    for (const TraceOperation& o : step.operations)
        if (isCompute(o.type))
            ++counts[static_cast<std::size_t>(job.worker(o))][o.type == TraceOp::forwardCompute ? 0 : 1];
    return std::all_of(counts.begin(), counts.end(), [&](const auto& c) { return c[0] > 0 && c == counts[0] && c[0] == c[1]; });
}

void keepComplete(TraceJob& job, const JobShape& shape)
{
    const std::size_t had = job.steps.size();
    std::string dropped;
    std::erase_if(job.steps, [&](const TraceStep& step) {
        const bool isBad = !isComplete(step, job);
        if (isBad)
            dropped += (dropped.empty() ? "" : ", ") + std::to_string(step.number);
        return isBad;
    });
    if (!dropped.empty())
        job.notes.push_back(note(shape,
                                 std::to_string(had - job.steps.size()) + " of " + std::to_string(had)
                                     + " steps lack workers or micro-batches and were omitted",
                                 dropped.substr(0, 200)));
}

/// Takes over the rows of the kept replicas.
void take(TraceJob& job, const Rows& rows, const ReplicaSources& sources)
{
    std::map<Worker, int> kept;
    for (std::size_t r = 0; r < sources.size(); ++r) {
        job.replicaNumbers.push_back(sources[r][0]);
        for (int s = 0; s < job.stages; ++s)
            kept[{sources[r][static_cast<std::size_t>(s)], s}] = static_cast<int>(r);
    }
    for (const SteppedOperation& row : rows) {
        const auto at = kept.find({row.operation.replica, row.operation.stage});
        if (at == kept.end())
            continue;
        if (job.steps.empty() || job.steps.back().number != row.step)
            job.steps.push_back({row.step, {}});
        job.steps.back().operations.push_back(row.operation);
        job.steps.back().operations.back().replica = at->second;
    }
    const auto place = [](const TraceOperation& o) { return std::tuple(o.replica, o.stage, o.start, o.type); };
    for (TraceStep& step : job.steps)
        std::stable_sort(step.operations.begin(), step.operations.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
}

/// Adds a note with the number of replicas of the job and those that are missing.
void reportReplicas(TraceJob& job, const JobShape& shape, const ReplicaSources& sources, const std::set<Worker>& steady)
{
    std::set<int> seen;
    for (const Worker& w : steady)
        seen.insert(w.first);
    const std::size_t whole = std::max(seen.size(), static_cast<std::size_t>(std::max(0, shape.replicas)));
    job.replicasOfJob = static_cast<int>(whole);
    if (std::adjacent_find(sources[0].begin(), sources[0].end(), std::not_equal_to<>()) != sources[0].end())
        job.notes.push_back(note(shape, "no replica has all stages: workers of several replicas represent one"));
    else if (sources.size() < whole)
        job.notes.push_back(note(shape, std::to_string(sources.size()) + " of " + std::to_string(whole)
                                            + " replicas have all stages and are used; the others could hide slow workers"));
}

} // namespace

Result<TraceJob> jobFromOperations(std::vector<SteppedOperation> rows, const JobShape& shape, Diagnostics notes)
{
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return workerStep(a) < workerStep(b); });
    TraceJob job;
    job.name = shape.name;
    job.notes = std::move(notes);
    job.transfersRecorded = shape.transfersRecorded;
    const std::size_t had = rows.size();
    rows = withoutRepeats(rows);
    if (rows.size() < had)
        job.notes.push_back(note(shape, std::to_string(had - rows.size()) + " operations occur twice; the first one counts"));
    const std::set<Worker> steady = steadyWorkers(rows);
    int stages = 0, chunks = 1;
    for (const Worker& w : steady)
        stages = std::max(stages, w.second + 1);
    for (const SteppedOperation& r : rows)
        chunks = std::max(chunks, r.operation.chunk + 1);
    job.stages = shape.stages > 0 ? shape.stages : stages;
    job.chunks = std::max(shape.chunks, chunks);
    const ReplicaSources sources = job.stages > 0 ? replicaSources(steady, job.stages) : ReplicaSources();
    if (sources.empty())
        return errorAt(shape.path, "there is no operation of one or more stages", std::to_string(steady.size()) + " workers",
                       "rows of every stage");
    job.replicas = static_cast<int>(sources.size());
    take(job, rows, sources);
    reportReplicas(job, shape, sources, steady);
    keepComplete(job, shape);
    if (job.steps.empty())
        return Diagnostic{Severity::error, shape.path, "there is no complete step", "", "a step with every worker's operations", "", ""};
    return job;
}

} // namespace prism
