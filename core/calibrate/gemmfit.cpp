// SPDX-License-Identifier: GPL-3.0-or-later
// The benchmark part of the calibration: efficiencies of matrix products, and what boards draw where a sustained benchmark says so.
#include "core/calibrate/calibrate.h"
#include "core/stats/moments.h"
#include "core/calibrate/fitting.h"
#include "core/cost/costmodel.h"
#include "core/scenario/presets.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace prism {
namespace {

GpuCalibration* gpuOf(Calibration& c, const std::string& family)
{
    for (GpuCalibration& g : c.gpus)
        if (g.family == family)
            return &g;
    return nullptr;
}

/// A scenario with one GPU of a family: enough to ask a CostModel for kernels.
Scenario probe(const std::string& family)
{
    static const std::map<std::string, const char*> presets = {
        {"a100", "a100-sxm-80gb"}, {"h100", "h100-sxm-80gb"}, {"b200", "b200-sxm-180gb"}, {"mi300x", "mi300x-192gb"}};
    Scenario s;
    if (const auto it = presets.find(family); it != presets.end())
        if (const Result<GpuSpec> gpu = gpuPreset(it->second))
            s.cluster.gpu = *gpu;
    return s;
}

} // namespace

void fitGemms(Calibration& calibration, const std::vector<GemmRow>& rows, std::vector<FitReport>& reports)
{
    for (const auto& [precision, name] :
         {std::pair{MatrixPrecision::bits16, "16 bit"}, {MatrixPrecision::fp8, "FP8"}, {MatrixPrecision::fp4, "FP4"}})
        for (const char* family : {"a100", "h100", "b200"}) {
            std::vector<const GemmRow*> of;
            for (std::size_t i = 0; i<rows.size(); i += rows.size()> 20'000 ? 3 : 1) // every third row of a long table is enough
                if (rows[i].family == family && rows[i].precision == precision)
                    of.push_back(&rows[i]);
            GpuCalibration* gpu = gpuOf(calibration, family);
            if (of.size() < 50 || gpu == nullptr)
                continue;
            const Scenario s = probe(family);
            const bool low = precision != MatrixPrecision::bits16;
            double quantised = low ? 3 : 0; // bytes per element of A that the benchmark moves to quantise it before the product
            FitReport report;
            const auto loss = [&] {
                const CostModel cost(s, calibration);
                double sum = 0, bias = 0;
                for (const GemmRow* r : of) {
                    const double seconds =
                        cost.gemmSeconds(r->m, r->n, r->k, 1, precision) + (low ? cost.memorySeconds(quantised * r->m * r->k, 1) : 0.0);
                    const double e = std::log(seconds / r->seconds);
                    sum += std::abs(e);
                    bias += e;
                }
                report = {std::string(family) + ": GEMM " + name, static_cast<int>(of.size()), sum / static_cast<double>(of.size()),
                          bias / static_cast<double>(of.size())};
                return sum;
            };
            double& efficiency = precision == MatrixPrecision::fp8 ? gpu->fp8Efficiency : low ? gpu->fp4Efficiency : gpu->gemmEfficiency;
            if (low) { // tiles and waves are those of 16 bit
                for (int round = 0; round < 4; ++round) {
                    efficiency = minimum(0.3, 0.98, 12, [&](double x) {
                        efficiency = x;
                        return loss();
                    });
                    quantised = minimum(0.5, 16, 12, [&](double x) {
                        quantised = x;
                        return loss();
                    });
                }
                (void)loss();
                report.what += ", of which " + std::to_string(quantised) + " bytes per element of A to quantise it";
                reports.push_back(report);
                continue;
            }
            efficiency = GpuCalibration{}.gemmEfficiency;
            gpu->tileOverheadK = GpuCalibration{}.tileOverheadK;
            double bestWave = gpu->waveQuantisation, bestEfficiency = efficiency, bestOverhead = gpu->tileOverheadK, bestLoss = 1e300;
            for (const double wave : {0.0, 1.0}) {
                gpu->waveQuantisation = wave;
                for (int round = 0; round < 3; ++round) {
                    efficiency = minimum(0.3, 0.98, 12, [&](double x) {
                        efficiency = x;
                        return loss();
                    });
                    gpu->tileOverheadK = minimum(20, 2000, 12, [&](double x) {
                        gpu->tileOverheadK = x;
                        return loss();
                    });
                }
                const double l = loss();
                if (l < bestLoss) {
                    bestLoss = l;
                    bestWave = wave;
                    bestEfficiency = efficiency;
                    bestOverhead = gpu->tileOverheadK;
                }
            }
            gpu->waveQuantisation = bestWave;
            efficiency = bestEfficiency;
            gpu->tileOverheadK = bestOverhead;
            (void)loss();
            reports.push_back(report);
        }
}

void fitSustained(Calibration& calibration, const std::vector<GemmRow>& rows, std::vector<FitReport>& reports)
{
    if (rows.empty())
        return;
    GpuCalibration* gpu = gpuOf(calibration, rows.front().family);
    if (gpu == nullptr)
        return;
    const CostModel cost(probe(gpu->family), calibration);
    std::vector<double> ratios;
    for (const GemmRow& r : rows)
        if (r.seconds >= 3e-4)
            ratios.push_back(r.seconds / cost.gemmSeconds(r.m, r.n, r.k, 1, MatrixPrecision::bits16));
    if (ratios.empty())
        return;
    // The power at which the clock is the reciprocal of the median: P = idle + matrix * f^2 (clock.h).
    const double slower = medianOf(ratios), watts = probe(gpu->family).cluster.gpu.boardPowerW;
    gpu->matrixWatts = std::max(1.0, (watts - gpu->idleWatts) * slower * slower);
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
