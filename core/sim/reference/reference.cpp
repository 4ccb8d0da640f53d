// SPDX-License-Identifier: GPL-3.0-or-later
// The reference simulator: every rank and every kernel of every replica, straight from resources/help/stepgraph.md.
#include "core/base/index.h"
#include "core/sim/simulate.h"
#include "core/sim/draw/draws.h"
#include "core/sim/draw/stepdelays.h"
#include "core/step/deterministicstep.h"
#include "core/step/passes.h"

#include <tbb/blocked_range.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <numeric>

namespace prism {

namespace {

constexpr double kMaxKernelDraws = 2.0e11; ///< about an hour on two cores; beyond it the run is refused

/// The fresh temporal draws of one cell, or of one kind of step-wide operation, in one step.
class TemporalDraws final {
public:
    TemporalDraws(std::uint64_t seed, Run run, std::uint64_t step, std::uint64_t cell)
        : m_seed(seed),
          m_base(stream(static_cast<std::uint64_t>(Purpose::temporal), static_cast<std::uint64_t>(run), step, cell)),
          m_rare(stream(static_cast<std::uint64_t>(Purpose::temporalRare), static_cast<std::uint64_t>(run), step, cell))
    {
    }
    double operator()(const FactorSampler& sampler) { return drawFactor(sampler, m_seed, m_base, m_rare, m_count++); }

private:
    std::uint64_t m_seed;
    StreamId m_base, m_rare;
    std::uint64_t m_count = 0;
};

/// Everything about the job that does not change from sample to sample.
struct Job {
    const StepGraph& graph;
    Sweep sweep;
    std::vector<FactorSampler> temporal; ///< per class
    SpatialFactors spatial;
    FactorSampler data, routing;
    int lockstep;               ///< replicas that run programs with collectives over replicas together
    std::vector<bool> together; ///< per program: it has such a collective
    std::vector<double> slow;   ///< compute factor per rank, [replica][stage][rank]
    std::vector<double> link;   ///< per cell, [replica][stage]

    explicit Job(const StepGraph& g) : graph(g), sweep(sweepOf(g)), spatial(g), data(g.data), routing(g.routing), lockstep(lockstepSize(g))
    {
        for (const Program& p : g.programs)
            together.push_back(lockstep > 1 && spansReplicas(g, p));
        for (const KernelClass& k : g.classes)
            temporal.emplace_back(k.temporal);
        for (int d = 0; d < g.numReplicas; ++d)
            for (int s = 0; s < sweep.numStages; ++s) {
                link.push_back(g.slow.empty() ? 1.0 : cellLinkFactor(g, d, s));
                for (int r = 0; r < g.cellRanks(); ++r)
                    slow.push_back(g.slow.empty() ? 1.0 : slowComputeFactor(g, d, s, r));
            }
    }
    [[nodiscard]] std::size_t cell(int replica, int stage) const { return index(replica) * index(sweep.numStages) + index(stage); }
    /// G of every rank of a job, slow spots included.
    [[nodiscard]] std::vector<double> spatialOf(std::uint64_t seed, std::uint64_t jobNumber) const
    {
        std::vector<double> g = slow;
        const int ranks = graph.cellRanks();
        std::size_t i = 0;
        for (int d = 0; d < graph.numReplicas; ++d)
            for (int s = 0; s < sweep.numStages; ++s)
                for (int r = 0; r < ranks; ++r, ++i)
                    g[i] *= graph.fixedSpatial.empty() ? spatial(seed, jobNumber, static_cast<std::uint64_t>(d),
                                                                 static_cast<std::uint64_t>(s), static_cast<std::uint64_t>(r))
                                                       : graph.fixedSpatial[i];
        return g;
    }
};

/// One step of one job.
class Step final {
public:
    Step(const Job& job, std::uint64_t seed, Run run, std::uint64_t number, const std::vector<double>& spatial,
         const RegimeFactors& regimes)
        : m_job(job),
          m_graph(job.graph),
          m_seed(seed),
          m_run(run),
          m_number(number),
          m_spatial(spatial),
          m_regimes(regimes),
          m_stages(job.sweep.numStages),
          m_stepWide(seed, run, number, ~std::uint64_t{0})
    {
    }

