// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measured/sources.h"

#include "core/base/diagnostictext.h"
#include "core/base/jsontext.h"
#include "core/scenario/objectreader.h"
#include "core/scenario/presetlibrary.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace prism {
namespace {

/// The words of the file, in the order of CollectiveFormat.
const std::vector<std::string>& formatWords()
{
    static const std::vector<std::string> kWords = {"bus_table", "nccl_tests", "nanoseconds", "elements", "trace_summary"};
    return kWords;
}

/// Calls `use` with every item of a list and its place.
template <class Use>
void eachOf(const nlohmann::json* list, const std::string& path, Diagnostics& errors, Use use)
{
    if (list == nullptr || !list->is_array()) {
        errors.push_back(list == nullptr ? errorAt(path, "this list is missing", "", "a list") : invalidType(path, "a list", *list));
        return;
    }
    for (std::size_t i = 0; i < list->size(); ++i)
        use((*list)[i], path + "[" + std::to_string(i) + "]");
}

CollectiveSource collectiveSource(const nlohmann::json& item, const std::string& path, Diagnostics& errors)
{
    CollectiveSource source;
    std::string format;
    ObjectReader reader(item, path, errors);
    reader.text("file", source.file);
    reader.text("gpu", source.gpu);
    reader.text("fabric", source.fabric);
    reader.text("not_read", source.notRead);
    reader.word("format", format, formatWords());
    reader.boolean("shape_only_between_nodes", source.shapeOnlyBetweenNodes);
    reader.ignore("source");
    reader.finish();
    const auto known = std::find(formatWords().begin(), formatWords().end(), format);
    if (source.file.empty() || (known == formatWords().end() && source.notRead.empty()))
        errors.push_back(errorAt(path, "a source needs the beginning of its files' names and a format, or why it is not read", source.file,
                                 "file with format or not_read"));
    else if (known != formatWords().end())
        source.format = static_cast<CollectiveFormat>(known - formatWords().begin());
    return source;
}

MeasuredSystem measuredSystem(const nlohmann::json& item, const std::string& path, Diagnostics& errors)
{
    MeasuredSystem system;
    ObjectReader reader(item, path, errors);
    reader.text("name", system.name);
    reader.text("family", system.family);
    reader.text("gpu", system.gpu);
    reader.text("fabric", system.fabric);
    reader.finish();
    if (system.name.empty() || system.family.empty() || system.gpu.empty() || system.fabric.empty())
        errors.push_back(errorAt(path, "a system needs a name, a family and the presets of its GPU and fabric", system.name,
                                 "name, family, gpu and fabric"));
    return system;
}

std::vector<std::string> names(const nlohmann::json* list, const std::string& path, Diagnostics& errors)
{
    std::vector<std::string> found;
    eachOf(list, path, errors, [&](const nlohmann::json& item, const std::string& place) {
        if (item.is_string())
            found.push_back(item.get<std::string>());
        else
            errors.push_back(invalidType(place, "text", item));
    });
    return found;
}

ProductSources productSources(const nlohmann::json& object, Diagnostics& errors)
{
    ProductSources products;
    ObjectReader reader(object, "products", errors);
    products.systems = names(reader.value("systems"), "products.systems", errors);
    products.sustainedSystems = names(reader.value("sustained_systems"), "products.sustained_systems", errors);
    reader.text("collector_16_bit", products.collector16);
    reader.text("collector_8_bit", products.collector8);
    reader.text("collector_4_bit", products.collector4);
    reader.ignore("source");
    reader.finish();
    return products;
}

} // namespace

const CollectiveSource* MeasurementSources::collectivesOf(std::string_view file) const
{
    const auto it =
        std::find_if(collectives.begin(), collectives.end(), [&](const CollectiveSource& s) { return file.starts_with(s.file); });
    return it != collectives.end() ? &*it : nullptr;
}

const MeasuredSystem* MeasurementSources::systemOf(std::string_view name) const
{
    const std::string type = systemType(name);
    const auto it = std::find_if(systems.begin(), systems.end(), [&](const MeasuredSystem& s) { return s.name == type; });
    return it != systems.end() ? &*it : nullptr;
}

std::string systemType(std::string_view name)
{
    return std::string(name.substr(0, name.find('_')));
}

Result<MeasurementSources> measurementSourcesFromJson(std::string_view text)
{
    const Result<nlohmann::json> document = parseJson(text);
    if (!document)
        return document.errors();
    MeasurementSources sources;
    Diagnostics errors;
    ObjectReader reader(*document, "", errors);
    reader.ignore("title");
    eachOf(reader.value("collectives"), "collectives", errors, [&](const nlohmann::json& item, const std::string& path) {
        sources.collectives.push_back(collectiveSource(item, path, errors));
    });
    eachOf(reader.value("systems"), "systems", errors,
           [&](const nlohmann::json& item, const std::string& path) { sources.systems.push_back(measuredSystem(item, path, errors)); });
    const nlohmann::json* products = reader.value("products");
    sources.products = productSources(products != nullptr ? *products : nlohmann::json(), errors);
    reader.finish();
    if (!errors.empty())
        return errors;
    return sources;
}

const Result<MeasurementSources>& measurementSources()
{
    static const Result<MeasurementSources> kSources = [] {
        const Result<std::string> text = presetText("calibration", "sources");
        return text ? measurementSourcesFromJson(*text) : Result<MeasurementSources>(text.errors());
    }();
    return kSources;
}

} // namespace prism
