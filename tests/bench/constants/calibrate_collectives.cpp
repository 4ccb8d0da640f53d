// SPDX-License-Identifier: GPL-3.0-or-later
// The collective part of the calibration: bus-bandwidth curves inside a node, constants of the network between nodes.
#include "bench/constants/calibrate.h"
#include "core/calibrate/collectiveagreement.h"
#include "core/cost/costmodel.h"
#include "bench/constants/fitting.h"
#include "core/stats/moments.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace prism {
namespace {

GpuCalibration* gpuOf(Calibration& c, const std::string& family)
{
    const auto it = std::find_if(c.gpus.begin(), c.gpus.end(), [&](const GpuCalibration& g) { return g.family == family; });
    return it != c.gpus.end() ? &*it : nullptr;
}

/// A table with the cluster that it was measured on; the fit may move what its fabric states.
struct FitTable {
    const CollectiveTable* table = nullptr;
    std::size_t machine = 0;
};

struct NetworkFit {
    std::vector<ClusterConfig> machines;
    std::vector<FitTable> tables;
};

/// Tables between nodes, and inside nodes of fabrics that state their own latency.
NetworkFit networkFit(const CollectiveFolder& folder)
{
    NetworkFit fit;
    std::map<std::string, std::size_t> machineOf;
    for (const CollectiveTable& table : folder.tables) {
        const Result<ClusterConfig> cluster = clusterOf(table);
        if (!cluster || table.shapeOnly || !table.remark.empty()
            || (table.rows.front().group.nodes == 1 && !(cluster->intraNodeBaseLatencyUs > 0)))
            continue;
        const auto [it, added] = machineOf.try_emplace(table.fabric, fit.machines.size());
        if (added)
            fit.machines.push_back(*cluster);
        fit.tables.push_back({&table, it->second});
    }
    return fit;
}

/// The shortest message of the fit: where nccl-tests' own tables begin.
constexpr double kShortest = 1024;

/// Mean absolute logarithm of prediction over measurement, what is beyond 8 % fivefold. A table counts once for every doubling of the
/// message that it has, and within it a size by the root of its rows. One error counts at most 30 %.
double networkLoss(const NetworkFit& fit, const Calibration& calibration)
{
    double loss = 0, doublings = 0;
    for (const FitTable& t : fit.tables) {
        const ClusterConfig& cluster = fit.machines[t.machine];
        const CollectiveModel model(cluster, gpuCalibration(calibration, cluster.gpu), calibration.network);
        std::map<long, std::pair<double, double>> bySize;
        for (const CollectiveRow& r : t.table->rows) {
            if (r.bytes < kShortest)
                continue;
            const double e = std::min(0.3, std::abs(std::log(model.seconds(r.op, r.group, r.bytes) / r.seconds)));
            auto& [sum, rows] = bySize[std::lround(std::log2(r.bytes))];
            sum += e + 4 * std::max(0.0, e - 0.08);
            ++rows;
        }
        double sum = 0, weight = 0;
        for (const auto& [size, bin] : bySize) {
            sum += bin.first / std::sqrt(bin.second);
            weight += std::sqrt(bin.second);
        }
        loss += sum / std::max(1.0, weight) * static_cast<double>(bySize.size());
        doublings += static_cast<double>(bySize.size());
    }
    return loss / std::max(1.0, doublings);
}

/// A dense table of all-reduces inside a node at the knots of a curve, as if every group had all links of its GPUs.
std::vector<BusRow> knotRows(const CollectiveTable& table)
{
    const Result<ClusterConfig> cluster = clusterOf(table);
    if (!cluster || table.rows.size() < 2)
        return {};
    const std::int64_t ranks = table.rows.front().group.size;
    const double links = linkShare(*cluster, ranks);
    std::vector<std::pair<double, double>> points; // logarithms of the message on all links and of its bus bandwidth
    for (const CollectiveRow& r : table.rows)
        points.emplace_back(std::log2(r.bytes / links), std::log2(busFactor(r.op, ranks) * r.bytes / r.seconds * 1e-9 / links));
    std::sort(points.begin(), points.end());
    std::vector<BusRow> rows;
    for (int k = 0; k < kCurveKnots; ++k) {
        const double at = kCurveFirstLog2 + k;
        if (at < points.front().first - 1 || at > points.back().first)
            continue;
        std::vector<double> near; // rows within 6 %: their median; else between the two neighbours
        for (const auto& [length, bus] : points)
            if (std::abs(length - at) < std::log2(1.06))
                near.push_back(bus);
        const auto right = std::lower_bound(points.begin() + 1, points.end() - 1, std::pair(at, -1e300)), left = right - 1;
        const double width = std::max(1e-9, right->first - left->first);
        const double bus = near.empty() ? left->second + (at - left->first) / width * (right->second - left->second) : medianOf(near);
        rows.push_back({gpuType(cluster->gpu), 0, static_cast<int>(ranks), std::exp2(at), std::exp2(bus), cluster->intraNodeGbPerS});
    }
    return rows;
}

} // namespace

