// SPDX-License-Identifier: GPL-3.0-or-later
// Text from outside on its way to a terminal, a chart, a report or a hostfile: what could steer the reader's program is escaped or refused.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace prism {

/// One line of text for people: control characters (C0, DEL, C1), line ends, marks that turn the writing direction (UTS 36) and bytes
/// that are not UTF-8 are written as escapes: backslash u and four digits, backslash n, backslash x and two digits. Everything else stays.
/// Longer than `maxBytes`: cut at a character, with "...".
[[nodiscard]] std::string printable(std::string_view text, std::size_t maxBytes = 1'000);

/// The same for a whole report or JSON text: line feeds and tabs stay, nothing is cut. JSON texts keep their meaning, because their
/// control characters are in strings, where the escape means the same.
[[nodiscard]] std::string printableLines(std::string_view text);

/// Without control characters (C0, DEL, C1) and bidirectional characters (Unicode 15, property Bidi_Control); bytes that are not UTF-8
/// become U+FFFD. For programs that show a text and know no escapes.
[[nodiscard]] std::string withoutControls(std::string_view text);

/// Names of hosts as launchers read them, one per line: letters, digits, dots, hyphens and underscores, not starting with a hyphen or a
/// dot, up to 253 characters (RFC 1123; underscores are common in clusters). Anything else could be an option ("n1 slots=999") or a
/// command.
[[nodiscard]] bool isHostName(std::string_view text);

} // namespace prism
