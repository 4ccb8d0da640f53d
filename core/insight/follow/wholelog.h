// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the step times of a log file of any size. Memory: one piece of the file and the steps.
#pragma once

#include "core/measured/steplog.h"
#include "core/trace/bytesource.h"

#include <string>
#include <vector>

namespace prism {

struct WholeLogOptions {
    StepLogOptions log;
    std::vector<std::string> where; ///< COLUMN=VALUE: only these rows of a table
};

/// A file, or standard input for "-"; plain or gzip. A JSON document and UTF-16 are read at once, up to kMaxTextBytes. Errors: those of
/// ByteSource and StepLogReader::whole; a compressed file that is damaged, cut off or grows too much; rows that cannot be selected.
[[nodiscard]] Result<StepLog> readStepLogFile(const std::string& path, const WholeLogOptions& options, const ReadControl& control = {});

} // namespace prism
