// SPDX-License-Identifier: GPL-3.0-or-later
// Assembles a costed step from a scenario, part by part. Internal to predictor.h and quickstep.h.
#pragma once

#include "core/cost/costedstep.h"
#include "core/cost/costmodel.h"
#include "core/cost/datatraffic.h"
#include "core/cost/quickstep.h"
#include "core/workload/memory.h"

#include <cstdint>
#include <vector>

namespace prism {

/// Assembles one CostedStep; every member function adds one part of it.
class Assembly final {
public:
    Assembly(const Scenario& scenario, const Calibration& calibration)
        : m_scenario(scenario),
          m_calibration(calibration),
          m_shape(shapeOf(scenario)),
          m_cost(scenario, calibration),
          m_sharding(shardingOf(scenario.parallelism, m_cost.layout())),
          m_state(stateBytesOf(scenario))
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
    Sharding m_sharding;
    StateBytes m_state;
    CostedStep m_out;
    std::vector<ChunkLayers> m_chunks;
    std::vector<std::size_t> m_firstEqual;           ///< of each chunk: the first one with the same contents
    std::vector<std::vector<std::size_t>> m_ofStage; ///< chunks of each stage, in the order of the path
    std::vector<StageParameters> m_parameters;       ///< per stage
    std::vector<StageParameters> m_chunkParameters;  ///< per chunk
    std::vector<double> m_programSeconds;
    /// Stages and chunks with the same parameters take the same time.
    struct DataSeconds {
        CollectiveOp op;
        double dense, expert, seconds;
    };
    mutable std::vector<DataSeconds> m_dataSeconds;

    [[nodiscard]] static double real(std::int64_t x) { return static_cast<double>(x); }
    [[nodiscard]] Diagnostics addGraph();
    void setSizes();
    [[nodiscard]] Diagnostics addPrograms();
    void costPrograms(const Schedule& schedule);
    void addChunks();
    /// Maximum of a metric over the layers of a stage.
    template <class Metric>
    [[nodiscard]] double largestLayer(std::size_t stage, Metric metric) const;
    /// A value of every chunk; chunks with the same contents are asked once.
    template <class Metric>
    [[nodiscard]] auto ofChunks(Metric metric) const
    {
        std::vector<decltype(metric(m_chunks.front()))> out;
        out.reserve(m_chunks.size());
        for (std::size_t i = 0; i < m_chunks.size(); ++i)
            out.push_back(m_firstEqual[i] < i ? out[m_firstEqual[i]] : metric(m_chunks[i]));
        return out;
    }
    void addSeconds();
    void addMeans();
    [[nodiscard]] double minSeconds() const;
    void addTransfers();
    void addStepOps();
    void useMeasuredMeans();
    void useMeasuredLevels();
    void addVariability();
    void addPlaces();
    [[nodiscard]] std::vector<double> activations() const;
    [[nodiscard]] double unshardedBytes(std::size_t stage) const;
    void addMemory(const std::vector<double>& inFlight);
    [[nodiscard]] std::vector<double> bytesInFlight(const Schedule& schedule, const std::vector<double>& activations) const;
    void addCounts();
    template <class Seconds>
    [[nodiscard]] std::vector<ChunkTraffic> chunkTraffic(std::size_t stage, Seconds seconds) const;
    void addGradientSync(std::size_t stage);
    void addParameterGather(std::size_t stage);
    void addGradNorm();
    /// The parameter gather (all-gather) or the whole reduction of the gradients (reduce-scatter).
    [[nodiscard]] double dataSeconds(CollectiveOp op, const StageParameters& n) const;
    static void hide(StepOp& op, double exposed);
    [[nodiscard]] double optimizerSeconds(std::size_t stage) const;
    [[nodiscard]] std::vector<double> largestChunks(const std::vector<double>& activations) const;
};

} // namespace prism
