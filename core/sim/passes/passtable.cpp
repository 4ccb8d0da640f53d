// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/passes/passtable.h"

#include "core/base/index.h"
#include "core/sim/draw/draws.h"
#include "core/sim/lanes/lanes.h"
#include "core/stats/moments.h"

#include <Eigen/Dense>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

namespace prism {

namespace {

constexpr int kRegimeNodes = 81;
constexpr double kRegimeStep = 0.1, kRegimeLow = -3.0;
/// A class of which an execution expects fewer rare events than this has them drawn separately: how often they come is exact then.
constexpr double kSeparateBelow = 0.5;
/// Lengths beyond these shares of all cells belong to the outermost nodes.
constexpr double kOutermost = 0.002;
/// Cells that a node is made from at least, and fewer only where another lump of lengths begins.
constexpr int kCellsOfNode = 48, kMinCells = 4;
constexpr int kFactorPoints = 512;
/// Share of the greatest mean delay by rare events of any node from which a node has its own mean delay.
constexpr double kMinShare = 0.01;
/// Nodes that a smooth function is fitted to at least.
constexpr std::size_t kSmoothNodes = 6;
/// Standard deviations of a chi-square beyond its mean that a smooth function may miss the values at nodes by.
constexpr double kChiSquareMargin = 2.0;

double lookUp(const std::vector<double>& grid, double regime)
{
    if (grid.empty())
        return 0.0;
    const double p = std::clamp((std::log(regime) - kRegimeLow) / kRegimeStep, 0.0, kRegimeNodes - 1.001);
    const auto i = static_cast<std::size_t>(p);
    return grid[i] + (p - static_cast<double>(i)) * (grid[i + 1] - grid[i]);
}

bool leavesNode(const StepGraph& graph, int kernelClass)
{
    return graph.classes[index(kernelClass)].scope == Scope::interNode;
}

/// Values of a factor that stand for its distribution, and their probabilities.
std::vector<std::pair<double, double>> pointsOf(const DrawTable& table)
{
    std::vector<std::pair<double, double>> out;
    const auto add = [&](const QuantileTable& t, double probability) {
        for (int i = 0; i < kFactorPoints; ++i)
            out.emplace_back(t.at(static_cast<std::uint32_t>((i + 0.5) * (0x1.0p32 / kFactorPoints))), probability / kFactorPoints);
    };
    add(table.body, 1.0 - table.rareProbability);
    if (table.rareBelow != 0)
        add(table.rare, table.rareProbability);
    return out;
}

/// Exposed seconds of a collective under a factor: mean and variance.
Moments exposed(const std::vector<std::pair<double, double>>& points, double mean, double hidden)
{
    double first = 0.0, second = 0.0;
    for (const auto& [factor, probability] : points) {
        const double x = std::max(0.0, mean * factor - hidden);
        first += probability * x;
        second += probability * x * x;
    }
    return {first, std::max(0.0, second - first * first)};
}

/// Values at the first nodes as a polynomial of the lowest degree that their standard errors allow, or as they are: what varies little with
/// the length is known from all nodes together.
void smooth(std::vector<double>& values, const std::vector<double>& errors, std::size_t nodes)
{
    const auto n = static_cast<Eigen::Index>(nodes);
    if (nodes < kSmoothNodes || std::any_of(errors.begin(), errors.begin() + n, [](double e) { return !(e > 0.0); }))
        return;
    for (Eigen::Index degree = 0; degree <= 3; ++degree) {
        Eigen::MatrixXd a(n, degree + 1);
        Eigen::VectorXd y(n);
        for (Eigen::Index i = 0; i < n; ++i) {
            const double error = errors[static_cast<std::size_t>(i)], x = 2.0 * static_cast<double>(i) / static_cast<double>(n - 1) - 1.0;
            y(i) = values[static_cast<std::size_t>(i)] / error;
            for (Eigen::Index k = 0; k <= degree; ++k)
                a(i, k) = std::pow(x, k) / error;
        }
        const Eigen::VectorXd fit = a * a.colPivHouseholderQr().solve(y);
        const double freedom = static_cast<double>(n - degree - 1);
        if ((y - fit).squaredNorm() > freedom + kChiSquareMargin * std::sqrt(2.0 * freedom))
            continue;
        for (Eigen::Index i = 0; i < n; ++i)
            values[static_cast<std::size_t>(i)] = fit(i) * errors[static_cast<std::size_t>(i)];
        return;
    }
}

/// One program in one kind of unit: its executions.
class PassSampler final {
public:
    PassSampler(const PassInputs& in, const FlatProgram& program, const PassShape& shape, int kind)
        : m_in(in),
          m_program(program),
          m_shape(shape),
          m_kind(in.job.kinds[index(kind)]),
          m_ranks(index(in.job.unitRanks())),
          m_owners(index(in.job.members * in.job.dataOwners)),
          m_routes(index(in.job.members) * index(program.layers)),
          m_clock(m_ranks),
          m_lengths(in.job)
    {
        for (int u = 0; u < in.job.units && in.speeds.measured(); ++u) {
            const UnitPattern& pattern = in.job.patterns[index(in.job.patternOf[index(u)])];
            for (std::size_t s = 0; s < pattern.kind.size(); ++s)
                if (pattern.kind[s] == kind)
                    m_cells.emplace_back(u, static_cast<int>(s));
        }
        countDraws();
    }

