// SPDX-License-Identifier: GPL-3.0-or-later
// StepGraph to JSON, in the format of resources/help/stepgraph.md.
#include "core/schedule/lists.h"
#include "core/step/stepgraphwords.h"

#include <nlohmann/json.hpp>

namespace prism {

using Json = nlohmann::ordered_json;
using namespace stepgraph_words;

namespace {

template <class E>
const std::string& nameOf(const std::vector<std::string>& names, E value)
{
    return names[static_cast<std::size_t>(value)];
}

Json toJson(const Distribution& d)
{
    Json j{{"family", familyName(d.family)}};
    if (d.cv != 0.0)
        j["cv"] = d.cv;
    if (d.rareProbability != 0.0 || d.rareMultiplier != 1.0) {
        j["rare_probability"] = d.rareProbability;
        j["rare_multiplier"] = d.rareMultiplier;
    }
    if (d.pool)
        j["pool"] = *d.pool;
    return j;
}

Json toJson(const StepOp& op)
{
    if (op == StepOp{})
        return nullptr;
    Json j{{"class", op.kernelClass}, {"mean_s", op.meanSeconds}};
    if (op.hiddenSeconds != 0.0)
        j["hidden_s"] = op.hiddenSeconds;
    if (op.minExposedSeconds != 0.0)
        j["min_exposed_s"] = op.minExposedSeconds;
    if (op.groups != 1)
        j["groups"] = op.groups;
    if (op.buckets != 1)
        j["buckets"] = op.buckets;
    return j;
}

Json toJson(const std::vector<StepOp>& ops)
{
    Json list = Json::array();
    for (const StepOp& op : ops)
        list.push_back(toJson(op));
    return list;
}

Json toJson(const Program& p)
{
    Json blocks = Json::array();
    for (const Block& b : p.blocks) {
        Json ops = Json::array();
        for (const Op& op : b.ops) {
            Json j{{"class", op.kernelClass}, {"mean_s", op.meanSeconds}};
            if (op.hiddenSeconds != 0.0)
                j["hidden_s"] = op.hiddenSeconds;
            if (op.sync != Sync::group)
                j["sync"] = nameOf(kSyncs, op.sync);
            if (op.routed)
                j["routed"] = true;
            ops.push_back(std::move(j));
        }
        blocks.push_back({{"repeat", b.repeat}, {"ops", std::move(ops)}});
    }
    return {{"name", p.name}, {"blocks", std::move(blocks)}};
}

Json toJson(const Schedule& s)
{
    Json order = Json::array();
    for (const auto& items : s.order)
        order.push_back(itemsText(items, s.numChunks));
    return {{"name", s.name},
            {"num_stages", s.numStages},
            {"num_chunks", s.numChunks},
            {"num_microbatches", s.numMicrobatches},
            {"splits_weight", s.splitsWeight},
            {"path", s.path},
            {"order", std::move(order)}};
}

} // namespace

std::string toJson(const StepGraph& g)
{
    Json classes = Json::array();
    for (const KernelClass& k : g.classes)
        classes.push_back({{"name", k.name},
                           {"scope", nameOf(kScopes, k.scope)},
                           {"category", nameOf(kCategories, k.category)},
                           {"temporal", toJson(k.temporal)},
                           {"spatial_sensitivity", k.spatialSensitivity}});
    Json programs = Json::array();
    for (const Program& p : g.programs)
        programs.push_back(toJson(p));
    Json slow = Json::array();
    for (const SlowSpot& s : g.slow)
        slow.push_back({{"replica", s.replica},
                        {"stage", s.stage},
                        {"rank", s.rank},
                        {"compute_factor", s.computeFactor},
                        {"link_factor", s.linkFactor}});
    const Json document{{"format", kFormat},
                        {"version", kVersion},
                        {"name", g.name},
                        {"num_replicas", g.numReplicas},
                        {"group_ranks", g.groupRanks},
                        {"groups_per_cell", g.groupsPerCell},
                        {"lockstep_replicas", g.lockstepReplicas},
                        {"classes", std::move(classes)},
                        {"programs", std::move(programs)},
                        {"program_of", g.programOf},
                        {"schedule", toJson(g.schedule)},
                        {"send_forward", toJson(g.sendForward)},
                        {"send_backward", toJson(g.sendBackward)},
                        {"transfer_occupies_sender", g.transferOccupiesSender},
                        {"embedding_all_reduce", toJson(g.embeddingAllReduce)},
                        {"grad_sync", toJson(g.gradSync)},
                        {"grad_norm", toJson(g.gradNorm)},
                        {"optimizer", toJson(g.optimizer)},
                        {"param_gather", toJson(g.paramGather)},
                        {"spatial", toJson(g.spatial)},
                        {"data", toJson(g.data)},
                        {"data_per", nameOf(kDataScopes, g.dataScope)},
                        {"routing", toJson(g.routing)},
                        {"intra_regime", toJson(g.intraRegime)},
                        {"inter_regime", toJson(g.interRegime)},
                        {"regime_lag1", g.regimeLag1},
                        {"compute_regime", toJson(g.computeRegime)},
                        {"compute_regime_lag1", g.computeRegimeLag1},
                        {"routing_regime", toJson(g.routingRegime)},
                        {"routing_regime_lag1", g.routingRegimeLag1},
                        {"spatial_node_share", g.spatialNodeShare},
                        {"node_ranks", g.nodeRanks},
                        {"step_jitter_s", g.delays.jitterSeconds},
                        {"stalls_per_gpu_hour", g.delays.stallsPerGpuHour},
                        {"stall_mean_s", g.delays.stallMeanSeconds},
                        {"stall_cv", g.delays.stallCv},
                        {"stall_rate_cv", g.delays.stallRateCv},
                        {"slow", std::move(slow)},
                        {"fixed_spatial", g.fixedSpatial}};
    return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}
} // namespace prism
