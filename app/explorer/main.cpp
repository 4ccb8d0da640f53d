// SPDX-License-Identifier: GPL-3.0-or-later
// prism-explorer: the desktop application; also writes screenshots and figures without a display.
#include "app/explorer/batch.h"
#include "app/explorer/script.h"
#include "ui/window/mainwindow.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QSettings>

using namespace Qt::Literals::StringLiterals;

int main(int argc, char** argv)
{
    // Figures without a window need no display; the scale must be known before the application is.
    for (int i = 1; i < argc; ++i) {
        if (qstrcmp(argv[i], "--scale") == 0 && i + 1 < argc)
            qputenv("QT_SCALE_FACTOR", argv[i + 1]);
        if ((qstrcmp(argv[i], "--screenshots") == 0 || qstrcmp(argv[i], "--export-csv") == 0 || qstrcmp(argv[i], "--script") == 0)
            && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
            qputenv("QT_QPA_PLATFORM", "offscreen");
    }
    QApplication application(argc, argv);
    QCoreApplication::setOrganizationName(u"prism-explorer"_s);
    QCoreApplication::setApplicationName(u"prism-explorer"_s);
    QCoreApplication::setApplicationVersion(QStringLiteral(PRISM_VERSION));
    QGuiApplication::setApplicationDisplayName(u"PRISM Explorer"_s);

    QCommandLineParser parser;
    parser.setApplicationDescription(u"Shows the distribution of LLM training-step time."_s);
    parser.addHelpOption();
    parser.addVersionOption();
    const QCommandLineOption screenshots(u"screenshots"_s, u"Write every page, light and dark, as PNG into DIR and leave."_s, u"DIR"_s);
    const QCommandLineOption csv(u"export-csv"_s, u"Write the figures of every page as CSV into DIR and leave."_s, u"DIR"_s);
    const QCommandLineOption size(u"size"_s, u"Window size of the screenshots."_s, u"WIDTHxHEIGHT"_s, u"1440x900"_s);
    const QCommandLineOption scale(u"scale"_s,
                                   u"Pixels for each pixel of the size, 1 to 4; pictures of scale 2 and more have it in their names."_s,
                                   u"FACTOR"_s, u"1"_s);
    const QCommandLineOption uiScale(u"ui-scale"_s, u"Size of type and spacing in the screenshots, 0.75 to 2."_s, u"FACTOR"_s, u"1"_s);
    const QCommandLineOption theme(u"theme"_s, u"light, dark or system."_s, u"THEME"_s);
    const QCommandLineOption script(
        u"script"_s, u"Do the actions of FILE (- for standard input) in the window and leave; see app/explorer/script.h."_s, u"FILE"_s);
    parser.addOptions({screenshots, csv, script, size, scale, uiScale, theme});
    parser.addPositionalArgument(
        u"study"_s, u"A study (.prism), or a scenario, model configuration, argument list or speed table to import."_s, u"[STUDY]"_s);
    parser.process(application);

    prism::ui::Theme look;
    QSettings settings;
    const QString mode = parser.isSet(theme) ? parser.value(theme) : settings.value(u"view/theme"_s).toString();
    look.setMode(mode == u"light"  ? prism::ui::Theme::Mode::light
                 : mode == u"dark" ? prism::ui::Theme::Mode::dark
                                   : prism::ui::Theme::Mode::system);
    look.setUiScale(settings.value(u"view/scale"_s, 1.0).toDouble());
    look.applyTo(application);

    const QString study = parser.positionalArguments().value(0);
    if (parser.isSet(screenshots) || parser.isSet(csv)) {
        prism::explorer::BatchOptions options{parser.value(screenshots), parser.value(csv), study, parser.value(size),
                                              parser.value(uiScale).toDouble()};
        return prism::explorer::runBatch(look, options);
    }
    if (parser.isSet(script))
        return prism::explorer::runScript(look, {parser.value(script), study});
    prism::ui::MainWindow window(look);
    window.resize(1440, 900);
    if (!study.isEmpty() && study.endsWith(u".prism"))
        window.openStudy(study) ? void() : window.startSession();
    else
        window.startSession();
    window.show();
    if (!study.isEmpty() && !study.endsWith(u".prism"))
        window.openDropped(study);
    if (!settings.value(u"session/toured"_s).toBool()) {
        settings.setValue(u"session/toured"_s, true);
        window.offerTour();
    }
    return QApplication::exec();
}
