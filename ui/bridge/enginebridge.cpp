// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/enginebridge.h"

#include "core/base/platform/process.h"
#include "core/engine/evaluationcost.h"

#include <QMetaObject>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace prism::ui {

namespace {

constexpr std::size_t kKeptSnapshots = 96;
constexpr int kFirstSamples = 500; // before the number for a requested precision is known

} // namespace

/// The worker thread and its mailbox of one job.
struct EngineBridge::Worker {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::optional<std::pair<Job, std::stop_token>> handed; // guarded by mutex
    std::stop_source stopRunning;                          // GUI thread
    std::jthread thread;

    /// Stops what runs and puts the job in its place.
    void hand(Job job)
    {
        stopRunning.request_stop();
        stopRunning = std::stop_source();
        {
            const std::lock_guard lock(mutex);
            handed.emplace(std::move(job), stopRunning.get_token());
        }
        wake.notify_one();
    }
};

EngineBridge::EngineBridge(QObject* parent)
    : QObject(parent),
      m_evaluator(std::make_shared<Evaluator>()),
      m_worker(std::make_unique<Worker>())
{
    m_pause.setSingleShot(true);
    m_pause.setInterval(kBurstMs);
    connect(&m_pause, &QTimer::timeout, this, &EngineBridge::begin);
    m_worker->thread = std::jthread([this, evaluator = m_evaluator](std::stop_token quit) {
        giveWayToForeground();
        while (true) {
            std::unique_lock lock(m_worker->mutex);
            if (!m_worker->wake.wait(lock, quit, [this] { return m_worker->handed.has_value(); }))
                return;
            auto [job, stop] = std::move(*m_worker->handed);
            m_worker->handed.reset();
            lock.unlock();
            for (const Item& item : job.items) {
                if (stop.stop_requested())
                    break;
                const auto post = [this, number = job.number, id = item.id](const SnapshotPtr& snapshot) {
                    QMetaObject::invokeMethod(
                        this, [this, number, id, snapshot] { deliver(number, id, snapshot); }, Qt::QueuedConnection);
                };
                EvaluateOptions options;
                options.seed = job.seed;
                options.numSamples = job.samples;
                options.precision = job.precision;
                options.varianceShares = false;
                options.revision = job.number;
                options.stop = stop;
                options.onProgress = post;
                try {
                    post(evaluator->evaluate(*item.scenario, options));
                } catch (const std::exception& error) { // core returns errors as values; this is memory that ran out
                    auto failed = std::make_shared<Snapshot>();
                    failed->scenario = *item.scenario;
                    failed->hash = item.scenario->hash();
                    Diagnostic diagnostic;
                    diagnostic.path = "engine";
                    diagnostic.message = error.what();
                    failed->diagnostics.push_back(std::move(diagnostic));
                    post(failed);
                }
            }
            QMetaObject::invokeMethod(
                this, [this, number = job.number] { finish(number); }, Qt::QueuedConnection);
        }
    });
}

EngineBridge::~EngineBridge()
{
    m_worker->stopRunning.request_stop();
    m_worker->thread.request_stop();
    m_worker->thread.join();
}

void EngineBridge::request(const std::vector<Item>& items)
{
    const bool wasBusy = isBusy();
    std::map<int, Requested> requested;
    Job job{0, {}, m_samples, m_seed, m_precision};
    std::vector<int> touched;
    for (const Item& item : items) {
        const auto old = m_requested.find(item.id);
        const bool known = old != m_requested.end() && old->second.scenario == item.scenario;
        const ContentHash hash = known ? old->second.hash : item.scenario->hash();
        requested[item.id] = {item.scenario, hash};
        ScenarioResult& result = m_results[item.id];
        const bool same = old != m_requested.end() && old->second.hash == hash && (result.computing || result.shown || result.invalid);
        if (same && !result.computing && !result.cancelled)
            continue;
        if (const SnapshotPtr kept = remembered(hash)) {
            result = {kept->valid() ? kept : result.shown, kept->diagnostics, false, !kept->valid()};
            touched.push_back(item.id);
            continue;
        }
        if (!same || result.cancelled) {
            result.computing = true;
            result.cancelled = false;
            touched.push_back(item.id);
        }
        job.items.push_back(item);
    }
    const bool news = !touched.empty();
    m_requested = std::move(requested);
    std::erase_if(m_results, [this](const auto& entry) { return !m_requested.contains(entry.first); });
    if (job.items.empty()) {
        m_hasWaiting = false;
        if (news)
            m_worker->stopRunning.request_stop();
    } else if (news || !isBusy()) {
        m_waiting = std::move(job);
        m_hasWaiting = true;
        const bool inBurst = m_sinceEdit.isValid() && !m_sinceEdit.hasExpired(kBurstMs);
        if (!inBurst || m_sinceStart.hasExpired(kBurstSpacingMs))
            begin();
        m_sinceEdit.start();
        m_pause.start();
    }
    for (const int id : touched)
        Q_EMIT resultChanged(id);
    if (isBusy() != wasBusy)
        Q_EMIT busyChanged(isBusy());
}

