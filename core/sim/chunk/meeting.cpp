// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/chunk/meeting.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace prism {

namespace {

constexpr double kCoarse = 1.0 / 16.0; ///< most mass of a point in the lower half
constexpr double kTailShare = 1.0 / 3.0;
constexpr double kBeyond = 1e-3; ///< share of the largest one's upper tail that is not told apart
constexpr int kPointsPerSide = 24;
constexpr double kEnds = 1e-8; ///< tail probability at which the quadrature ends

/// Participants' times over all combinations of luck and data factor, for each routing factor.
class Times final {
public:
    Times(const MeetingInput& input, const StandardCdf& shape) : m_input(input), m_shape(shape)
    {
        for (const Participants& p : input.who) {
            m_group.emplace_back();
            for (std::size_t r = 0; r < input.routing.value.size(); ++r)
                m_group.back().push_back(combinations(p, 1.0 + input.routed * (input.routing.value[r] - 1.0),
                                                      input.routed * input.routed * input.routing.inside[r]));
        }
    }
    [[nodiscard]] double lowest() const { return end(-1.0); }
    [[nodiscard]] double highest() const { return end(1.0); }

    /// P(every participant has arrived by x).
    [[nodiscard]] double allBy(double x) const
    {
        double log = 0.0;
        for (std::size_t g = 0; g < m_group.size(); ++g) {
            double member = 0.0;
            for (std::size_t r = 0; r < m_group[g].size(); ++r)
                member += m_input.routing.weight[r] * allOfMember(g, [&](std::size_t i) { return cdf(m_group[g][r], i, x); });
            log += m_input.who[g].count / sharing(g) * std::log(std::max(member, 1e-300));
        }
        return std::exp(log);
    }
    /// CDF of every combination at every point: rows are combinations, data fastest.
    [[nodiscard]] Eigen::MatrixXd table(std::size_t group, std::size_t routing, const Eigen::VectorXd& x) const
    {
        const Combinations& t = m_group[group][routing];
        Eigen::MatrixXd out(static_cast<Eigen::Index>(t.mean.size()), x.size());
        for (Eigen::Index k = 0; k < x.size(); ++k)
            for (std::size_t i = 0; i < t.mean.size(); ++i)
                out(static_cast<Eigen::Index>(i), k) = cdf(t, i, x[k]);
        return out;
    }
    /// Participants of one kind that share a data factor, and that share any factor: no more than there are.
    [[nodiscard]] double sharingData(std::size_t group) const { return upTo(group, m_input.sharingData); }
    [[nodiscard]] double sharing(std::size_t group) const { return upTo(group, std::max(m_input.together, m_input.sharingData)); }
    /// P(all participants that share factors have arrived) at one routing factor, from the CDFs of the combinations by number.
    template <class Cdf>
    [[nodiscard]] double allOfMember(std::size_t group, const Cdf& cdf) const
    {
        const std::vector<double>& weight = m_group[group][0].weight;
        const std::size_t data = m_input.data.weight.size();
        double out = 0.0, below = 0.0;
        if (m_input.sharingData == 1) {
            for (std::size_t i = 0; i < weight.size(); ++i)
                below += weight[i] * cdf(i);
            return std::pow(below, sharing(group));
        }
        for (std::size_t d = 0; d < data; ++d) {
            below = 0.0;
            for (std::size_t i = d; i < weight.size(); i += data)
                below += m_input.who[group].weight[i / data] * cdf(i);
            out += m_input.data.weight[d] * std::pow(below, sharing(group));
        }
        return out;
    }
    /// The same per column of a table of them.
    [[nodiscard]] Eigen::VectorXd allOfMember(std::size_t group, const Eigen::MatrixXd& cdf) const
    {
        Eigen::VectorXd out(cdf.cols());
        for (Eigen::Index k = 0; k < cdf.cols(); ++k)
            out[k] = allOfMember(group, [&](std::size_t i) { return cdf(static_cast<Eigen::Index>(i), k); });
        return out;
    }
    /// P(all that share a data factor have arrived at two meetings with it), from their CDFs over all routing factors.
    [[nodiscard]] Eigen::MatrixXd sameData(std::size_t group, const Eigen::MatrixXd& cdf) const
    {
        if (m_input.sharingData == 1)
            return cdf.transpose() * weights(group).asDiagonal() * cdf;
        const auto data = static_cast<Eigen::Index>(m_input.data.weight.size());
        const std::vector<double>& luck = m_input.who[group].weight;
        Eigen::MatrixXd out = Eigen::MatrixXd::Zero(cdf.cols(), cdf.cols());
        for (Eigen::Index d = 0; d < data; ++d) {
            Eigen::MatrixXd both = Eigen::MatrixXd::Zero(cdf.cols(), cdf.cols());
            for (std::size_t z = 0; z < luck.size(); ++z) {
                const auto row = cdf.row(static_cast<Eigen::Index>(z) * data + d);
                both += luck[z] * row.transpose() * row;
            }
            out += m_input.data.weight[static_cast<std::size_t>(d)] * both.array().pow(sharingData(group)).matrix();
        }
        return out;
    }
    [[nodiscard]] Eigen::VectorXd weights(std::size_t group) const
    {
        const std::vector<double>& w = m_group[group][0].weight;
        return Eigen::Map<const Eigen::VectorXd>(w.data(), static_cast<Eigen::Index>(w.size()));
    }

private:
    [[nodiscard]] double upTo(std::size_t group, int most) const
    {
        return std::clamp(m_input.who[group].count, 1.0, static_cast<double>(most));
    }
    struct Combinations {
        std::vector<double> mean, sigma, weight;
    };
    /// `inside`: variance of the routing factor's share within its point.
    [[nodiscard]] Combinations combinations(const Participants& p, double routing, double inside) const
    {
        Combinations out;
        for (std::size_t z = 0; z < p.weight.size(); ++z)
            for (std::size_t d = 0; d < m_input.data.value.size(); ++d) {
                const double data = m_input.data.value[d], factor = data * routing, mean = p.mean[z];
                out.mean.push_back(m_input.collectives.mean + mean * factor);
                out.sigma.push_back(std::sqrt(m_input.collectives.variance + p.variance[z] * factor * factor
                                              + mean * mean * (m_input.data.inside[d] * routing * routing + data * data * inside)));
                out.weight.push_back(p.weight[z] * m_input.data.weight[d]);
            }
        return out;
    }
    [[nodiscard]] double cdf(const Combinations& c, std::size_t i, double x) const
    {
        const double away = x - c.mean[i], sigma = c.sigma[i];
        if (!(sigma > 0.0))
            return away < 0.0 ? 0.0 : 1.0;
        return m_shape.empty() ? 0.5 * std::erfc(-away / sigma / std::numbers::sqrt2) : m_shape.at(away / sigma);
    }
    [[nodiscard]] double end(double side) const
    {
        constexpr double kNormalEnd = 6.0;
        const double z = m_shape.empty() ? side * kNormalEnd : (side < 0.0 ? m_shape.zMin() : m_shape.zMax());
        double out = -side * 1e300;
        for (const std::vector<Combinations>& group : m_group)
            for (const Combinations& c : group)
                for (std::size_t i = 0; i < c.mean.size(); ++i)
                    out = side < 0.0 ? std::min(out, c.mean[i] + z * c.sigma[i]) : std::max(out, c.mean[i] + z * c.sigma[i]);
        return out;
    }

