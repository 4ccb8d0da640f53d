// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measured/seriesshape.h"

#include "core/stats/moments.h"

#include <Eigen/Dense>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

/// A step is an outlier beyond this many robust standard deviations of its neighbours from their level, and this share of the level.
constexpr double kSeparate = 8.0, kSeparateShare = 0.003;
/// Warm-up ends with this many steps in a row that are not outliers; only the first steps are searched.
constexpr int kCalmSteps = 3, kMaxWarmUp = 40;
/// A pause is longer than a second and than this share of a step.
constexpr double kPauseSeconds = 1.0, kPauseShare = 0.05;
constexpr int kTrendBlocks = 10;
/// A trend is named where it takes this share off the scatter of the blocks' medians.
constexpr double kTrendExplains = 0.5;
constexpr double kBisquare = 4.685; // Beaton and Tukey 1974: 95 % efficiency at the normal distribution

double medianAbsolute(const std::vector<double>& x, double around)
{
    std::vector<double> distance;
    distance.reserve(x.size());
    for (const double v : x)
        distance.push_back(std::abs(v - around));
    return medianOf(std::move(distance));
}

std::vector<double> secondsOf(const LoggedRun& run)
{
    std::vector<double> out;
    for (const LoggedStep& step : run.steps)
        out.push_back(step.seconds);
    return out;
}

double neighbourNoise(const std::vector<double>& x)
{
    std::vector<double> differences;
    for (std::size_t i = 1; i < x.size(); ++i)
        differences.push_back(x[i] - x[i - 1]);
    return differences.empty() ? 0.0 : kNormalOverMad * medianAbsolute(differences, medianOf(differences)) / std::sqrt(2.0);
}

int warmUpSteps(const std::vector<double>& x, double noise)
{
    const std::size_t n = x.size();
    const double level = medianOfRange(x, std::min<std::size_t>(10, n / 4), 60);
    int warmUp = 0, calm = 0;
    for (int i = 0; i < std::min(kMaxWarmUp, static_cast<int>(n / 5)) && calm < kCalmSteps; ++i) {
        const bool separate = std::abs(x[static_cast<std::size_t>(i)] - level) > std::max(kSeparate * noise, kSeparateShare * level);
        calm = separate ? 0 : calm + 1;
        if (separate)
            warmUp = i + 1;
    }
    return warmUp;
}

/// Outlying steps at equal spacing: at least four, and at least four in five of those that the spacing predicts.
std::vector<int> evenlySpaced(const std::vector<double>& x, int from, double noise, double level)
{
    std::vector<int> separate;
    for (int i = from; i < static_cast<int>(x.size()); ++i)
        if (x[static_cast<std::size_t>(i)] - level > std::max(kSeparate * noise, kSeparateShare * level))
            separate.push_back(i);
    constexpr std::size_t kMaxCandidates = 200, kMin = 4;
    constexpr double kShareFound = 0.8;
    if (separate.size() > kMaxCandidates)
        return {};
    for (std::size_t a = 0; a < separate.size(); ++a)
        for (std::size_t b = a + 1; b < separate.size(); ++b) {
            const int period = separate[b] - separate[a];
            if (period < 5)
                continue;
            const int first = separate[a] - period * ((separate[a] - from) / period);
            const int called = (static_cast<int>(x.size()) - 1 - first) / period + 1;
            if (static_cast<double>(separate.size()) < kShareFound * called)
                continue; // too few
            std::vector<int> found;
            for (int i = first; i < static_cast<int>(x.size()); i += period)
                if (std::binary_search(separate.begin(), separate.end(), i))
                    found.push_back(i);
            if (found.size() >= kMin && static_cast<double>(found.size()) >= kShareFound * called)
                return found;
        }
    return {};
}

void findPauses(const LoggedRun& run, const std::vector<double>& x, RunShape& shape)
{
    for (int i = 1; i < static_cast<int>(run.steps.size()); ++i) {
        const LoggedStep& step = run.steps[static_cast<std::size_t>(i)];
        shape.pausesLogged = shape.pausesLogged || step.pauseSeconds >= 0;
        if (i >= shape.warmUp && followsPause(step, shape.medianSeconds))
            shape.afterPause.push_back(i);
    }
    // Steps that swing evenly by themselves are not pauses: half of the series' own spread counts as noise as well.
    const double swing = 0.5 * kNormalOverMad * medianAbsolute(x, shape.medianSeconds);
    if (!shape.pausesLogged)
        shape.afterPause = evenlySpaced(x, shape.warmUp, std::max(shape.noiseSeconds, swing), shape.medianSeconds);
}

