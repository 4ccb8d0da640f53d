// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/classnames.h"

#include "core/base/text.h"
#include "core/cost/classes.h"

#include <algorithm>
#include <set>

namespace prism {
namespace {

std::string_view categoryText(Category category)
{
    switch (category) {
    case Category::compute:
        return "compute";
    case Category::tensorParallel:
        return "tensor parallel";
    case Category::contextParallel:
        return "context parallel";
    case Category::expertParallel:
        return "expert parallel";
    case Category::pipeline:
        return "pipeline";
    case Category::dataParallel:
        return "data parallel";
    case Category::optimizer:
        return "optimizer";
    default:
        return "other";
    }
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
        page += "| `" + std::string(kernelName(kernel)) + "` | " + std::string(categoryText(kernelCategory(kernel))) + " |\n";
    }
    return page + "\nGroups: `" + joined(prefixes(kernelClassNames()), "`, `") + "`.\n";
}

} // namespace prism
