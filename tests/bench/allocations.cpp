// SPDX-License-Identifier: GPL-3.0-or-later
#include "bench/allocations.h"

#include <sys/resource.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::uint64_t> calls{0};

void* counted(void* memory)
{
    calls.fetch_add(1, std::memory_order_relaxed);
    if (memory == nullptr)
        throw std::bad_alloc();
    return memory;
}

} // namespace

// The other forms of the standard library call these.
void* operator new(std::size_t bytes)
{
    return counted(std::malloc(bytes > 0 ? bytes : 1));
}
void* operator new(std::size_t bytes, std::align_val_t alignment)
{
    const auto a = static_cast<std::size_t>(alignment);
    return counted(std::aligned_alloc(a, (bytes + a - 1) / a * a));
}
void operator delete(void* memory) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept
{
    std::free(memory);
}

namespace prism::bench {

std::uint64_t allocationCount()
{
    return calls.load(std::memory_order_relaxed);
}

double peakMemoryMib()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

} // namespace prism::bench
