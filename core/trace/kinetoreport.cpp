// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/kinetoreport.h"

#include "core/base/text.h"
#include "core/stats/moments.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

namespace prism {

namespace {

constexpr std::size_t kFewestForSplit = 8, kFewestForFit = 8, kFewForFit = 30, kMaxUnmatched = 50;
constexpr double kSplitRatio = 2, kMicro = 1e-6, kSkewMicroseconds = 50;

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return quantileOfSorted(values, 0.5);
}

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

struct CallKey {
    std::string group, operation;
    std::int64_t size = 0, bytes = 0;
    std::string dtype;
    auto operator<=>(const CallKey&) const = default;
};

CallKey keyOf(const KinetoRank& rank, const KinetoKernel& k)
{
    if (k.collective < 0)
        return {"not named", operationOf(rank.names[k.name]), 0, 0, ""};
    const KinetoCollective& c = rank.collectives[static_cast<std::size_t>(k.collective)];
    const std::int64_t elements = std::max(c.inElements, c.outElements);
    const std::string group = c.group + (c.ranks.empty() ? "" : " " + c.ranks);
    return {group.empty() ? "not named" : group, lowered(c.name), c.groupSize,
            elements < (std::int64_t{1} << 50) ? elements * bytesOf(c.dtype) : 0, c.dtype};
}

/// Kernels of each call: [call][rank], null where a rank has none.
using Calls = std::vector<std::vector<const KinetoKernel*>>;

std::map<CallKey, Calls> callsOf(const std::vector<KinetoRank>& ranks)
{
    std::map<CallKey, Calls> calls;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
        std::map<CallKey, std::size_t> seen;
        for (const KinetoKernel& k : ranks[r].kernels) {
            if (!k.isCollective)
                continue;
            const CallKey key = keyOf(ranks[r], k);
            Calls& list = calls[key];
            const std::size_t place = seen[key]++;
            if (list.size() <= place)
                list.resize(place + 1, std::vector<const KinetoKernel*>(ranks.size(), nullptr));
            list[place][r] = &k;
        }
    }
    return calls;
}

/// Median of each rank's ends against the calls' median end, microseconds: a collective ends on all its ranks at once.
std::vector<double> clockOffsets(const std::map<CallKey, Calls>& calls, std::size_t ranks)
{
    std::vector<std::vector<double>> differences(ranks);
    for (const auto& [key, list] : calls)
        for (const auto& call : list) {
            std::vector<double> ends;
            for (const KinetoKernel* k : call)
                if (k != nullptr)
                    ends.push_back(k->end());
            if (ends.size() < 2)
                continue;
            const double middle = median(ends);
            for (std::size_t r = 0; r < ranks; ++r)
                if (call[r] != nullptr)
                    differences[r].push_back(call[r]->end() - middle);
        }
    std::vector<double> offsets;
    for (const std::vector<double>& d : differences)
        offsets.push_back(d.empty() || std::abs(median(d)) < kSkewMicroseconds ? 0 : median(d));
    return offsets;
}

/// Joins ranks' kernels to calls, groups and pools.
class Matcher {
public:
    Matcher(const std::vector<KinetoRank>& ranks, KinetoReport& report) : m_ranks(ranks), m_report(report), m_calls(callsOf(ranks)) {}

