// SPDX-License-Identifier: GPL-3.0-or-later
// The benchmark part of the calibration: efficiencies of matrix products, and what boards draw where a sustained benchmark says so.
#include "core/calibrate/calibrate.h"
#include "core/calibrate/fitting.h"
#include "core/cost/costmodel.h"
#include "core/measured/sources.h"
#include "core/scenario/presets.h"
#include "core/stats/moments.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace prism {
namespace {

GpuCalibration* gpuOf(Calibration& c, const std::string& family)
{
    for (GpuCalibration& g : c.gpus)
        if (g.family == family)
            return &g;
    return nullptr;
}

/// A scenario with one GPU of the preset that stands for a system: enough to ask a CostModel for kernels. None where no preset does.
std::optional<Scenario> probe(const std::string& type)
{
    const MeasuredSystem* system = measurementSources().systemOf(type);
    const Result<GpuSpec> gpu = system != nullptr ? gpuPreset(system->gpu) : Result<GpuSpec>(Diagnostics{});
    if (!gpu)
        return std::nullopt;
    Scenario s;
    s.cluster.gpu = *gpu;
    return s;
}

/// Rows of one GPU family and precision, with the GPU that each was measured on.
struct FamilyRows {
    std::vector<std::pair<const GemmRow*, std::size_t>> rows; ///< and its place in `gpus`
    std::vector<Scenario> gpus;
};

std::map<std::string, FamilyRows> byFamily(const std::vector<GemmRow>& rows, MatrixPrecision precision)
{
    std::map<std::string, FamilyRows> families;
    std::map<std::string, std::pair<std::string, std::size_t>> known;          // type: family, place
    for (std::size_t i = 0; i<rows.size(); i += rows.size()> 20'000 ? 3 : 1) { // every third row of a long table is enough
        if (rows[i].precision != precision)
            continue;
        const auto [it, added] = known.try_emplace(rows[i].type);
        if (added)
            if (std::optional<Scenario> s = probe(rows[i].type)) {
                it->second.first = std::string(gpuFamily(s->cluster.gpu));
                FamilyRows& family = families[it->second.first];
                it->second.second = family.gpus.size();
                family.gpus.push_back(std::move(*s));
            }
        if (!it->second.first.empty())
            families[it->second.first].rows.emplace_back(&rows[i], it->second.second);
    }
    return families;
}

/// What a product's benchmark adds to it: in FP8 and FP4 the quantisation of A, `bytes` per element.
struct GemmLoss {
    const FamilyRows& of;
    MatrixPrecision precision;
    double bytes = 0;

    FitReport report(const Calibration& calibration) const
    {
        std::vector<CostModel> models;
        for (const Scenario& s : of.gpus)
            models.emplace_back(s, calibration);
        FitReport r;
        for (const auto& [row, gpu] : of.rows) {
            const double cast = bytes > 0 ? models[gpu].memorySeconds(bytes * row->m * row->k, 1) : 0.0;
            const double e = std::log((models[gpu].gemmSeconds(row->m, row->n, row->k, 1, precision) + cast) / row->seconds);
            r.meanAbs += std::abs(e) / static_cast<double>(of.rows.size());
            r.bias += e / static_cast<double>(of.rows.size());
        }
        r.rows = static_cast<int>(of.rows.size());
        return r;
    }
};

constexpr double kLeastEfficiency = 0.3, kMostEfficiency = 0.98;
constexpr int kSearch = 12;

/// Efficiency and bytes of the quantisation; tiles and waves are those of 16 bit. Returns the bytes.
double fitLow(Calibration& calibration, double& efficiency, GemmLoss loss)
{
    loss.bytes = 3;
    for (int round = 0; round < 4; ++round) {
        efficiency = minimum(kLeastEfficiency, kMostEfficiency, kSearch, [&](double x) {
            efficiency = x;
            return loss.report(calibration).meanAbs;
        });
        loss.bytes = minimum(0.5, 16, kSearch, [&](double x) {
            loss.bytes = x;
            return loss.report(calibration).meanAbs;
        });
    }
    return loss.bytes;
}

/// Efficiency and tile overhead, with waves that are lost whole or not at all, whichever fits better.
void fit16(Calibration& calibration, GpuCalibration& gpu, const GemmLoss& loss)
{
    gpu.gemmEfficiency = GpuCalibration{}.gemmEfficiency;
    gpu.tileOverheadK = GpuCalibration{}.tileOverheadK;
    GpuCalibration best = gpu;
    double least = 1e300;
    for (const double wave : {0.0, 1.0}) {
        gpu.waveQuantisation = wave;
        for (int round = 0; round < 3; ++round) {
            gpu.gemmEfficiency = minimum(kLeastEfficiency, kMostEfficiency, kSearch, [&](double x) {
                gpu.gemmEfficiency = x;
                return loss.report(calibration).meanAbs;
            });
            gpu.tileOverheadK = minimum(20, 2000, kSearch, [&](double x) {
                gpu.tileOverheadK = x;
                return loss.report(calibration).meanAbs;
            });
        }
        if (const double l = loss.report(calibration).meanAbs; l < least) {
            least = l;
            best = gpu;
        }
    }
    gpu = best;
}

} // namespace

