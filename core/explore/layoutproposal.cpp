// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explore/layoutproposal.h"

#include "core/cost/predictor.h"
#include "core/explore/quickpass.h"
#include "core/scenario/layoutfix.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>

namespace prism {
namespace {

/// Of the memory that stays free: predicted and published peaks differ by up to 4.3 % (resources/help/validation.md, memory).
constexpr double kFreeShare = 0.05;
constexpr std::size_t kAlternatives = 4;
constexpr int kMendTries = 12;

using Values = std::vector<std::pair<std::string, std::string>>;

/// Sizes and switches that every framework has: rarer schedules and ZeRO stages are for a search to try.
SearchSpace usualSpace(const Scenario& scenario)
{
    SearchSpace space = defaultSpace(scenario);
    std::erase_if(space.axes, [](const SearchAxis& axis) { return axis.ids.front() == "parallelism.zero_stage"; });
    for (SearchAxis& axis : space.axes) {
        const auto schedule = std::find(axis.ids.begin(), axis.ids.end(), "parallelism.pipeline_schedule");
        if (schedule == axis.ids.end())
            continue;
        const auto at = static_cast<std::size_t>(schedule - axis.ids.begin());
        std::erase_if(axis.values, [at](const auto& choice) { return choice[at] != "1f1b" && choice[at] != "interleaved"; });
    }
    return space;
}

/// Every configuration of the space, costed without noise.
struct Pass {
    ExploreQuery query;
    std::vector<QuickPoint> fitting; ///< fastest first
    std::vector<ReasonCount> reasons;
    std::vector<std::int64_t> tooLarge; ///< that nothing but their memory speaks against
    std::int64_t points = 0;
};

void add(Pass& pass, QuickPart& part)
{
    pass.points += part.points;
    pass.fitting.insert(pass.fitting.end(), part.fitting.begin(), part.fitting.end());
    addReasons(pass.reasons, part.reasons);
    for (const RejectedPoint& r : part.rejected)
        if (r.reasons.size() == 1 && r.reasons.front() == kDoesNotFit)
            pass.tooLarge.push_back(r.index);
}

Pass passOver(const PointMaker& maker, const ExploreQuery& query, const InsightOptions& options)
{
    Pass pass;
    pass.query = query;
    const SearchPoints points(query, options.seed);
    const std::int64_t count = (points.size() + kPointsPerPart - 1) / kPointsPerPart;
    std::vector<QuickPart> parts(static_cast<std::size_t>(count));
    tbb::enumerable_thread_specific<QuickCoster> costers;
    tbb::task_arena arena(options.threads > 0 ? options.threads : tbb::task_arena::automatic);
    arena.execute([&] {
        tbb::parallel_for(std::int64_t{0}, count, [&](std::int64_t i) {
            if (!options.stop.stop_requested())
                parts[static_cast<std::size_t>(i)] = quickPart({query, points, maker}, costers.local(), i);
        });
    });
    for (QuickPart& part : parts)
        add(pass, part);
    std::erase_if(pass.fitting, [](const QuickPoint& p) { return p.bound; });
    std::sort(pass.fitting.begin(), pass.fitting.end(), [](const QuickPoint& a, const QuickPoint& b) {
        return a.noiseFreeSeconds != b.noiseFreeSeconds ? a.noiseFreeSeconds < b.noiseFreeSeconds : a.index < b.index;
    });
    return pass;
}

std::string valueIn(const Values& values, const std::string& id)
{
    for (const auto& [key, value] : values)
        if (key == id)
            return value;
    return {};
}

/// Whether two configurations differ in this parameter and in none but those that go with it.
bool differOnlyIn(const std::string& id, const Values& a, const Values& b)
{
    const bool depth = id == "parallelism.pipeline_model_parallel_size";
    const bool chunks = id == "parallelism.virtual_pipeline_model_parallel_size";
    for (std::size_t i = 0; i < a.size(); ++i) {
        const std::string& key = a[i].first;
        const bool goesWith = ((depth || chunks) && key == "parallelism.pipeline_schedule")
                              || (depth && key == "parallelism.virtual_pipeline_model_parallel_size");
        if (key == id ? a[i].second == b[i].second : !goesWith && a[i].second != b[i].second)
            return false;
    }
    return true;
}

double peakOver(const Scenario& scenario, double& capacity)
{
    const Result<CostedStep> step = costStep(scenario);
    if (!step.ok())
        return 0;
    capacity = step->memory.capacityGib;
    return step->memory.peakGib;
}

/// Makes the proposal of a pass that found something.
class LayoutProposer final {
public:
    LayoutProposer(const PointMaker& maker, const Pass& pass) : m_maker(maker), m_pass(pass) {}

    [[nodiscard]] LayoutProposal proposal() const
    {
        LayoutProposal p;
        const QuickPoint& best = bestPoint(p.freeShare);
        p.best = optionOf(best);
        p.fitting = static_cast<std::int64_t>(m_pass.fitting.size());
        for (const auto& [id, value] : valuesOf(m_pass.query.space, best.index))
            if (std::optional<LayoutReason> reason = reasonOf(best, id, value))
                p.reasons.push_back(std::move(*reason));
        p.alternatives = alternatives(best);
        return p;
    }

private:
    [[nodiscard]] LayoutOption optionOf(const QuickPoint& point) const
    {
        return {m_maker.at(point.index), point.noiseFreeSeconds, point.peakGib, point.capacityGib};
    }
    [[nodiscard]] const QuickPoint& bestPoint(double& freeShare) const
    {
        for (const QuickPoint& p : m_pass.fitting)
            if (p.peakGib <= (1 - kFreeShare) * p.capacityGib) {
                freeShare = kFreeShare;
                return p;
            }
        return m_pass.fitting.front();
    }
    [[nodiscard]] std::optional<LayoutReason> reasonOf(const QuickPoint& best, const std::string& id, const std::string& value) const;
    [[nodiscard]] std::vector<LayoutOption> alternatives(const QuickPoint& best) const;

