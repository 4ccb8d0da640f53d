// SPDX-License-Identifier: GPL-3.0-or-later
// The metadata of an export: from which state a picture or a table comes.
#pragma once

#include <QString>

#include <cstdint>

namespace prism::ui {

struct ExportMetadata {
    QString scenario; ///< name
    QString hash;     ///< ContentHash::text() of the scenario
    std::uint64_t seed = 0;
    std::int64_t samples = 0;
    QString version;      ///< of the program
    QString page;         ///< id of the page
    QString scenarioJson; ///< the whole scenario, so that what was exported can be opened
    bool operator==(const ExportMetadata&) const = default;
    [[nodiscard]] bool isEmpty() const { return hash.isEmpty(); }
};

} // namespace prism::ui
