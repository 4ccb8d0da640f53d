// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/gantt.h"

#include "ui/look/format.h"

#include <algorithm>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t kMaxClasses = 3; ///< named in the sum of a stretch

struct KindGroup {
    QString name;
    std::initializer_list<SpanKind> kinds;
};

} // namespace

void GanttChart::setFound(const std::set<int>& classes)
{
    m_found = classes;
    update();
}

bool GanttChart::isFound(const TimelineSpan& span) const
{
    return m_found.contains(span.kernelClass)
           || std::any_of(span.parts.begin(), span.parts.end(), [this](const SpanPart& p) { return m_found.contains(p.kernelClass); });
}

int GanttChart::foundSpans() const
{
    if (!m_timeline || m_found.empty())
        return 0;
    return static_cast<int>(
        std::count_if(m_timeline->spans.begin(), m_timeline->spans.end(), [this](const TimelineSpan& span) { return isFound(span); }));
}

void GanttChart::readNextFound()
{
    const int count = itemCount();
    for (int step = 1; step <= count; ++step) {
        const int item = (focusItem() + step) % count;
        const TimelineSpan& span = spanOf(item);
        if (m_found.empty() || !isFound(span))
            continue;
        const double length = m_end - m_start, middle = (span.startSeconds + span.endSeconds) / 2;
        if (span.startSeconds < m_start || span.endSeconds > m_end)
            setView(middle - length / 2, middle + length / 2);
        setFocusItem(item);
        return;
    }
}

void GanttChart::setRange(const std::optional<StepRange>& range)
{
    std::optional<StepRange> next;
    if (range && m_timeline) {
        const double low = std::clamp(std::min(range->start, range->end), 0.0, m_timeline->stepSeconds);
        const double high = std::clamp(std::max(range->start, range->end), 0.0, m_timeline->stepSeconds);
        if (high > low)
            next = StepRange{low, high};
    }
    if (next == m_range)
        return;
    m_range = next;
    Q_EMIT rangeChanged();
    update();
}

QString GanttChart::rangeText() const
{
    if (!m_range || !m_timeline)
        return {};
    const RangeSum sum = sumOverRange(*m_timeline, m_range->start, m_range->end);
    const double length = sum.endSeconds - sum.startSeconds, all = length * sum.stages;
    const KindGroup groups[] = {
        {tr("forward"), {SpanKind::forward}},
        {tr("backward"), {SpanKind::backward, SpanKind::weight}},
        {tr("communication"), {SpanKind::embeddingAllReduce, SpanKind::gradSync, SpanKind::gradNorm, SpanKind::paramGather}},
        {tr("optimizer"), {SpanKind::optimizer}},
        {tr("idle"), {SpanKind::bubble}}};
    QStringList shares, classes;
    for (const KindGroup& group : groups) {
        double seconds = 0;
        for (const SpanKind kind : group.kinds)
            seconds += sum.of(kind);
        if (seconds > 0)
            shares << u"%1 %2"_s.arg(group.name, format::percent(seconds / all));
    }
    for (std::size_t i = 0; i < std::min(kMaxClasses, sum.byClass.size()); ++i)
        classes << u"%1 %2"_s.arg(
            format::kernelClass(QString::fromStdString(m_timeline->classNames[static_cast<std::size_t>(sum.byClass[i].kernelClass)])),
            format::seconds(sum.byClass[i].seconds / sum.stages).text());
    QString text = tr("Chosen: %1 from %2 to %3, on all stages: %4.")
                       .arg(format::seconds(length).text(), format::seconds(sum.startSeconds).text(),
                            format::seconds(sum.endSeconds).text(), shares.join(u", "_s));
    if (!classes.isEmpty())
        text += tr(" Most of it per stage: %1.").arg(classes.join(u", "_s));
    return text;
}

} // namespace prism::ui
