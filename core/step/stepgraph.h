// SPDX-License-Identifier: GPL-3.0-or-later
// The intermediate representation of the engine: a training step as cells, programs, a schedule, groups and distributions.
//
// Both ways end here (scenario -> workload -> cost, and trace); everything above is independent of the origin.
// resources/help/stepgraph.md documents the JSON form and the exact semantics; this header is the same in types.
#pragma once

#include "core/base/hash.h"
#include "core/base/result.h"
#include "core/schedule/schedule.h"
#include "core/stats/distribution.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace prism {

enum class Scope { none, intraNode, interNode }; ///< link that a collective uses; none for compute kernels
enum class Category { compute, tensorParallel, contextParallel, expertParallel, pipeline, dataParallel, optimizer, other };

/// Kernels that share a distribution (`gemm.qkv`, `attention`, `tp.reduce_scatter`, `dp.all_gather`, ...).
struct KernelClass {
    std::string name;
    Scope scope = Scope::none; ///< none = compute kernel: X = mu * G * e (* D); else collective: C = mu * R_scope * e
    Category category = Category::compute;
    Distribution temporal;           ///< e: fresh per invocation, with its rare event
    double spatialSensitivity = 1.0; ///< s in [0, 1]: the factor of rank r is 1 + s * (G_r - 1)
    bool operator==(const KernelClass&) const = default;
};

/// Scope of a barrier: the `groupRanks` ranks of each group (TP x CP), all ranks of the cell, or all ranks that the replicas
/// of one lockstep set have at the stage (sharded parameters).
enum class Sync : std::uint8_t { group, cell, replicas };

/// Whose micro-batch has an independent data factor: a whole replica, or each group of its cells (the data rank of an expert group).
enum class DataScope : std::uint8_t { replica, group };

/// One kernel or collective of a program.
struct Op {
    int kernelClass = 0;        ///< index into StepGraph::classes
    double meanSeconds = 0.0;   ///< mu >= 0
    double hiddenSeconds = 0.0; ///< collectives only: this much is hidden under compute; exposed = max(0, C - hidden)
    Sync sync = Sync::group;    ///< collectives only
    bool routed = false;        ///< compute only: multiplied by the routing factor of its layer
    bool operator==(const Op&) const = default;
};

/// A run of ops repeated `repeat` times (the layers of a chunk).
struct Block {
    int repeat = 1;
    std::vector<Op> ops;
    bool operator==(const Block&) const = default;
};

/// The kernels of one (chunk, phase) in execution order. Cells of the same kind share one program.
struct Program {
    std::string name;
    std::vector<Block> blocks;
    bool operator==(const Program&) const = default;
};

/// A communication or computation that a whole stage (or the whole job) does once per step.
/// kernelClass < 0: absent (takes no time and synchronises nothing).
struct StepOp {
    int kernelClass = -1;
    double meanSeconds = 0.0;
    double hiddenSeconds = 0.0; ///< exposed = max(minExposedSeconds * R * e, C - hidden)
    double minExposedSeconds = 0.0;
    int groups = 1;  ///< communications only: equal groups in parallel; the cells continue when the slowest group ends
    int buckets = 1; ///< communications only: parts of meanSeconds / buckets in sequence, each with an independent draw
    bool operator==(const StepOp&) const = default;
};

/// A place that the user marked slow. rank < 0: all ranks of the cell; stage < 0 / replica < 0: all of them.
struct SlowSpot {
    int replica = -1, stage = -1, rank = -1;
    double computeFactor = 1.0; ///< multiplies G of these ranks
    double linkFactor = 1.0;    ///< multiplies interNode communications in which a cell with such a rank takes part
    bool operator==(const SlowSpot&) const = default;
};

/// Delays of whole steps, in seconds, which do not grow with their work. The step's time is that of its graph and the delays.
struct StepDelays {
    double jitterSeconds = 0.0;    ///< standard deviation of a delay with mean 0, fresh in every step
    double stallsPerGpuHour = 0.0; ///< events; their number in a step is Poisson with mean rate x ranks x step time
    double stallMeanSeconds = 0.0; ///< size of one, lognormal
    double stallCv = 0.0;
    double stallRateCv = 0.0; ///< of the rate from job to job, gamma with mean 1
    bool operator==(const StepDelays&) const = default;
};

