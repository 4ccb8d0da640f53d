// SPDX-License-Identifier: GPL-3.0-or-later
// Preview of the curve for a value that is not committed: evaluated in the background, newest request first.
#pragma once

#include "core/engine/evaluator.h"
#include "ui/model/studystate.h"

#include <QElapsedTimer>
#include <QObject>
#include <QString>

#include <memory>

namespace prism::ui {

/// The curve of a value that is not committed.
struct Ghost {
    int scenarioId = -1;  ///< whose value is tried; -1 = none
    QString parameterId;  ///< "parallelism.tensor_model_parallel_size"
    QString value;        ///< as setParameter reads it
    QString problem;      ///< why there is no curve; empty = none
    SnapshotPtr snapshot; ///< null while it is being computed; steps within a job come after those across jobs
};

inline constexpr int kGhostSamples = 500; ///< steps; its p95 is within a percent or so, and it is there within a tenth of a second

/// GUI thread only; its worker thread evaluates. Nothing is written: no undo step, no file. A newer question stops the older one.
class GhostPreview final : public QObject {
    Q_OBJECT
public:
    explicit GhostPreview(std::shared_ptr<Evaluator> evaluator, QObject* parent = nullptr);
    ~GhostPreview() override;

    // change it
    void show(int scenarioId, const ScenarioPtr& base, const QString& parameterId, const QString& value, std::uint64_t seed);
    void clear();

    // look at it
    [[nodiscard]] const Ghost& ghost() const { return m_ghost; }
    [[nodiscard]] bool isComputing() const { return m_ghost.scenarioId >= 0 && !m_ghost.snapshot && m_ghost.problem.isEmpty(); }
    [[nodiscard]] double lastMilliseconds() const { return m_lastMs; } ///< from the question to its curve, for benchmarks

Q_SIGNALS:
    void changed();

private:
    struct Worker;
    void deliver(std::uint64_t number, const SnapshotPtr& snapshot);

    Ghost m_ghost;
    std::uint64_t m_number = 0; ///< of the newest question
    double m_lastMs = 0;
    QElapsedTimer m_clock;
    std::unique_ptr<Worker> m_worker;
};

} // namespace prism::ui
