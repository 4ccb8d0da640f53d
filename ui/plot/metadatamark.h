// SPDX-License-Identifier: GPL-3.0-or-later
// Export metadata as one word of text, for files without a place for it: the creator of a PDF, the description of an SVG, a comment of a
// CSV.
#pragma once

#include "ui/plot/exportmetadata.h"

#include <QByteArray>

#include <optional>

namespace prism::ui {

/// "prism-receipt:" and the packed metadata, in letters, digits, - and _ only. Empty for empty metadata.
[[nodiscard]] QByteArray metadataMark(const ExportMetadata& metadata);
/// The metadata of the first mark in a file's content, with any text around it; nothing where there is none or it was changed.
[[nodiscard]] std::optional<ExportMetadata> markedMetadata(const QByteArray& content);

} // namespace prism::ui
