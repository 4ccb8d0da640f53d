// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of published steps around a point of the constants that they decide: errors, slopes, and the step that lowers their loss most.
#pragma once

#include "bench/constants/fitreport.h"
#include "core/cost/calibration.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace prism {

/// Number of constants that published steps determine; names and ranges: linearfit.cpp.
inline constexpr std::size_t kFreeConstants = 13;
/// Their logarithms.
using ConstantPoint = std::array<double, kFreeConstants>;

/// The constants of a calibration, each within its range.
[[nodiscard]] ConstantPoint constantPoint(Calibration& calibration);
void setConstants(Calibration& calibration, const ConstantPoint& point);
/// Whether rows of all GPUs depend on a constant: those of the hosts.
[[nodiscard]] bool isOfHosts(std::size_t constant);

/// The source of a row, or its suite where none is named.
[[nodiscard]] const std::string& sourceOf(const FitRow& row);

/// Rows by source and tier. Mean over sources of a source's mean absolute error, its bias beyond 1.5 % and more so beyond 4 %, and what
/// errors exceed 10 % by. A source of n rows weighs n / (n + 3.5), the inverse of
/// its mean error's variance (an offset of the source's own and the scatter of its rows), one of tier B half of it. Errors are logarithms,
/// cut at 0.2: beyond it a row says more about its machine (a slow node) than about the model: it counts, but no further.
class SourceLoss final {
public:
    /// Rows of `excluded` count nothing.
    explicit SourceLoss(const std::vector<FitRow>& rows, const std::string& excluded = {});
    /// `errors` as from logErrors; rows with NaN do not count.
    [[nodiscard]] double of(const std::vector<double>& errors) const;

private:
    struct Group {
        double weight = 1;
        std::vector<std::size_t> rows;
    };
    std::vector<Group> m_groups;
};

/// Logarithms of predicted over published; NaN where a row could not be predicted. All cores; the result does not depend on their number.
[[nodiscard]] std::vector<double> logErrors(const Calibration& calibration, const std::vector<FitRow>& rows);

/// Rows that follow the logarithms of the constants linearly around `at`.
struct LinearRows {
    ConstantPoint at{};
    std::vector<double> errors;
    std::array<std::vector<double>, kFreeConstants> slopes; ///< [constant][row]; 0 where a row's GPU does not have the constant
};
/// `errors` are those at the calibration's own constants.
[[nodiscard]] LinearRows linearRows(Calibration calibration, const std::vector<FitRow>& rows, std::vector<double> errors);

/// The step of the logarithms, each within `reach` and its range, that lowers the loss of linear rows most, by coordinate descent.
[[nodiscard]] ConstantPoint linearStep(const SourceLoss& loss, const LinearRows& rows, double reach);

/// A step from a point: how far each logarithm may go, and the loss that it has to get below.
struct FitStep {
    const LinearRows& from;
    double reach = 0.5, below = 0;
};
struct FitPoint {
    ConstantPoint at{};
    std::vector<double> errors; ///< of the rows, at these constants
    double loss = 0;
};
/// The linear step taken whole, by half or by a quarter: the first point that is low enough. None when no one is.
[[nodiscard]] std::optional<FitPoint> lowerPoint(Calibration calibration, const std::vector<FitRow>& rows, const SourceLoss& loss,
                                                 const FitStep& step);
/// The new `reach` after a step that did or did not lower the loss.
[[nodiscard]] double nextReach(double reach, bool better);

} // namespace prism
