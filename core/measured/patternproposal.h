// SPDX-License-Identifier: GPL-3.0-or-later
// A pattern (StepLogOptions::pattern) for a log whose format is not known, from its lines.
#pragma once

#include <deque>
#include <string>

namespace prism {

/// Of the lines that differ in their numbers alone, those whose numbers most look like the time of a step: a unit behind one, or a word
/// for a time before it; and a number that counts before or behind it is the step. At least kMinProposedLines such lines. Empty where
/// none are, or where the text cannot be in single quotes of a shell. Pure; any thread.
[[nodiscard]] std::string proposedPattern(const std::deque<std::string>& lines);
inline constexpr std::size_t kMinProposedLines = 5;

} // namespace prism
