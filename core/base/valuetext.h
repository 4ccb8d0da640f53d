// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as text for people: no more digits than the uncertainty leaves, thousands in groups, millions in words.
#pragma once

#include <cstdint>
#include <string>

namespace prism {

/// A value with as many digits as its 95 % half-width leaves: the last digit shown is the first of the half-width. "7.637" for 7.63712 and
/// 0.004, "280" for 284 and 33; the value's own first digit stays. With a half-width of 0 four significant digits, whole numbers in full.
/// Never an exponent below 1e15. Not finite: "no figure".
[[nodiscard]] std::string earnedDigits(double value, double halfWidth);

/// The half-width at the place of the last digit of earnedDigits: "30" of 33 next to "280"; "< 0.001" below what is shown.
[[nodiscard]] std::string halfWidthText(double value, double halfWidth);

/// "6.49 ± 0.02": both of them; the value alone where the half-width is 0.
[[nodiscard]] std::string plusMinus(double value, double halfWidth);

/// A count in full, thousands in groups: "2,048".
[[nodiscard]] std::string countText(std::int64_t count);

/// A count or an amount with `digits` significant digits: "347,000", "3.47 million", "61 billion", "0.012". Not finite: "no figure".
[[nodiscard]] std::string amountText(double value, int digits = 3);

/// A probability in [0, 1] as a percentage: "85.7 %", "< 0.1 %" and "> 99.9 %" near the ends, "0 %" and "100 %" for what is impossible or
/// certain.
[[nodiscard]] std::string probabilityText(double probability);

/// Whether a change, as a share of the initial value, reads as "12 times" and not as "+1,100 %": from ten times on.
[[nodiscard]] bool readsAsTimes(double share);
/// "+1.2 ± 0.4 %" of a share and its half-width, or "12.3 ± 0.4 times".
[[nodiscard]] std::string relativeChange(double share, double halfWidth);

} // namespace prism
