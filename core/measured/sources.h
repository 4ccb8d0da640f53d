// SPDX-License-Identifier: GPL-3.0-or-later
// What is known about the origin of measurements: machines of tables, and what other tools state for published rows. Data, not rules.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace prism {

/// Files of measured collectives whose names begin alike.
struct CollectiveSource {
    std::string file;        ///< how the names begin
    std::string format;      ///< "bus_table", "nccl_tests", "nanoseconds_table", "element_table" or "trace_summary"
    std::string gpu, fabric; ///< presets of the machine; empty where the rows name it
    std::string notRead;     ///< not empty: why such a file is left aside
    bool shapeOnlyBetweenNodes = false;
};

/// A machine as the rows of a table name it.
struct MeasuredSystem {
    std::string name;        ///< the first word, up to a '_'
    std::string gpu, fabric; ///< presets
};

/// presets/calibration/sources.json.
struct MeasurementSources {
    std::vector<CollectiveSource> collectives; ///< the first whose name fits counts
    std::vector<MeasuredSystem> systems;
    std::vector<std::string> productSystems;         ///< whose matrix products count
    std::string collector16, collector8, collector4; ///< and by which collector, by bits; empty = any
    std::vector<std::pair<std::string, std::string>> peers;

    /// The source of a file of collectives; none = not a known table.
    [[nodiscard]] const CollectiveSource* collectivesOf(std::string_view file) const;
    /// "h100_sxm" -> h100; none where no preset stands for the system.
    [[nodiscard]] const MeasuredSystem* systemOf(std::string_view name) const;
    /// Whether the matrix products of a system ("h100") count.
    [[nodiscard]] bool timesProducts(std::string_view system) const;
    /// The best figure that another tool published on the rows of a suite; empty where none is known.
    [[nodiscard]] std::string peerOf(std::string_view suite) const;
};

/// Read once; empty where the preset is missing. Any thread.
[[nodiscard]] const MeasurementSources& measurementSources();

} // namespace prism