    PassTable make(double kernelDraws, std::stop_token stop)
    {
        PassTable out;
        out.computeSeconds = m_shape.seconds();
        out.routedSeconds = m_shape.routedSeconds();
        addCollectives(out);
        drawCells(kernelDraws, out.memberExtra);
        sampleResiduals(out, kernelDraws, stop);
        return out;
    }

private:
    /// Draws of an execution, and which classes have their rare events drawn separately.
    void countDraws()
    {
        std::vector<double> count(m_in.graph.classes.size(), 0.0);
        for (const Segment& s : m_program.segments) {
            for (const FlatKernels& k : s.kernels)
                count[index(k.kernelClass)] += static_cast<double>(k.meanSeconds.size() * m_ranks);
            if (s.collective >= 0)
                count[index(s.collective)] += static_cast<double>(barriersOf(s));
        }
        m_separate.assign(count.size(), false);
        for (std::size_t c = 0; c < count.size(); ++c) {
            m_cost += count[c];
            const double hazard = -std::log1p(-m_in.temporal[c].rareProbability) * count[c];
            if (hazard > 0.0 && hazard < kSeparateBelow) {
                m_separate[c] = true;
                m_hazard += hazard;
            }
        }
        m_cost = std::max(1.0, m_cost);
    }

    [[nodiscard]] std::size_t ranksOfBarrier(const Segment& s) const
    {
        return s.barrier == Barrier::unit ? m_ranks : index(s.barrier == Barrier::cell ? m_in.job.ranks : m_in.job.groupRanks);
    }
    [[nodiscard]] std::size_t barriersOf(const Segment& s) const { return m_ranks / ranksOfBarrier(s); }

