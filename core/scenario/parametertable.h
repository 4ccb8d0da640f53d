// SPDX-License-Identifier: GPL-3.0-or-later
// The parameter table: everything that a user can edit, in display order, and the same as a help page.
#pragma once

#include "core/scenario/parameter.h"

#include <span>
#include <string>
#include <string_view>

namespace prism {

/// The whole table in display order. Built once; immutable; any thread.
[[nodiscard]] std::span<const Parameter> parameters();
/// Null for an unknown id.
[[nodiscard]] const Parameter* findParameter(std::string_view id);

/// An id of older files and its present id. Files with it are read.
struct OlderId {
    std::string_view id, now;
};
[[nodiscard]] std::span<const OlderId> olderIds();
/// Null for any other id.
[[nodiscard]] const OlderId* olderId(std::string_view id);

/// Markdown with every parameter: id, name on screen, unit, what is accepted, default, help. resources/help/parameters.md is
/// this text; a test keeps it so.
[[nodiscard]] std::string parameterPage();

} // namespace prism
