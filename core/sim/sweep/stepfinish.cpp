// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/sweep/stepfinish.h"

#include "core/base/index.h"

#include <algorithm>

namespace prism {

namespace {

constexpr std::uint64_t kGradSyncDraws = 0x41, kParamGatherDraws = 0x42, kGradNormDraws = 0x43;

} // namespace

/// `drawn(op, link, key)`: the operation of a communication that is present, without its start.
template <class Drawn>
StepTail StepFinish::finish(const StageMaxima& m, const Drawn& drawn) const
{
    const std::size_t stages = m.end.size();
    const bool norm = m_model.gradNorm.present();
    StepTail tail;
    tail.stages.resize(stages);
    std::vector<double> at = m.end;
    const auto run = [&](StageOp op, std::size_t s, StepTail::Operation operation) {
        operation.start = at[s];
        at[s] += operation.seconds;
        tail.of(s, op) = operation;
    };
    const auto latest = [&] { return static_cast<int>(std::max_element(at.begin(), at.end()) - at.begin()); };
    for (std::size_t s = 0; s < stages; ++s)
        if (m_model.gradSync[s].present())
            run(StageOp::gradSync, s, drawn(m_model.gradSync[s], m_model.job.stageLink[s], laneKey(kGradSyncDraws, s)));
    tail.normStage = latest();
    if (norm) {
        const StepTail::Operation all = drawn(m_model.gradNorm, m_model.job.link, laneKey(kGradNormDraws));
        at.assign(stages, at[index(tail.normStage)]);
        for (std::size_t s = 0; s < stages; ++s)
            run(StageOp::gradNorm, s, all);
    }
    for (std::size_t s = 0; s < stages; ++s) {
        if (!norm && !m_model.gradSync[s].present())
            at[s] = m.endWithOptimizer[s] - m.optimizer[s]; // nothing for which a unit's own optimizer would have to wait
        run(StageOp::optimizer, s, {0.0, m.optimizer[s], 0.0});
        if (m_model.paramGather[s].present())
            run(StageOp::paramGather, s, drawn(m_model.paramGather[s], m_model.job.stageLink[s], laneKey(kParamGatherDraws, s)));
    }
    tail.last = latest();
    tail.seconds = at[index(tail.last)];
    return tail;
}

StepTail StepFinish::tail(const StageMaxima& m, const RegimeFactors& regimes, LaneSeed step) const
{
    return finish(m, [&](const UnitCommunication& op, float link, LaneKey key) {
        const std::uint32_t word = laneWord(step, key), rareWord = laneWord(step, rareKey(key));
        const float scale = static_cast<float>(regimes.of(op.scope)) * op.linkFactor(link), factor = op.factor->at(word, rareWord);
        const auto seconds = static_cast<double>(op.exposed(factor * scale));
        const bool rare = rareWord < op.factor->rareBelow;
        return StepTail::Operation{0.0, seconds, rare ? seconds - static_cast<double>(op.exposed(op.factor->body.at(word) * scale)) : 0.0};
    });
}

double StepFinish::meanSeconds(const StageMaxima& m) const
{
    return finish(m,
                  [](const UnitCommunication& op, float link, LaneKey) {
                      return StepTail::Operation{
                          0.0, static_cast<double>(op.exposed(static_cast<float>(op.factor->mean) * op.linkFactor(link))), 0.0};
                  })
        .seconds;
}

std::vector<float> StepFinish::meanAfter() const
{
    const bool norm = m_model.gradNorm.present(); // all stages wait for it
    std::vector<float> out;
    for (std::size_t s = 0; s < m_model.optimizerOfStage.size(); ++s) {
        const int program = m_model.optimizerOfStage[s];
        const float optimizer = program < 0 ? 0.0F : static_cast<float>(m_model.shapes[index(program)].seconds());
        const auto exposed = [&](const UnitCommunication& op) {
            return op.present() ? op.exposed(static_cast<float>(op.factor->mean) * op.linkFactor(m_model.job.stageLink[s])) : 0.0F;
        };
        out.push_back(exposed(m_model.gradSync[s]) + (norm ? 0.0F : optimizer + exposed(m_model.paramGather[s])));
    }
    return out;
}

} // namespace prism
