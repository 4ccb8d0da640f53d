// SPDX-License-Identifier: GPL-3.0-or-later
// One entry of the parameter table: id, label, unit, type, range, default and help of something that a user can edit.
#pragma once

#include "core/scenario/scenario.h"

#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace prism {

enum class ParameterType { integer, real, boolean, choice, text };

/// The value of one parameter. choice and text are strings.
using ParameterValue = std::variant<std::int64_t, double, bool, std::string>;

struct Parameter {
    std::string id;        ///< JSON path, e.g. "parallelism.tensor_model_parallel_size"
    std::string group;     ///< "model", "cluster", "parallelism", "training", "variability", "job", "measured"
    std::string label;     ///< "Tensor parallel"
    std::string shortName; ///< "TP"; may be empty
    std::string unit;      ///< "GB/s", "us", "tokens"; empty = dimensionless
    ParameterType type = ParameterType::integer;
    double minimum = 0, maximum = 0;  ///< inclusive; numbers only
    std::vector<std::string> choices; ///< choice only
    std::string help;                 ///< its meaning, in one or two sentences
    bool basic = true;                ///< shown without "show all"
    bool isPercent = false;           ///< shown and typed as a percentage (cv)
    ParameterValue defaultValue;
    std::function<ParameterValue(const Scenario&)> get;
    std::function<void(Scenario&, const ParameterValue&)> set; ///< no checks; see setParameter
};

} // namespace prism
