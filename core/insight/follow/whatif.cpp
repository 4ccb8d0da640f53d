// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/follow/whatif.h"

#include "core/cost/predictor.h"
#include "core/sim/simulate.h"
#include "core/step/deterministicstep.h"

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

std::vector<Candidate> candidates()
{
    const auto slowNode = [](Scenario& s, double compute, double link) { s.variability.slow.push_back({0, -1, compute, link}); };
    return {
        {"node_compute", "one node were {:.2f}x slower", true, [slowNode](Scenario& s, double f) { slowNode(s, f, 1); }},
        {"node_link", "the network links of one node were {:.2f}x slower", true, [slowNode](Scenario& s, double f) { slowNode(s, 1, f); }},
        {"network", "all communication between nodes were {:.2f}x slower", false,
         [](Scenario& s, double f) { s.measured.networkLevel = std::min(20.0, s.measured.networkLevel * f); }},
        {"compute", "all compute were {:.2f}x slower (clocks, power)", false,
         [](Scenario& s, double f) { s.measured.computeLevel = std::min(5.0, s.measured.computeLevel * f); }}};
}

/// Noise-free seconds; 0 where the scenario cannot be costed.
double stillSeconds(const Scenario& scenario)
{
    const Result<CostedStep> costed = costStep(scenario);
    return costed.ok() ? deterministicStepSeconds(costed->graph) : 0.0;
}

LikelyCause solved(const Scenario& scenario, const Candidate& candidate, double base, double wanted)
{
    const auto ratioAt = [&](double factor) {
        Scenario changed = scenario;
        candidate.apply(changed, factor);
        return stillSeconds(changed) / base;
    };
    LikelyCause out;
    out.id = candidate.id;
    double low = 1.0, high = kMostFactor;
    out.ratio = ratioAt(high);
    out.reaches = out.ratio >= wanted * (1.0 - kReached);
    if (out.reaches)
        for (int i = 0; i < kHalvings && high - low > 1e-3; ++i) {
            const double middle = 0.5 * (low + high);
            (ratioAt(middle) < wanted ? low : high) = middle;
        }
    out.factor = high;
    if (out.reaches)
        out.ratio = ratioAt(high);
    out.text = "as if " + fmt::format(fmt::runtime(candidate.text), out.factor);
    return out;
}

} // namespace

Result<std::vector<LikelyCause>> whatIfs(const Scenario& scenario, double ratio)
{
    const Result<CostedStep> costed = costStep(scenario);
    if (!costed.ok())
        return costed.errors();
    const double base = deterministicStepSeconds(costed->graph);
    std::vector<std::pair<bool, LikelyCause>> found;
    for (const Candidate& candidate : candidates())
        found.emplace_back(candidate.onePlace, solved(scenario, candidate, base, ratio));
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
