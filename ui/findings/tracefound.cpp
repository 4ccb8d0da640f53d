// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/findings/tracefound.h"

#include "core/calibrate/traceimport.h"
#include "core/trace/barriers.h"
#include "core/trace/bytesource.h"
#include "core/sim/simulate.h"
#include "core/trace/heldout.h"
#include "core/trace/jobpools.h"
#include "core/trace/stagetable.h"
#include "core/trace/rankwindows.h"
#include "ui/look/format.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 kSniffed = 64 * 1024;
constexpr int kMaxNotes = 40;

QString sentence(const Diagnostic& d)
{
    return format::sentence(QString::fromStdString(d.found.empty() ? d.message : d.message + " (" + d.found + ")"));
}

void take(QStringList& notes, const Diagnostics& diagnostics)
{
    for (const Diagnostic& d : diagnostics)
        if (notes.size() < kMaxNotes)
            notes << sentence(d);
}

FoundFile contentKind(const QByteArray& start)
{
    const QByteArray header = start.left(start.indexOf('\n')).toLower();
    if (header.contains("optype") && header.contains("duration") && header.contains("stage"))
        return FoundFile::stageTable;
    if (start.contains("\"traceEvents\""))
        return FoundFile::profilerTraces;
    return FoundFile::other;
}

/// Whether reading may block without end, as from a pipe without a writer.
bool isEndless(const QString& path)
{
    const QFileInfo info(path);
    return info.exists() && !info.isFile() && !info.isDir();
}

Result<QByteArray> beginningOf(const QString& path, qint64 largest)
{
    Result<ByteSource> source = ByteSource::open(path.toStdString());
    if (!source.ok())
        return source.errors();
    QByteArray text(largest, '\0');
    const std::size_t read = source->read(std::span<char>(text.data(), static_cast<std::size_t>(largest)));
    text.truncate(static_cast<qsizetype>(read));
    return text;
}

void askJob(TraceFound& found, JobFound& job, const InsightOptions& options)
{
    const auto report = [&](double share, const char* what) {
        if (options.progress)
            options.progress(share, what);
    };
    const Result<RegularJob> regular = regularJob(*job.job, hiddenBarriers(*job.job).sets);
    if (!regular.ok())
        return take(found.notes, regular.errors());
    take(found.notes, regular->notes);
    report(0.6, "pools");
    const ComputeFactors factors = computeFactors(*regular);
    job.workerFactors = overMedian(factors.worker, job.job->stages);
    found.pools = durationPools(*regular, factors);
    if (options.stop.stop_requested())
        return;
    report(0.7, "slowdowns");
    if (Result<WhatIf> slowdowns = whatIf(*job.job); slowdowns.ok())
        job.slowdowns = std::move(slowdowns).value();
    else
        take(found.notes, slowdowns.errors());
    if (options.stop.stop_requested())
        return;
    report(0.85, "repairs");
    if (Result<Repairs> repairs = repairsOf(*regular); repairs.ok()) {
        take(found.notes, repairs->notes);
        job.repairs = std::move(repairs).value();
    } else {
        take(found.notes, repairs.errors());
    }
}

bool isJob(FoundFile kind)
{
    return kind == FoundFile::stageTable || kind == FoundFile::pipelineEvents;
}

/// A stage table or a folder of pipeline events.
Result<TraceJob> jobOf(const QString& path, FoundFile kind, const InsightOptions& options)
{
    const std::string file = path.toStdString();
    return kind == FoundFile::pipelineEvents ? readPipelineEvents(file, controlOf(options)) : readStageTable(file, {}, controlOf(options));
}

Result<TraceFound> jobFound(Result<TraceJob> read, const Scenario& base, const InsightOptions& options)
{
    if (!read.ok())
        return read.errors();
    TraceFound found;
    JobFound job{std::make_shared<const TraceJob>(std::move(read).value()), {}, {}, {}};
    take(found.notes, job.job->notes);
    askJob(found, job, options);
    if (Result<TraceImport> imported = scenarioOfTrace(base, *job.job); imported.ok()) {
        take(found.notes, imported->notes);
        found.imported = std::move(imported->scenario);
    } else {
        take(found.notes, imported.errors());
    }
    found.job = std::move(job);
    return found;
}

Result<std::vector<KinetoRank>> ranksOf(const QString& path, const InsightOptions& options, Diagnostics& problems)
{
    Result<std::vector<KinetoRank>> ranks = readProfiles({path.toStdString()}, controlOf(options), problems);
    return options.stop.stop_requested() ? Result<std::vector<KinetoRank>>(cancelled()) : std::move(ranks);
}

/// The forecast and the repairs; none where the ranks have no step in common, which the notes state.
void askProfile(TraceFound& found, const std::vector<KinetoRank>& ranks)
{
    Result<ProfileModel> model = profileModel(ranks);
    const Result<StepGraph> graph = model.ok() ? profileGraph(*model) : Result<StepGraph>(model.errors());
    if (!graph.ok())
        return take(found.notes, graph.errors());
    for (const std::string& assumption : model->assumptions)
        found.notes << format::sentence(QString::fromStdString(assumption));
    const HeldOutOptions asCommand;
    const StepSamples samples = simulate(*graph, {.seed = asCommand.seed, .numSamples = asCommand.samples});
    Repairs repairs = profileRepairs(*model).value();
    found.profile = {std::move(model).value(), std::move(repairs), summarize(samples.acrossSeconds)};
}

