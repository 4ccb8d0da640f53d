// SPDX-License-Identifier: GPL-3.0-or-later
// presets: the contents of the library, and one entry with its sources.
#include "app/cli/frame/commands.h"
#include "app/cli/frame/suggestion.h"
#include "core/base/text.h"
#include "core/scenario/presets.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <memory>

namespace prism::cli {

namespace {

struct PresetOptions : CommonOptions {
    std::string kind, name;
    bool names = false;
};

const std::vector<std::string> kKinds = {"scenario", "model", "gpu",   "fabric", "variability",
                                         "systems",  "job",   "fleet", "queue",  "studies"};

std::string listText(const std::string& only)
{
    std::string text;
    for (const std::string& kind : kKinds) {
        if (!only.empty() && kind != only)
            continue;
        text += kind + "\n";
        for (const PresetInfo& info : presetList())
            if (info.kind == kind)
                text += "  " + info.name + std::string(info.name.size() < 32 ? 32 - info.name.size() : 1, ' ') + info.title + "\n";
    }
    return text;
}

std::string namesText(const std::string& only)
{
    std::string text;
    for (const PresetInfo& info : presetList())
        if (only.empty() || info.kind == only)
            text += info.name + "\n";
    return text;
}

std::string listJson(const std::string& only)
{
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const PresetInfo& info : presetList())
        if (only.empty() || info.kind == only)
            list.push_back({{"kind", info.kind}, {"name", info.name}, {"title", info.title}});
    return nlohmann::ordered_json{{"presets", std::move(list)}}.dump(2) + "\n";
}

/// "NAME" (the first kind that has it) or "KIND/NAME".
std::string shown(const PresetOptions& options)
{
    std::string kind = options.kind, name = options.name;
    if (const auto slash = name.find('/'); slash != std::string::npos && kind.empty()) {
        kind = name.substr(0, slash);
        name = name.substr(slash + 1);
    }
    if (!kind.empty())
        return require(presetText(kind, name));
    std::vector<std::string> names;
    for (const std::string& candidate : kKinds)
        for (const std::string& known : presetNames(candidate)) {
            if (known == name)
                return require(presetText(candidate, name));
            names.push_back(known);
        }
    if (names.empty())
        return require(presetText("scenario", name)); // its error names the folder that was searched
    throw InputError({unknownName("preset", "preset", name, names)});
}

} // namespace

void addPresets(CLI::App& app, Cli& cli)
{
    CLI::App* command =
        app.add_subcommand("presets", "Library of GPUs, fabrics, models, variability and scenarios, with the source of every number");
    command->require_subcommand(1);
    auto options = std::make_shared<PresetOptions>();

    CLI::App* list = command->add_subcommand("list", "List the presets");
    list->add_option("--kind", options->kind, "Only this kind")->check(oneOf(kKinds));
    addOutput(*list, *options, cli);
    list->add_flag("--names", options->names, "Only the names, one per line")->excludes(list->get_option("--json"));
    list->callback([options] {
        writeOutput(*options, options->names  ? namesText(options->kind)
                              : options->json ? listJson(options->kind)
                                              : listText(options->kind));
    });

    CLI::App* show = command->add_subcommand("show", "Print one preset as stored, with its sources (JSON)");
    show->add_option("name", options->name, "NAME or KIND/NAME")->required();
    show->add_option("--kind", options->kind, "Kind of the preset")->check(oneOf(kKinds));
    addOutput(*show, *options, cli);
    show->callback([options] { writeOutput(*options, shown(*options)); });
}

} // namespace prism::cli
