// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/papernotes.h"

#include "core/engine/verdict.h"
#include "ui/look/format.h"

#include <QCoreApplication>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

QString configurationOf(const Scenario& s)
{
    const ParallelismConfig& p = s.parallelism;
    QStringList parts{QString::fromStdString(s.model.name),
                      QObject::tr("%1 × %2").arg(format::count(s.cluster.numGpus), QString::fromStdString(s.cluster.gpu.name)),
                      u"TP %1"_s.arg(p.tensorModelParallelSize), u"PP %1"_s.arg(p.pipelineModelParallelSize)};
    if (p.virtualPipelineModelParallelSize > 1)
        parts << u"VPP %1"_s.arg(p.virtualPipelineModelParallelSize);
    if (p.contextParallelSize > 1)
        parts << u"CP %1"_s.arg(p.contextParallelSize);
    if (p.expertModelParallelSize > 1)
        parts << u"EP %1"_s.arg(p.expertModelParallelSize);
    parts << u"DP %1"_s.arg(s.dataParallelSize()) << u"ZeRO %1"_s.arg(p.zeroStage)
          << QObject::tr("global batch %1").arg(format::count(s.training.globalBatchSize))
          << QObject::tr("micro-batch %1").arg(format::count(s.training.microBatchSize))
          << QObject::tr("sequence %1").arg(format::count(s.model.seqLength)) << QString::fromStdString(s.training.precision).toUpper();
    return QObject::tr("Configuration: %1.").arg(parts.join(u", "_s));
}

QString methodOf(const Snapshot& s)
{
    QString text = QObject::tr("Method: %1, Monte Carlo with common random numbers.")
                       .arg(format::samplesAndSeed(static_cast<std::int64_t>(s.across.samples), s.seed, QObject::tr("sampled steps")));
    if (s.costed && s.costed->errorBandHigh > s.costed->errorBandLow)
        text += QObject::tr(" Model error %1 (%2): it does not shrink with n.")
                    .arg(format::band(s.costed->errorBandLow, s.costed->errorBandHigh), QString::fromStdString(bandSource(*s.costed)));
    if (s.systems && !s.systems->systems.empty())
        text += u' ' + QString::fromStdString(systemsSentence(*s.systems));
    return text;
}

} // namespace

PaperText paperText(const PageContext& context, const QString& pageTitle)
{
    PaperText text{pageTitle, {}, {}};
    const ShownScenario *current = context.current(), *baseline = context.baseline();
    if (!current)
        return text;
    text.subtitle =
        current->isBaseline || !baseline ? current->name : QObject::tr("%1, compared with %2").arg(current->name, baseline->name);
    if (!current->snapshot)
        return text;
    const Snapshot& s = *current->snapshot;
    text.notes << configurationOf(s.scenario) << methodOf(s);
    for (const Caveat& caveat : verdictOf(s).caveats)
        text.notes << QString::fromStdString(caveat.sentence);
    text.notes << QObject::tr("PRISM Explorer %1, scenario %2.")
                      .arg(QCoreApplication::applicationVersion(), QString::fromStdString(s.hash.text()));
    return text;
}

} // namespace prism::ui
