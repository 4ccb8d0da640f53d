// SPDX-License-Identifier: GPL-3.0-or-later
// Inputs made from inputs: the changes that break readers (cut, repeat, overwrite, deepen, extreme numbers, words of other inputs).
#pragma once

#include "fuzz/target.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace prism::fuzz {

/// Seeded: the same seeds give the same inputs on every machine.
class Mutator final {
public:
    Mutator(std::uint64_t seed, std::vector<std::string> seeds, const Target& target);
    /// The next input, at most target.maxBytes long: first each seed as it is, then changed ones.
    [[nodiscard]] std::string next();

private:
    std::string changed(std::string input);
    std::size_t below(std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(m_random() % n); }

    std::mt19937_64 m_random;
    std::vector<std::string> m_seeds, m_words;
    std::size_t m_maxBytes, m_used = 0;
    decltype(Target::mutate) m_mutate;
};

} // namespace prism::fuzz
