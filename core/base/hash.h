// SPDX-License-Identifier: GPL-3.0-or-later
// Content hashes: the keys of the evaluation graph and of stored results.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace prism {

/// A 64-bit content hash. Equal content gives equal hashes on every run and machine of one engine version.
struct ContentHash {
    std::uint64_t value = 0;
    auto operator<=>(const ContentHash&) const = default;
    /// 16 lower-case hexadecimal digits.
    [[nodiscard]] std::string text() const
    {
        static constexpr char digits[] = "0123456789abcdef";
        std::string s(16, '0');
        for (int i = 0; i < 16; ++i)
            s[static_cast<std::size_t>(i)] = digits[(value >> (60 - 4 * i)) & 15U];
        return s;
    }
};

/// Mixes 64 bits (the finaliser of SplitMix64, Steele, Lea and Flood 2014, doi:10.1145/2660193.2660195).
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t x)
{
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

/// Accumulates values into one hash; the order of the calls counts.
class Hasher final {
public:
    Hasher& add(std::uint64_t x)
    {
        m_state = mix64(m_state ^ mix64(x));
        return *this;
    }
    Hasher& add(std::int64_t x) { return add(static_cast<std::uint64_t>(x)); }
    Hasher& add(int x) { return add(static_cast<std::uint64_t>(static_cast<std::int64_t>(x))); }
    Hasher& add(bool x) { return add(static_cast<std::uint64_t>(x ? 1 : 0)); }
    Hasher& add(double x) { return add(std::bit_cast<std::uint64_t>(x == 0.0 ? 0.0 : x)); }
    Hasher& add(ContentHash h) { return add(h.value); }
    Hasher& add(const char* s) { return add(std::string_view(s)); }
    Hasher& add(std::string_view s)
    {
        std::uint64_t h = 0xcbf29ce484222325ULL;
        for (const char c : s)
            h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
        add(h);
        return add(static_cast<std::uint64_t>(s.size()));
    }
    [[nodiscard]] ContentHash result() const { return {m_state}; }

private:
    std::uint64_t m_state = 0x243f6a8885a308d3ULL;
};

} // namespace prism
