// SPDX-License-Identifier: GPL-3.0-or-later
// The names of kernel classes as a scenario spells them: all of them, and the invalid ones of a scenario.
#pragma once

#include "core/scenario/scenario.h"

#include <string>
#include <vector>

namespace prism {

/// Every class, in the order of KernelId.
[[nodiscard]] std::vector<std::string> kernelClassNames();

/// An error with the nearest name for each key of class_overrides and spatial_sensitivity that is neither a class nor a dotted prefix of
/// one ("gemm"), and for each of measured.kernels that is not a class. Empty = all are known.
[[nodiscard]] Diagnostics unknownClasses(const Scenario& scenario);

/// The help page resources/help/kernel-classes.md.
[[nodiscard]] std::string kernelClassPage();

} // namespace prism
