// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measured/sources.h"

#include "core/base/jsontext.h"
#include "core/scenario/presets.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace prism {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxEntries = 1000;

std::string word(const Json& object, const char* key)
{
    const auto it = object.is_object() ? object.find(key) : object.end();
    return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

/// Calls `use` for every object of the list `key`.
template <class Use>
void eachOf(const Json& document, const char* key, Use use)
{
    const auto list = document.find(key);
    if (list == document.end() || !list->is_array())
        return;
    for (std::size_t i = 0; i < std::min(list->size(), kMaxEntries); ++i)
        use((*list)[i]);
}

MeasurementSources read(const Json& document)
{
    MeasurementSources sources;
    if (!document.is_object())
        return sources;
    eachOf(document, "collectives", [&](const Json& item) {
        sources.collectives.push_back({word(item, "file"), word(item, "format"), word(item, "gpu"), word(item, "fabric"),
                                       word(item, "not_read"), word(item, "between_nodes") == "shape_only"});
    });
    eachOf(document, "systems", [&](const Json& item) {
        sources.systems.push_back({word(item, "name"), word(item, "gpu"), word(item, "fabric")});
    });
    if (const auto products = document.find("products"); products != document.end() && products->is_object()) {
        eachOf(*products, "systems", [&](const Json& name) {
            if (name.is_string())
                sources.productSystems.push_back(name.get<std::string>());
        });
        const Json collectors = products->value("collectors", Json::object());
        sources.collector16 = word(collectors, "16");
        sources.collector8 = word(collectors, "8");
        sources.collector4 = word(collectors, "4");
    }
    if (const auto peers = document.find("peers"); peers != document.end() && peers->is_object())
        for (const auto& [suite, figure] : peers->items())
            if (figure.is_string() && sources.peers.size() < kMaxEntries)
                sources.peers.emplace_back(suite, figure.get<std::string>());
    return sources;
}

} // namespace

const CollectiveSource* MeasurementSources::collectivesOf(std::string_view file) const
{
    const auto it = std::find_if(collectives.begin(), collectives.end(),
                                 [&](const CollectiveSource& s) { return !s.file.empty() && file.starts_with(s.file); });
    return it != collectives.end() ? &*it : nullptr;
}

const MeasuredSystem* MeasurementSources::systemOf(std::string_view name) const
{
    const std::string_view first = name.substr(0, name.find('_'));
    const auto it = std::find_if(systems.begin(), systems.end(), [&](const MeasuredSystem& s) { return s.name == first; });
    return it != systems.end() ? &*it : nullptr;
}

bool MeasurementSources::timesProducts(std::string_view system) const
{
    return systemOf(system) != nullptr && std::find(productSystems.begin(), productSystems.end(), system) != productSystems.end();
}

std::string MeasurementSources::peerOf(std::string_view suite) const
{
    const auto it = std::find_if(peers.begin(), peers.end(), [&](const auto& p) { return p.first == suite; });
    return it != peers.end() ? it->second : std::string();
}

const MeasurementSources& measurementSources()
{
    static const MeasurementSources kSources = [] {
        const Result<std::string> text = presetText("calibration", "sources");
        const Result<Json> document = text ? parseJson(*text) : Result<Json>(text.errors());
        return document ? read(*document) : MeasurementSources{};
    }();
    return kSources;
}

} // namespace prism
