// SPDX-License-Identifier: GPL-3.0-or-later
// Readers of scenarios and of what becomes one: files, --set, quantities, layouts, Hugging Face configurations, Megatron-LM arguments.
#include "core/base/jsontext.h"
#include "core/base/printable.h"
#include "core/scenario/parametercheck.h"
#include "core/scenario/import/importers.h"
#include "core/scenario/parameters.h"
#include "core/scenario/presets.h"
#include "core/scenario/quantity.h"
#include "tests/core/scenario/pipelinelayouttext.h"
#include "fuzz/structure.h"
#include "fuzz/target.h"
#include "fuzz/writtenseeds.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace prism::fuzz {
namespace {

void json(std::string_view bytes)
{
    const auto document = parseJson(bytes);
    holds(document.ok() || document.errors().front().message.size() < 400, "errors of the parser are short");
    const auto ordered = parseOrderedJson(bytes);
    holds(document.ok() == ordered.ok(), "both parsers accept the same");
}

void text(std::string_view bytes)
{
    const std::string once = printable(bytes);
    holds(printable(once, once.size()) == once, "printable text is printable");
    holds(once.find('\n') == std::string::npos, "printable text is one line");
    const std::string lines = printableLines(bytes);
    holds(printableLines(lines) == lines, "a printable report is printable");
}

/// What a reader accepted can be written and read again, and is the same.
void roundTrip(const Scenario& scenario)
{
    const std::string written = toJson(scenario);
    const Result<Scenario> again = scenarioFromJson(written);
    holds(again.ok(), "what was written can be read");
    holds(again->hash() == scenario.hash(), "what was read is what was written");
    holds(toJson(*again) == written, "writing what was read gives the same text");
}

void scenario(std::string_view bytes)
{
    const Result<Scenario> read = scenarioFromJson(bytes);
    if (!read) {
        holds(!read.errors().empty(), "a refusal says why");
        (void)draftFromJson(bytes);
        return;
    }
    holds(!hasErrors(check(*read)), "what was read passes the check");
    roundTrip(*read);
}

void set(std::string_view bytes)
{
    const std::size_t equals = std::min(bytes.find('='), bytes.size());
    const std::string_view value = bytes.substr(std::min(equals + 1, bytes.size()));
    const Result<Scenario> changed = setParameter(Scenario{}, bytes.substr(0, equals), value);
    if (changed && !hasErrors(check(*changed)))
        roundTrip(*changed);
}

void quantity(std::string_view bytes)
{
    for (const char* unit : {"", "GB/s", "us", "GiB", "TFLOP/s", "MHz", "tokens", "x"})
        if (const Result<double> value = quantityFromText(bytes, unit, true))
            holds(std::isfinite(*value), "a quantity is finite");
}

void layout(std::string_view bytes)
{
    const auto chunks = pipelineLayout(bytes);
    if (!chunks)
        return;
    const auto again = pipelineLayout(test::pipelineLayoutText(*chunks));
    holds(again.ok() && *again == *chunks, "a layout reads back to the same chunks");
}

void imported(const Result<ImportResult>& result)
{
    if (!result)
        return;
    if (!hasErrors(check(result->scenario)))
        roundTrip(result->scenario);
}

void huggingFace(std::string_view bytes)
{
    imported(importHuggingFaceConfig(bytes, Scenario{}));
}

void megatron(std::string_view bytes)
{
    imported(importMegatronArguments(bytes, Scenario{}));
}

constexpr Target kTargets[] = {{"json", json, 1 << 16, nullptr, mutateJson},
                               {"text", text, 4096},
                               {"scenario", scenario, 1 << 16, writtenScenarios, mutateJson},
                               {"set", set, 4096},
                               {"quantity", quantity, 256},
                               {"layout", layout, 4096},
                               {"hugging_face", huggingFace, 1 << 16, nullptr, mutateJson},
                               {"megatron", megatron}};

} // namespace

std::span<const Target> scenarioTargets()
{
    return kTargets;
}

} // namespace prism::fuzz
