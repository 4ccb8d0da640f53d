// SPDX-License-Identifier: GPL-3.0-or-later
// Emphasis on a terminal: bold and a few colours, or nothing where the stream is a file or NO_COLOR is set.
#pragma once

#include "core/base/platform/terminal.h"

#include <string>

namespace prism::cli {

/// Wraps texts in the escape sequences of ECMA-48 (SGR), or leaves them as they are. The texts must be printable already.
class Style final {
public:
    Style() = default; ///< leaves everything as it is
    explicit Style(StandardStream stream) : m_on(wantsColour(stream)) {}

    [[nodiscard]] std::string bold(const std::string& text) const { return wrapped("1", text); }
    [[nodiscard]] std::string faint(const std::string& text) const { return wrapped("2", text); }
    [[nodiscard]] std::string red(const std::string& text) const { return wrapped("31", text); }
    [[nodiscard]] std::string yellow(const std::string& text) const { return wrapped("33", text); }
    [[nodiscard]] std::string blue(const std::string& text) const { return wrapped("34", text); }

private:
    [[nodiscard]] std::string wrapped(const char* code, const std::string& text) const
    {
        return m_on ? std::string("\x1b[") + code + "m" + text + "\x1b[0m" : text;
    }
    bool m_on = false;
};

} // namespace prism::cli
