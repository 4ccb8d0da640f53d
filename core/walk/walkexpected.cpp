// SPDX-License-Identifier: GPL-3.0-or-later
// When every replica of a draw would end if kernels and collectives took their means: several replicas side by side.
#include "core/walk/walkmodel.h"

#include <algorithm>
#include <array>

namespace prism {

namespace {

constexpr std::size_t kSide = 16; ///< replicas swept together; the inner loops run over them

using Side = std::array<float, kSide>; // an order is wanted, to 1e-6 of the step

/// Durations of [stage][program] and of the transfers for the replicas of one sweep.
class ExpectedSweep final {
public:
    ExpectedSweep(const WalkModel& model, const StepRegimes& regimes)
        : m_model(model),
          m_regimes(regimes),
          m_compute(static_cast<std::size_t>(model.stages()) * model.programs.size()),
          m_collective(m_compute),
          m_data(static_cast<std::size_t>(model.graph->schedule.numMicrobatches)),
          m_hop(2 * model.graph->sendForward.size()),
          m_clock(static_cast<std::size_t>(model.stages())),
          m_end(model.nodes.size())
    {
        for (std::size_t p = 0; p < model.programs.size(); ++p)
            m_plainCollective.push_back(model.expectedCollectives(p, regimes, 1.0));
    }

    /// Puts a replica into a lane. `replica` has speeds, links and data.
    void set(std::size_t lane, const WalkedReplica& replica)
    {
        const StepGraph& graph = *m_model.graph;
        for (int s = 0; s < m_model.stages(); ++s) {
            const auto stage = static_cast<std::size_t>(s);
            const auto begin = replica.speed.begin() + static_cast<std::ptrdiff_t>(stage * m_model.ranks());
            const double slowest = *std::max_element(begin, begin + static_cast<std::ptrdiff_t>(m_model.ranks()));
            for (std::size_t p = 0; p < m_model.programs.size(); ++p) {
                const double collective =
                    replica.link[stage] == 1 ? m_plainCollective[p] : m_model.expectedCollectives(p, m_regimes, replica.link[stage]);
                m_compute[stage * m_model.programs.size() + p][lane] =
                    static_cast<float>(m_regimes.compute * m_model.expectedCompute(p, slowest));
                m_collective[stage * m_model.programs.size() + p][lane] = static_cast<float>(collective);
            }
        }
        for (std::size_t b = 0; b < m_data.size(); ++b)
            m_data[b][lane] = static_cast<float>(replica.data[b]);
        for (std::size_t h = 0; h < graph.sendForward.size(); ++h) {
            m_hop[2 * h][lane] = static_cast<float>(m_model.expectedHop(m_regimes, replica, static_cast<int>(h), true));
            m_hop[2 * h + 1][lane] = static_cast<float>(m_model.expectedHop(m_regimes, replica, static_cast<int>(h), false));
        }
    }

    [[nodiscard]] Side latest()
    {
        for (Side& clock : m_clock)
            clock.fill(0.0F);
        for (std::size_t i = 0; i < m_model.nodes.size(); ++i) {
            const WalkNode& n = m_model.nodes[i];
            Side& clock = m_clock[static_cast<std::size_t>(n.stage)];
            if (n.input >= 0) {
                const Side& sent = m_end[static_cast<std::size_t>(n.input)];
                const Side& hop = n.hop < 0 ? m_none : hopOf(n.hop, n.hopForward);
                for (std::size_t l = 0; l < kSide; ++l)
                    clock[l] = clock[l] > sent[l] + hop[l] ? clock[l] : sent[l] + hop[l];
            }
            if (n.program >= 0) {
                const std::size_t at = static_cast<std::size_t>(n.stage) * m_model.programs.size() + static_cast<std::size_t>(n.program);
                const Side &compute = m_compute[at], &collective = m_collective[at], &data = m_data[static_cast<std::size_t>(n.microbatch)];
                for (std::size_t l = 0; l < kSide; ++l)
                    clock[l] += data[l] * compute[l] + collective[l];
            }
            m_end[i] = clock;
            if (n.outHop >= 0) {
                const Side& hop = hopOf(n.outHop, n.outForward);
                for (std::size_t l = 0; l < kSide; ++l)
                    clock[l] += hop[l];
            }
        }
        Side last{};
        for (const Side& clock : m_clock)
            for (std::size_t l = 0; l < kSide; ++l)
                last[l] = std::max(last[l], clock[l]);
        return last;
    }

private:
    [[nodiscard]] const Side& hopOf(int hop, bool forward) const { return m_hop[2 * static_cast<std::size_t>(hop) + (forward ? 0 : 1)]; }

    const WalkModel& m_model;
    const StepRegimes& m_regimes;
    std::vector<double> m_plainCollective; ///< per program, links at full speed
    std::vector<Side> m_compute, m_collective, m_data, m_hop, m_clock, m_end;
    Side m_none{};
};

} // namespace

std::vector<ExpectedEnd> WalkModel::expectedEnds(int sample, const StepRegimes& regimes, std::vector<SlowestRank>& slowest) const
{
    slowest.assign(static_cast<std::size_t>(stages()), {});
    ExpectedSweep sweep(*this, regimes);
    std::vector<ExpectedEnd> ends;
    for (int first = 0; first < graph->numReplicas; first += static_cast<int>(kSide)) {
        const int count = std::min(static_cast<int>(kSide), graph->numReplicas - first);
        for (int l = 0; l < count; ++l) {
            const WalkedReplica replica = drawnReplica(sample, first + l);
            for (std::size_t i = 0; i < replica.speed.size(); ++i)
                if (SlowestRank& most = slowest[i / ranks()]; replica.speed[i] > most.speed)
                    most = {replica.drawn[i], replica.speed[i]};
            sweep.set(static_cast<std::size_t>(l), replica);
        }
        const Side last = sweep.latest();
        for (int l = 0; l < count; ++l)
            ends.push_back({last[static_cast<std::size_t>(l)], first + l});
    }
    std::stable_sort(ends.begin(), ends.end(), [](const ExpectedEnd& a, const ExpectedEnd& b) { return a.seconds > b.seconds; });
    return ends;
}

double WalkModel::expectedCompute(std::size_t program, double slowest) const
{
    double sensitive = 0;
    for (const ComputeSums& c : programs[program].compute)
        sensitive += c.sensitiveSeconds;
    return programs[program].computeSeconds + sensitive * (slowest - 1);
}

double WalkModel::expectedCollectives(std::size_t program, const StepRegimes& regimes, double link) const
{
    double seconds = 0;
    for (const CollectiveSums& c : programs[program].collectives) {
        Transfer t{c.kernelClass, c.count * c.meanSeconds, c.count * c.hiddenSeconds};
        t.regime = regimeOf(c.kernelClass, regimes);
        t.link = graph->classes[static_cast<std::size_t>(c.kernelClass)].scope == Scope::interNode ? link : 1.0;
        seconds += t.seconds();
    }
    return seconds;
}

double WalkModel::expectedHop(const StepRegimes& regimes, const WalkedReplica& replica, int hop, bool forward) const
{
    const StepOp& op = (forward ? graph->sendForward : graph->sendBackward)[static_cast<std::size_t>(hop)];
    if (op.kernelClass < 0)
        return 0;
    Transfer t{op.kernelClass, op.meanSeconds, op.hiddenSeconds, op.minExposedSeconds};
    t.regime = regimeOf(op.kernelClass, regimes);
    t.link = hopLink(replica, op, hop);
    return t.seconds();
}

} // namespace prism
