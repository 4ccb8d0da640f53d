// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/workers.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace prism {

void onWorkers(int threads, std::size_t items, const std::function<void(bool isCaller)>& work)
{
    const std::size_t requested = threads > 0 ? static_cast<std::size_t>(threads) : std::max(1U, std::thread::hardware_concurrency());
    std::mutex mutex;
    std::exception_ptr thrown;
    const auto guarded = [&](bool isCaller) {
        try {
            work(isCaller);
        } catch (...) {
            const std::lock_guard lock(mutex);
            thrown = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> workers;
        try {
            for (std::size_t t = 1; t < std::min(requested, items); ++t)
                workers.emplace_back([&guarded] { guarded(false); });
        } catch (const std::exception&) { // no more threads, or no memory for one
        }
        guarded(true);
    }
    if (thrown)
        std::rethrow_exception(thrown);
}

} // namespace prism
