// SPDX-License-Identifier: GPL-3.0-or-later
// Ends of the stages of each unit: one block of lanes runs through its schedule, with or without kernel noise.
#pragma once

#include "core/base/index.h"
#include "core/sim/draw/draws.h"
#include "core/sim/sweep/sweepmodel.h"

#include <array>
#include <span>
#include <vector>

namespace prism {

/// Factors of each step's regimes on each pass: computed once for a series.
class RegimeTable final {
public:
    RegimeTable(const SweepModel& model, std::vector<RegimeFactors> steps);
    struct Pass {
        float computeSeconds = 0.0F, exposedSeconds = 0.0F, stretch = 1.0F;
    };
    [[nodiscard]] const RegimeFactors& step(std::size_t i) const { return m_steps[i]; }
    /// Makes a pass longer in one step.
    void lengthen(std::size_t step, std::size_t pass, double seconds)
    {
        m_pass[step * m_passes + pass].exposedSeconds += static_cast<float>(seconds);
    }
    [[nodiscard]] const Pass& pass(std::size_t step, std::size_t pass) const { return m_pass[step * m_passes + pass]; }

private:
    std::vector<RegimeFactors> m_steps;
    std::size_t m_passes;
    std::vector<Pass> m_pass;
};

/// One unit in one step. Speeds follow `job`, everything else `step`.
struct SweptLane {
    int unit = 0;
    LaneSeed job, step;
    std::size_t regimes = 0; ///< index into the RegimeTable
};

/// speedsOnly: every other factor at its mean. noiseFree: passes and transfers at their mean lengths, optimizers with their noise.
enum class Noise { speedsOnly, noiseFree, all };

/// Which factors make the length of a pass: speeds as drawn; slow spots, too; data, too; all of them.
enum class LengthOf { speeds, slowSpots, data, all };
inline constexpr std::size_t kLengthsOf = 4;

/// One pass or transfer of one unit in one step.
struct PassRecord {
    float seconds = 0.0F, rareSeconds = 0.0F; ///< rare: the part of it by rare events that are drawn separately
    std::array<float, kLengthsOf> length{};   ///< of a pass, by LengthOf
};

/// Everything that one unit did in one step before its job's replicas synchronise.
struct UnitRecord {
    std::vector<PassRecord> passes, transfers; ///< by node of the plan
    std::vector<PassRecord> optimizer;         ///< by stage
    PassRecord embedding;
};

/// What the sweep of one pass reads and writes, in rows of lanes.
struct NodeRows {
    const float *length = nullptr, *data = nullptr; ///< length of the pass: their product
    const float *compute = nullptr, *exposed = nullptr, *stretch = nullptr;
    float *seconds = nullptr, *clock = nullptr;
    const float* arrived = nullptr; ///< message that must be there; null = none
};
/// Of one transfer.
struct SendRows {
    const UnitCommunication* op = nullptr;
    const float* regime = nullptr; ///< row; null = 1
    float *seconds = nullptr, *clock = nullptr, *arrives = nullptr;
    bool occupies = false;
};

/// One thread; reuse it, since it keeps its buffers.
class BlockSweep final {
public:
    BlockSweep(const SweepModel& model, const RegimeTable& regimes);

