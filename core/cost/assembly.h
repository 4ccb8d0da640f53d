// SPDX-License-Identifier: GPL-3.0-or-later
// How a scenario becomes a costed step, part by part: the inside of predictor.h and quickstep.h.
#pragma once

#include "core/cost/costedstep.h"
#include "core/cost/costmodel.h"
#include "core/cost/datatraffic.h"
#include "core/cost/quickstep.h"
#include "core/workload/memory.h"

#include <cstdint>
#include <vector>

namespace prism {

/// Bytes of model state per parameter (Rajbhandari et al. 2020, ZeRO, arXiv 1910.02054, section 3.1).
struct StateBytes {
    double weight = 2, gradient = 4, optimizer = 12;
};
[[nodiscard]] StateBytes stateBytesOf(const TrainingConfig& training);

/// Assembles one CostedStep; every member function adds one part of it.
class Assembly final {
public:
    Assembly(const Scenario& scenario, const Calibration& calibration)
        : m_scenario(scenario),
          m_calibration(calibration),
          m_shape(shapeOf(scenario)),
          m_cost(scenario, calibration),
          m_state(stateBytesOf(scenario.training))
    {
    }

    [[nodiscard]] Result<CostedStep> run();
    /// The noise-free step alone: no breakdown, memory or counts.
    [[nodiscard]] Result<double> noiseFreeSeconds();
    [[nodiscard]] Result<QuickStep> quick(ScheduleMemo& schedules);
    [[nodiscard]] const StepGraph& graph() const { return m_out.graph; }

private:
    const Scenario& m_scenario;
    const Calibration& m_calibration;
    Shape m_shape;
    CostModel m_cost;
    StateBytes m_state;
    CostedStep m_out;
    std::vector<ChunkLayers> m_chunks;
    std::vector<StageParameters> m_parameters;
    std::vector<double> m_programSeconds;

    [[nodiscard]] static double real(std::int64_t x) { return static_cast<double>(x); }
    [[nodiscard]] Diagnostics addGraph();
    void setSizes();
    [[nodiscard]] Diagnostics addPrograms();
    void costPrograms(const Schedule& schedule);
    void addParameters();
    void addSeconds();
    [[nodiscard]] double leastSeconds() const;
    void addTransfers();
    void addStepOps();
    void useMeasuredMeans();
    void useMeasuredLevels();
    void addVariability();
    void addPlaces();
    void addMemory(const std::vector<double>& inFlight);
    [[nodiscard]] std::vector<double> bytesInFlight(const Schedule& schedule) const;
    void addCounts();
    template <class Seconds>
    [[nodiscard]] std::vector<ChunkTraffic> chunkTraffic(std::size_t stage, Seconds seconds) const;
    void addGradientSync(std::size_t stage);
    void addParameterGather(std::size_t stage);
    void addGradNorm();
    [[nodiscard]] double passesBetweenChunks() const;
    [[nodiscard]] double dataSeconds(CollectiveOp op, const StageParameters& n, double bytes) const;
    static void hide(StepOp& op, double exposed);
    [[nodiscard]] double optimizerSeconds(std::size_t stage) const;
    [[nodiscard]] double largestChunk(std::size_t stage) const;
};

} // namespace prism