    void addCollectives(PassTable& out) const
    {
        std::map<std::tuple<int, double, double, Barrier>, int> distinct;
        for (const Segment& s : m_program.segments)
            if (s.collective >= 0)
                ++distinct[{s.collective, s.meanSeconds * static_cast<double>(linkOf(m_in.graph, s, m_kind)), s.hiddenSeconds, s.barrier}];
        std::vector<double> extra(m_kind.link.size(), 0.0);
        for (const auto& [key, count] : distinct) {
            const auto& [of, mean, hidden, barrier] = key;
            const auto factor = pointsOf(m_in.temporal[index(of)]);
            const std::size_t scope = leavesNode(m_in.graph, of) ? 1 : 0;
            out.exposedMean[scope].resize(kRegimeNodes);
            out.exposedVariance[scope].resize(kRegimeNodes);
            for (std::size_t i = 0; i < kRegimeNodes; ++i) {
                const Moments m = exposed(factor, mean * std::exp(kRegimeLow + kRegimeStep * static_cast<double>(i)), hidden);
                out.exposedMean[scope][i] += count * m.mean;
                out.exposedVariance[scope][i] += count * m.variance;
            }
            if (scope == 1 && barrier != Barrier::unit)
                for (std::size_t k = 0; k < extra.size(); ++k)
                    extra[k] += count
                                * (exposed(factor, mean * static_cast<double>(m_kind.link[k] / m_kind.fastestLink()), hidden).mean
                                   - exposed(factor, mean, hidden).mean);
        }
        if (m_kind.slowestLink() > m_kind.fastestLink() && out.computeSeconds > 0.0)
            for (const double seconds : extra)
                out.memberExtra.push_back(static_cast<float>(seconds / out.computeSeconds));
    }

    /// Persistent factors of many cells, and the lengths that they have.
    void drawCells(double kernelDraws, const std::vector<float>& memberExtra)
    {
        const bool vary = m_in.speeds.varies() || !m_in.data.isConstant() || (!m_in.routing.isConstant() && m_shape.routedSeconds() > 0.0);
        const double affordable = kernelDraws / (static_cast<double>(m_ranks) * 8.0);
        m_blocks = vary ? static_cast<std::size_t>(std::clamp(affordable, 512.0, 8192.0)) / kLanes : 1;
        m_speed.resize(m_blocks * m_ranks);
        m_data.resize(m_blocks * m_owners);
        m_routing.resize(m_blocks * m_routes);
        const bool oneGroup = m_in.job.members * m_in.job.groups == 1;
        Rows speed(m_ranks), group(index(m_in.job.members * m_in.job.groups)), length(1);
        for (std::size_t b = 0; b < m_blocks; ++b) {
            LaneSeeds seeds;
            std::array<int, kLanes> units{};
            int stage = 0;
            for (std::size_t l = 0; l < kLanes; ++l) {
                seeds.set(l, laneSeed(m_in.seed, 0x63656c6cU, b, l));
                if (m_cells.empty())
                    continue;
                if (l == 0)
                    stage = m_cells[m_cells.size() * b / m_blocks].second;
                units[l] = unitAt(stage, b * kLanes + l);
            }
            m_in.speeds.draw(seeds, units.data(), stage, speed);
            for (std::size_t r = 0; r < m_ranks; ++r)
                for (std::size_t l = 0; l < kLanes; ++l)
                    m_speed.row(b * m_ranks + r)[l] = speed.row(r)[l] * (m_kind.speed.empty() ? 1.0F : m_kind.speed[r]);
            for (std::size_t o = 0; o < m_owners; ++o)
                drawRow(m_in.data, seeds, laneKey(Purpose::data, o), m_data.row(b * m_owners + o));
            for (std::size_t y = 0; y < m_routes; ++y)
                drawRow(m_in.routing, seeds, laneKey(Purpose::routing, y), m_routing.row(b * m_routes + y));
            m_lengths.slowestOfGroups(m_shape, m_kind, speed, group.row(0));
            const PassFactors factors{m_data.row(b * m_owners), m_routes > 0 ? m_routing.row(b * m_routes) : nullptr,
                                      memberExtra.empty() ? nullptr : memberExtra.data()};
            m_lengths.length(m_shape, group.row(0), factors, length.row(0));
            for (std::size_t l = 0; l < kLanes; ++l) {
                const float all = m_shape.seconds() > 0.0 ? length.row(0)[l] : 1.0F;
                m_cell.emplace_back(all, b * kLanes + l);
                m_rareLength.push_back(oneGroup && m_shape.seconds() > 0.0 ? group.row(0)[l] * m_data.row(b * m_owners)[l] : all);
            }
        }
        std::sort(m_cell.begin(), m_cell.end());
    }

