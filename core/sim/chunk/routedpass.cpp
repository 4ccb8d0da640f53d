// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/chunk/routedpass.h"

#include <algorithm>

namespace prism {

namespace {

/// A sum over kernels and the part of it that follows routing factors.
struct RoutedPart {
    double all = 0.0, routed = 0.0;
    void add(const Op& op, double value)
    {
        all += value;
        routed += op.routed ? value : 0.0;
    }
    [[nodiscard]] double share() const { return all > 0.0 ? routed / all : 0.0; }
};

bool isRouted(const Block& block)
{
    return std::any_of(block.ops.begin(), block.ops.end(), [](const Op& op) { return op.routed; });
}

int layersOf(const Block& block)
{
    return isRouted(block) ? block.repeat : 0;
}

/// Of one layer.
double routedSeconds(const Block& block)
{
    double sum = 0.0;
    for (const Op& op : block.ops)
        sum += op.routed ? op.meanSeconds : 0.0;
    return sum;
}

} // namespace

double typicalRouting(const Distribution& routing)
{
    return routing.rareProbability > 0.0 && routing.rareMultiplier != 1.0 ? routing.rareMultiplier : 1.0 + routing.cv;
}

RoutedCompute routedCompute(const Program& program, const StepGraph& graph)
{
    RoutedCompute out;
    RoutedPart seconds, variance;
    std::vector<RoutedPart> ofClass(graph.classes.size());
    for (const Block& b : program.blocks) {
        for (const Op& op : b.ops) {
            const KernelClass& kernel = graph.classes[static_cast<std::size_t>(op.kernelClass)];
            if (kernel.scope != Scope::none)
                continue;
            const double deviation = op.meanSeconds * kernel.temporal.cv;
            seconds.add(op, b.repeat * op.meanSeconds);
            variance.add(op, b.repeat * deviation * deviation);
            ofClass[static_cast<std::size_t>(op.kernelClass)].add(op, b.repeat * op.meanSeconds);
        }
        out.layers += layersOf(b);
    }
    out.share = seconds.share();
    out.varianceShare = variance.share();
    for (const RoutedPart& part : ofClass)
        out.shareOfClass.push_back(part.share());
    return out;
}

bool hasRoutedPrograms(const StepGraph& graph)
{
    return graph.routing.rareProbability > 0.0 && graph.routing.rareMultiplier != 1.0 && !routesByMember(graph);
}

bool needsRoutedProgram(const StepGraph& graph, const Program& program)
{
    return hasRoutedPrograms(graph) && std::any_of(program.blocks.begin(), program.blocks.end(), isRouted);
}

RoutedProgram routedProgram(const StepGraph& graph, const Program& program)
{
    RoutedProgram out{program, 1.0};
    std::vector<Block>& blocks = out.program.blocks;
    double seconds = 0.0, layers = 0.0;
    std::size_t most = 0;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        seconds += layersOf(blocks[b]) * routedSeconds(blocks[b]);
        layers += layersOf(blocks[b]);
        most = layersOf(blocks[b]) > layersOf(blocks[most]) ? b : most;
    }
    Block hit = blocks[most];
    hit.repeat = 1;
    if (const double own = routedSeconds(hit); own > 0.0)
        out.share = seconds / layers / own;
    for (Op& op : hit.ops)
        if (op.routed)
            op.meanSeconds *= typicalRouting(graph.routing);
    auto at = blocks.begin() + static_cast<std::ptrdiff_t>(most);
    if (--at->repeat == 0)
        at = blocks.erase(at);
    blocks.insert(at, std::move(hit));
    return out;
}

} // namespace prism
