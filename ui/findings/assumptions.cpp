// SPDX-License-Identifier: GPL-3.0-or-later
// Assumptions and omissions of a report, in plain words.
#include "core/engine/verdict.h"
#include "ui/findings/findings.h"
#include "ui/look/dates.h"
#include "ui/look/format.h"

#include <QObject>

#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t kMaxSlowPlaces = 3; // that are named one by one

QString cvText(const Distribution& d)
{
    return format::number(100 * d.cv, 2) + u" %"_s;
}

QString spreadSentence(const VariabilityConfig& v)
{
    QStringList parts;
    if (v.spatial.cv > 0)
        parts << QObject::tr("%1 from GPU to GPU").arg(cvText(v.spatial));
    if (v.gemm.cv > 0)
        parts << QObject::tr("%1 from one matrix product to the next").arg(cvText(v.gemm));
    if (v.interCollective.cv > 0)
        parts << QObject::tr("%1 in collectives between nodes").arg(cvText(v.interCollective));
    if (parts.isEmpty())
        return QObject::tr("Nothing varies: all GPUs and links are equal and constant.");
    const QString origin = v.preset.empty() ? QString() : QObject::tr(" (%1)").arg(QString::fromStdString(v.preset));
    return QObject::tr("Times vary by %1%2.").arg(parts.join(u", "_s), origin);
}

QString jobSentence(const Findings& f)
{
    const JobReport& job = *f.best().job;
    const QString failures = std::isfinite(job.plan.mtbfHours)
                                 ? QObject::tr("A failure stops the job every %1 hours").arg(format::number(job.plan.mtbfHours, 2))
                                 : QObject::tr("Nothing fails");
    return QObject::tr("%1, a checkpoint is written every %2, %3 spare nodes stand by%4.")
        .arg(failures, format::span(job.checkpoints.usedSeconds), format::count(job.config.spareNodes),
             f.jobAssumed ? QObject::tr("; not set in the scenario, these are the published values of a run on 16,384 GPUs") : QString());
}

} // namespace

QStringList assumptionSentences(const Scenario& s)
{
    QStringList lines;
    lines << QObject::tr("%1 on %2 × %3, %4 GPUs to a node, %5 between nodes.")
                 .arg(QString::fromStdString(s.model.name), format::count(s.cluster.numGpus), QString::fromStdString(s.cluster.gpu.name),
                      format::count(s.cluster.gpusPerNode),
                      format::bandwidth(s.cluster.interNodeGbPerS * 1e9).text() + QObject::tr(" per GPU"));
    lines << spreadSentence(s.variability);
    if (s.training.trainTokens > 0)
        lines << QObject::tr("Training reads %1 tokens; a GPU-hour costs %2 $.")
                     .arg(format::si(s.training.trainTokens).text(), format::number(s.cluster.gpuHourPriceUsd));
    return lines;
}

QStringList slowPlaceSentences(const Scenario& s, const QString& name)
{
    QStringList lines;
    if (s.variability.slow.size() > kMaxSlowPlaces)
        return lines;
    for (const SlowEntry& slow : s.variability.slow) {
        QString sentence = QObject::tr("%1 %2 takes %3 as long as the others, all the time.")
                               .arg(slow.node >= 0 ? QObject::tr("node") : QObject::tr("GPU"),
                                    QString::number(slow.node >= 0 ? slow.node : slow.rank), format::factor(slow.computeFactor));
        if (name.isEmpty())
            sentence.front() = sentence.front().toUpper();
        lines << (name.isEmpty() ? sentence : QObject::tr("%1: %2").arg(name, sentence));
    }
    return lines;
}

QStringList assumptionSentences(const Findings& f)
{
    QStringList lines = assumptionSentences(f.best().snapshot->scenario);
    for (const FoundScenario& other : f.scenarios)
        lines << slowPlaceSentences(other.snapshot->scenario, other.name);
    if (f.best().job)
        lines << jobSentence(f);
    return lines;
}

QStringList modelLimitSentences()
{
    return {QObject::tr("A step is planned training: warm-up, evaluation and checkpoint pauses are not part of it; the job counts them."),
            QObject::tr("Failures come at a constant rate and one by one; a rack or switch that takes many nodes at once is not in it.")};
}

QStringList limitSentences(const Findings& f)
{
    QStringList lines;
    for (const FoundScenario& s : f.scenarios)
        for (const Caveat& caveat : verdictOf(*s.snapshot).caveats)
            if (const QString sentence = QString::fromStdString(caveat.sentence); !f.answer.certainty.contains(sentence)) // once only
                lines << u"%1: %2"_s.arg(s.name, sentence);
    lines << modelLimitSentences();
    if (f.best().job && f.best().job->energyMwhMean <= 0)
        lines << QObject::tr("Energy and emissions are not stated: the power of a node is not given.");
    lines << f.notes;
    return lines;
}

} // namespace prism::ui
