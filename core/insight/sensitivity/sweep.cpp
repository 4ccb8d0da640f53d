// SPDX-License-Identifier: GPL-3.0-or-later
// Sweeps of one parameter of the parameter table.
#include "core/base/diagnostictext.h"
#include "core/insight/paired.h"
#include "core/insight/sensitivity/sensitivity.h"
#include "core/scenario/parameternames.h"
#include "core/scenario/parameters.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace prism {

namespace {

constexpr int kDefaultSamples = 500;
constexpr std::size_t kMaxPoints = 1'000;

std::vector<std::string> split(std::string_view text, char separator)
{
    std::vector<std::string> parts;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(separator, at), text.size());
        parts.emplace_back(text.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

bool readNumber(const std::string& text, double& value)
{
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && at == end && std::isfinite(value);
}

double numericValue(const Parameter& parameter, const Scenario& scenario)
{
    const ParameterValue value = parameter.get(scenario);
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        return static_cast<double>(*integer);
    if (const auto* real = std::get_if<double>(&value))
        return *real;
    if (const auto* flag = std::get_if<bool>(&value))
        return *flag ? 1 : 0;
    const auto& choices = parameter.choices;
    return static_cast<double>(std::find(choices.begin(), choices.end(), std::get<std::string>(value)) - choices.begin());
}

void fillPoint(SweepPoint& point, const Snapshot& snapshot, const PairedSample& base, double limit)
{
    point.valid = true;
    point.step = snapshot.across;
    point.change = pairedChange(base, PairedSample(snapshot.samples), limit);
    point.mfu = snapshot.mfu;
    point.peakMemoryGib = snapshot.costed->memory.peakGib;
    point.memoryFits = snapshot.costed->memory.fits;
}

/// Up and down beyond the intervals, in the order of the values.
bool turns(std::vector<SweepPoint> points)
{
    std::erase_if(points, [](const SweepPoint& p) { return !p.valid; });
    std::stable_sort(points.begin(), points.end(), [](const SweepPoint& a, const SweepPoint& b) { return a.value < b.value; });
    bool up = false, down = false;
    for (std::size_t i = 1; i < points.size(); ++i) {
        const double step = points[i].step.p95 - points[i - 1].step.p95;
        const double noise = std::max(points[i].change.p95.halfWidth, points[i - 1].change.p95.halfWidth);
        up = up || step > noise + 1e-9 * points[i].step.p95;
        down = down || step < -noise - 1e-9 * points[i].step.p95;
    }
    return up && down;
}

Estimate elasticityOver(const std::vector<SweepPoint>& points)
{
    const SweepPoint* low = nullptr;
    const SweepPoint* high = nullptr;
    for (const SweepPoint& p : points) {
        if (!p.valid || p.value <= 0)
            continue;
        if (!low || p.value < low->value)
            low = &p;
        if (!high || p.value > high->value)
            high = &p;
    }
    if (!low || !high || low->value == high->value)
        return {};
    const double width = std::log(high->value / low->value);
    return {std::log(high->step.p95 / low->step.p95) / width,
            std::hypot(high->change.p95.halfWidth / high->step.p95, low->change.p95.halfWidth / low->step.p95) / width};
}

} // namespace

Result<std::vector<std::string>> sweepValues(std::string_view id, std::string_view range)
{
    const Parameter* parameter = parameterByName(id);
    if (!parameter)
        return unknownParameter(id);
    const std::vector<std::string> parts = split(range, ':');
    if (parts.size() == 1)
        return split(range, ',');
    const bool logarithmic = parts.size() == 4 && parts[3] == "log";
    double low = 0, high = 0, count = 0;
    const bool numeric = parameter->type == ParameterType::integer || parameter->type == ParameterType::real;
    const bool read =
        (parts.size() == 3 || logarithmic) && readNumber(parts[0], low) && readNumber(parts[1], high) && readNumber(parts[2], count);
    if (!numeric || !read || count < 2 || count > kMaxPoints || count != std::floor(count) || (logarithmic && (low <= 0 || high <= 0)))
        return errorAt(std::string(id), "The range cannot be read.", std::string(range),
                       "lo:hi:n with 2 to 1000 points, lo:hi:n:log with positive ends, or a list a,b,c");
    std::vector<std::string> values;
    for (int i = 0; i < static_cast<int>(count); ++i) {
        const double t = i / (count - 1);
        double x = logarithmic ? low * std::pow(high / low, t) : low + t * (high - low);
        if (parameter->type == ParameterType::integer)
            x = std::round(x);
        const std::string text = parameter->type == ParameterType::integer ? fmt::format("{:.0f}", x) : fmt::format("{:.10g}", x);
        if (std::find(values.begin(), values.end(), text) == values.end())
            values.push_back(text);
    }
    return values;
}

Result<ParameterSweep> sweepParameter(Evaluator& evaluator, const Scenario& scenario, std::string_view id,
                                      const std::vector<std::string>& values, const InsightOptions& options)
{
    const Parameter* parameter = parameterByName(id);
    if (!parameter)
        return unknownParameter(id);
    if (values.empty() || values.size() > kMaxPoints)
        return errorAt(std::string(id), "The number of points is out of range.", std::to_string(values.size()), "1 to 1000 points");
    Diagnostics errors;
    for (const std::string& text : values)
        if (const auto set = setParameter(scenario, id, text); !set.ok())
            for (const Diagnostic& d : set.errors())
                errors.push_back(d);
    if (hasErrors(errors))
        return errors;
    ParameterSweep sweep;
    sweep.parameter = parameter->id;
    sweep.label = parameter->label;
    sweep.unit = parameter->unit;
    sweep.baseText = parameterText(*parameter, scenario);
    sweep.samples = options.samples > 0 ? options.samples : kDefaultSamples;
    const EvaluateOptions evaluate = evaluateOptions(options, sweep.samples);
    const SnapshotPtr base = evaluator.evaluate(scenario, evaluate);
    if (!base->valid())
        return base->diagnostics;
    if (options.stop.stop_requested())
        return cancelled();
    sweep.base = base->across;
    const PairedSample paired(base->samples);
    sweep.limitSeconds = options.limitSeconds > 0 ? options.limitSeconds : paired.p95;
    for (const std::string& text : values) {
        const Scenario changed = setParameter(scenario, id, text).value();
        SweepPoint point;
        point.text = text;
        point.value = numericValue(*parameter, changed);
        const SnapshotPtr snapshot = evaluator.evaluate(changed, evaluate);
        if (options.stop.stop_requested())
            return cancelled();
        if (snapshot->valid())
            fillPoint(point, *snapshot, paired, sweep.limitSeconds);
        else
            point.problem = snapshot->diagnostics.front().message;
        sweep.points.push_back(std::move(point));
        if (options.progress)
            options.progress(static_cast<double>(sweep.points.size()) / static_cast<double>(values.size()), sweep.label);
    }
    const bool numeric = parameter->type == ParameterType::integer || parameter->type == ParameterType::real;
    if (numeric)
        sweep.elasticityP95 = elasticityOver(sweep.points);
    sweep.nonMonotonic = numeric && turns(sweep.points);
    return sweep;
}

} // namespace prism
