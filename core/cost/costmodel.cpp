#include "core/cost/costmodel.h"

#include <algorithm>
#include <cmath>

namespace prism {

CostModel::CostModel(const Scenario& scenario, const Calibration& calibration)
    : m_layout(layoutOf(scenario)), m_gpu(gpuCalibration(calibration, scenario.cluster.gpu)), m_nvlink(calibration.nvlink),
      m_network(calibration.network), m_software(scenario.training.flashAttention ? &calibration.fused : &calibration.eager)
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
    m_memoryBytesPerSecond = std::max(1.0, gpu.memoryBandwidthGbPerS * 1e9 * m_gpu.memoryEfficiency);
    m_intraBytesPerSecond = std::max(1.0, scenario.cluster.intraNodeGbPerS * 1e9);
    m_interBytesPerSecond = std::max(1.0, scenario.cluster.interNodeGbPerS * 1e9);
    m_intraLatency = scenario.cluster.intraNodeLatencyUs * 1e-6;
    m_interLatency = scenario.cluster.interNodeLatencyUs * 1e-6;
    m_sms = std::max(1, gpu.numSms);
    m_nvls = scenario.cluster.nvlsSupported;
}

/// Roofline over tiles: whole waves of output tiles over the SMs, each tile k + k0 deep, against the traffic of the matrices.
double CostModel::gemmSeconds(double m, double n, double k, double batch, MatrixPrecision precision) const
{
    if (m <= 0 || n <= 0 || k <= 0 || batch <= 0)
        return 0;
    struct Tile {
        double m, n, rate;
    };
    static constexpr Tile kTiles[] = {{256, 128, 1.0}, {128, 256, 1.0}, {128, 128, 0.92}, {64, 128, 0.75}, {128, 64, 0.75}, {64, 64, 0.6}};
    const auto p = static_cast<std::size_t>(precision);
    const double perSm = m_peak[p] * m_efficiency[p] / m_sms;
    double best = 1e300;
    for (const Tile& t : kTiles) {
        const double tiles = std::ceil(m / t.m) * std::ceil(n / t.n) * batch;
        // Full waves run back to back; the last one is as long as the others however many tiles it has.
        const double waves = std::ceil(tiles / m_sms);
        best = std::min(best, waves * 2 * t.m * t.n * (k + m_gpu.tileOverheadK) / (perSm * t.rate));
    }
    const double element = precision == MatrixPrecision::fp8 ? 1 : precision == MatrixPrecision::fp4 ? 0.5 : 2;
    const double traffic = batch * (element * (m * k + n * k) + 2 * m * n) / m_memoryBytesPerSecond;
    return std::max(best, traffic) + m_gpu.launchSeconds;
}

double CostModel::memorySeconds(double bytes, double launches) const
{
    return bytes / m_memoryBytesPerSecond + launches * m_gpu.launchSeconds;
}

double CostModel::attentionSeconds(const Kernel& kernel) const
{
    const double peak = m_peak[static_cast<std::size_t>(m_high)];
    const double share = kernel.backward ? m_gpu.attentionBackward : m_gpu.attentionForward;
    return std::max(kernel.flops / (peak * share), kernel.bytes / m_memoryBytesPerSecond) + m_gpu.launchSeconds;
}

const GroupGeometry& CostModel::group(Domain domain) const
{
    switch (domain) {
    case Domain::tensor: return m_layout.tensor;
    case Domain::context: return m_layout.context;
    case Domain::expert: return m_layout.expert;
    case Domain::expertTensor: return m_layout.expertTensor;
    case Domain::data: break;
    }
    return m_layout.data;
}

/// Ring algorithms (Thakur, Rabenseifner and Gropp 2005; nccl-tests PERFORMANCE.md): all-gather and reduce-scatter move
/// (n - 1) / n of the buffer, all-reduce twice that.
double CostModel::collectiveSeconds(CollectiveOp op, const GroupGeometry& group, double bytes) const
{
    const double n = static_cast<double>(group.size);
    if (group.size <= 1 || bytes <= 0)
        return 0;
    const bool inter = group.nodes > 1;
    const LinkCalibration& link = inter ? m_network : m_nvlink;
    const double perNode = static_cast<double>(group.ranksPerNode);
    const double latency = inter ? m_interLatency : m_intraLatency;
    double bandwidth = m_intraBytesPerSecond * m_nvlink.efficiency;
    if (inter) // a ring that enters every node once uses the NICs of all its ranks there
        bandwidth = std::min(bandwidth, perNode * m_interBytesPerSecond * m_network.efficiency);
    switch (op) {
    case CollectiveOp::allReduce:
        if (!inter && m_nvls)
            bandwidth *= m_nvlink.nvlsGain;
        return link.baseSeconds + 2 * (n - 1) * (link.hopSeconds + 0.1 * latency) + 2 * (n - 1) / n * bytes / bandwidth;
    case CollectiveOp::allGather:
    case CollectiveOp::reduceScatter:
        return link.baseSeconds + (n - 1) * (link.hopSeconds + 0.1 * latency) + (n - 1) / n * bytes / bandwidth;
    case CollectiveOp::allToAll: {
        const double outside = (n - perNode) / n * bytes / (m_interBytesPerSecond * m_network.allToAllEfficiency);
        const double inside = (perNode - 1) / n * bytes / (m_intraBytesPerSecond * m_nvlink.allToAllEfficiency);
        return link.baseSeconds + latency + std::max(outside, inside);
    }
    case CollectiveOp::sendRecv:
        return latency + bytes / (inter ? m_interBytesPerSecond * m_network.efficiency : m_intraBytesPerSecond * m_nvlink.efficiency);
    }
    return 0;
}

double CostModel::seconds(const Kernel& kernel) const
{
    switch (kernel.kind) {
    case CostKind::gemm:
        return gemmSeconds(kernel.m, kernel.n, kernel.k, kernel.batch, kernel.lowPrecision ? m_low : m_high) * m_software->computeFactor;
    case CostKind::attention: return attentionSeconds(kernel) * m_software->computeFactor;
    case CostKind::memory: return memorySeconds(kernel.bytes, kernel.launches) * m_software->memoryFactor;
    case CostKind::collective: return collectiveSeconds(kernel.op, group(kernel.domain), kernel.bytes);
    }
    return 0;
}

} // namespace prism
