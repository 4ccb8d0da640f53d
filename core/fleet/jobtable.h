// SPDX-License-Identifier: GPL-3.0-or-later
// A queue of jobs from a table: one row a job, columns found by their headers as public traces name them.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace prism {

inline constexpr std::size_t kMaxJobTableBytes = std::size_t{256} << 20;

/// One job. Seconds; submission counts from the first of the table.
struct FleetJob {
    std::string id, kind; ///< kind: model or type, empty where the table has none
    double submitSeconds = 0;
    double durationSeconds = 0; ///< that it ran, taken as its mean on nodes of speed 1
    int gpus = 1;
    std::string gpuType;  ///< empty where the table has none
    std::size_t line = 0; ///< of the table, 1 = the first
};

struct JobTable {
    std::vector<FleetJob> jobs;       ///< by submission
    std::int64_t withoutGpus = 0;     ///< rows of CPU jobs, omitted
    std::int64_t withoutDuration = 0; ///< rows of jobs that never ran, omitted
};

/// Columns by header, any order: job (job_id, jobid, id), submission (submit_time, submitted_time, submit), GPUs (gpu_num, num_gpus,
/// gpus, gpu_count), duration (duration, run_time, runtime) or start and end (start_time, end_time), kind (model, type, class), GPU type
/// (gpu_type). Times are seconds or dates such as 2020-09-01 08:30:00 (a zone behind it is omitted). Philly, Helios and Acme tables are
/// read as they are once they are CSV. Errors, all at once up to 50: missing columns, and per line an invalid time or count, or a negative.
[[nodiscard]] Result<JobTable> jobTable(std::string_view text, const std::string& name);

/// Draws a queue: {"jobs": 1 to 1,000,000, "offered_load": 0.01 to 10, "mean_duration_s", "duration": {"family", "cv"}, "sizes": [{"gpus",
/// "share"}]} and "title", "sources" for people. Submissions come as a Poisson process whose rate makes the expected GPU-seconds
/// `offered_load` times those of `clusterGpus` until the last submission; sizes and durations are independent of each other and of it.
/// Shares are divided by their sum. Errors: everything that is wrong. Pure; the same bits for the same seed.
[[nodiscard]] Result<JobTable> modelledQueue(std::string_view text, int clusterGpus, std::uint64_t seed);

} // namespace prism
