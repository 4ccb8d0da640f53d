// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/rankwindows.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_map>

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

} // namespace prism
