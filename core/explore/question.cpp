// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explore/question.h"

#include "core/base/valuetext.h"
#include "core/base/jsontext.h"
#include "core/base/text.h"
#include "core/insight/paired.h"
#include "core/insight/report.h"
#include "core/scenario/parameters.h"
#include "core/scenario/presets.h"

#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

namespace prism {
namespace {

using nlohmann::json;

constexpr int kStudySamples = 2'000;

std::optional<double> numberOf(const ParameterValue& value)
{
    if (const auto* whole = std::get_if<std::int64_t>(&value))
        return static_cast<double>(*whole);
    const auto* real = std::get_if<double>(&value);
    return real != nullptr ? std::optional<double>(*real) : std::nullopt;
}

/// Reads the rows of a study and collects what is wrong with them.
class QuestionReader final {
public:
    QuestionReader(const json& object, std::string name) : m_object(object) { m_out.name = std::move(name); }

    Result<Question> read()
    {
        for (auto& [key, field] : std::map<std::string, std::string*>{
                 {"title", &m_out.title}, {"question", &m_out.question}, {"published", &m_out.published}, {"source", &m_out.source}})
            *field = m_object.value(key, json("")).is_string() ? m_object.value(key, "") : "";
        const json rows = m_object.value("rows", json::array());
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (rows[i].is_object())
                readRow(rows[i], m_out.name + ": rows[" + std::to_string(i) + "]");
        if (m_out.question.empty() || m_out.rows.size() < 2)
            m_errors.push_back(
                {Severity::error, m_out.name, "A study is a question with at least two rows.", "", "question, rows", "", ""});
        if (!m_errors.empty())
            return m_errors;
        return std::move(m_out);
    }

private:
    void readRow(const json& row, const std::string& where)
    {
        m_where = where;
        const json name = row.contains("scenario") ? row["scenario"] : m_object.value("scenario", json());
        Result<Scenario> base =
            name.is_object() ? scenarioFromJson(name.dump()) : scenarioPreset(name.is_string() ? name.get<std::string>() : "");
        if (!take(base))
            return;
        Scenario s = *base;
        const json set = row.value("set", json::object()), scale = row.value("scale", json::object());
        for (const auto& [id, value] : set.items())
            change(s, id, value.is_string() ? value.get<std::string>() : value.dump());
        for (const auto& [id, factor] : scale.items()) {
            const Parameter* p = findParameter(id);
            const std::optional<double> now = p != nullptr ? numberOf(p->get(s)) : std::nullopt;
            if (!now || !factor.is_number())
                m_errors.push_back({Severity::error, where, "Not a number of a scenario that can be scaled.", id, "a parameter", "", ""});
            else
                change(s, id, numberText(*now * factor.get<double>()));
        }
        for (const json& slow : row.value("slow", json::array()))
            if (slow.is_object())
                s.variability.slow.push_back({slow.value("node", 0), -1, slow.value("compute", 1.0), slow.value("link", 1.0)});
        const Diagnostics errors = check(s);
        for (Diagnostic d : errors)
            if (d.severity == Severity::error)
                report(std::move(d));
        m_out.rows.push_back({row.value("label", json("")).is_string() ? row.value("label", "") : "", std::move(s)});
    }
    void change(Scenario& s, const std::string& id, const std::string& text)
    {
        Result<Scenario> changed = setParameter(s, id, text);
        if (take(changed))
            s = std::move(changed).value();
    }
    bool take(const Result<Scenario>& result)
    {
        for (Diagnostic d : result.errors())
            report(std::move(d));
        return result.ok();
    }
    void report(Diagnostic d)
    {
        d.path = m_where + ": " + d.path;
        m_errors.push_back(std::move(d));
    }