void EngineBridge::cancel()
{
    m_hasWaiting = false;
    m_worker->stopRunning.request_stop();
    for (auto& [id, result] : m_results)
        if (result.computing) {
            result.computing = false;
            result.cancelled = true;
            Q_EMIT resultChanged(id);
        }
    if (m_runningJob == 0)
        Q_EMIT busyChanged(false);
}

void EngineBridge::setSamples(int numSamples)
{
    m_samples = std::clamp(numSamples, kMinSamples, kMaxSamples);
    m_precision = 0;
    forgetAnswers();
}

void EngineBridge::setPrecision(double share)
{
    m_samples = kFirstSamples;
    m_precision = share;
    forgetAnswers();
}

void EngineBridge::setSeed(std::uint64_t seed)
{
    m_seed = seed;
    forgetAnswers();
}

void EngineBridge::forgetAnswers()
{
    m_kept.clear();
    m_requested.clear();
    m_firstJob = m_nextJob;
}

const ScenarioResult& EngineBridge::result(int id) const
{
    static const ScenarioResult kNothing;
    const auto at = m_results.find(id);
    return at == m_results.end() ? kNothing : at->second;
}

void EngineBridge::begin()
{
    if (!m_hasWaiting)
        return;
    m_hasWaiting = false;
    ++m_jobsStarted;
    m_sinceStart.start();
    m_estimatedSeconds = 0;
    for (const Item& item : m_waiting.items)
        m_estimatedSeconds += estimatedCost(evaluationSize(*item.scenario, m_waiting.samples)).cpuSeconds;
    m_waiting.number = m_runningJob = m_nextJob++;
    m_worker->hand(std::move(m_waiting));
    m_waiting = {};
}

void EngineBridge::deliver(std::uint64_t job, int id, const SnapshotPtr& snapshot)
{
    if (job < m_firstJob)
        return; // of another seed or number of samples
    const auto requested = m_requested.find(id);
    const bool complete = snapshot->stage == Stage::complete || !snapshot->valid();
    const bool finished = complete && (!snapshot->samples || snapshot->samples->complete);
    if (finished)
        remember(snapshot);
    if (requested == m_requested.end() || requested->second.hash != snapshot->hash)
        return; // of an input that was replaced
    ScenarioResult& result = m_results[id];
    result.diagnostics = snapshot->diagnostics;
    result.invalid = !snapshot->valid();
    if (result.invalid) {
        result.computing = false;
    } else if (snapshot->samples && !snapshot->sortedAcrossSeconds.empty()) {
        result.shown = snapshot;
        result.computing = !finished;
    }
    if (finished) {
        m_lastCost = snapshot->cost;
        Q_EMIT costChanged();
    }
    Q_EMIT resultChanged(id);
}

void EngineBridge::finish(std::uint64_t job)
{
    if (job != m_runningJob)
        return; // another one took its place
    m_runningJob = 0;
    if (!isBusy())
        Q_EMIT busyChanged(false);
}

void EngineBridge::remember(const SnapshotPtr& snapshot)
{
    m_kept[snapshot->hash.value] = {snapshot, ++m_clock};
    if (m_kept.size() > kKeptSnapshots)
        m_kept.erase(
            std::min_element(m_kept.begin(), m_kept.end(), [](const auto& a, const auto& b) { return a.second.second < b.second.second; }));
}

SnapshotPtr EngineBridge::remembered(ContentHash hash) const
{
    const auto at = m_kept.find(hash.value);
    return at == m_kept.end() ? nullptr : at->second.first;
}

} // namespace prism::ui
