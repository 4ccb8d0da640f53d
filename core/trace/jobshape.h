// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a job out of unordered operations: drops and counts repeated rows, incomplete replicas and incomplete steps.
#pragma once

#include "core/trace/tracejob.h"

namespace prism {

struct SteppedOperation {
    int step = 0;
    TraceOperation operation;
};

/// What a reader knows besides the operations; sizes of 0 are taken from the operations.
struct JobShape {
    std::string name;
    int replicas = 0, stages = 0, chunks = 0;
    std::string path; ///< of the file, for messages
    bool transfersRecorded = true;
};

/// Puts operations in order. Dropped and counted in the notes (after those given): rows that are twice, a step of a worker that is
/// recorded twice (the first counts), replicas without all stages (where no replica has all, workers of several form one),
/// steps in which a worker or a micro-batch is missing. Errors: a stage that no row has, no complete step. O(n log n).
[[nodiscard]] Result<TraceJob> jobFromOperations(std::vector<SteppedOperation> rows, const JobShape& shape, Diagnostics notes);

} // namespace prism