    const json& m_object;
    std::string m_where;
    Question m_out;
    Diagnostics m_errors;
};

/// Median, 95 % point and spread of the best, the worst and the first row in words.
std::vector<std::string> findingsOf(const std::vector<QuestionAnswerRow>& rows)
{
    std::vector<std::string> findings;
    const auto byP95 = [](const QuestionAnswerRow& a, const QuestionAnswerRow& b) { return a.p95Ratio.value < b.p95Ratio.value; };
    const auto [best, worst] = std::minmax_element(rows.begin(), rows.end(), byP95);
    const auto differs = [](const Estimate& ratio) { return Estimate{ratio.value - 1, ratio.halfWidth}.significant(); };
    const auto change = [&](const Estimate& ratio) {
        return differs(ratio) ? relativeChange(ratio.value - 1, ratio.halfWidth) : "no difference found";
    };
    for (const auto& [row, word] : {std::pair{best, "shortest"}, {worst, "longest"}})
        if (differs(row->p95Ratio))
            findings.push_back(fmt::format("{} has the {} p95 per token: {} against {}, and {} in the median.", row->label, word,
                                           change(row->p95Ratio), rows.front().label, change(row->p50Ratio)));
    if (std::none_of(rows.begin() + 1, rows.end(), [&](const QuestionAnswerRow& r) { return differs(r.p95Ratio); }))
        findings.push_back(fmt::format("No row differs from {} in p95 by more than its interval.", rows.front().label));
    const auto spread = std::max_element(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.step.cv < b.step.cv; });
    const DistributionSummary& first = rows.front().step;
    findings.push_back(fmt::format("{}: the p95 step is {:.2f} % longer than the median and {:.2f} % longer than a step without noise.",
                                   rows.front().label, 100 * (first.p95 / first.p50 - 1),
                                   100 * (first.p95 / rows.front().noiseFreeSeconds - 1)));
    findings.push_back(fmt::format("The spread (standard deviation over mean) is {:.2f} % for {} and at most {:.2f} %, for {}.",
                                   100 * rows.front().step.cv, rows.front().label, 100 * spread->step.cv, spread->label));
    for (const QuestionAnswerRow& r : rows)
        if (!r.fits)
            findings.push_back(
                fmt::format("{} does not fit into memory ({:.0f} GiB): its times are what it would take.", r.label, r.peakMemoryGib));
    return findings;
}

} // namespace

Result<Question> questionFromJson(std::string_view text, const std::string& name)
{
    const Result<json> object = parseJson(text);
    if (!object.ok())
        return object.errors();
    if (!object->is_object())
        return Diagnostic{Severity::error, name, "A study is a JSON object.", "", R"({"question": ..., "rows": [...]})", "", ""};
    return QuestionReader(*object, name).read();
}

Result<QuestionAnswer> answered(Evaluator& evaluator, const Question& question, const InsightOptions& options)
{
    const auto begin = std::chrono::steady_clock::now();
    QuestionAnswer out;
    out.question = question;
    out.seed = options.seed;
    out.samples = options.samples > 0 ? options.samples : kStudySamples;
    std::unique_ptr<const PairedSample> first;
    double firstTokens = 1;
    for (std::size_t i = 0; i < question.rows.size(); ++i) {
        const Result<CostedStep> costed = costStep(question.rows[i].scenario);
        if (!costed.ok())
            return costed.errors();
        const auto samples = evaluator.samples(costed->graph, pairedSampling(options, out.samples));
        if (!samples->complete)
            return cancelled();
        auto paired = std::make_unique<const PairedSample>(samples);
        QuestionAnswerRow row{question.rows[i].label,
                              costed->noiseFreeSeconds,
                              costed->memory.peakGib,
                              costed->memory.fits,
                              summarize(samples->acrossSeconds, samples.get()),
                              {1, 0},
                              {1, 0}};
        if (first) {
            const double perToken = firstTokens / costed->tokensPerStep;
            const auto ratio = [&](double p) {
                const Estimate r = quantileRatio(*paired, *first, p);
                return Estimate{r.value * perToken, r.halfWidth * perToken};
            };
            row.p50Ratio = ratio(0.5);
            row.p95Ratio = ratio(0.95);
        } else {
            first = std::move(paired);
            firstTokens = costed->tokensPerStep;
        }
        out.rows.push_back(std::move(row));
        if (options.progress)
            options.progress(static_cast<double>(i + 1) / static_cast<double>(question.rows.size()), question.rows[i].label);
    }
    out.findings = findingsOf(out.rows);
    out.elapsedSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return out;
}

std::string toJson(const QuestionAnswer& a)
{
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const QuestionAnswerRow& r : a.rows)
        rows.push_back({{"label", r.label},
                        {"noise_free_s", r.noiseFreeSeconds},
                        {"step_time_s", report::json(r.step)},
                        {"p50_over_first", report::json(r.p50Ratio)},
                        {"p95_over_first", report::json(r.p95Ratio)},
                        {"memory_gib", r.peakMemoryGib},
                        {"fits", r.fits}});
    return report::dump({{"name", a.question.name},
                         {"title", a.question.title},
                         {"question", a.question.question},
                         {"rows", std::move(rows)},
                         {"published", a.question.published},
                         {"source", a.question.source},
                         {"findings", a.findings},
                         {"samples", a.samples},
                         {"seed", a.seed},
                         {"elapsed_s", a.elapsedSeconds}});
}

std::string toCsv(const QuestionAnswer& a, TableText texts)
{
    using report::number;
    std::string text = "label,noise_free_s,p50_s,p95_s,p99_s,cv,p95_over_first,p95_over_first_ci95,memory_gib\n";
    for (const QuestionAnswerRow& r : a.rows)
        text += report::row({report::field(r.label, texts), number(r.noiseFreeSeconds), number(r.step.p50), number(r.step.p95),
                             number(r.step.p99), number(r.step.cv), number(r.p95Ratio.value), number(r.p95Ratio.halfWidth),
                             number(r.peakMemoryGib)});
    return text;
}

} // namespace prism
