// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/explorer/headless.h"

#include "app/explorer/opening.h"
#include "app/explorer/script.h"
#include "core/base/platform/process.h"
#include "ui/bridge/enginebridge.h"

#include <QCommandLineParser>

#include <algorithm>
#include <cstdio>

using namespace Qt::Literals::StringLiterals;

namespace prism::explorer {

namespace {

TableText textsOf(const QCommandLineParser& parser)
{
    return parser.isSet(u"raw-text"_s) ? TableText::exact : TableText::forSheets;
}

int report(const QCommandLineParser& parser)
{
    bool isCount = false, isSeed = false;
    ReportOptions options;
    options.study = parser.value(u"report"_s);
    options.output = parser.value(u"output"_s);
    options.question = parser.value(u"question"_s);
    options.slides = parser.isSet(u"slides"_s);
    options.bundle = parser.isSet(u"bundle"_s);
    options.texts = textsOf(parser);
    options.samples = parser.value(u"samples"_s).toInt(&isCount);
    options.seed = parser.value(u"seed"_s).toULongLong(&isSeed);
    if (!isCount || !isSeed || options.samples < ui::kMinSamples || options.samples > ui::kMaxSamples) {
        std::fprintf(stderr, "--samples takes %d to %d, --seed a whole number\n", ui::kMinSamples, ui::kMaxSamples);
        return 2;
    }
    return runReport(options);
}

} // namespace

bool wantsNoDisplay(int argc, char** argv)
{
    for (int i = 1; i < argc; ++i)
        for (const char* option :
             {"--screenshots", "--export-csv", "--export", "--script", "--report", "-h", "--help", "--help-all", "-v", "--version"})
            if (const QByteArray given(argv[i]); given == option || given.startsWith(QByteArray(option) + '='))
                return true;
    return false;
}

bool canOpenWindows(int argc, char** argv)
{
    return hasDisplay() || !qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")
           || std::any_of(argv, argv + argc, [](const char* word) { return QByteArray(word).startsWith("-platform"); });
}

bool isBatch(const QCommandLineParser& parser)
{
    const QStringList names{u"screenshots"_s, u"export-csv"_s, u"export"_s, u"script"_s, u"report"_s};
    return std::any_of(names.begin(), names.end(), [&parser](const QString& name) { return parser.isSet(name); });
}

bool needsFolder(const QCommandLineParser& parser)
{
    return !parser.isSet(u"report"_s) && !(parser.isSet(u"script"_s) && isStudy(parser.positionalArguments().value(0)));
}

void addHeadlessOptions(QCommandLineParser& parser)
{
    parser.addOptions(
        {{u"screenshots"_s, u"Write every page, light and dark, as PNG into DIR and exit."_s, u"DIR"_s},
         {u"export-csv"_s, u"Write the metrics of every page as CSV into DIR and exit."_s, u"DIR"_s},
         {u"export"_s, u"Write every page as FORMAT (csv, tsv, png, svg, pdf) into the folder of --output and exit."_s, u"FORMAT"_s},
         {u"report"_s, u"Write the report of STUDY (or of a scenario file or preset) to the file of --output and exit."_s, u"STUDY"_s},
         {u"output"_s, u"What --report (.pdf, .html) or --export (a folder) writes."_s, u"PATH"_s},
         {u"slides"_s, u"The report as slides of 16:9, a picture each (PDF)."_s},
         {u"bundle"_s, u"Its pictures (PNG) and figures (CSV) too, in a folder next to the report."_s},
         {u"raw-text"_s, u"Write texts of CSV and TSV exactly as they are: without it, control and bidirectional characters are removed "
                         "and texts that begin with = + - or @ get an apostrophe in front."_s},
         {u"question"_s, u"The question that the report answers; otherwise made from the study."_s, u"TEXT"_s},
         {u"samples"_s, u"Sampled steps per scenario of the report."_s, u"N"_s, u"2000"_s},
         {u"seed"_s, u"Seed of the report."_s, u"N"_s, u"1"_s},
         {u"script"_s, u"Do the actions of FILE (- for standard input) in the window and exit; Help, Report lists them."_s, u"FILE"_s},
         {u"size"_s, u"Window size of screenshots and script."_s, u"WIDTHxHEIGHT"_s, u"1440x900"_s},
         {u"scale"_s, u"Pixels for each pixel of the size, 1 to 4; pictures of scale 2 and more have it in their names."_s, u"FACTOR"_s,
          u"1"_s},
         {u"ui-scale"_s, u"Size of type and spacing in screenshots and script, 0.75 to 2."_s, u"FACTOR"_s, u"1"_s}});
}

std::optional<int> runHeadless(const QCommandLineParser& parser, ui::Theme& theme)
{
    const QString study = parser.positionalArguments().value(0);
    const bool exports = parser.isSet(u"export"_s);
    if ((parser.isSet(u"report"_s) || exports) && !parser.isSet(u"output"_s)) {
        std::fputs("--report and --export need --output\n", stderr);
        return 2;
    }
    if (parser.isSet(u"report"_s))
        return report(parser);
    if (exports && !QStringList{u"csv"_s, u"tsv"_s, u"png"_s, u"svg"_s, u"pdf"_s}.contains(parser.value(u"export"_s))) {
        std::fputs("--export takes csv, tsv, png, svg or pdf\n", stderr);
        return 2;
    }
    if (parser.isSet(u"screenshots"_s) || parser.isSet(u"export-csv"_s) || exports)
        return runBatch(theme, {parser.value(u"screenshots"_s), exports ? parser.value(u"output"_s) : parser.value(u"export-csv"_s),
                                exports ? parser.value(u"export"_s) : u"csv"_s, study, parser.value(u"size"_s),
                                parser.value(u"ui-scale"_s).toDouble(), textsOf(parser)});
    if (parser.isSet(u"script"_s))
        return runScript(theme, {parser.value(u"script"_s), study, parser.value(u"size"_s), parser.value(u"ui-scale"_s).toDouble()});
    return std::nullopt;
}

} // namespace prism::explorer
