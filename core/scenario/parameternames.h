// SPDX-License-Identifier: GPL-3.0-or-later
// Other names of a parameter besides its id.
#pragma once

#include "core/base/result.h"
#include "core/scenario/parametertable.h"

#include <string>
#include <string_view>

namespace prism {

/// The parameter that a name refers to: by id ("parallelism.tensor_model_parallel_size"), by short name ("TP", "tp"), by an alias
/// ("gpus", "recompute", "mbs"), or by the last part of its id if that is unique ("num_layers"); short names and aliases also behind
/// their section ("parallelism.tp"). Case does not matter; nullptr where the name is unknown or ambiguous. Thread-safe.
[[nodiscard]] const Parameter* parameterByName(std::string_view name);

/// "TP", else the label: for narrow places.
[[nodiscard]] const std::string& shortLabel(const Parameter& parameter);
/// "Tensor parallel (TP)": the label with the short name where there is one.
[[nodiscard]] std::string fullName(const Parameter& parameter);

/// The error for an unknown name, with the nearest id.
[[nodiscard]] Diagnostic unknownParameter(std::string_view name);

} // namespace prism
