// SPDX-License-Identifier: GPL-3.0-or-later
// import trace: puts what traces of a job show into a scenario, and so into every prediction.
#include "app/cli/scenario/importcommand.h"
#include "app/cli/trace/tracecommand.h"
#include "core/calibrate/traceimport.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace prism::cli {

namespace {

struct ImportTraceOptions : ImportOptions {
    std::vector<std::string> paths;
    std::string meta;
    bool progress = false;
};

TraceImport imported(const ImportTraceOptions& options, const Scenario& base)
{
    if (isJobTrace(options.paths)) {
        JobOptions job;
        job.table = options.paths.front();
        job.meta = options.meta;
        job.progress = options.progress;
        const TraceJob read = loadJob(job);
        TraceImport result = require(scenarioOfTrace(base, read));
        result.notes.insert(result.notes.begin(), read.notes.begin(), read.notes.end());
        return result;
    }
    Diagnostics notes;
    const KinetoReport report = kinetoReport(loadRanks(options.paths, options.progress, notes));
    TraceImport result = scenarioOfTrace(base, report);
    notes.insert(notes.end(), report.notes.begin(), report.notes.end());
    result.notes.insert(result.notes.begin(), notes.begin(), notes.end());
    return result;
}

} // namespace

void addImportTrace(CLI::App& parent, Cli& cli)
{
    auto options = std::make_shared<ImportTraceOptions>();
    CLI::App* command = parent.add_subcommand(
        "trace",
        "Layout, levels, means, spreads and slow workers of a stage table or of pipeline events, or collectives of profiler traces");
    command->add_option("paths", options->paths, "A stage table, a folder of pp_rank_N.json, or profiler traces (files or folders)")
        ->required();
    command->add_option("--meta", options->meta, "Sizes of a stage table's job");
    command->add_option("--base", options->base,
                        "Scenario that supplies what the trace does not state: model, GPU, network, tensor parallelism");
    command->add_option("--name", options->name, "Name of the new scenario; else that of the base");
    command->add_flag("--progress", options->progress, "Print the progress of reading on standard error");
    addOutput(*command, *options, cli);
    command->callback([options] {
        const Scenario base = importBase(*options);
        TraceImport result = imported(*options, base);
        if (options->name.empty())
            options->name = base.name;
        writeImported(*options, {std::move(result.scenario), std::move(result.notes)});
    });
}

} // namespace prism::cli
