// SPDX-License-Identifier: GPL-3.0-or-later
// Work on several threads: all items are taken once, and an exception of one is rethrown.
#include "core/base/workers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <numeric>
#include <vector>

namespace prism {
namespace {

TEST(Workers, TakeEveryItemOnceAndOneIsTheCaller)
{
    for (const int threads : {0, 1, 5}) {
        std::vector<int> taken(100, 0);
        std::atomic<std::size_t> next{0};
        std::atomic<int> callers{0};
        onWorkers(threads, taken.size(), [&](bool isCaller) {
            callers += isCaller ? 1 : 0;
            for (std::size_t i = next++; i < taken.size(); i = next++)
                ++taken[i];
        });
        EXPECT_EQ(taken, std::vector<int>(100, 1));
        EXPECT_EQ(callers, 1);
    }
}

TEST(Workers, WhatOneOfThemThrowsIsThrownToTheCaller)
{
    std::atomic<int> ended{0};
    const auto failing = [&](bool isCaller) {
        if (!isCaller)
            throw std::bad_alloc();
        ++ended;
    };
    EXPECT_THROW(onWorkers(3, 3, failing), std::bad_alloc);
    EXPECT_EQ(ended, 1);
    EXPECT_THROW(onWorkers(1, 3, [](bool) { throw std::bad_alloc(); }), std::bad_alloc);
}

} // namespace
} // namespace prism
