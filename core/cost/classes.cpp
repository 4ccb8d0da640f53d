// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/classes.h"

#include "core/base/text.h"
#include "core/cost/sharding.h"
#include "core/step/stepgraphwords.h"

#include <algorithm>
#include <set>

namespace prism {

namespace {

enum class Kind : std::uint8_t { gemm, attention, memory, collective, p2p };

struct Entry {
    std::string_view name;
    Category category;
    Kind kind;
};

constexpr Entry kEntries[kKernelIds] = {
    {"embedding", Category::compute, Kind::memory},
    {"norm", Category::compute, Kind::memory},
    {"gemm.qkv", Category::compute, Kind::gemm},
    {"attention", Category::compute, Kind::attention},
    {"gemm.proj", Category::compute, Kind::gemm},
    {"gemm.fc1", Category::compute, Kind::gemm},
    {"activation", Category::compute, Kind::memory},
    {"gemm.fc2", Category::compute, Kind::gemm},
    {"residual", Category::compute, Kind::memory},
    {"cast", Category::compute, Kind::memory},
    {"moe.router", Category::compute, Kind::memory},
    {"moe.permute", Category::compute, Kind::memory},
    {"gemm.moe_fc1", Category::compute, Kind::gemm},
    {"gemm.moe_fc2", Category::compute, Kind::gemm},
    {"ssm", Category::compute, Kind::attention},
    {"lm_head", Category::compute, Kind::gemm},
    {"loss", Category::compute, Kind::memory},
    {"gemm.generic", Category::compute, Kind::gemm},
    {"operator", Category::compute, Kind::memory},
    {"tp.all_gather", Category::tensorParallel, Kind::collective},
    {"tp.reduce_scatter", Category::tensorParallel, Kind::collective},
    {"tp.all_reduce", Category::tensorParallel, Kind::collective},
    {"cp.exchange", Category::contextParallel, Kind::collective},
    {"ep.all_to_all", Category::expertParallel, Kind::collective},
    {"pp.send_recv.intra", Category::pipeline, Kind::p2p},
    {"pp.send_recv", Category::pipeline, Kind::p2p},
    {"embedding.all_reduce", Category::dataParallel, Kind::collective},
    {"dp.reduce_scatter", Category::dataParallel, Kind::collective},
    {"dp.all_gather", Category::dataParallel, Kind::collective},
    {"dp.all_reduce", Category::dataParallel, Kind::collective},
    {"grad_norm.all_reduce", Category::dataParallel, Kind::collective},
    {"optimizer", Category::optimizer, Kind::memory},
    {"host.launch", Category::other, Kind::memory},
};

const Entry& entry(KernelId id)
{
    return kEntries[static_cast<std::size_t>(id)];
}

Scope scopeOf(KernelId id, const Layout& l, const StateGroups& data)
{
    const auto of = [](const GroupGeometry& g) { return g.scope(); };
    switch (id) {
    case KernelId::tpAllGather:
    case KernelId::tpReduceScatter:
    case KernelId::tpAllReduce:
        return of(l.tensor);
    case KernelId::cpExchange:
        return of(l.context);
    case KernelId::epAllToAll:
        return of(l.expert);
    case KernelId::ppSendRecvIntra:
        return Scope::intraNode;
    case KernelId::ppSendRecvInter:
        return Scope::interNode;
    case KernelId::embeddingAllReduce:
        return l.hopLeavesNode(0, l.pp - 1) ? Scope::interNode : Scope::intraNode;
    case KernelId::dpReduceScatter:
    case KernelId::dpAllGather:
        return of(data.shard.size > 1 ? data.shard : l.data);
    case KernelId::dpAllReduce:
        return of(data.replica.size > 1 ? data.replica : l.data);
    case KernelId::gradNorm:
        return l.tp * l.cp * l.dp * l.pp > l.gpusPerNode ? Scope::interNode : Scope::intraNode;
    default:
        return Scope::none;
    }
}

/// Longest key of `map` that is the name or a dotted prefix of it; null when there is none.
template <class Map>
auto longestPrefix(const Map& map, std::string_view name) -> const typename Map::mapped_type*
{
    const typename Map::mapped_type* best = nullptr;
    std::size_t length = 0;
    for (const auto& [key, value] : map) {
        const bool matches = name == key || (name.starts_with(key) && name.size() > key.size() && name[key.size()] == '.');
        if (matches && (best == nullptr || key.size() > length)) {
            best = &value;
            length = key.size();
        }
    }
    return best;
}

} // namespace

std::string_view kernelName(KernelId id)
{
    return entry(id).name;
}
Category kernelCategory(KernelId id)
{
    return entry(id).category;
}

std::string spreadParameter(std::string_view className, Scope scope)
{
    for (int i = 0; i < kKernelIds; ++i) {
        const auto& known = entry(static_cast<KernelId>(i));
        if (known.name != className)
            continue;
        switch (known.kind) {
        case Kind::gemm:
            return "variability.gemm.cv";
        case Kind::attention:
            return "variability.attention.cv";
        case Kind::memory:
            return "variability.memory_bound.cv";
        case Kind::collective:
            return scope == Scope::interNode ? "variability.inter_collective.cv" : "variability.intra_collective.cv";
        case Kind::p2p:
            return "variability.p2p.cv";
        }
    }
    return {};
}

std::vector<KernelClass> kernelClasses(const Scenario& scenario, const Layout& layout)
{
    const VariabilityConfig& v = scenario.variability;
    const StateGroups data = shardingOf(scenario.parallelism, layout).optimizer.dense;
    std::vector<KernelClass> classes(kKernelIds);
    for (int i = 0; i < kKernelIds; ++i) {
        const auto id = static_cast<KernelId>(i);
        KernelClass& c = classes[static_cast<std::size_t>(i)];
        c.name = entry(id).name;
        c.category = entry(id).category;
        c.scope = scopeOf(id, layout, data);
        switch (entry(id).kind) {
        case Kind::gemm:
            c.temporal = v.gemm;
            break;
        case Kind::attention:
            c.temporal = v.attention;
            break;
        case Kind::memory:
            c.temporal = v.memoryBound;
            break;
        case Kind::collective:
            c.temporal = c.scope == Scope::interNode ? v.interCollective : v.intraCollective;
            break;
        case Kind::p2p:
            c.temporal = v.p2p;
            break;
        }
        if (const Distribution* d = longestPrefix(v.classOverrides, c.name))
            c.temporal = *d;
        if (const double* s = longestPrefix(v.spatialSensitivity, c.name))
            c.spatialSensitivity = *s;
    }
    return classes;
}

namespace {

/// "tensor parallel"
std::string categoryText(Category category)
{
    std::string text = stepgraph_words::kCategories[static_cast<std::size_t>(category)];
    std::replace(text.begin(), text.end(), '_', ' ');
    return text;
}

/// Everything before a dot of a class name: "gemm" for "gemm.qkv".
std::vector<std::string> prefixes(const std::vector<std::string>& names)
{
    std::set<std::string> found;
    for (const std::string& name : names)
        for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1))
            found.insert(name.substr(0, dot));
    return {found.begin(), found.end()};
}

