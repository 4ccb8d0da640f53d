// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/gantt.h"

#include "ui/look/format.h"

#include <algorithm>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double kSmallestView = 1e-4; // of the step

QString kindText(const TimelineSpan& span)
{
    switch (span.kind) {
    case SpanKind::forward:
        return u"Forward"_s;
    case SpanKind::backward:
        return u"Backward"_s;
    case SpanKind::weight:
        return u"Weight gradient"_s;
    case SpanKind::send:
        return u"Send to stage %1"_s.arg(span.toStage);
    case SpanKind::embeddingAllReduce:
        return u"Embedding all-reduce"_s;
    case SpanKind::gradSync:
        return u"Gradient synchronisation"_s;
    case SpanKind::gradNorm:
        return u"Gradient norm"_s;
    case SpanKind::optimizer:
        return u"Optimizer"_s;
    case SpanKind::paramGather:
        return u"Parameter all-gather"_s;
    case SpanKind::bubble:
        return u"Bubble"_s;
    }
    return {};
}

} // namespace

void GanttChart::setTimeline(std::shared_ptr<const Timeline> timeline)
{
    m_timeline = std::move(timeline);
    m_stageSpans.assign(m_timeline ? static_cast<std::size_t>(std::max(m_timeline->stages, 0)) : 0, {0, 0});
    if (m_timeline) {
        for (std::size_t i = 0; i < m_timeline->spans.size(); ++i) {
            const auto stage = static_cast<std::size_t>(m_timeline->spans[i].stage);
            if (stage >= m_stageSpans.size())
                continue;
            auto& [first, last] = m_stageSpans[stage];
            if (last == 0)
                first = i;
            last = i + 1;
        }
    }
    setRange({}); // of the step before
    m_start = 0;
    m_end = wholeSeconds();
    setBrushed(m_brushedStage, m_brushedName);
    dataChanged();
}

void GanttChart::setBrushed(int stage, const QString& kernelClass)
{
    m_brushedStage = stage;
    m_brushedName = kernelClass;
    m_brushedClass = -1;
    if (m_timeline && !kernelClass.isEmpty()) {
        const auto& names = m_timeline->classNames;
        const auto found = std::find(names.begin(), names.end(), kernelClass.toStdString());
        m_brushedClass = found == names.end() ? -1 : static_cast<int>(found - names.begin());
    }
    update();
}

void GanttChart::setMark(const std::optional<StepMark>& mark)
{
    m_mark = mark;
    update();
}

void GanttChart::setLegendShown(bool shown)
{
    m_legendShown = shown;
    updateGeometry();
    update();
}

std::optional<Reach> GanttChart::ownReach() const
{
    return m_timeline && m_timeline->stepSeconds > 0 ? std::optional(Reach{0, m_timeline->stepSeconds}) : std::nullopt;
}

double GanttChart::wholeSeconds() const
{
    const std::optional<Reach> own = ownReach();
    return std::max(own ? own->high : 0.0, reach() ? reach()->high : own ? 0.0 : 1.0);
}

void GanttChart::setView(double startSeconds, double endSeconds)
{
    const double step = wholeSeconds();
    const double length = std::clamp(endSeconds - startSeconds, step * kSmallestView, step);
    m_start = std::clamp(startSeconds, 0.0, step - length);
    m_end = m_start + length;
    Q_EMIT viewChanged();
    update();
}

void GanttChart::resetView()
{
    setView(0, wholeSeconds());
}

TableData GanttChart::asTable() const
{
    TableData table;
    table.header = {u"stage"_s, u"kind"_s, u"chunk"_s, u"micro-batch"_s, u"kernel class"_s, u"start [s]"_s, u"end [s]"_s, u"critical"_s};
    if (!m_timeline)
        return table;
    for (const TimelineSpan& span : m_timeline->spans) {
        const bool named = span.kernelClass >= 0 && span.kernelClass < static_cast<int>(m_timeline->classNames.size());
        table.rows << QStringList{QString::number(span.stage),
                                  kindText(span),
                                  span.chunk < 0 ? QString() : QString::number(span.chunk),
                                  span.microbatch < 0 ? QString() : QString::number(span.microbatch),
                                  named ? QString::fromStdString(m_timeline->classNames[static_cast<std::size_t>(span.kernelClass)])
                                        : QString(),
                                  tableNumber(span.startSeconds),
                                  tableNumber(span.endSeconds),
                                  span.critical ? u"yes"_s : u"no"_s};
    }
    return table;
}

