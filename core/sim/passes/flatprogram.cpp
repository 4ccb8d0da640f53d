// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/passes/flatprogram.h"

#include <algorithm>

namespace prism {

namespace {

void addKernel(Segment& segment, const Op& op, int layer)
{
    auto known =
        std::find_if(segment.kernels.begin(), segment.kernels.end(), [&](const FlatKernels& k) { return k.kernelClass == op.kernelClass; });
    if (known == segment.kernels.end())
        known = segment.kernels.insert(known, {op.kernelClass, {}, {}});
    known->meanSeconds.push_back(static_cast<float>(op.meanSeconds));
    known->layer.push_back(op.routed ? layer : -1);
}

} // namespace

FlatProgram flatten(const StepGraph& graph, const Program& program, int lockstep)
{
    FlatProgram out;
    out.segments.emplace_back();
    const bool manyGroups = graph.groupsPerCell > 1;
    for (const Block& block : program.blocks) {
        const bool routed = std::any_of(block.ops.begin(), block.ops.end(), [](const Op& op) { return op.routed; });
        for (int i = 0; i < block.repeat; ++i) {
            for (const Op& op : block.ops) {
                Segment& last = out.segments.back();
                if (graph.classes[static_cast<std::size_t>(op.kernelClass)].scope == Scope::none) {
                    addKernel(last, op, out.layers);
                    continue;
                }
                last.barrier = op.sync == Sync::replicas && lockstep > 1 ? Barrier::unit
                               : op.sync != Sync::group && manyGroups    ? Barrier::cell
                                                                         : Barrier::group;
                last.collective = op.kernelClass;
                last.meanSeconds = op.meanSeconds;
                last.hiddenSeconds = op.hiddenSeconds;
                out.segments.emplace_back();
            }
            out.layers += routed ? 1 : 0;
        }
    }
    if (out.segments.back().kernels.empty())
        out.segments.pop_back();
    return out;
}

} // namespace prism