/// Robust fit of 1, u, u^2 by reweighted least squares. Memory: two numbers a value.
Eigen::Vector3d bisquareFit(const std::vector<double>& y, const std::vector<double>& u)
{
    const auto basis = [&](std::size_t i) { return Eigen::Vector3d(1.0, u[i], u[i] * u[i]); };
    Eigen::Vector3d terms(medianOf(y), 0.0, 0.0);
    std::vector<double> residuals(y.size());
    for (int round = 0; round < 20; ++round) {
        for (std::size_t i = 0; i < y.size(); ++i)
            residuals[i] = y[i] - basis(i).dot(terms);
        const double scale = kNormalOverMad * medianAbsolute(residuals, 0.0);
        if (!(scale > 0.0))
            break;
        Eigen::Matrix3d normal = Eigen::Matrix3d::Zero();
        Eigen::Vector3d right = Eigen::Vector3d::Zero();
        for (std::size_t i = 0; i < y.size(); ++i) {
            const double t = residuals[i] / (kBisquare * scale);
            const double weight = std::abs(t) < 1.0 ? (1.0 - t * t) * (1.0 - t * t) : 0.0;
            normal += weight * basis(i) * basis(i).transpose();
            right += weight * y[i] * basis(i);
        }
        terms = normal.ldlt().solve(right);
    }
    return terms;
}

/// Mean distance of the medians of blocks from a curve.
double blockScatter(const std::vector<double>& y, const std::vector<double>& u, const Eigen::Vector3d& terms)
{
    double sum = 0.0;
    for (std::size_t b = 0; b < kTrendBlocks; ++b) {
        std::vector<double> rest;
        for (std::size_t i = b * y.size() / kTrendBlocks; i < (b + 1) * y.size() / kTrendBlocks; ++i)
            rest.push_back(y[i] - terms(0) - terms(1) * u[i] - terms(2) * u[i] * u[i]);
        sum += std::abs(medianOf(std::move(rest))) / kTrendBlocks;
    }
    return sum;
}

void findTrend(const std::vector<double>& y, const std::vector<double>& u, RunShape& shape)
{
    const Eigen::Vector3d terms = bisquareFit(y, u);
    const Eigen::Vector3d flat(medianOf(y), 0.0, 0.0);
    const double change = 2.0 * terms(1) / terms(0);
    const double byNoise = shape.noiseSeconds / shape.medianSeconds / std::sqrt(static_cast<double>(y.size()) / 4.0);
    if (!(blockScatter(y, u, terms) < (1.0 - kTrendExplains) * blockScatter(y, u, flat)) || std::abs(change) < 4.0 * byNoise)
        return;
    shape.trend = change;
    shape.trendTerms = {terms(1) / terms(0), terms(2) / terms(0)};
}

double place(int index, int steps)
{
    return steps > 1 ? 2.0 * index / (steps - 1.0) - 1.0 : 0.0;
}

bool isPaused(const RunShape& shape, int step)
{
    return std::binary_search(shape.afterPause.begin(), shape.afterPause.end(), step);
}

/// Everything behind the warm-up, which is at least as long as the start-up.
RunShape shapeBehind(const LoggedRun& run, int startUp)
{
    RunShape shape;
    const std::vector<double> x = secondsOf(run);
    shape.medianSeconds = medianOf(x);
    shape.noiseSeconds = neighbourNoise(x);
    if (x.size() < static_cast<std::size_t>(kMinSteps))
        return shape;
    shape.startUp = startUp;
    shape.warmUp = std::max(startUp, warmUpSteps(x, shape.noiseSeconds));
    shape.medianSeconds = medianOfRange(x, static_cast<std::size_t>(shape.warmUp), x.size());
    findPauses(run, x, shape);
    std::vector<double> kept, u;
    std::vector<int> index;
    for (int i = shape.warmUp; i < static_cast<int>(x.size()); ++i)
        if (!isPaused(shape, i)) {
            kept.push_back(x[static_cast<std::size_t>(i)]);
            index.push_back(i);
            u.push_back(place(i, static_cast<int>(x.size())));
        }
    const std::vector<int> places = shiftPlaces(kept, shape.medianSeconds);
    const std::vector<double> medians = partMedians(kept, places);
    for (std::size_t k = 0, part = 0; k < kept.size(); ++k) {
        if (part < places.size() && static_cast<int>(k) == places[part]) {
            ++part;
            shape.shifts.push_back({index[k], medians[part] / medians[part - 1]});
        }
        kept[k] /= medians[part];
    }
    if (kept.size() >= 4 * kTrendBlocks)
        findTrend(kept, u, shape);
    return shape;
}

/// The steps of a run among which a start-up is searched for.
CountedSteps countedSteps(const LoggedRun& run, const RunShape& shape)
{
    CountedSteps out{secondsOf(run), std::vector<bool>(run.steps.size(), true),
                     std::max(kSeparate * shape.noiseSeconds, kSeparateShare * shape.medianSeconds)};
    std::fill_n(out.counts.begin(), shape.warmUp, false);
    for (const int i : shape.afterPause)
        out.counts[static_cast<std::size_t>(i)] = false;
    return out;
}

} // namespace

