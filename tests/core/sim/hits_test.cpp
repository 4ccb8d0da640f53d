// SPDX-License-Identifier: GPL-3.0-or-later
// Places that are hit, given that one is: each as often as it should be, alone and with each of the others.
#include "core/sim/chunk/hits.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prism {
namespace {

TEST(Hits, EveryPlaceAndEveryPairIsHitAsOftenAsItIsLikely)
{
    const std::vector<Hits::Places> places{{0.3, 3}, {0.05, 4}};
    const Hits hits(places);
    const std::vector<double> p{0.3, 0.3, 0.3, 0.05, 0.05, 0.05, 0.05};
    double none = 1.0;
    for (const double x : p)
        none *= 1.0 - x;
    ASSERT_NEAR(hits.any(), 1.0 - none, 1e-12);
    constexpr int kSamples = 40'000;
    std::vector<std::vector<int>> both(p.size(), std::vector<int>(p.size(), 0));
    std::vector<int> counts(p.size() + 1, 0);
    for (int i = 0; i < kSamples; ++i) {
        Uniforms next(7, i);
        std::vector<std::size_t> hit;
        hits.draw((i + 0.5) / kSamples, next,
                  [&](std::size_t kind, int place) { hit.push_back(kind * 3 + static_cast<std::size_t>(place)); });
        ASSERT_FALSE(hit.empty());
        ++counts[hit.size()];
        for (const std::size_t a : hit)
            for (const std::size_t b : hit)
                ++both[a][b];
    }
    for (std::size_t a = 0; a < p.size(); ++a)
        for (std::size_t b = 0; b < p.size(); ++b) {
            const double expected = (a == b ? p[a] : p[a] * p[b]) / hits.any();
            EXPECT_NEAR(both[a][b] / double{kSamples}, expected, 4.0 * std::sqrt(expected / kSamples)) << a << " and " << b;
        }
    double one = 0.0;
    for (const double x : p)
        one += none * x / (1.0 - x);
    EXPECT_NEAR(counts[1] / double{kSamples}, one / hits.any(), 1.5 / kSamples) << "how many is not drawn: it is spread evenly";
}

TEST(Hits, AtMostAllPlacesAreHit)
{
    const Hits hits({{0.9, 2}, {0.999, 1}});
    for (int i = 0; i < 1'000; ++i) {
        Uniforms next(8, i);
        std::vector<int> hit(3, 0);
        hits.draw((i + 0.5) / 1'000, next, [&](std::size_t kind, int place) { ++hit[kind * 2 + static_cast<std::size_t>(place)]; });
        for (const int times : hit)
            EXPECT_LE(times, 1);
    }
}

} // namespace
} // namespace prism
