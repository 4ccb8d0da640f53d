// The one parameter table: id, label, unit, type, range, default, help, group of everything that a user can edit.
// It drives the JSON reader, the editor form, diffs, --set, CSV headers, help and tests.
#pragma once

#include "core/scenario/scenario.h"

#include <functional>
#include <span>
#include <variant>

namespace prism {

enum class ParameterType { integer, real, boolean, choice, text };

/// The value of one parameter. choice and text are strings.
using ParameterValue = std::variant<std::int64_t, double, bool, std::string>;

struct Parameter {
    std::string id;        ///< JSON path, e.g. "parallelism.tensor_model_parallel_size"
    std::string group;     ///< "model", "cluster", "parallelism", "training", "variability", "measured"
    std::string label;     ///< "Tensor parallel"
    std::string shortName; ///< "TP"; may be empty
    std::string unit;      ///< "GB/s", "us", "tokens"; empty = dimensionless
    ParameterType type = ParameterType::integer;
    double minimum = 0, maximum = 0;  ///< inclusive; numbers only
    std::vector<std::string> choices; ///< choice only
    std::string help;                 ///< what it is, in one or two sentences
    bool basic = true;                ///< shown without "show all"
    bool isPercent = false;           ///< shown and typed as a percentage (cv)
    ParameterValue defaultValue;
    std::function<ParameterValue(const Scenario&)> get;
    std::function<void(Scenario&, const ParameterValue&)> set; ///< no checks; see setParameter
};

/// The whole table in display order. Built once; immutable; any thread.
[[nodiscard]] std::span<const Parameter> parameters();
[[nodiscard]] const Parameter* findParameter(std::string_view id);
/// Sets one parameter from text ("4", "true", "interleaved", "0.9 TB/s", "15%"); errors say what is accepted and suggest
/// near names for unknown ids. Setting a preset name ("cluster.gpu.preset") loads the whole preset.
[[nodiscard]] Result<Scenario> setParameter(const Scenario& scenario, std::string_view id, std::string_view text);
/// Parameters whose values differ.
[[nodiscard]] std::vector<const Parameter*> differences(const Scenario& a, const Scenario& b);
/// "4", "0.9", "interleaved": text that setParameter reads back to the same value.
[[nodiscard]] std::string parameterText(const Parameter& parameter, const Scenario& scenario);

} // namespace prism
