// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/report/reportcharts.h"

#include "ui/look/dates.h"
#include "ui/look/change.h"
#include "ui/look/format.h"
#include "ui/plot/enddates.h"
#include "ui/plot/stepcurves.h"
#include "ui/plot/jobwaterfall.h"

#include <algorithm>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kReportBars = 32, kMinReportBars = 9;

constexpr double kDetailRoom = 9; ///< more than the least height of a row, for its second line

/// A named bar with its value.
struct Bar {
    QString name, note, chart, interval;
    double share = 0; ///< of the longest bar that could be
    int series = 0;
    bool strong = false;
};

void paintNamedBars(Canvas& canvas, const QRectF& area, const std::vector<Bar>& bars)
{
    const double row = std::min(area.height() / std::max<double>(1, static_cast<double>(bars.size())), canvas.px(44));
    double y = area.top();
    for (const Bar& b : bars) {
        const double line = y + canvas.lineHeight(Type::body) / 2;
        double right = area.right();
        if (!b.interval.isEmpty()) {
            canvas.text({right, line}, b.interval, Type::tick, Role::textTertiary, Qt::AlignRight | Qt::AlignVCenter);
            right -= canvas.width(b.interval, Type::tick) + canvas.px(6);
        }
        canvas.text({right, line}, b.chart, Type::bodyStrong, Role::text, Qt::AlignRight | Qt::AlignVCenter);
        right -= canvas.width(b.chart, Type::bodyStrong) + canvas.px(10);
        const Type type = b.strong ? Type::bodyStrong : Type::body;
        const QString name = canvas.elidedName(b.name, type, right - area.left());
        canvas.text({area.left(), line}, name, type, Role::text, Qt::AlignLeft | Qt::AlignVCenter);
        const double after = area.left() + canvas.width(name, type) + canvas.px(8);
        if (after + canvas.width(b.note, Type::tick) <= right)
            canvas.text({after, line}, b.note, Type::tick, Role::textTertiary, Qt::AlignLeft | Qt::AlignVCenter);
        const QRectF track(area.left(), y + canvas.lineHeight(Type::body) + canvas.px(4), area.width(), canvas.px(9));
        canvas.fill(track, canvas[Role::beyondLimit]);
        if (b.share > 0)
            canvas.fill(QRectF(track.topLeft(), QSizeF(std::max(canvas.px(1.5), track.width() * std::min(b.share, 1.0)), track.height())),
                        canvas.look.palette().seriesAt(b.series));
        y += row;
    }
}

ReportChart namedBars(const std::vector<Bar>& bars)
{
    ReportChart chart;
    chart.half = true;
    chart.height = 42.0 * static_cast<double>(bars.size());
    chart.paint = [bars](Canvas& canvas, const QRectF& area) { paintNamedBars(canvas, area, bars); };
    return chart;
}

/// The scenario that the others are compared with.
QString referenceOf(const Findings& f)
{
    const auto base = std::find_if(f.scenarios.begin(), f.scenarios.end(), [](const FoundScenario& s) { return s.baseline; });
    return f.pinned || base == f.scenarios.end() ? QObject::tr("the baseline") : base->name;
}

ReportChart stepMetric(const Findings& f)
{
    StepCurves data;
    for (const FoundScenario& s : f.scenarios)
        data.curves.push_back({s.name, s.name, s.colour, s.baseline, false, false, {}, s.cdf});
    if (const FoundScenario& best = f.best(); best.snapshot->samples)
        data.noiseFreeSeconds = best.snapshot->samples->noiseFreeSeconds;
    StepFlag flag;
    flag.seconds = f.markSeconds;
    const QString mark = format::seconds(f.markSeconds).text();
    flag.text = f.hasTarget ? QObject::tr("Target %1").arg(mark) : QObject::tr("p95 of %1 %2").arg(referenceOf(f), mark);
    flag.probability = 1 - f.best().misses.value;
    data.flag = flag;
    ReportChart chart;
    chart.id = u"steps"_s;
    chart.curves = true;
    chart.title = QObject::tr("How long a step takes");
    chart.sentence = f.answer.sentence;
    chart.height = 292;
    chart.paint = [data](Canvas& canvas, const QRectF& area) { paintStepCurves(canvas, area, data); };
    return chart;
}

