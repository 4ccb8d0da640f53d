// SPDX-License-Identifier: GPL-3.0-or-later
// Salvage in a child process, whose limits the kernel enforces. The program executes itself again: a fork of a program with threads could
// continue with locks that no thread releases.
#include "core/base/jsontext.h"
#include "core/base/platform/childprocess.h"
#include "core/base/platform/process.h"
#include "core/study/impl.h"
#include "core/study/backup.h"
#include "core/study/siblings.h"

#include <nlohmann/json.hpp>

#include <atomic>
#include <iostream>

#include <sys/resource.h>

namespace prism {

namespace {

using ReportJson = nlohmann::json;

constexpr std::string_view kHelper = "--salvage-study";
constexpr rlim_t kMemoryBytes = rlim_t{1} << 30, kProcessorSeconds = static_cast<rlim_t>(kMaxCheckSeconds);
constexpr double kMaxWallSeconds = 60; ///< of a slow disk
constexpr std::size_t kMaxReportBytes = std::size_t{16} << 20;
std::atomic<bool> g_isHelper = false; ///< whether this program understands kHelper

ReportJson diagnosticsJson(const Diagnostics& diagnostics)
{
    ReportJson list = ReportJson::array();
    for (const Diagnostic& d : diagnostics)
        list.push_back({{"path", d.path}, {"message", d.message}, {"found", d.found}, {"accepted", d.accepted}});
    return list;
}

Diagnostics diagnosticsOf(const ReportJson& list, Severity severity)
{
    Diagnostics diagnostics;
    for (const ReportJson& d : list)
        diagnostics.push_back({severity, d.at("path"), d.at("message"), d.at("found"), d.at("accepted")});
    return diagnostics;
}

ReportJson reportJson(const Result<SalvageReport>& report)
{
    if (!report.ok())
        return {{"errors", diagnosticsJson(report.errors())}};
    return {{"scenarios", report->scenarios},
            {"revisions", report->revisions},
            {"attachments", report->attachments},
            {"results", report->results},
            {"views", report->viewStates},
            {"steps", report->steps},
            {"losses", diagnosticsJson(report->losses)}};
}

Result<SalvageReport> reportOf(const ReportJson& json)
{
    if (json.contains("errors"))
        return diagnosticsOf(json.at("errors"), Severity::error);
    SalvageReport report{
        json.at("scenarios"), json.at("revisions"), json.at("attachments"), json.at("results"), json.at("views"), json.at("steps"), {}};
    report.losses = diagnosticsOf(json.at("losses"), Severity::warning);
    return report;
}

void limit(__rlimit_resource resource, rlim_t largest)
{
    const rlimit both{largest, largest};
    setrlimit(resource, &both);
}

} // namespace

std::optional<int> salvageHelper(int argc, char** argv)
{
    g_isHelper = true;
    if (argc != 6 || argv[1] != kHelper)
        return std::nullopt;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // whose shadow memory alone is beyond it
    limit(RLIMIT_AS, kMemoryBytes);
#endif
    limit(RLIMIT_CPU, kProcessorSeconds);
    limit(RLIMIT_CORE, 0);
    StudyOptions options;
    options.program = argv[4];
    options.backupFolder = argv[5];
    std::cout << reportJson(salvageStudy(argv[2], argv[3], options)).dump(-1, ' ', false, ReportJson::error_handler_t::replace);
    return std::cout.flush() ? 0 : 1;
}

Result<SalvageReport> salvageInChild(const std::string& path, const std::string& output, const StudyOptions& options, std::stop_token stop)
{
    if (!g_isHelper)
        return salvageStudy(path, output, options);
    const std::optional<ChildRun> run =
        runChild({.words = {programPath(), std::string(kHelper), path, output, options.program, options.backupFolder},
                  .timeoutSeconds = kMaxWallSeconds,
                  .outputBytes = kMaxReportBytes,
                  .stop = std::move(stop)});
    if (run && run->exitCode == 0)
        if (const Result<ReportJson> json = parseJson(run->output)) {
            std::optional<Result<SalvageReport>> report;
            if (attempt([&] { report = reportOf(*json); }).empty())
                return std::move(*report);
        }
    removeUnfinished(realPath(output));
    (void)attempt([] { const PrivateFolder removesLeftOvers; }); // what a stopped child copied to read
    if (!run)
        return Diagnostic{Severity::error, std::string(study_problem::kInputOutput), "The salvage could not be started.", path};
    return Diagnostic{Severity::error, std::string(study_problem::kTooLarge), "The salvage was stopped at a limit.",
                      path + ": " + std::to_string(static_cast<int>(run->cpuSeconds)) + " s of processor time, "
                          + std::to_string(static_cast<int>(run->peakMib)) + " MiB of memory",
                      "up to " + std::to_string(kProcessorSeconds) + " s, " + std::to_string(kMemoryBytes >> 20) + " MiB and "
                          + std::to_string(static_cast<int>(kMaxWallSeconds)) + " s of waiting for the disk"};
}

} // namespace prism
