// SPDX-License-Identifier: GPL-3.0-or-later
// Question, answer and certainty of a report, in sentences.
#include "core/engine/verdict.h"
#include "ui/findings/findings.h"
#include "ui/look/figures.h"
#include "ui/look/change.h"
#include "ui/look/format.h"

#include <QObject>

#include <algorithm>
#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

QString missed(const Estimate& misses)
{
    return shareRuns(misses.value, misses.halfWidth).front().text;
}

bool canBeToldApart(const Estimate& a, const Estimate& b)
{
    return std::abs(a.value - b.value) > std::hypot(a.halfWidth, b.halfWidth);
}

const FoundScenario* baselineOf(const Findings& f)
{
    for (const FoundScenario& s : f.scenarios)
        if (s.baseline)
            return &s;
    return nullptr;
}

/// The scenario to hold the advised one against: the baseline, or where that is advised the next best.
const FoundScenario* rivalOf(const Findings& f)
{
    const FoundScenario* base = baselineOf(f);
    if (base && base != &f.best())
        return base;
    const FoundScenario* rival = nullptr;
    const auto rank = [&](const FoundScenario& s) { return f.hasTarget ? s.misses.value : s.snapshot->across.p95; };
    for (const FoundScenario& s : f.scenarios)
        if (&s != &f.best() && s.possible && (!rival || rank(s) < rank(*rival)))
            rival = &s;
    return rival;
}

QString nothingFits(const Findings& f)
{
    const MemoryReport& memory = f.best().snapshot->costed->memory;
    return f.scenarios.size() == 1
               ? QObject::tr("%1 cannot run: it needs %2 of GPU memory and has %3.")
                     .arg(f.best().name, format::gib(memory.peakGib).text(), format::gib(memory.capacityGib).text())
               : QObject::tr("None of the %1 scenarios can run: each needs more memory than a GPU has.").arg(f.scenarios.size());
}

/// "5.0 % of its steps miss 9.30 s"
QString targetSentence(const Findings& f)
{
    const FoundScenario &best = f.best(), *rival = rivalOf(f);
    const QString mark = format::seconds(f.markSeconds).text();
    if (!rival)
        return QObject::tr("%1 of the steps of %2 miss %3.").arg(missed(best.misses), best.name, mark);
    if (!canBeToldApart(best.misses, rival->misses))
        return QObject::tr("%1 and %2 cannot be told apart: %3 and %4 of their steps miss %5.")
            .arg(best.name, rival->name, missed(best.misses), missed(rival->misses), mark);
    if (best.baseline)
        return QObject::tr("Keep %1: %2 of its steps miss %3; with %4 it would be %5.")
            .arg(best.name, missed(best.misses), mark, rival->name, missed(rival->misses));
    return QObject::tr("Take %1: %2 of its steps miss %3; with %4 it is %5.")
        .arg(best.name, missed(best.misses), mark, rival->name, missed(rival->misses));
}

/// Without a target: the time within which 19 of 20 steps end.
QString percentileSentence(const Findings& f)
{
    const FoundScenario &best = f.best(), *rival = rivalOf(f);
    const DistributionSummary& step = best.snapshot->across;
    const QString p95 = format::seconds(step.p95).text();
    if (!rival)
        return QObject::tr("19 of 20 steps end within %1, half of them within %2.").arg(p95, format::seconds(step.p50).text());
    const Estimate& change = best.baseline ? rival->changes.p95.delta : best.changes.p95.delta;
    const QString other = format::seconds(rival->snapshot->across.p95).text();
    if (!change.significant())
        return QObject::tr("%1 and %2 cannot be told apart: 19 of 20 of their steps end within %3.").arg(best.name, rival->name, p95);
    return (best.baseline ? QObject::tr("Keep %1: 19 of 20 of its steps end within %2; with %3 it would be %4.")
                          : QObject::tr("Take %1: 19 of 20 of its steps end within %2; with %3 it is %4."))
        .arg(best.name, p95, rival->name, other);
}

} // namespace

std::size_t advisedScenario(const Findings& f)
{
    const auto rank = [&](const FoundScenario& s) { return f.hasTarget ? s.misses.value : s.snapshot->across.p95; };
    std::size_t best = 0, base = f.scenarios.size();
    bool any = false;
    for (std::size_t i = 0; i < f.scenarios.size(); ++i) {
        if (f.scenarios[i].baseline)
            base = i;
        if (f.scenarios[i].possible && (!any || rank(f.scenarios[i]) < rank(f.scenarios[best]))) {
            best = i;
            any = true;
        }
    }
    if (!any)
        return base < f.scenarios.size() ? base : 0;
    if (base >= f.scenarios.size() || base == best || !f.scenarios[base].possible)
        return best;
    const bool apart = f.hasTarget ? canBeToldApart(f.scenarios[best].misses, f.scenarios[base].misses)
                                   : f.scenarios[best].changes.p95.delta.significant();
    return apart ? best : base; // a change that nobody can measure is not worth making
}

QString questionOf(const Findings& f)
{
    const QString mark = format::seconds(f.markSeconds).text();
    if (f.scenarios.size() == 1)
        return f.hasTarget ? QObject::tr("How often does a training step take longer than %1?").arg(mark)
                           : QObject::tr("How long does a training step take, and how long does a slow one?");
    return f.hasTarget ? QObject::tr("Which scenario keeps a training step under %1?").arg(mark)
                       : QObject::tr("Which of the %1 scenarios trains with the shortest slow steps?").arg(f.scenarios.size());
}

Answer answerOf(const Findings& f)
{
    Answer answer;
    const FoundScenario& best = f.best();
    const bool runs = best.possible;
    answer.sentence = !runs ? nothingFits(f) : f.hasTarget ? targetSentence(f) : percentileSentence(f);
    const DistributionSummary& step = best.snapshot->across;
    answer.certainty << (f.hasTarget
                             ? QObject::tr("Sampling: %1 points (95 %), from %2 steps per scenario that share their random numbers.")
                                   .arg(format::plainInterval(100 * best.misses.halfWidth),
                                        format::count(static_cast<qint64>(step.samples)))
                             : QObject::tr("Sampling: %1 (95 %), from %2 steps per scenario that share their random numbers.")
                                   .arg(format::intervalBeside(step.p95, step.ciP95), format::count(static_cast<qint64>(step.samples))));
    if (const CostedStep& costed = *best.snapshot->costed; costed.errorBandHigh > costed.errorBandLow)
        answer.certainty << QObject::tr("Model: on nine of ten published jobs of this kind its mean step was %1 off. This shifts all "
                                        "scenarios alike more than one against another.")
                                .arg(format::band(costed.errorBandLow, costed.errorBandHigh));
    for (const Doubt& doubt : verdictOf(*best.snapshot).doubts)
        answer.certainty << QString::fromStdString(doubt.sentence);
    const double tokens = best.snapshot->costed->tokensPerStep;
    for (const FoundScenario& s : f.scenarios)
        if (s.snapshot->costed->tokensPerStep != tokens) {
            answer.certainty << QObject::tr("The scenarios differ in tokens per step: look at days to train, too.");
            break;
        }
    return answer;
}

} // namespace prism::ui