    double seconds()
    {
        m_end.resize(index(m_graph.numReplicas) * index(m_stages));
        for (int d = 0; d < m_graph.numReplicas; d += m_job.lockstep)
            pipeline(d);
        for (int d = 0; d < m_graph.numReplicas; ++d)
            synchronise(m_graph.embeddingAllReduce, {m_job.cell(d, m_job.sweep.firstStage), m_job.cell(d, m_job.sweep.lastStage)});
        synchroniseStages(m_graph.gradSync);
        std::vector<std::size_t> all(m_end.size());
        std::iota(all.begin(), all.end(), 0);
        synchronise(m_graph.gradNorm, all);
        optimizer();
        synchroniseStages(m_graph.paramGather);
        return *std::max_element(m_end.begin(), m_end.end());
    }

private:
    /// A factor of this step, by owner and place as its Purpose has them.
    [[nodiscard]] double factor(const FactorSampler& sampler, Purpose purpose, std::uint64_t owner, std::uint64_t place) const
    {
        return drawFactor(sampler, m_seed, purpose, {static_cast<std::uint64_t>(m_run), owner, place}, m_number);
    }

    /// R e of one communication, times the link factor where it leaves the node. e is the largest of `groups` means of `buckets` draws.
    double communicationFactor(int kernelClass, TemporalDraws& draws, double link, int groups = 1, int buckets = 1) const
    {
        const KernelClass& kernel = m_graph.classes[index(kernelClass)];
        double slowest = 0.0;
        for (int g = 0; g < groups; ++g) {
            double sum = 0.0;
            for (int b = 0; b < buckets; ++b)
                sum += draws(m_job.temporal[index(kernelClass)]);
            slowest = std::max(slowest, sum / buckets);
        }
        return m_regimes.of(kernel.scope) * slowest * (kernel.scope == Scope::interNode ? link : 1.0);
    }

    double exposed(const StepOp& op, TemporalDraws& draws, double link) const
    {
        if (op.kernelClass < 0)
            return 0.0;
        return exposedSeconds(op, communicationFactor(op.kernelClass, draws, link, op.groups, op.buckets));
    }

    /// What multiplies a compute kernel on a rank in all of this step.
    [[nodiscard]] double rankFactor(int kernelClass, std::size_t cell, int rank) const
    {
        const double g = m_spatial[cell * index(m_graph.cellRanks()) + index(rank)];
        return m_regimes.compute * (1.0 + m_graph.classes[index(kernelClass)].spatialSensitivity * (g - 1.0));
    }

    /// One cell while it runs a program.
    struct Running {
        std::size_t cell = 0;
        const double* data = nullptr; ///< per group
        TemporalDraws* draws = nullptr;
        std::uint64_t place = 0;   ///< of its next routing draw
        std::vector<double> clock; ///< per rank, since the start
    };

    /// Runs one op of a program on all ranks of a cell; `routing` multiplies the kernels that share the layer's routing.
    void run(const Op& op, Running& c, double routing) const
    {
        const KernelClass& kernel = m_graph.classes[index(op.kernelClass)];
        const int ranks = static_cast<int>(c.clock.size());
        if (kernel.scope == Scope::none) {
            for (int r = 0; r < ranks; ++r)
                c.clock[index(r)] += op.meanSeconds * rankFactor(op.kernelClass, c.cell, r)
                                     * (*c.draws)(m_job.temporal[index(op.kernelClass)]) * c.data[r / m_graph.groupRanks]
                                     * (op.routed ? routing * m_regimes.routing : 1.0);
            return;
        }
        const int together = op.sync == Sync::group ? m_graph.groupRanks : ranks;
        for (int first = 0; first < ranks; first += together) {
            const auto begin = c.clock.begin() + first;
            const double factor = communicationFactor(op.kernelClass, *c.draws, m_job.link[c.cell]);
            const double end = *std::max_element(begin, begin + together) + std::max(0.0, op.meanSeconds * factor - op.hiddenSeconds);
            std::fill(begin, begin + together, end);
        }
    }

