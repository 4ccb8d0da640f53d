// SPDX-License-Identifier: GPL-3.0-or-later
// Small studies that every machine computes at once.
#pragma once

#include "core/scenario/parameters.h"
#include "ui/model/studystate.h"

#include <gtest/gtest.h>

namespace prism::ui::test {

/// A dense model on 64 GPUs of 8 nodes: TP 4, PP 4, DP 4.
inline Scenario smallScenario(const std::string& name)
{
    Scenario s;
    s.name = name;
    for (const auto& [path, text] : {std::pair{"cluster.num_gpus", "64"},
                                     {"cluster.gpus_per_node", "8"},
                                     {"model.num_layers", "16"},
                                     {"parallelism.tensor_model_parallel_size", "4"},
                                     {"parallelism.pipeline_model_parallel_size", "4"},
                                     {"training.global_batch_size", "32"}}) {
        Result<Scenario> next = setParameter(s, path, text);
        EXPECT_TRUE(next.ok()) << path;
        if (next)
            s = std::move(next).value();
    }
    s.variability.spatial = {Family::normal, 0.02};
    s.variability.gemm = {Family::lognormal, 0.02};
    s.variability.interCollective = {Family::lognormal, 0.05};
    return s;
}

inline StudyState smallStudy()
{
    StudyState state;
    Scenario base = smallScenario("base"), slow = smallScenario("base + slow node");
    slow.variability.slow.push_back({3, -1, 1.15, 1});
    state.entries.push_back({1, std::make_shared<const Scenario>(base), 0, true, false});
    state.entries.push_back({2, std::make_shared<const Scenario>(slow), 1, true, false});
    state.baselineId = 1;
    return state;
}

} // namespace prism::ui::test
