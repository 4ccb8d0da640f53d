#include "core/insight/insight.h"

namespace prism {

namespace {
constexpr std::string_view kCancelledPath = "cancelled";
}

Diagnostic cancelled()
{
    Diagnostic d;
    d.path = kCancelledPath;
    d.message = "The computation was cancelled.";
    return d;
}

bool isCancelled(const Diagnostics& errors)
{
    for (const Diagnostic& d : errors)
        if (d.path == kCancelledPath)
            return true;
    return false;
}

} // namespace prism
