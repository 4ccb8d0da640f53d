// SPDX-License-Identifier: GPL-3.0-or-later
// A batch script that runs the shards of a search as an array of Slurm jobs.
#pragma once

#include "core/base/result.h"

#include <string>
#include <vector>

namespace prism {

struct SlurmJob {
    std::string program;                ///< path of prism-cli
    std::vector<std::string> arguments; ///< of explore, without --shard, --output and --threads
    int shards = 1;                     ///< tasks of the array, 1 to 1,000 (the default MaxArraySize is 1,001)
    std::string records;                ///< files of the shards: this, "-", number, ".jsonl"
};

/// File of one shard.
[[nodiscard]] std::string shardFile(const SlurmJob& job, int shard);
/// Why no script can be written: a path or argument with a control character, which could end a line of it. Empty = it can be written.
[[nodiscard]] Diagnostics check(const SlurmJob& job);
/// The script for sbatch. Precondition: check() has no error. A task that is requeued resumes from its file; one that had ended writes
/// the same bytes again. Every argument is quoted for the shell. Pure.
[[nodiscard]] std::string slurmScript(const SlurmJob& job);
/// In single quotes, as a POSIX shell reads it back to the same.
[[nodiscard]] std::string shellQuoted(const std::string& text);

} // namespace prism
