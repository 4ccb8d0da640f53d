// SPDX-License-Identifier: GPL-3.0-or-later
// Jobs without noise: the step of each candidate, to find the median one.
#pragma once

#include "core/sim/step/steptail.h"

#include <stop_token>
#include <vector>

namespace prism {

/// Replicas of a job that are examined as its slowest.
inline constexpr std::size_t kLikelySlowest = 16;

/// The step without noise for replicas given by their scores, [job][replica][stage]. One caller; the work is spread over threads.
class StillJobs final {
public:
    StillJobs(const Prepared& prepared, std::vector<float> scores);

    [[nodiscard]] std::size_t jobs() const { return m_scores.size() / (m_replicas * m_stages); }
    [[nodiscard]] const std::vector<float>& scores() const { return m_scores; }

    /// Replicas (job * replicas + replica) that can be the slowest of their job: the first by the time of their slowest stage in
    /// steady state plus one pass through all stages (the 1F1B bound M max + sum). Stops early.
    [[nodiscard]] std::vector<std::size_t> likelySlowest(std::stop_token stop) const;
    /// What running replicas gave, [replica as wanted][stage].
    struct Swept {
        std::vector<float> ends, optimizer;
    };
    /// Stops early.
    [[nodiscard]] Swept sweep(const std::vector<std::size_t>& wanted, std::stop_token stop) const;
    /// Seconds of the step of the replicas [first, last) of those that were wanted.
    [[nodiscard]] float seconds(const Swept& swept, std::size_t first, std::size_t last) const;

private:
    [[nodiscard]] std::vector<std::vector<float>> cellTimes() const;
    [[nodiscard]] float bound(const std::vector<std::vector<float>>& times, std::size_t job, std::size_t d) const;

    const Prepared& m_prepared;
    std::vector<float> m_scores;
    std::size_t m_stages, m_replicas;
    Rows m_regime{kRegimeRows};
    StepTail m_tail;
};

} // namespace prism
