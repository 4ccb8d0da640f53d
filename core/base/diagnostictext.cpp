// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/diagnostictext.h"

namespace prism {

std::string_view severityName(Severity severity)
{
    return severity == Severity::error ? "error" : severity == Severity::warning ? "warning" : "note";
}

std::string sentence(const Diagnostic& d)
{
    std::string text = (d.path.empty() ? "" : d.path + ": ") + d.message;
    if (!text.ends_with('.') && !text.ends_with('?') && !text.ends_with('!'))
        text += ".";
    if (!d.found.empty())
        text += " Found: " + d.found + ".";
    if (!d.accepted.empty())
        text += " Accepted: " + d.accepted + ".";
    return text;
}

} // namespace prism
