// SPDX-License-Identifier: GPL-3.0-or-later
// Which of many independent places rare events hit, given that they hit one.
#pragma once

#include "core/base/hash.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace prism {

/// Uniforms of one sample; the same in every run.
class Uniforms final {
public:
    Uniforms(std::uint64_t what, int sample) : m_state(mix64(what * 0x9e3779b97f4a7c15ULL + static_cast<std::uint64_t>(sample))) {}
    double operator()()
    {
        m_state = mix64(m_state);
        return (static_cast<double>(m_state >> 11U) + 0.5) * 0x1.0p-53;
    }

private:
    std::uint64_t m_state;
};

/// Independent places of a few kinds at which something may happen; which of them it happens at, given that it happens at one. How many
/// there are is decided by the one number that samples spread evenly: it is what their sum depends on most.
class Hits final {
public:
    struct Places {
        double probability;
        int count;
    };
    explicit Hits(std::vector<Places> places);
    [[nodiscard]] double any() const { return m_any; }

    /// Calls hit(kind, place) for every place that is hit, each once. `u` in (0, 1) decides how many, and one of them.
    template <class Hit>
    void draw(double u, Uniforms& next, const Hit& hit) const
    {
        const std::vector<double>& all = m_from[0];
        const double more = std::accumulate(all.begin() + 1, all.end(), 0.0);
        std::size_t left = 1 + pick(u, all.size() - 1, [&](std::size_t i) { return all[i + 1] / more; });
        std::vector<int> chosen;
        for (std::size_t k = 0; k < m_places.size() && left > 0; ++k) {
            const auto here = [&](std::size_t j) {
                const std::size_t rest = left - j;
                return j < m_own[k].size() && rest < m_from[k + 1].size() ? m_own[k][j] * m_from[k + 1][rest] / m_from[k][left] : 0.0;
            };
            const std::size_t hits = pick(u, left + 1, here);
            left -= hits;
            chosen.clear();
            while (chosen.size() < hits) {
                const int place = std::min(m_places[k].count - 1, static_cast<int>((chosen.empty() ? u : next()) * m_places[k].count));
                if (std::find(chosen.begin(), chosen.end(), place) != chosen.end())
                    continue;
                if (chosen.empty())
                    u = next();
                chosen.push_back(place);
                hit(k, place);
            }
        }
    }

private:
    /// The one of `n` alternatives that u falls on; u becomes its place within it, which is as even.
    template <class Probability>
    static std::size_t pick(double& u, std::size_t n, const Probability& probability)
    {
        double below = 0.0;
        for (std::size_t i = 0;; ++i) {
            const double p = probability(i);
            if (p > 0.0 && (u < below + p || i + 1 == n)) {
                u = std::clamp((u - below) / p, 0.0, 1.0 - 1e-12);
                return i;
            }
            if (i + 1 == n)
                return lastOf(n, probability);
            below += p;
        }
    }
    /// Rounding left u beyond all of them.
    template <class Probability>
    static std::size_t lastOf(std::size_t n, const Probability& probability)
    {
        while (n > 1 && !(probability(n - 1) > 0.0))
            --n;
        return n - 1;
    }

    std::vector<Places> m_places;
    std::vector<std::vector<double>> m_own, m_from; ///< P(so many hits) of a kind, and of all kinds from it on
    double m_any;
};

} // namespace prism
