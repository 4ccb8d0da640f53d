// SPDX-License-Identifier: GPL-3.0-or-later
// The agreement battery: graphs on which the fast simulator must give the reference's distribution, and how that is judged.
#pragma once

#include "core/step/stepgraph.h"

#include <cstddef>
#include <string>
#include <vector>

namespace prism::test {

struct BatteryCase {
    std::string name;
    StepGraph graph;
    bool reduced = false; ///< part of the short form
};

/// More than 30 graphs over schedules, TP, replicas, families, regimes, slow ranks, rare events and the data factor.
[[nodiscard]] std::vector<BatteryCase> batteryCases();

/// One quantile of both simulators, relative to the reference's median.
struct QuantileAgreement {
    double reference = 0, fast = 0; ///< seconds
    double difference = 0;          ///< (fast - reference) / reference median
    double standardError = 0;       ///< of the difference, from both samples' order statistics and the fast one's shared error
    double limit = 0;
    /// The difference is significantly beyond the limit: |difference| - kErrors * standardError > limit.
    [[nodiscard]] bool fails() const;
};

inline constexpr double kBatteryErrors = 3.3; ///< standard errors; one false alarm in a thousand at the very limit

struct Agreement {
    std::string name;
    QuantileAgreement p50, p95, p99;
    double ks = 0, ksLimit = 0; ///< limit: sampling noise at a level of 0.1 %, and kBatteryErrors of ksShared, plus 0.01
    double ksShared = 0;        ///< standard error of the fast CDF at its median by the error that its steps share
    double referenceSeconds = 0, fastSeconds = 0;
    std::size_t referenceSamples = 0, fastSamples = 0;
    /// The sampling noise is well below the limits themselves.
    [[nodiscard]] bool hasPower() const;
    [[nodiscard]] bool fails() const { return p50.fails() || p95.fails() || p99.fails() || ks > ksLimit; }
};

/// Runs both simulators across jobs: |dp50| <= 0.2 %, |dp95| <= 0.5 %, |dp99| <= 1 %. Independent seeds.
[[nodiscard]] Agreement agreement(const BatteryCase& batteryCase, int referenceSamples, int fastSamples);
/// The same with further seeds of the simulator with the larger error, until there is power: the error that the steps of one fast run
/// share (of its sampled pass tables) is redrawn with each seed.
[[nodiscard]] Agreement agreementWithPower(const BatteryCase& batteryCase, int referenceSamples, int fastSamples);

/// The table as text, one line per case.
[[nodiscard]] std::string agreementTable(const std::vector<Agreement>& rows);

} // namespace prism::test
