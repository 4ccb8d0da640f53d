// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measured/collectivetables.h"

#include "core/base/diagnostictext.h"
#include "core/base/table.h"
#include "core/measured/importmeasured.h"
#include "core/measured/measuredlimits.h"
#include "core/measured/operatorrows.h"
#include "core/measured/sources.h"
#include "core/measured/tables.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

namespace prism {
namespace {

/// Reads one file into tables; what is wrong is collected by line.
struct Reader {
    std::string file, text;
    CollectiveTable table;
    bool shapeOnlyBetweenNodes = false;
    Diagnostics errors;

    template <class Use>
    void eachRow(Use use);
    void addNanoseconds();
    void addElements();
    void addSummary();
    void addNcclTests();
    void addAs(CollectiveFormat format);
    void add(CollectiveOp op, const GroupGeometry& group, double bytes, double seconds)
    {
        if (group.size > 1 && table.rows.size() < kMaxTableRows)
            table.rows.push_back({op, group, bytes, seconds});
    }
};

template <class Use>
void Reader::eachRow(Use use)
{
    TableRows rows(text);
    for (bool header = true; rows.next() && errors.size() < kMaxTableErrors; header = false) {
        const std::string place = file + ":" + std::to_string(rows.line());
        if (rows.problem()) {
            errors.push_back(*rows.problem());
            errors.back().path = place;
        } else if (!header && !use(rows.cells())) {
            errors.push_back(errorAt(place, "the row cannot be read", std::string(rows.text().substr(0, 80)),
                                     "numbers > 0 in the columns of this table"));
        }
    }
}

/// Columns: size(B), count, type, time(ns) and bus bandwidth, out of place and in place; the ranks are in the file's name.
void Reader::addNanoseconds()
{
    const std::size_t at = file.find("allreduce_");
    const std::int64_t ranks = at == std::string::npos ? 0 : std::atoi(file.c_str() + at + 10);
    eachRow([&](const std::vector<std::string>& f) {
        double bytes = 0, ns = 0;
        if (f.size() < 4 || !positive(f[0], bytes) || !positive(f[3], ns))
            return false;
        add(CollectiveOp::allReduce, groupOf(ranks, ranks), bytes, ns * 1e-9);
        return true;
    });
}

/// Columns: shape (elements of 2 bytes of one rank's tensor), nodes, GPUs per node, time (us). Its all-gather is PyTorch's into a list:
/// the times hold the copies and, from 1 GB on, the allocator.
void Reader::addElements()
{
    const bool gathers = file.find("allgather") != std::string::npos, pair = file.find("p2p") != std::string::npos;
    const CollectiveOp op = gathers ? CollectiveOp::allGather : pair ? CollectiveOp::sendRecv : CollectiveOp::allReduce;
    if (gathers)
        table.remark = "with the copies into a list of tensors";
    eachRow([&](const std::vector<std::string>& f) {
        double shape = 0, nodes = 0, perNode = 0, us = 0;
        if (f.size() != 4 || !positive(f[0], shape) || !positive(f[1], nodes) || !positive(f[2], perNode) || !positive(f[3], us)
            || nodes * perNode > 1e6)
            return false;
        GroupGeometry group;
        group.nodes = std::llround(nodes);
        group.ranksPerNode = std::llround(perNode);
        group.size = group.nodes * group.ranksPerNode;
        add(op, group, 2 * shape * (gathers ? static_cast<double>(group.size) : 1.0), us * 1e-6);
        table.shapeOnly = group.nodes > 1 && shapeOnlyBetweenNodes;
        return true;
    });
}

/// Columns: collective, ..., group size (4), full message in MiB (5), ..., median latency without waiting in us (7).
void Reader::addSummary()
{
    table.remark = "inside training, overlapped with compute";
    eachRow([&](const std::vector<std::string>& f) {
        double ranks = 0, mib = 0, us = 0;
        if (f.size() < 8 || !positive(f[4], ranks) || !positive(f[5], mib) || !positive(f[7], us) || ranks > 1024)
            return false;
        const CollectiveOp op = f[0].find("reduce_scatter") != std::string::npos ? CollectiveOp::reduceScatter
                                : f[0].find("allgather") != std::string::npos    ? CollectiveOp::allGather
                                                                                 : CollectiveOp::allReduce;
        add(op, groupOf(std::llround(ranks), 8), mib * 1048576, us * 1e-6);
        return true;
    });
}

void Reader::addNcclTests()
{
    const Result<std::vector<MeasuredRow>> rows = ncclTestsRows(text, {"all_reduce", 0});
    if (!rows) {
        errors = rows.errors();
        for (Diagnostic& d : errors)
            d.path = file + ": " + d.path;
        return;
    }
    for (const MeasuredRow& r : *rows)
        add(CollectiveOp::allReduce, groupOf(r.ranks, 8), static_cast<double>(r.bytes), r.seconds);
}

void Reader::addAs(CollectiveFormat format)
{
    switch (format) {
    case CollectiveFormat::ncclTests:
        addNcclTests();
        break;
    case CollectiveFormat::nanoseconds:
        addNanoseconds();
        break;
    case CollectiveFormat::elements:
        addElements();
        break;
    case CollectiveFormat::traceSummary:
        addSummary();
        break;
    case CollectiveFormat::busTable: // has several machines: addSystems
        break;
    }
}

/// One table per system, times from the bus bandwidths that the curves are fitted on.
Diagnostics addSystems(const std::string& folder, const std::string& file, const MeasurementSources& sources, CollectiveFolder& result)
{
    const Result<std::vector<BusRow>> rows = readBusTable(folder + "/" + file);
    if (!rows)
        return rows.errors();
    std::map<std::string, CollectiveTable> bySystem;
    for (const BusRow& r : *rows) {
        CollectiveTable& table = bySystem[r.type];
        const double n = r.ranks, factor = (n - 1) / n * (r.op == 0 ? 2 : 1);
        constexpr CollectiveOp kOps[] = {CollectiveOp::allReduce, CollectiveOp::allGather, CollectiveOp::reduceScatter,
                                         CollectiveOp::allToAll};
        table.rows.push_back({kOps[r.op], groupOf(r.ranks, r.ranks), r.bytes, factor * r.bytes / (r.busGbPerS * 1e9)});
    }
    for (const MeasuredSystem& system : sources.systems)
        if (auto table = bySystem.extract(system.name)) {
            table.mapped().name = file + ": " + system.name;
            table.mapped().gpu = system.gpu;
            table.mapped().fabric = system.fabric;
            result.tables.push_back(std::move(table.mapped()));
        }
    for (const auto& [type, table] : bySystem)
        result.notRead.push_back(file + ": " + type + ": not a known system");
    return {};
}

/// Adds what a file holds, or why it is not read.
Diagnostics addFile(const std::string& folder, const std::string& file, const MeasurementSources& sources, CollectiveFolder& result)
{
    const CollectiveSource* source = sources.collectivesOf(file);
    if (source == nullptr || !source->notRead.empty()) {
        result.notRead.push_back(file + ": " + (source == nullptr ? "not a known table" : source->notRead));
        return {};
    }
    if (source->format == CollectiveFormat::busTable)
        return addSystems(folder, file, sources, result);
    const Result<std::string> text = readTextFile(folder + "/" + file);
    if (!text)
        return text.errors();
    Reader reader{file, *text, {file, source->gpu, source->fabric, false, "", {}}, source->shapeOnlyBetweenNodes, {}};
    reader.addAs(source->format);
    if (!reader.table.rows.empty())
        result.tables.push_back(std::move(reader.table));
    return std::move(reader.errors);
}

} // namespace

Result<CollectiveFolder> readCollectiveFolder(const std::string& folder)
{
    const Result<MeasurementSources>& sources = measurementSources();
    if (!sources)
        return sources.errors();
    std::error_code error;
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
        if (entry.is_regular_file(error))
            files.push_back(entry.path().filename().string());
    if (error || files.empty())
        return errorAt(folder, "the folder cannot be read or is empty", "", "a folder with tables of collectives");
    std::sort(files.begin(), files.end());
    CollectiveFolder result;
    Diagnostics errors;
    for (const std::string& file : files) {
        const Diagnostics found = addFile(folder, file, *sources, result);
        errors.insert(errors.end(), found.begin(), found.end());
    }
    if (!errors.empty())
        return errors;
    return result;
}

} // namespace prism
