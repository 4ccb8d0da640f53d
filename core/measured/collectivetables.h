// SPDX-License-Identifier: GPL-3.0-or-later
// Folders of measured collectives: every table whose format is known, with the machine that it was measured on.
#pragma once

#include "core/base/result.h"
#include "core/step/layout.h"
#include "core/workload/kernel.h"

#include <string>
#include <vector>

namespace prism {

/// One measurement; bytes as nccl-tests counts them (the full buffer of one rank).
struct CollectiveRow {
    CollectiveOp op = CollectiveOp::allReduce;
    GroupGeometry group;
    double bytes = 0, seconds = 0;
};

struct CollectiveTable {
    std::string name;        ///< file, then the system where a file holds several
    std::string gpu, fabric; ///< presets of the machine
    bool shapeOnly = false;  ///< measured over another path than the fabric's: its bandwidth is not that of the fabric
    std::string remark;      ///< what else the times include; such tables are excluded from fits
    std::vector<CollectiveRow> rows;
};

struct CollectiveFolder {
    std::vector<CollectiveTable> tables;
    std::vector<std::string> notRead; ///< "file: reason"
};

/// Reads every file that presets/calibration/sources.json knows by the beginning of its name, in the format and for the machine that it
/// states; files that are not read are reported. Untrusted text, bounded.
/// Errors: the folder, the file of sources, a line of a file.
[[nodiscard]] Result<CollectiveFolder> readCollectiveFolder(const std::string& folder);

} // namespace prism
