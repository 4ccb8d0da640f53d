// SPDX-License-Identifier: GPL-3.0-or-later
// validate collectives: every row of an nccl-tests log or table compared with the collective model; of a folder, a line for each table.
#include "app/cli/frame/commands.h"
#include "app/cli/frame/quantities.h"
#include "app/cli/frame/suggestion.h"
#include "core/calibrate/collectiveagreement.h"
#include "core/cost/costmodel.h"
#include "core/measured/importmeasured.h"
#include "core/base/table.h"
#include "core/base/textfile.h"
#include "core/scenario/presets.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>

namespace prism::cli {

namespace {

using Json = nlohmann::ordered_json;

struct CollectiveOptions : CommonOptions {
    std::string file, gpu = ClusterConfig{}.gpu.preset, fabric = ClusterConfig{}.fabricPreset;
    std::vector<std::string> where;
    NcclTestsOptions log;
    double minBytes = 1 << 20, maxBytes = 8.0 * (1 << 30);
};

struct Row {
    MeasuredRow measured;
    double predicted = 0, error = 0;
};

std::vector<Row> compared(const CollectiveOptions& options)
{
    const std::string text = require(readTextFile(options.file));
    const bool table = text.substr(0, text.find('\n')).find(',') != std::string::npos && !text.starts_with('#') && !text.starts_with('[');
    const std::vector<MeasuredRow> measured =
        require(table ? operatorTableRows(require(selectedRows(text, options.where), options.file)) : ncclTestsRows(text, options.log),
                options.file);
    Scenario s;
    s.cluster.gpu = require(gpuPreset(options.gpu));
    s.cluster = require(fabricPreset(options.fabric, s.cluster));
    const CostModel cost(s, calibration());
    std::vector<Row> rows;
    for (const MeasuredRow& m : measured) {
        CollectiveOp op{};
        const auto bytes = static_cast<double>(m.bytes);
        if (!collectiveOf(m.op, op) || bytes < options.minBytes || bytes > options.maxBytes)
            continue;
        Row row{m, cost.collectiveSeconds(op, groupOf(m.ranks, s.cluster.gpusPerNode), bytes), 0};
        row.error = row.predicted / m.seconds - 1;
        rows.push_back(row);
    }
    return rows;
}

/// A line for each table of a folder, each on the presets of the machine that it was measured on.
void validateFolder(const CollectiveOptions& options)
{
    const CollectiveFolder folder = require(readCollectiveFolder(options.file));
    const std::vector<TableAgreement> tables = require(agreement(folder, calibration(), options.minBytes, options.maxBytes));
    Json list = Json::array();
    TableAgreement all;
    std::string text = fmt::format("{:<56} {:<27} {:>5} {:>9} {:>8} {:>8} {:>8} {:>8}\n", "table", "fabric", "rows", "mean |e|", "bias",
                                   "worst", "<= 10 %", "<= 25 %");
    for (const TableAgreement& t : tables) {
        const double within = static_cast<double>(t.within) / t.rows, near = static_cast<double>(t.near) / t.rows;
        text += fmt::format("{:<56} {:<27} {:>5} {:>7.1f} % {:>+6.1f} % {:>+6.0f} % {:>6.0f} % {:>6.0f} %{}\n", t.name, t.fabric, t.rows,
                            100 * t.meanAbs, 100 * t.bias, 100 * t.worst, 100 * within, 100 * near,
                            t.remark.empty() ? "" : "  (" + t.remark + ")");
        list.push_back({{"table", t.name},
                        {"gpu", t.gpu},
                        {"fabric", t.fabric},
                        {"remark", t.remark},
                        {"rows", t.rows},
                        {"mean_abs_error", t.meanAbs},
                        {"bias", t.bias},
                        {"worst", t.worst},
                        {"within_10_percent", within},
                        {"within_25_percent", near}});
        if (!t.remark.empty())
            continue;
        all.rows += t.rows;
        all.within += t.within;
        all.near += t.near;
        all.meanAbs += t.meanAbs * t.rows;
    }
    const double rows = std::max(1, all.rows);
    text += fmt::format("\nall tables without a remark: {} rows, mean |error| {:.1f} %, {:.1f} % within 10 %, {:.1f} % within 25 %\n",
                        all.rows, 100 * all.meanAbs / rows, 100 * all.within / rows, 100 * all.near / rows);
    for (const std::string& file : folder.notRead)
        text += "not read: " + file + "\n";
    const Json report = {{"tables", std::move(list)},
                         {"not_read", folder.notRead},
                         {"rows", all.rows},
                         {"mean_abs_error", all.meanAbs / rows},
                         {"within_10_percent", all.within / rows},
                         {"within_25_percent", all.near / rows}};
    writeOutput(options, options.json ? report.dump(2) + "\n" : text);
}

void validate(const CollectiveOptions& options)
{
    if (std::error_code none; std::filesystem::is_directory(options.file, none)) {
        validateFolder(options);
        return;
    }
    const std::vector<Row> rows = compared(options);
    struct Sum {
        double abs = 0, worst = 0;
        int n = 0, within = 0;
        void add(double e)
        {
            abs += std::abs(e);
            worst = std::abs(e) > std::abs(worst) ? e : worst;
            within += std::abs(e) <= 0.1 ? 1 : 0;
            ++n;
        }
    };
    std::map<std::pair<std::string, std::int64_t>, Sum> groups;
    Sum all;
    Json list = Json::array();
    std::string text =
        fmt::format("{:<15} {:>6} {:>12} {:>13} {:>13} {:>8}\n", "op", "ranks", "bytes", "measured us", "predicted us", "error");
    for (const Row& r : rows) {
        groups[{r.measured.op, r.measured.ranks}].add(r.error);
        all.add(r.error);
        list.push_back({{"op", r.measured.op},
                        {"ranks", r.measured.ranks},
                        {"bytes", r.measured.bytes},
                        {"measured_s", r.measured.seconds},
                        {"predicted_s", r.predicted},
                        {"error", r.error}});
        text += fmt::format("{:<15} {:>6} {:>12} {:>13.1f} {:>13.1f} {:>+7.1f} %\n", r.measured.op, r.measured.ranks, r.measured.bytes,
                            1e6 * r.measured.seconds, 1e6 * r.predicted, 100 * r.error);
    }
    const auto line = [](const std::string& name, const Sum& s) {
        return fmt::format("{:<22} {:>5} rows, mean |error| {:.1f} %, worst {:+.1f} %, {:.0f} % within 10 %\n", name, s.n,
                           100 * s.abs / std::max(1, s.n), 100 * s.worst, 100.0 * s.within / std::max(1, s.n));
    };
    text += '\n';
    for (const auto& [key, sum] : groups)
        text += line(key.first + ", " + std::to_string(key.second) + " ranks", sum);
    text += line("all", all);
    const Json report = {{"rows", std::move(list)},
                         {"mean_abs_error", all.abs / std::max(1, all.n)},
                         {"worst", all.worst},
                         {"within_10_percent", static_cast<double>(all.within) / std::max(1, all.n)}};
    writeOutput(options, options.json ? report.dump(2) + "\n" : text);
}

} // namespace

void addValidateCollectives(CLI::App& app, Cli& cli)
{
    auto options = std::make_shared<CollectiveOptions>();
    CLI::App* command = app.add_subcommand("collectives", "Compare the collective model with an nccl-tests log or a table of "
                                                          "collectives, row by row; with a folder of known tables, a line each");
    command
        ->add_option(
            "FILE", options->file,
            "log of all_reduce_perf and its like, or CSV (op, ranks or num_gpus, bytes, time_us or latency_us); may be gzip. Or a folder: "
            "its tables (aiconfigurator, Echo, vTrain, estimate-train-time, TraceLens) by file name, on the presets of their machines")
        ->required();
    command->add_option("--gpu", options->gpu, "GPU preset (of a file)")->capture_default_str();
    command->add_option("--fabric", options->fabric, "fabric preset (of a file)")->capture_default_str();
    command->add_option("--where", options->where, "COLUMN=VALUE: only these rows of a table (repeatable)");
    command->add_option("--op", options->log.op, "The collective, where the log does not name it")
        ->check(oneOf({"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "p2p"}));
    command->add_option("--ranks", options->log.ranks, "The number of ranks, where the log does not list them")
        ->check(CLI::Range(2, 1 << 20));
    inUnit(command->add_option("--min-bytes", options->minBytes, "smallest message, for example 1MiB"), "bytes")->capture_default_str();
    inUnit(command->add_option("--max-bytes", options->maxBytes, "largest message"), "bytes")->capture_default_str();
    addOutput(*command, *options, cli);
    command->callback([options] { validate(*options); });
}

} // namespace prism::cli
