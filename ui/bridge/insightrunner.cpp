#include "ui/bridge/insightrunner.h"

#include <QMetaObject>
#include <QPointer>

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
    bool cancelled = false, held = false;
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
        while (true) {
            std::unique_lock lock(m_impl->mutex);
            if (!m_impl->wake.wait(lock, quit, [this] { return m_impl->handed.has_value(); }))
                return;
            auto [job, stop] = std::move(*m_impl->handed);
            m_impl->handed.reset();
            lock.unlock();
            const JobProgress report = [this, key = job.key](double share, const QString& text) {
                QMetaObject::invokeMethod(
                    this, [this, key, share, text] { Q_EMIT progress(key, share, text); }, Qt::QueuedConnection);
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
                    const Impl::Job done = std::move(*m_impl->running);
                    const bool cancelled = m_impl->cancelled || !result;
                    m_impl->running.reset();
                    Q_EMIT finished(done.key, cancelled);
                    if (!cancelled && done.receiver)
                        done.done(result);
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
    startNext();
}

void InsightRunner::startNext()
{
    if (m_impl->running || m_impl->held || m_impl->waiting.empty())
        return;
    Impl::Job job = std::move(m_impl->waiting.front());
    m_impl->waiting.pop_front();
    m_impl->cancelled = false;
    m_impl->stopRunning = std::stop_source();
    m_impl->running = Impl::Job{job.number, job.receiver, job.key, job.title, {}, job.done};
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
    m_impl->waiting.clear();
    if (m_impl->running)
        cancel(m_impl->running->key);
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

bool InsightRunner::isIdle() const
{
    return !m_impl->running && m_impl->waiting.empty();
}

} // namespace prism::ui
