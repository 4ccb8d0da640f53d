// SPDX-License-Identifier: GPL-3.0-or-later
// StepGraph from JSON, in the format of resources/help/stepgraph.md.
#include "core/base/jsontext.h"
#include "core/scenario/objectreader.h"
#include "core/schedule/generators.h"
#include "core/schedule/lists.h"
#include "core/step/stepgraphwords.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

namespace prism {

using nlohmann::json;
using namespace stepgraph_words;

namespace {

constexpr double kAny = std::numeric_limits<double>::max(); ///< ranges are check()'s business
constexpr int kAnyInteger = std::numeric_limits<int>::max();
constexpr std::size_t kMaxDiagnostics = 200;

template <class E>
E valueOf(const std::vector<std::string>& names, const std::string& name)
{
    return static_cast<E>(std::find(names.begin(), names.end(), name) - names.begin());
}

/// Walks the document; every mistake goes to one list.
class Reader final {
public:
    explicit Reader(const json& document) : m_document(document) {}

    Result<StepGraph> graph()
    {
        ObjectReader in(m_document, "", m_found);
        version(in);
        StepGraph g;
        in.text("name", g.name);
        in.integer("num_replicas", g.numReplicas, 1, kAnyInteger);
        in.integer("group_ranks", g.groupRanks, 1, kAnyInteger);
        in.integer("groups_per_cell", g.groupsPerCell, 1, kAnyInteger);
        if (m_version >= 2)
            in.integer("lockstep_replicas", g.lockstepReplicas, 0, kAnyInteger);
        each(in, "classes", [&](const json& j, const std::string& path) { g.classes.push_back(kernelClass(j, path)); });
        each(in, "programs", [&](const json& j, const std::string& path) { g.programs.push_back(program(j, path)); });
        each(in, "program_of", [&](const json& j, const std::string& path) { g.programOf.push_back(programOfStage(j, path)); });
        if (const json* j = in.value("schedule"))
            g.schedule = schedule(*j);
        else
            add("schedule", "The step graph has no schedule.", "nothing", "an object");
        stepOps(in, "send_forward", g.sendForward);
        stepOps(in, "send_backward", g.sendBackward);
        in.boolean("transfer_occupies_sender", g.transferOccupiesSender);
        single(in, "embedding_all_reduce", g.embeddingAllReduce);
        stepOps(in, "grad_sync", g.gradSync);
        single(in, "grad_norm", g.gradNorm);
        stepOps(in, "optimizer", g.optimizer);
        stepOps(in, "param_gather", g.paramGather);
        factor(in, "spatial", g.spatial);
        factor(in, "data", g.data);
        if (m_version >= 2) {
            std::string scope = kDataScopes.front();
            in.word("data_per", scope, kDataScopes);
            g.dataScope = valueOf<DataScope>(kDataScopes, scope);
            factor(in, "routing", g.routing);
        }
        factor(in, "intra_regime", g.intraRegime);
        factor(in, "inter_regime", g.interRegime);
        in.real("regime_lag1", g.regimeLag1, -1.0, 1.0);
        regime(in, "compute_regime", g.computeRegime, g.computeRegimeLag1);
        regime(in, "routing_regime", g.routingRegime, g.routingRegimeLag1);
        in.real("spatial_node_share", g.spatialNodeShare, 0.0, 1.0);
        in.integer("node_ranks", g.nodeRanks, 1, kAnyInteger);
        in.real("step_jitter_s", g.delays.jitterSeconds, 0.0, kAny);
        in.real("stalls_per_gpu_hour", g.delays.stallsPerGpuHour, 0.0, kAny);
        in.real("stall_mean_s", g.delays.stallMeanSeconds, 0.0, kAny);
        in.real("stall_cv", g.delays.stallCv, 0.0, kAny);
        in.real("stall_rate_cv", g.delays.stallRateCv, 0.0, kAny);
        each(in, "slow", [&](const json& j, const std::string& path) { g.slow.push_back(slowSpot(j, path)); });
        each(in, "fixed_spatial", [&](const json& j, const std::string& path) { g.fixedSpatial.push_back(number(j, path)); });
        in.finish();
        if (m_found.empty()) {
            fillAbsent(g);
            m_found = check(g);
        }
        if (m_found.size() > kMaxDiagnostics)
            m_found.resize(kMaxDiagnostics);
        if (hasErrors(m_found))
            return m_found;
        return g;
    }

private:
    /// Version 1 had its number in the format's name. What came later has no place in its files.
    void version(ObjectReader& in)
    {
        std::string format;
        in.text("format", format);
        if (format == kFormat)
            in.integer("version", m_version = kVersion, 1, kVersion);
        else if (m_document.is_object() && format != kFormat1)
            add("format", "This is not a step graph.", format, std::string(kFormat) + ", or " + kFormat1);
    }

