// SPDX-License-Identifier: GPL-3.0-or-later
// What is fuzzed: each target takes any bytes, must return, and stops the program where something that always holds does not.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace prism::fuzz {

struct Target {
    const char* name; ///< also the folder of its seeds: tests/fuzz/corpus/NAME
    void (*run)(std::string_view bytes);
    std::size_t maxBytes = 1 << 16; ///< of an input; large ones find the same more slowly
    /// Seeds that the program itself writes, besides those of the folder: they are of the present format.
    std::vector<std::string> (*written)() = nullptr;
    /// Structure-aware mutation, where the format has one; half of the changes are made by it.
    std::string (*mutate)(std::string bytes, std::mt19937_64& random) = nullptr;
};

[[nodiscard]] std::span<const Target> scenarioTargets();
[[nodiscard]] std::span<const Target> graphTargets();
[[nodiscard]] std::span<const Target> tableTargets();
[[nodiscard]] std::span<const Target> studyTargets();
[[nodiscard]] std::span<const Target> traceTargets();
[[nodiscard]] std::span<const Target> questionTargets();

/// A property that holds for every input. Stops the program with a sentence.
inline void holds(bool condition, const char* property)
{
    if (condition)
        return;
    std::fprintf(stderr, "does not hold: %s\n", property);
    std::abort();
}

} // namespace prism::fuzz
