// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/ghostpreview.h"

#include "core/base/platform/process.h"
#include "core/scenario/parameters.h"

#include <QMetaObject>

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace prism::ui {

namespace {

struct GhostQuestion {
    std::uint64_t number = 0, seed = 1;
    Scenario scenario;
    std::stop_token stop;
};

QString firstError(const Diagnostics& diagnostics)
{
    for (const Diagnostic& d : diagnostics)
        if (d.severity == Severity::error)
            return QString::fromStdString(d.message);
    return {};
}

/// An evaluation that ran out of memory has no curve. `onProgress`: the steps across jobs are there before those within one.
SnapshotPtr evaluated(Evaluator& evaluator, const GhostQuestion& question, const std::function<void(SnapshotPtr)>& onProgress)
{
    EvaluateOptions options;
    options.seed = question.seed;
    options.numSamples = kGhostSamples;
    options.varianceShares = options.systemsRange = false;
    options.stop = question.stop;
    options.onProgress = onProgress;
    try {
        return evaluator.evaluate(question.scenario, options);
    } catch (const std::exception&) {
        return nullptr;
    }
}

} // namespace

/// The worker thread and its mailbox of one question.
struct GhostPreview::Worker {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::optional<GhostQuestion> handed; // guarded by mutex
    std::stop_source stopRunning;        // GUI thread
    std::jthread thread;

    void hand(GhostQuestion question)
    {
        {
            const std::lock_guard lock(mutex);
            handed = std::move(question);
        }
        wake.notify_one();
    }
};

GhostPreview::GhostPreview(std::shared_ptr<Evaluator> evaluator, QObject* parent) : QObject(parent), m_worker(std::make_unique<Worker>())
{
    m_worker->thread = std::jthread([this, evaluator = std::move(evaluator)](std::stop_token quit) {
        giveWayToForeground();
        while (true) {
            std::unique_lock lock(m_worker->mutex);
            if (!m_worker->wake.wait(lock, quit, [this] { return m_worker->handed.has_value(); }))
                return;
            const GhostQuestion question = std::move(*m_worker->handed);
            m_worker->handed.reset();
            lock.unlock();
            const auto post = [this, &question](const SnapshotPtr& snapshot) {
                if (!question.stop.stop_requested())
                    QMetaObject::invokeMethod(
                        this, [this, number = question.number, snapshot] { deliver(number, snapshot); }, Qt::QueuedConnection);
            };
            post(evaluated(*evaluator, question, post));
        }
    });
}

GhostPreview::~GhostPreview()
{
    m_worker->stopRunning.request_stop();
    m_worker->thread.request_stop();
    m_worker->thread.join();
}

void GhostPreview::show(int scenarioId, const ScenarioPtr& base, const QString& parameterId, const QString& value, std::uint64_t seed)
{
    if (m_ghost.scenarioId == scenarioId && m_ghost.parameterId == parameterId && m_ghost.value == value)
        return;
    m_worker->stopRunning.request_stop();
    m_ghost = {scenarioId, parameterId, value, {}, nullptr};
    ++m_number;
    const Result<Scenario> tried = setParameter(*base, parameterId.toStdString(), value.toStdString());
    const bool isInUse = tried.ok() && *tried == *base; // it has its curve already
    if (isInUse)
        m_ghost = {};
    m_ghost.problem = firstError(tried.errors());
    if (tried.ok() && !isInUse) {
        m_clock.start();
        m_worker->stopRunning = std::stop_source();
        m_worker->hand({m_number, seed, *tried, m_worker->stopRunning.get_token()});
    }
    Q_EMIT changed();
}

void GhostPreview::clear()
{
    m_worker->stopRunning.request_stop();
    ++m_number;
    if (m_ghost.scenarioId < 0)
        return;
    m_ghost = {};
    Q_EMIT changed();
}

void GhostPreview::deliver(std::uint64_t number, const SnapshotPtr& snapshot)
{
    if (number != m_number)
        return;
    const bool computing = isComputing();
    if (snapshot && snapshot->valid() && !snapshot->sortedAcrossSeconds.empty())
        m_ghost.snapshot = snapshot;
    else
        m_ghost.problem = snapshot ? firstError(snapshot->diagnostics) : tr("There is not enough memory to compute it.");
    if (computing)
        m_lastMs = static_cast<double>(m_clock.nsecsElapsed()) / 1e6;
    Q_EMIT changed();
}

} // namespace prism::ui