    void add(std::string path, std::string message, std::string found, std::string accepted)
    {
        m_found.push_back({Severity::error, std::move(path), std::move(message), std::move(found), std::move(accepted), "", ""});
    }
    [[nodiscard]] bool full() const { return m_found.size() >= kMaxDiagnostics; }

    template <class F>
    void eachOf(const json& list, const std::string& path, F f)
    {
        if (!list.is_array()) {
            m_found.push_back(invalidType(path, "a list", list));
            return;
        }
        for (std::size_t i = 0; i < list.size() && !full(); ++i)
            f(list[i], path + "[" + std::to_string(i) + "]");
    }
    template <class F>
    void each(ObjectReader& in, const char* key, F f)
    {
        if (const json* list = in.value(key))
            eachOf(*list, in.pathOf(key), f);
    }

    double number(const json& j, const std::string& path)
    {
        if (j.is_number())
            return j.get<double>();
        m_found.push_back(invalidType(path, "a number", j));
        return 0.0;
    }
    int integer(const json& j, const std::string& path)
    {
        std::int64_t value = 0;
        if (j.is_number() && wholeNumber(j, value) && value >= -1 && value <= kAnyInteger)
            return static_cast<int>(value);
        m_found.push_back(invalidType(path, "an integer from -1", j));
        return 0;
    }

    Distribution distribution(const json& j, const std::string& path)
    {
        Distribution d;
        ObjectReader in(j, path, m_found);
        std::string family = "deterministic";
        in.word("family", family, kFamilies);
        d.family = valueOf<Family>(kFamilies, family);
        in.real("cv", d.cv, 0.0, kAny);
        in.real("rare_probability", d.rareProbability, 0.0, 1.0);
        in.real("rare_multiplier", d.rareMultiplier, 0.0, kAny);
        if (const json* pool = in.value("pool")) {
            std::vector<double> values;
            eachOf(*pool, in.pathOf("pool"), [&](const json& x, const std::string& where) { values.push_back(number(x, where)); });
            // The file's spread is ignored where there is a pool: a spread of 0 would take measured values for a constant.
            if (d.family == Family::empirical && !values.empty())
                d.cv = poolCv(values);
            d.pool = std::make_shared<const std::vector<double>>(std::move(values));
        }
        in.finish();
        return d;
    }
    /// A factor of each step with its persistence.
    void regime(ObjectReader& in, const std::string& key, Distribution& target, double& lag1)
    {
        factor(in, key.c_str(), target);
        in.real((key + "_lag1").c_str(), lag1, -1.0, 1.0);
    }

    void factor(ObjectReader& in, const char* key, Distribution& target)
    {
        if (const json* j = in.value(key))
            target = distribution(*j, in.pathOf(key));
    }

    KernelClass kernelClass(const json& j, const std::string& path)
    {
        KernelClass k;
        ObjectReader in(j, path, m_found);
        std::string scope = "none";
        std::string category = "compute";
        in.text("name", k.name);
        in.word("scope", scope, kScopes);
        in.word("category", category, kCategories);
        factor(in, "temporal", k.temporal);
        in.real("spatial_sensitivity", k.spatialSensitivity, 0.0, 1.0);
        in.finish();
        k.scope = valueOf<Scope>(kScopes, scope);
        k.category = valueOf<Category>(kCategories, category);
        return k;
    }

    Op op(const json& j, const std::string& path)
    {
        Op o;
        ObjectReader in(j, path, m_found);
        std::string sync = "group";
        in.integer("class", o.kernelClass, 0, kAnyInteger);
        in.real("mean_s", o.meanSeconds, 0.0, kAny);
        in.real("hidden_s", o.hiddenSeconds, 0.0, kAny);
        in.word("sync", sync, m_version >= 2 ? kSyncs : std::vector<std::string>(kSyncs.begin(), kSyncs.begin() + 2));
        if (m_version >= 2)
            in.boolean("routed", o.routed);
        in.finish();
        o.sync = valueOf<Sync>(kSyncs, sync);
        return o;
    }

    Program program(const json& j, const std::string& path)
    {
        Program p;
        ObjectReader in(j, path, m_found);
        in.text("name", p.name);
        each(in, "blocks", [&](const json& b, const std::string& where) {
            Block block;
            ObjectReader blockIn(b, where, m_found);
            blockIn.integer("repeat", block.repeat, 1, kAnyInteger);
            each(blockIn, "ops", [&](const json& o, const std::string& at) { block.ops.push_back(op(o, at)); });
            blockIn.finish();
            p.blocks.push_back(std::move(block));
        });
        in.finish();
        return p;
    }

