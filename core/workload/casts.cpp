// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workload/passes.h"

namespace prism {

double castBytes(const TrainingConfig& training, const GpuSpec& gpu)
{
    constexpr double kRead = 2, kMaximum = 2;                      // of 16-bit elements
    constexpr double kMxScale = 1.0 / 32, kBlockScale = 4.0 / 128; // bytes of scale per element of a copy: MXFP8, blocks of 128
    constexpr double kFp4 = 0.5, kFp4Scale = 1.0 / 16;             // NVFP4: blocks of 16
    const std::string& precision = training.precision;
    const double copies = gpu.peakFp4Tflops > 0 ? 1 : 2;
    if (precision == "fp8_delayed")
        return kRead + copies;
    if (precision == "fp8_tensorwise")
        return kMaximum + kRead + copies;
    if (precision == "fp8_blockwise")
        return kRead + 2 * (1 + kBlockScale);
    if (precision == "mxfp8")
        return kRead + 2 * (1 + kMxScale);
    if (precision == "nvfp4")
        return kMaximum + kRead + 2 * (kFp4 + kFp4Scale);
    return 0;
}

} // namespace prism
