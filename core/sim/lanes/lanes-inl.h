// SPDX-License-Identifier: GPL-3.0-or-later
// Random words and table values for some lanes at once. Compiled once for each instruction set by the files that include it.
#if defined(PRISM_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PRISM_LANES_INL_H
#undef PRISM_LANES_INL_H
#else
#define PRISM_LANES_INL_H
#endif

#include "core/sim/lanes/lanewords.h"
#include "core/sim/lanes/quantiletable.h"

#include <hwy/highway.h>

// Whole tables fit into registers of 512 bits; into one of 256 go the four pieces on either side of the median, which all but one draw in
// 256 fall into.
#undef PRISM_WHOLE_TABLES
#undef PRISM_COMMON_PIECES
#define PRISM_WHOLE_TABLES (HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86)
#define PRISM_COMMON_PIECES (HWY_TARGET == HWY_AVX2)

HWY_BEFORE_NAMESPACE();
namespace prism::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// At most 16 lanes: half a table is one 512-bit register.
using F = hn::CappedTag<float, 16>;
using I = hn::RebindToSigned<F>;
using U = hn::RebindToUnsigned<F>;

HWY_INLINE hn::Vec<U> mixWords(hn::Vec<U> x)
{
    const U d;
    x = hn::Xor(x, hn::ShiftRight<16>(x));
    x = hn::Mul(x, hn::Set(d, 0x21f0aaadU));
    x = hn::Xor(x, hn::ShiftRight<15>(x));
    x = hn::Mul(x, hn::Set(d, 0x735a2d97U));
    return hn::Xor(x, hn::ShiftRight<15>(x));
}

/// laneWord of the lanes from `lane` on.
HWY_INLINE hn::Vec<U> words(const LaneSeeds& seeds, LaneKey key, std::size_t lane)
{
    const U d;
    const auto first = mixWords(hn::Xor(hn::Load(d, seeds.low + lane), hn::Set(d, key.low)));
    return mixWords(hn::Add(hn::Xor(first, hn::Load(d, seeds.high + lane)), hn::Set(d, key.high)));
}

/// A table ready for many draws: QuantileTable::at.
class Quantiles final {
public:
    explicit HWY_INLINE Quantiles(const QuantileTable& table) : m_table(table)
    {
#if PRISM_WHOLE_TABLES
        for (std::size_t k = 0; k < 4; ++k) {
            m_low[k] = _mm512_load_ps(table.coefficient[k]);
            m_high[k] = _mm512_load_ps(table.coefficient[k] + 16);
        }
#elif PRISM_COMMON_PIECES
        const F d;
        const hn::Half<F> half;
        for (std::size_t k = 0; k < 4; ++k)
            m_common[k] =
                hn::Combine(d, hn::LoadU(half, table.coefficient[k] + 16 + kCommon), hn::LoadU(half, table.coefficient[k] + kCommon));
#endif
    }
    HWY_INLINE hn::Vec<F> at(hn::Vec<U> word) const
    {
        const F d;
        const I di;
        const U du;
        if (HWY_UNLIKELY(!m_table.steps.empty()))
            return hn::GatherIndex(d, m_table.steps.data(), hn::BitCast(di, hn::ShiftRight<20>(word)));
        const auto t = hn::ConvertTo(d, hn::BitCast(di, hn::Or(hn::And(word, hn::Set(du, 0x7fffff80U)), hn::Set(du, 64U))));
        const auto entry = hn::Add(hn::ShiftRight<24>(hn::Sub(hn::BitCast(du, t), hn::Set(du, 132U << 23U))),
                                   hn::And(hn::ShiftRight<27>(word), hn::Set(du, 16U)));
        const auto y = hn::Mul(t, hn::Set(d, 0x1.0p-31F));
        const auto cubic = [&](const auto& c) { return hn::MulAdd(hn::MulAdd(hn::MulAdd(c(3), y, c(2)), y, c(1)), y, c(0)); };
#if PRISM_WHOLE_TABLES
        return cubic([&](std::size_t k) { return hn::Vec<F>{_mm512_permutex2var_ps(m_low[k], entry.raw, m_high[k])}; });
#else
#if PRISM_COMMON_PIECES
        const auto piece = hn::And(entry, hn::Set(du, 15U));
        if (HWY_LIKELY(hn::AllFalse(du, hn::Lt(piece, hn::Set(du, kCommon))))) {
            const auto near = hn::Min(hn::Sub(piece, hn::Set(du, kCommon)), hn::Set(du, 3U)); // y = 1 belongs to the last one
            const auto at = hn::IndicesFromVec(d, hn::Add(near, hn::And(hn::ShiftRight<29>(word), hn::Set(du, 4U))));
            return cubic([&](std::size_t k) { return hn::TableLookupLanes(m_common[k], at); });
        }
#endif
        return cubic([&](std::size_t k) { return hn::GatherIndex(d, m_table.coefficient[k], hn::BitCast(di, entry)); });
#endif
    }

private:
    static constexpr std::uint32_t kCommon = 9; ///< first of the four pieces that end at the median
    const QuantileTable& m_table;
#if PRISM_WHOLE_TABLES
    __m512 m_low[4], m_high[4];
#elif PRISM_COMMON_PIECES
    hn::Vec<F> m_common[4];
#endif
};

} // namespace prism::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
