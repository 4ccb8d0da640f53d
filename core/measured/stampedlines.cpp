// SPDX-License-Identifier: GPL-3.0-or-later
// Log lines that name a step but not its time: the time stamps of neighbouring lines give it.
#include "core/measured/lineformat.h"

#include <array>
#include <charconv>
#include <cmath>

namespace prism {

namespace {

/// A framework's line: words that all must be in it, and the step's number behind `step` or before `stepBefore`.
struct StampedLine {
    const char* name;
    std::array<const char*, 3> words;
    const char* step;
    const char* stepBefore;
};

// torchtitan components/metrics.py ("wps" until 2024); DeepSpeed utils/timer.py ThroughputTimer.stop(): "global_step=10, Running...",
// before 0.8 "0/10, Running..." and before 0.6 "0/10, SamplesPerSec=" (deepspeedai/DeepSpeed#1825). Its samples per second are over a
// batch that differs between releases (deepspeedai/DeepSpeed#2498).
constexpr std::array<StampedLine, 4> kStampedLines = {{
    {"torchtitan standard output", {"step:", "loss:", "tps:"}, "step:", ""},
    {"torchtitan standard output", {"step:", "loss:", "wps:"}, "step:", ""},
    {"DeepSpeed throughput lines", {"RunningAvgSamplesPerSec=", "CurrSamplesPerSec=", "/"}, "", ", RunningAvgSamplesPerSec="},
    {"DeepSpeed throughput lines", {", SamplesPerSec=", "/", "]"}, "", ", SamplesPerSec="},
}};

/// The whole number that ends where `words` begin; NaN when there is none.
double numberBefore(std::string_view line, std::string_view words)
{
    const std::size_t end = line.find(words);
    std::size_t first = end == std::string_view::npos ? 0 : end;
    while (first > 0 && line[first - 1] >= '0' && line[first - 1] <= '9')
        --first;
    std::int64_t value = 0;
    const std::size_t length = end == std::string_view::npos ? 0 : end - first;
    const auto [stop, code] = std::from_chars(line.data() + first, line.data() + first + length, value);
    return length > 0 && code == std::errc() ? static_cast<double>(value) : kNoNumber;
}

class StampedFormat final : public LineFormat {
public:
    explicit StampedFormat(const StampedLine& line) : m_line(line) {}
    [[nodiscard]] static bool matches(std::string_view line, const StampedLine& stamped)
    {
        for (const char* word : stamped.words)
            if (line.find(word) == std::string_view::npos)
                return false;
        return !std::isnan(stepOf(line, stamped)) && !std::isnan(stampOf(line));
    }
    [[nodiscard]] std::string name() const override { return m_line.name; }
    [[nodiscard]] std::string timeField() const override { return "time stamps of neighbouring lines"; }
    [[nodiscard]] bool isInferred() const override { return true; }
    void read(std::string_view line, std::vector<LineFinding>& out) override
    {
        if (!matches(line, m_line))
            return;
        // Several ranks in one log: the first one's lines count ("[rank3]:[titan] 2025-...").
        const LineStamp written = lineStamp(line);
        const std::string_view rank = line.substr(0, written.at);
        if (!m_isKnown)
            m_rank = rank;
        m_isKnown = true;
        if (rank != m_rank)
            return;
        const double step = stepOf(line, m_line), stamp = written.seconds;
        LineFinding found;
        found.stampIsPaused = true;
        if (step > m_step && stamp > m_stamp) {
            found.kind = LineFinding::Kind::step;
            found.step.seconds = (stamp - m_stamp) / (step - m_step);
            found.step.number = static_cast<std::int64_t>(step);
            m_isWide = m_isWide || step > m_step + 1;
            out.push_back(found);
        } else if (step < m_step) {
            found.kind = LineFinding::Kind::newRun;
            out.push_back(found);
        }
        m_isWhole = m_isWhole && stamp == std::floor(stamp);
        if (step != m_step)
            m_stamp = stamp;
        m_step = step;
    }
    [[nodiscard]] std::vector<std::string> notes() const override
    {
        std::vector<std::string> out = {"the log has no time per step: differences of time stamps hold evaluations and checkpoints too"};
        if (m_isWhole)
            out.emplace_back("time stamps are whole seconds: spread below that cannot be seen");
        if (m_isWide)
            out.emplace_back("several steps lie between lines: their mean is taken, and their spread cannot be seen");
        return out;
    }

private:
    static double stepOf(std::string_view line, const StampedLine& stamped)
    {
        if (*stamped.stepBefore != '\0')
            return numberBefore(line, stamped.stepBefore);
        const double step = numberAfter(line, line.find(stamped.step) + std::string_view(stamped.step).size());
        return step >= 0 && step < 1e15 ? step : kNoNumber;
    }
    StampedLine m_line;
    std::string m_rank;
    double m_step = kNoNumber, m_stamp = kNoNumber; ///< comparisons with NaN are false: the first line gives no step
    bool m_isKnown = false, m_isWhole = true, m_isWide = false;
};

} // namespace

std::unique_ptr<LineFormat> stampedLineFormat(std::string_view line)
{
    for (const StampedLine& stamped : kStampedLines)
        if (StampedFormat::matches(line, stamped))
            return std::make_unique<StampedFormat>(stamped);
    return nullptr;
}

} // namespace prism