    void match(std::map<std::string, std::vector<double>>& pools)
    {
        m_offsets = clockOffsets(m_calls, m_ranks.size());
        for (std::size_t r = 0; r < m_ranks.size(); ++r)
            m_report.ranks[r].clockOffsetSeconds = kMicro * m_offsets[r];
        for (const auto& [key, calls] : m_calls)
            group(key, calls, pools);
    }

private:
    void group(const CallKey& key, const Calls& calls, std::map<std::string, std::vector<double>>& pools)
    {
        CollectiveGroup g{.name = key.group, .operation = key.operation, .dtype = key.dtype, .groupSize = key.size, .bytes = key.bytes};
        std::set<std::size_t> seen;
        for (const auto& call : calls)
            for (std::size_t r = 0; r < call.size(); ++r)
                if (call[r] != nullptr)
                    seen.insert(r);
        g.ranksSeen = static_cast<int>(seen.size());
        std::vector<double> recorded, transfers;
        for (std::size_t k = 0; k < calls.size(); ++k)
            oneCall(g, calls[k], seen, recorded, transfers, k);
        g.medianSeconds = median(recorded);
        const bool allEnds = g.ranksSeen > 1 && (g.groupSize == 0 || g.ranksSeen >= g.groupSize);
        if (allEnds && !transfers.empty()) {
            g.transferSeconds = median(transfers);
            g.split = "from the last arriver";
        } else if (const auto threshold = otsuSplit(recorded)) {
            transfers.clear();
            std::copy_if(recorded.begin(), recorded.end(), std::back_inserter(transfers), [&](double x) { return x <= *threshold; });
            g.transferSeconds = median(transfers);
            g.split = "Otsu split of the recorded durations";
        } else {
            transfers = recorded;
            g.transferSeconds = g.medianSeconds;
            g.split = "none: one end only and durations of one kind";
        }
        g.waitingSeconds = std::max(0.0, meanOf(recorded) - g.transferSeconds);
        pools[key.operation + " of " + (key.size > 0 ? std::to_string(key.size) : "?") + " ranks, "
              + (key.bytes > 0 ? std::to_string(key.bytes) : "?") + " bytes"] = transfers;
        m_report.groups.push_back(std::move(g));
    }
    void oneCall(CollectiveGroup& g, const std::vector<const KinetoKernel*>& call, const std::set<std::size_t>& seen,
                 std::vector<double>& recorded, std::vector<double>& transfers, std::size_t place)
    {
        double latest = -std::numeric_limits<double>::infinity();
        std::size_t present = 0;
        for (std::size_t r = 0; r < call.size(); ++r)
            if (call[r] != nullptr) {
                latest = std::max(latest, call[r]->start - m_offsets[r]);
                ++present;
            }
        const bool isMatched = present == seen.size() && (g.name != "not named" || present > 1);
        g.calls += static_cast<int>(present);
        g.matched += isMatched ? static_cast<int>(present) : 0;
        m_report.collectiveKernels += present;
        m_report.matchedKernels += isMatched ? present : 0;
        for (std::size_t r = 0; r < call.size(); ++r) {
            if (call[r] == nullptr)
                continue;
            recorded.push_back(kMicro * call[r]->duration);
            if (isMatched)
                transfers.push_back(std::max(0.0, kMicro * (call[r]->end() - m_offsets[r] - latest)));
            else if (m_report.unmatched.size() < kMaxUnmatched)
                m_report.unmatched.push_back("rank " + std::to_string(m_ranks[r].rank) + ": " + g.operation + " number "
                                             + std::to_string(place) + " of group " + g.name + " at " + numberText(call[r]->start) + " us");
        }
    }

    const std::vector<KinetoRank>& m_ranks;
    KinetoReport& m_report;
    std::map<CallKey, Calls> m_calls;
    std::vector<double> m_offsets;
};

RankReport rankReport(const KinetoRank& rank)
{
    RankReport report{.rank = rank.rank, .kernels = rank.kernels.size()};
    std::set<std::pair<int, int>> streams;
    for (const KinetoStep& s : rank.steps)
        report.stepSeconds.push_back(kMicro * s.duration);
    double busyUntil = rank.kernels.front().start;
    for (const KinetoKernel& k : rank.kernels) {
        streams.insert({k.device, k.stream});
        report.collectives += k.isCollective ? 1U : 0U;
        report.describedCollectives += k.isCollective && k.collective >= 0 ? 1U : 0U;
        const double gap = kMicro * (k.start - busyUntil);
        if (gap > 0 && k.launch >= busyUntil) {
            report.hostGapSeconds += gap;
            ++report.hostGaps;
            report.longestHostGapSeconds = std::max(report.longestHostGapSeconds, gap);
        }
        report.busySeconds += kMicro * std::max(0.0, k.end() - std::max(k.start, busyUntil));
        busyUntil = std::max(busyUntil, k.end());
    }
    report.streams = static_cast<int>(streams.size());
    report.spanSeconds = kMicro * (busyUntil - rank.kernels.front().start);
    return report;
}

