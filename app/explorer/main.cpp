// SPDX-License-Identifier: GPL-3.0-or-later
// prism-explorer: the desktop application; also writes screenshots and results without a display.
#include "app/explorer/headless.h"
#include "app/explorer/terminal.h"
#include "app/explorer/opening.h"
#include "core/base/platform/startup.h"
#include "core/study/study.h"
#include "ui/model/applicationlog.h"
#include "ui/window/mainwindow.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QSettings>

#include <cstdio>

using namespace Qt::Literals::StringLiterals;

namespace {

/// Names of the application for settings, folders and the window system.
void nameApplication()
{
    QCoreApplication::setOrganizationName(u"prism-explorer"_s);
    QCoreApplication::setApplicationName(u"prism-explorer"_s);
    QGuiApplication::setDesktopFileName(u"prism-explorer"_s);
    QCoreApplication::setApplicationVersion(QStringLiteral(PRISM_VERSION));
    QGuiApplication::setApplicationDisplayName(u"PRISM Explorer"_s);
}

/// As the command line requests, else as the window was left.
void dress(prism::ui::Theme& look, const QString& requested, const QSettings& settings, QApplication& application)
{
    const QString mode = requested.isEmpty() ? settings.value(u"view/theme"_s).toString() : requested;
    look.setMode(mode == u"light"  ? prism::ui::Theme::Mode::light
                 : mode == u"dark" ? prism::ui::Theme::Mode::dark
                                   : prism::ui::Theme::Mode::system);
    look.setUiScale(settings.value(u"view/scale"_s, 1.0).toDouble());
    look.applyTo(application);
}

/// Scale and platform, which have to be known before the application is made. False, with a message, where a window is wanted and there is
/// no display.
bool prepareDisplay(int argc, char** argv)
{
    for (int i = 1; i < argc; ++i) {
        if (qstrcmp(argv[i], "--scale") == 0 && i + 1 < argc)
            qputenv("QT_SCALE_FACTOR", argv[i + 1]);
    }
    if (prism::explorer::wantsNoDisplay(argc, argv) && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    if (!prism::explorer::canOpenWindows(argc, argv)) {
        std::fputs(
            "prism-explorer: there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set). Without one: --report STUDY --output FILE, "
            "--export FORMAT --output FOLDER, or prism-cli.\n",
            stderr);
        return false;
    }
    return true;
}

} // namespace

int main(int argc, char** argv)
{
    prism::prepareProcess();
    if (const std::optional<int> code = prism::salvageHelper(argc, argv))
        return *code;
    if (!prepareDisplay(argc, argv))
        return 1;
    QApplication application(argc, argv);
    nameApplication();

    QCommandLineParser parser;
    parser.setApplicationDescription(u"Shows the distribution of LLM training-step time."_s);
    parser.addHelpOption();
    parser.addVersionOption();
    const QCommandLineOption theme(u"theme"_s, u"light, dark or system."_s, u"THEME"_s);
    parser.addOption(theme);
    prism::explorer::addHeadlessOptions(parser);
    prism::explorer::addLogOptions(parser);
    parser.addPositionalArgument(
        u"study"_s, u"A study (.prism), or a scenario, model configuration, argument list or speed table to import."_s, u"[STUDY]"_s);
    parser.process(application);
    if (!prism::explorer::startLog(parser))
        return 1;

    std::optional<prism::explorer::BatchSession> session;
    if (prism::explorer::isBatch(parser))
        session.emplace(prism::explorer::needsFolder(parser));
    prism::ui::Theme look;
    QSettings settings;
    dress(look, parser.value(theme), settings, application);

    const QString study = parser.positionalArguments().value(0);
    if (const std::optional<int> code = prism::explorer::runHeadless(parser, look))
        return *code;
    if (const prism::Result<std::string> log = prism::ui::startApplicationLog(); !log.ok())
        qWarning("%s", log.errors().front().message.c_str()); // works without a log
    prism::ui::MainWindow window(look);
    window.resize(1440, 900);
    const bool isStudy = prism::explorer::isStudy(study);
    window.startSession(isStudy ? study : QString());
    window.show();
    if (!study.isEmpty() && !isStudy)
        window.openDropped(study);
    if (!settings.value(u"session/toured"_s).toBool()) {
        settings.setValue(u"session/toured"_s, true);
        window.offerTour();
    }
    return QApplication::exec();
}