Diagnostic unknown(const std::string& path, const std::string& name, const std::vector<std::string>& known)
{
    const std::string nearest = nearestName(name, known);
    return {.path = path,
            .message = "no kernel has this class",
            .found = name.substr(0, 80),
            .accepted = nearest.empty() ? joined(known, ", ") : "\"" + nearest + "\"; all names: help page kernel-classes"};
}

} // namespace

std::vector<std::string> kernelClassNames()
{
    std::vector<std::string> names;
    for (int id = 0; id < kKernelIds; ++id)
        names.emplace_back(kernelName(static_cast<KernelId>(id)));
    return names;
}

Diagnostics unknownClasses(const Scenario& scenario)
{
    const VariabilityConfig& spread = scenario.variability;
    if (spread.classOverrides.empty() && spread.spatialSensitivity.empty() && scenario.measured.kernels.empty())
        return {};
    const std::vector<std::string> names = kernelClassNames();
    std::vector<std::string> groups = names;
    const std::vector<std::string> before = prefixes(names);
    groups.insert(groups.end(), before.begin(), before.end());
    const auto isIn = [](const std::vector<std::string>& list, const std::string& name) {
        return std::find(list.begin(), list.end(), name) != list.end();
    };
    Diagnostics errors;
    for (const auto& [name, distribution] : spread.classOverrides)
        if (!isIn(groups, name))
            errors.push_back(unknown("variability.class_overrides." + name, name, groups));
    for (const auto& [name, sensitivity] : spread.spatialSensitivity)
        if (!isIn(groups, name))
            errors.push_back(unknown("variability.spatial_sensitivity." + name, name, groups));
    for (std::size_t i = 0; i < scenario.measured.kernels.size(); ++i)
        if (const std::string& name = scenario.measured.kernels[i].kernelClass; !isIn(names, name))
            errors.push_back(unknown("measured.kernels[" + std::to_string(i) + "].kernel_class", name, names));
    return errors;
}

std::string kernelClassPage()
{
    std::string page = "# Kernel classes\n\nThese names are used in `variability.class_overrides`, `variability.spatial_sensitivity` and "
                       "`measured.kernels`\n(see the page on scenario files). In the first two, the part before a dot stands for all that "
                       "begin with it: `gemm`\nmeans every `gemm.…`. A name that is not listed is an error. This page is made by "
                       "`prism-cli help parameters --classes`.\n\n| class | counted as |\n| --- | --- |\n";
    for (int id = 0; id < kKernelIds; ++id) {
        const auto kernel = static_cast<KernelId>(id);
        page += "| `" + std::string(kernelName(kernel)) + "` | " + categoryText(kernelCategory(kernel)) + " |\n";
    }
    return page + "\nGroups: `" + joined(prefixes(kernelClassNames()), "`, `") + "`.\n";
}

} // namespace prism
