// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/stepmodel.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace prism {

namespace {

/// Mean and variance of numbers as they come.
struct Running {
    double n = 0, sum = 0, square = 0;
    void add(double x)
    {
        n += 1;
        sum += x;
        square += x * x;
    }
    [[nodiscard]] double mean() const { return n > 0 ? sum / n : 0; }
    [[nodiscard]] double variance() const { return n > 1 ? std::max(0.0, (square - sum * sum / n) / (n - 1)) : 0; }
};

constexpr double kMinFactor = 1e-12; ///< by a coarse clock durations may all be 0: what is divided by them stays finite

/// Pulls factors towards 1 by the share of their variance that noise of the given variance explains; returns that share. Factors without
/// any length are 1.
double shrink(std::vector<double>& factors, double noiseVariance)
{
    Running spread;
    for (const double f : factors)
        spread.add(f);
    const double variance = spread.variance();
    const double share = variance > 0 ? std::min(1.0, noiseVariance / variance) : 1.0;
    for (double& f : factors)
        f = spread.mean() > 0 ? std::max(kMinFactor, 1 + (1 - share) * (f / spread.mean() - 1)) : 1.0;
    return share;
}

class Factoring {
public:
    explicit Factoring(const RegularJob& job) : m_job(job), m_replicas(static_cast<std::size_t>(job.job->replicas)) {}

    ComputeFactors factors()
    {
        means();
        workersAndSteps();
        places();
        residuals();
        return std::move(m_factors);
    }

private:
    template <class Use>
    void eachComputation(Use use) const
    {
        const std::size_t slots = m_job.slots.size();
        for (std::size_t t = 0; t < m_job.steps.size(); ++t)
            for (std::size_t r = 0; r < m_replicas; ++r)
                for (std::size_t l = 0; l < slots; ++l)
                    if (isCompute(m_job.slots[l].type))
                        use(t, r, l, m_job.steps[t].seconds[r * slots + l]);
    }
    [[nodiscard]] std::size_t worker(std::size_t r, std::size_t l) const
    {
        return r * static_cast<std::size_t>(m_job.job->stages) + static_cast<std::size_t>(m_job.slots[l].stage);
    }

    /// Factors of the workers from their values; returns the mean variance of the values of one worker.
    static double shrunkMeans(const std::vector<Running>& workers, std::vector<double>& factors, double& noiseShare)
    {
        double within = 0;
        for (const Running& values : workers) {
            factors.push_back(values.mean());
            within += values.variance() / static_cast<double>(workers.size());
        }
        noiseShare = shrink(factors, within / workers.front().n);
        return within;
    }

    void means()
    {
        std::map<std::tuple<int, TraceOp, int>, Running> sums;
        const auto key = [&](std::size_t l) { return std::tuple(m_job.slots[l].stage, m_job.slots[l].type, m_job.slots[l].chunk); };
        eachComputation([&](std::size_t, std::size_t, std::size_t l, double x) { sums[key(l)].add(x); });
        m_factors.mean.assign(m_job.slots.size(), 0.0);
        for (std::size_t l = 0; l < m_job.slots.size(); ++l)
            if (isCompute(m_job.slots[l].type))
                m_factors.mean[l] = std::max(kMinFactor, sums[key(l)].mean());
    }