QStringList GanttChart::itemReading(int item) const
{
    if (!hasItem(item))
        return {};
    const TimelineSpan& span = spanOf(item);
    QString where = u"Stage %1"_s.arg(span.stage);
    if (span.microbatch >= 0)
        where += u", micro-batch %1"_s.arg(span.microbatch);
    if (span.chunk >= 0 && m_timeline->chunks > 1)
        where += u", chunk %1"_s.arg(span.chunk);
    if (span.pairedMicrobatch >= 0)
        where += u", in one piece with micro-batch %1 of chunk %2"_s.arg(span.pairedMicrobatch).arg(span.pairedChunk);
    QStringList lines{kindText(span) + u", "_s + format::seconds(span.endSeconds - span.startSeconds).text(), where,
                      u"from %1 to %2"_s.arg(format::seconds(span.startSeconds).text(), format::seconds(span.endSeconds).text())};
    for (std::size_t i = 0; i < std::min<std::size_t>(span.parts.size(), 4); ++i) {
        const SpanPart& part = span.parts[i];
        if (part.kernelClass >= 0 && part.kernelClass < static_cast<int>(m_timeline->classNames.size()))
            lines << format::kernelClass(QString::fromStdString(m_timeline->classNames[static_cast<std::size_t>(part.kernelClass)])) + u' '
                         + format::seconds(part.seconds).text();
    }
    if (span.critical)
        lines << u"On the critical path"_s;
    return lines;
}

double GanttChart::minPlotHeight() const
{
    constexpr double kAxes = 52, kMinRow = 9; // the rows of many stages share what a window shows
    return kAxes + std::clamp(m_timeline ? m_timeline->stages * kMinRow : 0.0, 80.0, 240.0);
}

QList<LegendEntry> GanttChart::legend(const Look& look) const
{
    if (!m_legendShown)
        return {};
    const Palette& p = look.palette();
    const bool chunks = m_timeline && m_timeline->chunks > 1;
    bool weights = false;
    if (m_timeline)
        weights = std::any_of(m_timeline->spans.begin(), m_timeline->spans.end(),
                              [](const TimelineSpan& s) { return s.kind == SpanKind::weight; });
    const QString chunkNote = chunks ? (m_timeline->chunks == 2 ? u", chunk 0 and 1"_s : u", chunks even and odd"_s) : QString();
    const auto second = [&](const QColor& color) { return chunks ? color : QColor(); };
    QList<LegendEntry> entries{{LegendEntry::Mark::box, p.forward[0], second(p.forward[1]), {}, u"Forward"_s + chunkNote},
                               {LegendEntry::Mark::box, p.backward[0], second(p.backward[1]), {}, u"Backward"_s + chunkNote}};
    if (weights)
        entries << LegendEntry{LegendEntry::Mark::box, p.weight[0], second(p.weight[1]), {}, u"Weight gradient"_s};
    if (m_timeline
        && std::any_of(m_timeline->spans.begin(), m_timeline->spans.end(), [](const TimelineSpan& s) { return s.pairedMicrobatch >= 0; }))
        entries << LegendEntry{LegendEntry::Mark::line, p[Role::text], {}, {}, u"Forward and backward in one piece"_s};
    entries << LegendEntry{LegendEntry::Mark::hatchedBox, p[Role::commFill], p[Role::comm], kCommunicationHatch, u"Communication"_s}
            << LegendEntry{LegendEntry::Mark::box, p.optimizer, {}, {}, u"Optimizer"_s}
            << LegendEntry{LegendEntry::Mark::hatchedBox, p[Role::panel], p[Role::bubble], kBubbleHatch, u"Bubble"_s}
            << LegendEntry{LegendEntry::Mark::outlinedBox, {}, p[Role::text], {}, u"Critical path"_s};
    return entries;
}

} // namespace prism::ui
