// SPDX-License-Identifier: GPL-3.0-or-later
// One node of a sweep for all lanes of a block: its duration from rows and draws, its end, and the arrival of what it sends.
// Part of sweepkernel.cpp, compiled once for each instruction set.
#if defined(PRISM_NODERUN_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PRISM_NODERUN_INL_H
#undef PRISM_NODERUN_INL_H
#else
#define PRISM_NODERUN_INL_H
#endif

#include "core/sim/kernel/lanedraws-inl.h"

#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace prism::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// No draw: a duration is its mean, a factor 1.
struct NoDraws {
    template <class D>
    HWY_INLINE hn::Vec<D> at(D d, std::size_t /*lane*/) const
    {
        return hn::Set(d, 1.0F);
    }
};

/// Draws that stand in a row.
struct RowDraws {
    const float* row;
    template <class D>
    HWY_INLINE hn::Vec<D> at(D d, std::size_t lane) const
    {
        return hn::Load(d, row + lane);
    }
};

/// Draws that stand in lines of kPoolLanes lanes, wherever these are.
struct LineDraws {
    const float* const* lines;
    template <class D>
    HWY_INLINE hn::Vec<D> at(D d, std::size_t lane) const
    {
        return hn::Load(d, lines[lane / kPoolLanes] + lane % kPoolLanes);
    }
};

/// Draws of a pool: a line for every kPoolLanes lanes.
struct PoolDraws {
    const float* pool;
    const std::uint16_t* lines; ///< where each begins
    template <class D>
    HWY_INLINE hn::Vec<D> at(D d, std::size_t lane) const
    {
        return hn::Load(d, pool + lines[lane / kPoolLanes] + lane % kPoolLanes);
    }
};

#if PRISM_WHOLE_TABLES
/// Draws of a table in registers, made where they are used.
struct CubicDraws {
    Cubics cubics;
    const std::int32_t* words;
    HWY_INLINE hn::Vec<F> at(F d, std::size_t lane) const { return cubics.at(d, drawsAt<true>(words + lane)); }
};
#endif

/// The rows that one node reads and writes.
struct NodeRows {
    const float* mean;          ///< null: it takes no time
    const float* const* meanAt; ///< the same by lines of kPoolLanes lanes, where rare events have changed some; null = they have not
    const float *spread, *compute, *spreadData, *routed, *routedSpread;
    const float* data;    ///< null = none
    const float* routing; ///< null = none
    const float* wait;
    const float* transfer; ///< null: the message arrives at once
    float *clock, *send;
    TransferLimits limits;
    bool occupiesSender;
};

template <class Row>
HWY_INLINE Row* rowAt(Row* base, std::int32_t row)
{
    return base + static_cast<std::size_t>(row) * kLanes;
}

HWY_INLINE NodeRows rowsOf(const KernelNode& node, const KernelRows& rows)
{
    NodeRows own{};
    own.clock = rowAt(rows.clock, node.clockRow);
    own.wait = node.waitRow >= 0 ? rowAt(rows.slots, node.waitRow) : own.clock;
    own.send = node.sendRow >= 0 ? rowAt(rows.slots, node.sendRow) : own.clock;
    if (node.transferRow >= 0) {
        own.transfer = rowAt(rows.transfer, node.transferRow);
        own.limits = rows.limits[node.transferRow];
        own.occupiesSender = rows.occupiesSender;
    }
    if (node.durationRow < 0)
        return own;
    own.mean = rowAt(rows.mean, node.durationRow);
    own.spread = rowAt(rows.spread, node.durationRow);
    own.compute = rowAt(rows.compute, node.durationRow);
    own.spreadData = rowAt(rows.spreadData, node.durationRow);
    own.routed = rowAt(rows.routed, node.durationRow);
    own.routedSpread = rowAt(rows.routedSpread, node.durationRow);
    own.data = rows.data != nullptr ? rowAt(rows.data, node.dataRow) : nullptr;
    return own;
}

