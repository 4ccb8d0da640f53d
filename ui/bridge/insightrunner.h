// SPDX-License-Identifier: GPL-3.0-or-later
// Runs insight jobs (tornado, placement map, scaling, ...) one at a time on a separate thread; latest wins.
#pragma once

#include <QObject>
#include <QString>

#include <functional>
#include <memory>
#include <stop_token>

namespace prism::ui {

/// Called by a job on its own thread: share done in [0, 1] and a short text ("6,200 of 10,000 samples").
using JobProgress = std::function<void(double, const QString&)>;

/// All functions: GUI thread. Work runs on the runner's one thread; results come back on the GUI thread.
/// At most one job per key waits or runs: a new one with the same key replaces the waiting one and stops the running one,
/// whose result is then not delivered.
class InsightRunner final : public QObject {
    Q_OBJECT
public:
    explicit InsightRunner(QObject* parent = nullptr);
    ~InsightRunner() override;

    // change it
    /// `work` must look at its stop token every few milliseconds and capture values only (no widgets). `done` is called on the
    /// GUI thread while `receiver` lives; not at all when the job was cancelled or replaced.
    template <class R>
    void run(QObject* receiver, const QString& key, const QString& title, std::function<R(std::stop_token, const JobProgress&)> work,
             std::function<void(std::shared_ptr<const R>)> done)
    {
        start(
            receiver, key, title,
            [work = std::move(work)](std::stop_token stop, const JobProgress& progress) -> std::shared_ptr<const void> {
                return std::make_shared<const R>(work(std::move(stop), progress));
            },
            [done = std::move(done)](const std::shared_ptr<const void>& result) { done(std::static_pointer_cast<const R>(result)); });
    }
    /// The jobs of this receiver come first; a running job of another one goes back to the queue.
    void setFront(QObject* receiver);
    /// Questions whose jobs were cancelled may be asked again.
    void retry() { ++m_round; }
    void cancel(const QString& key);
    void cancelAll();
    /// While held no new job starts (the engine bridge is busy with an edit).
    void setHeld(bool held);

    // look at it
    [[nodiscard]] bool isBusy(const QString& key) const; ///< waits or runs
    [[nodiscard]] bool isRunning(const QString& key) const;
    [[nodiscard]] QString progressText(const QString& key) const; ///< "34 %, 6,200 of 10,000 samples"; empty while nothing was reported
    [[nodiscard]] int round() const { return m_round; }           ///< counts the calls of retry
    [[nodiscard]] bool isIdle() const;

Q_SIGNALS:
    void started(const QString& key, const QString& title);
    void progress(const QString& key, double share, const QString& text);
    void finished(const QString& key, bool cancelled);

private:
    using Work = std::function<std::shared_ptr<const void>(std::stop_token, const JobProgress&)>;
    using Done = std::function<void(const std::shared_ptr<const void>&)>;
    void start(QObject* receiver, const QString& key, const QString& title, Work work, Done done);
    void startNext();
    void preempt();

    struct Impl;
    int m_round = 0;
    std::unique_ptr<Impl> m_impl;
};

} // namespace prism::ui
