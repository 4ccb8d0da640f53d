// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/job/checkpointing.h"

#include <boost/math/special_functions/lambert_w.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace prism {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// Mean and variance of an exponential time with mean M, given that it is below `length`.
struct Failure {
    double mean = 0, variance = 0;
};
Failure failureWithin(double length, double mtbf)
{
    const double x = length / mtbf;
    if (!(x > 0))
        return {};
    if (x < 1e-4) // the closed form below loses all digits; uniform to first order
        return {length / 2 * (1 - x / 6), length * length / 12};
    const double k = std::expm1(x); // 1 / (e^x - 1) falls to 0 where x is large
    const double mean = mtbf - length / k;
    const double second = 2 * mtbf * mtbf - (length * length + 2 * mtbf * length) / k;
    return {mean, std::max(0.0, second - mean * mean)};
}

/// A geometric number of failures, each costing X and Y, before a clean stretch of `length`.
RunTime untilClean(double length, double mtbf, const RunTime& afterEach)
{
    const double k = std::expm1(length / mtbf);
    const Failure x = failureWithin(length, mtbf);
    const double each = x.mean + afterEach.mean;
    const double variance = k * (x.variance + afterEach.std * afterEach.std) + k * (k + 1) * each * each;
    return {length + k * each, std::sqrt(variance)};
}

} // namespace

double youngInterval(double checkpoint, double mtbf)
{
    return std::sqrt(2 * checkpoint * mtbf);
}

double dalyInterval(double checkpoint, double mtbf)
{
    if (!(checkpoint < 2 * mtbf))
        return mtbf;
    const double x = checkpoint / (2 * mtbf);
    return std::sqrt(2 * checkpoint * mtbf) * (1 + std::sqrt(x) / 3 + x / 9) - checkpoint;
}

double exactInterval(double checkpoint, double mtbf)
{
    if (!std::isfinite(mtbf))
        return kNever;
    return mtbf * (1 + boost::math::lambert_w0(-std::exp(-checkpoint / mtbf - 1)));
}

double asyncInterval(double block, double persist, double mtbf)
{
    return std::max(persist, std::sqrt(2 * block * mtbf));
}

double asyncLoss(double interval, double block, double persist, double restart, double mtbf)
{
    return block / interval + (interval / 2 + persist + restart) / mtbf;
}

RunTime expectedRunTime(const CheckpointedRun& run, double interval, double segments)
{
    const double length = interval + run.checkpoint;
    if (!std::isfinite(run.mtbf))
        return {segments * length, 0};
    const RunTime restart = untilClean(run.restart, run.mtbf, {});
    const RunTime segment = untilClean(length, run.mtbf, restart);
    return {segments * segment.mean, std::sqrt(segments) * segment.std};
}

double exactEttr(const CheckpointedRun& run, double interval)
{
    return interval / expectedRunTime(run, interval, 1).mean;
}

double jobMtbfHours(double failuresPer1000NodeDays, double nodes)
{
    const double perDay = failuresPer1000NodeDays * nodes / 1000;
    return perDay > 0 ? 24 / perDay : kNever;
}

} // namespace prism
