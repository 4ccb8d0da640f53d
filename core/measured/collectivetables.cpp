// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measured/collectivetables.h"

#include "core/measured/importmeasured.h"
#include "core/measured/operatorrows.h"
#include "core/base/table.h"
#include "core/measured/tables.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

namespace prism {
namespace {

constexpr std::size_t kMaxRows = 200'000, kMaxErrors = 50;

enum class Format { ncclTests, vtrain, estimateTrainTime, traceLens, aiconfigurator };

struct Known {
    const char* prefix;
    Format format;
    const char* gpu;
    const char* fabric;
};
constexpr Known kKnown[] = {
    {"aiconfigurator_nccl", Format::aiconfigurator, "", ""},
    {"echo_a100_40g_nccl_", Format::ncclTests, "a100-sxm-40gb", "azure-nd-a100-v4"},
    {"vtrain_a100_allreduce_", Format::vtrain, "a100-sxm-80gb", "dgx-a100-hdr200"},
    {"vtrain_v100_allreduce_", Format::vtrain, "v100-sxm2-32gb", "dgx-1-v100-edr"},
    {"perlmutter_", Format::estimateTrainTime, "a100-sxm-80gb", "perlmutter-a100-slingshot11"},
    {"vista_", Format::estimateTrainTime, "gh200-96gb", "vista-gh200-ndr400"},
    {"tracelens_mi300x_llama70b_fsdp_nccl_summary_implicit_sync", Format::traceLens, "mi300x-192gb", "mi300x-if-400g"},
};

struct System {
    const char* type;
    const char* gpu;
    const char* fabric;
};
constexpr System kSystems[] = {{"a100", "a100-sxm-80gb", "dgx-a100-hdr200"},       {"h100", "h100-sxm-80gb", "dgx-h100-ndr400-rail"},
                               {"h200", "h200-sxm-141gb", "dgx-h200-ndr400-rail"}, {"b200", "b200-sxm-180gb", "dgx-b200-ndr400-rail"},
                               {"b300", "b300-sxm-270gb", "dgx-b300-xdr800-rail"}, {"gb200", "gb200-nvl72", "gb200-nvl72-ndr400"},
                               {"gb300", "gb300-nvl72", "gb300-nvl72-xdr800"}};

/// Reads one file into tables; what is wrong is collected by line.
struct Reader {
    std::string file, text;
    CollectiveTable table;
    Diagnostics errors;

    template <class Use>
    void eachRow(Use use);
    void addVtrain();
    void addEstimateTrainTime();
    void addTraceLens();
    void addNcclTests();
    void add(CollectiveOp op, const GroupGeometry& group, double bytes, double seconds)
    {
        if (group.size > 1 && table.rows.size() < kMaxRows)
            table.rows.push_back({op, group, bytes, seconds});
    }
};

template <class Use>
void Reader::eachRow(Use use)
{
    TableRows rows(text);
    for (bool header = true; rows.next() && errors.size() < kMaxErrors; header = false) {
        const std::string place = file + ":" + std::to_string(rows.line());
        if (rows.problem()) {
            errors.push_back(*rows.problem());
            errors.back().path = place;
        } else if (!header && !use(rows.cells())) {
            errors.push_back({Severity::error, place, "the row cannot be read", std::string(rows.text().substr(0, 80)),
                              "numbers > 0 in the columns of this table", "", ""});
        }
    }
}

/// Columns: size(B), count, type, time(ns) and bus bandwidth, out of place and in place; the ranks stand in the file's name.
void Reader::addVtrain()
{
    const std::size_t at = file.find("allreduce_");
    const std::int64_t ranks = at == std::string::npos ? 0 : std::atoi(file.c_str() + at + 10);
    eachRow([&](const std::vector<std::string>& f) {
        double bytes = 0, ns = 0;
        if (f.size() < 4 || !positive(f[0], bytes) || !positive(f[3], ns))
            return false;
        add(CollectiveOp::allReduce, filledNodes(ranks, ranks), bytes, ns * 1e-9);
        return true;
    });
}

/// Columns: shape (elements of 2 bytes of one rank's tensor), nodes, GPUs per node, time (us). Its all-gather is PyTorch's into a list:
/// the times hold the copies and, from 1 GB on, the allocator.
void Reader::addEstimateTrainTime()
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
        table.shapeOnly = group.nodes > 1 && file.starts_with("perlmutter"); // its nodes talked over a slow socket path
        return true;
    });
}