    const MeetingInput& m_input;
    const StandardCdf& m_shape;
    std::vector<std::vector<Combinations>> m_group; ///< [participant][routing]
};

double quantile(const Times& times, double probability)
{
    double low = times.lowest(), high = times.highest();
    for (int i = 0; i < 40; ++i) {
        const double middle = 0.5 * (low + high);
        (times.allBy(middle) < probability ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

/// Simpson's rule on both sides of a centre, in t with x = centre + scale sinh(t): as in maximumMoments.
struct Quadrature {
    double center = 0.0;
    Eigen::VectorXd x, weight, side;
};

Quadrature quadrature(const Times& times)
{
    Quadrature q;
    q.center = quantile(times, 0.5);
    const double scale = 0.75 * (quantile(times, 0.8413) - quantile(times, 0.1587));
    const double low = quantile(times, kEnds), high = quantile(times, 1.0 - kEnds);
    constexpr int n = kPointsPerSide;
    q.x = q.weight = q.side = Eigen::VectorXd::Zero(2 * (n + 1));
    for (int half = 0; half < 2; ++half) {
        const double side = half == 0 ? -1.0 : 1.0, length = half == 0 ? q.center - low : high - q.center;
        const double dt = scale > 0.0 ? std::asinh(length / scale) / n : 0.0;
        for (int i = 0; i <= n; ++i) {
            const int k = half * (n + 1) + i;
            const double simpson = (i == 0 || i == n ? 1.0 : (i % 2 == 1 ? 4.0 : 2.0)) / 3.0;
            q.x[k] = q.center + side * scale * std::sinh(i * dt);
            q.weight[k] = simpson * dt * scale * std::cosh(i * dt);
            q.side[k] = side;
        }
    }
    return q;
}

} // namespace

WeightedPoints coarsePoints(std::vector<double> value, std::vector<double> weight, double count, double finer)
{
    std::vector<std::size_t> order(value.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return value[a] < value[b]; });
    const double total = std::accumulate(weight.begin(), weight.end(), 0.0);
    WeightedPoints out;
    double above = 1.0, mass = 0.0, first = 0.0, second = 0.0;
    for (const std::size_t k : order) {
        const double v = value[k], w = weight[k] / total;
        const double most = std::max((above > 0.5 ? kCoarse : kTailShare * above) / finer, kBeyond / count);
        if (mass > 0.0 && mass + w > most) {
            const double mean = first / mass;
            out.value.push_back(mean);
            out.weight.push_back(mass);
            out.inside.push_back(std::max(0.0, second / mass - mean * mean));
            above -= mass;
            mass = first = second = 0.0;
        }
        mass += w;
        first += w * v;
        second += w * v * v;
    }
    if (mass > 0.0) {
        out.value.push_back(first / mass);
        out.weight.push_back(mass);
        out.inside.push_back(std::max(0.0, second / mass - first / mass * first / mass));
    }
    return out;
}

double meetingMean(const MeetingInput& input, const StandardCdf& shape)
{
    const Times times(input, shape);
    const Quadrature q = quadrature(times);
    double out = q.center;
    for (Eigen::Index k = 0; k < q.x.size(); ++k) {
        const double by = times.allBy(q.x[k]);
        out += q.side[k] * q.weight[k] * (q.side[k] < 0.0 ? by : 1.0 - by);
    }
    return out;
}

MeetingMoments meeting(const MeetingInput& input, const StandardCdf& shape)
{
    const Times times(input, shape);
    const Quadrature q = quadrature(times);
    const Eigen::Index n = q.x.size();
    Eigen::VectorXd log = Eigen::VectorXd::Zero(n), logApart = log, logShared = log;
    Eigen::MatrixXd logData = Eigen::MatrixXd::Zero(n, n), logLuck = logData, logRouting = logData;
    const auto logOf = [](double f) { return std::log(std::max(f, 1e-300)); };
    for (std::size_t g = 0; g < input.who.size(); ++g) {
        const Eigen::VectorXd weight = times.weights(g);
        Eigen::MatrixXd cdf = Eigen::MatrixXd::Zero(weight.size(), n); // over all routing factors
        Eigen::VectorXd member = Eigen::VectorXd::Zero(n);
        Eigen::MatrixXd sameRouting = Eigen::MatrixXd::Zero(n, n);
        for (std::size_t r = 0; r < input.routing.value.size(); ++r) {
            const Eigen::MatrixXd routed = times.table(g, r, q.x);
            cdf += input.routing.weight[r] * routed;
            const Eigen::VectorXd own = times.allOfMember(g, routed);
            member += input.routing.weight[r] * own;
            sameRouting += input.routing.weight[r] * own * own.transpose();
        }
        const auto lucks = static_cast<Eigen::Index>(input.who[g].weight.size()), data = cdf.rows() / lucks;
        Eigen::MatrixXd byLuck = Eigen::MatrixXd::Zero(lucks, n);
        for (Eigen::Index i = 0; i < cdf.rows(); ++i)
            byLuck.row(i / data) += input.data.weight[static_cast<std::size_t>(i % data)] * cdf.row(i);
        const Eigen::Map<const Eigen::VectorXd> luckWeight(input.who[g].weight.data(), lucks);
        const double count = input.who[g].count;
        log += count / times.sharing(g) * member.unaryExpr(logOf);
        logRouting += count / times.sharing(g) * sameRouting.unaryExpr(logOf);
        logApart += count * (cdf.transpose() * weight).unaryExpr(logOf);
        logData += count / times.sharingData(g) * times.sameData(g, cdf).unaryExpr(logOf);
        logShared += count / times.sharing(g) * times.allOfMember(g, cdf).unaryExpr(logOf);
        logLuck += count * (byLuck.transpose() * luckWeight.asDiagonal() * byLuck).unaryExpr(logOf);
    }
    const Eigen::VectorXd by = log.array().exp();
    double first = 0.0, second = 0.0;
    for (Eigen::Index k = 0; k < n; ++k) {
        const double part = q.weight[k] * (q.side[k] < 0.0 ? by[k] : 1.0 - by[k]);
        first += q.side[k] * part;
        second += 2.0 * std::abs(q.x[k] - q.center) * part;
    }
    const Eigen::VectorXd byApart = logApart.array().exp();
    const Eigen::MatrixXd apart = byApart * byApart.transpose();
    const Eigen::VectorXd byShared = input.sharingData > 1 ? Eigen::VectorXd(logShared.array().exp()) : byApart;
    const auto covariance = [&](const Eigen::MatrixXd& joint, const Eigen::MatrixXd& without) {
        return std::max(0.0, q.weight.dot((joint.array().exp().matrix() - without) * q.weight));
    };
    return {{q.center + first, std::max(0.0, second - first * first)},
            covariance(logLuck, apart),
            covariance(logData, byShared * byShared.transpose()),
            input.routing.value.size() > 1 ? covariance(logRouting, by * by.transpose()) : 0.0};
}

} // namespace prism