    std::vector<std::array<int, kPhases>> programOfStage(const json& j, const std::string& path)
    {
        std::vector<std::array<int, kPhases>> chunks;
        eachOf(j, path, [&](const json& c, const std::string& where) {
            std::array<int, kPhases> programs{-1, -1, -1};
            if (!c.is_array() || c.size() > kPhases)
                m_found.push_back(invalidType(where, "a list of 2 or 3 program indices", c));
            else
                for (std::size_t i = 0; i < c.size(); ++i)
                    programs[i] = integer(c[i], where + "[" + std::to_string(i) + "]");
            chunks.push_back(programs);
        });
        return chunks;
    }

    Schedule schedule(const json& j)
    {
        Schedule s;
        ObjectReader in(j, "schedule", m_found);
        s.name = "custom";
        in.text("name", s.name);
        in.integer("num_stages", s.numStages, 1, kMaxStages);
        in.integer("num_chunks", s.numChunks, 1, kMaxChunks);
        in.integer("num_microbatches", s.numMicrobatches, 1, kMaxMicrobatches);
        in.boolean("splits_weight", s.splitsWeight);
        each(in, "path", [&](const json& pair, const std::string& path) {
            if (pair.is_array() && pair.size() == 2)
                s.path.push_back({integer(pair[0], path + "[0]"), integer(pair[1], path + "[1]")});
            else
                m_found.push_back(invalidType(path, "a pair [stage, chunk]", pair));
        });
        each(in, "order", [&](const json& list, const std::string& path) {
            s.order.emplace_back();
            if (!list.is_string()) {
                m_found.push_back(invalidType(path, "text such as \"F0 F1 B0\"", list));
                return;
            }
            auto items = itemsFromText(list.get_ref<const std::string&>(), path);
            if (items.ok())
                s.order.back() = std::move(items).value();
            else
                for (Diagnostic d : items.errors())
                    m_found.push_back(std::move(d));
        });
        in.finish();
        if (!s.path.empty() || !s.order.empty())
            return s;
        auto made = makeSchedule(s.name, s.numStages, s.numChunks, s.numMicrobatches);
        if (made.ok())
            return std::move(made).value();
        for (Diagnostic d : made.errors())
            m_found.push_back(std::move(d));
        return s;
    }

    StepOp stepOp(const json& j, const std::string& path)
    {
        StepOp o;
        if (j.is_null())
            return o;
        ObjectReader in(j, path, m_found);
        in.integer("class", o.kernelClass, -1, kAnyInteger);
        in.real("mean_s", o.meanSeconds, 0.0, kAny);
        in.real("hidden_s", o.hiddenSeconds, 0.0, kAny);
        in.real("min_exposed_s", o.minExposedSeconds, 0.0, kAny);
        if (m_version >= 2) {
            in.integer("groups", o.groups, 1, kAnyInteger);
            in.integer("buckets", o.buckets, 1, kAnyInteger);
        }
        in.finish();
        return o;
    }
    void single(ObjectReader& in, const char* key, StepOp& target)
    {
        if (const json* j = in.value(key))
            target = stepOp(*j, in.pathOf(key));
    }
    void stepOps(ObjectReader& in, const char* key, std::vector<StepOp>& target)
    {
        each(in, key, [&](const json& j, const std::string& path) { target.push_back(stepOp(j, path)); });
    }

    SlowSpot slowSpot(const json& j, const std::string& path)
    {
        SlowSpot s;
        ObjectReader in(j, path, m_found);
        in.integer("replica", s.replica, -1, kAnyInteger);
        in.integer("stage", s.stage, -1, kAnyInteger);
        in.integer("rank", s.rank, -1, kAnyInteger);
        in.real("compute_factor", s.computeFactor, 0.0, kAny);
        in.real("link_factor", s.linkFactor, 0.0, kAny);
        in.finish();
        return s;
    }

    /// A list of step operations that is not in the file means that all of them are absent.
    static void fillAbsent(StepGraph& g)
    {
        const auto stages = static_cast<std::size_t>(g.schedule.numStages);
        const auto hops = stages * static_cast<std::size_t>(g.schedule.numChunks) - 1;
        for (auto* ops : {&g.sendForward, &g.sendBackward})
            if (ops->empty())
                ops->resize(hops);
        for (auto* ops : {&g.gradSync, &g.optimizer, &g.paramGather})
            if (ops->empty())
                ops->resize(stages);
    }

    const json& m_document;
    int m_version = 1;
    Diagnostics m_found;
};

} // namespace

Result<StepGraph> stepGraphFromJson(std::string_view text)
{
    const auto document = parseJson(text);
    if (!document.ok())
        return document.errors();
    return Reader(*document).graph();
}

} // namespace prism