    /// All lanes are units of one pattern; at most kLanes of them.
    void run(int pattern, std::span<const SweptLane> lanes, Noise noise);
    /// Only the optimizers of a noise-free run, and how long each stage is busy in it: a small part of its cost.
    void outline(int pattern, std::span<const SweptLane> lanes);
    /// All-noise runs of any number of units of a pattern, with what every pass and transfer took; by lane.
    [[nodiscard]] std::vector<UnitRecord> record(int pattern, std::span<const SweptLane> lanes);
    /// Seconds when each stage ends, and of its optimizer; rows by stage, the first lanes().
    [[nodiscard]] const Rows& ends() const { return m_ends; }
    [[nodiscard]] const Rows& optimizer() const { return m_optimizer; }
    /// Of an outline: seconds of all passes of a stage.
    [[nodiscard]] const Rows& busy() const { return m_busy; }
    /// The same of all passes of a micro-batch; no rows where all micro-batches take equally long.
    [[nodiscard]] const Rows& busyOfMicrobatch() const { return m_busyOfMicrobatch; }
    /// Mean number of rare events of a lane that all-noise sweeps draw one by one.
    [[nodiscard]] double rareHazard(int pattern);
    /// Whether an all-noise sweep of this lane has such an event.
    [[nodiscard]] bool hasRareEvent(int pattern, const SweptLane& lane);

private:
    static constexpr std::size_t kNoStep = ~std::size_t{0};
    /// At a place of Hazards::until.
    struct Event {
        std::size_t place = 0, lane = 0;
        auto operator<=>(const Event&) const = default;
    };
    struct Hazards {
        bool made = false;
        double none = 1.0;         ///< probability of no rare event
        std::vector<double> until; ///< cumulated over the passes and transfers of the nodes: pass of node i at 2 i, its transfer at 2 i + 1
        std::vector<int> pass;     ///< of each node; -1 = takes no time
        std::vector<std::uint32_t> passBelow, hopBelow; ///< of those with common draws: rare below this value of 2^32; else 0
    };
    /// Passes of one stage that take equally long.
    struct EqualPasses {
        std::size_t node = 0; ///< one of them
        float count = 0.0F;
    };
    const Hazards& hazards(int pattern);
    const std::vector<EqualPasses>& equalPasses(int pattern);
    void begin(int pattern, std::span<const SweptLane> lanes, Noise noise);
    void runOptimizers(int pattern, Noise noise);
    [[nodiscard]] NodeRows rowsOf(std::size_t node, const Hazards& h, float* clock);
    template <class At>
    void rareEvents(const Hazards& h, LaneSeed seed, const At& at) const;
    void drawLengths(const UnitPattern& pattern, LengthOf factors);
    void keep(std::vector<PassRecord> UnitRecord::*list, std::size_t at, const float* seconds);
    void keepLengths(int pattern, LengthOf factors);
    void setRegimes(std::span<const SweptLane> lanes);
    void findEvents(const Hazards& h, std::size_t lanes);
    template <class At>
    void atRareEvents(std::size_t place, std::uint32_t below, LaneKey key, const At& at);
    void passSeconds(const NodeRows& n, const float* unrouted, const float* unroutedData, const PassTable& table, bool noisy,
                     std::size_t place, std::uint32_t rareBelow, LaneKey key);
    void runNode(std::size_t i, const Hazards& h, const std::vector<UnitCommunication>& hops, bool noisy);
    [[nodiscard]] std::size_t dataRow(std::uint32_t microbatch) const
    {
        return m_model.data.isConstant() ? 0 : microbatch * index(m_model.job.members * m_model.job.dataOwners);
    }
    void joinEmbedding(const UnitCommunication& op, Noise noise);

    const SweepModel& m_model;
    const RegimeTable& m_regimes;
    PassLengths m_lengths;
    LaneSeeds m_jobSeeds, m_stepSeeds;
    std::vector<Hazards> m_hazards;
    std::vector<std::vector<EqualPasses>> m_equal; ///< by pattern
    Rows m_speed, m_group, m_stageLength, m_ownLength, m_data, m_routing;
    Rows m_compute, m_exposed, m_stretch;         ///< per pass
    Rows m_regime;                                ///< within nodes, between them, compute
    Rows m_extraScale;                            ///< between nodes against compute
    std::size_t m_stepOfAll = kNoStep;            ///< whose regimes all lanes have
    std::vector<UnitRecord>* m_records = nullptr; ///< by lane, of a run that is recorded
    Rows m_rareSeconds;                           ///< of the pass or transfer that is computed, where it is recorded
    Rows m_slots, m_ends, m_optimizer, m_busy, m_busyOfMicrobatch, m_seconds, m_ones;
    RowsOf<std::uint32_t> m_words;
    std::vector<Event> m_events;
    const Event* m_event = nullptr; ///< the next one
    std::vector<int> m_unitOfLane;
};

} // namespace prism