/// Columns: collective, ..., group size (4), full message in MiB (5), ..., median latency without waiting in us (7).
void Reader::addTraceLens()
{
    table.remark = "inside training, beside compute";
    eachRow([&](const std::vector<std::string>& f) {
        double ranks = 0, mib = 0, us = 0;
        if (f.size() < 8 || !positive(f[4], ranks) || !positive(f[5], mib) || !positive(f[7], us) || ranks > 1024)
            return false;
        const CollectiveOp op = f[0].find("reduce_scatter") != std::string::npos ? CollectiveOp::reduceScatter
                                : f[0].find("allgather") != std::string::npos    ? CollectiveOp::allGather
                                                                                 : CollectiveOp::allReduce;
        add(op, filledNodes(std::llround(ranks), 8), mib * 1048576, us * 1e-6);
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
        add(CollectiveOp::allReduce, filledNodes(r.ranks, 8), static_cast<double>(r.bytes), r.seconds);
}

/// One table per system, times from the bus bandwidths that the curves are fitted on.
Diagnostics addAiconfigurator(const std::string& path, const std::string& file, std::vector<CollectiveTable>& tables)
{
    const Result<std::vector<BusRow>> rows = readBusTable(path);
    if (!rows)
        return rows.errors();
    std::map<std::string, CollectiveTable> bySystem;
    for (const BusRow& r : *rows) {
        CollectiveTable& table = bySystem[r.type];
        const double n = r.ranks, factor = (n - 1) / n * (r.op == 0 ? 2 : 1);
        constexpr CollectiveOp kOps[] = {CollectiveOp::allReduce, CollectiveOp::allGather, CollectiveOp::reduceScatter,
                                         CollectiveOp::allToAll};
        table.rows.push_back({kOps[r.op], filledNodes(r.ranks, r.ranks), r.bytes, factor * r.bytes / (r.busGbPerS * 1e9)});
    }
    for (const System& system : kSystems)
        if (const auto it = bySystem.find(system.type); it != bySystem.end()) {
            it->second.name = file + ": " + system.type;
            it->second.gpu = system.gpu;
            it->second.fabric = system.fabric;
            tables.push_back(std::move(it->second));
        }
    return {};
}

} // namespace

Result<CollectiveFolder> readCollectiveFolder(const std::string& folder)
{
    std::error_code error;
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
        if (entry.is_regular_file(error))
            files.push_back(entry.path().filename().string());
    if (error || files.empty())
        return Diagnostic{
            Severity::error, folder, "the folder cannot be read or is empty", "", "a folder with tables of collectives", "", ""};
    std::sort(files.begin(), files.end());
    CollectiveFolder result;
    Diagnostics errors;
    for (const std::string& file : files) {
        const auto known = std::find_if(std::begin(kKnown), std::end(kKnown), [&](const Known& k) { return file.starts_with(k.prefix); });
        const char* why = file.starts_with("tracelens") ? ": its durations include waiting for the last rank" : ": not a known table";
        if (known == std::end(kKnown) || file.ends_with("nccl_1.log")) {
            result.notRead.push_back(file + (known != std::end(kKnown) ? ": one rank" : why));
            continue;
        }
        const std::string path = folder + "/" + file;
        if (known->format == Format::aiconfigurator) {
            const Diagnostics found = addAiconfigurator(path, file, result.tables);
            errors.insert(errors.end(), found.begin(), found.end());
            continue;
        }
        const Result<std::string> text = readTextFile(path);
        if (!text) {
            const Diagnostics found = text.errors();
            errors.insert(errors.end(), found.begin(), found.end());
            continue;
        }
        Reader reader{file, *text, {file, known->gpu, known->fabric, false, "", {}}, {}};
        switch (known->format) {
        case Format::ncclTests:
            reader.addNcclTests();
            break;
        case Format::vtrain:
            reader.addVtrain();
            break;
        case Format::estimateTrainTime:
            reader.addEstimateTrainTime();
            break;
        case Format::traceLens:
            reader.addTraceLens();
            break;
        case Format::aiconfigurator:
            break;
        }
        errors.insert(errors.end(), reader.errors.begin(), reader.errors.end());
        if (!reader.table.rows.empty())
            result.tables.push_back(std::move(reader.table));
    }
    if (!errors.empty())
        return errors;
    return result;
}

} // namespace prism