void addDenseTables(std::vector<BusRow>& rows, const CollectiveFolder& folder)
{
    std::map<std::tuple<std::string, int, int>, double> longest;
    for (const BusRow& r : rows)
        longest[{r.type, r.op, r.ranks}] = std::max(longest[{r.type, r.op, r.ranks}], r.bytes);
    for (const CollectiveTable& table : folder.tables) {
        const CollectiveRow& first = table.rows.front();
        if (!table.remark.empty() || first.group.nodes > 1 || first.op != CollectiveOp::allReduce)
            continue;
        for (const BusRow& r : knotRows(table))
            if (const auto it = longest.find({r.type, r.op, r.ranks}); it == longest.end() || r.bytes > 1.5 * it->second)
                rows.push_back(r);
    }
}

/// Shares of the link's bandwidth by system, operation, ranks and power of two of the bytes; several versions and data types each.
using MeasuredShares = std::map<std::tuple<std::string, int, int, int>, std::vector<double>>;

/// One curve over the bytes: the median of what was measured at each power of two, beyond the table with half of the gain each time.
template <typename Curve>
void fillCurve(Curve& curve, const MeasuredShares& shares, const std::string& type, int op, int ranks)
{
    double last = 0, slope = 0;
    for (int k = 0; k < kCurveKnots; ++k) {
        double& at = curve[static_cast<std::size_t>(k)];
        if (const auto it = shares.find({type, op, ranks, kCurveFirstLog2 + k}); it != shares.end()) {
            // A longer message takes no less time: the noise of short ones does not stand for a faster protocol.
            const double measured = medianOf(it->second), s = last > 0 ? std::min(measured, 2 * last) : measured;
            slope = last > 0 ? s - last : 0;
            last = at = s;
        } else if (last > 0) {
            slope = std::max(0.0, slope / 2);
            last = at = last + slope;
        }
    }
}

/// Error of the fitted curves on every row of a system from 1 MB.
FitReport busReport(const Calibration& calibration, const std::vector<BusRow>& rows, const std::string& type)
{
    FitReport report{{}, type + ": bus bandwidth"};
    int within = 0;
    Scenario s;
    s.cluster.gpu.preset = type;
    s.cluster.nvlsSupported = true;
    for (const BusRow& r : rows) {
        if (r.type != type || r.bytes < 1 << 20)
            continue;
        s.cluster.intraNodeGbPerS = r.linkGbPerS;
        const CostModel cost(s, calibration);
        const double e = cost.collectives().intraBusBandwidth(static_cast<CollectiveOp>(r.op), r.ranks, r.bytes) / (r.busGbPerS * 1e9) - 1;
        report.add(e);
        within += std::abs(e) <= 0.1 ? 1 : 0;
    }
    report.what += ", " + std::to_string(100 * within / std::max(1, report.rows)) + " % of the rows within 10 %";
    return report;
}

void fitCurves(Calibration& calibration, const std::vector<BusRow>& rows, std::vector<FitReport>& reports)
{
    MeasuredShares shares;
    std::set<std::string> types;
    std::set<std::pair<std::string, int>> measured;
    for (const BusRow& r : rows)
        if (r.bytes >= std::exp2(kCurveFirstLog2) && r.busGbPerS > 0) {
            shares[{r.type, r.op, r.ranks, static_cast<int>(std::lround(std::log2(r.bytes)))}].push_back(r.busGbPerS / r.linkGbPerS);
            types.insert(r.type);
            measured.insert({r.type, r.op});
        }
    const auto fit = [&](const std::string& type, BusShare& share) {
        for (std::size_t op = 0; op < static_cast<std::size_t>(kCurveOps); ++op)
            for (std::size_t n = 0; n < static_cast<std::size_t>(kCurveSizes); ++n) {
                // A ring's bandwidth does not depend on what it carries: all-gather and reduce-scatter that were not measured are as
                // all-reduce.
                if ((op == 1 || op == 2) && !measured.contains({type, static_cast<int>(op)}))
                    share[op][n] = share[0][n];
                fillCurve(share[op][n], shares, type, static_cast<int>(op), 2 << n);
            }
    };
    std::erase_if(calibration.curves, [&](const BusCurves& c) { return types.contains(c.type); });
    for (const std::string& type : types)
        if (GpuCalibration* family = gpuOf(calibration, type))
            fit(type, family->busShare);
    for (const std::string& type : types)
        if (gpuOf(calibration, type) == nullptr) {
            GpuSpec gpu;
            gpu.preset = type;
            calibration.curves.push_back({type, gpuCalibration(calibration, gpu).busShare});
            fit(type, calibration.curves.back().share);
        }
    for (const std::string& type : types)
        reports.push_back(busReport(calibration, rows, type));
}

