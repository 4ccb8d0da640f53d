// SPDX-License-Identifier: GPL-3.0-or-later
// How the window feels: time of the first start, from an edit to the first repaint on every page, with a thousand scenarios, ghosts of
// values that are looked at, and what took the GUI thread long. prism-ui-bench [PRESET [EDITS [PART]]]; PART is a page's id or start,
// all-pages (with the ghosts) or scenarios: that one alone.
#include "core/scenario/presets.h"
#include "tests/ui/bench/measures.h"
#include "ui/distribution/distributionpage.h"
#include "ui/window/headlinestrip.h"
#include "ui/window/pagehost.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QStandardPaths>
#include <QTemporaryDir>

#include <cstdio>

using namespace Qt::Literals::StringLiterals;
using namespace prism;
using namespace prism::ui;
using namespace prism::ui::bench;

namespace {

constexpr int kPageEdits = 20, kManyScenarios = 1'000, kGhostRounds = 5;

double secondsOf(const QElapsedTimer& clock)
{
    return static_cast<double>(clock.nsecsElapsed()) / 1e9;
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
    const double first = secondsOf(clock);
    waitForResults(window);
    std::printf("first start: first curve after %.2f s, sample study complete after %.2f s\n", first, secondsOf(clock));
}

StudyState studyOf(const Scenario& scenario, int count)
{
    StudyState state;
    for (int id = 1; id <= count; ++id) {
        Scenario own = scenario;
        own.name += " " + std::to_string(id);
        own.variability.spatial.cv = 0.01 + 1e-6 * id;
        state.entries.push_back({id, std::make_shared<const Scenario>(own), id - 1, id <= 6, false});
    }
    state.baselineId = 1;
    return state;
}

/// Edits on the page, which has its answers first.
void measurePage(MainWindow& window, const QString& id, int edits)
{
    window.pages().showPage(id);
    waitForPage(window);
    print(id, editSession(window, edits, id));
}

/// Edits of the curve after every page was looked at, and ghosts.
void measureAllPages(MainWindow& window, int edits)
{
    for (Page* page : window.pages().pages()) {
        window.pages().showPage(page->id());
        waitForPage(window);
    }
    window.pages().showPage(u"distribution"_s);
    waitForPage(window);
    print(u"distribution, all pages open"_s, editSession(window, edits, u"distribution, all pages open"_s));
    const std::vector<double> ghosts = ghostTimes(window, kGhostRounds);
    std::printf("ghost of a tried value, %zu: median %.0f ms, p95 %.0f ms\n", ghosts.size(), quantile(ghosts, 0.5), quantile(ghosts, 0.95));
}

/// The same edit in a study of one and of a thousand scenarios of a small job, whose results are all there.
void measureManyScenarios(MainWindow& window)
{
    const Result<Scenario> small = scenarioPreset("llama2-7b-8-a100");
    if (!small.ok())
        return;
    window.workspace().bridge().setSamples(1'000);
    for (const int count : {1, kManyScenarios}) {
        QElapsedTimer clock;
        clock.start();
        window.workspace().study().reset(studyOf(*small, count), 1);
        waitForResults(window);
        std::printf("%d scenarios: all computed after %.1f s\n", count, secondsOf(clock));
        const QString name = u"%1 scenarios"_s.arg(count);
        print(name, editSession(window, kPageEdits * 2, name));
    }
}

} // namespace

int main(int argc, char** argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QStandardPaths::setTestModeEnabled(true);
    QApplication application(argc, argv);
    QCoreApplication::setApplicationName(u"prism-ui-bench"_s);
    const QString part = QString::fromLocal8Bit(argc > 3 ? argv[3] : "");
    const auto requested = [&part](const QString& name) { return part.isEmpty() || part == name; };
    if (requested(u"start"_s))
        measureFirstStart(application);
    const char* preset = argc > 1 ? argv[1] : "frontier-64k";
    const int edits = argc > 2 ? std::atoi(argv[2]) : 200;
    const Result<Scenario> scenario = scenarioPreset(preset);
    if (!scenario) {
        std::fprintf(stderr, "%s is not a scenario preset\n", preset);
        return 1;
    }
    Theme theme;
    theme.applyTo(application);
    QTemporaryDir folder;
    MainWindow window(theme);
    window.resize(1440, 900);
    if (!window.file().create(folder.filePath(u"bench.prism"_s)).empty())
        return 1;
    QElapsedTimer clock;
    clock.start();
    window.workspace().study().reset(studyOf(*scenario, 1), 1);
    window.show();
    waitForResults(window);
    std::printf("%s: first result complete after %.2f s\n", preset, secondsOf(clock));
    for (Page* page : window.pages().pages())
        if (requested(page->id()))
            measurePage(window, page->id(), page->id() == u"distribution" ? edits : kPageEdits);
    if (requested(u"all-pages"_s))
        measureAllPages(window, edits);
    if (requested(u"scenarios"_s))
        measureManyScenarios(window);
    return 0;
}
