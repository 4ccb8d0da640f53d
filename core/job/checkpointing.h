// SPDX-License-Identifier: GPL-3.0-or-later
// Closed forms of checkpoint and restart: best interval, expected time and its deviation, lost work, effective training time ratio.
//
// All assume failures that come as a Poisson process with mean time M between them, also during checkpoints and restarts; times in
// seconds, or in any one unit. Pure functions; any thread. NaN is never returned: a case without an answer gives an infinite interval.
#pragma once

namespace prism {

/// Times of a run with checkpoints. All > 0 unless stated.
struct CheckpointedRun {
    double mtbf = 0;       ///< M, mean time between failures of the whole job
    double checkpoint = 0; ///< d >= 0, time that a checkpoint blocks training
    double restart = 0;    ///< R >= 0, detection, restart and loading, without failures in between
};

/// Young (1974, doi:10.1145/361147.361115): sqrt(2 d M).
[[nodiscard]] double youngInterval(double checkpoint, double mtbf);
/// Daly (2006, doi:10.1016/j.future.2004.11.016, the higher-order estimate): sqrt(2dM) (1 + sqrt(d/2M)/3 + d/18M) - d; M where d >= 2M.
[[nodiscard]] double dalyInterval(double checkpoint, double mtbf);
/// The interval that minimises the expected time exactly: M (1 + W0(-exp(-d/M - 1))), W0 the principal branch of Lambert's function. It
/// does not depend on the restart time.
[[nodiscard]] double exactInterval(double checkpoint, double mtbf);
/// Asynchronous checkpoints that block for b and are safe p later: sqrt(2 b M), but not below p.
[[nodiscard]] double asyncInterval(double block, double persist, double mtbf);
/// Share of the time that asynchronous checkpoints lose, to first order: b/tau + (tau/2 + p + R)/M.
[[nodiscard]] double asyncLoss(double interval, double block, double persist, double restart, double mtbf);

/// Mean and standard deviation of a run time.
struct RunTime {
    double mean = 0, std = 0;
};
/// `segments` segments of `interval` and a checkpoint each, the last one written too; failed restarts start again. Mean
/// n M e^(R/M) (e^(L/M) - 1), L = interval + d (Daly 2006). Variance n [K (VX + VR) + K (K + 1) (EX + ER)^2] with K = e^(L/M) - 1
/// failures per segment (geometric), X the time of a failure given that it is below L, R' a restart that may fail.
[[nodiscard]] RunTime expectedRunTime(const CheckpointedRun& run, double interval, double segments);
/// Effective training time ratio: interval over its expected time.
[[nodiscard]] double exactEttr(const CheckpointedRun& run, double interval);
/// Mean time between failures of a job in hours: 24,000 / (failures per 1,000 node-days * nodes); infinite without failures.
[[nodiscard]] double jobMtbfHours(double failuresPer1000NodeDays, double nodes);

} // namespace prism
