// SPDX-License-Identifier: GPL-3.0-or-later
// Query and answer of a training run: days, money and energy with their shares.
#pragma once

#include "core/insight/guarantee/guarantee.h"
#include "core/job/checkpointing.h"
#include "core/job/timeline.h"
#include "core/scenario/jobconfig.h"

#include <cstdint>
#include <string>
#include <vector>

namespace prism {

struct JobQuery {
    double tokens = 0;        ///< 0 = the scenario's train_tokens
    double deadlineDays = 0;  ///< 0 = that of the job section
    int runs = 2'000;         ///< sampled runs, 100 to 100,000
    bool asPredicted = false; ///< take steps as predicted, without the error of their mean and how systems differ: for closed forms
};

/// The run without failures and stops.
struct JobPlan {
    double tokens = 0, steps = 0, nodes = 0, gpus = 0;
    double stepSeconds = 0;     ///< mean step
    double undisturbedDays = 0; ///< median of steps alone
    double mtbfHours = 0;       ///< of the whole job; infinite without failures
    double evaluationSeconds = 0;
    double levelLow = 1, levelHigh = 1; ///< mean step over the predicted one, nine of ten runs: error of the mean, how systems differ
};

/// A share of the wall time. The shares of all causes and the productive one sum to 1.
struct TimeShare {
    std::string cause; ///< "productive", "checkpoint", "rework", ...
    Estimate share;    ///< mean over runs with its sampling interval
    double days = 0;   ///< mean
};

/// A checkpoint interval and the goodput with it: exact for blocking checkpoints, to first order for asynchronous ones.
struct IntervalPoint {
    double intervalSeconds = 0, effectiveRatio = 0;
};
struct CheckpointAdvice {
    double usedSeconds = 0, bestSeconds = 0, youngSeconds = 0, dalySeconds = 0; ///< infinite without failures
    double usedRatio = 0, bestRatio = 0;
    bool asynchronous = false;
    std::vector<IntervalPoint> curve; ///< ascending; empty without failures
};

/// Value of a number of spare nodes.
struct SparePoint {
    int spares = 0;
    double probabilityNone = 0; ///< that a failing node finds none: P(K > spares - 1), K Poisson with mean rate times repair time
    Estimate meanDays;          ///< sampled, the same runs for every row
    Estimate costUsd;           ///< spares are paid for too
};

/// Days of a run by renewal theory, where nothing but failures and blocking checkpoints matters.
struct ClosedForm {
    bool applies = false;
    std::string whyNot; ///< what it omits
    RunTime days;
};

struct JobReport {
    std::string preset;         ///< of the job section
    bool presetAssumed = false; ///< the scenario names no failures: those of `preset` are used
    JobConfig config;
    JobPlan plan;
    std::vector<double> sortedDays; ///< of the sampled runs, ascending
    double meanDays = 0, p5Days = 0, p99Days = 0;
    Estimate p50Days, p95Days;
    Estimate effectiveRatio; ///< productive over wall time (ETTR), mean
    double ratioP5 = 0, ratioP95 = 0;
    std::vector<TimeShare> shares;
    double failuresP5 = 0, failuresP50 = 0, failuresP95 = 0, interruptionsMean = 0;
    CheckpointAdvice checkpoints;
    ClosedForm closedForm;
    std::vector<SparePoint> spares; ///< empty where no failure takes a node
    int sparesFor99 = 0;            ///< least number with which a failing node finds a spare in 99 % of the cases
    double deadlineDays = 0;
    Estimate deadlineProbability;
    double costUsdMean = 0, costUsdP95 = 0;
    double energyMwhMean = 0, co2TonnesMean = 0; ///< 0 = not stated
    int runs = 0;
    std::uint64_t seed = 1;
    double elapsedSeconds = 0;
    std::vector<std::string> notes;
};

} // namespace prism