/// The sum that a duration is, known where the code is made: a term that is not there costs nothing.
template <bool kTakesTime, bool kData = false, bool kRouting = false>
struct Terms {
    template <class D, class Means, class Draws>
    static HWY_INLINE hn::Vec<D> duration(D d, const NodeRows& own, const Means& means, const Draws& draws, std::size_t l)
    {
        if constexpr (!kTakesTime)
            return hn::Zero(d);
        constexpr bool kDrawn = !std::is_same_v<Draws, NoDraws>;
        const auto mean = means.at(d, l), z = draws.at(d, l);
        const auto plain = kDrawn ? hn::MulAdd(hn::Load(d, own.spread + l), z, mean) : mean;
        if constexpr (!kData && !kRouting)
            return plain;
        const auto extra = kRouting ? hn::Sub(hn::Load(d, own.routing + l), hn::Set(d, 1.0F)) : hn::Zero(d);
        auto perUnit = hn::Zero(d);
        if constexpr (kRouting)
            perUnit = hn::Load(d, own.routed + l);
        if constexpr (kRouting && kDrawn)
            perUnit = hn::MulAdd(hn::Load(d, own.routedSpread + l), z, perUnit);
        if constexpr (!kData)
            return hn::MulAdd(perUnit, extra, plain);
        auto scaled = hn::Load(d, own.compute + l);
        if constexpr (kDrawn)
            scaled = hn::MulAdd(hn::Load(d, own.spreadData + l), z, scaled);
        if constexpr (kRouting)
            scaled = hn::MulAdd(perUnit, extra, scaled);
        return hn::MulAdd(scaled, hn::Load(d, own.data + l), plain);
    }
};

/// What a node sends: nothing that takes time, a transfer beside its stage's next chunk, or one that its stage waits for.
enum class Message { atOnce, sent, waitedFor };

template <Message kMessage, class Sum, class Means, class Draws, class Factors>
HWY_NOINLINE void runLanes(const NodeRows& rows, const Means& meansOf, const Draws& drawsOf, const Factors& factorsOf)
{
    const F d;
    const NodeRows own = rows; // copies: nothing that is written can change them
    const Means means = meansOf;
    const Draws draws = drawsOf;
    const Factors factors = factorsOf;
    const auto share = hn::Set(d, own.limits.minExposedShare), hidden = hn::Set(d, own.limits.hiddenSeconds);
    for (std::size_t l = 0; l < kLanes; l += hn::Lanes(d)) {
        const auto start = hn::Max(hn::Load(d, own.clock + l), hn::Load(d, own.wait + l));
        const auto end = hn::Add(start, hn::Max(Sum::duration(d, own, means, draws, l), hn::Zero(d)));
        auto arrival = end;
        if constexpr (kMessage != Message::atOnce) {
            const auto full = hn::Mul(hn::Load(d, own.transfer + l), factors.at(d, l));
            arrival = hn::Add(end, hn::Max(hn::Mul(full, share), hn::Sub(full, hidden)));
        }
        hn::Store(kMessage == Message::waitedFor ? arrival : end, d, own.clock + l);
        hn::Store(arrival, d, own.send + l);
    }
}

template <Message kMessage, class Means, class Draws, class Factors>
HWY_INLINE void runTerms(const NodeRows& own, const Means& means, const Draws& draws, const Factors& factors)
{
    if (own.mean == nullptr)
        runLanes<kMessage, Terms<false>>(own, NoDraws(), NoDraws(), factors);
    else if (own.data == nullptr && own.routing == nullptr)
        runLanes<kMessage, Terms<true>>(own, means, draws, factors);
    else if (own.routing == nullptr)
        runLanes<kMessage, Terms<true, true>>(own, means, draws, factors);
    else if (own.data == nullptr)
        runLanes<kMessage, Terms<true, false, true>>(own, means, draws, factors);
    else
        runLanes<kMessage, Terms<true, true, true>>(own, means, draws, factors);
}

/// Runs one node with `draws` of its duration and `factors` of its transfer; what is not there is left out of the code that runs.
template <class Draws, class Factors>
HWY_INLINE void runNode(const NodeRows& own, const Draws& draws, const Factors& factors)
{
    const auto run = [&](const auto& means) {
        if (own.transfer == nullptr)
            runTerms<Message::atOnce>(own, means, draws, NoDraws());
        else if (own.occupiesSender)
            runTerms<Message::waitedFor>(own, means, draws, factors);
        else
            runTerms<Message::sent>(own, means, draws, factors);
    };
    if (own.meanAt != nullptr)
        run(LineDraws{own.meanAt});
    else
        run(RowDraws{own.mean});
}

} // namespace prism::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
