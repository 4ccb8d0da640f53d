// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/scenariofilter.h"

#include "core/engine/verdict.h"
#include "core/scenario/parametertable.h"
#include "core/scenario/quantity.h"

#include <QRegularExpression>

#include <cmath>
#include <optional>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui {

namespace {

/// A metric of a result that can be compared: its names, its unit, its value.
struct FilterMetric {
    QStringList names;
    const char* unit;
    double (*value)(const Snapshot&);
};

const QList<FilterMetric>& filterMetrics()
{
    static const QList<FilterMetric> metrics{
        {{u"p5"_s}, "s", [](const Snapshot& s) { return s.across.p5; }},
        {{u"p50"_s, u"median"_s}, "s", [](const Snapshot& s) { return s.across.p50; }},
        {{u"p95"_s}, "s", [](const Snapshot& s) { return s.across.p95; }},
        {{u"p99"_s}, "s", [](const Snapshot& s) { return s.across.p99; }},
        {{u"mean"_s}, "s", [](const Snapshot& s) { return s.across.mean; }},
        {{u"mfu"_s}, "", [](const Snapshot& s) { return s.mfu; }},
        {{u"tokens"_s, u"tokens/s"_s}, "", [](const Snapshot& s) { return s.tokensPerSecond; }},
        {{u"memory"_s, u"gib"_s}, "GiB", [](const Snapshot& s) { return s.costed ? s.costed->memory.peakGib : NAN; }},
        {{u"days"_s}, "", [](const Snapshot& s) { return s.daysToTrain > 0 ? s.daysToTrain : NAN; }},
        {{u"cost"_s}, "", [](const Snapshot& s) { return s.costUsd > 0 ? s.costUsd : NAN; }},
    };
    return metrics;
}

bool holds(double value, const QString& comparison, double limit)
{
    if (!std::isfinite(value))
        return false;
    if (comparison == u"<")
        return value < limit;
    if (comparison == u"<=" || comparison == u"≤")
        return value <= limit;
    if (comparison == u">")
        return value > limit;
    if (comparison == u">=" || comparison == u"≥")
        return value >= limit;
    const bool same = std::abs(value - limit) <= 1e-9 * std::max(1.0, std::abs(limit));
    return comparison == u"!=" ? !same : same;
}

std::optional<double> numberOf(const ParameterValue& value)
{
    if (const auto* whole = std::get_if<std::int64_t>(&value))
        return static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&value))
        return *real;
    return std::nullopt;
}

const Parameter* parameterNamed(const QString& name)
{
    for (const Parameter& p : parameters())
        if (name.compare(QString::fromStdString(p.shortName), Qt::CaseInsensitive) == 0
            || name.compare(QString::fromStdString(p.id), Qt::CaseInsensitive) == 0
            || name.compare(QString::fromStdString(p.label), Qt::CaseInsensitive) == 0
            || name == QString::fromStdString(p.id).section(u'.', -1))
            return &p;
    return nullptr;
}

/// Whether a parameter's value compares so with a typed one; `limit` of a number.
bool parameterHolds(const Parameter& p, const Scenario& scenario, const QString& comparison, const QString& typed, double limit)
{
    const ParameterValue value = p.get(scenario);
    if (const auto number = numberOf(value))
        return holds(*number, comparison, p.isPercent && !typed.contains(u'%') ? limit / 100 : limit);
    const bool* on = std::get_if<bool>(&value);
    const QString text = on ? (*on ? u"yes"_s : u"no"_s) : QString::fromStdString(std::get<std::string>(value));
    const bool same = text.compare(typed, Qt::CaseInsensitive) == 0 || (on && typed == (*on ? u"true"_s : u"false"_s));
    return comparison == u"!=" ? !same : same;
}

} // namespace

ScenarioFilter::ScenarioFilter(const QString& text)
{
    static const QRegularExpression joint(u"\\s+and\\s+|[,;]\\s+|\\s*&&\\s*"_s, QRegularExpression::CaseInsensitiveOption);
    for (const QString& part : text.left(500).split(joint, Qt::SkipEmptyParts))
        if (const QString condition = part.trimmed(); !condition.isEmpty())
            m_conditions.push_back(conditionOf(condition));
}

bool ScenarioFilter::matches(const ScenarioEntry& entry, const SnapshotPtr& snapshot) const
{
    return std::all_of(m_conditions.begin(), m_conditions.end(), [&](const Condition& c) { return c(entry, snapshot); });
}

ScenarioFilter::Condition ScenarioFilter::conditionOf(const QString& text)
{
    const QString plain = text.toLower();
    if (plain == u"fits" || plain == u"does not fit")
        return [fits = plain == u"fits"](const ScenarioEntry&, const SnapshotPtr& s) {
            return s && s->costed && s->costed->memory.fits == fits;
        };
    if (plain == u"visible")
        return [](const ScenarioEntry& e, const SnapshotPtr&) { return e.visible; };
    static const QRegularExpression compare(u"^(.+?)\\s*(<=|>=|!=|==|[<>=≤≥])\\s*(.*)$"_s);
    if (const QRegularExpressionMatch match = compare.match(text); match.hasMatch())
        return comparison(match.captured(1).trimmed(), match.captured(2), match.captured(3).trimmed());
    return [words = text.split(u' ', Qt::SkipEmptyParts)](const ScenarioEntry& e, const SnapshotPtr&) {
        const QString all = QString::fromStdString(e.scenario->name + " " + e.scenario->note);
        return std::all_of(words.begin(), words.end(), [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
    };
}

ScenarioFilter::Condition ScenarioFilter::rejected(const QString& problem)
{
    if (m_problem.isEmpty())
        m_problem = problem;
    return [](const ScenarioEntry&, const SnapshotPtr&) { return false; };
}

ScenarioFilter::Condition ScenarioFilter::comparison(const QString& name, const QString& how, const QString& typed)
{
    const QString unreadable = QObject::tr("\"%1\" is not a value of %2").arg(typed.left(40), name);
    for (const FilterMetric& metric : filterMetrics()) {
        if (!metric.names.contains(name, Qt::CaseInsensitive))
            continue;
        const Result<double> limit = quantityFromText(typed.toStdString(), metric.unit, false);
        if (!limit)
            return rejected(unreadable);
        return
            [metric, how, limit = *limit](const ScenarioEntry&, const SnapshotPtr& s) { return s && holds(metric.value(*s), how, limit); };
    }
    const Parameter* p = parameterNamed(name);
    if (!p)
        return rejected(QObject::tr("\"%1\" is neither a statistic nor a parameter").arg(name.left(40)));
    const bool isNumber = p->type == ParameterType::integer || p->type == ParameterType::real;
    const Result<double> limit = isNumber ? quantityFromText(typed.toStdString(), p->unit, false) : Result<double>(0.0);
    if (!limit)
        return rejected(unreadable);
    return [p, how, typed, limit = *limit](const ScenarioEntry& e, const SnapshotPtr&) {
        return parameterHolds(*p, *e.scenario, how, typed, limit);
    };
}

} // namespace prism::ui
