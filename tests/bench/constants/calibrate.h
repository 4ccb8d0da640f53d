// SPDX-License-Identifier: GPL-3.0-or-later
// The calibration procedure: operator benchmarks, nccl-tests tables and published steps in, fitted constants and residuals out.
#pragma once

#include "bench/constants/calibrationdata.h"
#include "bench/constants/fitreport.h"
#include "core/cost/calibration.h"

#include <functional>
#include <string>

namespace prism {

struct CalibrationRun {
    Calibration calibration;
    std::vector<FitReport> fits;
};

/// By how much the median step of a row's machine is longer than its noise-free step (insight/validation.h).
using SlowdownOf = std::function<double(const PublishedRow&, const Calibration&)>;

/// Bus-bandwidth curves of every GPU type in the rows: at each knot the median over library versions and data types of `rows` (op, ranks,
/// bytes, bus GB/s) over the link's bandwidth.
void fitCurves(Calibration& calibration, const std::vector<BusRow>& rows, std::vector<FitReport>& reports);
/// Adds all-reduces inside nodes from other tables at the knots of the curves, as if every group had all links of its GPUs: GPU types that
/// `rows` lack, and messages longer than theirs.
void addDenseTables(std::vector<BusRow>& rows, const CollectiveFolder& folder);

/// The constants of the network, and what the presets of machines with measured tables state (reported only: presets are written by
/// hand), by coordinate descent over all tables between nodes.
void fitNetwork(Calibration& calibration, const CollectiveFolder& folder, std::vector<FitReport>& reports);
/// Curves and network, and how far every table is from them; with `leaveTablesOut` also every table between nodes predicted by
/// constants fitted on the others (what the preset of its machine states stays).
void fitCollectives(Calibration& calibration, std::vector<BusRow> rows, const CollectiveFolder& folder, bool leaveTablesOut,
                    std::vector<FitReport>& reports);

/// Efficiency and tile overhead of every GPU family and precision from GEMM benchmark rows, by the mean absolute logarithm.
void fitGemms(Calibration& calibration, const std::vector<GemmRow>& rows, std::vector<FitReport>& reports);

/// Power of a family's boards, from the long products of a sustained benchmark (5 ms and more): the energy of a FLOP in 16 bit with
/// which all of them together take as long as measured, since a step is the sum of its products. Published steps do not move it.
void fitSustained(Calibration& calibration, const std::vector<GemmRow>& rows, std::vector<FitReport>& reports);

/// Fitted constants start from `uncalibrated`, the others stay as in `inUse`.
struct CalibrationStart {
    Calibration uncalibrated, inUse;
};

/// The whole procedure on what a folder holds. With `leaveSourcesOut` the error bands cover 90 % of the rows, each predicted without its
/// source; without, they stay those in use.
[[nodiscard]] CalibrationRun calibrated(const CalibrationData& data, const CalibrationStart& start, const SlowdownOf& slowdownOf,
                                        bool leaveSourcesOut);

} // namespace prism
