// SPDX-License-Identifier: GPL-3.0-or-later
// The factors of a walked draw: tables of what is drawn, and a communication as mean times factors.
#pragma once

#include "core/stats/quantile.h"
#include "core/stats/random.h"
#include "core/stats/sampler.h"
#include "core/walk/walkedstep.h"

#include <array>

namespace prism {

/// Purposes of the walk's own streams, beside those of core/sim/draw/draws.h; new ones are appended so that draws stay.
enum WalkPurpose : std::uint64_t {
    kComputeNoise = 0x57a1,
    kComputeRare,
    kCollective,
    kCollectiveRare,
    kTransfer,
    kTransferRare,
    kStageOp,
    kStageOpRare
};

/// As stream(), cheaper: for the inner loops.
[[nodiscard]] inline StreamId quickStream(std::uint64_t purpose, std::uint64_t name)
{
    return {mix64(purpose << 48) + name};
}

/// Index of a draw of one replica; replica -1: the whole job.
[[nodiscard]] inline std::uint64_t drawIndex(int sample, int replica)
{
    return (static_cast<std::uint64_t>(sample) << 24) | (static_cast<std::uint64_t>(replica) & 0xffffffU);
}

/// A factor with what the walk asks about it.
class FactorTable final {
public:
    explicit FactorTable(const Distribution& d = {});
    /// The factor without its rare event.
    [[nodiscard]] double operator()(double u) const { return m_sampler.base(u); }
    [[nodiscard]] bool deterministic() const { return !(m_variance > 0); }
    [[nodiscard]] double variance() const { return m_variance; }
    [[nodiscard]] double rareProbability() const { return m_rareProbability; }
    [[nodiscard]] double rareMultiplier() const { return m_rareMultiplier; }

private:
    FactorSampler m_sampler;
    double m_rareProbability, m_rareMultiplier, m_variance;
};

/// Standard normal quantile, tabulated between its far tails.
class NormalTable final {
public:
    NormalTable();
    [[nodiscard]] double operator()(double u) const
    {
        const double x = u * kCells;
        const int cell = static_cast<int>(x);
        if (cell < kExactCells || cell >= kCells - kExactCells)
            return exact(u);
        const double low = m_table[static_cast<std::size_t>(cell)], high = m_table[static_cast<std::size_t>(cell) + 1];
        return low + (x - cell) * (high - low);
    }

private:
    static constexpr int kCells = 2'048, kExactCells = 8;
    [[nodiscard]] double exact(double u) const;
    QuantileFunction m_lognormal;
    std::array<double, kCells + 1> m_table{};
};

/// A communication's duration and what it is made of; exposed part only.
struct Transfer {
    int kernelClass = -1;
    double mean = 0, hidden = 0, minExposed = 0;
    double regime = 1, link = 1, temporal = 1, rareExtra = 0; ///< C = mean (link R) (temporal + rareExtra)

    [[nodiscard]] double seconds() const;
    /// Adds the parts one factor after the other, so that they sum to seconds().
    void addTo(Parts& parts) const;
};

} // namespace prism
