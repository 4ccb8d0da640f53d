// SPDX-License-Identifier: GPL-3.0-or-later
// Common parts of all commands of prism-cli: options, output, errors.
#pragma once

#include "app/cli/frame/style.h"
#include "app/inputerror.h"
#include "core/base/result.h"
#include "core/base/table.h"
#include "core/base/textfile.h"
#include "core/engine/evaluationcost.h"
#include "core/scenario/scenario.h"

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace prism::cli {

/// Exit codes, as resources/help/command-line.md lists them.
enum ExitCode { exitDone = 0, exitInvalidInput = 1, exitUsage = 2, exitInternal = 3 };

/// Options that every command understands. A command takes those that it needs through the add* functions.
struct CommonOptions {
    std::string scenario;               ///< file, "-", preset name, or study.prism:NAME
    std::vector<std::string> overrides; ///< path=value
    std::uint64_t seed = 1;
    int samples = 2'000;
    int threads = 0;
    double precision = 0;
    bool json = false, strict = false;
    bool quiet = false;     ///< nothing but errors on standard error
    bool rawText = false;   ///< texts of tables exactly as they are
    bool isSampled = false; ///< the command samples the scenario: its cost is estimated before it starts
    bool allowLong = false; ///< --allow-long: no limit on the estimated time
    std::string output;     ///< empty = standard output
};

/// Shared by the commands while the program runs. `json`: main writes errors to standard error as JSON.
struct Cli {
    bool json = false;
    int exitCode = exitDone;
};

void addScenario(CLI::App& command, CommonOptions& options);         ///< SCENARIO, --set and --strict
void addSampling(CLI::App& command, CommonOptions& options);         ///< --seed, --samples, --threads, --allow-long
void addOutput(CLI::App& command, CommonOptions& options, Cli& cli); ///< --json, --output, --quiet

/// Reads SCENARIO and applies --set; with --strict the costed step may have no warning either (memory, ranges of the calibration, ...).
/// Throws InputError with all errors.
[[nodiscard]] Scenario loadScenario(const CommonOptions& options);
/// Throws InputError where one evaluation of this size is estimated to take too long (without --allow-long) or too much memory;
/// reports the estimate of a long one.
void requireAffordable(const CommonOptions& options, const EvaluationSize& size);
/// A whole file (or standard input for "-"), plain or gzip, at most `limitBytes` of content. Throws InputError.
[[nodiscard]] std::string readInput(const std::string& path, std::size_t limitBytes = kMaxTextBytes);
/// Writes to --output (see core/base/outputfile.h) or to standard output, with control characters of names escaped. Throws InputError
/// when it cannot.
void writeOutput(const CommonOptions& options, const std::string& text);
/// --raw-text, for commands that write tables; textsOf() returns the choice.
void addRawText(CLI::App& command, CommonOptions& options);
[[nodiscard]] TableText textsOf(const CommonOptions& options);
/// Writes a table with its texts as textsOf() requires: byte for byte into files and pipes, with escapes to a terminal.
void writeTable(const CommonOptions& options, const std::string& table);
/// The same to standard output, regardless of --output (for commands whose --output names a place for something else).
void writeStandardOutput(const std::string& text);
/// The same for text with terminal escapes; text from files must have passed through printable().
void writeStyledOutput(const std::string& text);
/// Whether the text goes to an interactive terminal.
[[nodiscard]] bool isForTerminal(const CommonOptions& options);
/// What was recognised, warnings and notes on standard error, unless --quiet.
void reportLine(const CommonOptions& options, const std::string& line);
void reportDiagnostics(const CommonOptions& options, const Diagnostics& diagnostics);
/// Step times in the order of their draws as a CSV file; an empty name writes nothing.
void writeSamples(const std::string& file, const std::vector<double>& seconds);

/// Diagnostics as readable lines or as one JSON object {"errors": [...]}; `file` is added to places that do not name it.
[[nodiscard]] std::string diagnosticsText(const Diagnostics& diagnostics, const Style& style = {}, const std::string& file = {});
[[nodiscard]] std::string diagnosticsJson(const Diagnostics& diagnostics, const std::string& file = {});

} // namespace prism::cli
