// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/collectivecalls.h"

#include "core/base/text.h"
#include "core/stats/moments.h"
#include "core/trace/rankwindows.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

namespace prism {

namespace {

using Own = std::vector<const KinetoKernel*>; ///< calls of one rank in their order

constexpr int kMaxMoved = 64;
constexpr std::size_t kMinTogether = 3;
constexpr double kClearlyLess = 0.5;

/// Bytes of one element of a dtype as PyTorch writes it; 0 = not known.
int bytesOf(const std::string& dtype)
{
    static const std::map<std::string, int> sizes = {{"float", 4}, {"bfloat16", 2}, {"half", 2},          {"double", 8},
                                                     {"int", 4},   {"long", 8},     {"byte", 1},          {"char", 1},
                                                     {"short", 2}, {"bool", 1},     {"float8_e4m3fn", 1}, {"float8_e5m2", 1}};
    const auto at = sizes.find(lowered(dtype));
    return at == sizes.end() ? 0 : at->second;
}

/// The operation in a kernel's name, where the trace does not describe it.
std::string operationOf(const std::string& kernel)
{
    const std::string low = lowered(kernel);
    for (const char* known : {"reducescatter", "allreduce", "allgather", "broadcast", "alltoall", "sendrecv", "reduce", "generic"})
        if (low.find(known) != std::string::npos)
            return known;
    return "other";
}

/// The two ranks of a group that is written "[2, 3]"; nothing for another one.
std::optional<std::pair<std::int64_t, std::int64_t>> pairOf(std::string_view ranks)
{
    const std::size_t comma = ranks.find(',');
    if (comma == std::string_view::npos || !ranks.starts_with('[') || !ranks.ends_with(']'))
        return std::nullopt;
    const auto first = integerFromText(trimmed(ranks.substr(1, comma - 1)));
    const auto second = integerFromText(trimmed(ranks.substr(comma + 1, ranks.size() - comma - 2)));
    return first && second ? std::optional(std::pair(*first, *second)) : std::nullopt;
}

/// The rank at the other end of a send or receive: as recorded in the trace, else the other one of a group of two. Negative = not known.
std::int64_t peerOf(const KinetoRank& rank, const KinetoCollective& c)
{
    const auto pair = pairOf(c.ranks);
    if (c.peer >= 0 || !rank.isNamed || !pair || (pair->first != rank.rank && pair->second != rank.rank))
        return c.peer;
    return pair->first == rank.rank ? pair->second : pair->first;
}

/// A send and its receive are one call: both are under the ranks that it goes from and to.
CollectiveKey keyOf(const KinetoRank& rank, const KinetoKernel& k)
{
    if (k.collective < 0)
        return {"not named", operationOf(rank.names[k.name]), 0, 0, ""};
    const KinetoCollective& c = rank.collectives[static_cast<std::size_t>(k.collective)];
    const std::int64_t elements = std::max(c.inElements, c.outElements);
    const std::int64_t bytes = elements < (std::int64_t{1} << 50) ? elements * bytesOf(c.dtype) : 0;
    const std::string group = c.group + (c.ranks.empty() ? "" : " " + c.ranks), operation = lowered(c.name);
    const std::int64_t peer = peerOf(rank, c);
    if ((operation == "send" || operation == "recv") && rank.isNamed && peer >= 0 && peer != rank.rank) {
        const bool isSend = operation == "send";
        const std::string ends = std::to_string(isSend ? rank.rank : peer) + " -> " + std::to_string(isSend ? peer : rank.rank);
        return {group + (group.empty() ? "" : ", ") + ends, "send", 2, bytes, c.dtype};
    }
    return {group.empty() ? "not named" : group, operation, c.groupSize, bytes, c.dtype};
}

/// How much the differences of ends vary when the first call of `own` is number `moved` of `other`: median distance from their median,
/// microseconds; negative with too few calls together.
double variation(const Own& own, const Own& other, int moved)
{
    std::vector<double> differences;
    for (std::size_t i = 0; i < own.size(); ++i) {
        const auto at = static_cast<std::ptrdiff_t>(i) + moved;
        if (at >= 0 && at < static_cast<std::ptrdiff_t>(other.size()))
            differences.push_back(own[i]->end() - other[static_cast<std::size_t>(at)]->end());
    }
    if (differences.size() < kMinTogether || 2 * differences.size() < own.size())
        return -1;
    const double middle = medianOf(differences);
    for (double& d : differences)
        d = std::abs(d - middle);
    return medianOf(std::move(differences));
}

/// By how many places `own` begins after `other`.
int movedAgainst(const Own& own, const Own& other)
{
    const double unmoved = variation(own, other, 0);
    double smallest = kClearlyLess * unmoved;
    int best = 0;
    for (int moved = -kMaxMoved; moved <= kMaxMoved; ++moved)
        if (const double v = variation(own, other, moved); v >= 0 && v < smallest) {
            smallest = v;
            best = moved;
        }
    return best;
}

using OwnByRank = std::map<std::size_t, Own>;

CollectiveCalls aligned(const OwnByRank& ofRanks)
{
    const auto longest =
        std::max_element(ofRanks.begin(), ofRanks.end(), [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    std::map<std::size_t, int> begin;
    int first = 0, last = 0;
    for (const auto& [rank, own] : ofRanks) {
        const int moved = rank == longest->first ? 0 : movedAgainst(own, longest->second);
        begin[rank] = moved;
        first = std::min(first, moved);
        last = std::max(last, moved + static_cast<int>(own.size()));
    }
    CollectiveCalls calls(static_cast<std::size_t>(last - first));
    for (const auto& [rank, own] : ofRanks)
        for (std::size_t i = 0; i < own.size(); ++i)
            calls[i + static_cast<std::size_t>(begin[rank] - first)].emplace_back(rank, own[i]);
    return calls;
}

} // namespace

std::string CollectiveKey::signature() const
{
    const auto known = [](std::int64_t n) { return n > 0 ? std::to_string(n) : "?"; };
    return operation + " of " + known(size) + " ranks, " + known(bytes) + " bytes";
}

std::map<CollectiveKey, CollectiveCalls> collectiveCalls(const std::vector<KinetoRank>& ranks)
{
    std::map<CollectiveKey, std::map<std::string, OwnByRank>> byWindow;
    const bool several = std::any_of(ranks.begin(), ranks.end(), [](const KinetoRank& r) { return r.windows.size() > 1; });
    for (std::size_t r = 0; r < ranks.size(); ++r)
        for (std::size_t k = 0; k < ranks[r].kernels.size(); ++k)
            if (const KinetoKernel& kernel = ranks[r].kernels[k]; kernel.isCollective)
                byWindow[keyOf(ranks[r], kernel)][several ? windowName(ranks[r], k) : ""][r].push_back(&kernel);
    std::map<CollectiveKey, CollectiveCalls> calls;
    for (const auto& [key, windows] : byWindow)
        for (const auto& [name, ofRanks] : windows) {
            CollectiveCalls own = aligned(ofRanks);
            std::move(own.begin(), own.end(), std::back_inserter(calls[key]));
        }
    return calls;
}

std::string kernelSignature(const KinetoRank& rank, const KinetoKernel& k)
{
    return rank.names[k.name] + ", grid " + std::to_string(k.grid) + " x " + std::to_string(k.block) + ", stream "
           + std::to_string(k.stream);
}

std::map<const KinetoKernel*, std::string> kernelSignatures(const std::vector<KinetoRank>& ranks)
{
    std::map<const KinetoKernel*, std::string> signatures;
    for (const auto& [key, calls] : collectiveCalls(ranks))
        for (const CollectiveCall& call : calls)
            for (const auto& [rank, kernel] : call)
                signatures.emplace(kernel, key.signature());
    for (const KinetoRank& rank : ranks)
        for (const KinetoKernel& k : rank.kernels)
            if (!signatures.contains(&k))
                signatures.emplace(&k, kernelSignature(rank, k));
    return signatures;
}

} // namespace prism
