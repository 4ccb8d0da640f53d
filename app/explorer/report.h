// SPDX-License-Identifier: GPL-3.0-or-later
// A report of a study without a window: prism-explorer --report STUDY --output FILE.
#pragma once

#include "core/base/table.h"

#include <QString>

namespace prism::explorer {

struct ReportOptions {
    QString study;    ///< a study (.prism), a scenario, a configuration to import, or the name of a preset; empty = the sample study
    QString output;   ///< .pdf or .html
    QString question; ///< empty = made from the study
    bool slides = false;
    bool bundle = false; ///< its pictures and values too, as PNG and CSV in a folder next to it
    int samples = 2'000;
    quint64 seed = 1;
    TableText texts = TableText::forSheets; ///< of the bundle's tables
};

/// Computes and writes it. The file that is read stays as it is. Exit code: 0 written, 1 the input is wrong or the output cannot be
/// written.
[[nodiscard]] int runReport(const ReportOptions& options);

} // namespace prism::explorer
