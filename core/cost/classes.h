// SPDX-License-Identifier: GPL-3.0-or-later
// The kernel classes of the analytic model with the scenario's variability on them, and their names as a scenario spells them.
#pragma once

#include "core/scenario/scenario.h"
#include "core/step/layout.h"
#include "core/workload/kernel.h"

#include <string>
#include <vector>

namespace prism {

/// Class name ("gemm.qkv", "dp.reduce_scatter").
[[nodiscard]] std::string_view kernelName(KernelId id);
[[nodiscard]] Category kernelCategory(KernelId id);
/// Parameter that holds the temporal spread of a class ("variability.gemm.cv" of "gemm.qkv"); empty for other names.
[[nodiscard]] std::string spreadParameter(std::string_view className, Scope scope);
/// Classes in the order of KernelId, temporal factors and sensitivities taken from the scenario.
[[nodiscard]] std::vector<KernelClass> kernelClasses(const Scenario& scenario, const Layout& layout);

/// Every class, in the order of KernelId.
[[nodiscard]] std::vector<std::string> kernelClassNames();

/// An error with the nearest name for each key of class_overrides and spatial_sensitivity that is neither a class nor a dotted prefix of
/// one ("gemm"), and for each of measured.kernels that is not a class. Empty = all are known.
[[nodiscard]] Diagnostics unknownClasses(const Scenario& scenario);

/// The help page resources/help/kernel-classes.md.
[[nodiscard]] std::string kernelClassPage();

} // namespace prism