    /// A collective of all ranks of all the cells; one draw.
    void endTogether(const Op& op, std::vector<Running>& cells) const
    {
        double latest = 0.0, link = 0.0;
        for (const Running& c : cells) {
            latest = std::max(latest, *std::max_element(c.clock.begin(), c.clock.end()));
            link = std::max(link, m_job.link[c.cell]);
        }
        const double factor = communicationFactor(op.kernelClass, *cells.front().draws, link);
        latest += std::max(0.0, op.meanSeconds * factor - op.hiddenSeconds);
        for (Running& c : cells)
            std::fill(c.clock.begin(), c.clock.end(), latest);
    }

    /// Seconds of one program that these cells run together: all ranks start together, the last one ends it.
    double chunk(int program, std::vector<Running>& cells) const
    {
        for (Running& c : cells)
            c.clock.assign(index(m_graph.cellRanks()), 0.0);
        for (const Block& block : m_graph.programs[index(program)].blocks) {
            const bool routed = std::any_of(block.ops.begin(), block.ops.end(), [](const Op& op) { return op.routed; });
            for (int i = 0; i < block.repeat; ++i) {
                std::vector<double> routing;
                routing.reserve(cells.size());
                for (Running& c : cells)
                    routing.push_back(routed ? factor(m_job.routing, Purpose::routing, c.cell, c.place++) : 1.0);
                for (const Op& op : block.ops)
                    if (cells.size() > 1 && op.sync == Sync::replicas && m_graph.classes[index(op.kernelClass)].scope != Scope::none)
                        endTogether(op, cells);
                    else
                        for (std::size_t k = 0; k < cells.size(); ++k)
                            run(op, cells[k], routing[k]);
            }
        }
        double latest = 0.0;
        for (const Running& c : cells)
            latest = std::max(latest, *std::max_element(c.clock.begin(), c.clock.end()));
        return latest;
    }

    /// D of a replica's groups, [micro-batch][group].
    [[nodiscard]] std::vector<double> dataOf(int replica) const
    {
        std::vector<double> data;
        const int groups = m_graph.groupsPerCell;
        const bool own = m_graph.dataScope == DataScope::group;
        for (int m = 0; m < m_graph.schedule.numMicrobatches; ++m)
            for (int g = 0; g < groups; ++g)
                data.push_back(factor(m_job.data, Purpose::data, index(own ? replica * groups + g : replica), index(m)));
        return data;
    }

    /// One replica of a lockstep set on its way through the pipeline.
    struct Pipeline {
        int replica = 0;
        std::vector<TemporalDraws> draws; ///< per stage
        std::vector<double> data, arrival;
        double* clock = nullptr; ///< per stage
    };

    [[nodiscard]] Running running(const SweepNode& n, Pipeline& p) const
    {
        // Forward, backward and weight pass of a layer share its routing: their draws have the same index.
        return {m_job.cell(p.replica, n.stage),
                p.data.data() + n.microbatch * index(m_graph.groupsPerCell),
                &p.draws[index(n.stage)],
                (std::uint64_t{n.chunk} * kMaxMicrobatches + n.microbatch) << 32U,
                {}};
    }

    void send(const SweepNode& n, Pipeline& p, double end) const
    {
        double arrives = end;
        if (n.send >= 0) {
            const SweepSend& send = m_job.sweep.sends[index(n.send)];
            arrives += exposed(send.op, p.draws[index(n.stage)],
                               std::max(m_job.link[m_job.cell(p.replica, send.from)], m_job.link[m_job.cell(p.replica, send.to)]));
        }
        p.clock[n.stage] = m_job.sweep.transferOccupiesSender ? arrives : end;
        if (n.output >= 0)
            p.arrival[index(n.output)] = arrives;
    }