DurationPool fittedPool(const std::string& signature, std::vector<double> seconds)
{
    DurationPool pool{.signature = signature, .seconds = std::move(seconds)};
    std::vector<double> positive;
    std::copy_if(pool.seconds.begin(), pool.seconds.end(), std::back_inserter(positive), [](double x) { return x > 0; });
    if (positive.size() >= kFewestForFit && varianceOf(positive) > 0)
        if (const auto fits = fitFamilies(positive); fits.ok() && !fits->empty())
            pool.fit = fits->front();
    if (pool.seconds.size() < kFewForFit)
        pool.warning = "few values: the family is a guess and the tail is not known";
    else if (pool.fit && pool.fit->ksPValue < 0.05)
        pool.warning = "no family fits: use the pool itself";
    return pool;
}

} // namespace

std::optional<double> otsuSplit(std::vector<double> values)
{
    std::erase_if(values, [](double x) { return !(x > 0); });
    if (values.size() < kFewestForSplit)
        return std::nullopt;
    std::sort(values.begin(), values.end());
    double whole = 0;
    for (const double x : values)
        whole += std::log(x);
    const auto n = static_cast<double>(values.size());
    double low = 0, best = -1, lowSum = 0, wholeSum = 0;
    for (const double x : values)
        wholeSum += x;
    std::optional<double> threshold;
    for (std::size_t i = 0; i + 1 < values.size(); ++i) {
        low += std::log(values[i]);
        lowSum += values[i];
        const double a = static_cast<double>(i + 1), b = n - a, difference = low / a - (whole - low) / b;
        if (const double between = a * b * difference * difference; between > best) {
            best = between;
            const bool isTwo = (wholeSum - lowSum) / b >= kSplitRatio * lowSum / a;
            threshold = isTwo ? std::optional(values[i]) : std::nullopt;
        }
    }
    return threshold;
}

KinetoReport kinetoReport(const std::vector<KinetoRank>& ranks)
{
    KinetoReport report;
    std::map<std::string, std::vector<double>> pools;
    for (const KinetoRank& rank : ranks) {
        report.ranks.push_back(rankReport(rank));
        report.notes.insert(report.notes.end(), rank.notes.begin(), rank.notes.end());
        for (const KinetoKernel& k : rank.kernels)
            if (!k.isCollective)
                pools[rank.names[k.name] + ", grid " + std::to_string(k.grid) + " x " + std::to_string(k.block) + ", stream "
                      + std::to_string(k.stream)]
                    .push_back(kMicro * k.duration);
    }
    Matcher(ranks, report).match(pools);
    for (auto& [signature, seconds] : pools)
        report.pools.push_back(fittedPool(signature, std::move(seconds)));
    const auto total = [](const DurationPool& p) { return meanOf(p.seconds) * static_cast<double>(p.seconds.size()); };
    std::stable_sort(report.pools.begin(), report.pools.end(), [&](const auto& a, const auto& b) { return total(a) > total(b); });
    int world = 0;
    for (const KinetoRank& rank : ranks)
        world = std::max(world, rank.worldSize);
    if (world > static_cast<int>(ranks.size()))
        report.notes.push_back({Severity::warning, "",
                                "traces of " + std::to_string(ranks.size()) + " of " + std::to_string(world)
                                    + " ranks are there; waits for the others are in the collectives' durations",
                                "", "", "", ""});
    return report;
}

} // namespace prism
