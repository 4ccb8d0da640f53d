// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/parametertable.h"

#include "core/scenario/parameterentry.h"

#include <unordered_map>

namespace prism {
namespace {

std::vector<Parameter> makeTable()
{
    std::vector<Parameter> t;
    table::addModel(t);
    table::addCluster(t);
    table::addParallelism(t);
    table::addTraining(t);
    table::addVariability(t);
    table::addJob(t);
    table::addMeasured(t);
    return t;
}

const std::vector<Parameter>& parameterTable()
{
    static const std::vector<Parameter> kTable = makeTable();
    return kTable;
}

/// Entries under an older id: files and options that use it are read, nothing writes or lists it.
const std::vector<Parameter>& olderParameters()
{
    static const std::vector<Parameter> kOlder = [] {
        Parameter p;
        p.id = "training.flash_attention";
        p.group = "training";
        p.label = "Flash attention";
        p.type = ParameterType::boolean;
        p.help = "Older form of training.attention_backend: false = unfused.";
        p.get = [](const Scenario& s) -> ParameterValue { return s.training.fusedAttention(); };
        p.set = [](Scenario& s, const ParameterValue& v) {
            if (std::get<bool>(v) != s.training.fusedAttention())
                s.training.attentionBackend = std::get<bool>(v) ? TrainingConfig{}.attentionBackend : "unfused";
        };
        p.defaultValue = p.get(Scenario{});
        return std::vector<Parameter>{p};
    }();
    return kOlder;
}

} // namespace

std::span<const Parameter> parameters()
{
    return parameterTable();
}

std::span<const OlderId> olderIds()
{
    static constexpr OlderId kIds[] = {
        {"training.flash_attention", "training.attention_backend: false = unfused"},
        {"cluster.gpu.vendor", "nothing: no metric depended on it; the type of the GPU (cluster.gpu.preset) selects its tables"},
        {"cluster.gpu.l2_cache_mib", "nothing: no metric depended on it"},
    };
    return kIds;
}

const OlderId* olderId(std::string_view id)
{
    for (const OlderId& older : olderIds())
        if (older.id == id)
            return &older;
    return nullptr;
}

const Parameter* findParameter(std::string_view id)
{
    static const auto kIndex = [] {
        std::unordered_map<std::string_view, const Parameter*> index;
        for (const Parameter& p : parameterTable())
            index.emplace(p.id, &p);
        for (const Parameter& p : olderParameters())
            index.emplace(p.id, &p);
        return index;
    }();
    const auto it = kIndex.find(id);
    return it == kIndex.end() ? nullptr : it->second;
}

} // namespace prism
