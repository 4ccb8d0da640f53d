// SPDX-License-Identifier: GPL-3.0-or-later
// Launch scripts and pasted command lines as a list of flags: comments, continuations, quotes, variables.
#pragma once

#include "core/base/result.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace prism {

/// One `--flag value...` as it was written; underscores in the name are dashes.
struct ShellFlag {
    std::string name; ///< without the leading dashes, lower case
    std::vector<std::string> values;
    int line = 0; ///< 1-based
};

struct ShellFlags {
    std::vector<ShellFlag> flags;
    std::map<std::string, std::string, std::less<>> variables; ///< simple NAME=value assignments, expanded
    Diagnostics notes;                                         ///< variables that are used and not given
};

/// Reads at most 4 MiB of text; runs nothing. Errors: too large, quote that never ends.
[[nodiscard]] Result<ShellFlags> shellFlags(std::string_view text);

} // namespace prism