    [[nodiscard]] int unitAt(int stage, std::size_t draw) const
    {
        std::size_t i = mix64(draw) % m_cells.size();
        while (m_cells[i].second != stage)
            i = (i + 1) % m_cells.size();
        return m_cells[i].first;
    }

    /// Cells around a length, [first, last) of the sorted ones.
    [[nodiscard]] std::pair<std::size_t, std::size_t> cellsAround(float x, float half) const
    {
        const auto at = [&](float value) {
            return static_cast<std::size_t>(std::lower_bound(m_cell.begin(), m_cell.end(), std::pair{value, std::size_t{0}})
                                            - m_cell.begin());
        };
        std::size_t first = at(x - half), last = at(x + half);
        const std::size_t requested = std::min<std::size_t>(m_cell.size(), kCellsOfNode);
        constexpr float kFar = std::numeric_limits<float>::infinity();
        while (last - first < requested) {
            const float below = first > 0 ? x - m_cell[first - 1].first : kFar,
                        above = last < m_cell.size() ? m_cell[last].first - x : kFar;
            if (last - first >= kMinCells && std::min(below, above) > 3.0F * half)
                break; // no cells of another lump (a rare GPU's) into this node
            below <= above ? void(--first) : void(++last);
        }
        return {first, last};
    }

    /// How many cells are longer than that, if they are enough for a node.
    [[nodiscard]] std::size_t cellsBeyond(float x) const
    {
        const auto many =
            static_cast<std::size_t>(m_cell.end() - std::upper_bound(m_cell.begin(), m_cell.end(), std::pair{x, m_cell.size()}));
        return many >= kMinCells ? many : 0;
    }

    /// Residuals at the nodes, and the shape that they share.
    struct Sampled {
        std::vector<double> location, locationError, spread, spreadError; ///< by node
        std::vector<double> standardised;
    };

    void sampleResiduals(PassTable& out, double kernelDraws, std::stop_token stop)
    {
        const auto at = [&](double share) {
            return m_cell[std::min(m_cell.size() - 1, static_cast<std::size_t>(share * static_cast<double>(m_cell.size())))].first;
        };
        const float low = at(kOutermost), high = at(1.0 - kOutermost);
        const int parts = m_hazard > 0.0 ? 2 : 1;
        const double blocks = std::max(1.0, kernelDraws / (m_cost * static_cast<double>(kLanes) * parts));
        const std::size_t nodes = high - low > 1e-6F * high ? std::min(kLengthNodes, static_cast<std::size_t>(std::max(1.0, blocks))) : 1;
        const std::size_t outlying = nodes == kLengthNodes ? cellsBeyond(high + 3.0F * (high - low) / static_cast<float>(nodes)) : 0;
        const std::size_t inside = outlying > 0 ? nodes - 1 : nodes; // the last node is that of cells far beyond the others
        const auto perNode = static_cast<std::size_t>(std::min(1024.0, std::max(1.0, blocks / static_cast<double>(nodes))));
        out.low = low;
        out.perNode = nodes > 1 ? static_cast<float>(inside - 1) / (high - low) : 0.0F;
        out.rareHazard = m_hazard;
        const RegimeFactors one;
        const double exposedMean = out.exposedSeconds(one), some = -std::expm1(-m_hazard);
        Sampled usual;
        std::vector<std::vector<double>> excess; // by node: over the usual mean, with rare events
        double mean = 0.0, square = 0.0, error = 0.0;
        for (int part = 0; part < parts; ++part)
            for (std::size_t j = 0; j < nodes; ++j) {
                if (stop.stop_requested())
                    return;
                const auto cells = j == inside ? std::pair{m_cell.size() - outlying, m_cell.size()}
                                   : nodes > 1 ? cellsAround(low + static_cast<float>(j) / out.perNode, 0.5F / out.perNode)
                                               : cellsAround(low, 0.0F);
                const std::vector<double> r = residualsOf(cells, perNode, part == 1, exposedMean);
                if (part == 1) {
                    excess.emplace_back();
                    for (const double x : r)
                        excess.back().push_back(x - usual.location[j]);
                } else {
                    add(usual, r, j < inside);
                }
                if (j == inside)
                    continue;
                const double weight = (parts == 1 ? 1.0 : part == 1 ? some : 1.0 - some) / static_cast<double>(inside), m = meanOf(r);
                mean += weight * m;
                square += weight * (m * m + varianceOf(r));
                error += weight * weight * varianceOf(r) / static_cast<double>(r.size());
            }
        smooth(usual.location, usual.locationError, inside);
        smooth(usual.spread, usual.spreadError, inside);
        finish(out.usual, usual, mean);
        if (parts == 2) {
            Sampled rare = sampledExcess(excess, cellsOfNodes(out, inside));
            rare.location = std::move(usual.location);
            finish(out.rare, rare, mean);
        }
        out.stdErr = std::sqrt(error);
        // Regimes stretch what is around the mean, not the mean wait itself.
        out.computeSeconds += mean;
        double collectives = 0.0;
        for (const auto& variance : out.exposedVariance)
            collectives += lookUp(variance, 1.0);
        out.residualVariance = std::max(0.0, square - mean * mean - collectives);
    }

