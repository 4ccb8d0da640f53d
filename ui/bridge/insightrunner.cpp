// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/insightrunner.h"

#include "core/base/platform/process.h"

#include <QMetaObject>
#include <QPointer>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

namespace prism::ui {

struct InsightRunner::Impl {
    struct Job {
        std::uint64_t number = 0;
        QPointer<QObject> receiver;
        QString key, title;
        Work work;
        Done done;
    };
    std::deque<Job> waiting;    // GUI thread only
    std::optional<Job> running; // GUI thread only; its work moved to the worker
    bool cancelled = false, held = false, requeue = false;
    QPointer<QObject> front;
    QString progress; // of the running job
    std::uint64_t nextNumber = 1;

    std::mutex mutex;
    std::condition_variable_any wake;
    std::optional<std::pair<Job, std::stop_token>> handed; // guarded by mutex
    std::stop_source stopRunning;
    std::jthread worker;
};

InsightRunner::InsightRunner(QObject* parent) : QObject(parent), m_impl(std::make_unique<Impl>())
{
    m_impl->worker = std::jthread([this](std::stop_token quit) {
        giveWayToForeground();
        while (true) {
            std::unique_lock lock(m_impl->mutex);
            if (!m_impl->wake.wait(lock, quit, [this] { return m_impl->handed.has_value(); }))
                return;
            auto [job, stop] = std::move(*m_impl->handed);
            m_impl->handed.reset();
            lock.unlock();
            const JobProgress report = [this, key = job.key](double share, const QString& text) {
                QMetaObject::invokeMethod(
                    this,
                    [this, key, share, text] {
                        if (m_impl->running && m_impl->running->key == key)
                            m_impl->progress =
                                text.isEmpty() ? tr("%1 %").arg(qRound(share * 100)) : tr("%1 %, %2").arg(qRound(share * 100)).arg(text);
                        Q_EMIT progress(key, share, text);
                    },
                    Qt::QueuedConnection);
            };
            std::shared_ptr<const void> result;
            try {
                result = job.work(stop, report);
            } catch (const std::exception&) {
                result.reset(); // core returns errors as values; what is left here is memory, and then there is no result
            }
            QMetaObject::invokeMethod(
                this,
                [this, result] {
                    Impl::Job done = std::move(*m_impl->running);
                    const bool again = m_impl->requeue && !m_impl->cancelled;
                    const bool cancelled = m_impl->cancelled || !result;
                    const auto key = done.key;
                    m_impl->running.reset();
                    if (again)
                        m_impl->waiting.push_back(std::move(done)); // it gave way to the page that is looked at
                    else if (!cancelled && done.receiver)
                        done.done(result);
                    if (!again)
                        Q_EMIT finished(key, cancelled);
                    startNext();
                },
                Qt::QueuedConnection);
        }
    });
}

InsightRunner::~InsightRunner()
{
    m_impl->stopRunning.request_stop();
    m_impl->worker.request_stop();
    m_impl->worker.join();
}

void InsightRunner::start(QObject* receiver, const QString& key, const QString& title, Work work, Done done)
{
    cancel(key);
    m_impl->waiting.push_back({m_impl->nextNumber++, receiver, key, title, std::move(work), std::move(done)});
    preempt();
    startNext();
}

void InsightRunner::setFront(QObject* receiver)
{
    m_impl->front = receiver;
    preempt();
}

void InsightRunner::preempt()
{
    Impl& d = *m_impl;
    const auto inFront = [&d](const Impl::Job& job) { return d.front && job.receiver == d.front; };
    std::stable_partition(d.waiting.begin(), d.waiting.end(), inFront);
    if (!d.running || d.waiting.empty() || inFront(*d.running) || !inFront(d.waiting.front()))
        return;
    d.requeue = true;
    d.stopRunning.request_stop();
}

void InsightRunner::startNext()
{
    if (m_impl->running || m_impl->held || m_impl->waiting.empty())
        return;
    Impl::Job job = std::move(m_impl->waiting.front());
    m_impl->waiting.pop_front();
    m_impl->cancelled = m_impl->requeue = false;
    m_impl->progress.clear();
    m_impl->stopRunning = std::stop_source();
    m_impl->running = job;
    const QString key = job.key, title = job.title;
    {
        const std::lock_guard lock(m_impl->mutex);
        m_impl->handed.emplace(std::move(job), m_impl->stopRunning.get_token());
    }
    m_impl->wake.notify_one();
    Q_EMIT started(key, title);
}

void InsightRunner::cancel(const QString& key)
{
    std::erase_if(m_impl->waiting, [&](const Impl::Job& job) { return job.key == key; });
    if (m_impl->running && m_impl->running->key == key) {
        m_impl->cancelled = true;
        m_impl->stopRunning.request_stop();
    }
}

void InsightRunner::cancelAll()
{
    std::deque<Impl::Job> dropped;
    dropped.swap(m_impl->waiting);
    if (m_impl->running)
        cancel(m_impl->running->key);
    for (const Impl::Job& job : dropped)
        Q_EMIT finished(job.key, true);
}

void InsightRunner::setHeld(bool held)
{
    m_impl->held = held;
    startNext();
}

bool InsightRunner::isBusy(const QString& key) const
{
    if (m_impl->running && m_impl->running->key == key && !m_impl->cancelled)
        return true;
    for (const Impl::Job& job : m_impl->waiting)
        if (job.key == key)
            return true;
    return false;
}

bool InsightRunner::isRunning(const QString& key) const
{
    return m_impl->running && m_impl->running->key == key && !m_impl->cancelled && !m_impl->requeue;
}

QString InsightRunner::progressText(const QString& key) const
{
    return isRunning(key) ? m_impl->progress : QString();
}

bool InsightRunner::isIdle() const
{
    return !m_impl->running && m_impl->waiting.empty();
}

} // namespace prism::ui
