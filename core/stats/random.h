// SPDX-License-Identifier: GPL-3.0-or-later
// Counter-based uniforms: a uniform is a pure function of (seed, stream, index), so draws are recomputed, never stored.
#pragma once

#include "core/base/hash.h"

#include <cstdint>

namespace prism {

/// A stream id: which random quantity (kernel class invocation, spatial factor of a rank, regime of a scope, ...).
/// Build it from stable names so that a changed scenario keeps every draw that it can (common random numbers).
struct StreamId {
    std::uint64_t value = 0;
};

/// Uniform in the open interval (0, 1) with 53 bits, a pure function of its arguments. Any thread.
[[nodiscard]] inline double uniform(std::uint64_t seed, StreamId stream, std::uint64_t index)
{
    const std::uint64_t bits = mix64(mix64(seed ^ 0xa0761d6478bd642fULL) ^ mix64(stream.value) * 0xe7037ed1a0b428dbULL
                                     ^ mix64(index + 0x8ebc6af09c88c6e3ULL) * 0x589965cc75374cc3ULL);
    return (static_cast<double>(bits >> 11) + 0.5) * 0x1.0p-53;
}

/// A stream named by a purpose and up to four coordinates (replica, stage, rank, class, ...).
[[nodiscard]] inline StreamId stream(std::uint64_t purpose, std::uint64_t a = 0, std::uint64_t b = 0, std::uint64_t c = 0,
                                     std::uint64_t d = 0)
{
    return {Hasher().add(purpose).add(a).add(b).add(c).add(d).result().value};
}

} // namespace prism
