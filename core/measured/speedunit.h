// SPDX-License-Identifier: GPL-3.0-or-later
// What the values of a speed table are.
#pragma once

namespace prism {

enum class SpeedUnit { relative, tflops, seconds };

} // namespace prism
