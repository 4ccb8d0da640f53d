// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/rankwindows.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace prism {

namespace {

double begin(const KinetoRank& rank)
{
    return rank.kernels.front().start;
}

double end(const KinetoRank& rank)
{
    double last = begin(rank);
    for (const KinetoKernel& k : rank.kernels)
        last = std::max(last, k.end());
    return last;
}

/// Whether the last recording of a rank is this one.
bool isSameRecording(const KinetoRank& rank, const KinetoRank& other)
{
    const std::size_t first = rank.windows.empty() ? 0 : rank.windows.back().first;
    return std::equal(rank.kernels.begin() + static_cast<std::ptrdiff_t>(first), rank.kernels.end(), other.kernels.begin(),
                      other.kernels.end(),
                      [](const KinetoKernel& x, const KinetoKernel& y) { return x.start == y.start && x.duration == y.duration; });
}

std::string firstStep(const KinetoRank& rank)
{
    return rank.steps.empty() ? "" : rank.steps.front().name;
}

void note(KinetoRank& rank, const std::string& path, const std::string& text)
{
    rank.notes.push_back({Severity::warning, path, text, "", "", "", ""});
}

/// Appends a later recording.
void append(KinetoRank& rank, KinetoRank later)
{
    if (rank.windows.empty())
        rank.windows.push_back({0, firstStep(rank)});
    rank.windows.push_back({rank.kernels.size(), firstStep(later)});
    std::unordered_map<std::string, std::uint32_t> known;
    for (std::size_t i = 0; i < rank.names.size(); ++i)
        known.emplace(rank.names[i], static_cast<std::uint32_t>(i));
    std::vector<std::uint32_t> nameOf;
    for (const std::string& name : later.names) {
        const auto [at, isNew] = known.try_emplace(name, static_cast<std::uint32_t>(rank.names.size()));
        if (isNew)
            rank.names.push_back(name);
        nameOf.push_back(at->second);
    }
    const auto firstCollective = static_cast<std::int32_t>(rank.collectives.size());
    for (KinetoKernel k : later.kernels) {
        k.name = nameOf[k.name];
        k.collective += k.collective >= 0 ? firstCollective : 0;
        rank.kernels.push_back(k);
    }
    std::move(later.collectives.begin(), later.collectives.end(), std::back_inserter(rank.collectives));
    std::move(later.steps.begin(), later.steps.end(), std::back_inserter(rank.steps));
    std::move(later.notes.begin(), later.notes.end(), std::back_inserter(rank.notes));
    rank.events += later.events;
}

/// Recordings of one rank, put together where they follow each other; first the one that holds the most.
std::vector<KinetoRank> joined(std::vector<KinetoRank> parts)
{
    std::stable_sort(parts.begin(), parts.end(), [](const KinetoRank& a, const KinetoRank& b) { return begin(a) < begin(b); });
    std::vector<KinetoRank> out;
    double until = 0;
    for (KinetoRank& part : parts) {
        const double ends = end(part);
        if (out.empty()) {
            out.push_back(std::move(part));
        } else if (isSameRecording(out.front(), part)) {
            note(out.front(), part.path, "the recording of rank " + std::to_string(part.rank) + " is there twice and counts once");
            continue;
        } else if (begin(part) < until) {
            note(part, part.path,
                 "two recordings of rank " + std::to_string(part.rank) + " are of the same time: they are read separately");
            out.push_back(std::move(part));
            continue;
        } else {
            append(out.front(), std::move(part));
        }
        until = ends;
    }
    return out;
}

} // namespace

std::vector<KinetoRank> joinedWindows(std::vector<KinetoRank> ranks)
{
    std::map<int, std::vector<KinetoRank>> named;
    std::vector<KinetoRank> out;
    for (KinetoRank& rank : ranks) {
        if (rank.isNamed && !rank.kernels.empty())
            named[rank.rank].push_back(std::move(rank));
        else
            out.push_back(std::move(rank));
    }
    for (auto& [number, parts] : named)
        for (KinetoRank& rank : joined(std::move(parts)))
            out.push_back(std::move(rank));
    return out;
}

std::string windowName(const KinetoRank& rank, std::size_t kernel)
{
    if (rank.windows.empty())
        return rank.steps.empty() ? "1" : firstStep(rank);
    const auto after = std::upper_bound(rank.windows.begin(), rank.windows.end(), kernel,
                                        [](std::size_t k, const KinetoWindow& window) { return k < window.first; });
    const auto window = std::prev(after);
    return window->step.empty() ? std::to_string(after - rank.windows.begin()) : window->step;
}

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

std::vector<std::vector<const KinetoKernel*>> kernelsByStep(const KinetoRank& rank)
{
    std::vector<double> begins;
    for (const KinetoStep& s : rank.steps)
        begins.push_back(s.start);
    std::sort(begins.begin(), begins.end());
    std::vector<std::vector<const KinetoKernel*>> steps(begins.size() + 1); // the first: before any step
    for (const KinetoKernel& k : rank.kernels)
        steps[static_cast<std::size_t>(std::upper_bound(begins.begin(), begins.end(), k.launch >= 0 ? k.launch : k.start) - begins.begin())]
            .push_back(&k);
    if (!begins.empty())
        steps.erase(steps.begin());
    return steps;
}

} // namespace prism
