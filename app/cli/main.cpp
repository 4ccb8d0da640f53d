// SPDX-License-Identifier: GPL-3.0-or-later
// prism-cli: batch and scripts. Parses the command line, runs one command, turns errors into exit codes.
#include "app/cli/commands.h"
#include "core/base/logging.h"

#include <CLI/CLI.hpp>

#include <iostream>

int main(int argc, char** argv)
{
    using namespace prism::cli;
    Cli cli;
    CLI::App app{"PRISM Explorer: the distribution of training-step time of large models, from the command line."};
    app.name("prism-cli");
    app.set_version_flag("--version", std::string("prism-cli ") + PRISM_VERSION);
    app.require_subcommand(1);
    prism::logQuietly();
    app.add_flag_callback("--verbose", prism::logToTerminal, "Say on standard error what is computed, and from where");
    app.add_option_function<std::string>(
        "--log-file", [](const std::string& file) { (void)require(prism::logToFile(file)); }, "Append the same to FILE");
    app.footer("Exit codes: 0 done, 1 the input is wrong, 2 usage, 3 internal error.\n"
               "Example: prism-cli predict llama3-405b-16k-h100 --set training.global_batch_size=4096 --json");
    try {
        addPredict(app, cli);
        addSensitivity(app, cli);
        addAttribution(app, cli);
        addPlacement(app, cli);
        addScale(app, cli);
        addCompare(app, cli);
        addGuarantee(app, cli);
        addJob(app, cli);
        addTimeline(app, cli);
        addExplore(app, cli);
        addMerge(app, cli);
        addImprove(app, cli);
        addFleet(app, cli);
        addFigures(app, cli);
        addTrace(app, cli);
        addGraph(app, cli);
        addFit(app, cli);
        addFollow(app, cli);
        addSimulate(app, cli);
        addStudies(app, cli);
        addStudy(app, cli);
        addValidatePublished(app, cli);
        addValidateCollectives(app, cli);
        addValidateOperators(app, cli);
        addValidateSteps(app, cli);
        addCalibrate(app, cli);
        addBench(app, cli);
        addCheck(app, cli);
        addPresets(app, cli);
        addParameters(app, cli);
        addLimits(app, cli);
        addImport(app, cli);
        for (CLI::App* command : app.get_subcommands({}))
            command->fallthrough(); // --verbose may stand behind the command
        app.parse(argc, argv);
        return cli.exitCode;
    } catch (const CLI::ParseError& e) {
        const int code = app.exit(e, std::cout, std::cerr);
        return code == 0 ? exitDone : exitUsage;
    } catch (const InputError& e) {
        std::cerr << (cli.json ? diagnosticsJson(e.diagnostics()) : diagnosticsText(e.diagnostics()));
        return exitWrongInput;
    } catch (const std::exception& e) {
        std::cerr << "internal error: " << e.what() << "\n";
        return exitInternal;
    }
}
