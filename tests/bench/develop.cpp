// SPDX-License-Identifier: GPL-3.0-or-later
// prism-develop: compares the engine with other tools and fits the constants that are shipped. Exit codes as those of prism-cli.
#include "bench/commands.h"
#include "core/base/platform/startup.h"
#include "core/base/printable.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <iostream>

namespace {

using namespace prism::cli;

int runCommandLine(int argc, char** argv)
{
    Cli cli;
    CLI::App app{"Developer commands of PRISM Explorer: benchmarks and the fit of the shipped constants.", "prism-develop"};
    app.require_subcommand(1);
    try {
        addBench(app, cli);
        addCalibrate(app, cli);
        app.parse(argc, argv);
        return cli.exitCode;
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? exitDone : exitUsage;
    } catch (const prism::InputError& e) {
        std::cerr << (cli.json ? prism::printableLines(diagnosticsJson(e.diagnostics(), e.file()))
                               : diagnosticsText(e.diagnostics(), Style(prism::StandardStream::error), e.file()));
        return exitInvalidInput;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "internal error: %s\n", prism::printable(e.what()).c_str());
        return exitInternal;
    }
}

} // namespace

int main(int argc, char** argv)
{
    prism::prepareProcess();
    return prism::withEnoughStack([=] { return runCommandLine(argc, argv); });
}
