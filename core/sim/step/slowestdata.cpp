// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/step/slowestdata.h"

#include "core/sim/chunk/groupcell.h"

#include <algorithm>

namespace prism {

ClassModelPtr slowestData(const StepGraph& graph, const std::vector<const ChunkModel*>& models, Recall& recall)
{
    const ClassModelPtr all = dataFactorOf(graph, recall);
    const std::vector<double> values = rareDataValues(graph, *all);
    std::vector<double> added(values.size(), 0.0);
    double perUnit = 0.0;
    for (const ChunkModel* model : models) {
        for (std::size_t i = 0; i < std::min(added.size(), model->rareDataSeconds.size()); ++i)
            added[i] += model->rareDataSeconds[i];
        perUnit += model->dataSeconds.empty() ? 0.0 : model->dataSeconds[0];
    }
    if (values.empty() || !(perUnit > 0.0))
        return all;
    auto out = std::make_shared<ClassModel>(*all);
    const double mean = plainDataFactorOf(graph, recall)->mean;
    Hasher h;
    h.add("factor of the slowest group by its seconds").add(all->hash).add(perUnit);
    for (double& a : added)
        h.add(a = mean + a / perUnit);
    for (float& x : out->rare.extra) {
        const auto above = std::lower_bound(values.begin(), values.end(), static_cast<double>(x));
        const std::size_t i = std::min(static_cast<std::size_t>(above - values.begin()), values.size() - 1);
        const double part = i == 0 ? 1.0 : (x - values[i - 1]) / (values[i] - values[i - 1]);
        x = static_cast<float>(i == 0 ? added[0] : added[i - 1] + part * (added[i] - added[i - 1]));
    }
    out->hash = h.result();
    return out;
}

} // namespace prism
