// SPDX-License-Identifier: GPL-3.0-or-later
// Comments in JSON that people write by hand: // to the end of the line, and /* ... */.
#pragma once

#include <string>
#include <string_view>

namespace prism {

/// The text with a space for each byte of a comment, so that lines and columns stay. Strings keep what looks like a comment. A comment
/// that never ends stays, and the parser complains at its place. Linear in the text. Any thread.
[[nodiscard]] std::string withoutJsonComments(std::string_view text);

} // namespace prism
