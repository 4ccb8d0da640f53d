// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/stepbreakdown.h"

#include "core/cost/communication.h"
#include "ui/look/format.h"

namespace prism::ui {

namespace {

struct Part {
    QString label;
    double Breakdown::*seconds;
    Category category; ///< other = no communication
    bool isWaiting = false;
};

/// The communication of a category on the busiest stage: what is hidden, and the class that takes longest.
struct Hidden {
    double seconds = 0, longest = 0;
    QString longestClass;
};

Hidden hiddenOf(const Communication& all, Category category)
{
    Hidden out;
    for (const ClassCommunication& c : all.classes) {
        if (c.category != category)
            continue;
        out.seconds += c.hiddenSeconds;
        if (const double both = c.hiddenSeconds + c.exposedSeconds; both > out.longest) {
            out.longest = both;
            out.longestClass = QString::fromStdString(c.name);
        }
    }
    return out;
}

} // namespace

WaterfallData stepBreakdown(const CostedStep& costed, double noiseFreeSeconds)
{
    const Breakdown& b = costed.breakdown;
    const Communication communication = communicationOf(costed.graph, noiseFreeSeconds);
    const Part parts[] = {
        {QObject::tr("Compute"), &Breakdown::computeSeconds, Category::other},
        {QObject::tr("Tensor parallel"), &Breakdown::tensorParallelSeconds, Category::tensorParallel},
        {QObject::tr("Context parallel"), &Breakdown::contextParallelSeconds, Category::contextParallel},
        {QObject::tr("Expert parallel"), &Breakdown::expertParallelSeconds, Category::expertParallel},
        {QObject::tr("Data parallel"), &Breakdown::dataParallelSeconds, Category::dataParallel},
        {QObject::tr("Optimizer"), &Breakdown::optimizerSeconds, Category::other},
        {QObject::tr("Pipeline transfers"), &Breakdown::pipelineSeconds, Category::pipeline, true},
        {QObject::tr("Bubble"), &Breakdown::bubbleSeconds, Category::other, true},
        {QObject::tr("Host"), &Breakdown::otherSeconds, Category::other, true},
    };
    const double all = b.sum();
    const format::TimeUnit unit = format::timeUnit(all);
    WaterfallData data;
    data.axisTitle = unit.name;
    data.perUnit = unit.perSecond;
    data.metricTitle = data.axisTitle;
    data.noteTitle = QObject::tr("% of the step");
    for (const Part& part : parts) {
        const double seconds = b.*part.seconds;
        if (!(seconds > 0))
            continue;
        WaterfallRow row;
        row.label = part.label;
        row.value = seconds;
        row.kind = data.rows.empty() ? WaterfallRow::Kind::first : WaterfallRow::Kind::step;
        row.metric = format::number(seconds * data.perUnit);
        row.note = format::number(100 * seconds / all, 2);
        row.grouped = part.isWaiting;
        if (part.category != Category::other) {
            const Hidden hidden = hiddenOf(communication, part.category);
            row.id = hidden.longestClass;
            row.detail =
                QObject::tr("exposed; %1 more hides behind compute on the busiest stage").arg(format::seconds(hidden.seconds).text());
        }
        data.rows.push_back(std::move(row));
    }
    return data;
}

} // namespace prism::ui