void fitNetwork(Calibration& calibration, const CollectiveFolder& folder, std::vector<FitReport>& reports)
{
    NetworkFit fit = networkFit(folder);
    if (fit.tables.empty())
        return;
    struct Free {
        std::string name;
        double* value;
        double low, high;
    };
    NetworkCalibration& n = calibration.network;
    std::vector<Free> constants = {{"network.efficiency", &n.efficiency, 0.3, 1},
                                   {"network.pair_efficiency", &n.pairEfficiency, 0.3, 1},
                                   {"network.ring_hop", &n.ringHop, 0.3, 3},
                                   {"network.tree_hop", &n.treeHop, 0.3, 3},
                                   {"network.tree_efficiency", &n.treeEfficiency, 0.3, 0.9},
                                   {"network.low_latency_gb_per_s", &n.lowLatencyGbPerS, 0.3, 25}};
    const std::size_t ofNetwork = constants.size();
    for (ClusterConfig& machine : fit.machines) {
        if (machine.interNodeEfficiency > 0)
            constants.push_back({machine.fabricPreset + " inter_node_efficiency", &machine.interNodeEfficiency, 0.3, 1});
        if (machine.intraNodeBaseLatencyUs > 0)
            constants.push_back({machine.fabricPreset + " intra_node_base_latency_us", &machine.intraNodeBaseLatencyUs, 1, 200});
    }
    double best = networkLoss(fit, calibration);
    for (int round = 0; round < 12; ++round) {
        const double before = best, width = round < 3 ? 1.6 : 1.15;
        for (const Free& free : constants) {
            const double old = std::clamp(*free.value, free.low, free.high);
            *free.value = minimum(std::max(free.low, old / width), std::min(free.high, old * width), 12, [&](double x) {
                *free.value = x;
                return networkLoss(fit, calibration);
            });
            if (const double loss = networkLoss(fit, calibration); loss < best)
                best = loss;
            else
                *free.value = old;
        }
        if (round > 3 && before - best < 1e-6)
            break;
    }
    int rows = 0;
    for (const FitTable& t : fit.tables)
        rows += static_cast<int>(t.table->rows.size());
    for (std::size_t i = ofNetwork; i < constants.size(); ++i)
        reports.push_back({{rows, best, 0, 0}, "fitted for the preset: " + constants[i].name + " " + std::to_string(*constants[i].value)});
}

namespace {

void crossValidateNetwork(const Calibration& calibration, const CollectiveFolder& folder, std::vector<FitReport>& reports)
{
    const NetworkFit fit = networkFit(folder);
    for (const FitTable& left : fit.tables) {
        if (left.table->rows.front().group.nodes == 1)
            continue;
        CollectiveFolder rest, one;
        for (const FitTable& t : fit.tables)
            (t.table == left.table ? one : rest).tables.push_back(*t.table);
        Calibration c = calibration;
        c.network = NetworkCalibration{};
        std::vector<FitReport> unused;
        fitNetwork(c, rest, unused);
        if (const auto found = agreement(one, c, 1 << 20, 8.0 * (1 << 30)); found && !found->empty())
            reports.push_back({found->front(), "held out: table " + left.table->name + ", "
                                                   + std::to_string(100 * found->front().within / found->front().rows)
                                                   + " % of the rows within 10 %"});
    }
}

} // namespace

void fitCollectives(Calibration& calibration, std::vector<BusRow> rows, const CollectiveFolder& folder, bool leaveTablesOut,
                    std::vector<FitReport>& reports)
{
    addDenseTables(rows, folder);
    fitCurves(calibration, rows, reports);
    fitNetwork(calibration, folder, reports);
    if (leaveTablesOut)
        crossValidateNetwork(calibration, folder, reports);
    if (const auto tables = agreement(folder, calibration, 1 << 20, 8.0 * (1 << 30)))
        for (const TableAgreement& t : *tables)
            reports.push_back({t, "collectives: " + t.name + (t.remark.empty() ? "" : " (" + t.remark + ")")});
}

} // namespace prism
