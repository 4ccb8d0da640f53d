// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/repeatedcollectives.h"

#include <map>
#include <span>
#include <tuple>
#include <utility>

namespace prism {

namespace {

auto described(const KinetoCollective& c)
{
    return std::tie(c.name, c.group, c.ranks, c.dtype, c.groupSize, c.inElements, c.outElements);
}

/// Shortest period of a sequence by the prefix function (Knuth, Morris and Pratt, SIAM J. Comput. 6, 1977); its length where it has none.
template <class Same>
std::size_t period(std::size_t n, Same same)
{
    std::vector<std::size_t> prefix(n, 0);
    for (std::size_t i = 1; i < n; ++i) {
        std::size_t k = prefix[i - 1];
        while (k > 0 && !same(i, k))
            k = prefix[k - 1];
        prefix[i] = k + (same(i, k) ? 1 : 0);
    }
    return n == 0 ? 0 : n - prefix[n - 1];
}

std::uint64_t describeStream(KinetoRank& rank, std::span<const std::size_t> kernels)
{
    std::size_t first = kernels.size(); // from here on all are described
    while (first > 0 && rank.kernels[kernels[first - 1]].collective >= 0)
        --first;
    const std::size_t n = kernels.size() - first;
    const auto kernel = [&](std::size_t i) -> KinetoKernel& { return rank.kernels[kernels[i]]; };
    const auto what = [&](std::size_t i) { return described(rank.collectives[static_cast<std::size_t>(kernel(first + i).collective)]); };
    const std::size_t length =
        period(n, [&](std::size_t i, std::size_t k) { return kernel(first + i).name == kernel(first + k).name && what(i) == what(k); });
    std::uint64_t count = 0;
    if (first == 0 || length == 0 || n < 2 * length)
        return count;
    for (std::size_t i = 0; i < first; ++i) {
        const KinetoKernel& like = kernel(first + (length - (first - i) % length) % length);
        if (kernel(i).collective >= 0 || kernel(i).launch >= 0 || kernel(i).name != like.name)
            continue;
        kernel(i).collective = like.collective;
        ++count;
    }
    return count;
}

} // namespace

std::uint64_t describeByRepetition(KinetoRank& rank)
{
    std::map<std::tuple<int, int, int>, std::vector<std::size_t>> streams;
    for (std::size_t i = 0; i < rank.kernels.size(); ++i)
        if (const KinetoKernel& k = rank.kernels[i]; k.isCollective)
            streams[{k.process, k.device, k.stream}].push_back(i);
    std::uint64_t count = 0;
    for (const auto& [stream, kernels] : streams)
        count += describeStream(rank, kernels);
    return count;
}

} // namespace prism
