// SPDX-License-Identifier: GPL-3.0-or-later
// Three answers made a scenario: model, machines and batch; everything else is the library's, and assumptions are
// reported.
#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"

#include <QString>

#include <optional>
#include <string>

namespace prism::ui {

/// What a user enters about a custom job. Texts as setParameter reads them.
struct NewJobAnswers {
    enum class Source { preset, huggingFace, megatron } source = Source::preset;
    QString preset;   ///< name of a model of the library
    QString fileName; ///< of the file below
    std::string text; ///< config.json or a launch script
    QString gpus, gpu, fabric, globalBatch;
    bool operator==(const NewJobAnswers&) const = default;
};

struct NewJob {
    Scenario scenario;           ///< without a layout
    std::optional<Scenario> own; ///< with the layout that the script names
    Diagnostics notes;           ///< what was assumed or ignored
};

/// Pure but for the preset library. Errors: what cannot be read or is out of range, all at once, each with its parameter.
[[nodiscard]] Result<NewJob> newJob(const NewJobAnswers& answers);

/// Sequences per step where none are given: 4 Mi tokens, rounded to a power of two. Llama 2 and 3 are trained with 4 M tokens a step
/// (arXiv 2307.09288, section 2.2; arXiv 2407.21783, section 3.4.1, first stage).
[[nodiscard]] std::int64_t usualGlobalBatch(std::int64_t seqLength);
/// The fabric of the library that shares most words with the name of a GPU; the first of several.
[[nodiscard]] QString fabricFor(const QString& gpu);
/// The first line of a preset of the library for people: its title, else its name.
[[nodiscard]] QString presetTitle(const char* kind, const QString& name);

} // namespace prism::ui