    /// Mean and mean distance from it: one execution in a thousand with a rare event must not widen the others. What is not `ofShape` is
    /// too little and too unlike the others for the shape of all.
    static void add(Sampled& to, const std::vector<double>& r, bool ofShape)
    {
        const double location = meanOf(r), n = static_cast<double>(r.size());
        std::vector<double> distance;
        for (const double x : r)
            distance.push_back(std::abs(x - location));
        const double spread = meanOf(distance);
        to.location.push_back(location);
        to.locationError.push_back(std::sqrt(varianceOf(r) / n));
        to.spread.push_back(spread);
        to.spreadError.push_back(std::sqrt(varianceOf(distance) / n));
        for (const double x : r)
            if (ofShape)
                to.standardised.push_back(spread > 0.0 ? (x - location) / spread : 0.0);
    }

    /// Cells whose length is nearest to each of the first `inside` nodes.
    [[nodiscard]] std::vector<double> cellsOfNodes(const PassTable& table, std::size_t inside) const
    {
        std::vector<double> cells(inside, 0.0);
        for (const auto& [length, number] : m_cell)
            ++cells[static_cast<std::size_t>(std::clamp((length - table.low) * table.perNode, 0.0F, static_cast<float>(inside - 1))
                                             + 0.5F)];
        return cells;
    }

    /// What rare events add, by node. A long pass is that of a slow rank, and most events hit another one: its share is smaller there.
    /// Where the errors of the means allow it, it is one for all nodes with `cells`, in whose proportion they give the shape.
    static Sampled sampledExcess(const std::vector<std::vector<double>>& excess, const std::vector<double>& cells)
    {
        Sampled out;
        const std::size_t inside = cells.size();
        for (const std::vector<double>& node : excess) {
            out.spread.push_back(meanOf(node));
            out.spreadError.push_back(std::sqrt(varianceOf(node) / static_cast<double>(node.size())));
        }
        smooth(out.spread, out.spreadError, inside);
        const auto [low, high] = std::minmax_element(out.spread.begin(), out.spread.begin() + static_cast<std::ptrdiff_t>(inside));
        if (inside < kSmoothNodes || !(*low > kMinShare * *high)) // too few executions for a mean of each, or events that shorten a pass
            std::fill(out.spread.begin(), out.spread.end(), 1.0);
        const double largest = *std::max_element(cells.begin(), cells.end());
        for (std::size_t j = 0; j < inside; ++j) {
            const double rows = static_cast<double>(excess[j].size()), taken = std::ceil(rows * cells[j] / largest);
            for (double i = 0; i < taken; ++i)
                out.standardised.push_back(excess[j][static_cast<std::size_t>(i * rows / taken)] / out.spread[j]);
        }
        return out;
    }

