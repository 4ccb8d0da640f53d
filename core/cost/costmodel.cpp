// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/costmodel.h"

#include "core/cost/attention.h"
#include "core/cost/clock.h"

#include <algorithm>
#include <cmath>

namespace prism {
namespace {

/// How compute and memory traffic of a matrix product overlap: the norm of the two times (4: nearly the maximum).
constexpr double kDenseNorm = 4, kGroupedNorm = 1.3;

/// Streams over which a grouped product spreads its experts' products, each of which starts and drains (Transformer Engine,
/// common/include/transformer_engine/multi_streams.h: 4). Of 108 grouped products on B200 (SimuMax, system file) the mean error goes
/// from -7.6 to -3.7 % with it.
constexpr double kExpertStreams = 4;

/// Share of the 16-bit peak of Triton kernels of 64 to 128 wide tiles: attention in Triton on A100, 68 to 80 of 312 TFLOP/s, both passes
/// (Dao-AILab/flash-attention assets).
constexpr double kTritonShare = 0.24;

/// Share of a stream's bandwidth of a kernel that gathers rows by their index: 0.50 and 0.51 of the peak where streams reach 0.666
/// (SimuMax, B200 system file: permute_fwd, permute_bwd and default; Apache-2.0).
constexpr double kPermuteShare = 0.75;

/// What a step takes the hosts once: their own work, and waiting for the slowest of them, which grows with the logarithm of their number.
double stepSecondsOf(const ClusterConfig& cluster, const SoftwareCalibration& software)
{
    const double nodes = static_cast<double>(cluster.numGpus) / std::max(1, cluster.gpusPerNode);
    return software.stepSeconds + software.syncSeconds * std::log2(std::max(1.0, nodes));
}

/// Of `places` (nodes or ranks) with an even share of the experts, how many the groups of one token cover: g of G groups at random.
double reachedPlaces(const ModelConfig& model, double places)
{
    const auto groups = static_cast<double>(model.moeRouterNumGroups), chosen = static_cast<double>(model.moeRouterGroupTopk);
    if (groups <= 0 || chosen <= 0 || chosen >= groups)
        return places;
    if (places >= groups)
        return places * chosen / groups;
    double missed = 1; // none of the chosen groups is on a place that holds groups / places of them
    for (double i = 0; i < chosen; ++i)
        missed *= std::max(0.0, groups - groups / places - i) / (groups - i);
    return places * (1 - missed);
}

} // namespace

CostModel::CostModel(const Scenario& scenario, const Calibration& calibration)
    : m_layout(layoutOf(scenario)),
      m_gpu(gpuCalibration(calibration, scenario.cluster.gpu)),
      m_collectives(scenario.cluster, m_gpu, calibration.network),
      m_host(scenario, calibration.software),
      m_stepSeconds(stepSecondsOf(scenario.cluster, calibration.software)),
      m_boardWatts(scenario.cluster.gpu.boardPowerW),
      m_boostGhz(scenario.cluster.gpu.boostClockMhz * 1e-3),
      m_gpuType(gpuType(scenario.cluster.gpu)),
      m_attentionBackend(scenario.training.attentionBackend)
{
    const GpuSpec& gpu = scenario.cluster.gpu;
    const auto or16 = [&](double peak) { return (peak > 0 ? peak : gpu.peakBf16Tflops) * 1e12; };
    const bool fp16 = scenario.training.precision == "fp16";
    const double bits16 = (fp16 && gpu.peakFp16Tflops > 0 ? gpu.peakFp16Tflops : gpu.peakBf16Tflops) * 1e12;
    m_peak = {gpu.peakFp32Tflops * 1e12, or16(gpu.peakTf32Tflops), bits16, or16(gpu.peakFp8Tflops),
              (gpu.peakFp4Tflops > 0 ? gpu.peakFp4Tflops * 1e12 : or16(gpu.peakFp8Tflops))};
    for (double& p : m_peak)
        p = p > 0 ? p : 1e12;
    m_efficiency = {m_gpu.gemmEfficiency, m_gpu.gemmEfficiency, m_gpu.gemmEfficiency,
                    gpu.peakFp8Tflops > 0 ? m_gpu.fp8Efficiency : m_gpu.gemmEfficiency,
                    gpu.peakFp4Tflops > 0 ? m_gpu.fp4Efficiency : m_gpu.fp8Efficiency};
    const std::string& precision = scenario.training.precision;
    if (precision == "fp32")
        m_high = m_low = MatrixPrecision::tf32;
    else if (precision == "nvfp4")
        m_low = MatrixPrecision::fp4;
    else if (precision.starts_with("fp8") || precision == "mxfp8")
        m_low = MatrixPrecision::fp8;
    if (m_attentionBackend == "cudnn_fp8" && (m_low == m_high || gpu.peakFp8Tflops <= 0))
        m_attentionBackend = "cudnn"; // check.cpp warns about it
    m_blockScaled = precision == "mxfp8";
    m_memoryBytesPerSecond = std::max(1.0, gpu.memoryBandwidthGbPerS * 1e9 * m_gpu.memoryEfficiency);
    m_gradientTraffic = scenario.training.gradReduceInFp32 || precision == "fp32" ? 8 : 4;
    m_sms = std::max(1, gpu.numSms);
    // DeepEP (DeepSeek-V3, arXiv 2412.19437, section 3.2.2): a token goes to a node, inside one node to a rank, once, however
    // many of its top-k experts are there: n (1 - (1 - 1/n)^k) copies of k.
    // Group-limited routing reaches fewer places (same report, section 2.1.2: at most 4 of 8 nodes).
    if (const GroupGeometry& expert = m_layout.expert;
        scenario.parallelism.moeTokenDispatcherType == "flex" && scenario.model.moeRouterTopk > 0) {
        const double places = reachedPlaces(scenario.model, static_cast<double>(expert.nodes > 1 ? expert.nodes : expert.size)),
                     topk = static_cast<double>(scenario.model.moeRouterTopk);
        m_expertTraffic = std::min(1.0, places * (1 - std::pow(1 - 1 / places, topk)) / topk);
    }
    if (!scenario.measured.rows.empty() || !scenario.measured.kernels.empty())
        m_tables.set(
            scenario.measured, m_layout.gpusPerNode,
            [this](double m, double n, double k, MatrixPrecision p) { return gemmSeconds(m, n, k, 1, p); },
            [this](CollectiveOp op, const GroupGeometry& group, double bytes) { return m_collectives.seconds(op, group, bytes); });
}

double CostModel::measuredOr(KernelId id, double formula) const
{
    const double measured = m_tables.kernelSeconds(id);
    return measured > 0 ? measured : formula;
}

/// Roofline over tiles: whole waves of output tiles over the SMs, each tile k + k0 deep, against the traffic of the matrices.
/// The two overlap nearly fully in one product, only in part in grouped ones with few rows.
CostModel::GemmTime CostModel::gemmTime(double m, double n, double k, double batch, MatrixPrecision precision, double outputBytes) const
{
    struct Tile {
        double m, n, rate;
    };
    static constexpr Tile kTiles[] = {{256, 128, 1.0}, {128, 256, 1.0}, {128, 128, 0.92}, {64, 128, 0.75}, {128, 64, 0.75}, {64, 64, 0.6}};
    const auto p = static_cast<std::size_t>(precision);
    const double perSm = m_peak[p] * m_efficiency[p] / m_sms;
    GemmTime time;
    time.compute = 1e300;
    for (const Tile& t : kTiles) {
        const double tiles = std::ceil(m / t.m) * std::ceil(n / t.n) * batch;
        // Full waves run back to back; of the last, partly filled one the GPU's share is lost.
        const double full = tiles / m_sms;
        const double waves = std::max(1.0, full + m_gpu.waveQuantisation * (std::ceil(full) - full));
        time.compute = std::min(time.compute, waves * 2 * t.m * t.n * (k + m_gpu.tileOverheadK) / (perSm * t.rate));
    }
    const double element = precision == MatrixPrecision::fp8 ? 1 : precision == MatrixPrecision::fp4 ? 0.5 : 2;
    time.traffic = batch * (element * (m * k + n * k) + outputBytes * m * n) / m_memoryBytesPerSecond;
    time.norm = batch > 1 ? kGroupedNorm : kDenseNorm;
    return time;
}

namespace {

double together(double compute, double traffic, double norm)
{
    return std::pow(std::pow(compute, norm) + std::pow(traffic, norm), 1 / norm);
}

} // namespace

double CostModel::gemmSeconds(double m, double n, double k, double batch, MatrixPrecision precision, double outputBytes) const
{
    if (m <= 0 || n <= 0 || k <= 0 || batch <= 0)
        return 0;
    const GemmTime t = gemmTime(m, n, k, batch, precision, outputBytes);
    return together(t.compute, t.traffic, t.norm) + m_gpu.launchSeconds;
}

double CostModel::sustainedGemmSeconds(double m, double n, double k, double batch, MatrixPrecision precision, double outputBytes) const
{
    if (m <= 0 || n <= 0 || k <= 0 || batch <= 0)
        return 0;
    const GemmTime t = gemmTime(m, n, k, batch, precision, outputBytes);
    const double alone = together(t.compute, t.traffic, t.norm);
    return together(t.compute / clock(precision, t.compute / std::max(1e-12, alone)), t.traffic, t.norm) + m_gpu.launchSeconds;
}

double CostModel::clock(MatrixPrecision precision, double load) const
{
    const bool fp8 = precision == MatrixPrecision::fp8, fp4 = precision == MatrixPrecision::fp4;
    const double energy = fp8 ? m_gpu.matrix8Energy : fp4 ? m_gpu.matrix4Energy : m_gpu.matrixEnergy;
    // pJ per FLOP at 1 GHz, times GHz, times TFLOP/s: watts at the boost clock. Wider types keep the units as busy as 16 bit.
    const double peak = peakFlops(fp8 || fp4 ? precision : MatrixPrecision::bits16) * 1e-12;
    return sustainedClock(m_boardWatts, {m_gpu.idleWatts, energy * m_boostGhz * peak}, load);
}

double CostModel::memorySeconds(double bytes, double launches) const
{
    return bytes / m_memoryBytesPerSecond + launches * m_gpu.launchSeconds;
}

/// Fused attention: the measured rate of its kernel (attention.h) at the clock of its load, less where its tiles of 128 rows do not
/// fill the GPU. FP8 attention runs where the products are FP8 or FP4 (Transformer Engine's fp8_dot_product_attention).
double CostModel::attentionSeconds(const Kernel& kernel) const
{
    const MatrixPrecision precision = m_attentionBackend == "cudnn_fp8" ? MatrixPrecision::fp8 : m_high;
    const auto p = static_cast<std::size_t>(precision);
    const double rate = attentionRate(m_gpu.family, m_gpuType, m_attentionBackend, m_peak[static_cast<std::size_t>(m_high)],
                                      {kernel.n, kernel.k, kernel.headDim, kernel.backward, m_blockScaled});
    const double filled = std::min(1.0, std::ceil(kernel.m / 128) * kernel.batch / m_sms);
    const double seconds = kernel.flops / (rate * filled * clock(precision, std::min(1.0, rate / (m_peak[p] * m_efficiency[p]))));
    return std::max(seconds, kernel.bytes / m_memoryBytesPerSecond) + kernel.launches * m_gpu.launchSeconds;
}

/// FLOPs at the share of the peak that kernels of this kind reach, or the traffic, whichever takes longer. Convolutions and operators
/// without a shape run as matrix products (cuDNN's implicit GEMM); scans as Triton kernels of small tiles.
double CostModel::rooflineSeconds(const Kernel& kernel) const
{
    const auto p = static_cast<std::size_t>(m_high);
    const double share = kernel.id == KernelId::ssm ? kTritonShare : m_efficiency[p];
    const double compute = kernel.flops / (m_peak[p] * share * clock(m_high, std::min(1.0, share / m_efficiency[p])));
    return std::max(compute, kernel.bytes / m_memoryBytesPerSecond) + kernel.launches * m_gpu.launchSeconds;
}

const GroupGeometry& CostModel::group(Domain domain) const
{
    switch (domain) {
    case Domain::tensor:
        return m_layout.tensor;
    case Domain::context:
        return m_layout.context;
    case Domain::expert:
        return m_layout.expert;
    case Domain::expertTensor:
        return m_layout.expertTensor;
    case Domain::data:
        break;
    }
    return m_layout.data;
}

double CostModel::collectiveSeconds(CollectiveOp op, const GroupGeometry& group, double bytes) const
{
    return m_collectives.seconds(op, group, bytes) * m_tables.collectiveFactor(op, group, bytes);
}

double CostModel::seconds(const Kernel& kernel) const
{
    if (const double measured = m_tables.kernelSeconds(kernel.id); measured > 0)
        return measured;
    switch (kernel.kind) {
    case CostKind::gemm: {
        const MatrixPrecision precision = kernel.lowPrecision ? m_low : m_high;
        const double outputBytes = kernel.part != Part::wgrad ? 2 : m_gradientTraffic;
        if (kernel.batch <= 1 && m_tables.hasGemms(precision)) // a measured time has the clock of its measurement
            return gemmSeconds(kernel.m, kernel.n, kernel.k, kernel.batch, precision, outputBytes)
                   * m_tables.gemmFactor(kernel.m, kernel.n, kernel.k, precision);
        const double starts = kernel.grouped() ? std::max(0.0, kernel.batch - 1) / kExpertStreams : 0.0;
        return sustainedGemmSeconds(kernel.m, kernel.n, kernel.k, kernel.batch, precision, outputBytes) + starts * m_gpu.launchSeconds;
    }
    case CostKind::attention:
        return attentionSeconds(kernel);
    case CostKind::memory:
        return memorySeconds(kernel.bytes / (kernel.id == KernelId::moePermute ? kPermuteShare : 1.0), kernel.launches);
    case CostKind::roofline:
        return rooflineSeconds(kernel);
    case CostKind::collective: {
        const double bytes = kernel.bytes * (kernel.domain == Domain::expert ? m_expertTraffic : 1.0);
        return collectiveSeconds(kernel.op, group(kernel.domain), bytes);
    }
    }
    return 0;
}

} // namespace prism
