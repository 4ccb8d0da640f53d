// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/kinetoreport.h"

#include "core/base/text.h"
#include "core/stats/moments.h"
#include "core/trace/collectivecalls.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace prism {

namespace {

constexpr std::size_t kMinForSplit = 8, kMaxUnmatched = 50;
constexpr double kSplitRatio = 2, kMicro = 1e-6, kSkewMicroseconds = 50;

/// Joins ranks' kernels to calls, groups and pools.
class Matcher {
public:
    Matcher(const std::vector<KinetoRank>& ranks, KinetoReport& report) : m_ranks(ranks), m_report(report), m_calls(collectiveCalls(ranks))
    {
    }

    void match(std::map<std::string, std::vector<double>>& pools)
    {
        m_offsets = clockOffsets(m_calls, m_ranks.size());
        for (std::size_t r = 0; r < m_ranks.size(); ++r)
            m_report.ranks[r].clockOffsetSeconds = kMicro * m_offsets[r];
        for (const auto& [key, calls] : m_calls)
            group(key, calls, pools);
    }

private:
    void group(const CollectiveKey& key, const CollectiveCalls& calls, std::map<std::string, std::vector<double>>& pools)
    {
        CollectiveGroup g{.name = key.group, .operation = key.operation, .dtype = key.dtype, .groupSize = key.size, .bytes = key.bytes};
        std::set<std::size_t> seen;
        for (const auto& call : calls)
            for (const auto& [rank, k] : call)
                seen.insert(rank);
        g.ranksSeen = static_cast<int>(seen.size());
        std::vector<double> recorded, transfers;
        for (std::size_t k = 0; k < calls.size(); ++k)
            oneCall(g, calls[k], seen, recorded, transfers, k);
        g.medianSeconds = medianOf(recorded);
        const bool allEnds = g.ranksSeen > 1 && (g.groupSize == 0 || g.ranksSeen >= g.groupSize);
        if (allEnds && !transfers.empty()) {
            g.transferSeconds = medianOf(transfers);
            g.split = "from the last arriver";
        } else if (const auto threshold = otsuSplit(recorded)) {
            transfers.clear();
            std::copy_if(recorded.begin(), recorded.end(), std::back_inserter(transfers), [&](double x) { return x <= *threshold; });
            g.transferSeconds = medianOf(transfers);
            g.split = "Otsu split of the recorded durations";
        } else {
            transfers = recorded;
            g.transferSeconds = g.medianSeconds;
            g.split = "none: one end only and durations of one kind";
        }
        g.waitingSeconds = std::max(0.0, meanOf(recorded) - g.transferSeconds);
        pools[key.signature()] = transfers;
        m_report.groups.push_back(std::move(g));
    }
    void oneCall(CollectiveGroup& g, const CollectiveCall& call, const std::set<std::size_t>& seen, std::vector<double>& recorded,
                 std::vector<double>& transfers, std::size_t place)
    {
        double latest = -std::numeric_limits<double>::infinity();
        const std::size_t present = call.size();
        for (const auto& [r, k] : call)
            latest = std::max(latest, k->start - m_offsets[r]);
        const bool isMatched = present == seen.size() && (g.name != "not named" || present > 1);
        g.calls += static_cast<int>(present);
        g.matched += isMatched ? static_cast<int>(present) : 0;
        m_report.collectiveKernels += present;
        m_report.matchedKernels += isMatched ? present : 0;
        for (const auto& [r, k] : call) {
            recorded.push_back(kMicro * k->duration);
            if (isMatched)
                transfers.push_back(std::max(0.0, kMicro * (k->end() - m_offsets[r] - latest)));
            else if (m_report.unmatched.size() < kMaxUnmatched)
                m_report.unmatched.push_back("rank " + std::to_string(m_ranks[r].rank) + ": " + g.operation + " number "
                                             + std::to_string(place) + " of group " + g.name + " at " + numberText(k->start) + " us");
        }
    }

    const std::vector<KinetoRank>& m_ranks;
    KinetoReport& m_report;
    std::map<CollectiveKey, CollectiveCalls> m_calls;
    std::vector<double> m_offsets;
};

RankReport rankReport(const KinetoRank& rank)
{
    RankReport report{.rank = rank.rank, .kernels = rank.kernels.size()};
    std::set<std::pair<int, int>> streams;
    double windowBegin = rank.kernels.front().start;
    for (const KinetoStep& s : rank.steps)
        report.stepSeconds.push_back(kMicro * s.duration);
    double busyUntil = windowBegin;
    auto window = rank.windows.begin();
    for (const KinetoKernel& k : rank.kernels) {
        if (window != rank.windows.end() && &k == &rank.kernels[window->first]) { // nothing is known of the time between recordings
            report.spanSeconds += kMicro * (busyUntil - windowBegin);
            busyUntil = windowBegin = k.start;
            ++window;
        }
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
    report.spanSeconds += kMicro * (busyUntil - windowBegin);
    return report;
}

} // namespace

std::vector<double> clockOffsets(const std::map<CollectiveKey, CollectiveCalls>& calls, std::size_t ranks)
{
    std::vector<std::vector<double>> differences(ranks);
    for (const auto& [key, list] : calls)
        for (const auto& call : list) {
            std::vector<double> ends;
            for (const auto& [rank, k] : call)
                ends.push_back(k->end());
            if (ends.size() < 2)
                continue;
            const double middle = medianOf(ends);
            for (const auto& [rank, k] : call)
                differences[rank].push_back(k->end() - middle);
        }
    std::vector<double> offsets;
    for (const std::vector<double>& d : differences)
        offsets.push_back(d.empty() || std::abs(medianOf(d)) < kSkewMicroseconds ? 0 : medianOf(d));
    return offsets;
}

std::optional<double> otsuSplit(std::vector<double> values)
{
    std::erase_if(values, [](double x) { return !(x > 0); });
    if (values.size() < kMinForSplit)
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
                pools[kernelSignature(rank, k)].push_back(kMicro * k.duration);
    }
    Matcher(ranks, report).match(pools);
    for (auto& [signature, seconds] : pools)
        report.pools.push_back(fittedPool(signature, std::move(seconds)));
    sortByTotal(report.pools);
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
