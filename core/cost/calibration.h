// The fitted constants of the cost model: few, global, per GPU type or software generation, each with its data source.
#pragma once

#include "core/scenario/scenario.h"

#include <string>
#include <vector>

namespace prism {

/// Constants of one GPU type, fitted on operator benchmarks.
struct GpuCalibration {
    std::string family;            ///< "a100", "h100", "b200", ...
    double gemmEfficiency = 0.80;  ///< share of the dense peak of a full wave of tiles with long k, 16 bit
    double fp8Efficiency = 0.70;   ///< the same in FP8
    double fp4Efficiency = 0.60;
    double tileOverheadK = 150;    ///< k that a tile loses to prologue and epilogue
    double memoryEfficiency = 0.85;///< share of the peak bandwidth of long streams
    double attentionForward = 0.6; ///< share of the dense 16-bit peak of fused attention, head dimension 128, long sequences
    double attentionBackward = 0.5;
    double launchSeconds = 3e-6;   ///< start and drain of one kernel
};

/// Constants of a collective tier, fitted on nccl-tests tables.
struct LinkCalibration {
    double efficiency = 0.8;       ///< share of the per-direction bandwidth that long messages reach as bus bandwidth
    double nvlsGain = 1.0;         ///< further factor for all-reduce where the switch reduces
    double allToAllEfficiency = 0.7;
    double baseSeconds = 10e-6;    ///< launch and first hop
    double hopSeconds = 1e-6;      ///< per further rank of a ring
    double halfBytes = 1 << 20;    ///< message per rank at which half of the bandwidth is reached
};

/// Constants of a software generation (the era of the training framework), fitted on published steps.
struct SoftwareCalibration {
    double computeFactor = 1.0;    ///< kernels in training over kernels alone (power limit, cache, data-dependent clocks)
    double memoryFactor = 1.0;     ///< memory-bound kernels over streams
    double overlapHidden = 0.9;    ///< share of a communication that overlap can hide
    double overlapSlowdown = 0.05; ///< relative slowdown of compute while a communication runs beside it
    double stepOverheadSeconds = 0.02; ///< once per step: data loading, logging, host work between steps
};

struct Calibration {
    std::vector<GpuCalibration> gpus;
    LinkCalibration nvlink, network;
    SoftwareCalibration eager, fused;   ///< without and with fused attention
    double bandLow = -0.1, bandHigh = 0.1; ///< relative error that holds 90 % of the validated rows
};

/// The calibration in use. Read once; any thread.
[[nodiscard]] const Calibration& calibration();

/// The family of a GPU, by its preset and name; "generic" when it was not calibrated.
[[nodiscard]] const GpuCalibration& gpuCalibration(const Calibration& calibration, const GpuSpec& gpu);

} // namespace prism
