// SPDX-License-Identifier: GPL-3.0-or-later
// Question, answer and certainty of a report, in sentences.
#include "core/engine/systemsrange.h"
#include "core/engine/verdict.h"
#include "core/scenario/parametercheck.h"
#include "core/scenario/parameters.h"
#include "ui/findings/findings.h"
#include "ui/look/textruns.h"
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

/// At least 19 of 20 steps within the target, by the p95 that every page shows; a miss within the sampling error counts as reached.
bool isWithinLimit(const FoundScenario& s)
{
    constexpr double kMayMiss = 0.05;
    return s.misses.value <= kMayMiss + s.misses.halfWidth;
}

const FoundScenario* baselineOf(const Findings& f)
{
    for (const FoundScenario& s : f.scenarios)
        if (s.baseline)
            return &s;
    return nullptr;
}

/// Whether a scenario has a slow node that the other one lacks: that is a condition of the cluster and no way to run the job.
bool addsSlowNode(const FoundScenario& s, const FoundScenario& to)
{
    const std::vector<SlowEntry>&slow = s.snapshot->scenario.variability.slow, &known = to.snapshot->scenario.variability.slow;
    return std::any_of(slow.begin(), slow.end(),
                       [&](const SlowEntry& e) { return std::find(known.begin(), known.end(), e) == known.end(); });
}

bool isCondition(const Findings& f, const FoundScenario& s)
{
    const FoundScenario* base = baselineOf(f);
    return base && base != &s && addsSlowNode(s, *base);
}

/// The choices: the scenarios that run, under the conditions of the baseline where one of them does.
std::vector<const FoundScenario*> choicesOf(const Findings& f)
{
    std::vector<const FoundScenario*> choices;
    for (const bool conditions : {false, true})
        for (const FoundScenario& s : f.scenarios)
            if (s.possible && isCondition(f, s) == conditions && (!conditions || choices.empty()))
                choices.push_back(&s);
    return choices;
}

/// In what the jobs of the scenarios differ: "model, GPUs, tokens per step"; empty = steps of one job are compared.
QString jobsDiffer(const Findings& f)
{
    const Snapshot& first = *f.scenarios.front().snapshot;
    bool model = false, gpus = false, tokens = false;
    for (const FoundScenario& s : f.scenarios) {
        const Snapshot& other = *s.snapshot;
        for (const Parameter* p : differences(first.scenario, other.scenario))
            model = model || (p->group == "model" && !isLabel(*p));
        gpus = gpus || other.scenario.cluster.numGpus != first.scenario.cluster.numGpus;
        tokens = tokens || other.costed->tokensPerStep != first.costed->tokensPerStep;
    }
    QStringList parts;
    for (const auto& [differs, name] :
         {std::pair{model, QObject::tr("model")}, {gpus, QObject::tr("GPUs")}, {tokens, QObject::tr("tokens per step")}})
        if (differs)
            parts << name;
    return parts.join(u", "_s);
}

/// p95 of scenarios: of a step, or of a million tokens where the jobs differ.
class Times final {
public:
    explicit Times(const Findings& f) : m_found(f), m_perToken(!jobsDiffer(f).isEmpty()) {}

    [[nodiscard]] Estimate p95(const FoundScenario& s) const
    {
        const DistributionSummary& step = s.snapshot->across;
        const double tokens = m_perToken ? s.snapshot->costed->tokensPerStep / 1e6 : 1.0;
        return {step.p95 / tokens, step.ciP95 / tokens};
    }
    /// "6.55 s", "1.64 s per million tokens"
    [[nodiscard]] QString text(const FoundScenario& s) const
    {
        const QString time = format::seconds(p95(s).value).text();
        return m_perToken ? QObject::tr("%1 per million tokens").arg(time) : time;
    }
    /// b - a; paired where both draw the same jobs.
    [[nodiscard]] Estimate change(const FoundScenario& a, const FoundScenario& b) const
    {
        if (m_perToken)
            return {p95(b).value - p95(a).value, std::hypot(p95(a).halfWidth, p95(b).halfWidth)};
        if (a.baseline)
            return b.changes.p95.delta;
        if (b.baseline)
            return {-a.changes.p95.delta.value, a.changes.p95.delta.halfWidth};
        return changes(a, b).p95.delta;
    }
    [[nodiscard]] HeadlineChanges changes(const FoundScenario& a, const FoundScenario& b) const
    {
        return m_found.compare(a.snapshot, b.snapshot);
    }

private:
    const Findings& m_found;
    bool m_perToken;
};

/// The criterion between two scenarios: p95, then days, then cost; nothing where they tie in all of them.
enum class Reason { none, p95, days, cost };
struct Preferred {
    bool second = false;
    Reason by = Reason::none;
};

