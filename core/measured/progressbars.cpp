// SPDX-License-Identifier: GPL-3.0-or-later
// Progress bars that name a step and the time since they began: Lightning's "Epoch 0:  10%|#  | 10/100 [00:21<03:09, ...]" (tqdm).
#include "core/measured/lineformat.h"

#include "core/base/text.h"
#include "core/base/timeunits.h"

#include <algorithm>
#include <optional>

namespace prism {

namespace {

struct Bar {
    std::int64_t epoch = 0, done = 0, total = 0;
    double elapsed = 0;
};

/// The whole number that ends at `end`, and where it begins.
std::optional<std::int64_t> wholeBefore(std::string_view line, std::size_t& end)
{
    std::size_t first = end;
    while (first > 0 && line[first - 1] >= '0' && line[first - 1] <= '9')
        --first;
    const auto value = integerFromText(line.substr(first, end - first));
    end = first;
    return value;
}

/// "05:07" and "1:05:07" in seconds.
std::optional<double> clockSeconds(std::string_view text)
{
    double seconds = 0;
    int parts = 0;
    for (std::size_t begin = 0; begin <= text.size() && parts < 4; ++parts) {
        const std::size_t end = std::min(text.find(':', begin), text.size());
        const auto part = integerFromText(text.substr(begin, end - begin));
        if (!part || *part < 0 || *part > 1'000'000)
            return std::nullopt;
        seconds = seconds * kSecondsPerMinute + static_cast<double>(*part);
        begin = end + 1;
    }
    return parts == 2 || parts == 3 ? std::optional(seconds) : std::nullopt;
}

/// Training bars say "Epoch"; those of validation, downloads and checkpoints do not.
std::optional<Bar> barOf(std::string_view line)
{
    const std::size_t name = line.find("Epoch "), filled = line.find("%|", name == std::string_view::npos ? line.size() : name);
    const std::size_t clock = filled == std::string_view::npos ? filled : line.find(" [", filled);
    const std::size_t less = clock == std::string_view::npos ? clock : line.find('<', clock);
    if (less == std::string_view::npos)
        return std::nullopt;
    const double epoch = numberAfter(line, name + 5);
    std::size_t at = clock;
    const auto total = wholeBefore(line, at);
    if (!total || at == 0 || line[at - 1] != '/' || !(epoch >= 0 && epoch < 1e9))
        return std::nullopt;
    const auto done = wholeBefore(line, --at);
    const auto elapsed = clockSeconds(line.substr(clock + 2, less - clock - 2));
    if (!done || !elapsed || *total > 1'000'000'000 || *done > *total)
        return std::nullopt;
    return Bar{static_cast<std::int64_t>(epoch), *done, *total, *elapsed};
}

class BarFormat final : public LineFormat {
public:
    [[nodiscard]] std::string name() const override { return "progress bars of epochs (Lightning, tqdm)"; }
    [[nodiscard]] std::string timeField() const override { return "elapsed time of neighbouring bars"; }
    [[nodiscard]] bool isInferred() const override { return true; }
    void read(std::string_view line, std::vector<LineFinding>& out) override
    {
        const auto bar = barOf(line);
        if (!bar)
            return;
        const bool goesBack = m_last && (bar->epoch < m_last->epoch || (bar->epoch == m_last->epoch && bar->done < m_last->done));
        LineFinding found;
        if (goesBack) {
            found.kind = LineFinding::Kind::newRun;
            out.push_back(found);
        } else if (m_last && bar->epoch == m_last->epoch) {
            if (bar->done == m_last->done || !(bar->elapsed > m_last->elapsed))
                return; // drawn again, or within the same second
            const std::int64_t steps = bar->done - m_last->done;
            found.kind = LineFinding::Kind::step;
            found.step.seconds = (bar->elapsed - m_last->elapsed) / static_cast<double>(steps);
            found.step.number = bar->epoch * bar->total + bar->done;
            found.stampIsPaused = true;
            m_isWide = m_isWide || steps > 1;
            out.push_back(found);
        }
        m_last = bar; // the first bar of an epoch gives no step: its clock began with the loading of data
    }
    [[nodiscard]] std::vector<std::string> notes() const override
    {
        std::vector<std::string> out = {"bars tell whole seconds: spread below that cannot be seen, and evaluations are in their steps"};
        if (m_isWide)
            out.emplace_back("several steps lie between bars: their mean is taken, and their spread cannot be seen");
        return out;
    }

private:
    std::optional<Bar> m_last;
    bool m_isWide = false;
};

} // namespace

std::unique_ptr<LineFormat> progressBarFormat(std::string_view line)
{
    return barOf(line) ? std::make_unique<BarFormat>() : nullptr;
}

} // namespace prism
