// SPDX-License-Identifier: GPL-3.0-or-later
// Number of memory allocations of a piece of work: a cost that does not depend on the machine.
#pragma once

#include <cstdint>

namespace prism::bench {

/// Calls of operator new in this process so far. Any thread.
[[nodiscard]] std::uint64_t allocationCount();
/// Largest memory that the process has held so far, in MiB.
[[nodiscard]] double peakMemoryMib();

} // namespace prism::bench
