// SPDX-License-Identifier: GPL-3.0-or-later
// The benchmark part of the calibration: efficiencies of matrix products, and the power of boards where a sustained benchmark shows it.
#include "bench/constants/calibrate.h"
#include "bench/constants/fitting.h"
#include "core/cost/costmodel.h"
#include "core/measured/sources.h"
#include "core/scenario/presets.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace prism {
namespace {

constexpr std::size_t kEnoughRows = 50, kLongTable = 20'000;

/// A scenario with the first GPU that tables name of a family: enough to ask a CostModel for kernels. None where they name none.
std::optional<Scenario> probe(const std::string& family)
{
    if (const Result<MeasurementSources>& sources = measurementSources())
        for (const MeasuredSystem& system : sources->systems)
            if (const Result<GpuSpec> gpu = system.family == family ? gpuPreset(system.gpu) : Result<GpuSpec>(Diagnostics{})) {
                Scenario s;
                s.cluster.gpu = *gpu;
                return s;
            }
    return std::nullopt;
}

/// Of every `stride`-th row those that belong.
std::vector<const GemmRow*> rowsOf(const std::vector<GemmRow>& rows, std::size_t stride, const auto& belongs)
{
    std::vector<const GemmRow*> found;
    for (std::size_t i = 0; i < rows.size(); i += stride)
        if (belongs(rows[i]))
            found.push_back(&rows[i]);
    return found;
}

/// The constants of one family in one precision and the rows that decide them.
class GemmFit final {
public:
    GemmFit(Calibration& calibration, GpuCalibration& gpu, const Scenario& machine, MatrixPrecision precision)
        : m_calibration(calibration),
          m_gpu(gpu),
          m_machine(machine),
          m_precision(precision)
    {
    }

    /// Moves the family's constants to the least loss.
    FitReport fit(std::vector<const GemmRow*> rows, const std::string& what)
    {
        m_rows = std::move(rows);
        if (m_precision == MatrixPrecision::bits16)
            fit16();
        else
            fitLow();
        (void)loss();
        m_report.what = what;
        if (m_precision != MatrixPrecision::bits16)
            m_report.what += ", of which " + std::to_string(m_quantised) + " bytes per element of A to quantise it";
        return m_report;
    }

private:
    /// The mean of the absolute logarithms of predicted over measured.
    double loss();
    void fit16();
    void fitLow();
    void search(double& constant, double low, double high)
    {
        constant = minimum(low, high, 12, [&](double x) {
            constant = x;
            return loss();
        });
    }
    void searchEfficiency(double& efficiency) { search(efficiency, 0.3, 0.98); }

    Calibration& m_calibration;
    GpuCalibration& m_gpu;
    const Scenario& m_machine;
    MatrixPrecision m_precision;
    std::vector<const GemmRow*> m_rows;
    double m_quantised = 0; ///< bytes per element of A that the benchmark moves to quantise it before the product
    FitReport m_report;
};

double GemmFit::loss()
{
    const CostModel cost(m_machine, m_calibration);
    m_report = {};
    for (const GemmRow* r : m_rows) {
        const double cast = m_precision == MatrixPrecision::bits16 ? 0.0 : cost.memorySeconds(m_quantised * r->m * r->k, 1);
        m_report.add(std::log((cost.gemmSeconds(r->m, r->n, r->k, 1, m_precision) + cast) / r->seconds));
    }
    return m_report.meanAbs;
}

/// Efficiency and tile overhead, with last waves that are lost whole or not at all, whichever fits better.
void GemmFit::fit16()
{
    m_gpu.gemmEfficiency = GpuCalibration{}.gemmEfficiency;
    m_gpu.tileOverheadK = GpuCalibration{}.tileOverheadK;
    GpuCalibration best = m_gpu;
    double smallest = 1e300;
    for (const double wave : {0.0, 1.0}) {
        m_gpu.waveQuantisation = wave;
        for (int round = 0; round < 3; ++round) {
            searchEfficiency(m_gpu.gemmEfficiency);
            search(m_gpu.tileOverheadK, 20, 2000);
        }
        if (const double l = loss(); l < smallest) {
            smallest = l;
            best = m_gpu;
        }
    }
    m_gpu = best;
}

/// Efficiency and what the quantisation moves; tiles and waves are those of 16 bit.
void GemmFit::fitLow()
{
    m_quantised = 3;
    double& efficiency = m_precision == MatrixPrecision::fp8 ? m_gpu.fp8Efficiency : m_gpu.fp4Efficiency;
    for (int round = 0; round < 4; ++round) {
        searchEfficiency(efficiency);
        search(m_quantised, 0.5, 16);
    }
}

} // namespace

void fitGemms(Calibration& calibration, const std::vector<GemmRow>& rows, std::vector<FitReport>& reports)
{
    const std::size_t stride = rows.size() > kLongTable ? 3 : 1; // every third row of a long table is enough
    for (const auto& [precision, name] :
         {std::pair{MatrixPrecision::bits16, "16 bit"}, {MatrixPrecision::fp8, "FP8"}, {MatrixPrecision::fp4, "FP4"}})
        for (GpuCalibration& gpu : calibration.gpus) {
            const std::optional<Scenario> machine = probe(gpu.family);
            std::vector<const GemmRow*> of = rowsOf(
                rows, stride, [&, precision = precision](const GemmRow& r) { return r.precision == precision && r.family == gpu.family; });
            if (machine && of.size() >= kEnoughRows)
                reports.push_back(GemmFit(calibration, gpu, *machine, precision).fit(std::move(of), gpu.family + ": GEMM " + name));
        }
}

namespace {

/// Predicted over measured time of repeated products, together and one by one.
struct Sustained {
    double ratio = 0;
    Residuals residuals;
};

Sustained sustained(const CostModel& cost, const std::vector<const GemmRow*>& rows)
{
    Sustained found;
    double measured = 0, predicted = 0;
    for (const GemmRow* r : rows) {
        const double seconds = cost.sustainedGemmSeconds(r->m, r->n, r->k, 1, r->precision, r->outputBytes);
        measured += r->seconds;
        predicted += seconds;
        found.residuals.add(seconds / r->seconds - 1);
    }
    found.ratio = predicted / measured;
    return found;
}

} // namespace

void fitSustained(Calibration& calibration, const std::vector<GemmRow>& rows, std::vector<FitReport>& reports)
{
    constexpr double kShortest = 5e-3; // a board holds its boost clock for up to this time (flashinfer PR 2899)
    constexpr int kSteps = 40;
    for (GpuCalibration& gpu : calibration.gpus) {
        const std::optional<Scenario> machine = probe(gpu.family);
        const std::vector<const GemmRow*> of =
            rowsOf(rows, 1, [&](const GemmRow& r) { return r.seconds >= kShortest && r.family == gpu.family; });
        if (of.empty() || !machine)
            continue;
        gpu.matrixEnergy = minimum(0.01, 10, kSteps, [&](double x) {
            gpu.matrixEnergy = x;
            return std::abs(std::log(sustained(CostModel(*machine, calibration), of).ratio));
        });
        reports.push_back({sustained(CostModel(*machine, calibration), of).residuals, gpu.family + ": sustained matrix products"});
    }
}

} // namespace prism