    const PointMaker& m_maker;
    const Pass& m_pass;
};

std::optional<LayoutReason> LayoutProposer::reasonOf(const QuickPoint& best, const std::string& id, const std::string& value) const
{
    if (id == "parallelism.pipeline_schedule")
        return std::nullopt; // reported with the chunks
    const Values own = valuesOf(m_pass.query.space, best.index);
    LayoutReason reason{id, value, {}, 0, 0};
    for (const QuickPoint& p : m_pass.fitting)
        if (const Values other = valuesOf(m_pass.query.space, p.index); differOnlyIn(id, own, other)) {
            reason.other = valueIn(other, id);
            reason.slower = p.noiseFreeSeconds / best.noiseFreeSeconds - 1;
            return reason;
        }
    for (const std::int64_t index : m_pass.tooLarge)
        if (const Values other = valuesOf(m_pass.query.space, index); differOnlyIn(id, own, other)) {
            double capacity = 0;
            const double peak = peakOver(m_maker.at(index), capacity);
            if (peak > capacity && (reason.other.empty() || peak - capacity < reason.overGib)) {
                reason.other = valueIn(other, id);
                reason.overGib = peak - capacity;
            }
        }
    return reason;
}

std::vector<LayoutOption> LayoutProposer::alternatives(const QuickPoint& best) const
{
    const auto sizes = [this](std::int64_t index) {
        const ParallelismConfig p = m_maker.at(index).parallelism;
        return std::vector<int>{p.tensorModelParallelSize, p.pipelineModelParallelSize, p.virtualPipelineModelParallelSize,
                                p.contextParallelSize, p.expertModelParallelSize};
    };
    std::vector<std::vector<int>> seen{sizes(best.index)};
    std::vector<LayoutOption> others;
    const auto isNew = [&](std::int64_t index) {
        std::vector<int> own = sizes(index);
        if (std::find(seen.begin(), seen.end(), own) != seen.end())
            return false;
        seen.push_back(std::move(own));
        return true;
    };
    for (const QuickPoint& p : m_pass.fitting)
        if (others.size() < kAlternatives && isNew(p.index))
            others.push_back(optionOf(p));
    const Values own = valuesOf(m_pass.query.space, best.index);
    for (const std::int64_t index : m_pass.tooLarge)
        if (differOnlyIn("parallelism.tensor_model_parallel_size", own, valuesOf(m_pass.query.space, index)) && isNew(index)) {
            LayoutOption large{m_maker.at(index), 0, 0, 0};
            large.peakGib = peakOver(large.scenario, large.capacityGib);
            others.push_back(std::move(large));
            break;
        }
    return others;
}

/// The scenario's own layout with as few changes as make it fit; the space has none that is valid (such as 61 layers, which nothing
/// divides).
std::optional<LayoutProposal> repairedLayout(const Scenario& scenario)
{
    LayoutProposal p;
    const auto fits = [&p](const Scenario& s) {
        const Result<CostedStep> step = costStep(s);
        if (!step.ok() || !step->memory.fits)
            return false;
        p.best = {s, step->noiseFreeSeconds, step->memory.peakGib, step->memory.capacityGib};
        return true;
    };
    if (!layoutFix(scenario, fits, kMendTries))
        return std::nullopt;
    p.repaired = true;
    return p;
}

Diagnostics nothingToPropose(const Pass& pass)
{
    Diagnostics errors{{Severity::error, "cluster.num_gpus", "No layout of this model on these GPUs fits into memory.",
                        std::to_string(pass.points) + " layouts", "more GPUs, GPUs with more memory, or a smaller model", "", ""}};
    std::vector<ReasonCount> reasons = pass.reasons;
    std::stable_sort(reasons.begin(), reasons.end(), [](const ReasonCount& a, const ReasonCount& b) { return a.count > b.count; });
    constexpr std::size_t kReported = 4;
    for (std::size_t i = 0; i < std::min(kReported, reasons.size()); ++i)
        errors.push_back(
            {Severity::error, "cluster.num_gpus", reasons[i].reason, std::to_string(reasons[i].count) + " layouts", "", "", ""});
    return errors;
}

} // namespace

Result<LayoutProposal> proposedLayout(const Scenario& scenario, const InsightOptions& options)
{
    const auto begin = std::chrono::steady_clock::now();
    ExploreQuery query;
    query.space = usualSpace(scenario);
    query.listRejected = true;
    if (Diagnostics errors = check(query); hasErrors(errors))
        return errors;
    const Result<PointMaker> maker = PointMaker::make(query.space, scenario);
    if (!maker.ok())
        return maker.errors();
    const Pass pass = passOver(*maker, query, options);
    if (options.stop.stop_requested())
        return cancelled();
    std::optional<LayoutProposal> proposal;
    if (pass.fitting.empty())
        proposal = repairedLayout(scenario);
    else
        proposal = LayoutProposer(*maker, pass).proposal();
    if (!proposal)
        return nothingToPropose(pass);
    proposal->points = pass.points;
    proposal->elapsedSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return std::move(*proposal);
}

} // namespace prism
