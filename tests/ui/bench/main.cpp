// SPDX-License-Identifier: GPL-3.0-or-later
// How the window feels: time of the first start, from an edit to the first repaint of the CDF, and stalls of the GUI thread during random
// edits.
#include "core/scenario/presets.h"
#include "ui/distribution/distributionpage.h"
#include "ui/window/mainwindow.h"
#include "ui/window/pagehost.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QStandardPaths>
#include <QTemporaryDir>

#include <algorithm>
#include <cstdio>
#include <random>

using namespace Qt::Literals::StringLiterals;
using namespace prism;
using namespace prism::ui;

namespace {

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

/// What the first start takes: theme, window, sample study, every curve of it.
void measureFirstStart(QApplication& application)
{
    QElapsedTimer clock;
    clock.start();
    Theme theme;
    theme.applyTo(application);
    MainWindow window(theme);
    window.resize(1440, 900);
    window.openSample();
    window.show();
    CdfChart& chart = static_cast<DistributionPage*>(window.pages().page(u"distribution"_s))->chart();
    while (chart.curves().isEmpty())
        QApplication::processEvents(QEventLoop::AllEvents, 5);
    const double first = static_cast<double>(clock.nsecsElapsed()) / 1e9;
    waitForResults(window);
    std::printf("first start: first curve after %.2f s, sample study complete after %.2f s\n", first,
                static_cast<double>(clock.nsecsElapsed()) / 1e9);
}

} // namespace

int main(int argc, char** argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QStandardPaths::setTestModeEnabled(true);
    QApplication application(argc, argv);
    QCoreApplication::setApplicationName(u"prism-ui-bench"_s);
    measureFirstStart(application);
    const char* preset = argc > 1 ? argv[1] : "frontier-64k";
    const int edits = argc > 2 ? std::atoi(argv[2]) : 200;
    const Result<Scenario> scenario = scenarioPreset(preset);
    if (!scenario) {
        std::fprintf(stderr, "%s is no scenario preset\n", preset);
        return 1;
    }
    Theme theme;
    theme.applyTo(application);
    QTemporaryDir folder;
    MainWindow window(theme);
    window.resize(1440, 900);
    if (!window.file().create(folder.filePath(u"bench.prism"_s)).empty())
        return 1;
    StudyState state;
    state.entries.push_back({1, std::make_shared<const Scenario>(*scenario), 0, true, false});
    state.baselineId = 1;
    QElapsedTimer clock;
    clock.start();
    window.workspace().study().reset(state, 1);
    window.show();
    waitForResults(window);
    std::printf("%s: first result complete after %.2f s\n", preset, static_cast<double>(clock.nsecsElapsed()) / 1e9);

    CdfChart& chart = static_cast<DistributionPage*>(window.pages().page(u"distribution"_s))->chart();
    std::mt19937 random(7);
    std::vector<double> repaints, stalls;
    EngineBridge& bridge = window.workspace().bridge();
    SnapshotPtr before;
    int paintedBefore = -1; // repaints when the first new result came; -1 = none came
    QObject::connect(&bridge, &EngineBridge::resultChanged, &chart, [&] {
        if (paintedBefore < 0 && bridge.result(1).shown != before)
            paintedBefore = chart.paintCount();
    });
    constexpr qint64 kPatience = 3'000; // ms for one edit
    for (int i = 0; i < edits; ++i) {
        before = bridge.result(1).shown;
        paintedBefore = -1;
        clock.restart();
        const double cv = 0.005 + 0.0001 * static_cast<double>(random() % 300);
        (void)window.workspace().study().setParameter(1, "variability.spatial.cv", std::to_string(cv));
        stalls.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
        QElapsedTimer turn;
        while (clock.elapsed() < kPatience && (paintedBefore < 0 || chart.paintCount() == paintedBefore)) {
            turn.restart();
            QApplication::processEvents();
            stalls.push_back(static_cast<double>(turn.nsecsElapsed()) / 1e6);
        }
        repaints.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
    }
    std::printf("edit to first repaint of the CDF, %zu edits: median %.1f ms, p95 %.1f ms, longest %.1f ms\n", repaints.size(),
                quantile(repaints, 0.5), quantile(repaints, 0.95), quantile(repaints, 1));
    std::erase_if(stalls, [](double ms) { return ms < 0.05; }); // turns of the event loop with nothing to do
    std::printf("turns of the GUI thread with work: %zu; p50 %.1f ms, p95 %.1f ms, longest %.1f ms\n", stalls.size(), quantile(stalls, 0.5),
                quantile(stalls, 0.95), quantile(stalls, 1));
    const double edges[] = {1, 2, 4, 8, 16, 33, 66, 1e9};
    double low = 0;
    for (const double edge : edges) {
        const auto n = std::count_if(stalls.begin(), stalls.end(), [&](double ms) { return ms >= low && ms < edge; });
        if (edge < 1e9)
            std::printf("  %5.0f to %2.0f ms  %zd\n", low, edge, n);
        else
            std::printf("  %5.0f ms up   %zd\n", low, n);
        low = edge;
    }
    return 0;
}