    /// The pipelines of the lockstep set that begins at a replica.
    void pipeline(int first)
    {
        std::vector<Pipeline> set;
        for (int d = first; d < first + m_job.lockstep; ++d) {
            set.push_back({d, {}, dataOf(d), std::vector<double>(m_job.sweep.numArrivals, 0.0), m_end.data() + m_job.cell(d, 0)});
            for (int s = 0; s < m_stages; ++s)
                set.back().draws.emplace_back(m_seed, m_run, m_number, m_job.cell(d, s));
            std::fill(set.back().clock, set.back().clock + m_stages, 0.0);
        }
        for (const SweepNode& n : m_job.sweep.nodes) {
            const auto start = [&](const Pipeline& p) {
                return n.input < 0 ? p.clock[n.stage] : std::max(p.clock[n.stage], p.arrival[index(n.input)]);
            };
            if (n.slot < 0) { // of a piece: takes no time
                for (Pipeline& p : set)
                    send(n, p, start(p));
                continue;
            }
            const int program = programInSlot(m_graph, n.slot);
            if (m_job.together[index(program)]) {
                double latest = 0.0;
                std::vector<Running> cells;
                for (Pipeline& p : set) {
                    latest = std::max(latest, start(p));
                    cells.push_back(running(n, p));
                }
                latest += chunk(program, cells);
                for (Pipeline& p : set)
                    send(n, p, latest);
                continue;
            }
            for (Pipeline& p : set) {
                std::vector<Running> cells{running(n, p)};
                send(n, p, start(p) + chunk(program, cells));
            }
        }
    }

    /// A communication of cells, if the graph has it: it starts when the last one arrives, and all continue when it ends.
    void synchronise(const StepOp& op, const std::vector<std::size_t>& cells)
    {
        if (op.kernelClass < 0)
            return;
        double latest = 0.0, link = 0.0;
        for (const std::size_t c : cells) {
            latest = std::max(latest, m_end[c]);
            link = std::max(link, m_job.link[c]);
        }
        latest += exposed(op, m_stepWide, link);
        for (const std::size_t c : cells)
            m_end[c] = latest;
    }

    void synchroniseStages(const std::vector<StepOp>& ops)
    {
        for (int s = 0; s < m_stages; ++s) {
            std::vector<std::size_t> cells;
            for (int d = 0; d < m_graph.numReplicas; ++d)
                cells.push_back(m_job.cell(d, s));
            synchronise(ops[index(s)], cells);
        }
    }

    void optimizer()
    {
        for (int d = 0; d < m_graph.numReplicas; ++d)
            for (int s = 0; s < m_stages; ++s) {
                const StepOp& op = m_graph.optimizer[index(s)];
                if (op.kernelClass < 0)
                    continue;
                const std::size_t cell = m_job.cell(d, s);
                double slowest = 0.0;
                for (int r = 0; r < m_graph.cellRanks(); ++r)
                    slowest = std::max(slowest, op.meanSeconds * rankFactor(op.kernelClass, cell, r)
                                                    * m_stepWide(m_job.temporal[index(op.kernelClass)]));
                m_end[cell] += slowest;
            }
    }

