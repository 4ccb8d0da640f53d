// SPDX-License-Identifier: GPL-3.0-or-later
// Jobs without noise: the step of each candidate, to find the median one.
#pragma once

#include "core/sim/step/steptail.h"

#include <stop_token>
#include <vector>

namespace prism {

/// The step without noise for replicas given by their scores, [job][replica][stage]. One caller; the work is spread over threads.
class StillJobs final {
public:
    StillJobs(const Prepared& prepared, std::vector<float> scores);

    [[nodiscard]] std::size_t jobs() const { return m_scores.size() / (m_replicas * m_stages); }
    [[nodiscard]] const std::vector<float>& scores() const { return m_scores; }

    /// Replicas (job * replicas + replica) that can be the slowest of their job: the first by the time of their slowest stage in
    /// steady state plus one pass through all stages (the 1F1B bound M max + sum). Stops early.
    [[nodiscard]] std::vector<std::size_t> likelySlowest(std::stop_token stop) const;
    /// Runs the given replicas; the others stay without time. Stops early.
    void sweep(const std::vector<std::size_t>& wanted, std::stop_token stop);

    /// Seconds of the step of a job over its swept replicas, and of a replica alone.
    [[nodiscard]] float jobSeconds(std::size_t job) const { return seconds(job * m_replicas, (job + 1) * m_replicas); }
    [[nodiscard]] float replicaSeconds(std::size_t item) const { return seconds(item, item + 1); }

private:
    [[nodiscard]] std::vector<std::vector<float>> cellTimes() const;
    [[nodiscard]] float bound(const std::vector<std::vector<float>>& times, std::size_t job, std::size_t d) const;
    void sweepKind(int kind, const std::vector<std::size_t>& items, std::stop_token stop);
    [[nodiscard]] float seconds(std::size_t first, std::size_t last) const;

    const Prepared& m_prepared;
    std::vector<float> m_scores;
    std::size_t m_stages, m_replicas;
    std::vector<float> m_ends, m_optimizer; ///< as m_scores
    Rows m_regime{kRegimeRows};
    StepTail m_tail;
};

} // namespace prism
