// What the values of a speed table are.
#pragma once

namespace prism {

enum class SpeedUnit { relative, tflops, seconds };

} // namespace prism
