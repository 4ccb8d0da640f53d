// SPDX-License-Identifier: GPL-3.0-or-later
// The metadata of an export: from which state a picture or a table comes, also as one word of text for files without a place for it.
#pragma once

#include <QByteArray>
#include <QString>
#include <cstdint>
#include <optional>

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

/// "prism-receipt:" and the packed metadata, in letters, digits, - and _ only. Empty for empty metadata.
[[nodiscard]] QByteArray metadataMark(const ExportMetadata& metadata);
/// The metadata of the first mark in a file's content, with any text around it; nothing where there is none or it was changed.
[[nodiscard]] std::optional<ExportMetadata> markedMetadata(const QByteArray& content);

} // namespace prism::ui
