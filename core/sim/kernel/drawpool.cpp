// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/kernel/drawpool.h"

#include "core/base/hash.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace prism {

namespace {

constexpr std::size_t kDraws = kPoolLines * kPoolLanes;
constexpr std::uint64_t kOrderSeed = 0x706f6f6cULL;

/// Swaps values at random (Fisher and Yates), from a fixed start.
template <class Range>
void shuffle(Range& range, std::uint64_t& state)
{
    for (std::size_t i = range.size(); i > 1; --i) {
        state = mix64(state);
        std::swap(range[i - 1], range[state % i]);
    }
}

/// Draw of a table (registertable.h) in one of kDraws equal parts of the distribution, ascending.
std::uint16_t drawIn(std::size_t part, std::uint64_t bits)
{
    constexpr std::size_t kPerPart = 65536 / kDraws;
    const bool above = part >= kDraws / 2;
    const std::size_t tail = (above ? kDraws - 1 - part : part) * kPerPart + bits % kPerPart;
    return static_cast<std::uint16_t>(tail + (above ? 32768 : 0));
}

/// The draws in the order of every pool. Of kPoolLanes neighbouring parts each lane has one.
std::vector<std::uint16_t> orderedDraws()
{
    std::vector<std::uint16_t> out(kDraws);
    std::array<std::vector<std::size_t>, kPoolLanes> lineOf;
    std::uint64_t state = kOrderSeed;
    for (std::vector<std::size_t>& lines : lineOf) {
        lines.resize(kPoolLines);
        std::iota(lines.begin(), lines.end(), std::size_t{0});
        shuffle(lines, state);
    }
    std::array<std::size_t, kPoolLanes> part{};
    std::iota(part.begin(), part.end(), std::size_t{0});
    for (std::size_t i = 0; i < kPoolLines; ++i) {
        shuffle(part, state);
        for (std::size_t lane = 0; lane < kPoolLanes; ++lane) {
            state = mix64(state);
            out[lineOf[lane][i] * kPoolLanes + lane] = drawIn(i * kPoolLanes + part[lane], state);
        }
    }
    return out;
}

/// Mean and standard deviation of a lane.
std::pair<double, double> meanAndSigma(const float* draws)
{
    double sum = 0.0, square = 0.0;
    for (std::size_t i = 0; i < kDraws; i += kPoolLanes)
        sum += static_cast<double>(draws[i]);
    const double mean = sum / kPoolLines;
    for (std::size_t i = 0; i < kDraws; i += kPoolLanes) {
        const double away = static_cast<double>(draws[i]) - mean;
        square += away * away;
    }
    return {mean, std::sqrt(square / kPoolLines)};
}

} // namespace

DrawPool::DrawPool(const RegisterTable& table) : m_draws(hwy::AllocateAligned<float>(kDraws))
{
    static const std::vector<std::uint16_t> order = orderedDraws();
    std::transform(order.begin(), order.end(), m_draws.get(), [&](std::uint16_t draw) { return table.at(draw); });
    const double sigma = std::sqrt(table.variance);
    for (std::size_t lane = 0; lane < kPoolLanes; ++lane) {
        const auto [mean, own] = meanAndSigma(m_draws.get() + lane);
        const double scale = own > 0.0 ? sigma / own : 1.0;
        for (std::size_t i = lane; i < kDraws; i += kPoolLanes)
            m_draws[i] = static_cast<float>(table.mean + (static_cast<double>(m_draws[i]) - mean) * scale);
    }
}

} // namespace prism
