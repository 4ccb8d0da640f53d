// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/battery.h"

#include "core/sim/graphs.h"
#include "core/sim/simulate.h"
#include "core/stats/distance.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace prism::test {

namespace {

Distribution rare(Distribution d, double probability, double multiplier)
{
    d.rareProbability = probability;
    d.rareMultiplier = multiplier;
    return d;
}

/// A pool with two humps and a long tail.
Distribution measuredPool()
{
    std::vector<double> values;
    for (int i = 0; i < 200; ++i)
        values.push_back(1.0 + 0.0005 * i);
    for (int i = 0; i < 50; ++i)
        values.push_back(1.25 + 0.001 * i);
    for (int i = 0; i < 10; ++i)
        values.push_back(1.5 + 0.1 * i);
    return empiricalDistribution(values);
}

/// 4 stages, 8 micro-batches, TP 2, 4 replicas, with every kind of communication: what the cases vary.
JobShape ordinary()
{
    JobShape s;
    s.stages = 4;
    s.microbatches = 8;
    s.replicas = 4;
    s.groupRanks = 2;
    s.layers = 4;
    s.forwardSeconds = 0.1;
    s.collectiveSeconds = 0.003;
    s.sendSeconds = 0.004;
    s.gradSyncSeconds = 0.08;
    s.optimizerSeconds = 0.02;
    s.paramGatherSeconds = 0.03;
    s.compute = {Family::lognormal, 0.05};
    s.intra = {Family::gamma, 0.1};
    s.inter = {Family::lognormal, 0.15};
    return s;
}

class Builder final {
public:
    template <class Shape, class Graph>
    void add(const char* name, Shape shape, Graph graph, bool reduced = false)
    {
        JobShape s = ordinary();
        shape(s);
        StepGraph g = jobGraph(s);
        graph(g);
        g.name = name;
        cases.push_back({name, std::move(g), reduced});
    }
    std::vector<BatteryCase> cases;
};

void none(StepGraph&) {}
void same(JobShape&) {}

void schedules(Builder& b)
{
    b.add(
        "gpipe", [](JobShape& s) { s.schedule = "gpipe"; }, none);
    b.add("1f1b", same, none, true);
    b.add(
        "1f1b 8x16",
        [](JobShape& s) {
            s.stages = 8;
            s.microbatches = 16;
            s.layers = 2;
            s.replicas = 2;
        },
        none);
    b.add(
        "interleaved",
        [](JobShape& s) {
            s.schedule = "interleaved";
            s.chunks = 2;
            s.layers = 2;
            s.forwardSeconds = 0.05;
        },
        none);
    b.add(
        "zb-h1", [](JobShape& s) { s.schedule = "zb-h1"; }, none);
    b.add(
        "zb-h2", [](JobShape& s) { s.schedule = "zb-h2"; }, none);
    b.add(
        "zb-2p", [](JobShape& s) { s.schedule = "zb-2p"; }, none);
    b.add(
        "zb-v",
        [](JobShape& s) {
            s.schedule = "zb-v";
            s.chunks = 2;
            s.layers = 2;
            s.forwardSeconds = 0.05;
        },
        none, true);
    const auto pieces = [](JobShape& s) {
        s.schedule = "dualpipev";
        s.chunks = 2;
        s.layers = 2;
        s.forwardSeconds = 0.05;
    };
    b.add("dualpipev", pieces, none);
    b.add("dualpipev, F&B", pieces, joinPasses, true);
    b.add("F&B, sender waits, data", pieces, [](StepGraph& g) {
        joinPasses(g);
        g.transferOccupiesSender = true;
        g.data = {Family::lognormal, 0.1};
        g.spatial = {Family::normal, 0.02};
    });
    b.add("F&B, rare transfer", pieces, [](StepGraph& g) {
        joinPasses(g);
        g.classes[2].temporal = rare({Family::lognormal, 0.15}, 0.002, 20.0);
    });
    b.add(
        "one stage",
        [](JobShape& s) {
            s.stages = 1;
            s.sendSeconds = 0;
        },
        none);
    b.add(
        "sender waits", [](JobShape& s) { s.sendSeconds = 0.02; }, [](StepGraph& g) { g.transferOccupiesSender = true; });
    b.add(
        "embedding, norm",
        [](JobShape& s) {
            s.embeddingSeconds = 0.03;
            s.gradNormSeconds = 0.01;
        },
        none);
    b.add(
        "no synchronisation",
        [](JobShape& s) {
            s.gradSyncSeconds = 0;
            s.paramGatherSeconds = 0;
        },
        none, true);
    b.add("uneven stages", same, [](StepGraph& g) {
        g.programs.push_back(g.programs[0]);
        g.programs.back().blocks[0].repeat = 7;
        g.programOf[3][0][0] = static_cast<int>(g.programs.size()) - 1;
    });
}

/// Factors of whole steps, and the share of a node's GPUs.
void wholeSteps(Builder& b)
{
    b.add(
        "compute regime", same,
        [](StepGraph& g) {
            g.computeRegime = {Family::lognormal, 0.03};
        },
        true);
    b.add("jitter and stalls", same, [](StepGraph& g) { g.delays = {0.02, 40.0, 0.3, 1.0, 0.7}; });
    b.add(
        "node share",
        [](JobShape& s) {
            s.groupRanks = 8;
            s.replicas = 2;
        },
        [](StepGraph& g) {
            g.spatial = {Family::lognormal, 0.04};
            g.spatialNodeShare = 0.5;
            g.nodeRanks = 8;
        },
        true);
    b.add(
        "node share, two nodes, rare",
        [](JobShape& s) {
            s.groupRanks = 8;
            s.replicas = 2;
        },
        [](StepGraph& g) {
            g.spatial = {Family::lognormal, 0.03, 0.02, 1.2};
            g.spatialNodeShare = 0.3;
            g.nodeRanks = 4;
        });
}

void parallelism(Builder& b)
{
    b.add(
        "TP 1", [](JobShape& s) { s.groupRanks = 1; }, none);
    b.add(
        "TP 8",
        [](JobShape& s) {
            s.groupRanks = 8;
            s.replicas = 2;
        },
        none);
    b.add(
        "TP 8, gamma 0.2",
        [](JobShape& s) {
            s.groupRanks = 8;
            s.replicas = 2;
            s.compute = {Family::gamma, 0.2};
        },
        none);
    b.add(
        "4 groups",
        [](JobShape& s) {
            s.groups = 4;
            s.replicas = 2;
        },
        none);
    b.add(
        "4 groups, cell sync",
        [](JobShape& s) {
            s.groups = 4;
            s.replicas = 2;
        },
        [](StepGraph& g) {
            for (Program& p : g.programs)
                p.blocks[0].ops[2].sync = Sync::cell;
        });
    b.add(
        "DP 1", [](JobShape& s) { s.replicas = 1; }, none);
    b.add(
        "DP 16",
        [](JobShape& s) {
            s.replicas = 16;
            s.stages = 2;
            s.microbatches = 6;
        },
        none, true);
    b.add(
        "DP 64",
        [](JobShape& s) {
            s.replicas = 64;
            s.stages = 2;
            s.microbatches = 4;
            s.layers = 2;
        },
        none);
    b.add(
        "DP 64, spatial",
        [](JobShape& s) {
            s.replicas = 64;
            s.stages = 2;
            s.microbatches = 4;
            s.layers = 2;
        },
        [](StepGraph& g) {
            g.spatial = {Family::lognormal, 0.02};
        });
}

void families(Builder& b)
{
    b.add(
        "normal 0.1",
        [](JobShape& s) {
            s.compute = {Family::normal, 0.1};
        },
        none);
    b.add(
        "weibull 0.2",
        [](JobShape& s) {
            s.compute = {Family::weibull, 0.2};
        },
        none);
    b.add(
        "gamma 0.5",
        [](JobShape& s) {
            s.compute = {Family::gamma, 0.5};
        },
        none);
    b.add(
        "lognormal 0.4",
        [](JobShape& s) {
            s.compute = {Family::lognormal, 0.4};
        },
        none, true);
    b.add(
        "measured pool",
        [](JobShape& s) {
            s.compute = measuredPool();
            s.inter = measuredPool();
        },
        none);
    b.add(
        "deterministic compute", [](JobShape& s) { s.compute = {}; }, none);
}

void causes(Builder& b)
{
    b.add("spatial normal 0.03", same, [](StepGraph& g) { g.spatial = {Family::normal, 0.03}; });
    b.add("spatial lognormal 0.1", same, [](StepGraph& g) { g.spatial = {Family::lognormal, 0.1}; });
    b.add("spatial, partly felt", same, [](StepGraph& g) {
        g.spatial = {Family::gamma, 0.05};
        g.classes[0].spatialSensitivity = 0.5;
        g.classes[3].spatialSensitivity = 0.0;
    });
    b.add("regimes", same, [](StepGraph& g) {
        g.intraRegime = {Family::lognormal, 0.1};
        g.interRegime = {Family::gamma, 0.3};
        g.regimeLag1 = 0.35;
    });
    b.add("rare regime", same, [](StepGraph& g) { g.interRegime = rare({Family::lognormal, 0.1}, 0.03, 3.0); });
    b.add("data 0.2", same, [](StepGraph& g) { g.data = {Family::lognormal, 0.2}; });
    b.add(
        "data 0.4, one stage",
        [](JobShape& s) {
            s.stages = 1;
            s.sendSeconds = 0;
        },
        [](StepGraph& g) {
            g.data = {Family::gamma, 0.4};
        });
    b.add(
        "rare compute", [](JobShape& s) { s.compute = rare(s.compute, 2e-3, 5.0); }, none);
    b.add(
        "rare collective", [](JobShape& s) { s.intra = rare(s.intra, 2e-3, 10.0); }, none);
    b.add(
        "rare gradient sync", [](JobShape& s) { s.inter = rare(s.inter, 5e-3, 8.0); }, none);
    b.add(
        "slow rank", same,
        [](StepGraph& g) {
            g.slow = {{1, 2, 0, 1.2, 1.0}};
        },
        true);
    b.add("slow rank, spatial", same, [](StepGraph& g) {
        g.spatial = {Family::normal, 0.03};
        g.slow = {{1, 2, 0, 1.1, 1.0}, {3, 0, 1, 1.05, 1.0}};
    });
    b.add("slow stage everywhere", same, [](StepGraph& g) { g.slow = {{-1, 1, -1, 1.1, 1.0}}; });
    b.add("slow link", same, [](StepGraph& g) { g.slow = {{0, 1, 0, 1.0, 4.0}}; });
    b.add(
        "measured speeds", same,
        [](StepGraph& g) {
            for (int i = 0; i < g.numReplicas * g.schedule.numStages * g.cellRanks(); ++i)
                g.fixedSpatial.push_back(1.0 + 0.01 * (i * 7 % 11));
        },
        true);
    b.add(
        "hidden collectives",
        [](JobShape& s) {
            s.intra = {Family::lognormal, 0.5};
        },
        [](StepGraph& g) {
            for (Program& p : g.programs)
                p.blocks[0].ops[2].hiddenSeconds = 0.003;
            for (StepOp& op : g.gradSync) {
                op.hiddenSeconds = 0.08;
                op.minExposedSeconds = 0.01;
            }
            g.interRegime = {Family::lognormal, 0.3};
        });
    b.add(
        "everything",
        [](JobShape& s) {
            s.embeddingSeconds = 0.02;
            s.gradNormSeconds = 0.01;
            s.groups = 2;
            s.intra = rare(s.intra, 1e-3, 10.0);
        },
        [](StepGraph& g) {
            g.spatial = {Family::lognormal, 0.03};
            g.data = {Family::lognormal, 0.1};
            g.intraRegime = {Family::lognormal, 0.05};
            g.interRegime = rare({Family::lognormal, 0.2}, 0.01, 2.0);
            g.slow = {{2, 3, 1, 1.1, 2.0}};
        },
        true);
}

/// Groups and buckets of the gradient synchronisation and the parameter gather.
void cut(StepGraph& g, int groups, int buckets)
{
    for (auto* ops : {&g.gradSync, &g.paramGather})
        for (StepOp& op : *ops) {
            op.groups = groups;
            op.buckets = buckets;
        }
}

void granularity(Builder& b)
{
    const auto longSync = [](JobShape& s) {
        s.gradSyncSeconds = 1.0;
        s.inter = rare({Family::lognormal, 0.15}, 2e-3, 10.0);
    };
    b.add("sync in 10 buckets", longSync, [](StepGraph& g) { cut(g, 1, 10); });
    b.add("sync of 8 groups", longSync, [](StepGraph& g) { cut(g, 8, 1); });
    b.add(
        "8 groups x 10 buckets", longSync, [](StepGraph& g) { cut(g, 8, 10); }, true);
    b.add("rare in most syncs", longSync, [](StepGraph& g) { cut(g, 64, 10); });
    b.add(
        "64 senders",
        [](JobShape& s) {
            s.sendSeconds = 0.02;
            s.inter = rare({Family::gamma, 0.2}, 1e-4, 6.0);
        },
        [](StepGraph& g) {
            for (auto* ops : {&g.sendForward, &g.sendBackward})
                for (StepOp& op : *ops)
                    op.groups = 64;
        });
    b.add(
        "pool in 4 groups x 3", [](JobShape& s) { s.inter = measuredPool(); }, [](StepGraph& g) { cut(g, 4, 3); });
}

/// Every layer begins with a gather over the replicas, half hidden.
void shard(StepGraph& g)
{
    for (Program& p : g.programs) {
        auto& ops = p.blocks[0].ops;
        ops.insert(ops.begin(), Op{2, 0.01, 0.005, Sync::replicas});
    }
}

/// The groups of a cell wait for each other at the end of every layer, and their second kernel is an expert product.
void experts(StepGraph& g)
{
    g.dataScope = DataScope::group;
    for (Program& p : g.programs)
        p.blocks[0].ops[2].sync = Sync::cell;
}

/// One rank per replica, one stage, 64 GPUs or fewer.
void sharded(JobShape& s, int replicas)
{
    s.stages = s.groupRanks = 1;
    s.microbatches = 8;
    s.replicas = replicas;
    s.sendSeconds = s.collectiveSeconds = s.gradSyncSeconds = s.paramGatherSeconds = 0;
}

void lockstep(Builder& b)
{
    b.add(
        "lockstep 8", [](JobShape& s) { sharded(s, 8); },
        [](StepGraph& g) {
            shard(g);
            g.data = {Family::lognormal, 0.02};
            g.spatial = {Family::lognormal, 0.02};
        },
        true);
    b.add(
        "lockstep 64",
        [](JobShape& s) {
            sharded(s, 64);
            s.compute = {Family::lognormal, 0.01};
        },
        [](StepGraph& g) {
            shard(g);
            g.data = {Family::lognormal, 0.02};
            g.spatial = {Family::lognormal, 0.02};
        });
    b.add(
        "lockstep 64, data 0.2", [](JobShape& s) { sharded(s, 64); },
        [](StepGraph& g) {
            shard(g);
            g.data = {Family::lognormal, 0.2};
        });
    b.add(
        "lockstep, no data", [](JobShape& s) { sharded(s, 32); }, shard);
    b.add(
        "lockstep in sets of 4", [](JobShape& s) { sharded(s, 16); },
        [](StepGraph& g) {
            shard(g);
            g.lockstepReplicas = 4;
            g.data = {Family::gamma, 0.05};
            g.slow = {{5, 0, 0, 1.1, 1.0}};
        });
    const auto routed = [](JobShape& s) {
        sharded(s, 8);
        s.groupRanks = 2;
        s.groups = 4;
        s.microbatches = 4;
        s.compute = {Family::lognormal, 0.02};
    };
    b.add(
        "lockstep, routing", routed,
        [](StepGraph& g) {
            shard(g);
            g.dataScope = DataScope::group;
            g.routing = {Family::gamma, 0.3};
            for (Program& p : g.programs)
                for (Op& op : p.blocks[0].ops)
                    op.routed = g.classes[static_cast<std::size_t>(op.kernelClass)].scope == Scope::none;
        },
        true);
    b.add("lockstep, routing of one product", routed, [](StepGraph& g) {
        shard(g);
        g.dataScope = DataScope::group;
        g.routing = {Family::lognormal, 0.2};
        g.data = {Family::lognormal, 0.02};
        g.spatial = {Family::lognormal, 0.02};
        for (Program& p : g.programs)
            p.blocks[0].ops[2].routed = true;
    });
    b.add(
        "lockstep pipeline", [](JobShape& s) { s.stages = 2; },
        [](StepGraph& g) {
            shard(g);
            g.data = {Family::lognormal, 0.05};
            g.interRegime = {Family::lognormal, 0.1};
        });
}

void expertGroups(Builder& b)
{
    const auto eight = [](JobShape& s) {
        s.groups = 8;
        s.replicas = 1;
    };
    b.add("8 expert groups, data", eight, [](StepGraph& g) {
        experts(g);
        g.data = {Family::lognormal, 0.02};
    });
    b.add(
        "8 expert groups, data 0.2", eight,
        [](StepGraph& g) {
            experts(g);
            g.data = {Family::lognormal, 0.2};
            g.spatial = {Family::lognormal, 0.03};
        },
        true);
    b.add(
        "expert groups, DP 16",
        [](JobShape& s) {
            s.groups = 4;
            s.replicas = 16;
            s.stages = 2;
        },
        [](StepGraph& g) {
            experts(g);
            g.data = {Family::lognormal, 0.05};
            g.spatial = {Family::normal, 0.02};
        });
    b.add(
        "routing 0.3", same,
        [](StepGraph& g) {
            for (Program& p : g.programs)
                p.blocks[0].ops[1].routed = true;
            g.routing = {Family::gamma, 0.3};
        },
        true);
    b.add(
        "routing of a step", same,
        [](StepGraph& g) {
            for (Program& p : g.programs)
                p.blocks[0].ops[1].routed = true;
            g.routing = {Family::lognormal, 0.05};
            g.routingRegime = {Family::gamma, 0.3};
            g.computeRegime = {Family::lognormal, 0.02};
        },
        true);
    b.add("routing of a step alone, experts", eight, [](StepGraph& g) {
        experts(g);
        for (Program& p : g.programs)
            p.blocks[0].ops[1].routed = true;
        g.routingRegime = {Family::lognormal, 0.1};
        g.data = {Family::lognormal, 0.05};
    });
    b.add("routing, data, experts", eight, [](StepGraph& g) {
        experts(g);
        for (Program& p : g.programs)
            p.blocks[0].ops[1].routed = true;
        g.routing = {Family::lognormal, 0.1};
        g.data = {Family::lognormal, 0.05};
    });
    b.add("rare routing", same, [](StepGraph& g) {
        for (Program& p : g.programs)
            p.blocks[0].ops[1].routed = true;
        g.routing = rare({Family::lognormal, 0.05}, 0.01, 3.0);
    });
    const auto cells = [](JobShape& s) {
        s.groupRanks = 2;
        s.groups = 4;
        s.replicas = 4;
        s.compute = {Family::lognormal, 0.3};
    };
    b.add("rare routing, wide kernels", cells, [](StepGraph& g) {
        for (Program& p : g.programs)
            p.blocks[0].ops[1].routed = true;
        g.routing = rare({Family::lognormal, 0.1}, 0.003, 5.0);
    });
    b.add(
        "rare routing of rare kernels",
        [](JobShape& s) {
            s.groupRanks = 4;
            s.groups = 4;
            s.replicas = 2;
            s.layers = 2;
            s.compute = rare({Family::lognormal, 0.02}, 0.002, 15.0);
        },
        [](StepGraph& g) {
            for (Program& p : g.programs)
                p.blocks[0].ops[1].routed = true;
            g.routing = rare({Family::gamma, 0.2}, 0.004, 8.0);
        });
}

/// Causes that make one group of a cell late permanently or for a micro-batch, and groups that share the factor of their lockstep member.
void lateGroups(Builder& b)
{
    const auto four = [](JobShape& s) {
        s.groups = 4;
        s.replicas = 8;
        s.stages = 2;
    };
    b.add("expert groups, rare data", four, [](StepGraph& g) {
        experts(g);
        g.data = rare({Family::lognormal, 0.02}, 0.003, 4.0);
    });
    b.add("expert groups, rare data alone", four, [](StepGraph& g) {
        experts(g);
        g.data = rare({Family::deterministic, 0.0}, 0.003, 2.0);
    });
    b.add("expert groups, rare slow GPU", four, [](StepGraph& g) {
        experts(g);
        g.data = {Family::lognormal, 0.05};
        g.spatial = rare({Family::normal, 0.015}, 0.004, 1.5);
    });
    const auto members = [](JobShape& s) {
        sharded(s, 6);
        s.groupRanks = 2;
        s.groups = 4;
        s.microbatches = 4;
    };
    b.add("lockstep of groups", members, [](StepGraph& g) {
        shard(g);
        g.data = {Family::lognormal, 0.08};
    });
    b.add("lockstep of groups, rare data", members, [](StepGraph& g) {
        shard(g);
        g.data = rare({Family::lognormal, 0.03}, 0.003, 3.0);
        g.spatial = {Family::normal, 0.02};
    });
    b.add("lockstep of groups, slow rank", members, [](StepGraph& g) {
        shard(g);
        g.data = {Family::lognormal, 0.05};
        g.slow = {{1, 0, 3, 1.3, 1.0}};
    });
}

/// A small pipeline for many replicas: two stages, two micro-batches, two layers of two kernels.
void small(JobShape& s)
{
    s.stages = 2;
    s.microbatches = 2;
    s.layers = 2;
}

/// Events that few replicas have, and lumps that few cells make.
void rareEvents(Builder& b)
{
    b.add(
        "rare, TP 2 PP 2",
        [](JobShape& s) {
            s.stages = 2;
            s.layers = 8;
            s.replicas = 1;
            s.compute = rare(s.compute, 1e-3, 10.0);
        },
        [](StepGraph& g) {
            g.spatial = {Family::normal, 0.02};
        },
        true);
    b.add(
        "rare, one TP 8 cell",
        [](JobShape& s) {
            s.stages = s.microbatches = s.replicas = 1;
            s.sendSeconds = 0;
            s.groupRanks = 8;
            s.layers = 16;
            s.compute = rare({Family::lognormal, 0.03}, 1e-4, 100.0);
        },
        none, true);
    b.add(
        "frequent, one TP 8 cell",
        [](JobShape& s) {
            s.stages = s.microbatches = s.replicas = 1;
            s.sendSeconds = 0;
            s.groupRanks = 8;
            s.layers = 16;
            s.compute = rare({Family::lognormal, 0.03}, 0.05, 3.0);
        },
        [](StepGraph& g) {
            g.spatial = {Family::normal, 0.03};
        });
    b.add(
        "frequent, groups",
        [](JobShape& s) {
            s.groups = 4;
            s.replicas = 1;
            s.compute = rare({Family::lognormal, 0.03}, 5e-3, 8.0);
        },
        [](StepGraph& g) {
            g.data = {Family::lognormal, 0.1};
            for (Program& p : g.programs)
                for (Op& op : p.blocks[0].ops)
                    op.sync = Sync::cell;
        });
    const auto different = [](JobShape& s) {
        s.stages = s.microbatches = 2;
        s.groups = s.groupRanks = 4;
        s.replicas = 2;
        s.collectiveSeconds = 0;
        s.compute = rare({Family::lognormal, 0.02}, 5e-3, 3.0);
    };
    b.add("frequent, groups, slow rank", different, [](StepGraph& g) { g.slow = {{0, 0, 0, 1.3, 1.0}}; });
    b.add("frequent, groups, data, slow rank", different, [](StepGraph& g) {
        g.dataScope = DataScope::group;
        g.data = {Family::lognormal, 0.04};
        g.spatial = {Family::lognormal, 0.02};
        g.slow = {{0, 0, 0, 1.3, 1.0}};
    });
    b.add(
        "one cell, spatial 0.02",
        [](JobShape& s) {
            s.stages = s.microbatches = s.replicas = 1;
            s.sendSeconds = 0;
            s.groupRanks = 8;
            s.compute = {Family::lognormal, 0.01};
        },
        [](StepGraph& g) {
            g.spatial = {Family::normal, 0.02};
        },
        true);
    b.add(
        "rare spatial, 64",
        [](JobShape& s) {
            small(s);
            s.replicas = 64;
        },
        [](StepGraph& g) {
            g.spatial = rare({Family::lognormal, 0.02}, 1e-3, 1.5);
        });
    b.add(
        "rare spatial, 512",
        [](JobShape& s) {
            small(s);
            s.replicas = 512;
        },
        [](StepGraph& g) {
            g.spatial = rare({Family::lognormal, 0.02}, 1e-3, 1.5);
        });
    b.add(
        "rare, 64",
        [](JobShape& s) {
            small(s);
            s.replicas = 64;
            s.compute = rare({Family::lognormal, 0.03}, 1e-4, 100.0);
        },
        none);
    b.add(
        "rare, 512",
        [](JobShape& s) {
            small(s);
            s.replicas = 512;
            s.compute = rare({Family::lognormal, 0.03}, 1e-4, 100.0);
        },
        none);
    b.add(
        "rare, 4096",
        [](JobShape& s) {
            small(s);
            s.replicas = 4096;
            s.compute = rare({Family::lognormal, 0.03}, 2e-6, 100.0);
        },
        none);
    b.add(
        "rare data, 512",
        [](JobShape& s) {
            small(s);
            s.replicas = 512;
        },
        [](StepGraph& g) {
            g.data = rare({Family::lognormal, 0.05}, 1e-4, 2.0);
        });
    b.add(
        "rare transfer, 512",
        [](JobShape& s) {
            small(s);
            s.replicas = 512;
            s.gradSyncSeconds = 0;
        },
        [](StepGraph& g) {
            g.classes[2].temporal = rare({Family::lognormal, 0.1}, 1e-4, 30.0);
        });
}

/// Events of kernels in cells whose ranks differ: a slow one hides those of the others.
void eventsByCellScore(Builder& b)
{
    const auto cell = [](double probability, double times) {
        return [=](JobShape& s) {
            s.groupRanks = 8;
            s.microbatches = 4;
            s.compute = rare({Family::lognormal, 0.02}, probability, times);
        };
    };
    b.add("rare, unlike ranks", cell(0.01, 2.0), [](StepGraph& g) { g.spatial = {Family::normal, 0.05}; });
    b.add("frequent, unlike ranks", cell(0.1, 2.0), [](StepGraph& g) { g.spatial = {Family::normal, 0.05}; });
    b.add("rare, slow GPUs", cell(0.002, 3.0), [](StepGraph& g) { g.spatial = rare({Family::normal, 0.015}, 0.01, 1.5); });
    b.add(
        "rare, groups, slow GPUs",
        [](JobShape& s) {
            s.groupRanks = 4;
            s.groups = 4;
            s.replicas = 8;
            s.stages = 2;
            s.compute = rare({Family::lognormal, 0.02}, 0.001, 3.0);
        },
        [](StepGraph& g) {
            g.spatial = rare({Family::normal, 0.015}, 0.01, 1.3);
        });
    b.add(
        "rare, groups, data, slow GPUs",
        [](JobShape& s) {
            s.groupRanks = 4;
            s.groups = 4;
            s.replicas = 4;
            s.stages = 2;
            s.compute = rare({Family::lognormal, 0.02}, 0.001, 3.0);
        },
        [](StepGraph& g) {
            experts(g);
            g.data = {Family::lognormal, 0.03};
            g.spatial = rare({Family::normal, 0.015}, 0.01, 1.3);
        });
    b.add("rare, measured speeds", cell(0.005, 2.0), [](StepGraph& g) {
        for (int r = 0; r < g.numReplicas * g.schedule.numStages * g.cellRanks(); ++r)
            g.fixedSpatial.push_back(r % 37 == 5 ? 1.35 : 1.0 + 0.002 * (r % 11));
    });
}

/// Pipelines of many micro-batches.
void longPipelines(Builder& b)
{
    const auto longer = [](JobShape& s) {
        s.stages = 8;
        s.microbatches = 64;
        s.groupRanks = 1;
        s.layers = 1;
        s.replicas = 6;
    };
    b.add(
        "long, regimes, data", longer,
        [](StepGraph& g) {
            g.spatial = {Family::lognormal, 0.02};
            g.intraRegime = {Family::lognormal, 0.1};
            g.interRegime = {Family::gamma, 0.3};
            g.data = {Family::lognormal, 0.1};
            g.classes[2].temporal = rare({Family::lognormal, 0.15}, 0.002, 20.0);
        },
        true);
    b.add("long, rare regime", longer, [](StepGraph& g) {
        g.interRegime = rare({Family::lognormal, 0.1}, 0.03, 3.0);
        for (auto* hops : {&g.sendForward, &g.sendBackward})
            for (StepOp& op : *hops)
                op.hiddenSeconds = 0.005;
    });
    b.add(
        "long, compute regime, data",
        [&](JobShape& s) {
            longer(s);
            s.compute = {Family::lognormal, 0.3};
        },
        [](StepGraph& g) {
            g.computeRegime = {Family::lognormal, 0.03};
            g.data = {Family::lognormal, 0.1};
        },
        true);
    b.add(
        "compute regime, 512",
        [](JobShape& s) {
            small(s);
            s.replicas = 512;
            s.compute = {Family::gamma, 0.3};
        },
        [](StepGraph& g) {
            g.computeRegime = {Family::lognormal, 0.05};
            g.spatial = {Family::normal, 0.02};
        });
    b.add(
        "long, one replica",
        [&](JobShape& s) {
            longer(s);
            s.replicas = 1;
            s.compute = {Family::lognormal, 0.1};
            s.inter = {Family::lognormal, 0.8};
            s.sendSeconds = 0.05;
        },
        none);
    b.add(
        "long, measured pools",
        [&](JobShape& s) {
            longer(s);
            s.replicas = 1;
            s.compute = measuredPool();
            s.inter = measuredPool();
        },
        none);
}

/// Quantile by linear interpolation between order statistics.
double quantile(const std::vector<double>& sorted, double p)
{
    const double at = std::clamp(p, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
    const auto i = static_cast<std::size_t>(at);
    return sorted[i] + (at - static_cast<double>(i)) * (sorted[std::min(i + 1, sorted.size() - 1)] - sorted[i]);
}

/// Its standard error upwards or downwards, from the quantile kBatteryErrors binomial standard deviations of rank away on that side: a gap
/// between two lumps of steps within that reach counts.
double quantileError(const std::vector<double>& sorted, double p, bool upwards)
{
    const double d = kBatteryErrors * std::sqrt(p * (1 - p) / static_cast<double>(sorted.size()));
    return std::abs(quantile(sorted, upwards ? p + d : p - d) - quantile(sorted, p)) / kBatteryErrors;
}

/// Steps of one simulator across jobs, from one or several seeds.
class Steps final {
public:
    using Simulator = StepSamples (*)(const StepGraph&, const SimOptions&);
    Steps(Simulator simulator, const StepGraph& graph, int samples, std::uint64_t seed)
        : m_simulator(simulator),
          m_graph(graph),
          m_samples(samples),
          m_seed(seed)
    {
        add(1);
    }

    void add(int seeds)
    {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < seeds; ++i) {
            SimOptions options;
            options.numWithinSamples = 1;
            options.numSamples = m_samples;
            options.seed = m_seed + 1000 * static_cast<std::uint64_t>(m_seeds++);
            const StepSamples run = m_simulator(m_graph, options);
            m_sorted.insert(m_sorted.end(), run.acrossSeconds.begin(), run.acrossSeconds.end());
            const SharedError& s = run.acrossShared;
            const double errors[] = {s.p50.stdErr, s.p95.stdErr, s.p99.stdErr};
            for (std::size_t k = 0; k < m_shared.size(); ++k)
                m_shared[k] += errors[k] * errors[k];
        }
        std::sort(m_sorted.begin(), m_sorted.end());
        m_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

    [[nodiscard]] int seeds() const { return m_seeds; }
    [[nodiscard]] double seconds() const { return m_seconds; }
    [[nodiscard]] const std::vector<double>& sorted() const { return m_sorted; }
    /// Of the k-th of p50, p95, p99: the shared error of a run, over all runs.
    [[nodiscard]] double shared(std::size_t k) const { return std::sqrt(m_shared[k]) / m_seeds; }

private:
    Simulator m_simulator;
    const StepGraph& m_graph;
    int m_samples, m_seeds = 0;
    std::uint64_t m_seed;
    std::vector<double> m_sorted;
    std::array<double, 3> m_shared{};
    double m_seconds = 0.0;
};

QuantileAgreement compare(const Steps& reference, const Steps& fast, std::size_t which, double p, double limit)
{
    QuantileAgreement q;
    const double median = quantile(reference.sorted(), 0.5);
    q.reference = quantile(reference.sorted(), p);
    q.fast = quantile(fast.sorted(), p);
    q.difference = (q.fast - q.reference) / median;
    q.standardError = std::hypot(quantileError(reference.sorted(), p, q.difference > 0), quantileError(fast.sorted(), p, q.difference < 0),
                                 fast.shared(which))
                      / median;
    q.limit = limit;
    return q;
}

Agreement compared(const BatteryCase& c, const Steps& reference, const Steps& fast)
{
    constexpr double kAround = 0.05; // shares to either side of the median whose distance gives the density there
    Agreement a;
    a.name = c.name;
    a.referenceSeconds = reference.seconds();
    a.fastSeconds = fast.seconds();
    a.referenceSamples = reference.sorted().size();
    a.fastSamples = fast.sorted().size();
    a.p50 = compare(reference, fast, 0, 0.50, 0.002);
    a.p95 = compare(reference, fast, 1, 0.95, 0.005);
    a.p99 = compare(reference, fast, 2, 0.99, 0.01);
    a.ks = ksDistance(reference.sorted(), fast.sorted());
    a.ksShared =
        fast.shared(0) * 2.0 * kAround / (quantile(reference.sorted(), 0.5 + kAround) - quantile(reference.sorted(), 0.5 - kAround));
    a.ksLimit = ksCritical(a.referenceSamples, a.fastSamples, 1e-3) + kBatteryErrors * a.ksShared + 0.01;
    return a;
}

} // namespace

bool QuantileAgreement::fails() const
{
    return !(std::abs(difference) - kBatteryErrors * standardError <= limit);
}

std::vector<BatteryCase> batteryCases()
{
    Builder b;
    schedules(b);
    wholeSteps(b);
    parallelism(b);
    families(b);
    causes(b);
    granularity(b);
    lockstep(b);
    expertGroups(b);
    lateGroups(b);
    rareEvents(b);
    eventsByCellScore(b);
    longPipelines(b);
    return std::move(b.cases);
}

bool Agreement::hasPower() const
{
    constexpr double kVisible = 0.01; // share of the steps
    return kBatteryErrors * p50.standardError < 2 * p50.limit && ksShared < kVisible;
}

Agreement agreement(const BatteryCase& c, int referenceSamples, int fastSamples)
{
    return compared(c, Steps(simulateReference, c.graph, referenceSamples, 101), Steps(simulate, c.graph, fastSamples, 202));
}

Agreement agreementWithPower(const BatteryCase& c, int referenceSamples, int fastSamples)
{
    constexpr int kMaxSeeds = 64;
    Steps reference(simulateReference, c.graph, referenceSamples, 101), fast(simulate, c.graph, fastSamples, 202);
    Agreement a = compared(c, reference, fast);
    while (!a.hasPower() && std::max(reference.seeds(), fast.seeds()) < kMaxSeeds) {
        const bool isShared =
            a.ksShared > 0.0
            && std::hypot(quantileError(fast.sorted(), 0.5, true), fast.shared(0)) > quantileError(reference.sorted(), 0.5, true);
        Steps& lesser = isShared ? fast : reference;
        lesser.add(lesser.seeds());
        a = compared(c, reference, fast);
    }
    return a;
}

std::string agreementTable(const std::vector<Agreement>& rows)
{
    std::string text =
        "case                      dp50 %  +-     dp95 %  +-     dp99 %  +-     KS      limit   reference s  fast s   steps\n";
    char line[256];
    for (const Agreement& a : rows) {
        std::snprintf(line, sizeof line, "%-24s %7.3f %.3f  %7.3f %.3f  %7.3f %.3f  %.4f  %.4f  %11.2f %7.3f   %zu, %zu%s\n",
                      a.name.c_str(), 100 * a.p50.difference, 100 * a.p50.standardError, 100 * a.p95.difference, 100 * a.p95.standardError,
                      100 * a.p99.difference, 100 * a.p99.standardError, a.ks, a.ksLimit, a.referenceSeconds, a.fastSeconds,
                      a.referenceSamples, a.fastSamples, a.fails() ? "  FAILS" : "");
        text += line;
    }
    return text;
}

} // namespace prism::test
