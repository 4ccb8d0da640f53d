// SPDX-License-Identifier: GPL-3.0-or-later
// Between the window and the engine: scenarios in, immutable snapshots out, on a separate worker thread.
#pragma once

#include "core/engine/evaluator.h"
#include "ui/model/studystate.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <map>
#include <memory>
#include <vector>

namespace prism::ui {

/// The result of one scenario: the last valid snapshot, and whether it answers the present input.
struct ScenarioResult {
    SnapshotPtr shown;       ///< last valid one; null before the first
    Diagnostics diagnostics; ///< of the present input: errors (then `shown` is of the last valid input) and warnings
    bool computing = false;  ///< the present input is waiting or being computed
    bool invalid = false;    ///< the present input has errors
    bool cancelled = false;  ///< the user stopped the computation of the present input
    [[nodiscard]] bool stale() const { return computing || invalid || cancelled; }
};

inline constexpr int kMinSamples = 100, kMaxSamples = 1'000'000;
inline constexpr int kBurstMs = 12;         ///< shorter than a frame: keystrokes and the steps of a held key do not form a burst
inline constexpr int kBurstSpacingMs = 120; ///< of the starts while a burst lasts: 50 edits in 100 ms are two computations

/// All functions: GUI thread; none of them waits. Latest wins: an edit starts at once and stops the job before it; in a burst
/// of edits closer than `kBurstMs` the first starts at once and the last one when the burst pauses, or each `kBurstSpacingMs`
/// while it lasts. Finished snapshots are kept by content hash, so that undo shows them without computing.
class EngineBridge final : public QObject {
    Q_OBJECT
public:
    struct Item {
        int id = 0;
        ScenarioPtr scenario;
    };

    explicit EngineBridge(QObject* parent = nullptr);
    ~EngineBridge() override;

    // change it
    /// Scenarios to keep up to date, most important first. Ids that are omitted are forgotten.
    void request(const std::vector<Item>& items);
    /// The ids of the next requests are of another study: no result is the last valid one of theirs. Finished snapshots stay kept.
    void forgetResults() { m_requested.clear(), m_results.clear(); }
    void cancel();                   ///< stops the running job and drops the waiting one
    void setSamples(int numSamples); ///< of the next requests
    /// The next requests are sampled until the half-width of p95 is below this share of it, from few steps on.
    void setPrecision(double share);
    void setSeed(std::uint64_t seed);

    // look at it
    [[nodiscard]] const ScenarioResult& result(int id) const;
    [[nodiscard]] bool isBusy() const { return m_runningJob != 0 || m_hasWaiting; }
    [[nodiscard]] int jobsStarted() const { return m_jobsStarted; } ///< since the start, for tests and benchmarks
    [[nodiscard]] int samples() const { return m_samples; }
    [[nodiscard]] double precision() const { return m_precision; } ///< 0 = a number of samples
    [[nodiscard]] std::uint64_t seed() const { return m_seed; }
    [[nodiscard]] const EvaluationCost& lastCost() const { return m_lastCost; }
    [[nodiscard]] double estimatedSeconds() const { return m_estimatedSeconds; } ///< of CPU, of the latest job
    [[nodiscard]] std::shared_ptr<Evaluator> evaluator() const { return m_evaluator; }

Q_SIGNALS:
    void resultChanged(int id); ///< a snapshot, a diagnostic or the state of one scenario
    void busyChanged(bool busy);
    void costChanged(); ///< lastCost() is of a finished edit

private:
    struct Job {
        std::uint64_t number = 0;
        std::vector<Item> items;
        int samples = 0;
        std::uint64_t seed = 1;
        double precision = 0;
    };
    struct Worker;
    void begin();
    void forgetAnswers();
    void deliver(std::uint64_t job, int id, const SnapshotPtr& snapshot);
    void finish(std::uint64_t job);
    void remember(const SnapshotPtr& snapshot);
    [[nodiscard]] SnapshotPtr remembered(ContentHash hash) const;

    std::shared_ptr<Evaluator> m_evaluator;
    std::map<int, ScenarioResult> m_results;
    /// The scenario to evaluate; it is never changed in place, so its hash is taken once.
    struct Requested {
        ScenarioPtr scenario;
        ContentHash hash;
    };
    std::map<int, Requested> m_requested;
    std::map<std::uint64_t, std::pair<SnapshotPtr, std::uint64_t>> m_kept; ///< by hash, with the time of last use
    std::uint64_t m_clock = 0;
    Job m_waiting;
    bool m_hasWaiting = false;
    std::uint64_t m_nextJob = 1, m_runningJob = 0; ///< the latest job that the worker was given; 0 = it is idle
    std::uint64_t m_firstJob = 1;                  ///< of the present seed and number of samples
    int m_jobsStarted = 0, m_samples = 2'000;
    double m_precision = 0;
    std::uint64_t m_seed = 1;
    EvaluationCost m_lastCost;
    double m_estimatedSeconds = 0;
    QTimer m_pause; ///< ends a burst
    QElapsedTimer m_sinceEdit, m_sinceStart;
    std::unique_ptr<Worker> m_worker;
};

} // namespace prism::ui
