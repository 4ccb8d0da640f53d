// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explore/slurm.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace prism {

std::string shellQuoted(const std::string& text)
{
    std::string quoted = "'";
    for (const char c : text)
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

Diagnostics check(const SlurmJob& job)
{
    std::vector<std::string> texts = job.arguments;
    texts.push_back(job.program);
    texts.push_back(job.records);
    Diagnostics errors;
    for (const std::string& text : texts)
        if (std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }))
            errors.push_back({Severity::error, "--slurm", "A batch script cannot contain control characters.", text,
                              "names and values without line breaks", "", ""});
    return errors;
}

std::string shardFile(const SlurmJob& job, int shard)
{
    return job.records + "-" + std::to_string(shard) + ".jsonl";
}

std::string slurmScript(const SlurmJob& job)
{
    std::string command = shellQuoted(job.program) + " explore";
    for (const std::string& argument : job.arguments)
        command += " " + shellQuoted(argument);
    std::string files;
    for (int shard = 1; shard <= job.shards; ++shard)
        files += " " + shellQuoted(shardFile(job, shard));
    return fmt::format("#!/bin/sh\n"
                       "#SBATCH --job-name=prism-explore\n"
                       "#SBATCH --array=1-{0}\n"
                       "#SBATCH --ntasks=1\n"
                       "#SBATCH --cpus-per-task=1\n"
                       "#SBATCH --requeue\n"
                       "#SBATCH --open-mode=append\n"
                       "# A task that was killed resumes from its file when it runs again. When all tasks have ended:\n"
                       "#   {1} merge{2}\n"
                       "exec {3} --threads \"${{SLURM_CPUS_PER_TASK:-1}}\" --shard \"$SLURM_ARRAY_TASK_ID/{0}\" --output "
                       "{4}-\"$SLURM_ARRAY_TASK_ID\".jsonl\n",
                       job.shards, shellQuoted(job.program), files, command, shellQuoted(job.records));
}

} // namespace prism
