// SPDX-License-Identifier: GPL-3.0-or-later
// Whether windows can be shown.
#pragma once

namespace prism {

/// Whether this process was given a display to draw windows on: where the system names one in the environment (X11, Wayland), that it
/// does; elsewhere always. Reads the environment: not while another thread changes it.
[[nodiscard]] bool hasDisplay();

} // namespace prism