/// A training step. Shapes: P = schedule.numStages, V = schedule.numChunks, D = numReplicas.
struct StepGraph {
    std::string name;
    int numReplicas = 1;   ///< D: independent copies that synchronise their gradients
    int groupRanks = 1;    ///< ranks per group (TP x CP)
    int groupsPerCell = 1; ///< groups per cell (EP spread over data-parallel ranks); cell ranks = product
    std::vector<KernelClass> classes;
    std::vector<Program> programs;
    /// programOf[stage][chunk][phase]: index into programs; -1 for a phase that is not scheduled. Where passes that run in one piece with
    /// one of the other direction (F&B) have separate programs, they follow as [stage][V + chunk][phase] (passes.h).
    std::vector<std::vector<std::array<int, kPhases>>> programOf;
    Schedule schedule;
    /// Transfers along the path, one per hop i (path[i] -> path[i+1]): forward activations, and gradients back.
    std::vector<StepOp> sendForward, sendBackward; ///< P*V - 1 each; absent between chunks of the same stage
    bool transferOccupiesSender = false;           ///< without overlap the sender waits for its transfer
    StepOp embeddingAllReduce;                     ///< first and last cell of a replica, before gradSync
    std::vector<StepOp> gradSync;                  ///< per stage: all replicas of the stage
    StepOp gradNorm;                               ///< all cells of the job; absent = no global synchronisation
    std::vector<StepOp> optimizer;                 ///< per stage; a compute kernel on every rank
    std::vector<StepOp> paramGather;               ///< per stage: all replicas of the stage
    Distribution spatial;                          ///< G_r, one draw per rank and job
    Distribution data;                             ///< D_b, one draw per (replica or group, micro-batch) and step
    DataScope dataScope = DataScope::replica;
    Distribution routing;                  ///< I, one draw per (cell, layer, micro-batch) and step: `routed` kernels
    int lockstepReplicas = 0;              ///< neighbours that wait for each other in Sync::replicas; 0 = all replicas
    Distribution intraRegime, interRegime; ///< R_scope, one draw per scope and step
    double regimeLag1 = 0.0;               ///< lag-1 correlation of R from step to step of one job
    Distribution computeRegime;            ///< R of all compute kernels, one draw per step
    double computeRegimeLag1 = 0.0;
    Distribution routingRegime; ///< R of all `routed` kernels, one draw per step: what layers, micro-batches and cells share of the routing
    double routingRegimeLag1 = 0.0;
    double spatialNodeShare = 0.0; ///< correlation of the normal scores of G between the ranks of one node of a cell, 0-1
    int nodeRanks = 1;             ///< consecutive ranks of a cell that share a node; cells share none
    StepDelays delays;
    std::vector<SlowSpot> slow;
    /// Measured speeds (optional): G of each rank fixed instead of drawn; [replica][stage][rank] flattened, or empty.
    std::vector<double> fixedSpatial;

    [[nodiscard]] int cellRanks() const { return groupRanks * groupsPerCell; }
    [[nodiscard]] ContentHash hash() const;
    bool operator==(const StepGraph&) const = default;
};

/// Everything that is wrong with a graph: indices out of range, negative times, a schedule that does not run each
/// chunk once or deadlocks, wrong shapes, sizes over the limits.
[[nodiscard]] Diagnostics check(const StepGraph& graph);

/// Whether some collective of the program spans replicas: those of a lockstep set run it together.
[[nodiscard]] bool spansReplicas(const StepGraph& graph, const Program& program);
/// Replicas of one lockstep set; 1 where no program spans replicas.
[[nodiscard]] int lockstepSize(const StepGraph& graph);

/// JSON in the documented format, version 2; versions 1 and 2 are read. Doubles round-trip exactly.
[[nodiscard]] std::string toJson(const StepGraph& graph);
[[nodiscard]] Result<StepGraph> stepGraphFromJson(std::string_view text);

} // namespace prism
