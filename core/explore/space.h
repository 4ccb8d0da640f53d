// SPDX-License-Identifier: GPL-3.0-or-later
// The space of a search: the values of each parameter.
#pragma once

#include "core/scenario/parameters.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace prism {

inline constexpr std::size_t kMaxAxes = 100, kMaxAxisValues = 1'000;

/// One axis: parameters that change together, and the texts they take. `values[i][j]` is the i-th choice for `ids[j]`.
struct SearchAxis {
    std::vector<std::string> ids;
    std::vector<std::vector<std::string>> values;
};

/// All combinations of the axes' choices. Plain value.
struct SearchSpace {
    std::vector<SearchAxis> axes;
    /// Number of combinations; at most 2^62 (saturates).
    [[nodiscard]] std::int64_t size() const;
};

/// "tp=1,2,4", "parallelism.tensor_model_parallel_size=1..8" (powers of two between the ends), "schedule=1f1b,interleaved": id or short
/// name, values as setParameter reads them. Errors: unknown parameters, ranges without powers of two, more than 1,000 values.
[[nodiscard]] Result<SearchAxis> searchAxis(const std::string& text);

/// TP, PP with VPP and schedule, CP, EP, ZeRO stage, micro-batch and recomputation: the values that the model, the node and the number of
/// GPUs allow.
[[nodiscard]] SearchSpace defaultSpace(const Scenario& scenario);

/// Makes the scenarios of a space: texts are read once, points are made from values. Immutable; any thread.
class PointMaker final {
public:
    /// Errors: values that a parameter does not take.
    [[nodiscard]] static Result<PointMaker> make(const SearchSpace& space, const Scenario& base);
    /// 0 <= index < space.size(). The combination of values is not checked.
    [[nodiscard]] Scenario at(std::int64_t index) const;

private:
    struct Setting {
        const Parameter* parameter = nullptr;
        ParameterValue value;
        std::string text; ///< of a preset, which sets more than itself; else empty
    };
    using Choice = std::vector<Setting>;
    PointMaker() = default;
    static void apply(const Setting& setting, Scenario& point);

    Scenario m_base;
    std::vector<std::vector<Choice>> m_axes;
};

/// "TP 4, PP 8, VPP 2": the point's values by short names.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> valuesOf(const SearchSpace& space, std::int64_t index);

} // namespace prism
