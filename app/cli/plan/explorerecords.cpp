// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/plan/explorerecords.h"

#include "app/cli/insight/insightcommand.h"
#include "core/base/valuetext.h"
#include "core/base/outputfile.h"

#include <spdlog/fmt/fmt.h>

#include <filesystem>

namespace prism::cli {
namespace {

std::string bestText(const Exploration& e)
{
    if (e.candidates.empty())
        return "Nothing of this part fits.\n";
    const ExploreCandidate &mean = e.candidates[e.bestByMean], &p95 = e.candidates[e.bestByP95];
    std::string text = fmt::format("\nObjective {}: the chance that the first is the best of all is {}.\n",
                                   objectiveText(e.query.objective), probabilityText(e.candidates.front().probabilityBest));
    if (e.bestByMean == e.bestByP95)
        return text + "The best by mean and the best by p95 are the same.\n";
    text += fmt::format("The best by mean is {}, by p95 {}; in p95 they differ by {} s.\n", shortText(mean.values), shortText(p95.values),
                        plusMinus(e.p95OfMean.value, e.p95OfMean.halfWidth));
    return text;
}

} // namespace

std::string explorationText(const Exploration& e)
{
    std::string text =
        fmt::format("{} configurations: {} valid, {} fit into memory, {} sampled ({} s for all, {} s with sampling)\n\n", e.points, e.valid,
                    e.fitting, e.candidates.size(), amountText(e.deterministicSeconds, 2), amountText(e.elapsedSeconds, 2));
    const bool isProbability = e.query.objective.isProbability();
    const auto probability = [&](const std::string& shown) { return isProbability ? fmt::format("{:>15}", shown) : ""; };
    text += fmt::format("{:>4}{} {:>18} {:>18} {:>9} {:>12} {:>8}  configuration\n", "", probability("probability"), "p50 s", "p95 s",
                        "GiB", "USD/G token", "best");
    for (std::size_t i = 0; i < std::min(static_cast<std::size_t>(e.query.keep), e.candidates.size()); ++i) {
        const ExploreCandidate& c = e.candidates[i];
        text += fmt::format("{:>4}{} {:>18} {:>18} {:>9.1f} {:>12} {:>8}  {}{}\n", c.rank, probability(percent(c.score)),
                            plusMinus(c.p50.value, c.p50.halfWidth), plusMinus(c.p95.value, c.p95.halfWidth), c.peakMemoryGib,
                            amountText(c.usdPerBillionTokens, 4), probabilityText(c.probabilityBest), shortText(c.values),
                            c.pareto ? " (front)" : "");
        if (!c.equals.empty())
            text += fmt::format("{:76}{}the same with {}\n", "", probability(""), equalsText(c));
    }
    text += bestText(e);
    if (!e.rejected.empty())
        text += "\nRejected (a configuration may have several reasons; the second number had no other):\n";
    for (const ExploreRejection& r : e.rejected)
        text += fmt::format("{:>9} {:>9} {}\n", r.count, r.alone, r.reason);
    return text + noteLines(e.notes);
}

ExploreRecords recordsOf(const std::string& path)
{
    return require(recordsFromText(readInput(path, kMaxRecordsBytes), path));
}

ExploreCheckpoint RecordsFile::checkpoint(const RecordsHead& head, const SearchShard& shard)
{
    if (m_path.empty())
        return {};
    ExploreCheckpoint checkpoint;
    checkpoint.write = [this](const std::string& text) { write(text); };
    std::error_code none;
    if (!std::filesystem::exists(m_path, none))
        return checkpoint;
    if (!std::filesystem::is_regular_file(m_path, none))
        throw InputError({{Severity::error, m_path, "Not a checkpoint file of a search.", "a folder, device or pipe", "a file", "", ""}});
    checkpoint.known = recordsOf(m_path);
    const bool same = checkpoint.known.head == headLine(head) && checkpoint.known.shard.index == shard.index
                      && checkpoint.known.shard.count == shard.count;
    if (!checkpoint.known.head.empty() && !same)
        throw InputError({{Severity::error, m_path, "This file is of another search, or of another part.", "",
                           "the same scenario, options and version as before, or another file", "", ""}});
    return checkpoint;
}

void RecordsFile::write(const std::string& text)
{
    if (Diagnostics problems = writeFile(m_path, text); !problems.empty()) {
        m_problems = std::move(problems);
        m_stop.request_stop();
    }
}

void RecordsFile::requireWritten() const
{
    if (!m_problems.empty())
        throw InputError(m_problems);
}

} // namespace prism::cli
