// SPDX-License-Identifier: GPL-3.0-or-later
// validate operators: every row of a table of measured operators compared with the model, and the gain of a correction by such a table.
#include "app/cli/frame/commands.h"
#include "app/cli/frame/suggestion.h"
#include "core/base/textfile.h"
#include "core/calibrate/operatoragreement.h"
#include "core/scenario/presets.h"
#include "core/base/table.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <filesystem>
#include <memory>

namespace prism::cli {

namespace {

using Json = nlohmann::ordered_json;

struct OperatorOptions : CommonOptions {
    std::string file, gpu = "a100-sxm-80gb", op, backend = "flash2";
    std::vector<std::string> where;
    bool causal = false, rows = false;
};

std::string shapeText(const MeasuredOperator& o)
{
    if (o.kind == OperatorKind::product)
        return fmt::format("{:.0f} x {:.0f} x {:.0f}", o.m, o.n, o.k);
    return fmt::format("{:.0f} x {:.0f} tokens, {:.0f} wide, tp {:.0f}{}", o.batch, o.sequence, o.hidden, o.tensorRanks,
                       o.heads > 0 ? fmt::format(", {:.0f} heads", o.heads) : "");
}

Json groupJson(const OperatorAgreement& g)
{
    return {{"operator", g.name},
            {"rows", g.rows},
            {"mean_abs_error", g.meanAbs},
            {"bias", g.bias},
            {"worst", g.worst},
            {"within_10_percent", static_cast<double>(g.within10) / g.rows},
            {"within_25_percent", static_cast<double>(g.within25) / g.rows},
            {"cross_validated", {{"rows", g.corrected.rows}, {"formula", g.corrected.formula}, {"corrected", g.corrected.corrected}}}};
}

std::string reportJson(const OperatorReport& report)
{
    Json rows = Json::array(), groups = Json::array();
    for (const ComparedOperator& r : report.rows)
        rows.push_back({{"operator", operatorName(r.measured.kind)},
                        {"pass", r.measured.backward ? "backward" : "forward"},
                        {"shape", shapeText(r.measured)},
                        {"measured_s", r.measured.seconds},
                        {"predicted_s", r.predicted},
                        {"error", r.error}});
    for (const OperatorAgreement& g : report.groups)
        groups.push_back(groupJson(g));
    return Json{{"rows", std::move(rows)}, {"groups", std::move(groups)}, {"rows_of_other_systems", report.otherSystems}}.dump(2) + "\n";
}

std::string reportText(const OperatorReport& report, bool everyRow)
{
    std::string text;
    if (everyRow) {
        text += fmt::format("{:<44} {:<8} {:>12} {:>12} {:>8}\n", "shape", "pass", "measured us", "predicted us", "error");
        for (const ComparedOperator& r : report.rows)
            text += fmt::format("{:<44} {:<8} {:>12.1f} {:>12.1f} {:>+6.1f} %\n", shapeText(r.measured),
                                r.measured.backward ? "backward" : "forward", 1e6 * r.measured.seconds, 1e6 * r.predicted, 100 * r.error);
        text += '\n';
    }
    text += fmt::format("{:<22} {:>6} {:>9} {:>8} {:>8} {:>8} {:>8}   {}\n", "operator", "rows", "mean |e|", "bias", "worst", "<= 10 %",
                        "<= 25 %", "corrected, held-out shapes");
    for (const OperatorAgreement& g : report.groups)
        text += fmt::format("{:<22} {:>6} {:>7.1f} % {:>+6.1f} % {:>+6.0f} % {:>6.0f} % {:>6.0f} %   {}\n", g.name, g.rows, 100 * g.meanAbs,
                            100 * g.bias, 100 * g.worst, 100.0 * g.within10 / g.rows, 100.0 * g.within25 / g.rows,
                            g.corrected.rows > 0 ? fmt::format("{:.1f} %", 100 * g.corrected.corrected) : std::string("too few shapes"));
    if (report.otherSystems > 0)
        text += fmt::format("{} rows are of other GPUs\n", report.otherSystems);
    return text;
}

/// The kind of a table of modules: as requested, else the word that its file's name holds.
OperatorKind kindOf(const OperatorOptions& options)
{
    static constexpr std::pair<const char*, OperatorKind> kWords[] = {
        {"linear1", OperatorKind::qkv},           {"qkv", OperatorKind::qkv},         {"linear3", OperatorKind::feedForward},
        {"fc1", OperatorKind::feedForward},       {"atten", OperatorKind::attention}, {"gelu", OperatorKind::activation},
        {"activation", OperatorKind::activation}, {"norm", OperatorKind::norm}};
    OperatorKind kind{};
    if (operatorOf(options.op, kind))
        return kind;
    const std::string name = std::filesystem::path(options.file).filename().string();
    for (const auto& [word, found] : kWords)
        if (name.find(word) != std::string::npos)
            return found;
    throw InputError({{Severity::error, "--op", "a table of modules does not state what was measured", options.file,
                       "qkv, fc1, attention, activation or norm", "", ""}});
}

void validate(const OperatorOptions& options)
{
    const std::string text = require(selectedRows(require(readTextFile(options.file)), options.where), options.file);
    OperatorMachine machine;
    machine.gpu = require(gpuPreset(options.gpu));
    machine.attentionBackend = options.backend;
    machine.causal = options.causal;
    const OperatorReport report = operatorReport(
        require(readOperatorTable(text, isModuleTable(text) ? kindOf(options) : OperatorKind::product), options.file), machine);
    if (report.rows.empty())
        throw InputError({{Severity::error, options.file, "no row is of this GPU", options.gpu, "another --gpu", "", ""}});
    writeOutput(options, options.json ? reportJson(report) : reportText(report, options.rows));
}

} // namespace

void addValidateOperators(CLI::App& app, Cli& cli)
{
    auto options = std::make_shared<OperatorOptions>();
    CLI::App* command = app.add_subcommand("operators", "Compare the model with a table of measured operators, row by row, and "
                                                        "with a correction by the table itself on held-out shapes");
    command
        ->add_option("TABLE", options->file,
                     "CSV, may be gzip: matrix products (m, n, k, dtype, latency_us or another time), or modules of a layer (mp, b, h, l, "
                     "dim, F_dur(us), B_dur(us))")
        ->required();
    command->add_option("--gpu", options->gpu, "GPU preset; rows of other systems are omitted")->capture_default_str();
    command->add_option("--op", options->op, "what a table of modules holds; default: the word that the file's name holds")
        ->check(oneOf({"qkv", "fc1", "attention", "activation", "norm"}));
    command->add_option("--attention-backend", options->backend, "kernel of measured attention")
        ->check(oneOf({"triton", "flash1", "flash2", "flash3", "cudnn"}))
        ->capture_default_str();
    command->add_flag("--causal", options->causal, "the measured attention had a causal mask");
    command->add_flag("--rows", options->rows, "print every row (in JSON they always are)");
    command->add_option("--where", options->where, "COLUMN=VALUE: only these rows of the table (repeatable)");
    addOutput(*command, *options, cli);
    command->callback([options] { validate(*options); });
}

} // namespace prism::cli
