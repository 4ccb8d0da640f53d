// SPDX-License-Identifier: GPL-3.0-or-later
// The explorer without a user: screenshots of every page, and every page as a file.
#pragma once

#include "core/base/table.h"
#include "ui/theme/theme.h"

#include <QString>

namespace prism::explorer {

struct BatchOptions {
    QString screenshots, exports; ///< folders; empty = not requested
    QString format;               ///< of the exports: csv, tsv, png, svg, pdf
    QString study;                ///< empty = the sample study
    QString size;                 ///< "1440x900"
    double uiScale = 1;           ///< of type and spacing, as View, Larger sets it
    TableText texts = TableText::forSheets;
};

/// Exit code: 0 done, 1 the study or a folder is wrong, 3 a page did not finish in time.
[[nodiscard]] int runBatch(ui::Theme& theme, const BatchOptions& options);

} // namespace prism::explorer
