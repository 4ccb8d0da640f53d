// SPDX-License-Identifier: GPL-3.0-or-later
#include "bench/constants/calibrationdata.h"

#include "core/base/textfile.h"
#include "core/measured/steptable.h"
#include "bench/constants/gemmtables.h"
#include "core/measured/tables.h"
#include "core/scenario/presets.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace prism {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFiles = 10'000;
constexpr std::string_view kGemmColumns = "system,collector,dtype,m,n,k,latency_us,",
                           kBusColumns = "system,nccl_version,op,dtype,num_gpus,";

/// Files of the folder and of its subfolders, in the order of their names.
std::vector<std::string> filesOf(const std::string& folder, std::error_code& error)
{
    std::vector<std::string> files;
    for (auto it = fs::recursive_directory_iterator(folder, error);
         !error && it != fs::recursive_directory_iterator() && files.size() < kMaxFiles; it.increment(error)) {
        if (it.depth() >= 1)
            it.disable_recursion_pending();
        const std::string name = it->path().filename().string();
        std::error_code unreadable;
        const bool known = name.ends_with(".csv") || name.ends_with(".csv.gz") || name.ends_with(".json");
        if (known && it->is_regular_file(unreadable) && it->file_size(unreadable) <= kMaxTextBytes && !unreadable)
            files.push_back(it->path().string());
    }
    std::sort(files.begin(), files.end());
    return files;
}

/// Takes one file after another in.
struct Intake {
    CalibrationData data;
    Diagnostics errors;

    template <class Rows>
    void take(const std::string& path, const Result<Rows>& rows, Rows& into, const char* what)
    {
        if (!rows) {
            for (Diagnostic d : rows.errors()) {
                if (!d.path.starts_with(path))
                    d.path = path + (d.path.empty() ? "" : ": " + d.path);
                errors.push_back(std::move(d));
            }
            return;
        }
        data.read.push_back(path + ": " + std::to_string(rows->size()) + " " + what);
        into.insert(into.end(), rows->begin(), rows->end());
    }
    void takeText(const std::string& path, const std::string& text);
    void takeBusTable(const std::string& path);
    void takeSustained(const std::string& path);
    void takeCollectives(const std::string& folder);
    void addCurated();
    void reportMissing();
};

/// A file's name without its folder: what is missing is listed in the file that is written.
std::string nameOf(const std::string& path)
{
    return std::filesystem::path(path).filename().string();
}

void Intake::takeText(const std::string& path, const std::string& text)
{
    const std::string_view head = std::string_view(text).substr(0, 400);
    if (head.starts_with(kGemmColumns))
        take(path, readGemmTable(path), data.gemms, "matrix products");
    else if (head.starts_with(kBusColumns))
        takeBusTable(path);
    else if (isStepTable(text))
        take(path, readPublished(text), data.single, "single-node steps");
    else if (path.ends_with(".json") && head.find("\"prism-validation-1\"") != std::string_view::npos) {
        const Result<std::vector<PublishedRow>> rows = readPublished(text);
        if (!rows && rows.errors().front().path == "schema_version")
            data.missing.push_back(nameOf(path) + ": not used, its rows do not say how they were executed (schema version 1)");
        else
            take(path, rows, data.steps, "published steps");
    } else if (path.ends_with(".json") && head.find("\"sys_name\"") != std::string_view::npos
               && text.find("accurate_efficient_factor") != std::string::npos) {
        takeSustained(path);
    }
}

/// Bandwidths are fitted as shares of a link: rows of systems whose link is not known are left aside.
void Intake::takeBusTable(const std::string& path)
{
    Result<std::vector<BusRow>> rows = readBusTable(path);
    std::set<std::string> unknown;
    if (rows)
        std::erase_if(*rows, [&](const BusRow& r) { return !(r.linkGbPerS > 0) && (unknown.insert(r.type), true); });
    take(path, rows, data.bus, "bus bandwidths");
    for (const std::string& type : unknown)
        data.missing.push_back(nameOf(path) + ": rows of " + type + " are not used, presets/calibration/sources.json names no such system");
}

void Intake::takeSustained(const std::string& path)
{
    const Result<std::vector<GemmRow>> rows = readSustainedGemms(path);
    if (rows && rows->empty())
        data.missing.push_back(nameOf(path)
                               + ": not used, presets/calibration/sources.json does not name its system among those of sustained products");
    else
        take(path, rows, data.sustained, "sustained matrix products");
}

void Intake::takeCollectives(const std::string& folder)
{
    std::error_code error;
    if (!fs::is_directory(folder, error))
        return;
    const Result<CollectiveFolder> found = readCollectiveFolder(folder);
    if (!found) {
        const Diagnostics& e = found.errors();
        errors.insert(errors.end(), e.begin(), e.end());
        return;
    }
    data.collectives = *found;
    data.read.push_back(folder + ": " + std::to_string(found->tables.size()) + " tables of collectives");
}

/// The rows that the product ships with hold sources that a folder may lack; they join published steps that are there.
void Intake::addCurated()
{
    const Result<std::string> text = presetText("published", "steps");
    const Result<std::vector<PublishedRow>> curated = text ? readPublished(*text) : Result<std::vector<PublishedRow>>(text.errors());
    if (!curated || data.steps.empty())
        return;
    std::set<std::string> known;
    for (const PublishedRow& r : data.steps)
        known.insert(r.id);
    std::size_t added = 0;
    for (const PublishedRow& r : *curated)
        if (!known.contains(r.id)) {
            data.steps.push_back(r);
            ++added;
        }
    data.read.push_back("presets/published/steps.json: " + std::to_string(added) + " more published steps");
}

void Intake::reportMissing()
{
    const auto note = [&](bool empty, const char* what) {
        if (empty)
            data.missing.emplace_back(what);
    };
    note(data.bus.empty(), "no table of bus bandwidths (system,nccl_version,op,dtype,num_gpus,bytes,latency_us,busbw_GBps): the curves of "
                           "collectives inside nodes stay");
    note(data.collectives.tables.empty(), "no folder `collectives` with known tables: the constants of the network stay");
    note(data.gemms.empty(),
         "no table of matrix products (system,collector,dtype,m,n,k,latency_us,tflops): the efficiencies of matrix products stay");
    note(data.sustained.empty(), "no table of sustained matrix products: the energy of their FLOPs stays as it is");
    note(data.steps.empty(), "no published steps of schema version 2: watts, host times, bands and the domain stay");
    note(data.single.empty(), "no table of single-node steps: they take no part in the fit");
}

} // namespace

Result<CalibrationData> readCalibrationData(const std::string& folder)
{
    std::error_code error;
    const std::vector<std::string> files = filesOf(folder, error);
    if (error)
        return Diagnostic{Severity::error, folder, "the folder cannot be read", error.message(), "a folder with measurements", "", ""};
    Intake intake;
    for (const std::string& path : files)
        if (const Result<std::string> text = readTextFile(path))
            intake.takeText(path, *text);
    intake.takeCollectives(folder + "/collectives");
    if (!intake.errors.empty())
        return intake.errors;
    if (intake.data.read.empty())
        return Diagnostic{Severity::error,
                          folder,
                          "there is nothing to fit constants on",
                          std::to_string(files.size()) + " files",
                          "published steps (prism-validation-1), tables of matrix products, bus bandwidths or collectives",
                          "",
                          ""};
    intake.addCurated();
    intake.reportMissing();
    return std::move(intake.data);
}

} // namespace prism
