// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/halves.h"

#include "core/base/text.h"

#include <cmath>

namespace prism {

namespace {

void addTo(DistributionScore& sum, const DistributionScore& s, double weight)
{
    sum.meanError += weight * std::abs(s.meanError);
    sum.p50Error += weight * std::abs(s.p50Error);
    sum.p95Error += weight * std::abs(s.p95Error);
    sum.ks += weight * s.ks;
    sum.wassersteinSeconds += weight * s.wassersteinSeconds;
}

} // namespace

Result<RandomParts> randomParts(const TraceJob& job, HeldOutOptions options, int parts)
{
    const auto fraction = doubleFromText(options.train);
    if (!(fraction && *fraction > 0 && *fraction < 1))
        return Diagnostic{Severity::error, "--train", "several random parts need a fraction", options.train, "a number in (0, 1)", "", ""};
    if (parts < 1 || parts > kMaxParts)
        return Diagnostic{Severity::error, "--parts", "not a number of parts", std::to_string(parts), "1 to 1000", "", ""};
    RandomParts out;
    out.parts = parts;
    const double weight = 1.0 / parts;
    for (int k = 0; k < parts; ++k, ++options.seed) {
        const Result<HeldOut> h = heldOutPrediction(job, options);
        if (!h.ok())
            return h.errors();
        addTo(out.predicted, h->predicted, weight);
        addTo(out.baseline, h->baseline, weight);
        out.ksFloor += weight * h->ksFloor;
        out.meanFloor += weight * h->meanFloor;
        out.p95Floor += weight * h->p95Floor;
        out.replicaPhaseKs += weight * h->replicaPhaseKs;
        out.trainSteps = h->trainSteps;
        out.heldOutSteps = h->heldOutSteps;
    }
    return out;
}

} // namespace prism
