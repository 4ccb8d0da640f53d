// SPDX-License-Identifier: GPL-3.0-or-later
// Progress bars that name a step and the time since they began: Lightning's "Epoch 0:  10%|#  | 10/100 [00:21<03:09, ...]" (tqdm).
#include "core/measured/lineformat.h"

#include "core/base/text.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace prism {

namespace {

struct Bar {
    bool isNamed = false; ///< of an epoch
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

/// Training bars have "Epoch" (Lightning) or nothing (transformers' Trainer, Axolotl) before the share that is done; those of validation,
/// downloads and checkpoints have other names.
std::optional<Bar> barOf(std::string_view line)
{
    const std::size_t filled = line.find("%|"), name = line.substr(0, std::min(filled, line.size())).rfind("Epoch ");
    const bool isNamed = name != std::string_view::npos;
    if (!isNamed && line.find_first_not_of(" 0123456789") != filled)
        return std::nullopt;
    const std::size_t clock = filled == std::string_view::npos ? filled : line.find(" [", filled);
    const std::size_t less = clock == std::string_view::npos ? clock : line.find('<', clock);
    if (less == std::string_view::npos)
        return std::nullopt;
    const double epoch = isNamed ? numberAfter(line, name + 5) : 0;
    std::size_t at = clock;
    const auto total = wholeBefore(line, at);
    if (!total || at == 0 || line[at - 1] != '/' || !(epoch >= 0 && epoch < 1e9))
        return std::nullopt;
    const auto done = wholeBefore(line, --at);
    const double elapsed = clockSeconds(line.substr(clock + 2, less - clock - 2));
    const bool isOfSteps =
        isNamed || line.find("it/s", less) != std::string_view::npos || line.find("s/it", less) != std::string_view::npos;
    if (!done || std::isnan(elapsed) || !isOfSteps || *total > 1'000'000'000 || *done > *total)
        return std::nullopt;
    return Bar{isNamed, static_cast<std::int64_t>(epoch), *done, *total, elapsed};
}

/// All bars of epochs, or those without a name that count to the same total.
class BarFormat final : public LineFormat {
public:
    explicit BarFormat(const Bar& first) : m_isNamed(first.isNamed), m_total(first.total) {}
    [[nodiscard]] std::string name() const override
    {
        return m_isNamed ? "progress bars of epochs (Lightning, tqdm)" : "progress bars of " + std::to_string(m_total) + " steps (tqdm)";
    }
    [[nodiscard]] std::string timeField() const override { return "elapsed time of neighbouring bars"; }
    [[nodiscard]] Trust trust() const override { return Trust::inferred; }
    void read(std::string_view line, std::vector<LineFinding>& out) override
    {
        const auto bar = barOf(line);
        if (!bar || bar->isNamed != m_isNamed || (!m_isNamed && bar->total != m_total))
            return;
        LineFinding found;
        found.time = LineFinding::Time::clock;
        found.step.seconds = bar->elapsed; // of the epoch: the loading of data is in its first bar
        found.step.number = bar->epoch * bar->total + bar->done;
        out.push_back(found);
    }

private:
    bool m_isNamed;
    std::int64_t m_total;
};

} // namespace

std::unique_ptr<LineFormat> progressBarFormat(std::string_view line)
{
    const auto bar = barOf(line);
    return bar ? std::make_unique<BarFormat>(*bar) : nullptr;
}

} // namespace prism
