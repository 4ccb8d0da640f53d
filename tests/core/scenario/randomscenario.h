// SPDX-License-Identifier: GPL-3.0-or-later
// Random valid-looking scenarios for round trips: every table entry and every list is set from a seeded generator.
#pragma once

#include "core/scenario/parameters.h"
#include "core/stats/random.h"

#include <algorithm>
#include <cmath>

namespace prism::test {

/// A value of the parameter's own range, different from `old` where the range allows it.
inline ParameterValue randomValue(const Parameter& p, const ParameterValue& old, double u)
{
    switch (p.type) {
    case ParameterType::integer: {
        const double span = std::min(p.maximum - p.minimum, 1e6);
        auto value = static_cast<std::int64_t>(p.minimum + std::floor(u * (span + 1)));
        if (ParameterValue(value) == old)
            value = value > p.minimum ? value - 1 : value + 1;
        return value;
    }
    case ParameterType::real: {
        const double value = p.minimum + u * std::min(p.maximum - p.minimum, 1e4);
        return ParameterValue(value) == old ? p.minimum + (p.maximum - p.minimum) / 3 : value;
    }
    case ParameterType::boolean:
        return !std::get<bool>(old);
    case ParameterType::choice: {
        std::vector<std::string> others = p.choices;
        std::erase(others, std::get<std::string>(old));
        std::erase(others, "empirical"); // needs a pool
        return others[static_cast<std::size_t>(u * static_cast<double>(others.size()))];
    }
    case ParameterType::text:
        break;
    }
    return "text \xc3\xa4 \"quoted\" " + std::to_string(static_cast<int>(u * 1e6));
}

inline Scenario randomScenario(std::uint64_t seed)
{
    std::uint64_t index = 0;
    const auto draw = [&] { return uniform(seed, stream(1), index++); };
    Scenario s;
    s.name = "random " + std::to_string(seed);
    s.note = "line one\nline two";
    for (const Parameter& p : parameters())
        if (draw() < 0.5)
            p.set(s, randomValue(p, p.get(s), draw()));
    if (draw() < 0.5)
        s.model.layerPattern = {{"dense", 2}, {"moe_layer", 1}};
    if (draw() < 0.3)
        s.model.operators = {{"conv", draw() * 1e12, draw() * 1e9, 64, 128, 256, 1'000'000, 3}};
    if (draw() < 0.5)
        s.variability.classOverrides["dp.all_gather"] = {Family::gamma, draw(), 0.01, 3.0, nullptr};
    if (draw() < 0.5)
        s.variability.spatialSensitivity["gemm"] = draw();
    if (draw() < 0.5)
        s.variability.slow = {{3, -1, 1 + draw(), 1}, {-1, 17, 1, 1 + draw()}};
    if (draw() < 0.5)
        s.variability.gemm = empiricalDistribution({1 + draw(), 1 + draw(), 1 + draw()});
    if (draw() < 0.5) {
        s.measured.kernels = {{"gemm.qkv", draw() * 1e-3}};
        s.measured.rows = {{"all_reduce", "bf16", 0, 0, 0, 8, 1 << 20, draw() * 1e-4}};
        s.measured.speeds = {{2, -1, 0.9 + 0.1 * draw()}};
        s.measured.nodeOrder = {1, 0};
    }
    s.parallelism.customSchedule = {"F0 B0"};
    return s;
}

} // namespace prism::test