    static void finish(Residual& out, Sampled& sampled, double mean)
    {
        const std::size_t nodes = sampled.location.size();
        for (std::size_t j = 0; j < kLengthNodes; ++j) {
            const std::size_t i = std::min(j, nodes - 1), next = std::min(j + 1, nodes - 1);
            out.location[j] = static_cast<float>(sampled.location[i] - mean);
            out.locationRise[j] = static_cast<float>(sampled.location[next] - sampled.location[i]);
            out.spread[j] = static_cast<float>(sampled.spread[i]);
            out.spreadRise[j] = static_cast<float>(sampled.spread[next] - sampled.spread[i]);
        }
        out.shape = sampleTable(std::move(sampled.standardised));
    }

    /// Residuals of executions of cells [first, last), as shares of their lengths.
    std::vector<double> residualsOf(std::pair<std::size_t, std::size_t> cells, std::size_t blocks, bool rare, double exposedMean)
    {
        const auto [first, last] = cells;
        const std::size_t many = last - first, all = blocks * kLanes;
        std::vector<double> out;
        Rows speed(m_ranks), data(m_owners), routing(m_routes), took(1);
        for (std::size_t b = 0; b < blocks; ++b) {
            LaneSeeds seeds;
            std::array<double, kLanes> hazard{};
            std::array<float, kLanes> length{}, share{};
            const std::uint64_t execution = m_executions++;
            for (std::size_t l = 0; l < kLanes; ++l) {
                const std::size_t i = b * kLanes + l;
                const auto& [of, cell] = m_cell[first + (all <= many ? i * many / all : i % many)];
                length[l] = of;
                share[l] = rare ? m_rareLength[cell] : of;
                const auto copy = [&](const Rows& from, std::size_t rows, Rows& to) {
                    for (std::size_t r = 0; r < rows; ++r)
                        to.row(r)[l] = from.row(cell / kLanes * rows + r)[cell % kLanes];
                };
                copy(m_speed, m_ranks, speed);
                copy(m_data, m_owners, data);
                copy(m_routing, m_routes, routing);
                seeds.set(l, laneSeed(m_in.seed, 0x70617373U, execution, l));
                hazard[l] = rare ? -std::log1p(-uniformOf(laneWord(seeds.at(l), {0xa5a5U, 0x5a5aU})) * -std::expm1(-m_hazard))
                                 : std::numeric_limits<double>::infinity();
            }
            execute(seeds, speed, data, routing, hazard, took.row(0));
            for (std::size_t l = 0; l < kLanes; ++l)
                out.push_back((static_cast<double>(took.row(0)[l]) - m_shape.seconds() * static_cast<double>(length[l]) - exposedMean)
                              / static_cast<double>(share[l]));
        }
        return out;
    }

    using Hazards = std::array<double, kLanes>;

    /// Runs the program with every rank and kernel; hazard[l]: distance to the lane's next rare event of the classes drawn separately.
    void execute(const LaneSeeds& seeds, const Rows& speed, const Rows& data, const Rows& routing, Hazards& hazard, float* took)
    {
        m_clock.fill(0.0F);
        std::uint64_t draws = 0;
        for (const Segment& s : m_program.segments) {
            for (const FlatKernels& k : s.kernels)
                draws += runClass(k, seeds, draws, speed, data, routing, hazard);
            if (s.collective >= 0)
                draws += collective(s, seeds, draws, hazard);
        }
        softMaximum(m_clock.row(0), m_ranks, kSharp, took);
    }

