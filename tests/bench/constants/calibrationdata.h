// SPDX-License-Identifier: GPL-3.0-or-later
// The data of a folder for fitting constants: every table known by its columns, every file of published steps by its schema.
#pragma once

#include "core/calibrate/published.h"
#include "core/measured/collectivetables.h"
#include "core/measured/operatorrows.h"

#include <string>
#include <vector>

namespace prism {

struct CalibrationData {
    std::vector<BusRow> bus;          ///< bus bandwidths inside nodes
    std::vector<GemmRow> gemms;       ///< short matrix products
    std::vector<GemmRow> sustained;   ///< matrix products repeated until the board's limit holds
    CollectiveFolder collectives;     ///< tables of collectives, inside nodes and between them
    std::vector<PublishedRow> steps;  ///< published steps
    std::vector<PublishedRow> single; ///< tables of single-node steps
    std::vector<std::string> read;    ///< a line for each file that was used
    std::vector<std::string> missing; ///< what no file holds, and what therefore stays as it is
};

/// Looks into the folder and its subfolders (not deeper): files of at most 64 MiB that end in .csv, .csv.gz or .json; what is none of the
/// known kinds is passed over. Errors: the folder cannot be read, nothing in it is of use, a file of a known kind cannot be read.
[[nodiscard]] Result<CalibrationData> readCalibrationData(const std::string& folder);

} // namespace prism