    /// Sums by worker and by (step, worker) of duration over mean, both directions of a micro-batch counted as one draw.
    void workersAndSteps()
    {
        const auto stages = static_cast<std::size_t>(m_job.job->stages);
        std::vector<double> byStep(m_job.steps.size(), 0.0);
        std::map<std::tuple<std::size_t, std::size_t, int, int>, std::pair<double, double>> draws; // (step, worker, chunk, micro-batch)
        eachComputation([&](std::size_t t, std::size_t r, std::size_t l, double x) {
            auto& [seconds, expected] = draws[{t, worker(r, l), m_job.slots[l].chunk, m_job.slots[l].microBatch}];
            seconds += x;
            expected += m_factors.mean[l];
        });
        std::vector<Running> workers(m_replicas * stages), steps(byStep.size());
        for (const auto& [place, d] : draws) {
            workers[std::get<1>(place)].add(d.first / d.second);
            steps[std::get<0>(place)].add(d.first / d.second);
        }
        for (std::size_t t = 0; t < steps.size(); ++t)
            byStep[t] = steps[t].mean();
        // A micro-batch is equally heavy on all stages: a step has replicas x micro-batches independent draws, not times the stages.
        const double within = shrunkMeans(workers, m_factors.worker, m_factors.workerNoiseShare);
        m_factors.stepNoiseShare = shrink(byStep, within * static_cast<double>(stages) / steps.front().n);
        m_factors.step = std::move(byStep);
        // A worker may be slow in one direction alone. Each direction is shrunk by the noise of its values.
        for (const bool forward : {true, false}) {
            std::vector<Running> values(workers.size());
            eachComputation([&](std::size_t, std::size_t r, std::size_t l, double x) {
                if (isForward(m_job.slots[l].type) == forward)
                    values[worker(r, l)].add(x / m_factors.mean[l]);
            });
            double noiseShare = 0;
            (void)shrunkMeans(values, m_factors.byDirection[forward ? 0 : 1], noiseShare);
        }
    }

    /// Computations at some places of the schedule take longer than at others (next to transfers, as the first of a phase): a factor for
    /// each place, shrunk towards 1 by the noise of its values. Places with a single value keep the factor 1.
    void places()
    {
        std::vector<Running> byPlace(m_job.slots.size());
        eachComputation([&](std::size_t t, std::size_t r, std::size_t l, double x) {
            byPlace[l].add(x / (m_factors.mean[l] * m_factors.ofWorker(m_job.slots[l].type, worker(r, l)) * m_factors.step[t]));
        });
        std::map<std::tuple<int, TraceOp, int>, std::vector<std::size_t>> equal;
        for (std::size_t l = 0; l < m_job.slots.size(); ++l)
            if (byPlace[l].n > 1)
                equal[{m_job.slots[l].stage, m_job.slots[l].type, m_job.slots[l].chunk}].push_back(l);
        for (const auto& [kind, slots] : equal) {
            std::vector<double> factors;
            double noise = 0;
            for (const std::size_t l : slots) {
                factors.push_back(byPlace[l].mean());
                noise += byPlace[l].variance() / byPlace[l].n / static_cast<double>(slots.size());
            }
            (void)shrink(factors, noise);
            for (std::size_t i = 0; i < slots.size(); ++i)
                m_factors.mean[slots[i]] *= factors[i];
        }
    }

    void residuals()
    {
        const std::size_t slots = m_job.slots.size();
        m_factors.residual.assign(m_job.steps.size(), std::vector<double>(m_replicas * slots, 1.0));
        Running x, y, product;
        std::map<std::tuple<std::size_t, std::size_t, int, int, int>, double> forward;
        eachComputation([&](std::size_t t, std::size_t r, std::size_t l, double seconds) {
            const OperationSlot& slot = m_job.slots[l];
            const double residual =
                seconds / (m_factors.mean[l] * m_factors.ofWorker(m_job.slots[l].type, worker(r, l)) * m_factors.step[t]);
            m_factors.residual[t][r * slots + l] = residual;
            const std::tuple place(t, r, slot.stage, slot.chunk, slot.microBatch);
            if (slot.type == TraceOp::forwardCompute) {
                forward[place] = residual;
            } else if (const auto at = forward.find(place); at != forward.end()) {
                x.add(at->second);
                y.add(residual);
                product.add(at->second * residual);
            }
        });
        const double scale = std::sqrt(x.variance() * y.variance());
        if (scale > 0)
            m_factors.microBatchCorrelation = std::clamp((product.mean() - x.mean() * y.mean()) * x.n / (x.n - 1) / scale, -1.0, 1.0);
    }

    const RegularJob& m_job;
    std::size_t m_replicas;
    ComputeFactors m_factors;
};

} // namespace

ComputeFactors computeFactors(const RegularJob& job)
{
    return Factoring(job).factors();
}

} // namespace prism