Preferred preferred(const Times& times, const FoundScenario& a, const FoundScenario& b)
{
    if (const Estimate p95 = times.change(a, b); p95.significant())
        return {p95.value < 0, Reason::p95};
    const HeadlineChanges c = times.changes(a, b);
    const Snapshot &of = *a.snapshot, &other = *b.snapshot;
    if (of.daysToTrain > 0 && other.daysToTrain > 0 && c.daysToTrain.delta.significant())
        return {c.daysToTrain.delta.value < 0, Reason::days};
    if (of.costUsd > 0 && other.costUsd > 0 && c.costUsd.delta.significant())
        return {c.costUsd.delta.value < 0, Reason::cost};
    return {};
}

/// The choices among which the answer is found: those that reach the target, or all where none does or none is set.
std::vector<const FoundScenario*> poolOf(const Findings& f)
{
    std::vector<const FoundScenario*> pool = choicesOf(f);
    if (f.hasTarget && std::any_of(pool.begin(), pool.end(), [](const auto* s) { return isWithinLimit(*s); }))
        std::erase_if(pool, [](const FoundScenario* s) { return !isWithinLimit(*s); });
    return pool;
}

/// The scenario to compare the advised one with: the baseline, or where that is advised the next best.
const FoundScenario* rivalOf(const Findings& f, const Times& times)
{
    const FoundScenario* base = baselineOf(f);
    if (base && base != &f.best())
        return base;
    const FoundScenario* rival = nullptr;
    for (const FoundScenario* s : choicesOf(f))
        if (s != &f.best() && (!rival || times.p95(*s).value < times.p95(*rival).value))
            rival = s;
    for (const FoundScenario& s : f.scenarios) // nothing to choose: what a slow node would do
        if (!rival && &s != &f.best() && s.possible)
            rival = &s;
    return rival;
}

QString cannotRun(const FoundScenario& s)
{
    const MemoryReport& memory = s.snapshot->costed->memory;
    return QObject::tr("%1 cannot run: it needs %2 of GPU memory and has %3.")
        .arg(s.name, format::gib(memory.peakGib).text(), format::gib(memory.capacityGib).text());
}

QString nothingFits(const Findings& f)
{
    return f.scenarios.size() == 1
               ? cannotRun(f.best())
               : QObject::tr("None of the %1 scenarios can run: each needs more memory than a GPU has.").arg(f.scenarios.size());
}

QString tieSentence(const Findings& f, const Times& times, const FoundScenario& rival, const QString& verb)
{
    const FoundScenario& best = f.best();
    const Preferred other = preferred(times, rival, best);
    const QString first = times.text(best), second = times.text(rival);
    const QString tie = QObject::tr("%1 and %2 tie within the sampling error: 19 of 20 of their steps end within %3")
                            .arg(best.name, rival.name, first == second ? first : QObject::tr("%1 and %2").arg(first, second));
    if (!other.second)
        return tie + u'.';
    return QObject::tr("%1: %2").arg(verb.arg(best.name), tie)
           + (other.by == Reason::days
                  ? QObject::tr(", and it trains in %1, not %2.")
                        .arg(format::days(best.snapshot->daysToTrain).text(), format::days(rival.snapshot->daysToTrain).text())
                  : QObject::tr(", and it costs %1, not %2.")
                        .arg(format::dollars(best.snapshot->costUsd).text(), format::dollars(rival.snapshot->costUsd).text()));
}

/// "with base it is 6.95 s"; of the baseline's rivals "with other it would be 7.12 s", or where its digits are those of `own`, "the same"
QString against(const Findings& f, const FoundScenario& rival, const QString& own, const QString& other)
{
    const QString metric = own == other ? QObject::tr("the same") : other;
    const QString text = isCondition(f, rival) ? QObject::tr("under the condition %1 it would be %2")
                         : f.best().baseline   ? QObject::tr("with %1 it would be %2")
                                               : QObject::tr("with %1 it is %2");
    return text.arg(rival.name, metric);
}

/// The rival's p95; "1.2 ms more" where it differs by less than its digits show.
QString rivalTime(const Findings& f, const Times& times, const FoundScenario& rival)
{
    const QString text = times.text(rival);
    const Estimate change = times.change(f.best(), rival);
    if (text != times.text(f.best()) || !format::isFound(change, times.p95(rival).value))
        return text;
    return (change.value > 0 ? QObject::tr("%1 more") : QObject::tr("%1 less")).arg(format::timeChange(change).mid(1));
}

