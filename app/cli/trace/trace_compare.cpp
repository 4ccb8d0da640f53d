// SPDX-License-Identifier: GPL-3.0-or-later
// trace compare: two recordings of one job, before and after something was changed.
#include "app/cli/measured/beforeafter.h"
#include "app/cli/trace/tracecommand.h"
#include "core/insight/change/recordingchange.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace prism::cli {

namespace {

struct CompareTraces : BeforeAfterOptions {
    std::string meta;
};

Recording recordingOf(const CompareTraces& options, const std::string& path)
{
    if (isJobTrace({path})) {
        JobOptions job;
        job.table = path;
        job.meta = options.meta;
        job.progress = options.progress;
        return require(jobRecording(loadJob(job)));
    }
    Diagnostics unread;
    Recording recording = require(profileRecording(loadRanks({path}, options.progress, unread)));
    for (const Diagnostic& d : unread)
        recording.notes.push_back(d.path + ": " + d.message);
    return recording;
}

void compareTraces(const CompareTraces& options)
{
    std::array<Recording, 2> recordings;
    readBoth(options, [&](const std::string& path, std::size_t side) { recordings[side] = recordingOf(options, path); });
    writeChanges(options, recordingChanges(recordings[0], recordings[1]));
}

} // namespace

void addTraceCompare(CLI::App& parent, Cli& cli)
{
    auto options = std::make_shared<CompareTraces>();
    CLI::App* command = addBeforeAfter(
        parent, "compare",
        "Compare two recordings of one job: which classes of operations changed beyond noise, and what that does to the step",
        "stage table (.csv, .csv.gz), folder of pp_rank_N.json, or profiler trace (file or folder)", *options, cli);
    command->add_option("--meta", options->meta, "Sizes of the job of both stage tables");
    command->add_flag("--progress", options->progress, "Print the progress of reading on standard error");
    command->callback([options] { compareTraces(*options); });
}

} // namespace prism::cli
