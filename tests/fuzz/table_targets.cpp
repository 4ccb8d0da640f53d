// SPDX-License-Identifier: GPL-3.0-or-later
// Measured tables and logs: CSV of every kind, nccl-tests logs, gzip.
#include "core/base/outputfile.h"
#include "core/base/table.h"
#include "core/base/textfile.h"
#include "core/measured/steplog.h"
#include "core/measured/importmeasured.h"
#include "core/measured/speedtable.h"
#include "core/measured/steptable.h"
#include "fuzz/scratch.h"
#include "fuzz/target.h"

#include <cmath>

namespace prism::fuzz {
namespace {

void table(std::string_view bytes)
{
    const TableFormat format{.quotedLines = true};
    std::string written;
    std::vector<std::vector<std::string>> rows;
    for (TableRows read(bytes, format); read.next();)
        if (!read.problem()) {
            rows.push_back(read.cells());
            written += tableLine(read.cells());
        }
    std::size_t i = 0;
    for (TableRows again(written, format); again.next(); ++i)
        holds(!again.problem() && i < rows.size() && again.cells() == rows[i], "rows that were written are read as they were");
    (void)selectedRows(bytes, {"op=gemm"});
}

/// Rows go into a scenario that can be saved and opened again.
void measured(const Result<std::vector<MeasuredRow>>& rows)
{
    if (!rows)
        return;
    Scenario scenario;
    addMeasuredRows(scenario, *rows);
    holds(!hasErrors(check(scenario)), "what import accepts, check accepts");
    const Result<Scenario> again = scenarioFromJson(toJson(scenario));
    holds(again.ok() && again->measured.rows == scenario.measured.rows, "imported rows are saved as they are");
}

void ncclTests(std::string_view bytes)
{
    measured(ncclTestsRows(bytes, {}));
    measured(ncclTestsRows(bytes, {"all_reduce", 8}));
}

void operators(std::string_view bytes)
{
    measured(operatorTableRows(bytes));
}

void speeds(std::string_view bytes)
{
    const Result<SpeedTable> read = readSpeedTable(bytes);
    if (!read)
        return;
    for (const SpeedRow& row : read->rows)
        holds(std::isfinite(row.relativeSpeed) && row.relativeSpeed > 0, "speeds are positive");
}

void steps(std::string_view bytes)
{
    (void)readStepLog(bytes);
    (void)stepTableAsJson(bytes);
}

void gzip(std::string_view bytes)
{
    const std::string path = scratchFile("input.gz");
    holds(writeFile(path, bytes).empty(), "the scratch file can be written");
    const Result<std::string> text = readTextFile(path, std::size_t{1} << 20);
    holds(!text || text->size() <= (std::size_t{1} << 20), "no more than the limit comes out");
}

constexpr Target kTargets[] = {{"table", table},   {"nccl_tests", ncclTests}, {"operators", operators},
                               {"speeds", speeds}, {"steps", steps},          {"gzip", gzip}};

} // namespace

std::span<const Target> tableTargets()
{
    return kTargets;
}

} // namespace prism::fuzz
