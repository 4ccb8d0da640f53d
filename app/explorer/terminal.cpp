// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/explorer/terminal.h"

#include "core/base/diagnostictext.h"
#include "core/base/logging.h"
#include "core/base/printable.h"

#include <QCommandLineParser>
#include <cstdio>

using namespace Qt::Literals::StringLiterals;

namespace prism::explorer {

namespace {

constexpr std::size_t kMaxLineBytes = 8'192; ///< a path has at most 4,096 (PATH_MAX)

void write(std::FILE* to, const std::string& text)
{
    std::fprintf(to, "%s\n", printable(text, kMaxLineBytes).c_str());
    std::fflush(to);
}

} // namespace

void printLine(const QString& text)
{
    write(stdout, text.toStdString());
}

void complain(const QString& text)
{
    write(stderr, text.toStdString());
}

void complain(const Diagnostics& errors)
{
    for (const Diagnostic& error : errors)
        write(stderr, sentence(error));
}

void addLogOptions(QCommandLineParser& parser)
{
    parser.addOptions({{u"verbose"_s, u"Log every computation and the preset folder on standard error."_s},
                       {u"log-file"_s, u"Append the same log to FILE."_s, u"FILE"_s}});
}

bool startLog(const QCommandLineParser& parser)
{
    logQuietly();
    if (parser.isSet(u"verbose"_s))
        logToTerminal();
    if (!parser.isSet(u"log-file"_s))
        return true;
    const Result<std::string> file = logToFile(parser.value(u"log-file"_s).toStdString());
    complain(file.errors());
    return file.ok();
}

} // namespace prism::explorer
