// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/pipelinetext.h"

#include "ui/look/choice.h"
#include "ui/look/format.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t kMaxClasses = 3;  // named in a change
constexpr double kReportedShare = 0.02; // of the change; smaller shares are omitted
constexpr double kMinReported = 1e-6;   // seconds

struct KindGroup {
    QString name;
    std::initializer_list<SpanKind> kinds;
};

double meanBubble(const Timeline& step)
{
    const auto& idle = step.bubbleFraction;
    return idle.empty() ? 0 : std::accumulate(idle.begin(), idle.end(), 0.0) / static_cast<double>(idle.size());
}

} // namespace

ChartText stepText(const Timeline& step, const DrawChoice& draw, const std::optional<std::uint64_t>& seed)
{
    ChartText text;
    const QString which = draw.kind == DrawChoice::Kind::sample ? QObject::tr("step") : QString::fromStdString(step.draw);
    text.title = QObject::tr("One sampled %1, %2").arg(which, format::seconds(step.totalSeconds()).text());
    const QString shape = step.chunks > 1   ? QObject::tr("%1 stages × %2 chunks").arg(step.stages).arg(step.chunks)
                          : step.stages > 1 ? QObject::tr("%1 stages").arg(step.stages)
                                            : QObject::tr("1 stage");
    const QString whose = step.replica == step.slowestReplica
                              ? QObject::tr("the slowest")
                              : QObject::tr("waits for replica %1, the slowest").arg(format::count(step.slowestReplica));
    text.subtitle = QObject::tr("Draw %1, replica %2 of %3 (%4), schedule %5, %6, %7 micro-batches")
                        .arg(format::count(step.sample), QString::number(step.replica), format::count(step.replicas), whose,
                             format::choice(QString::fromStdString(step.scheduleName)), shape, format::count(step.microbatches));
    QString footer = QObject::tr("One draw, no interval. ");
    if (step.candidates > 1)
        footer += QObject::tr("Searched among %1 draws%2. ")
                      .arg(format::count(step.candidates), seed ? QObject::tr(", seed %1").arg(*seed) : QString());
    if (step.delaySeconds() != 0)
        footer += QObject::tr("Jitter and stalls of the whole step, %1, are not drawn. ").arg(format::secondsDelta(step.delaySeconds()));
    text.footer << footer + QObject::tr("Idle share of a stage %1 on average.").arg(format::percent(meanBubble(step)));
    return text;
}

QString changeText(const Timeline& from, const Timeline& to)
{
    const StepChange change = changeOfStep(from, to);
    const double reported = std::max(kMinReported, kReportedShare * std::abs(change.stepSeconds));
    const KindGroup groups[] = {
        {QObject::tr("forward"), {SpanKind::forward}},
        {QObject::tr("backward"), {SpanKind::backward, SpanKind::weight}},
        {QObject::tr("communication"), {SpanKind::embeddingAllReduce, SpanKind::gradSync, SpanKind::gradNorm, SpanKind::paramGather}},
        {QObject::tr("optimizer"), {SpanKind::optimizer}},
        {QObject::tr("idle"), {SpanKind::bubble}}};
    QList<std::pair<double, QString>> parts;
    for (const KindGroup& group : groups) {
        double seconds = 0;
        for (const SpanKind kind : group.kinds)
            seconds += change.of(kind);
        if (std::abs(seconds) >= reported)
            parts << std::pair{seconds, group.name};
    }
    if (std::abs(change.delaySeconds) >= reported)
        parts << std::pair{change.delaySeconds, QObject::tr("jitter and stalls")};
    std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return std::abs(a.first) > std::abs(b.first); });
    QStringList kinds, classes;
    for (const auto& [seconds, name] : parts)
        kinds << u"%1 %2"_s.arg(name, format::secondsDelta(seconds));
    for (std::size_t i = 0; i < std::min(kMaxClasses, change.byClass.size()); ++i)
        if (const SpanPart& part = change.byClass[i]; std::abs(part.seconds) >= reported)
            classes << u"%1 %2"_s.arg(
                format::kernelClass(QString::fromStdString(to.classNames[static_cast<std::size_t>(part.kernelClass)])),
                format::secondsDelta(part.seconds));
    QString text = QObject::tr("%1 against the %2").arg(format::secondsDelta(change.stepSeconds), QString::fromStdString(from.draw));
    if (!kinds.isEmpty())
        text += QObject::tr(": %1 on an average stage").arg(kinds.join(u", "_s));
    text += u'.';
    return classes.isEmpty() ? text : text + QObject::tr(" Kernels: %1.").arg(classes.join(u", "_s));
}

} // namespace prism::ui
