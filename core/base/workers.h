// SPDX-License-Identifier: GPL-3.0-or-later
// One piece of work on several threads at once, each of which takes the next item until there is none.
#pragma once

#include <cstddef>
#include <functional>

namespace prism {

/// Calls `work` on the calling thread, with true, and with false on others: on `threads` of them together (0 = one for each core) and no
/// more than there are items. Fewer where the system gives no more threads: the calling one does it all if need be. Ends when all have
/// ended. An exception of one of them (std::bad_alloc) is rethrown here then.
void onWorkers(int threads, std::size_t items, const std::function<void(bool isCaller)>& work);

} // namespace prism