    std::uint64_t runClass(const FlatKernels& k, const LaneSeeds& seeds, std::uint64_t firstDraw, const Rows& speed, const Rows& data,
                           const Rows& routing, Hazards& hazard)
    {
        const DrawTable& table = m_in.temporal[index(k.kernelClass)];
        const std::size_t perMember = index(m_in.job.ranks), kernels = k.meanSeconds.size(), layers = index(m_program.layers);
        KernelRun run;
        run.table = &table;
        run.meanSeconds = k.meanSeconds.data();
        run.kernels = kernels;
        run.ranks = perMember;
        run.ranksPerOwner = m_in.job.dataOwners > 1 ? index(m_in.job.groupRanks) : perMember;
        run.sensitivity = static_cast<float>(m_in.graph.classes[index(k.kernelClass)].spatialSensitivity);
        run.withRare = !m_separate[index(k.kernelClass)];
        std::vector<const float*> routes(kernels, nullptr);
        for (std::size_t member = 0; member < index(m_in.job.members); ++member) {
            for (std::size_t i = 0; i < kernels; ++i)
                routes[i] = k.layer[i] < 0 ? nullptr : routing.row(member * layers + index(k.layer[i]));
            run.routing = routes.data();
            run.speeds = speed.row(member * perMember);
            run.data = data.row(member * index(m_in.job.dataOwners));
            const std::uint64_t first = firstDraw + member * perMember * kernels;
            runKernels(run, seeds, first, m_clock.row(member * perMember));
            if (!run.withRare)
                addRare(run, seeds, first, hazard, m_clock.row(member * perMember));
        }
        return m_ranks * kernels;
    }

    static void addRare(const KernelRun& run, const LaneSeeds& seeds, std::uint64_t firstDraw, Hazards& hazard, float* clocks)
    {
        const DrawTable& table = *run.table;
        const double rate = -std::log1p(-table.rareProbability);
        const std::size_t draws = run.ranks * run.kernels;
        for (std::size_t l = 0; l < kLanes; ++l)
            eventsOf(hazard[l], rate, draws, seeds.at(l), firstDraw, [&](std::size_t i) {
                const std::size_t r = i / run.kernels, q = i % run.kernels;
                const std::uint32_t word = laneWord(seeds.at(l), executionKey(firstDraw + i));
                const float speed = 1.0F + run.sensitivity * (run.speeds[r * kLanes + l] - 1.0F);
                clocks[r * kLanes + l] += run.meanSeconds[q] * (table.rare.at(word) - table.body.at(word))
                                          * (run.routing[q] != nullptr ? run.routing[q][l] : 1.0F) * speed
                                          * run.data[r / run.ranksPerOwner * kLanes + l];
            });
    }

    /// Calls `at` with the index of each rare event among `draws` draws. `hazard`: distance to the next event, across calls.
    template <class At>
    static void eventsOf(double& hazard, double rate, std::size_t draws, LaneSeed seed, std::uint64_t firstDraw, const At& at)
    {
        const double all = rate * static_cast<double>(draws);
        while (hazard < all) {
            const auto i = std::min(draws - 1, static_cast<std::size_t>(hazard / rate));
            at(i);
            const LaneKey key = executionKey(firstDraw + i);
            hazard =
                static_cast<double>(i + 1) * rate - std::log(uniformOf(laneWord(seed, {key.low ^ 0x5bd1e995U, key.high ^ 0x1b873593U})));
        }
        hazard -= all;
    }

