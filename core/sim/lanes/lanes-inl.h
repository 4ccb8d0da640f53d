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

#undef PRISM_WHOLE_TABLES
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
#define PRISM_WHOLE_TABLES 1
#else
#define PRISM_WHOLE_TABLES 0
#endif

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
        const auto c = [&](std::size_t k) {
#if PRISM_WHOLE_TABLES
            return hn::Vec<F>{_mm512_permutex2var_ps(m_low[k], entry.raw, m_high[k])};
#else
            return hn::GatherIndex(d, m_table.coefficient[k], hn::BitCast(di, entry));
#endif
        };
        return hn::MulAdd(hn::MulAdd(hn::MulAdd(c(3), y, c(2)), y, c(1)), y, c(0));
    }

private:
    const QuantileTable& m_table;
#if PRISM_WHOLE_TABLES
    __m512 m_low[4], m_high[4];
#endif
};

/// Whether the rare event happens, by lane.
HWY_INLINE hn::Mask<F> isRare(const LaneSeeds& seeds, LaneKey key, std::uint32_t below, std::size_t lane)
{
    const U d;
    return hn::RebindMask(F(), hn::Lt(words(seeds, key, lane), hn::Set(d, below)));
}

} // namespace prism::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