bool followsPause(const LoggedStep& step, double medianSeconds)
{
    return step.pauseSeconds > std::max(kPauseSeconds, kPauseShare * medianSeconds);
}

ShapeCosts shapeCosts(const std::vector<LoggedRun>& runs, const std::vector<RunShape>& shapes)
{
    std::vector<double> warmUps, trends, gaps, pauses;
    for (std::size_t r = 0; r < runs.size(); ++r) {
        const RunShape& shape = shapes[r];
        const auto excess = [&](int i) { return runs[r].steps[static_cast<std::size_t>(i)].seconds - shape.medianSeconds; };
        double warmUp = 0;
        for (int i = 0; i < shape.warmUp; ++i)
            warmUp += excess(i);
        warmUps.push_back(warmUp);
        trends.push_back(shape.trend);
        for (std::size_t k = 0; k < shape.afterPause.size(); ++k) {
            const int i = shape.afterPause[k];
            pauses.push_back(excess(i) + std::max(0.0, runs[r].steps[static_cast<std::size_t>(i)].pauseSeconds));
            if (k > 0)
                gaps.push_back(i - shape.afterPause[k - 1]);
        }
    }
    const bool isRepeated = !gaps.empty(); // one pause has no spacing
    return {medianOf(warmUps), isRepeated ? medianOf(gaps) : 0, isRepeated ? std::max(0.0, meanOf(pauses)) : 0, medianOf(trends)};
}

double RunShape::trendAt(int index, int steps) const
{
    const double u = place(index, steps);
    return 1.0 + trendTerms[0] * u + trendTerms[1] * u * u;
}

int warmUpOf(const std::vector<double>& seconds)
{
    return seconds.size() < static_cast<std::size_t>(kMinSteps) ? 0 : warmUpSteps(seconds, neighbourNoise(seconds));
}

RunShape runShape(const LoggedRun& run)
{
    return shapeBehind(run, 0);
}

std::vector<RunShape> runShapes(const std::vector<LoggedRun>& runs)
{
    std::vector<RunShape> shapes;
    std::vector<CountedSteps> counted;
    for (const LoggedRun& run : runs) {
        shapes.push_back(shapeBehind(run, 0));
        if (run.steps.size() >= static_cast<std::size_t>(kMinSteps))
            counted.push_back(countedSteps(run, shapes.back()));
    }
    if (const int startUp = startUpSteps(counted); startUp > 0)
        for (std::size_t r = 0; r < runs.size(); ++r)
            shapes[r] = shapeBehind(runs[r], startUp);
    return shapes;
}

CleanRun cleanRun(const LoggedRun& run, const RunShape& shape, const SeriesRemoval& removal)
{
    CleanRun clean;
    double level = 1.0;
    std::size_t next = 0;
    const auto steps = static_cast<int>(run.steps.size());
    for (int i = 0; i < steps; ++i) {
        for (; removal.shifts && next < shape.shifts.size() && shape.shifts[next].index == i; ++next)
            level *= shape.shifts[next].factor;
        if ((removal.warmUp && i < shape.warmUp) || (removal.pauses && isPaused(shape, i)))
            continue;
        const double trend = removal.trend ? shape.trendAt(i, steps) : 1.0;
        clean.seconds.push_back(run.steps[static_cast<std::size_t>(i)].seconds / (level * trend));
        clean.index.push_back(i);
    }
    // Back to the level of the steps as they were: the median of what was kept.
    std::vector<double> kept;
    for (const int i : clean.index)
        kept.push_back(run.steps[static_cast<std::size_t>(i)].seconds);
    clean.medianSeconds = medianOf(std::move(kept));
    const double middle = medianOf(clean.seconds);
    for (double& s : clean.seconds)
        s *= middle > 0.0 ? clean.medianSeconds / middle : 1.0;
    return clean;
}

std::string shapeText(const RunShape& shape)
{
    std::string text = fmt::format("warm-up {} step{}", shape.warmUp, shape.warmUp == 1 ? "" : "s");
    if (shape.startUp > 0)
        text += fmt::format(" (until long steps became rarer at {})", shape.startUp);
    text += fmt::format("; {} after a pause ({})", shape.afterPause.size(), shape.pausesLogged ? "time stamps" : "even spacing");
    constexpr std::size_t kMaxReported = 20;
    for (std::size_t i = 0; i < std::min(shape.shifts.size(), kMaxReported); ++i)
        text += fmt::format("; level {:+.1f} % from step {}", 100.0 * (shape.shifts[i].factor - 1.0), shape.shifts[i].index);
    if (shape.shifts.size() > kMaxReported)
        text += fmt::format("; {} changes of level more", shape.shifts.size() - kMaxReported);
    text += shape.trend == 0.0 ? "; no trend" : fmt::format("; trend {:+.2f} % over the run", 100.0 * shape.trend);
    return text + fmt::format("; noise between neighbours {:.1f} ms", 1e3 * shape.noiseSeconds);
}

} // namespace prism
