// SPDX-License-Identifier: GPL-3.0-or-later
// parameters: the parameter table, for people, for programs and as the help page.
#include "app/cli/frame/commands.h"
#include "core/base/jsontext.h"
#include "core/cost/classes.h"
#include "core/scenario/parametercheck.h"
#include "core/scenario/parameternames.h"
#include "core/scenario/parametertable.h"
#include "core/scenario/parameters.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <memory>

namespace prism::cli {

namespace {

struct ParameterOptions : CommonOptions {
    bool markdown = false, classes = false, names = false;
};

std::string parametersText()
{
    std::string text;
    for (const Parameter& p : parameters())
        text += p.id + "\n    " + fullName(p) + ": " + p.help + " Accepted: " + acceptedText(p) + ". Default: " + valueText(p.defaultValue)
                + ".\n";
    return text;
}

std::string parametersJson()
{
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Parameter& p : parameters()) {
        nlohmann::ordered_json entry{{"id", p.id}, {"group", p.group}, {"label", p.label}, {"short_name", p.shortName}, {"unit", p.unit}};
        const bool number = p.type == ParameterType::integer || p.type == ParameterType::real;
        entry["type"] = p.type == ParameterType::integer   ? "integer"
                        : p.type == ParameterType::real    ? "real"
                        : p.type == ParameterType::boolean ? "boolean"
                        : p.type == ParameterType::choice  ? "choice"
                                                           : "text";
        if (number) {
            entry["minimum"] = p.minimum;
            entry["maximum"] = p.maximum;
        }
        if (p.type == ParameterType::choice)
            entry["choices"] = p.choices;
        entry["default"] = require(parseOrderedJson(valueJson(p.defaultValue)));
        entry["help"] = p.help;
        list.push_back(std::move(entry));
    }
    return nlohmann::ordered_json{{"parameters", std::move(list)}}.dump(2) + "\n";
}

} // namespace

void addParameters(CLI::App& app, Cli& cli)
{
    auto options = std::make_shared<ParameterOptions>();
    CLI::App* command = app.add_subcommand("parameters", "Parameters of --set and of scenario files, with ranges, units and defaults");
    command->add_flag("--markdown", options->markdown, "Print the help page resources/help/parameters.md");
    command->add_flag("--classes", options->classes,
                      "Print the names of the kernel classes: the help page resources/help/kernel-classes.md");
    addOutput(*command, *options, cli);
    command->add_flag("--names", options->names, "Only the paths that --set takes, one per line")->excludes(command->get_option("--json"));
    command->callback([options] {
        if (options->names) {
            std::string names;
            for (const Parameter& p : parameters())
                names += p.id + "\n";
            return writeOutput(*options, names);
        }
        if (options->classes) {
            writeOutput(*options,
                        options->json ? nlohmann::ordered_json{{"classes", kernelClassNames()}}.dump(2) + "\n" : kernelClassPage());
            return;
        }
        writeOutput(*options, options->json ? parametersJson() : options->markdown ? parameterPage() : parametersText());
    });
}

} // namespace prism::cli