    std::uint64_t collective(const Segment& s, const LaneSeeds& seeds, std::uint64_t firstDraw, Hazards& hazard)
    {
        const DrawTable& table = m_in.temporal[index(s.collective)];
        const bool separate = m_separate[index(s.collective)], leaves = leavesNode(m_in.graph, s.collective);
        const std::size_t ranks = ranksOfBarrier(s), barriers = barriersOf(s);
        Rows factor(1), latest(1);
        for (std::size_t b = 0; b < barriers; ++b) {
            float* clocks = m_clock.row(b * ranks);
            softMaximum(clocks, ranks, kSharp, latest.row(0));
            const LaneKey key = executionKey(firstDraw + b);
            if (!separate)
                drawRow(table, seeds, key, factor.row(0));
            for (std::size_t l = 0; separate && l < kLanes; ++l) {
                const std::uint32_t word = laneWord(seeds.at(l), key);
                factor.row(0)[l] = table.body.at(word);
                eventsOf(hazard[l], -std::log1p(-table.rareProbability), 1, seeds.at(l), firstDraw + b,
                         [&](std::size_t) { factor.row(0)[l] = table.rare.at(word); });
            }
            const float link = !leaves                      ? 1.0F
                               : s.barrier == Barrier::unit ? m_kind.slowestLink()
                                                            : m_kind.link[b * ranks / index(m_in.job.ranks)];
            const float mean = static_cast<float>(s.meanSeconds) * link, hidden = static_cast<float>(s.hiddenSeconds);
            for (std::size_t l = 0; l < kLanes; ++l)
                latest.row(0)[l] += std::max(0.0F, mean * factor.row(0)[l] - hidden);
            for (std::size_t r = 0; r < ranks; ++r)
                std::copy_n(latest.row(0), kLanes, clocks + r * kLanes);
        }
        return barriers;
    }

    const PassInputs& m_in;
    const FlatProgram& m_program;
    const PassShape& m_shape;
    const UnitKind& m_kind;
    std::size_t m_ranks, m_owners, m_routes;
    std::vector<std::pair<int, int>> m_cells; ///< (unit, stage) of this kind, of a job with measured speeds
    std::vector<bool> m_separate;             ///< per class
    double m_cost = 0.0, m_hazard = 0.0;      ///< draws of one execution; of rare events drawn separately
    std::size_t m_blocks = 1;
    std::uint64_t m_executions = 0;
    Rows m_speed, m_data, m_routing, m_clock;
    std::vector<std::pair<float, std::size_t>> m_cell; ///< length and number, ascending
    std::vector<float> m_rareLength;                   ///< by number: the length that rare events go with
    PassLengths m_lengths;
};

} // namespace

float linkOf(const StepGraph& graph, const Segment& s, const UnitKind& kind)
{
    if (!leavesNode(graph, s.collective))
        return 1.0F;
    return s.barrier == Barrier::unit ? kind.slowestLink() : kind.fastestLink();
}

double PassTable::exposedSeconds(const RegimeFactors& r) const
{
    return lookUp(exposedMean[0], r.intra) + lookUp(exposedMean[1], r.inter);
}

double PassTable::stretch(const RegimeFactors& r) const
{
    const double own = residualVariance + lookUp(exposedVariance[0], 1.0) + lookUp(exposedVariance[1], 1.0);
    if (!(own > 1e-11 * computeSeconds * computeSeconds))
        return 1.0;
    const double scale = regimeSeconds(r) / computeSeconds,
                 now = residualVariance * scale * scale + lookUp(exposedVariance[0], r.intra) + lookUp(exposedVariance[1], r.inter);
    return std::sqrt(now / own);
}

std::size_t PassTable::bytes() const
{
    std::size_t out = sizeof *this + memberExtra.size() * sizeof(float);
    for (const auto* grids : {&exposedMean, &exposedVariance})
        for (const auto& grid : *grids)
            out += grid.size() * sizeof(double);
    return out + (usual.shape.steps.size() + rare.shape.steps.size()) * sizeof(float);
}

PassTable passTable(const PassInputs& in, const FlatProgram& program, const PassShape& shape, int kind, double kernelDraws,
                    std::stop_token stop)
{
    return PassSampler(in, program, shape, kind).make(kernelDraws, stop);
}

} // namespace prism
