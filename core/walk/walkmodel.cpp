// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/walk/walkmodel.h"

#include "core/sim/draw/draws.h"
#include "core/step/passes.h"

#include <algorithm>
#include <cmath>

namespace prism {

WalkModel::WalkModel(std::shared_ptr<const StepGraph> given, std::uint64_t givenSeed)
    : graph(std::move(given)),
      seed(givenSeed),
      m_spatial(*graph),
      m_data(graph->data),
      m_intra(graph->intraRegime),
      m_inter(graph->interRegime),
      m_computeRegime(graph->computeRegime)
{
    for (const Program& program : graph->programs)
        programs.push_back(programModel(*graph, program));
    for (const KernelClass& kernelClass : graph->classes)
        m_classFactor.emplace_back(kernelClass.temporal);
    stageLink.assign(static_cast<std::size_t>(stages()), 1.0);
    for (const SlowSpot& spot : graph->slow)
        for (int s = 0; s < stages(); ++s)
            if (spot.stage < 0 || spot.stage == s)
                stageLink[static_cast<std::size_t>(s)] = std::max(stageLink[static_cast<std::size_t>(s)], spot.linkFactor);
    jobLink = *std::max_element(stageLink.begin(), stageLink.end());
    prepareSpeedStreams();
    prepareNodes();
    fitEnds();
}

void WalkModel::prepareNodes()
{
    const Schedule& schedule = graph->schedule;
    const std::vector<std::vector<int>> place = pathIndices(schedule);
    const int last = static_cast<int>(schedule.path.size()) - 1;
    const auto microbatches = static_cast<std::size_t>(schedule.numMicrobatches);
    std::vector<int> forwardAt(schedule.path.size() * microbatches, -1), backwardAt = forwardAt;
    lastOfStage.assign(static_cast<std::size_t>(stages()), -1);
    for (const ScheduleNode& entry : executionOrder(schedule)) {
        const int index = static_cast<int>(nodes.size());
        const auto at = [&](int path) { return static_cast<std::size_t>(path) * microbatches + entry.item.microbatch; };
        WalkNode node;
        node.stage = entry.stage;
        node.chunk = entry.item.chunk;
        node.microbatch = static_cast<int>(entry.item.microbatch);
        node.phase = entry.item.phase;
        const auto stage = static_cast<std::size_t>(entry.stage);
        const auto row = static_cast<std::size_t>(programRow(*graph, entry.item, entry.beside));
        node.program = entry.runs ? graph->programOf[stage][row][static_cast<std::size_t>(entry.item.phase)] : -1;
        node.runs = entry.runs;
        if (entry.runs && entry.beside)
            node.pieceFirst = entry.item.phase == Phase::forward ? index : nodes.back().pieceFirst;
        node.previous = lastOfStage[stage];
        const int path = place[stage][entry.item.chunk];
        if (node.phase == Phase::forward) {
            if (path > 0) {
                node.input = forwardAt[at(path - 1)];
                node.hop = path - 1;
            }
            node.outHop = path < last ? path : -1;
        } else if (node.phase == Phase::backward) {
            node.input = path == last ? forwardAt[at(path)] : backwardAt[at(path + 1)];
            node.hop = path == last ? -1 : path;
            node.hopForward = node.outForward = false;
            node.outHop = path > 0 ? path - 1 : -1;
        } else {
            node.input = backwardAt[at(path)];
        }
        if (entry.handsOn && node.phase != Phase::weight)
            (node.phase == Phase::forward ? forwardAt : backwardAt)[at(path)] = index;
        if (!entry.waits)
            node.input = node.hop = -1;
        if (!graph->transferOccupiesSender || !entry.handsOn)
            node.outHop = -1;
        lastOfStage[stage] = index;
        nodes.push_back(node);
        const std::uint64_t name = (static_cast<std::uint64_t>(node.microbatch) << 8) | static_cast<std::uint64_t>(node.phase);
        const auto chunkName = static_cast<std::uint64_t>(node.chunk);
        m_nodeStream.push_back(stream(kComputeNoise, stage, chunkName, name));
        m_collectiveStream.push_back(stream(kCollective, stage, chunkName, name));
    }
}

void WalkModel::prepareSpeedStreams()
{
    if (m_spatial.isDeterministic() || !graph->fixedSpatial.empty())
        return;
    for (int replica = 0; replica < graph->numReplicas; ++replica)
        for (int stage = 0; stage < stages(); ++stage)
            for (std::size_t rank = 0; rank < ranks(); ++rank)
                m_speedStream.push_back(
                    purposeStream(Purpose::spatial, static_cast<std::uint64_t>(replica), static_cast<std::uint64_t>(stage), rank));
}

void WalkModel::fitEnds()
{
    // Within each pilot draw, replicas evenly spaced in the order of expected ends; least squares around the draw's means.
    constexpr int kDraws = 4;
    constexpr std::size_t kPerDraw = 12;
    const auto replicas = static_cast<std::size_t>(graph->numReplicas);
    if (replicas <= kPerDraw)
        return;
    std::vector<SlowestRank> slowest;
    std::vector<std::pair<double, double>> points; // expected and walked end around the means of their draw
    double xx = 0, xy = 0;
    for (int sample = 0; sample < kDraws; ++sample) {
        const StepRegimes shared = regimes(sample);
        const std::vector<ExpectedEnd> order = expectedEnds(sample, shared, slowest);
        std::vector<std::pair<double, double>> own;
        double meanExpected = 0, meanEnd = 0;
        for (std::size_t i = 0; i < kPerDraw; ++i) {
            const ExpectedEnd& r = order[i * (replicas - 1) / (kPerDraw - 1)];
            own.emplace_back(r.seconds, walkedReplica(sample, shared, r.replica).latest());
            meanExpected += own.back().first / kPerDraw;
            meanEnd += own.back().second / kPerDraw;
        }
        for (const auto& [x, y] : own) {
            points.emplace_back(x - meanExpected, y - meanEnd);
            xx += points.back().first * points.back().first;
            xy += points.back().first * points.back().second;
        }
    }
    fit.slope = xx > 0 ? xy / xx : 0;
    double squares = 0;
    for (const auto& [x, y] : points)
        squares += (y - fit.slope * x) * (y - fit.slope * x);
    fit.sigma = std::sqrt(squares / static_cast<double>(points.size() - kDraws - 1));
}

double WalkModel::linkOf(int replica, int stage) const
{
    double link = 1;
    for (const SlowSpot& spot : graph->slow)
        if ((spot.replica < 0 || spot.replica == replica) && (spot.stage < 0 || spot.stage == stage))
            link = std::max(link, spot.linkFactor);
    return link;
}

const StepOp* WalkModel::stageOp(int stage, StageOp op) const
{
    const auto in = [&](const std::vector<StepOp>& list) {
        return static_cast<std::size_t>(stage) < list.size() ? &list[static_cast<std::size_t>(stage)] : nullptr;
    };
    const StepOp* found = nullptr;
    switch (op) {
    case StageOp::embedding:
        found = &graph->embeddingAllReduce;
        break;
    case StageOp::gradSync:
        found = in(graph->gradSync);
        break;
    case StageOp::gradNorm:
        found = &graph->gradNorm;
        break;
    case StageOp::optimizer:
        found = in(graph->optimizer);
        break;
    case StageOp::paramGather:
        found = in(graph->paramGather);
        break;
    }
    return found && found->kernelClass >= 0 ? found : nullptr;
}

} // namespace prism