ReportChart missMetric(const Findings& f)
{
    std::vector<Bar> bars;
    for (const FoundScenario& s : f.scenarios) {
        const TextRuns runs = shareRuns(s.misses.value, s.misses.halfWidth);
        bars.push_back({s.name, s.possible ? QString() : QObject::tr("does not fit"), runs.front().text,
                        runs.size() > 1 ? runs.back().text.trimmed() : QString(), s.misses.value, s.colour, &s == &f.best()});
    }
    ReportChart chart = namedBars(bars);
    chart.id = u"misses"_s;
    chart.title = f.hasTarget ? QObject::tr("Steps that miss %1").arg(format::seconds(f.markSeconds).text())
                              : QObject::tr("Steps over %1").arg(format::seconds(f.markSeconds).text());
    chart.sentence = f.hasTarget ? QObject::tr("Share of the steps that take longer than the target.")
                                 : QObject::tr("Share of the steps that take longer than p95 of %1; no target is set.").arg(referenceOf(f));
    chart.footnote = QObject::tr("Bars of full length would be every step. 95 % intervals.");
    return chart;
}

ReportChart causeMetric(const Findings& f)
{
    std::vector<Bar> bars;
    const double longest = f.causes.front().rise.value * 1.08;
    for (const FoundCause& c : f.causes)
        bars.push_back({c.name, c.input, format::secondsDelta(c.rise.value), format::intervalNextTo(c.rise.value, c.rise.halfWidth),
                        c.rise.value / longest, f.best().colour, &c == &f.causes.front()});
    ReportChart chart = namedBars(bars);
    chart.id = u"causes"_s;
    chart.title = QObject::tr("What stretches the slow steps");
    chart.sentence = QObject::tr("%1 is the largest cause of slow steps: doubled, its spread adds %2 to p95.")
                         .arg(f.causes.front().name, format::secondsDelta(f.causes.front().rise.value).mid(1));
    chart.footnote = QObject::tr("Rise of p95 of %1 if the spread doubles.").arg(f.best().name);
    return chart;
}

ReportChart endMetric(const Findings& f)
{
    const JobReport& job = *f.best().job;
    EndDates data;
    data.bars = dayShares(job, kReportBars, kMinReportBars);
    data.daysPerBar = daysPerBar(job, kReportBars);
    data.series = f.best().colour;
    data.start = job.config.startDate;
    if (job.deadlineDays > 0) {
        data.deadlineDays = job.deadlineDays;
        data.flag = QObject::tr("P(done %1) = %2")
                        .arg(format::byDeadline(data.start, job.deadlineDays), format::percent(job.deadlineProbability.value));
        data.flagNote = QObject::tr("%1 points").arg(format::plainInterval(100 * job.deadlineProbability.halfWidth));
    }
    ReportChart chart;
    chart.id = u"ends"_s;
    chart.title = QObject::tr("When it will be done");
    chart.sentence = jobSentence(f);
    chart.height = 176;
    chart.paint = [data](Canvas& canvas, const QRectF& area) { paintEndDates(canvas, area, data); };
    return chart;
}

ReportChart lossMetric(const Findings& f)
{
    const JobReport& job = *f.best().job;
    const WaterfallData data = jobWaterfall(job, f.best().snapshot->samples->noiseFreeSeconds, f.best().colour);
    ReportChart chart;
    chart.id = u"losses"_s;
    chart.title = QObject::tr("Where the %1 days go").arg(format::number(job.meanDays));
    chart.sentence = QObject::tr("%1 of the time trains; the rest is lost to failures and planned stops.")
                         .arg(format::percent(job.effectiveRatio.value));
    chart.height = waterfallHeight(data) + kDetailRoom * static_cast<double>(data.rows.size());
    chart.footnote = QObject::tr("Means of %1 sampled runs; the whisker holds nine of ten. The axis begins where the break is drawn.")
                         .arg(format::count(job.runs));
    chart.paint = [data](Canvas& canvas, const QRectF& area) { paintWaterfall(canvas, area, data); };
    return chart;
}

} // namespace

std::vector<ReportChart> reportCharts(const Findings& f)
{
    std::vector<ReportChart> charts{stepMetric(f), missMetric(f)};
    if (!f.causes.empty())
        charts.push_back(causeMetric(f));
    if (f.best().job) {
        charts.push_back(endMetric(f));
        charts.push_back(lossMetric(f));
    }
    return charts;
}

} // namespace prism::ui
