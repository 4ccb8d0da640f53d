// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/report.h"

#include "core/base/text.h"
#include "core/step/stepgraphwords.h"

#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

namespace prism::report {

nlohmann::ordered_json json(const Estimate& estimate)
{
    return {{"value", estimate.value}, {"ci95", estimate.halfWidth}};
}

nlohmann::ordered_json json(const DistributionSummary& s)
{
    return {{"mean", s.mean}, {"std", s.std},         {"cv", s.cv},
            {"p5", s.p5},     {"p50", s.p50},         {"p95", s.p95},
            {"p99", s.p99},   {"samples", s.samples}, {"ci95", {{"mean", s.ciMean}, {"p50", s.ciP50}, {"p95", s.ciP95}, {"p99", s.ciP99}}}};
}

nlohmann::ordered_json json(const MetricChange& c)
{
    return {{"mean", json(c.mean)}, {"std", json(c.std)}, {"p50", json(c.p50)},
            {"p95", json(c.p95)},   {"p99", json(c.p99)}, {"exceedance", json(c.exceedance)}};
}

nlohmann::ordered_json json(const OverSystems& o, double unit)
{
    return {{"p5", unit * o.low}, {"p50", unit * o.median}, {"p95", unit * o.high}};
}

std::string dump(const nlohmann::ordered_json& object)
{
    return object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string field(std::string_view text, TableText texts)
{
    return tableCell(tableText(text, texts));
}

std::string valueField(std::string_view value, TableText texts)
{
    return field(value, doubleFromText(value) ? TableText::exact : texts);
}

std::string number(double value)
{
    return fmt::format("{:.9g}", value);
}

std::string row(std::initializer_list<std::string> fields)
{
    std::string line;
    bool first = true;
    for (const std::string& text : fields) {
        line += (first ? "" : ",") + text;
        first = false;
    }
    return line + "\n";
}

std::string_view categoryName(Category category)
{
    return stepgraph_words::kCategories[static_cast<std::size_t>(category)];
}

std::string_view scopeName(Scope scope)
{
    return scope == Scope::none ? "none" : scope == Scope::intraNode ? "intra_node" : "inter_node";
}

} // namespace prism::report
