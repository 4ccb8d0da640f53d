// SPDX-License-Identifier: GPL-3.0-or-later
// limits: the largest inputs that each reader takes, and what happens beyond; also the help page resources/help/limits.md.
#include "app/cli/frame/commands.h"
#include "core/base/valuetext.h"
#include "core/base/jsontext.h"
#include "core/base/table.h"
#include "core/calibrate/clustercalibration.h"
#include "core/explore/records.h"
#include "core/fleet/fleet.h"
#include "core/measured/measuredlimits.h"
#include "core/measured/steplog.h"
#include "core/scenario/scenariolimits.h"
#include "core/schedule/schedule.h"
#include "core/step/graphlimits.h"
#include "core/study/studylimits.h"
#include "core/trace/tracelimits.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <memory>

namespace prism::cli {

namespace {

struct Limit {
    const char* reader;
    const char* what;
    double value;
    const char* unit; ///< "bytes" are shown in MiB from there on; empty = a count
};

double n(auto value)
{
    return static_cast<double>(value);
}

/// Files that people edit and import.
std::vector<Limit> scenarioLimits()
{
    const JsonLimits json;
    const TableLimits table;
    return {
        {"Every file", "content, decompressed", n(kMaxTextBytes), "bytes"},
        {"JSON documents", "text", n(json.maxBytes), "bytes"},
        {"JSON documents", "levels of nesting", n(json.maxDepth), ""},
        {"JSON documents", "values", n(json.maxValues), ""},
        {"JSON documents", "memory of the document", n(json.maxMemory), "bytes"},
        {"Tables (CSV)", "rows", n(table.maxRows), ""},
        {"Tables (CSV)", "cells of a row", n(table.maxColumns), ""},
        {"Tables (CSV)", "a row", n(table.maxRowBytes), "bytes"},
        {"Scenario", "entries of a list (pools, measured rows, speeds)", n(kMaxListEntries), ""},
        {"Scenario", "name", n(kMaxNameBytes), "bytes"},
        {"Scenario", "note", n(kMaxNoteBytes), "bytes"},
        {"Scenario", "number of a node", n(kMaxNodes - 1), ""},
        {"Scenario", "ranks of a measured collective", n(kMaxMeasuredRanks), ""},
        {"Scenario", "m, n, k and bytes of a measured row", n(kMaxMeasuredSize), ""},
        {"Pipeline layout", "places", n(kMaxLayoutPlaces), ""},
        {"Hugging Face configuration, launch script", "text", n(kMaxImportBytes), "bytes"},
        {"Hugging Face configuration", "values", n(kMaxImportValues), ""},
    };
}

/// What was measured.
std::vector<Limit> measuredLimits()
{
    return {
        {"nccl-tests log, operator table, table of published steps", "rows", n(kMaxImportedRows), ""},
        {"Node speeds", "rows", n(kMaxSpeedRows), ""},
        {"Node speeds", "a row", n(kMaxSpeedRowBytes), "bytes"},
        {"Training log", "lines per 64 MiB", n(static_cast<std::size_t>(kMaxLogLines)), ""},
        {"Training log", "lines per 64 MiB before the first that reports a step", n(static_cast<std::size_t>(kMaxLinesBefore)), ""},
        {"Training log", "a line", n(kLongestLogLine), "bytes"},
        {"Training log", "a record of an event file", n(kMaxEventBytes), "bytes"},
        {"Training log", "steps", n(kMaxLoggedSteps), ""},
        {"Training log", "runs", n(kMaxLoggedRuns), ""},
        {"Trace", "files of a folder", n(kMaxTraceFiles), ""},
        {"Trace", "growth of a compressed file beyond the next (times)", n(kMaxInflation), ""},
        {"Trace", "content of a compressed file that grows more", n(kFreelyInflatedBytes), "bytes"},
        {"Profiler trace", "one event", n(kMaxTraceElement), "bytes"},
        {"Profiler trace", "devices in one file", n(kMaxTraceDevices), ""},
        {"Stage table, pipeline events", "operations", n(kMaxTraceOperations), ""},
        {"Stage table", "a line", n(kMaxTraceLine), "bytes"},
        {"Stage table", "file of the job's sizes", n(kMaxMetaBytes), "bytes"},
        {"Pipeline events", "one file", n(kMaxEventFileBytes), "bytes"},
        {"Calibration of a cluster", "sources, and facts of each", n(kMaxCalibrationSources), ""},
        {"Calibration of a cluster", "factors of the compute regime", n(kMaxCalibrationPool), ""},
    };
}

/// Searches, runs and stored files.
std::vector<Limit> questionLimits()
{
    return {
        {"One evaluation of a scenario", "memory", kMaxEvaluationBytes, "bytes"},
        {"One evaluation of a scenario", "seconds of CPU, without --allow-long", kMaxQuickSeconds, ""},
        {"Search", "axes", n(kMaxAxes), ""},
        {"Search", "values of an axis", n(kMaxAxisValues), ""},
        {"Search", "configurations", n(ExploreQuery().maxPoints), ""},
        {"Search", "configurations that are sampled", n(kMaxSampledPoints), ""},
        {"Records of a search", "text", n(kMaxRecordsBytes), "bytes"},
        {"Records of a search", "entries", n(kMaxRecordsEntries), ""},
        {"Table of jobs", "text", n(kMaxJobTableBytes), "bytes"},
        {"Cluster of a fleet", "nodes", n(kMaxFleetNodes), ""},
        {"Cluster of a fleet", "GPUs of a node", n(kMaxFleetGpusPerNode), ""},
        {"Cluster of a fleet", "classes", n(kMaxFleetClasses), ""},
        {"Cluster of a fleet", "scenarios that its classes name", n(kMaxFleetScenarios), ""},
        {"Fleet", "jobs x nodes x runs", kMaxFleetWork, ""},
        {"Step graph", "stages", n(kMaxStages), ""},
        {"Step graph", "chunks of a stage", n(kMaxChunks), ""},
        {"Step graph", "micro-batches", n(kMaxMicrobatches), ""},
        {"Step graph", "seconds of one operation", kMaxOpSeconds, ""},
        {"Study", "text of a scenario", n(kMaxScenarioBytes), "bytes"},
        {"Study", "scenarios that are not removed", n(kMaxScenarios), ""},
        {"Study", "texts of these scenarios together", n(kMaxShownBytes), "bytes"},
        {"Study", "an import or a result, uncompressed", n(kMaxRawBytes), "bytes"},
        {"Study", "name of a scenario", n(kMaxStudyNameBytes), "bytes"},
        {"Study", "note of a scenario", n(kMaxScenarioNoteBytes), "bytes"},
        {"Study", "file that is salvaged, with its journal", n(kMaxCopiedBytes), "bytes"},
        {"Study", "list of imports, revisions or undo steps in memory", n(kMaxListBytes), "bytes"},
        {"Study", "exported folder", n(kMaxExportBytes), "bytes"},
        {"Study", "files, or rows of one kind, of an exported folder", n(kMaxExportFiles), ""},
        {"Study", "seconds of processor time of a check or a salvage", kMaxCheckSeconds, ""},
        {"Study", "view state of one name", n(kMaxViewStateBytes), "bytes"},
    };
}

std::vector<Limit> limits()
{
    std::vector<Limit> all = scenarioLimits();
    for (const auto& group : {measuredLimits(), questionLimits()})
        all.insert(all.end(), group.begin(), group.end());
    return all;
}

std::string limitText(const Limit& limit)
{
    constexpr double kMib = 1024.0 * 1024.0;
    if (*limit.unit != '\0')
        return limit.value >= kMib ? fmt::format("{:g} MiB", limit.value / kMib) : earnedDigits(limit.value, 1) + " bytes";
    return limit.value < 1e12 ? earnedDigits(limit.value, 1) : fmt::format("{:.2e}", limit.value);
}

std::string page()
{
    std::string text =
        "# Limits\n\n"
        "Files come from other people. Each reader takes inputs up to these sizes. Beyond them it reads nothing and reports\n"
        "the value, the limit and its place (exit code 1); nothing is cut silently. The memory of a JSON document\n"
        "has a separate limit; tables are read row by row. Lines of a log, events and lines of a trace beyond a\n"
        "limit are omitted and counted. This page is made from the constants in the\n"
        "code by `prism-cli help limits --markdown`.\n\n"
        "| reader | what | at most |\n| --- | --- | --- |\n";
    for (const Limit& limit : limits())
        text += fmt::format("| {} | {} | {} |\n", limit.reader, limit.what, limitText(limit));
    return text;
}

std::string table()
{
    std::string text;
    for (const Limit& limit : limits())
        text += fmt::format("{:<58} {:<50} {:>12}\n", limit.reader, limit.what, limitText(limit));
    return text;
}

std::string json()
{
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Limit& limit : limits())
        list.push_back({{"reader", limit.reader}, {"what", limit.what}, {"at_most", limit.value}, {"unit", limit.unit}});
    return nlohmann::ordered_json{{"limits", std::move(list)}}.dump(2) + "\n";
}

struct LimitsOptions : CommonOptions {
    bool markdown = false;
};

} // namespace

void addLimits(CLI::App& app, Cli& cli)
{
    auto options = std::make_shared<LimitsOptions>();
    CLI::App* command = app.add_subcommand("limits", "Maximum input sizes of each reader");
    command->add_flag("--markdown", options->markdown, "Print the help page resources/help/limits.md");
    addOutput(*command, *options, cli);
    command->callback([options] { writeOutput(*options, options->json ? json() : options->markdown ? page() : table()); });
}

} // namespace prism::cli
