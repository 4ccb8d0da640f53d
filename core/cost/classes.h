// SPDX-License-Identifier: GPL-3.0-or-later
// The kernel classes of the analytic model, with the scenario's variability on them.
#pragma once

#include "core/step/layout.h"
#include "core/workload/kernel.h"

namespace prism {

/// Class name ("gemm.qkv", "dp.reduce_scatter").
[[nodiscard]] std::string_view kernelName(KernelId id);
[[nodiscard]] Category kernelCategory(KernelId id);
/// Parameter that holds the temporal spread of a class ("variability.gemm.cv" of "gemm.qkv"); empty for other names.
[[nodiscard]] std::string spreadParameter(std::string_view className, Scope scope);
/// Classes in the order of KernelId, temporal factors and sensitivities taken from the scenario.
[[nodiscard]] std::vector<KernelClass> kernelClasses(const Scenario& scenario, const Layout& layout);

} // namespace prism