Result<TraceFound> profilerFound(const QString& path, const Scenario& base, const InsightOptions& options)
{
    TraceFound found;
    Diagnostics problems;
    const Result<std::vector<KinetoRank>> ranks = ranksOf(path, options, problems);
    if (!ranks.ok())
        return ranks.errors();
    take(found.notes, problems);
    KinetoReport report = kinetoReport(*ranks);
    const bool kernels = std::any_of(report.ranks.begin(), report.ranks.end(), [](const RankReport& r) { return r.kernels > 0; });
    if (!kernels)
        problems.push_back({Severity::error, path.toStdString(), QObject::tr("These traces hold no GPU kernels.").toStdString(), "",
                            "traces of a profiler that recorded the GPU", "", ""});
    if (!kernels)
        return problems;
    take(found.notes, report.notes);
    TraceImport imported = scenarioOfTrace(base, report);
    take(found.notes, imported.notes);
    found.imported = std::move(imported.scenario);
    found.pools = std::move(report.pools);
    report.pools.clear();
    found.kineto = std::move(report);
    askProfile(found, *ranks);
    return found;
}

} // namespace

ReadControl controlOf(const InsightOptions& options)
{
    ReadControl control;
    control.stop = options.stop;
    control.progress = [&options](std::uint64_t done, std::uint64_t total) {
        if (options.progress && total > 0)
            options.progress(0.5 * static_cast<double>(done) / static_cast<double>(total), "reading");
    };
    return control;
}

FoundFile foundFile(const QString& path)
{
    if (QFileInfo(path).isDir()) {
        if (isPipelineEventFolder(path.toStdString()))
            return FoundFile::pipelineEvents;
        const QStringList names = QDir(path).entryList({u"*.json"_s, u"*.json.gz"_s}, QDir::Files);
        return names.isEmpty() ? FoundFile::other : FoundFile::profilerTraces;
    }
    const Result<QByteArray> start = isEndless(path) ? Result<QByteArray>(QByteArray()) : beginningOf(path, kSniffed);
    return start.ok() ? contentKind(*start) : FoundFile::other;
}

bool isTrace(FoundFile kind)
{
    return kind == FoundFile::stageTable || kind == FoundFile::pipelineEvents || kind == FoundFile::profilerTraces;
}

Result<QByteArray> contentOf(const QString& path, std::size_t largest)
{
    if (isEndless(path))
        return Diagnostic{.path = path.toStdString(), .message = "this is a device or pipe, no file", .accepted = "a file"};
    const Result<std::string> text = readTextFile(path.toStdString(), largest);
    if (!text)
        return text.errors();
    return QByteArray::fromStdString(*text);
}

Result<TraceFound> traceFound(const QString& path, const Scenario& base, const InsightOptions& options)
{
    const FoundFile kind = foundFile(path);
    Result<TraceFound> found = isJob(kind) ? jobFound(jobOf(path, kind, options), base, options) : profilerFound(path, base, options);
    if (options.stop.stop_requested())
        return cancelled();
    if (found.ok())
        found->name = QFileInfo(path).fileName();
    return found;
}

Result<Recording> recordingOf(const QString& path, const InsightOptions& options)
{
    const FoundFile kind = foundFile(path);
    if (isJob(kind)) {
        Result<TraceJob> job = jobOf(path, kind, options);
        return job.ok() ? jobRecording(std::move(job).value()) : Result<Recording>(job.errors());
    }
    Diagnostics problems;
    const Result<std::vector<KinetoRank>> ranks = ranksOf(path, options, problems);
    Result<Recording> recording = ranks.ok() ? profileRecording(*ranks) : Result<Recording>(ranks.errors());
    if (recording.ok())
        for (const Diagnostic& d : problems)
            recording->notes.push_back(d.path + ": " + d.message);
    return recording;
}

const Repairs* repairsOf(const TraceFound& found)
{
    const auto pointer = [](const auto& repairs) { return repairs ? &*repairs : nullptr; };
    return found.profile ? &found.profile->repairs : found.job ? pointer(found.job->repairs) : nullptr;
}

QString recognisedText(const TraceFound& found)
{
    QStringList parts{found.name};
    if (found.job) {
        const TraceJob& job = *found.job->job;
        parts << QObject::tr("%1 steps of %2 replicas × %3 stages")
                     .arg(format::count(static_cast<qint64>(job.steps.size())), format::count(job.replicas), format::count(job.stages));
        if (found.job->repairs)
            parts << (found.job->repairs->slow.empty() ? QObject::tr("No slow worker")
                      : found.job->repairs->slow.size() == 1
                          ? QObject::tr("1 slow worker")
                          : QObject::tr("%1 slow workers").arg(format::count(static_cast<qint64>(found.job->repairs->slow.size()))));
    }
    if (found.kineto)
        parts << QObject::tr(found.kineto->ranks.size() == 1 ? "%1 rank, %2 of %3 collective kernels matched"
                                                             : "%1 ranks, %2 of %3 collective kernels matched")
                     .arg(format::count(static_cast<qint64>(found.kineto->ranks.size())),
                          format::count(static_cast<qint64>(found.kineto->matchedKernels)),
                          format::count(static_cast<qint64>(found.kineto->collectiveKernels)));
    parts << QObject::tr("%1 pools of durations").arg(format::count(static_cast<qint64>(found.pools.size())));
    return parts.join(u". "_s) + u'.';
}

} // namespace prism::ui
