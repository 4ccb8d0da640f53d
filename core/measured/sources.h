// SPDX-License-Identifier: GPL-3.0-or-later
// Sources of tables of measurements: format of each file, and the machine that a table's words mean. Data of the
// preset library, so that no rule knows a source by name.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace prism {

/// Format of a file of measured collectives (collectivetables.cpp).
enum class CollectiveFormat : std::uint8_t { busTable, ncclTests, nanoseconds, elements, traceSummary };

/// Files of measured collectives whose names have the same beginning.
struct CollectiveSource {
    std::string file; ///< how the names begin
    CollectiveFormat format = CollectiveFormat::busTable;
    std::string gpu, fabric;            ///< presets of the machine; empty where the rows name it
    std::string notRead;                ///< not empty: why such a file is left aside
    bool shapeOnlyBetweenNodes = false; ///< between nodes measured over another path than the fabric's
};

/// A machine as the rows of a table name it.
struct MeasuredSystem {
    std::string name;        ///< the first word, up to a '_'
    std::string family;      ///< of the calibration (cost/calibration.h): whose constants its benchmarks decide
    std::string gpu, fabric; ///< presets
};

/// Selects the rows of tables of matrix products that represent training.
struct ProductSources {
    std::vector<std::string> systems;                ///< of short products, by the first word of their name
    std::string collector16, collector8, collector4; ///< how the names of their collectors begin, by bits
    std::vector<std::string> sustainedSystems;       ///< of products that are repeated until the board's limit holds
};

/// presets/calibration/sources.json.
struct MeasurementSources {
    std::vector<CollectiveSource> collectives; ///< the first whose name fits counts
    std::vector<MeasuredSystem> systems;
    ProductSources products;

    /// The source of a file of collectives; none = not a known table.
    [[nodiscard]] const CollectiveSource* collectivesOf(std::string_view file) const;
    /// The machine that a row's system stands for ("h100_sxm": h100); none where none does.
    [[nodiscard]] const MeasuredSystem* systemOf(std::string_view name) const;
};

/// "h100" of "h100_sxm": how tables name a type of GPU.
[[nodiscard]] std::string systemType(std::string_view name);

/// Reads the text of such a file. Errors with their place: text that is not JSON, unknown keys and words, a source without a name or a
/// format, a system without a GPU.
[[nodiscard]] Result<MeasurementSources> measurementSourcesFromJson(std::string_view text);

/// The sources of the preset library, read once. Any thread. Errors: no such preset, or errors in it.
[[nodiscard]] const Result<MeasurementSources>& measurementSources();

} // namespace prism
