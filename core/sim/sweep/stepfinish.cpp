// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/sweep/stepfinish.h"

#include <algorithm>

namespace prism {

namespace {

constexpr std::uint64_t kGradSyncDraws = 0x41, kParamGatherDraws = 0x42, kGradNormDraws = 0x43;

double regimeOf(const UnitCommunication& op, const RegimeFactors& r)
{
    return op.scope == Scope::interNode ? r.inter : op.scope == Scope::intraNode ? r.intra : 1.0;
}

float linkOf(const UnitCommunication& op, float link)
{
    return op.scope == Scope::interNode ? link : 1.0F;
}

} // namespace

/// `seconds(op, link, key)` of a communication that is present.
template <class Seconds>
double StepFinish::finish(const StageMaxima& m, const Seconds& seconds) const
{
    const std::size_t stages = m.end.size();
    const bool norm = m_model.gradNorm.present();
    std::vector<double> ready(stages);
    double latest = 0.0;
    for (std::size_t s = 0; s < stages; ++s) {
        ready[s] = static_cast<double>(m.end[s]);
        if (m_model.gradSync[s].present())
            ready[s] += seconds(m_model.gradSync[s], m_model.job.stageLink[s], laneKey(kGradSyncDraws, s));
        latest = std::max(latest, ready[s]);
    }
    if (norm)
        latest += seconds(m_model.gradNorm, m_model.job.link, laneKey(kGradNormDraws));
    double out = 0.0;
    for (std::size_t s = 0; s < stages; ++s) {
        double end = norm || m_model.gradSync[s].present() ? (norm ? latest : ready[s]) + static_cast<double>(m.optimizer[s])
                                                           : static_cast<double>(m.endWithOptimizer[s]);
        if (m_model.paramGather[s].present())
            end += seconds(m_model.paramGather[s], m_model.job.stageLink[s], laneKey(kParamGatherDraws, s));
        out = std::max(out, end);
    }
    return out;
}

double StepFinish::seconds(const StageMaxima& m, const RegimeFactors& regimes, LaneSeed step) const
{
    return finish(m, [&](const UnitCommunication& op, float link, LaneKey key) {
        const float factor = op.factor->at(laneWord(step, key), laneWord(step, {key.low + 0x9e3779b9U, key.high}));
        return static_cast<double>(op.exposed(factor * static_cast<float>(regimeOf(op, regimes)) * linkOf(op, link)));
    });
}

double StepFinish::meanSeconds(const StageMaxima& m) const
{
    return finish(m, [](const UnitCommunication& op, float link, LaneKey) {
        return static_cast<double>(op.exposed(static_cast<float>(op.factor->mean) * linkOf(op, link)));
    });
}

std::vector<float> StepFinish::meanAfter(const std::vector<float>& optimizer) const
{
    const bool norm = m_model.gradNorm.present(); // behind it all stages are alike
    std::vector<float> out;
    for (std::size_t s = 0; s < optimizer.size(); ++s) {
        const auto exposed = [&](const UnitCommunication& op) {
            return op.present() ? op.exposed(static_cast<float>(op.factor->mean) * linkOf(op, m_model.job.stageLink[s])) : 0.0F;
        };
        out.push_back(exposed(m_model.gradSync[s]) + (norm ? 0.0F : optimizer[s] + exposed(m_model.paramGather[s])));
    }
    return out;
}

} // namespace prism
