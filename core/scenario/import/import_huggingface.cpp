// SPDX-License-Identifier: GPL-3.0-or-later
// Hugging Face config.json -> model section.
#include "core/base/valuetext.h"
#include "core/base/jsontext.h"
#include "core/scenario/scenariolimits.h"
#include "core/base/text.h"
#include "core/scenario/objectreader.h"
#include "core/scenario/parametercheck.h"
#include "core/scenario/import/configreader.h"
#include "core/scenario/import/importers.h"
#include "core/scenario/import/modelfamilies.h"
#include "core/scenario/parametertable.h"
#include "core/scenario/presets.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace prism {
namespace {

using nlohmann::json;

Diagnostic unknownArchitecture(const json& config)
{
    const std::vector<std::string> known = modelFamilies();
    const auto it = config.find("model_type");
    if (it == config.end() || !it->is_string())
        return {.path = "model_type",
                .message = "the architecture is not named",
                .found = it == config.end() ? "nothing" : jsonShort(*it),
                .accepted = "one of: " + joined(known, ", ")};
    return unknownName("model_type", "architecture", it->get<std::string>(), known);
}

/// The file states the maximum sequence length, not the length in training.
void chooseSequenceLength(ConfigReader& r, const Scenario& base)
{
    std::int64_t longest = 0;
    const bool known = r.integer("max_position_embeddings", longest) || r.integer("n_positions", longest) || r.integer("n_ctx", longest);
    r.model.seqLength = base.model.seqLength;
    if (known && longest > 0 && longest < r.model.seqLength)
        r.model.seqLength = longest;
    r.note(Severity::note, "model.seq_length",
           "training length taken as " + countText(r.model.seqLength) + " tokens"
               + (known ? "; the model accepts " + countText(longest) : std::string()));
}

/// The distribution of layers over the stages belongs to the model that it was made for.
void forgetUnevenSplit(ConfigReader& r, ParallelismConfig& p)
{
    const auto reset = [&](auto ParallelismConfig::*member, const char* key, const char* what) {
        const ParallelismConfig fresh;
        if (p.*member == fresh.*member)
            return;
        p.*member = fresh.*member;
        r.note(Severity::note, std::string("parallelism.") + key, std::string(what) + " was of the base scenario's model; not taken over");
    };
    reset(&ParallelismConfig::accountForEmbeddingInPipelineSplit, "account_for_embedding_in_pipeline_split",
          "counting the embedding as a layer");
    reset(&ParallelismConfig::accountForLossInPipelineSplit, "account_for_loss_in_pipeline_split", "counting the loss as a layer");
    reset(&ParallelismConfig::numLayersInFirstPipelineStage, "num_layers_in_first_pipeline_stage", "the size of the first stage");
    reset(&ParallelismConfig::numLayersInLastPipelineStage, "num_layers_in_last_pipeline_stage", "the size of the last stage");
    reset(&ParallelismConfig::pipelineModelParallelLayout, "pipeline_model_parallel_layout", "the pipeline layout");
    reset(&ParallelismConfig::customSchedule, "custom_schedule", "the custom schedule");
}

std::string modelName(ConfigReader& r, const std::string& type)
{
    const std::string path = r.text("_name_or_path");
    const std::string last = path.substr(path.rfind('/') + 1);
    return (last.empty() ? type : last).substr(0, 200);
}

} // namespace

Result<ImportResult> importHuggingFaceConfig(std::string_view text, const Scenario& base)
{
    Result<json> document = parseJson(text, {.maxBytes = kMaxImportBytes, .maxValues = kMaxImportValues});
    if (!document)
        return document.errors();
    if (!document->is_object())
        return invalidType("", "the object of a config.json", *document);
    // Multimodal configurations hold the language model in a separate section.
    json config = document->contains("text_config") && (*document)["text_config"].is_object() ? (*document)["text_config"] : *document;
    if (!config.contains("tie_word_embeddings") && document->contains("tie_word_embeddings"))
        config["tie_word_embeddings"] = (*document)["tie_word_embeddings"];
    const std::string type =
        config.contains("model_type") && config["model_type"].is_string() ? config["model_type"].get<std::string>() : "";
    ImportResult result;
    result.scenario = base;
    ModelConfig model;
    ConfigReader reader(config, model);
    if (!readModelFamily(type, reader))
        return unknownArchitecture(config);
    chooseSequenceLength(reader, base);
    forgetUnevenSplit(reader, result.scenario.parallelism);
    model.name = modelName(reader, type);
    result.scenario.model = model;
    for (const Parameter& p : parameters())
        if (p.group == "model")
            if (auto error = rangeError(p, p.get(result.scenario)))
                reader.errors.push_back(std::move(*error));
    if (hasErrors(reader.errors))
        return reader.errors;
    static_cast<void>(reader.text("model_type"));
    if (const std::string ignored = reader.ignoredKeys(); !ignored.empty())
        reader.note(Severity::note, "", "keys that change no step time here: " + ignored);
    result.notes = std::move(reader.notes);
    return result;
}

} // namespace prism
