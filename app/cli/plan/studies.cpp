// SPDX-License-Identifier: GPL-3.0-or-later
// studies: questions of the library and their answers by this program.
#include "core/explore/question.h"

#include "app/cli/frame/commands.h"
#include "app/cli/insight/insightcommand.h"
#include "core/base/valuetext.h"
#include "core/scenario/presetlibrary.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <memory>

namespace prism::cli {

namespace {

constexpr const char* kStudiesKind = "studies";

struct StudiesOptions : InsightCommand {
    std::string name;
};

std::string studiesList(bool json)
{
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    std::string text;
    for (const PresetInfo& info : presetList())
        if (info.kind == kStudiesKind) {
            list.push_back({{"name", info.name}, {"title", info.title}});
            text += fmt::format("{:<24} {}\n", info.name, info.title);
        }
    return json ? nlohmann::ordered_json{{"studies", std::move(list)}}.dump(2) + "\n" : text;
}

std::string answerText(const QuestionAnswer& a)
{
    std::string text = a.question.question + "\n\n";
    text += fmt::format("{:<34} {:>10} {:>18} {:>18} {:>7} {:>19} {:>8}\n", "", "noise-free", "p50 s", "p95 s", "spread", "p95 per token",
                        "GiB");
    const auto ratio = [](const Estimate& r) { // in words where the interval covers one
        return Estimate{r.value - 1, r.halfWidth}.significant() ? plusMinus(r.value, r.halfWidth) : changeText({});
    };
    for (const QuestionAnswerRow& r : a.rows)
        text += fmt::format("{:<34} {:>10} {:>18} {:>18} {:>5.2f} % {:>19} {:>8.1f}{}\n", r.label, amountText(r.noiseFreeSeconds, 4),
                            plusMinus(r.step.p50, r.step.ciP50), plusMinus(r.step.p95, r.step.ciP95), 100 * r.step.cv,
                            &r == &a.rows.front() ? "1" : ratio(r.p95Ratio), r.peakMemoryGib, r.fits ? "" : " (does not fit)");
    text += "\nPublished: " + (a.question.published.empty() ? std::string("nothing to compare with.") : a.question.published);
    text += a.question.source.empty() ? "\n" : " (" + a.question.source + ")\n";
    text += "\nHere:\n";
    return text + noteLines(a.findings);
}

} // namespace

void addStudies(CLI::App& app, Cli& cli)
{
    auto options = std::make_shared<StudiesOptions>();
    options->samples = 2'000;
    CLI::App* command = app.add_subcommand("studies", "Built-in studies, each computed by sampling its scenarios");
    command->require_subcommand(1);
    CLI::App* list = command->add_subcommand("list", "Names and titles");
    addOutput(*list, *options, cli);
    list->callback([options] { writeOutput(*options, studiesList(options->json)); });
    CLI::App* run = command->add_subcommand("run", "Run a study: question, table, published result, computed result");
    run->add_option("NAME", options->name, "Name of the study")->required();
    addSampling(*run, *options);
    addOutput(*run, *options, cli);
    addTableOptions(*run, *options);
    run->callback([options] {
        const Question question = require(questionFromJson(require(presetText(kStudiesKind, options->name)), options->name));
        Evaluator evaluator;
        writeInsight(*options, require(answered(evaluator, question, insightOptions(*options))), answerText);
    });
}

} // namespace prism::cli
