// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/explorer/terminal.h"

#include "core/base/diagnostictext.h"
#include "core/base/printable.h"

#include <cstdio>

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

} // namespace prism::explorer
