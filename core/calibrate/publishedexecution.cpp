// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/calibrate/publishedexecution.h"

#include "core/scenario/parameters.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace prism {
namespace {

constexpr std::size_t kMaxPaths = 200, kMaxText = 400;

const nlohmann::json* objectAt(const nlohmann::json& parent, const char* key)
{
    if (!parent.is_object())
        return nullptr;
    const auto it = parent.find(key);
    return it != parent.end() && it->is_object() ? &*it : nullptr;
}

void merge(const nlohmann::json& from, Execution& into)
{
    if (const nlohmann::json* values = objectAt(from, "execution")) {
        std::size_t read = 0;
        for (const auto& [path, value] : values->items()) {
            if (++read > kMaxPaths) {
                into.errors.emplace_back("execution: more than " + std::to_string(kMaxPaths) + " paths");
                break;
            }
            if (value.is_string())
                into.values[path] = value.get<std::string>().substr(0, kMaxText);
            else if (value.is_number() || value.is_boolean())
                into.values[path] = value.dump();
            else
                into.errors.emplace_back("execution: " + path.substr(0, 120) + " is neither text nor number nor true or false");
            into.provenance.erase(path); // the source's word on a value that the row replaces
        }
    }
    if (const nlohmann::json* texts = objectAt(from, "execution_provenance"))
        for (const auto& [path, text] : texts->items())
            if (text.is_string() && into.values.contains(path))
                into.provenance[path] = text.get<std::string>().substr(0, kMaxText);
}

/// Facts with a path, and their words.
struct Fact {
    const char* key;
    const char* words; ///< first words of the fact; "" = a count, which is the value itself
    const char* path;
    const char* value;
    const char* refines = ""; ///< the stated value that the fact refines; "" = it is where the source states nothing
};
constexpr Fact kFacts[] = {{"attention_kernel", "triton FlashAttention-1", "training.attention_backend", "triton"},
                           {"attention_kernel", "FlashAttention-1", "training.attention_backend", "flash1"},
                           {"attention_kernel", "FlashAttention-2", "training.attention_backend", "flash2"},
                           {"attention_kernel", "FlashAttention-3", "training.attention_backend", "flash3"},
                           {"attention_kernel", "cuDNN", "training.attention_backend", "cudnn"},
                           {"attention_kernel", "unfused", "training.attention_backend", "unfused"},
                           {"attention_precision", "fp8", "training.attention_backend", "cudnn_fp8", "cudnn"},
                           {"attention_precision", "bf16", "training.attention_backend", "cudnn", "cudnn_fp8"},
                           {"fused_grouped_mlp", "true", "training.fused_grouped_mlp", "true"},
                           {"fused_grouped_mlp", "false", "training.fused_grouped_mlp", "false"},
                           {"zero1_shard_group", "", "parallelism.hsdp_shard_size", ""},
                           {"torch_compile", "true", "training.fusion", "compiled"},
                           {"torch_compile", "false", "training.fusion", "eager"},
                           {"cpu_offload_activation_layers", "", "training.cpu_offloading_num_layers", ""}};

/// Whether a fact adds something that the execution leaves open, or refines it.
bool adds(const Fact& fact, const std::vector<std::string>& unknown, const Execution& execution)
{
    if (*fact.refines == '\0')
        return !execution.values.contains(fact.path) || std::find(unknown.begin(), unknown.end(), fact.path) != unknown.end();
    const auto stated = execution.values.find(fact.path);
    return stated != execution.values.end() && stated->second == fact.refines;
}

bool namesPreset(const std::string& path)
{
    return path.ends_with(".preset") || path == "cluster.fabric";
}

} // namespace

Execution mergedExecution(const nlohmann::json& source, const nlohmann::json& row)
{
    Execution execution;
    merge(source, execution);
    merge(row, execution);
    return execution;
}

std::vector<std::string> applyExecution(const Execution& execution, const std::vector<std::string>& except, Scenario& scenario)
{
    std::vector<std::string> errors = execution.errors;
    for (const bool presets : {true, false})
        for (const auto& [path, value] : execution.values) {
            if (namesPreset(path) != presets || std::find(except.begin(), except.end(), path) != except.end())
                continue;
            Result<Scenario> changed = setParameter(scenario, path, value);
            if (changed) {
                scenario = std::move(changed).value();
                continue;
            }
            const Diagnostic d = changed.errors().front();
            errors.push_back("execution: " + d.path + ": " + d.message + " (\"" + value.substr(0, 60) + "\"; " + d.accepted + ")");
        }
    return errors;
}

std::vector<std::string> stateFacts(const nlohmann::json& facts, const std::vector<std::string>& unknown, Execution& execution)
{
    std::vector<std::string> texts;
    for (const auto& [key, value] : facts.items()) {
        const std::string text = value.is_string()                                  ? value.get<std::string>().substr(0, kMaxText)
                                 : value.is_boolean() || value.is_number_unsigned() ? value.dump()
                                                                                    : std::string();
        const Fact* fact = nullptr;
        bool known = false;
        for (const Fact& f : kFacts)
            if (key == f.key) {
                known = true;
                fact = text.starts_with(f.words) && (*f.words != '\0' || value.is_number_unsigned()) ? &f : fact;
            }
        if (known && fact == nullptr) {
            texts.push_back("facts." + key.substr(0, 60) + " has a value that is not recognised: " + text.substr(0, 60));
        } else if (fact != nullptr && adds(*fact, unknown, execution)) {
            execution.values[fact->path] = *fact->words == '\0' ? text : fact->value;
            execution.provenance[fact->path] = "read: facts." + key + ": " + text;
        }
    }
    return texts;
}

std::vector<std::string> assumptionsOf(const Execution& execution, const std::vector<std::string>& unknown)
{
    std::vector<std::string> texts;
    const auto note = [&](const std::string& path, const char* otherwise) {
        const auto value = execution.values.find(path);
        const auto why = execution.provenance.find(path);
        texts.push_back(path + (value != execution.values.end() ? " = " + value->second : "")
                        + (why != execution.provenance.end() ? " (" + why->second + ")" : otherwise));
    };
    for (const std::string& path : unknown)
        note(path, " (the source does not state it)");
    for (const auto& [path, why] : execution.provenance)
        if (why.starts_with("assumed") && std::find(unknown.begin(), unknown.end(), path) == unknown.end())
            note(path, "");
    return texts;
}

} // namespace prism
