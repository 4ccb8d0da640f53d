// SPDX-License-Identifier: GPL-3.0-or-later
// figures: the source of each metric, for people and as the help page.
#include "core/insight/metrics/metrictable.h"

#include "app/cli/frame/commands.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <memory>

namespace prism::cli {

namespace {

struct MetricOptions : CommonOptions {
    bool markdown = false;
};

std::string tableText()
{
    std::string text;
    for (const Metric& f : metrics())
        text += std::string(f.key) + " [" + std::string(f.unit) + "]\n    " + std::string(f.formula) + ". Computed by "
                + std::string(f.function) + " in " + std::string(f.file) + ".\n";
    return text;
}

std::string tableJson()
{
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Metric& f : metrics())
        list.push_back(
            {{"key", f.key}, {"label", f.label}, {"unit", f.unit}, {"formula", f.formula}, {"file", f.file}, {"function", f.function}});
    return nlohmann::ordered_json{{"figures", std::move(list)}}.dump(2) + "\n";
}

} // namespace

void addMetrics(CLI::App& app, Cli& cli)
{
    auto options = std::make_shared<MetricOptions>();
    CLI::App* command = app.add_subcommand("metrics", "Every metric with its unit, formula and the function that computes it");
    command->add_flag("--markdown", options->markdown, "Print the help page resources/help/metrics.md");
    addOutput(*command, *options, cli);
    command->callback([options] { writeOutput(*options, options->json ? tableJson() : options->markdown ? metricPage() : tableText()); });
}

} // namespace prism::cli