    const Job& m_job;
    const StepGraph& m_graph;
    std::uint64_t m_seed;
    Run m_run;
    std::uint64_t m_number;
    const std::vector<double>& m_spatial;
    RegimeFactors m_regimes;
    int m_stages;
    TemporalDraws m_stepWide;
    std::vector<double> m_end; ///< [replica][stage], seconds
};

/// Of kernels and communications.
double kernelDrawsPerStep(const Job& job)
{
    const StepGraph& graph = job.graph;
    const auto ofStep = [](const StepOp& op) { return op.kernelClass < 0 ? 0.0 : static_cast<double>(op.groups) * op.buckets; };
    double ofReplica = 0.0;
    for (const SweepNode& n : job.sweep.nodes) {
        if (n.slot >= 0)
            for (const Block& b : graph.programs[index(programInSlot(graph, n.slot))].blocks)
                ofReplica += static_cast<double>(b.repeat) * static_cast<double>(b.ops.size()) * graph.cellRanks();
        if (n.send >= 0)
            ofReplica += ofStep(job.sweep.sends[index(n.send)].op);
    }
    double draws = ofReplica * graph.numReplicas + ofStep(graph.embeddingAllReduce) + ofStep(graph.gradNorm);
    for (const auto* ops : {&graph.gradSync, &graph.paramGather})
        for (const StepOp& op : *ops)
            draws += ofStep(op);
    return draws;
}

/// G of the kMiddleJobs jobs around the one with the median noise-free step among the first kMedianCandidates.
std::vector<std::vector<double>> medianJobs(const Job& job, std::uint64_t seed)
{
    const DeterministicStep deterministic(job.graph);
    const int ranks = job.graph.cellRanks();
    std::vector<std::pair<double, std::uint64_t>> candidates;
    for (std::uint64_t j = 0; j < kMedianCandidates; ++j) {
        const std::vector<double> g = job.spatialOf(seed, j);
        const auto slowest = [&](int replica, int stage) {
            const auto begin = g.begin() + static_cast<std::ptrdiff_t>(job.cell(replica, stage) * index(ranks));
            return *std::max_element(begin, begin + ranks);
        };
        candidates.emplace_back(deterministic.seconds(slowest), j);
    }
    std::sort(candidates.begin(), candidates.end());
    std::vector<std::vector<double>> out;
    for (std::size_t i = 0; i < kMiddleJobs; ++i)
        out.push_back(job.spatialOf(seed, candidates[(kMedianCandidates - kMiddleJobs) / 2 + i].second));
    return out;
}

/// Samples of one run on all threads; the leading part that is complete when stopped.
template <class SpatialOf>
std::vector<double> series(const Job& job, const SimOptions& options, Run run, int numSamples, SpatialOf spatialOf)
{
    const std::vector<RegimeFactors> regimes = regimeSeries(job.graph, options.seed, run, 0, index(numSamples));
    std::vector<double> seconds(index(numSamples), -1.0);
    tbb::task_arena arena(options.numThreads > 0 ? options.numThreads : tbb::info::default_concurrency());
    arena.execute([&] {
        tbb::parallel_for(tbb::blocked_range<int>(0, numSamples, 1), [&](const tbb::blocked_range<int>& range) {
            for (int i = range.begin(); i < range.end(); ++i) {
                if (options.stop.stop_requested())
                    return;
                const std::vector<double>& spatial = spatialOf(static_cast<std::uint64_t>(i));
                Step step(job, options.seed, run, static_cast<std::uint64_t>(i), spatial, regimes[index(i)]);
                seconds[index(i)] = step.seconds();
            }
        });
    });
    seconds.erase(std::find(seconds.begin(), seconds.end(), -1.0), seconds.end());
    addStepDelays(job.graph, options.seed, run, seconds);
    return seconds;
}

} // namespace

StepSamples simulateReference(const StepGraph& graph, const SimOptions& options)
{
    StepSamples result;
    const int across = std::max(0, options.numSamples);
    const int within = options.numWithinSamples > 0 ? options.numWithinSamples : across / 4;
    const Job job(graph);
    const double draws = kernelDrawsPerStep(job) * (static_cast<double>(across) + within);
    if (draws > kMaxKernelDraws) {
        result.complete = false;
        result.warnings.push_back({Severity::error, "samples", "The reference simulator would need too many kernel draws.",
                                   std::to_string(draws), "at most 2e11 draws: fewer samples or a smaller job", "", ""});
        return result;
    }
    result.noiseFreeSeconds = deterministicStepSeconds(graph);
    result.acrossSeconds = series(job, options, Run::across, across, [&](std::uint64_t i) { return job.spatialOf(options.seed, i); });
    if (within > 0 && !options.stop.stop_requested()) {
        const std::vector<std::vector<double>> median = medianJobs(job, options.seed);
        result.withinSeconds = series(job, options, Run::within, within,
                                      [&](std::uint64_t i) -> const std::vector<double>& { return median[i % median.size()]; });
    }
    result.nodeSamples = static_cast<std::uint64_t>(job.sweep.nodes.size()) * static_cast<std::uint64_t>(graph.numReplicas)
                         * (result.acrossSeconds.size() + result.withinSeconds.size());
    result.complete = static_cast<int>(result.acrossSeconds.size()) == across && static_cast<int>(result.withinSeconds.size()) == within;
    return result;
}

} // namespace prism