QString choiceSentence(const Findings& f)
{
    const Times times(f);
    const FoundScenario &best = f.best(), *rival = rivalOf(f, times);
    const QString p95 = times.text(best), mark = format::seconds(f.markSeconds).text();
    if (!rival && !f.hasTarget)
        return QObject::tr("19 of 20 steps end within %1, half of them within %2.")
            .arg(p95, format::seconds(best.snapshot->across.p50).text());
    if (!rival)
        return (isWithinLimit(best) ? QObject::tr("%1 meets the limit %2: as predicted %3 of its steps miss it.")
                                    : QObject::tr("%1 does not meet the limit %2: as predicted %3 of its steps miss it."))
            .arg(best.name, mark, missed(best.misses));
    if (f.hasTarget && !isWithinLimit(best))
        return QObject::tr("No scenario meets the limit %1. The nearest is %2: as predicted %3 of its steps miss it; %4.")
            .arg(mark, best.name, missed(best.misses), against(f, *rival, missed(best.misses), missed(rival->misses)));
    const QString verb = best.baseline && f.pinned ? QObject::tr("Keep %1") : QObject::tr("Take %1");
    if (!rival->possible)
        return (verb + QObject::tr(": 19 of 20 of its steps end within %2; %3")).arg(best.name, p95, cannotRun(*rival));
    if (f.hasTarget && !isWithinLimit(*rival))
        return (verb + QObject::tr(": as predicted %2 of its steps miss %3; %4."))
            .arg(best.name, missed(best.misses), mark, against(f, *rival, missed(best.misses), missed(rival->misses)));
    const QString all = f.hasTarget ? QObject::tr("%1 and %2 meet the limit %3. ").arg(best.name, rival->name, mark) : QString();
    if (!times.change(*rival, best).significant())
        return all + tieSentence(f, times, *rival, verb);
    return all
           + (verb + QObject::tr(": 19 of 20 of its steps end within %2; %3."))
                 .arg(best.name, p95, against(f, *rival, p95, rivalTime(f, times, *rival)));
}

} // namespace

std::size_t advisedScenario(const Findings& f)
{
    const Times times(f);
    const FoundScenario* base = baselineOf(f);
    std::vector<const FoundScenario*> pool = poolOf(f);
    if (pool.empty())
        return base ? static_cast<std::size_t>(base - f.scenarios.data()) : 0;
    const auto less = [&](const FoundScenario* a, const FoundScenario* b) { return times.p95(*a).value < times.p95(*b).value; };
    const FoundScenario* best = *std::min_element(pool.begin(), pool.end(), less);
    for (const FoundScenario* s : pool) // what ties with the shortest in p95 can be better in days or cost
        if (const Preferred p = preferred(times, *best, *s); p.second)
            best = s;
    if (base && std::find(pool.begin(), pool.end(), base) != pool.end() && !preferred(times, *base, *best).second)
        best = base; // a change that cannot be measured is not worth making
    return static_cast<std::size_t>(best - f.scenarios.data());
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

MissedOverSystems missedOverSystems(const Snapshot& s, double seconds)
{
    if (!s.systems || s.sortedAcrossSeconds.empty() || !(seconds > 0))
        return {};
    const ExceedanceOverSystems over = StepsOverSystems(*s.systems, s.sortedAcrossSeconds, s.across.ciMean).exceedance(seconds);
    const QString share = missed(over.probability), limit = format::seconds(seconds).text();
    return {QObject::tr("With the error of the mean and how systems differ, %1 of the steps miss %2; nine of ten systems %3 to %4.")
                .arg(share, limit, format::percent(over.low), format::percent(over.high)),
            QObject::tr("%1 miss %2 over systems and model error").arg(share, limit)};
}

QString answerSentence(const Findings& f)
{
    return f.best().possible ? choiceSentence(f) : nothingFits(f);
}

Answer answerOf(const Findings& f)
{
    Answer answer;
    answer.sentence = answerSentence(f);
    const FoundScenario& best = f.best();
    const DistributionSummary& step = best.snapshot->across;
    answer.certainty << (f.hasTarget
                             ? QObject::tr("Sampling: %1 points (95 %), from %2 steps per scenario that share their random numbers.")
                                   .arg(format::plainInterval(100 * best.misses.halfWidth),
                                        format::count(static_cast<qint64>(step.samples)))
                             : QObject::tr("Sampling: %1 (95 %), from %2 steps per scenario that share their random numbers.")
                                   .arg(format::intervalNextTo(step.p95, step.ciP95), format::count(static_cast<qint64>(step.samples))));
    if (const CostedStep& costed = *best.snapshot->costed; costed.errorBandHigh > costed.errorBandLow)
        answer.certainty << QObject::tr("Model: its mean step is %1 off (%2). This shifts all scenarios by about the same factor.")
                                .arg(format::band(costed.errorBandLow, costed.errorBandHigh), QString::fromStdString(bandSource(costed)));
    if (const QString over = missedOverSystems(*best.snapshot, f.hasTarget ? f.markSeconds : 0).sentence; !over.isEmpty())
        answer.certainty << over;
    if (best.snapshot->systems && !best.snapshot->systems->systems.empty())
        answer.certainty << QString::fromStdString(systemsSentence(*best.snapshot->systems));
    for (const Caveat& caveat : verdictOf(*best.snapshot).caveats)
        answer.certainty << QString::fromStdString(caveat.sentence);
    if (const QString jobs = jobsDiffer(f); !jobs.isEmpty())
        answer.certainty << QObject::tr("The scenarios differ in %1: they are compared per token.").arg(jobs);
    for (const FoundScenario& s : f.scenarios)
        if (isCondition(f, s))
            answer.certainty << QObject::tr("%1 marks slow nodes: a condition to prepare for, and no choice.").arg(s.name);
    if (f.hasTarget && f.scenarios.size() > 1)
        answer.certainty << QObject::tr("A scenario meets the limit if 19 of 20 of its steps end within it.");
    return answer;
}

} // namespace prism::ui
