// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explore/space.h"

#include "core/base/diagnostictext.h"
#include "core/base/text.h"
#include "core/scenario/parameternames.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace prism {
namespace {

/// "1..8" as powers of two from the first end on; empty when it is not a range.
std::vector<std::string> doubled(const std::string& text)
{
    const std::size_t dots = text.find("..");
    std::int64_t low = 0, high = 0;
    if (dots == std::string::npos || std::from_chars(text.data(), text.data() + dots, low).ptr != text.data() + dots
        || std::from_chars(text.data() + dots + 2, text.data() + text.size(), high).ptr != text.data() + text.size() || low < 1
        || high < low)
        return {};
    std::vector<std::string> values;
    for (std::int64_t v = low; v <= high && v <= std::numeric_limits<std::int64_t>::max() / 2; v *= 2)
        values.push_back(std::to_string(v));
    return values;
}

SearchAxis doublings(const char* id, std::int64_t largest)
{
    SearchAxis axis{{id}, {}};
    for (std::int64_t v = 1; v <= largest; v *= 2)
        axis.values.push_back({std::to_string(v)});
    return axis;
}

/// Pipeline depth with the schedules and numbers of chunks that go with it.
SearchAxis pipelineAxis(const Scenario& s)
{
    SearchAxis axis{
        {"parallelism.pipeline_model_parallel_size", "parallelism.pipeline_schedule", "parallelism.virtual_pipeline_model_parallel_size"},
        {}};
    axis.values.push_back({"1", "1f1b", "1"});
    for (std::int64_t pp = 2; pp <= std::min<std::int64_t>(64, s.model.numLayers); pp *= 2) {
        const std::string depth = std::to_string(pp);
        for (const char* schedule : {"1f1b", "zb-h1", "zb-h2"})
            axis.values.push_back({depth, schedule, "1"});
        axis.values.push_back({depth, "zb-v", "2"});
        if (s.model.numExperts > 0) // made to hide the traffic of experts
            axis.values.push_back({depth, "dualpipev", "2"});
        for (std::int64_t vpp = 2; vpp * pp <= s.model.numLayers && vpp <= 8; vpp *= 2)
            axis.values.push_back({depth, "interleaved", std::to_string(vpp)});
    }
    return axis;
}

} // namespace

std::int64_t SearchSpace::size() const
{
    constexpr std::int64_t kMax = std::int64_t{1} << 62;
    std::int64_t product = axes.empty() ? 0 : 1;
    for (const SearchAxis& axis : axes) {
        const auto n = static_cast<std::int64_t>(axis.values.size());
        if (n > 0 && product > kMax / n)
            return kMax;
        product *= n;
    }
    return product;
}

Result<SearchAxis> searchAxis(const std::string& text)
{
    const std::size_t equals = std::min(text.find('='), text.size());
    const Parameter* p = parameterByName(text.substr(0, equals));
    if (p == nullptr && equals != text.size())
        return unknownParameter(text.substr(0, equals));
    if (equals == text.size())
        return errorAt("axis", "A search axis needs a parameter and its values.", text.substr(0, 80),
                       "NAME=VALUES, such as tp=1,2,4 or micro_batch_size=1..8");
    const std::string values = text.substr(equals + 1);
    SearchAxis axis{{p->id}, {}};
    for (const std::string& v : doubled(values))
        axis.values.push_back({v});
    if (axis.values.empty())
        for (std::size_t start = 0; start <= values.size();) {
            const std::size_t end = std::min(values.find(',', start), values.size());
            axis.values.push_back({std::string(trimmed(std::string_view(values).substr(start, end - start)))});
            start = end + 1;
        }
    if (axis.values.size() > kMaxAxisValues)
        return errorAt(p->id, "The axis has too many values.", std::to_string(axis.values.size()),
                       "at most " + std::to_string(kMaxAxisValues));
    Diagnostics errors;
    for (const auto& v : axis.values)
        for (const Diagnostic& d : setParameter(Scenario{}, p->id, v.front()).errors())
            errors.push_back(d);
    if (!errors.empty())
        return errors;
    return axis;
}

SearchSpace defaultSpace(const Scenario& s)
{
    SearchSpace space;
    const std::int64_t gpus = s.cluster.numGpus;
    space.axes.push_back(
        doublings("parallelism.tensor_model_parallel_size", std::min<std::int64_t>(s.cluster.gpusPerNode, s.model.numAttentionHeads)));
    space.axes.push_back(pipelineAxis(s));
    if (s.model.seqLength >= 16'384)
        space.axes.push_back(doublings("parallelism.context_parallel_size", std::min<std::int64_t>(16, gpus)));
    if (s.model.numExperts > 0)
        space.axes.push_back(doublings("parallelism.expert_model_parallel_size", std::min(s.model.numExperts, gpus)));
    space.axes.push_back({{"parallelism.zero_stage"}, {{"1"}, {"2"}, {"3"}}});
    space.axes.push_back(doublings("training.micro_batch_size", std::min<std::int64_t>(8, s.training.globalBatchSize)));
    space.axes.push_back({{"training.recompute_granularity"}, {{"none"}, {"selective"}, {"full"}}});
    return space;
}

Result<PointMaker> PointMaker::make(const SearchSpace& space, const Scenario& base)
{
    PointMaker maker;
    maker.m_base = base;
    Diagnostics errors;
    for (const SearchAxis& axis : space.axes) {
        std::vector<Choice>& choices = maker.m_axes.emplace_back();
        for (const std::vector<std::string>& values : axis.values) {
            Choice& choice = choices.emplace_back();
            for (std::size_t i = 0; i < axis.ids.size(); ++i) {
                const Result<Scenario> changed = setParameter(base, axis.ids[i], values[i]);
                for (const Diagnostic& d : changed.errors())
                    errors.push_back(d);
                if (!changed.ok())
                    continue;
                const Parameter* p = parameterByName(trimmed(axis.ids[i])); // as setParameter knows it
                const bool isPreset = p->id.ends_with(".preset") || p->id == "cluster.fabric";
                choice.push_back({p, p->get(*changed), isPreset ? values[i] : std::string()});
            }
        }
    }
    if (!errors.empty())
        return errors;
    return maker;
}

void PointMaker::apply(const Setting& setting, Scenario& point)
{
    if (setting.text.empty())
        setting.parameter->set(point, setting.value);
    else if (Result<Scenario> changed = setParameter(point, setting.parameter->id, setting.text); changed.ok())
        point = std::move(changed).value();
}

Scenario PointMaker::at(std::int64_t index) const
{
    Scenario point = m_base;
    for (const std::vector<Choice>& axis : m_axes) {
        const auto n = static_cast<std::int64_t>(axis.size());
        for (const Setting& setting : axis[static_cast<std::size_t>(index % n)])
            apply(setting, point);
        index /= n;
    }
    return point;
}

std::vector<std::pair<std::string, std::string>> valuesOf(const SearchSpace& space, std::int64_t index)
{
    std::vector<std::pair<std::string, std::string>> values;
    for (const SearchAxis& axis : space.axes) {
        const auto n = static_cast<std::int64_t>(axis.values.size());
        const std::vector<std::string>& choice = axis.values[static_cast<std::size_t>(index % n)];
        index /= n;
        for (std::size_t i = 0; i < axis.ids.size(); ++i)
            values.emplace_back(axis.ids[i], choice[i]);
    }
    return values;
}

} // namespace prism
