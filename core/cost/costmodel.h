// SPDX-License-Identifier: GPL-3.0-or-later
// Seconds of a kernel or collective: roofline with shapes, and latency-bandwidth collectives on the group's links.
#pragma once

#include "core/cost/calibration.h"
#include "core/cost/collectives.h"
#include "core/cost/hosttime.h"
#include "core/cost/measured.h"
#include "core/step/layout.h"
#include "core/workload/kernel.h"

namespace prism {

/// Relative slowdown of compute while a communication is overlapped with it. Source: Echo (arXiv 2412.12487), table of kernels slowed by
/// overlap on A100: the 20 matrix kernels that a collective covers wholly are 2.7 % slower, weighted by duration.
inline constexpr double kOverlapSlowdown = 0.03;

/// Everything that a mean depends on, resolved once per scenario; cheap to evaluate per kernel. Immutable; any thread.
class CostModel final {
public:
    CostModel(const Scenario& scenario, const Calibration& calibration);

    /// Mean seconds of one kernel of a program.
    [[nodiscard]] double seconds(const Kernel& kernel) const;
    /// `batch` GEMMs C[m,n] += A[m,k] B[k,n] in one launch, alone on the GPU (as a benchmark measures it); `outputBytes` per
    /// element of C (2 = written once; 8 = FP32 gradient read and written).
    [[nodiscard]] double gemmSeconds(double m, double n, double k, double batch, MatrixPrecision precision, double outputBytes = 2) const;
    /// The same in a training step: at the clock that the board's power allows.
    [[nodiscard]] double sustainedGemmSeconds(double m, double n, double k, double batch, MatrixPrecision precision,
                                              double outputBytes = 2) const;
    /// A kernel that streams `bytes` through memory, `launches` launches.
    [[nodiscard]] double memorySeconds(double bytes, double launches = 1) const;
    [[nodiscard]] double attentionSeconds(const Kernel& kernel) const;
    [[nodiscard]] double rooflineSeconds(const Kernel& kernel) const;
    /// Mean seconds of a kernel class that was measured, else `formula`.
    [[nodiscard]] double measuredOr(KernelId id, double formula) const;
    /// A collective over a group, by the measured tables where they have it; `bytes` as nccl-tests counts them (the full buffer of one
    /// rank).
    [[nodiscard]] double collectiveSeconds(CollectiveOp op, const GroupGeometry& group, double bytes) const;

    [[nodiscard]] const CollectiveModel& collectives() const { return m_collectives; }
    [[nodiscard]] const Layout& layout() const { return m_layout; }
    [[nodiscard]] const GroupGeometry& group(Domain domain) const;
    [[nodiscard]] const HostTime& host() const { return m_host; }
    [[nodiscard]] double stepSeconds() const { return m_stepSeconds; }
    [[nodiscard]] MatrixPrecision matrixPrecision() const { return m_low; }
    [[nodiscard]] double peakFlops(MatrixPrecision precision) const { return m_peak[static_cast<std::size_t>(precision)]; }

private:
    struct GemmTime {
        double compute = 0, traffic = 0, norm = 4;
    };
    [[nodiscard]] GemmTime gemmTime(double m, double n, double k, double batch, MatrixPrecision precision, double outputBytes) const;
    [[nodiscard]] double clock(MatrixPrecision precision, double load) const;

    Layout m_layout;
    MeasuredTables m_tables;
    GpuCalibration m_gpu;
    CollectiveModel m_collectives;
    HostTime m_host;
    double m_stepSeconds = 0, m_boardWatts = 0, m_boostGhz = 1;
    std::string m_gpuType, m_attentionBackend;
    std::array<double, 5> m_peak{}, m_efficiency{};
    MatrixPrecision m_high = MatrixPrecision::bits16, m_low = MatrixPrecision::bits16;
    bool m_blockScaled = false; ///< MXFP8: FP8 attention has a scale for each block too
    double m_memoryBytesPerSecond = 1;
    double m_gradientTraffic = 8; ///< bytes per element of a weight gradient that is added up: read and written
    double m_sms = 100;
    double m_expertTraffic = 1; ///< of the routed copies, the share that travels
};

} // namespace prism
