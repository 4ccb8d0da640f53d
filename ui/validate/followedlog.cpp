// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/validate/followedlog.h"

#include "core/base/platform/process.h"
#include "core/insight/follow/follower.h"
#include "core/insight/follow/growinglog.h"
#include "ui/look/format.h"

#include <QMetaObject>

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

namespace prism::ui {

namespace {

FollowOptions optionsOf(const Scenario& s)
{
    FollowOptions options;
    options.gpus = static_cast<double>(s.cluster.numGpus);
    options.stallsPerGpuHour = s.variability.stallsPerGpuHour;
    options.stallRateCv = s.variability.stallRateCv;
    return options;
}

/// Takes lines and reports the steps in them; one thread.
class Following final {
public:
    Following(const Snapshot& predicted, const QString& path)
        : m_file(path.toStdString()),
          m_options(optionsOf(predicted.scenario)),
          m_predicted(predicted.samples->withinSeconds),
          m_follower(m_predicted, m_options)
    {
    }

    /// Reads the text added to the file since the last look; false where there is none.
    bool look(LogAdvance& news)
    {
        const LogListener listener{[&](std::string_view line) { take(line, news); }, [this] { restart(); }};
        if (!m_file.read(listener, false))
            return false;
        const PlacedStep& p = m_follower.last();
        news.text = m_text;
        news.steps = static_cast<int>(m_follower.steps());
        news.sentence = news.steps == 0 ? QObject::tr("Following; no step yet.")
                        : p.learning ? QObject::tr("Step %1: %2, learning the level.").arg(p.number).arg(format::seconds(p.seconds).text())
                                     : QObject::tr("Step %1: %2, %3 of the level, longer than %4 of predicted steps.")
                                           .arg(p.number)
                                           .arg(format::seconds(p.seconds).text(), format::percentDelta(p.overLevel - 1),
                                                format::percent(p.probability));
        return true;
    }

private:
    void take(std::string_view line, LogAdvance& news)
    {
        if (m_text.size() < kMaxText)
            m_text.append(line).append("\n");
        if (!m_reader->line(line))
            return;
        for (const Deviation& d : m_follower.take(m_reader->last()))
            news.alarms << QObject::tr("Step %1: %2").arg(d.step).arg(format::sentence(QString::fromStdString(d.text)));
    }
    void restart()
    {
        m_text.clear();
        m_reader = std::make_unique<StepLogReader>(StepLogOptions{}, StepLogReader::Keep::ends);
        m_follower = StepFollower(m_predicted, m_options);
    }

    static constexpr std::size_t kMaxText = std::size_t{64} << 20; ///< bytes, as of a log that is opened
    GrowingLog m_file;
    FollowOptions m_options;
    std::vector<double> m_predicted;
    StepFollower m_follower;
    std::unique_ptr<StepLogReader> m_reader = std::make_unique<StepLogReader>(StepLogOptions{}, StepLogReader::Keep::ends);
    std::string m_text;
};

} // namespace

struct FollowedLog::Worker {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::jthread thread;
};

FollowedLog::FollowedLog(QObject* parent) : QObject(parent) {}

FollowedLog::~FollowedLog()
{
    stop();
}

void FollowedLog::start(const QString& path, const SnapshotPtr& predicted)
{
    stop();
    if (!predicted || !predicted->samples || predicted->samples->withinSeconds.size() < 100)
        return;
    m_worker = std::make_unique<Worker>();
    m_worker->thread = std::jthread([this, worker = m_worker.get(), path, predicted](std::stop_token quit) {
        giveWayToForeground();
        Following following(*predicted, path);
        while (!quit.stop_requested()) {
            LogAdvance news;
            if (following.look(news))
                QMetaObject::invokeMethod(
                    this, [this, news = std::move(news)] { Q_EMIT advanced(news); }, Qt::QueuedConnection);
            std::unique_lock lock(worker->mutex);
            worker->wake.wait_for(lock, quit, std::chrono::milliseconds(kFollowMs), [] { return false; });
        }
    });
}

void FollowedLog::stop()
{
    if (!m_worker)
        return;
    m_worker->thread.request_stop();
    m_worker->thread.join();
    m_worker.reset();
}

} // namespace prism::ui
