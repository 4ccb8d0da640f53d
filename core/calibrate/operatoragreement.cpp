// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/calibrate/operatoragreement.h"

#include "core/cost/costmodel.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace prism {
namespace {

/// Bytes of an element; passes over memory of an activation or norm: read and written, and in the backward the gradient too.
constexpr double kElement = 2, kForwardPasses = 2, kBackwardPasses = 3;
/// Feed-forward width over hidden size of the layers in such tables (GPT), and projections in one: query, key and value.
constexpr double kWider = 4, kProjections = 3;

CostModel modelOf(const OperatorMachine& machine)
{
    Scenario s;
    s.cluster.gpu = machine.gpu;
    s.cluster.gpu.boardPowerW = 0; // benchmarks are too short to feel the board's limit
    s.training.attentionBackend = machine.attentionBackend;
    return {s, calibration()};
}

double attentionSeconds(const MeasuredOperator& o, const CostModel& model, bool causal)
{
    Kernel k;
    k.id = KernelId::attention;
    k.kind = CostKind::attention;
    k.backward = o.backward;
    k.headDim = k.k = o.hidden / o.heads;
    const double heads = std::max(1.0, o.heads / o.tensorRanks), pairs = o.batch * heads * o.sequence * o.sequence * (causal ? 0.5 : 1.0);
    k.flops = 2 * pairs * k.headDim * (o.backward ? 5 : 2);
    k.m = o.sequence;
    k.n = o.sequence * (causal ? 1 : 2); // without mask a kernel works like a causal one of twice the length
    k.batch = o.batch * heads;
    k.bytes = kElement * o.batch * o.sequence * heads * 2 * k.headDim * (o.backward ? 4 : 2);
    return model.attentionSeconds(k);
}

double seconds(const MeasuredOperator& o, const CostModel& model, bool causal)
{
    const double tokens = o.batch * o.sequence;
    const auto product = [&](double width) {
        const double n = width * o.hidden / o.tensorRanks;
        return o.backward ? model.gemmSeconds(tokens, o.hidden, n, 1, o.precision) + model.gemmSeconds(o.hidden, n, tokens, 1, o.precision)
                          : model.gemmSeconds(tokens, n, o.hidden, 1, o.precision);
    };
    const double passes = o.backward ? kBackwardPasses : kForwardPasses;
    switch (o.kind) {
    case OperatorKind::product:
        return model.gemmSeconds(o.m, o.n, o.k, 1, o.precision);
    case OperatorKind::qkv:
        return product(kProjections);
    case OperatorKind::feedForward:
        return product(kWider);
    case OperatorKind::attention:
        return attentionSeconds(o, model, causal);
    case OperatorKind::activation:
        return model.memorySeconds(passes * kElement * tokens * kWider * o.hidden / o.tensorRanks);
    case OperatorKind::norm:
        return model.memorySeconds(passes * kElement * tokens * o.hidden);
    }
    return 0;
}

/// "a100" of "a100_sxm", "h100" of "reference/h100".
bool ofSystem(const std::string& system, const std::string& type)
{
    const std::string name = system.substr(system.find_last_of('/') + 1);
    return system.empty() || name.substr(0, name.find_first_of("_- ")) == type;
}

std::string groupOf(const MeasuredOperator& o)
{
    const char* precision = o.precision == MatrixPrecision::fp8      ? " FP8"
                            : o.precision == MatrixPrecision::fp4    ? " FP4"
                            : o.precision == MatrixPrecision::bits16 ? " 16 bit"
                                                                     : " 32 bit";
    return std::string(operatorName(o.kind)) + (o.kind == OperatorKind::product ? precision : o.backward ? " backward" : " forward");
}

BoostedTrees::Features shapeOf(const MeasuredOperator& o)
{
    const auto log = [](double x) { return std::log(std::max(1e-30, x)); };
    if (o.kind == OperatorKind::product)
        return {log(o.m), log(o.n), log(o.k)};
    if (o.kind == OperatorKind::attention)
        return {log(o.batch * o.heads / o.tensorRanks), log(o.hidden / o.heads), log(o.sequence)};
    return {log(o.batch * o.sequence), log(o.hidden / o.tensorRanks), log(o.hidden)};
}

} // namespace

double operatorSeconds(const MeasuredOperator& measured, const OperatorMachine& machine)
{
    return seconds(measured, modelOf(machine), machine.causal);
}

OperatorReport operatorReport(const std::vector<MeasuredOperator>& rows, const OperatorMachine& machine)
{
    OperatorReport report;
    const CostModel model = modelOf(machine);
    const std::string type = gpuType(machine.gpu);
    std::map<std::string, OperatorAgreement> groups;
    std::map<std::string, std::vector<ShapePoint>> points;
    for (const MeasuredOperator& o : rows) {
        if (!ofSystem(o.system, type)) {
            ++report.otherSystems;
            continue;
        }
        ComparedOperator row{o, seconds(o, model, machine.causal), 0};
        row.error = row.predicted / o.seconds - 1;
        OperatorAgreement& group = groups[groupOf(o)];
        group.add(row.error);
        group.within10 += std::abs(row.error) <= 0.1 ? 1 : 0;
        group.within25 += std::abs(row.error) <= 0.25 ? 1 : 0;
        points[groupOf(o)].push_back({shapeOf(o), std::log(o.seconds / row.predicted)});
        report.rows.push_back(std::move(row));
    }
    for (auto& [name, group] : groups) {
        group.name = name;
        group.corrected = crossValidated(points[name]);
        report.groups.push_back(group);
    }
    return report;
}

} // namespace prism
