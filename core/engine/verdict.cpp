// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verdict.h"

#include "core/cost/domain.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace prism {

namespace {

/// The message with what was found in brackets, before the full stop that it may end with.
std::string sentenceOf(const Diagnostic& d, const char* accepted)
{
    const bool stops = d.message.ends_with('.');
    std::string text = d.message.substr(0, d.message.size() - (stops ? 1 : 0));
    if (!d.found.empty())
        text += fmt::format(" (here {}", d.found) + (d.accepted.empty() ? ")" : fmt::format("; {}: {})", accepted, d.accepted));
    return stops ? text + '.' : text;
}

} // namespace

bool Verdict::has(Caveat::Kind kind) const
{
    return std::any_of(caveats.begin(), caveats.end(), [kind](const Caveat& d) { return d.kind == kind; });
}

bool Verdict::possible() const
{
    return !has(Caveat::Kind::doesNotFit);
}

bool isPossible(const Snapshot& snapshot)
{
    return !snapshot.costed || snapshot.costed->memory.fits;
}

Verdict verdictOf(const Snapshot& snapshot)
{
    Verdict verdict;
    if (!snapshot.costed)
        return verdict;
    const CostedStep& step = *snapshot.costed;
    const MemoryReport& memory = step.memory;
    if (!isPossible(snapshot))
        verdict.caveats.push_back(
            {Caveat::Kind::doesNotFit, "cluster.gpu.memory_gib",
             fmt::format("The fullest stage needs {:.1f} GiB on a GPU of {:.1f} GiB.", memory.peakGib, memory.capacityGib)});
    if (!step.withinCalibration)
        for (const Diagnostic& d : snapshot.diagnostics)
            if (d.severity == Severity::warning && d.message.starts_with(kOutsideCalibration))
                verdict.caveats.push_back({Caveat::Kind::outsideCalibration, d.path, sentenceOf(d, "validated")});
    if (snapshot.mfu > kHighestPublishedMfu)
        verdict.caveats.push_back({Caveat::Kind::unheardOf, "",
                                   fmt::format("An MFU of {:.0f} % is above every published step that the model is checked on ({:.0f} %).",
                                               100 * snapshot.mfu, 100 * kHighestPublishedMfu)});
    return verdict;
}

} // namespace prism
