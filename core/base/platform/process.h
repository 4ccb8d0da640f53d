// SPDX-License-Identifier: GPL-3.0-or-later
// What this system reports about the running program and its machine.
#pragma once

#include <cstdint>
#include <string>

namespace prism {

/// The folder that holds the running program, or empty where the system does not report it.
[[nodiscard]] std::string programFolder();
/// What starts the running program again.
[[nodiscard]] std::string programPath();
[[nodiscard]] std::string hostName(); ///< "unknown" where there is none
[[nodiscard]] std::int64_t processId();
/// Processor cores that this process may use, at least 1.
[[nodiscard]] int usableCores();
/// The processor as the system names it, or empty.
[[nodiscard]] std::string processorName();
/// The operating system as it names itself ("Debian GNU/Linux 12 (bookworm)"), or empty.
[[nodiscard]] std::string systemName();

/// Memory of this process that is in RAM, in KiB; 0 where the system does not report it.
[[nodiscard]] std::int64_t residentKib();

/// Whether this process was given a display to draw windows on: where the system names one in the environment (X11, Wayland), that it
/// does; elsewhere always. Reads the environment: not while another thread changes it.
[[nodiscard]] bool hasDisplay();

/// From here on the calling thread, and every thread that it starts, gives way to the others where there are more of them than processors;
/// it has all that they leave. For threads that compute for a window: where the system cannot, nothing changes. No results depend on it.
void giveWayToForeground();

} // namespace prism
