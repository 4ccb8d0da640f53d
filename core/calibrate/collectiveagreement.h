// SPDX-License-Identifier: GPL-3.0-or-later
// Errors of the collective model on measured tables: the same numbers for the calibration, the command line and the tests.
#pragma once

#include "core/calibrate/residuals.h"
#include "core/cost/collectives.h"
#include "core/measured/collectivetables.h"

namespace prism {

/// Relative errors (model / measured - 1) of the rows of one table.
struct TableAgreement : Residuals {
    std::string name, gpu, fabric, remark;
    int within = 0, near = 0; ///< rows within 10 %, within 25 %
};

/// Bytes on the busiest link over the buffer (nccl-tests PERFORMANCE.md).
[[nodiscard]] double busFactor(CollectiveOp op, std::int64_t ranks);
/// The machine that a table was measured on.
[[nodiscard]] Result<ClusterConfig> clusterOf(const CollectiveTable& table);

/// Every table against the model of its presets, rows of minBytes to maxBytes. Where a table does not show the fabric's bandwidth,
/// the median that all such tables of the op reach replaces it: what is compared is the shape over ranks, nodes and sizes.
[[nodiscard]] Result<std::vector<TableAgreement>> agreement(const CollectiveFolder& folder, const Calibration& calibration, double minBytes,
                                                            double maxBytes);

} // namespace prism