void fitGemms(Calibration& calibration, const std::vector<GemmRow>& rows, std::vector<FitReport>& reports)
{
    constexpr std::size_t kEnoughRows = 50;
    for (const auto& [precision, name] :
         {std::pair{MatrixPrecision::bits16, "16 bit"}, {MatrixPrecision::fp8, "FP8"}, {MatrixPrecision::fp4, "FP4"}})
        for (const auto& [family, of] : byFamily(rows, precision)) {
            GpuCalibration* gpu = gpuOf(calibration, family);
            if (of.rows.size() < kEnoughRows || gpu == nullptr)
                continue;
            GemmLoss loss{of, precision};
            std::string what = family + ": GEMM " + name;
            if (precision == MatrixPrecision::bits16) {
                fit16(calibration, *gpu, loss);
            } else {
                loss.bytes = fitLow(calibration, precision == MatrixPrecision::fp8 ? gpu->fp8Efficiency : gpu->fp4Efficiency, loss);
                what += ", of which " + std::to_string(loss.bytes) + " bytes per element of A to quantise it";
            }
            FitReport report = loss.report(calibration);
            report.what = what;
            reports.push_back(report);
        }
}

void fitSustained(Calibration& calibration, const std::vector<GemmRow>& rows, std::vector<FitReport>& reports)
{
    if (rows.empty())
        return;
    const std::optional<Scenario> machine = probe(rows.front().type);
    GpuCalibration* gpu = machine ? gpuOf(calibration, std::string(gpuFamily(machine->cluster.gpu))) : nullptr;
    if (gpu == nullptr)
        return;
    const CostModel cost(*machine, calibration);
    std::vector<double> ratios;
    for (const GemmRow& r : rows)
        if (r.seconds >= 3e-4)
            ratios.push_back(r.seconds / cost.gemmSeconds(r.m, r.n, r.k, 1, MatrixPrecision::bits16));
    if (ratios.empty())
        return;
    // The power at which the clock is the reciprocal of the median: P = idle + matrix * f^2 (clock.h).
    const double slower = medianOf(ratios), watts = machine->cluster.gpu.boardPowerW;
    gpu->matrixEnergy = std::max(1.0, (watts - gpu->idleWatts) * slower * slower)
                        / (machine->cluster.gpu.boostClockMhz * 1e-3 * machine->cluster.gpu.peakBf16Tflops);
    FitReport report{gpu->family + ": sustained matrix products, " + std::to_string(slower) + " times the benchmark's time",
                     static_cast<int>(ratios.size()), 0, 0};
    for (const double ratio : ratios) {
        const double e = slower / ratio - 1;
        report.meanAbs += std::abs(e) / static_cast<double>(ratios.size());
        report.bias += e / static_cast<double>(ratios.size());
    }
    reports.push_back(report);
}

} // namespace prism
