// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/sweep/stepsweeper.h"

#include "core/base/index.h"
#include <Eigen/Dense>

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace prism {

namespace {

/// Units that a pool of noise is made from, and the fewest units of a pattern in all steps for which that is worth it.
constexpr std::size_t kPoolUnits = 1024, kWorthAPool = 4 * kPoolUnits;
constexpr std::size_t kFewUnits = 8;
/// Standard deviations of what noise adds within which a unit may still become the slowest.
constexpr double kMargin = 3.5;
/// With more units than this share within the margin, all are swept.
constexpr double kTooMany = 1.0 / 3.0;
/// Values of an outline that differ by less, relatively, count as one.
constexpr double kEqual = 1e-5;
/// Rare kernel events of a unit and step up to this mean number are swept where they happen.
constexpr double kSeparateUpTo = 0.1;
/// Values kept of the units of a window of steps.
constexpr std::size_t kWindowValues = std::size_t{1} << 18;
/// Share by which a pass is lengthened to find the effect on the step: far above the rounding of single precision.
constexpr double kProbe = 0.01;
constexpr std::uint64_t kJobStream = 0x6a6f62, kStepStream = 0x73746570, kPoolStream = 0x706f6f6c;

/// Whether only few of `units` units are within a margin of the slowest one, judged by a sample of their ends.
bool fewCompete(std::vector<double> ends, double margin, std::size_t units)
{
    std::sort(ends.begin(), ends.end());
    const double share = 1.0 - 0.7 / static_cast<double>(std::min(units, ends.size()));
    const double slowest = ends[static_cast<std::size_t>(share * static_cast<double>(ends.size() - 1))];
    const auto within = ends.end() - std::lower_bound(ends.begin(), ends.end(), slowest - margin);
    return static_cast<double>(within) < kTooMany * static_cast<double>(ends.size());
}

} // namespace

SweptSeries::Common SweptSeries::common(std::size_t step) const
{
    const std::size_t number = first + step;
    const std::uint64_t job = jobs.empty() ? number : jobs[number % jobs.size()];
    return {step, commonSeed(seed, kJobStream, job), commonSeed(seed, kStepStream + static_cast<std::uint64_t>(run), number)};
}

LaneSeed SweptSeries::stepSeed(std::size_t step) const
{
    return laneSeed(seed, kStepStream + static_cast<std::uint64_t>(run), first + step, ~std::uint64_t{0});
}

StepSweeper::StepSweeper(const SweepModel& model, const RegimeTable& regimes, SweptSeries series, std::stop_token stop)
    : m_model(model),
      m_regimes(regimes),
      m_series(std::move(series)),
      m_stop(std::move(stop)),
      m_finish(model),
      m_stages(index(model.graph.schedule.numStages)),
      m_placesOfPattern(model.job.patterns.size()),
      m_pools(model.job.patterns.size())
{
    for (int u = 0; u < model.job.units; ++u) {
        std::vector<std::size_t>& places = m_placesOfPattern[index(model.job.patternOf[index(u)])];
        if (!places.empty() && !model.unitsVary)
            continue;
        places.push_back(m_units.size());
        m_units.push_back(u);
    }
    m_after = m_finish.meanAfter();
}

std::vector<SweptLane> StepSweeper::lanesOf(const std::vector<Place>& places, std::size_t first, std::size_t last) const
{
    std::vector<SweptLane> out(last - first);
    SweptSeries::Common common = m_series.common(places[first].step);
    for (std::size_t i = first; i < last; ++i) {
        if (places[i].step != common.step)
            common = m_series.common(places[i].step);
        out[i - first] = common.lane(m_units[places[i].unit]);
    }
    return out;
}

template <class Work>
void StepSweeper::inBlocks(std::size_t lanes, const Work& work)
{
    tbb::enumerable_thread_specific<BlockSweep> sweeps([&] { return BlockSweep(m_model, m_regimes); });
    tbb::parallel_for(std::size_t{0}, (lanes + kLanes - 1) / kLanes, [&](std::size_t block) {
        if (!m_stop.stop_requested())
            work(sweeps.local(), block * kLanes, std::min(lanes, (block + 1) * kLanes));
    });
}

double StepSweeper::ownEnd(const float* ends) const
{
    float latest = 0.0F;
    for (std::size_t s = 0; s < m_stages; ++s)
        latest = std::max(latest, ends[s] + m_after[s]);
    return static_cast<double>(latest);
}

StepSweeper::Outline StepSweeper::outlineOf(const BlockSweep& sweep, std::size_t lane, const RegimeFactors& regimes) const
{
    Outline out{1.0, 0.0, 0.0, regimes.intra, regimes.inter, 0.0, 0.0, 0.0};
    for (std::size_t s = 0; s < m_stages; ++s) {
        const float busy = sweep.busy().row(s)[lane];
        out[1] = std::max(out[1], static_cast<double>(busy + m_after[s]));
        out[2] += static_cast<double>(busy) / static_cast<double>(m_stages);
    }
    const Rows& microbatches = sweep.busyOfMicrobatch();
    for (std::size_t mb = 0; mb < microbatches.rows(); ++mb)
        out[5] = std::max(out[5], static_cast<double>(microbatches.row(mb)[lane]));
    if (microbatches.rows() > 0) {
        out[6] = static_cast<double>(microbatches.row(0)[lane]);
        out[7] = static_cast<double>(microbatches.row(microbatches.rows() - 1)[lane]);
    }
    return out;
}

void StepSweeper::makePool(int pattern, std::size_t count)
{
    const std::vector<std::size_t>& units = m_placesOfPattern[index(pattern)];
    NoisePool& pool = m_pools[index(pattern)];
    if (units.size() < kFewUnits || units.size() * count < kWorthAPool)
        return;
    std::vector<float> plain(kPoolUnits * m_stages), noisy(plain.size());
    std::vector<std::uint8_t> rare(kPoolUnits, 0);
    std::vector<Outline> outlines(kPoolUnits);
    const double hazard = BlockSweep(m_model, m_regimes).rareHazard(pattern);
    pool.rareSeparate = hazard > 0.0 && hazard <= kSeparateUpTo;
    inBlocks(kPoolUnits, [&](BlockSweep& sweep, std::size_t first, std::size_t last) {
        std::vector<SweptLane> lanes;
        for (std::size_t i = first; i < last; ++i) {
            SweptLane lane = m_series.lane(mix64(i) % count, m_units[units[mix64(i + kPoolUnits) % units.size()]]);
            if (m_series.jobs.empty())
                lane.job = laneSeed(m_series.seed, kPoolStream, i, 0);
            lane.step = laneSeed(m_series.seed, kPoolStream + static_cast<std::uint64_t>(m_series.run), i, 1);
            lanes.push_back(lane);
            rare[i] = pool.rareSeparate && sweep.hasRareEvent(pattern, lane) ? 1 : 0;
        }
        sweep.outline(pattern, lanes);
        for (std::size_t i = first; i < last; ++i)
            outlines[i] = outlineOf(sweep, i - first, m_regimes.step(lanes[i - first].regimes));
        for (const Noise noise : {Noise::noiseFree, Noise::all}) {
            sweep.run(pattern, lanes, noise);
            for (std::size_t i = first; i < last; ++i)
                for (std::size_t s = 0; s < m_stages; ++s)
                    (noise == Noise::all ? noisy : plain)[i * m_stages + s] = sweep.ends().row(s)[i - first];
        }
    });
    m_nodeSamples += 2 * kPoolUnits * m_model.plan->nodeCount();
    double mean = 0.0, square = 0.0, many = 0.0;
    for (std::size_t i = 0; i < kPoolUnits; ++i) {
        if (rare[i] != 0)
            continue;
        const double added = ownEnd(&noisy[i * m_stages]) - ownEnd(&plain[i * m_stages]);
        mean += added;
        square += added * added;
        many += 1.0;
        for (std::size_t s = 0; s < m_stages; ++s)
            pool.added.push_back(noisy[i * m_stages + s] - plain[i * m_stages + s]);
    }
    if (many < 2.0)
        return;
    pool.mean = mean / many;
    pool.margin = kMargin * std::sqrt(std::max(0.0, square / many - pool.mean * pool.mean));
    std::vector<double> ends;
    for (std::size_t i = 0; i < kPoolUnits; ++i)
        ends.push_back(ownEnd(&plain[i * m_stages]));
    pool.screens = fewCompete(ends, pool.margin, units.size());
    if (pool.screens)
        fitPrediction(pool, outlines, ends, units.size());
}

void StepSweeper::fitPrediction(NoisePool& pool, const std::vector<Outline>& outlines, const std::vector<double>& ends,
                                std::size_t units) const
{
    using OutlineVector = Eigen::Matrix<double, static_cast<int>(std::tuple_size_v<Outline>), 1>;
    Eigen::MatrixXd known(outlines.size(), Outline().size());
    Eigen::VectorXd end(outlines.size());
    for (std::size_t i = 0; i < outlines.size(); ++i) {
        const auto row = static_cast<Eigen::Index>(i);
        known.row(row) = Eigen::Map<const OutlineVector>(outlines[i].data()).transpose();
        end(row) = ends[i];
    }
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> solver(known.rows(), known.cols());
    solver.setThreshold(kEqual); // some are the same but for rounding, as with one micro-batch
    const OutlineVector weight = solver.compute(known).solve(end);
    Eigen::Map<OutlineVector>(pool.weight.data()) = weight;
    const Eigen::VectorXd predicted = known * weight;
    const double missed = (end - predicted).squaredNorm() / static_cast<double>(outlines.size());
    pool.predictedMargin = std::sqrt(pool.margin * pool.margin + kMargin * kMargin * missed);
    pool.predicts = fewCompete({predicted.begin(), predicted.end()}, pool.predictedMargin, units);
}

void StepSweeper::sweepPlaces(int pattern, const std::vector<Place>& places, Noise noise, std::size_t first, bool keepOptimizer)
{
    m_nodeSamples += static_cast<std::uint64_t>(places.size()) * m_model.plan->nodeCount();
    inBlocks(places.size(), [&](BlockSweep& sweep, std::size_t begin, std::size_t end) {
        sweep.run(pattern, lanesOf(places, begin, end), noise);
        for (std::size_t i = begin; i < end; ++i) {
            const std::size_t at = (places[i].step - first) * m_units.size() + places[i].unit;
            m_swept[at] = noise == Noise::all ? Swept::all : Swept::noiseFree;
            for (std::size_t s = 0; s < m_stages; ++s) {
                m_ends[at * m_stages + s] = sweep.ends().row(s)[i - begin];
                if (keepOptimizer)
                    m_optimizer[at * m_stages + s] = sweep.optimizer().row(s)[i - begin];
            }
        }
    });
}

/// The units of a pattern that can be the slowest of it in their step, by prediction, or have a rare event. The optimizers of all are kept.
std::vector<StepSweeper::Place> StepSweeper::predictedSlowest(int pattern, const std::vector<Place>& places, std::size_t first)
{
    const NoisePool& pool = m_pools[index(pattern)];
    std::vector<float> end(places.size());
    std::vector<std::uint8_t> rare(places.size(), 0);
    inBlocks(places.size(), [&](BlockSweep& sweep, std::size_t begin, std::size_t last) {
        const std::vector<SweptLane> lanes = lanesOf(places, begin, last);
        for (std::size_t i = begin; i < last; ++i)
            rare[i] = pool.rareSeparate && sweep.hasRareEvent(pattern, lanes[i - begin]) ? 1 : 0;
        sweep.outline(pattern, lanes);
        for (std::size_t i = begin; i < last; ++i) {
            const Outline outline = outlineOf(sweep, i - begin, m_regimes.step(places[i].step));
            end[i] = static_cast<float>(std::inner_product(outline.begin(), outline.end(), pool.weight.begin(), 0.0));
            const std::size_t at = (places[i].step - first) * m_units.size() + places[i].unit;
            for (std::size_t s = 0; s < m_stages; ++s)
                m_optimizer[at * m_stages + s] = sweep.optimizer().row(s)[i - begin];
        }
    });
    std::vector<Place> out;
    const std::size_t inStep = m_placesOfPattern[index(pattern)].size();
    for (std::size_t begin = 0; begin < places.size(); begin += inStep) {
        const float slowest = *std::max_element(&end[begin], &end[begin] + inStep);
        for (std::size_t i = begin; i < begin + inStep; ++i)
            if (rare[i] != 0 || end[i] >= slowest - static_cast<float>(pool.predictedMargin))
                out.push_back(places[i]);
    }
    return out;
}

/// Per pattern: the units of screened patterns that can be the slowest of their step, or have a rare event.
std::vector<std::vector<StepSweeper::Place>> StepSweeper::placesToSweep(std::size_t first, std::size_t last) const
{
    std::vector<std::vector<Place>> out(m_pools.size());
    BlockSweep sweep(m_model, m_regimes);
    std::vector<double> end(m_units.size());
    for (std::size_t step = first; step < last; ++step) {
        const std::size_t row = (step - first) * m_units.size();
        double slowest = 0.0;
        for (std::size_t u = 0; u < m_units.size(); ++u) {
            if (m_swept[row + u] == Swept::no)
                continue;
            const NoisePool& pool = m_pools[index(m_model.job.patternOf[index(m_units[u])])];
            end[u] = ownEnd(&m_ends[(row + u) * m_stages]) + (pool.screens ? pool.mean : 0.0);
            slowest = std::max(slowest, end[u]);
        }
        for (std::size_t u = 0; u < m_units.size(); ++u) {
            const int pattern = m_model.job.patternOf[index(m_units[u])];
            const NoisePool& pool = m_pools[index(pattern)];
            if (m_swept[row + u] == Swept::noiseFree && pool.screens
                && (end[u] >= slowest - pool.margin || (pool.rareSeparate && sweep.hasRareEvent(pattern, m_series.lane(step, m_units[u])))))
                out[index(pattern)].push_back({step, u});
        }
    }
    return out;
}

void StepSweeper::sweepWindow(std::size_t first, std::size_t last, bool speedsOnly)
{
    const std::size_t units = (last - first) * m_units.size();
    m_ends.assign(units * m_stages, 0.0F);
    m_optimizer.assign(units * m_stages, 0.0F);
    m_swept.assign(units, Swept::no);
    for (std::size_t p = 0; p < m_pools.size(); ++p) {
        const auto pattern = static_cast<int>(p);
        const NoisePool& pool = m_pools[p];
        const Noise noise = speedsOnly ? Noise::speedsOnly : pool.screens ? Noise::noiseFree : Noise::all;
        std::vector<Place> places;
        for (std::size_t step = first; step < last; ++step)
            for (const std::size_t u : m_placesOfPattern[p])
                places.push_back({step, u});
        sweepPlaces(pattern, pool.predicts ? predictedSlowest(pattern, places, first) : places, noise, first, !pool.predicts);
    }
    if (m_stop.stop_requested())
        return;
    const auto places = placesToSweep(first, last);
    for (std::size_t p = 0; p < places.size(); ++p)
        sweepPlaces(static_cast<int>(p), places[p], Noise::all, first, false);
}

StageMaxima StepSweeper::maxima(std::size_t step, std::size_t first) const
{
    StageMaxima out(m_stages);
    for (std::size_t u = 0; u < m_units.size(); ++u) {
        const std::size_t at = (step - first) * m_units.size() + u;
        const NoisePool& pool = m_pools[index(m_model.job.patternOf[index(m_units[u])])];
        const float* added = nullptr;
        if (pool.screens && m_swept[at] == Swept::noiseFree) {
            const std::size_t i = mix64(m_series.seed ^ mix64(step * m_units.size() + u)) % (pool.added.size() / m_stages);
            added = &pool.added[i * m_stages];
        }
        for (std::size_t s = 0; s < m_stages; ++s)
            out.add(s, static_cast<double>(m_ends[at * m_stages + s] + (added != nullptr ? added[s] : 0.0F)),
                    static_cast<double>(m_optimizer[at * m_stages + s]));
    }
    return out;
}

SlowestUnits StepSweeper::slowestOf(std::size_t step, std::size_t first) const
{
    SlowestUnits out{StageMaxima(m_stages), std::vector<int>(m_stages, -1), std::vector<int>(m_stages, -1)};
    for (std::size_t u = 0; u < m_units.size(); ++u) {
        const std::size_t at = (step - first) * m_units.size() + u;
        for (std::size_t s = 0; s < m_stages; ++s) {
            const auto end = static_cast<double>(m_ends[at * m_stages + s]),
                       optimizer = static_cast<double>(m_optimizer[at * m_stages + s]);
            const bool alone = !m_model.gradNorm.present() && !m_model.gradSync[s].present(); // no barrier between the units
            StageMaxima& m = out.maxima;
            if (!alone && (out.optimizer[s] < 0 || optimizer > m.optimizer[s])) {
                m.optimizer[s] = optimizer;
                out.optimizer[s] = m_units[u];
            }
            if (m_swept[at] != Swept::all || (out.last[s] >= 0 && (alone ? end + optimizer <= m.endWithOptimizer[s] : end <= m.end[s])))
                continue;
            out.last[s] = m_units[u];
            m.end[s] = end;
            if (alone) {
                m.optimizer[s] = optimizer;
                out.optimizer[s] = m_units[u];
            }
            m.endWithOptimizer[s] = end + m.optimizer[s];
        }
    }
    return out;
}

/// `of` each step of windows of steps that are swept together; empty when stopped.
template <class Of>
auto StepSweeper::perStep(std::size_t count, bool speedsOnly, const Of& of)
{
    for (std::size_t p = 0; p < m_pools.size() && !speedsOnly; ++p)
        makePool(static_cast<int>(p), count);
    const std::size_t window = std::max<std::size_t>(1, kWindowValues / (m_units.size() * m_stages));
    std::vector<decltype(of(count, count))> out;
    for (std::size_t first = 0; first < count && !m_stop.stop_requested(); first += window) {
        const std::size_t last = std::min(count, first + window);
        sweepWindow(first, last, speedsOnly);
        for (std::size_t step = first; step < last && !m_stop.stop_requested(); ++step)
            out.push_back(of(step, first));
    }
    if (m_stop.stop_requested())
        out.clear();
    return out;
}

std::vector<double> StepSweeper::seconds(std::size_t count)
{
    return perStep(count, false, [&](std::size_t step, std::size_t first) {
        return m_finish.tail(maxima(step, first), m_regimes.step(step), m_series.stepSeed(step)).seconds;
    });
}

std::vector<SlowestUnits> StepSweeper::slowestUnits(std::size_t count)
{
    return perStep(count, false, [&](std::size_t step, std::size_t first) { return slowestOf(step, first); });
}

std::vector<double> StepSweeper::secondsBySpeeds(std::size_t count)
{
    return perStep(count, true, [&](std::size_t step, std::size_t first) { return m_finish.meanSeconds(maxima(step, first)); });
}

MedianJobs medianJobs(const SweepModel& model, std::uint64_t seed, std::stop_token stop)
{
    MedianJobs out;
    if (!model.speeds->varies() || model.speeds->measured()) {
        out.jobs = {0};
        return out;
    }
    const RegimeTable regimes(model, std::vector<RegimeFactors>(kMedianCandidates));
    const std::vector<double> seconds = StepSweeper(model, regimes, {seed, Run::within, {}}, stop).secondsBySpeeds(kMedianCandidates);
    if (seconds.empty())
        return out;
    std::vector<std::pair<double, std::uint64_t>> candidates;
    for (std::size_t job = 0; job < seconds.size(); ++job)
        candidates.emplace_back(seconds[job], job);
    std::sort(candidates.begin(), candidates.end());
    constexpr std::size_t kMiddle = kMedianCandidates / 2, kAside = 5;
    for (std::size_t i = kMiddle - kMiddleJobs / 2; i <= kMiddle + kMiddleJobs / 2; ++i)
        out.jobs.push_back(candidates[i].second);
    // Variance of a sample median, 1 / (4 n f^2), with the density f from the candidates five places aside.
    const double n = kMedianCandidates, gap = candidates[kMiddle + kAside].first - candidates[kMiddle - kAside].first;
    out.stdErr = gap * std::sqrt(n) / (4.0 * static_cast<double>(kAside));
    return out;
}

double tableError(const SweepModel& model, std::uint64_t seed, std::stop_token stop)
{
    const std::size_t passes = model.passes.size(), stages = index(model.graph.schedule.numStages);
    RegimeTable probed(model, std::vector<RegimeFactors>(passes + 1)); // step i: with a longer pass i
    for (std::size_t p = 0; p < passes; ++p)
        probed.lengthen(p, p, kProbe * model.passes[p]->computeSeconds);
    const StepFinish finish(model);
    BlockSweep sweep(model, probed);
    std::vector<StageMaxima> maxima(passes + 1, StageMaxima(stages));
    for (std::size_t pattern = 0; pattern < model.job.patterns.size(); ++pattern) {
        const auto unit =
            std::find(model.job.patternOf.begin(), model.job.patternOf.end(), static_cast<int>(pattern)) - model.job.patternOf.begin();
        for (std::size_t first = 0; first <= passes && !stop.stop_requested(); first += kLanes) {
            std::vector<SweptLane> lanes;
            for (std::size_t i = first; i <= passes && i < first + kLanes; ++i) {
                lanes.push_back(SweptSeries{seed, Run::within, {0}}.lane(0, static_cast<int>(unit)));
                lanes.back().regimes = i;
            }
            sweep.run(static_cast<int>(pattern), lanes, Noise::speedsOnly);
            for (std::size_t i = 0; i < lanes.size(); ++i)
                for (std::size_t s = 0; s < stages; ++s)
                    maxima[first + i].add(s, sweep.ends().row(s)[i], sweep.optimizer().row(s)[i]);
        }
    }
    const double unchanged = finish.meanSeconds(maxima[passes]);
    double square = 0.0;
    for (std::size_t p = 0; p < passes; ++p)
        if (const double probe = kProbe * model.passes[p]->computeSeconds; probe > 0.0)
            square += std::pow((finish.meanSeconds(maxima[p]) - unchanged) / probe * model.passes[p]->stdErr, 2.0);
    return std::sqrt(square);
}

} // namespace prism
