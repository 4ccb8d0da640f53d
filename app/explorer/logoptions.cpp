// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/explorer/logoptions.h"

#include "app/explorer/terminal.h"
#include "core/base/logging.h"

#include <QCommandLineParser>

using namespace Qt::Literals::StringLiterals;

namespace prism::explorer {

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
