// SPDX-License-Identifier: GPL-3.0-or-later
// What searches, fleets and fits read: records of a search, tables of jobs, clusters, a cluster's calibration, reports of fits,
// patterns of log lines.
#include "core/calibrate/clustercalibration.h"
#include "core/calibrate/pooledfits.h"
#include "core/explore/records.h"
#include "core/fleet/clusterread.h"
#include "core/fleet/jobtable.h"
#include "core/measured/steplog.h"
#include "fuzz/structure.h"
#include "fuzz/target.h"
#include "fuzz/writtenseeds.h"

#include <cmath>

namespace prism::fuzz {
namespace {

void records(std::string_view bytes)
{
    const Result<ExploreRecords> read = recordsFromText(bytes, "records");
    if (!read) {
        holds(read.errors().size() <= 20, "errors of records are few");
        return;
    }
    for (const auto& [key, row] : read->rows)
        holds(std::isfinite(row.p95.value) && row.p95.halfWidth >= 0, "rows hold figures");
    for (const auto& [number, part] : read->parts) {
        RecordsText text;
        text.add(partLine(number, part));
        const Result<ExploreRecords> again = recordsFromText(text.text(), "again");
        holds(again.ok() && again->parts.contains(number), "a part that was read is written as one");
    }
    const Result<RecordsHead> head = recordsHead(read->head);
    if (!head)
        return;
    holds(!hasErrors(check(head->query)), "a search that was read can be asked");
    const Result<RecordsHead> again = recordsHead(headLine(*head));
    holds(again.ok() && again->seed == head->seed, "a head reads back");
    const SearchPoints points(head->query, head->seed);
    if (const Result<PointMaker> maker = PointMaker::make(head->query.space, head->scenario); maker.ok() && points.size() > 0)
        (void)maker->at(points.at(points.size() - 1));
}

void jobs(std::string_view bytes)
{
    const Result<JobTable> read = jobTable(bytes, "jobs");
    if (!read)
        return;
    holds(!read->jobs.empty(), "a table has jobs");
    double last = 0;
    for (const FleetJob& job : read->jobs) {
        holds(job.gpus > 0 && std::isfinite(job.durationSeconds) && job.durationSeconds > 0, "a job takes GPUs and time");
        holds(job.submitSeconds >= last, "jobs come in the order of their submission");
        last = job.submitSeconds;
    }
}

void cluster(std::string_view bytes)
{
    const Result<FleetCluster> read = readFleetCluster(bytes);
    if (!read)
        return;
    holds(read->nodes >= 1 && read->nodes <= kMaxFleetNodes && read->classes.contains("default"), "a cluster has nodes");
    for (const double time : read->measuredTimes)
        holds(std::isfinite(time) && time > 0, "nodes have speeds");
}

void clusterCalibration(std::string_view bytes)
{
    const Result<ClusterCalibration> read = clusterCalibrationFromJson(bytes);
    if (!read)
        return;
    const Result<ClusterCalibration> again = clusterCalibrationFromJson(toJson(*read));
    holds(again.ok() && again->sources.size() == read->sources.size(), "a cluster's calibration reads back");
    const Scenario plain;
    if (const Result<Scenario> scenario = calibratedScenario(plain, *read); scenario && !hasErrors(check(*scenario)))
        holds(scenarioFromJson(toJson(*scenario)).ok(), "a calibrated scenario can be saved");
}

/// A report of a fit, pooled with itself: what comes out can be used.
void fits(std::string_view bytes)
{
    const Result<FittedSystem> read = fittedSystemFromJson(bytes, "fit");
    if (!read)
        return;
    const Result<ClusterCalibration> pooled = pooledCalibration({*read, *read}, GpuSpec{});
    holds(!pooled || clusterCalibrationFromJson(toJson(*pooled)).ok(), "a pooled calibration reads back");
}

/// The first line is the pattern, the others are a log.
void pattern(std::string_view bytes)
{
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    StepLogOptions options;
    options.pattern = std::string(bytes.substr(0, end));
    const Result<StepLog> log = readStepLog(bytes.substr(std::min(end + 1, bytes.size())), options);
    if (!log)
        return;
    for (const LoggedRun& run : log->runs)
        for (const LoggedStep& step : run.steps)
            holds(step.seconds > 0 && std::isfinite(step.seconds), "steps take time");
}

constexpr Target kTargets[] = {{"records", records, 1 << 16, writtenRecords},
                               {"jobs", jobs},
                               {"cluster", cluster},
                               {"cluster_calibration", clusterCalibration},
                               {"fits", fits, 1 << 16, nullptr, mutateJson},
                               {"pattern", pattern, 4096}};

} // namespace

std::span<const Target> questionTargets()
{
    return kTargets;
}

} // namespace prism::fuzz
