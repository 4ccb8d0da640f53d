// SPDX-License-Identifier: GPL-3.0-or-later
// The fitted constants of the cost model: few, global, per GPU type or software generation, each with its data source.
//
// They live in presets/calibration/default.json, which `prism-develop calibrate` writes; resources/help/cost-model.md describes how.
#pragma once

#include "core/cost/domain.h"

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace prism {

/// Knots of a bus-bandwidth curve: messages of 2^10, 2^11, ... 2^32 bytes.
inline constexpr int kCurveKnots = 23;
inline constexpr int kCurveFirstLog2 = 10;
/// Collectives with curves: all-reduce, all-gather, reduce-scatter, all-to-all; groups of 2, 4 and 8 ranks.
inline constexpr int kCurveOps = 4, kCurveSizes = 3;

/// Bus bandwidth over the link's per-direction bandwidth, by op, ranks and message size; from nccl-tests tables.
using BusShare = std::array<std::array<std::array<double, kCurveKnots>, kCurveSizes>, kCurveOps>;

/// Constants of one GPU family.
struct GpuCalibration {
    std::string family; ///< "a100", "h100", "b200", ...
    // Fitted on operator benchmarks.
    double gemmEfficiency = 0.75; ///< share of the dense peak of a full wave of tiles with long k, 16 bit
    double fp8Efficiency = 0.62;  ///< the same in FP8
    double fp4Efficiency = 0.45;
    double tileOverheadK = 200; ///< k that a tile loses to prologue and epilogue
    double waveQuantisation =
        0; ///< share of a partly filled last wave that is lost: 1 = all (one tile per block), 0 = none (persistent kernels)
    double memoryEfficiency = 0.85; ///< share of the peak bandwidth of long streams
    double launchSeconds = 3e-6;    ///< start and drain of one kernel
    // Fitted on published steps: what the board draws (clock.h). Benchmarks are too short to feel its limit. GPUs of one family have one
    // silicon: the energy of a FLOP depends on the clock, not on the clock that the data sheet's peak stands for.
    double idleWatts = 100;      ///< memory, links, leakage
    double matrixEnergy = 1e-3;  ///< pJ of a FLOP of the matrix units in 16 bit at 1 GHz, growing with the clock; 0.001 = no limit was seen
    double matrix8Energy = 1e-3; ///< in FP8
    double matrix4Energy = 1e-3; ///< in FP4
    BusShare busShare{};
};

/// Curves of one GPU type that has its own ("h200", "gb200"); other types take their family's.
struct BusCurves {
    std::string type;
    BusShare share{};
};

/// Constants of the network between nodes, fitted on nccl-tests tables of two machines (Echo's A100 nodes, TACC Vista); the fit starts
/// here. Latencies are those of NCCL's own table (collectives.cpp), scaled by what the fabric states.
struct NetworkCalibration {
    double efficiency = 0.94;      ///< share of the NICs' bandwidth that long messages reach as bus bandwidth, where the fabric states none
    double pairEfficiency = 0.7;   ///< the most of it that one send and its receive reach
    double ringHop = 1.1;          ///< hop of a ring over NCCL's table
    double treeHop = 1.6;          ///< hop of a tree over NCCL's table
    double treeEfficiency = 0.5;   ///< share of a ring's bandwidth that a tree with short hops reaches
    double lowLatencyGbPerS = 3.3; ///< what one channel of protocol LL passes on over the network
};

/// Constants of the host, fitted on published steps.
struct SoftwareCalibration {
    double hostSecondsPerLaunch = 0.9e-4; ///< host time of one kernel of a layer (a few launches and their dispatch)
    double expertCallSeconds = 2e-5;      ///< of each further expert of a grouped product: its slices and its call of the library
    double collectiveCallSeconds = 2e-5;  ///< of each collective of a layer besides its launch: the process group's work, the slowest host
    double checkpointSecondsPerLayer = 0; ///< of a pass of a layer under full recomputation (states saved and restored)
    double passSeconds = 0.27e-3;         ///< of a chunk pass of a pipeline: transfer and synchronisation
    double routedCountsSeconds = 0.1e-3;  ///< of a forward of an MoE layer whose counts go to the host
    double stepSeconds = 0.02;            ///< once per step: data loading, logging, host work between steps
    double syncSeconds = 0;               ///< once per step and doubling of the nodes: hosts that wait for each other (loss, norm, barrier)
};

/// Relative errors, predicted over published, that cover 90 % of the rows of held-out sources.
struct ErrorBand {
    std::string kind; ///< one of bandKinds (domain.h): "moe, h100 fp8", "moe, fp8", "moe"; empty = all jobs
    double low = -0.15, high = 0.15;
    int rows = 0, sources = 0; ///< held-out rows from which it is made, and their sources
    double held = -1;          ///< of its rows, the share inside when the band is made without their source; < 0 = not checked
};

struct Calibration {
    std::vector<GpuCalibration> gpus;
    std::vector<BusCurves> curves;
    NetworkCalibration network;
    SoftwareCalibration software;
    std::vector<ErrorBand> bands; ///< by kind of job; the one of all jobs has an empty kind
    CalibrationDomain domain;
};

/// The calibration in use: presets/calibration/default.json, read once; the defaults above where it is missing. Any thread.
[[nodiscard]] const Calibration& calibration();

/// The constants before any fit, from which the procedure starts.
[[nodiscard]] Calibration uncalibrated();
/// JSON with five significant digits.
[[nodiscard]] std::string calibrationJson(const Calibration& calibration, const std::string& notesJson = "{}");
[[nodiscard]] Result<Calibration> calibrationFromJson(std::string_view text);

/// The family of a GPU, by its preset and name; "generic" when it was not calibrated.
[[nodiscard]] std::string_view gpuFamily(const GpuSpec& gpu);
/// The constants of a GPU's family with the curves of its type.
[[nodiscard]] GpuCalibration gpuCalibration(const Calibration& calibration, const GpuSpec& gpu);

/// The narrowest band that there is for a job: its kind on its GPU in its precision, its kind in its precision, its kind, all jobs.
[[nodiscard]] ErrorBand errorBand(const Calibration& calibration, const Scenario& scenario);
/// The band of a kind, or that of all jobs where the kind has none.
[[nodiscard]] ErrorBand errorBand(const Calibration& calibration, std::string_view kind);

/// One scalar constant with its name ("h100.gemm_efficiency", "software.host_s_per_launch").
struct NamedConstant {
    std::string name;
    double* value = nullptr;
};
/// All scalar constants of a calibration; the pointers live as long as it does.
[[nodiscard]] std::vector<NamedConstant> namedConstants(Calibration& calibration);

} // namespace prism
