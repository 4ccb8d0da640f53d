// SPDX-License-Identifier: GPL-3.0-or-later
// Profiled ranks by hand.
#pragma once

#include "core/trace/kinetorank.h"

#include <string>
#include <utility>
#include <vector>

namespace prism {

inline constexpr double kMicro = 1e-6;

struct Piece {
    double start, duration;
    bool isCollective = false;
    int stream = 1;
};

/// Times in microseconds; `steps` are begins and durations.
inline KinetoRank profiledRank(int number, const std::vector<Piece>& pieces, const std::vector<std::pair<double, double>>& steps,
                               int world = 2)
{
    KinetoRank rank{.rank = number, .worldSize = world, .isNamed = true, .names = {"gemm", "ncclDevKernel_AllReduce"}};
    for (const Piece& p : pieces)
        rank.kernels.push_back({.start = p.start,
                                .duration = p.duration,
                                .name = p.isCollective ? 1U : 0U,
                                .stream = p.stream,
                                .collective = p.isCollective ? 0 : -1,
                                .isCollective = p.isCollective});
    rank.collectives = {{.name = "allreduce", .group = "g", .dtype = "Float", .groupSize = world, .inElements = 8}};
    for (std::size_t i = 0; i < steps.size(); ++i)
        rank.steps.push_back({"ProfilerStep#" + std::to_string(i), steps[i].first, steps[i].second});
    return rank;
}

/// Rank 1 arrives last: at 200 of [0, 300] after an idle time of 50, and at 200 of [300, 620]. The transfer takes 30.
inline std::vector<KinetoRank> twoRanksTwoSteps()
{
    const std::vector<std::pair<double, double>> steps = {{0, 300}, {300, 320}};
    return {profiledRank(0, {{0, 100}, {100, 130, true}, {230, 70}, {300, 140}, {440, 90, true}, {530, 90}}, steps),
            profiledRank(1, {{50, 150}, {200, 30, true}, {230, 60}, {300, 200}, {500, 30, true}, {530, 90}}, steps)};
}

} // namespace prism
