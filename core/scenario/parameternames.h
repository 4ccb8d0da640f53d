// SPDX-License-Identifier: GPL-3.0-or-later
// What people call a parameter besides its id.
#pragma once

#include "core/base/result.h"
#include "core/scenario/parametertable.h"

#include <string>
#include <string_view>

namespace prism {

/// The parameter that a person means: by id ("parallelism.tensor_model_parallel_size"), by short name ("TP", "tp"), by a word of its own
/// ("gpus", "recompute", "mbs"), or by the last part of its id where no other ends so ("num_layers"); short names and words also behind
/// their section ("parallelism.tp"). Upper and lower case are one; nullptr where nothing is meant or more than one thing. Thread-safe.
[[nodiscard]] const Parameter* parameterByName(std::string_view name);

/// "TP", else the label: for narrow places.
[[nodiscard]] const std::string& briefName(const Parameter& parameter);
/// "Tensor parallel (TP)": the label with the short name where there is one.
[[nodiscard]] std::string fullName(const Parameter& parameter);

/// What to say where nothing is: the error of this name with the id that comes nearest.
[[nodiscard]] Diagnostic unknownParameter(std::string_view name);

} // namespace prism
