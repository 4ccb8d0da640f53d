// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/findings/measuredchange.h"

#include "core/insight/change/recordingchange.h"
#include "core/insight/follow/wholelog.h"
#include "ui/findings/tracefound.h"
#include "ui/look/format.h"

#include <algorithm>
#include <cmath>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

/// The two sides of one kind, or the errors of both with the side that each belongs to.
template <class T, class Compare>
Result<ChangeReport> compared(Result<T> before, Result<T> after, Compare compare)
{
    Diagnostics errors;
    for (const auto& [side, name] : {std::pair(&before, "BEFORE"), std::pair(&after, "AFTER")})
        if (!side->ok())
            for (Diagnostic d : side->errors()) {
                d.message = std::string(name) + ": " + d.message;
                errors.push_back(std::move(d));
            }
    if (!errors.empty())
        return errors;
    return compare(*before, *after);
}

bool isTime(const ChangedMetric& m)
{
    return m.unit == "s" || m.unit == "s per step";
}

bool isShare(const ChangedMetric& m)
{
    return m.unit == "share of the level";
}

/// A time or a share with its unit, or a number, whose unit is with the metric's name.
QString valueText(const ChangedMetric& m, double value)
{
    return isTime(m) ? format::seconds(value).text() : isShare(m) ? format::percent(value) : format::number(value);
}

/// In per cent of the value before where that says something, else in the metric's own unit.
ChangeRow rowOf(const ChangedMetric& m)
{
    const QString unit = isTime(m) || isShare(m) ? QString() : u", "_s + QString::fromStdString(m.unit);
    ChangeRow row{QString::fromStdString(m.subject), QString::fromStdString(m.name) + unit};
    row.before = valueText(m, m.before);
    row.after = valueText(m, m.after);
    const auto text = [&](double change) {
        return m.before > 0 && !isShare(m) ? format::percentDelta(change / m.before)
                                           : (change < 0 ? u"−"_s : u"+"_s) + valueText(m, std::abs(change));
    };
    row.change = text(m.change.value);
    row.interval = std::isfinite(m.change.low) && std::isfinite(m.change.high)
                       ? QObject::tr("%1 to %2").arg(text(m.change.low), text(m.change.high))
                       : QObject::tr("too few values");
    row.isBeyondNoise = m.isBeyondNoise();
    row.isWorse = m.change.value > 0;
    return row;
}

const ChangedMetric* stepMetric(const ChangeReport& report, const char* name)
{
    const auto found = std::find_if(report.metrics.begin(), report.metrics.end(),
                                    [name](const ChangedMetric& m) { return m.subject == "step" && m.name == name; });
    return found == report.metrics.end() ? nullptr : &*found;
}

QString clause(const ChangedMetric& m, const QString& name)
{
    const ChangeRow row = rowOf(m);
    return row.isBeyondNoise ? QObject::tr("%1 is %2 (%3)").arg(name, row.change, row.interval)
                             : QObject::tr("%1 is unchanged within the noise (%2)").arg(name, row.interval);
}

} // namespace

Result<ChangeReport> logChangesOf(const std::string& before, const QString& after, const InsightOptions& options)
{
    return compared(readStepLog(before), readStepLogFile(after.toStdString(), {}, controlOf(options)),
                    [](const StepLog& b, const StepLog& a) { return logChanges(b, a); });
}

Result<ChangeReport> recordingChangesOf(const QString& before, const QString& after, const InsightOptions& options)
{
    return compared(recordingOf(before, options), recordingOf(after, options),
                    [](const Recording& b, const Recording& a) { return Result<ChangeReport>(recordingChanges(b, a)); });
}

QList<ChangeRow> changeRows(const ChangeReport& report)
{
    QList<ChangeRow> rows;
    const auto order = [](const ChangedMetric& m) { return m.subject == "step" ? 0 : m.isBeyondNoise() ? 1 : 2; };
    for (const int kind : {0, 1, 2})
        for (const ChangedMetric& m : report.metrics)
            if (order(m) == kind)
                rows << rowOf(m);
    return rows;
}

QString changeSentence(const ChangeReport& report)
{
    QStringList clauses;
    for (const auto& [name, words] : {std::pair("mean", QObject::tr("The mean step")), std::pair("p95", u"p95"_s)})
        if (const ChangedMetric* m = stepMetric(report, name))
            clauses << clause(*m, words);
    const auto changed =
        std::count_if(report.metrics.begin(), report.metrics.end(), [](const ChangedMetric& m) { return m.isBeyondNoise(); });
    return QObject::tr("%1; %2 of %3 metrics changed by more than noise.")
        .arg(clauses.join(u", "_s), format::count(changed), format::count(static_cast<qint64>(report.metrics.size())));
}

} // namespace prism::ui
