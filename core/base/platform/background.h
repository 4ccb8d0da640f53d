// SPDX-License-Identifier: GPL-3.0-or-later
// Computing in the background of a window: drawing has priority.
#pragma once

namespace prism {

/// From here on the calling thread, and every thread that it starts, gives way to the others where there are more of them than processors;
/// it has all that they leave. For threads that compute for a window: where the system cannot, nothing changes. No results depend on it.
void giveWayToForeground();

} // namespace prism
