// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/follow/whatif.h"

#include "core/cost/predictor.h"
#include "core/sim/simulate.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <functional>

namespace prism {

namespace {

constexpr int kHalvings = 24;
constexpr double kReached = 0.005; ///< of the ratio

struct Candidate {
    const char* id;
    const char* text;
    bool onePlace;
    std::function<void(Scenario&, double)> apply;
};

const std::vector<Candidate>& candidates()
{
    const auto slowNode = [](Scenario& s, double compute, double link) { s.variability.slow.push_back({0, -1, compute, link}); };
    static const std::vector<Candidate> all = {
        {"node_compute", "one node were {:.2f}x slower", true, [slowNode](Scenario& s, double f) { slowNode(s, f, 1); }},
        {"node_link", "the network links of one node were {:.2f}x slower", true, [slowNode](Scenario& s, double f) { slowNode(s, 1, f); }},
        {"network", "all communication between nodes were {:.2f}x slower", false,
         [](Scenario& s, double f) { s.measured.networkLevel = std::min(20.0, s.measured.networkLevel * f); }},
        {"compute", "all compute were {:.2f}x slower (clocks, power)", false,
         [](Scenario& s, double f) { s.measured.computeLevel = std::min(5.0, s.measured.computeLevel * f); }}};
    return all;
}

} // namespace

WhatIfs::WhatIfs(Scenario scenario) : m_scenario(std::move(scenario)), m_noiseFreeSeconds(noiseFreeSeconds(m_scenario)) {}

/// 0 where the changed scenario cannot be costed.
double WhatIfs::ratioAt(std::size_t candidate, double factor)
{
    const auto [known, isNew] = m_ratios.try_emplace({candidate, factor}, 0.0);
    if (isNew) {
        Scenario changed = m_scenario;
        candidates()[candidate].apply(changed, factor);
        const Result<double> seconds = noiseFreeSeconds(changed);
        known->second = seconds.ok() ? *seconds / *m_noiseFreeSeconds : 0.0;
    }
    return known->second;
}

LikelyCause WhatIfs::solved(std::size_t candidate, double ratio)
{
    LikelyCause out;
    out.id = candidates()[candidate].id;
    double low = 1.0, high = kMaxFactor;
    out.ratio = ratioAt(candidate, high);
    out.reaches = out.ratio >= ratio * (1.0 - kReached);
    if (out.reaches)
        for (int i = 0; i < kHalvings && high - low > 1e-3; ++i) {
            const double middle = 0.5 * (low + high);
            (ratioAt(candidate, middle) < ratio ? low : high) = middle;
        }
    out.factor = high;
    if (out.reaches)
        out.ratio = ratioAt(candidate, high);
    out.text = "as if " + fmt::format(fmt::runtime(candidates()[candidate].text), out.factor);
    return out;
}

Result<std::vector<LikelyCause>> WhatIfs::reaching(double ratio)
{
    if (!m_noiseFreeSeconds.ok())
        return m_noiseFreeSeconds.errors();
    std::vector<std::pair<bool, LikelyCause>> found;
    for (std::size_t candidate = 0; candidate < candidates().size(); ++candidate)
        found.emplace_back(candidates()[candidate].onePlace, solved(candidate, ratio));
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
        if (a.second.reaches != b.second.reaches)
            return a.second.reaches;
        return a.first != b.first ? a.first : a.second.factor < b.second.factor;
    });
    std::vector<LikelyCause> out;
    for (auto& [onePlace, w] : found)
        out.push_back(std::move(w));
    return out;
}

} // namespace prism
