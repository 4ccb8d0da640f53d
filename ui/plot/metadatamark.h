// SPDX-License-Identifier: GPL-3.0-or-later
// The receipt as one word of text, for files that have no place for it: the creator of a PDF, the description of an SVG, a comment of a
// CSV.
#pragma once

#include "ui/plot/exportmetadata.h"

#include <QByteArray>

#include <optional>

namespace prism::ui {

/// "prism-receipt:" and the receipt, packed, in letters, digits, - and _ only. Empty for an empty receipt.
[[nodiscard]] QByteArray metadataMark(const ExportMetadata& metadata);
/// The receipt of the first mark in a file's content, whatever is around it; nothing where there is none or it was changed.
[[nodiscard]] std::optional<ExportMetadata> markedMetadata(const QByteArray& content);

} // namespace prism::ui
