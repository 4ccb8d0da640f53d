// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/bench/measures.h"

#include "ui/distribution/distributionpage.h"
#include "ui/window/headlinestrip.h"
#include "ui/window/pagehost.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QThread>

#include <time.h> // NOLINT(modernize-deprecated-headers): clock_gettime is of POSIX

#include <algorithm>
#include <cstdio>
#include <random>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::bench {

namespace {

constexpr double kFrameMs = 16;
constexpr qint64 kPatienceMs = 3'000; // for one edit
constexpr double kIdleTurnMs = 0.05;  // a turn with nothing to do
constexpr unsigned long kSleepMicroseconds = 100;

double milliseconds(const QElapsedTimer& clock)
{
    return static_cast<double>(clock.nsecsElapsed()) / 1e6;
}

/// What the calling thread has had of the processor.
double cpuMilliseconds()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

/// The clock and the thread's own time since its start.
class TurnClock final {
public:
    TurnClock() { m_clock.start(); }
    [[nodiscard]] Turn turn(const QString& during) const { return {milliseconds(m_clock), cpuMilliseconds() - m_cpu, during}; }

private:
    QElapsedTimer m_clock;
    double m_cpu = cpuMilliseconds();
};

} // namespace

double quantile(std::vector<double> values, double p)
{
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[static_cast<std::size_t>(p * static_cast<double>(values.size() - 1))];
}

void waitForResults(MainWindow& window)
{
    do
        QApplication::processEvents(QEventLoop::AllEvents, 5);
    while (window.workspace().bridge().isBusy());
}

void waitForPage(MainWindow& window)
{
    do
        waitForResults(window);
    while (!window.workspace().insights().isIdle() || window.pages().current()->isComputing());
}

EditTimes editSession(MainWindow& window, int edits, const QString& name)
{
    EditTimes times;
    CdfChart& chart = static_cast<DistributionPage*>(window.pages().page(u"distribution"_s))->chart();
    EngineBridge& bridge = window.workspace().bridge();
    const bool drawsCurves = chart.isVisibleTo(&window);
    const auto painted = [&] { return drawsCurves ? chart.paintCount() : window.headline().paintCount(); };
    SnapshotPtr before;
    int paintedBefore = -1; // repaints when the first new result came; -1 = none came
    const auto connection = QObject::connect(&bridge, &EngineBridge::resultChanged, &chart, [&] {
        if (paintedBefore < 0 && bridge.result(1).shown != before)
            paintedBefore = painted();
    });
    std::mt19937 random(7);
    QElapsedTimer clock;
    for (int i = 0; i < edits; ++i) {
        const QString during = u"%1, edit %2"_s.arg(name).arg(i);
        before = bridge.result(1).shown;
        paintedBefore = -1;
        clock.restart();
        const TurnClock setting;
        const double cv = 0.005 + 0.0001 * static_cast<double>(random() % 300);
        (void)window.workspace().study().setParameter(1, "variability.spatial.cv", std::to_string(cv));
        times.turns.push_back(setting.turn(during + u", setting it"_s));
        while (clock.elapsed() < kPatienceMs && (paintedBefore < 0 || painted() == paintedBefore)) {
            const TurnClock turn;
            QApplication::processEvents();
            times.turns.push_back(turn.turn(during));
            if (times.turns.back().milliseconds < kIdleTurnMs)
                QThread::usleep(kSleepMicroseconds); // as the loop of the program does
        }
        times.repaints.push_back(milliseconds(clock));
    }
    QObject::disconnect(connection);
    return times;
}

std::vector<double> ghostTimes(MainWindow& window, int rounds)
{
    constexpr std::pair<const char*, const char*> kTried[] = {{"parallelism.tensor_model_parallel_size", "4"},
                                                              {"parallelism.virtual_pipeline_model_parallel_size", "2"},
                                                              {"training.micro_batch_size", "2"},
                                                              {"parallelism.zero_stage", "2"},
                                                              {"training.recompute_granularity", "full"},
                                                              {"variability.gemm.cv", "0.04"}};
    std::vector<double> times;
    GhostPreview& ghost = window.workspace().ghost();
    for (int round = 0; round < rounds; ++round)
        for (const auto& [id, value] : kTried) {
            const ScenarioEntry& e = *window.workspace().study().current();
            ghost.show(e.id, e.scenario, QString::fromLatin1(id), QString::fromLatin1(value), static_cast<std::uint64_t>(round + 1));
            while (ghost.isComputing())
                QApplication::processEvents(QEventLoop::AllEvents, 5);
            if (ghost.ghost().snapshot)
                times.push_back(ghost.lastMilliseconds());
            ghost.clear();
        }
    return times;
}

void print(const QString& name, const EditTimes& times)
{
    std::vector<Turn> turns = times.turns;
    std::erase_if(turns, [](const Turn& t) { return t.milliseconds < kIdleTurnMs; });
    std::sort(turns.begin(), turns.end(), [](const Turn& a, const Turn& b) { return a.milliseconds > b.milliseconds; });
    std::vector<double> all;
    for (const Turn& t : turns)
        all.push_back(t.milliseconds);
    double own = 0;
    for (const Turn& t : times.turns)
        own += t.cpuMilliseconds;
    const auto isOver = [](double ms) { return ms > kFrameMs; };
    const auto over = std::count_if(all.begin(), all.end(), isOver);
    const auto ownOver = std::count_if(turns.begin(), turns.end(), [&](const Turn& t) { return isOver(t.cpuMilliseconds); });
    std::printf(
        "%s, %zu edits: to the first repaint median %.1f ms, p95 %.1f ms, longest %.1f ms; %zu turns, p95 %.1f ms, %td over %.0f ms "
        "(%td by the thread's own time, %.1f ms an edit)\n",
        qUtf8Printable(name), times.repaints.size(), quantile(times.repaints, 0.5), quantile(times.repaints, 0.95),
        quantile(times.repaints, 1), all.size(), quantile(all, 0.95), over, kFrameMs, ownOver,
        own / static_cast<double>(std::max<std::size_t>(1, times.repaints.size())));
    for (std::size_t i = 0; i < std::min<std::size_t>(5, turns.size()) && turns[i].milliseconds > kFrameMs; ++i)
        std::printf("    %6.1f ms (own %.1f)  %s\n", turns[i].milliseconds, turns[i].cpuMilliseconds, qUtf8Printable(turns[i].during));
}

} // namespace prism::ui::bench
