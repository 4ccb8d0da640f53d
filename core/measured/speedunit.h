// SPDX-License-Identifier: GPL-3.0-or-later
// Units of the values of a speed table.
#pragma once

namespace prism {

enum class SpeedUnit { relative, tflops, seconds };

} // namespace prism
