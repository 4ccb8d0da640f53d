// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measured/operatortable.h"

#include "core/base/diagnostictext.h"
#include "core/base/table.h"
#include "core/base/text.h"
#include "core/measured/measuredlimits.h"
#include "core/measured/tables.h"

#include <algorithm>
#include <array>
#include <map>

namespace prism {
namespace {

constexpr std::array<std::string_view, 6> kNames = {"gemm", "qkv", "fc1", "attention", "activation", "norm"};

/// Where the columns of a table are; < 0 = it has none.
struct Columns {
    std::map<std::string, int> at;
    double unit = 0; ///< seconds in one unit of the time column; 0 = no time column
    int time = -1;

    explicit Columns(const std::vector<std::string>& header)
    {
        static constexpr std::pair<const char*, double> kTimes[] = {{"time_s", 1.0},      {"time_ms", 1e-3},   {"time_us", 1e-6},
                                                                    {"latency_us", 1e-6}, {"median_us", 1e-6}, {"mean_us", 1e-6}};
        for (std::size_t i = 0; i < header.size(); ++i)
            at.try_emplace(lowered(header[i]), static_cast<int>(i));
        for (const auto& [name, seconds] : kTimes)
            if (time < 0 && has(name)) {
                time = at.at(name);
                unit = seconds;
            }
    }
    [[nodiscard]] bool has(const char* name) const { return at.contains(name); }
    [[nodiscard]] bool products() const { return has("m") && has("n") && has("k") && time >= 0; }
    [[nodiscard]] bool modules() const { return has("b") && has("l") && has("dim") && has("f_dur(us)"); }
};

/// The cells of a row by the names of their columns.
struct Row {
    const Columns& columns;
    const std::vector<std::string>& cells;

    [[nodiscard]] std::string text(const char* name) const
    {
        const auto it = columns.at.find(name);
        return it != columns.at.end() && static_cast<std::size_t>(it->second) < cells.size() ? cells[static_cast<std::size_t>(it->second)]
                                                                                             : std::string();
    }
    [[nodiscard]] bool number(const char* name, double& value) const { return positive(text(name), value); }
};

bool readProduct(const Row& row, std::vector<MeasuredOperator>& into)
{
    MeasuredOperator o;
    double time = 0;
    if (!row.number("m", o.m) || !row.number("n", o.n) || !row.number("k", o.k)
        || static_cast<std::size_t>(row.columns.time) >= row.cells.size()
        || !positive(row.cells[static_cast<std::size_t>(row.columns.time)], time))
        return false;
    o.precision = precisionOf(row.text(row.columns.has("dtype") ? "dtype" : "dtypes"));
    o.system = row.text(row.columns.has("system") ? "system" : "trace");
    o.seconds = time * row.columns.unit;
    into.push_back(std::move(o));
    return true;
}

bool readModule(const Row& row, OperatorKind kind, std::vector<MeasuredOperator>& into)
{
    MeasuredOperator o;
    o.kind = kind;
    double forward = 0, backward = 0;
    if (!row.number("b", o.batch) || !row.number("l", o.sequence) || !row.number("dim", o.hidden) || !row.number("f_dur(us)", forward))
        return false;
    if ((row.columns.has("mp") && !row.number("mp", o.tensorRanks)) || (row.columns.has("h") && !row.number("h", o.heads))
        || (kind == OperatorKind::attention && o.heads <= 0))
        return false;
    o.seconds = forward * 1e-6;
    into.push_back(o);
    if (!row.columns.has("b_dur(us)"))
        return true;
    if (!row.number("b_dur(us)", backward))
        return false;
    o.backward = true;
    o.seconds = backward * 1e-6;
    into.push_back(o);
    return true;
}

} // namespace

bool operatorOf(std::string_view word, OperatorKind& kind)
{
    for (std::size_t i = 1; i < kNames.size(); ++i)
        if (word == kNames[i]) {
            kind = static_cast<OperatorKind>(i);
            return true;
        }
    return false;
}

std::string_view operatorName(OperatorKind kind)
{
    return kNames[static_cast<std::size_t>(kind)];
}

bool isModuleTable(std::string_view text)
{
    TableRows table(text);
    return table.next() && !table.problem() && Columns(table.cells()).modules();
}

Result<std::vector<MeasuredOperator>> readOperatorTable(std::string_view text, OperatorKind modules)
{
    std::vector<MeasuredOperator> rows;
    Diagnostics errors;
    const auto error = [&](std::size_t line, std::string message, std::string_view found, std::string accepted) {
        errors.push_back(
            errorAt("line " + std::to_string(line), std::move(message), std::string(found.substr(0, 80)), std::move(accepted)));
    };
    TableRows table(text, {.quotedLines = false, .limits = {.maxRows = kMaxTableRows}});
    if (!table.next() || table.problem())
        return Diagnostic{Severity::error, "line 1", "there is no header", "", "a table with the names of its columns", "", ""};
    const Columns columns(table.cells());
    if (!columns.products() && !columns.modules())
        return errorAt("line 1", "this is not a table of operators", std::string(table.text().substr(0, 80)),
                       "columns m, n, k and a time (time_us, latency_us ...), or b, l, dim, F_dur(us) and B_dur(us)");
    while (table.next() && errors.size() < kMaxTableErrors) {
        if (table.problem()) {
            errors.push_back(*table.problem());
            continue;
        }
        const Row row{columns, table.cells()};
        if (!(columns.products() ? readProduct(row, rows) : readModule(row, modules, rows)))
            error(table.line(), "the row cannot be read", table.text(), "numbers above 0 in the columns of shape and time");
    }
    if (!errors.empty())
        return errors;
    return rows;
}

} // namespace prism
