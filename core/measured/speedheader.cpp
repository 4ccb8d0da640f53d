// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measured/speedheader.h"

#include "core/base/text.h"

#include <algorithm>
#include <cctype>

namespace prism {

namespace {

constexpr std::string_view kNodeNames[] = {"node", "host", "hostname", "host_name", "node_id", "node_name", "nodename", "server"};
constexpr std::string_view kGpuNames[] = {"gpu", "gpu_id", "gpu_index", "device", "device_id", "device_index", "local_rank"};
/// Quantities that need a unit, in brackets or as the end of the name: "gemm_tflops", "step time (ms)".
constexpr std::string_view kQuantities[] = {
    "",     "speed",     "performance", "perf",        "throughput",     "compute",     "gemm",          "matmul",         "bf16",
    "fp16", "fp8",       "fp32",        "achieved",    "measured",       "time",        "duration",      "latency",        "elapsed",
    "step", "step_time", "gemm_time",   "kernel_time", "iteration_time", "matmul_time", "gemm_duration", "kernel_duration"};
/// Names of relative quantities, for which 1 is the reference.
constexpr std::string_view kRelativeNames[] = {"relative_speed",       "rel_speed",     "speed",
                                               "relative_performance", "relative_perf", "speed_factor"};

struct UnitName {
    std::string_view name;
    SpeedUnit unit;
    double toBase;
};
constexpr UnitName kUnits[] = {
    {"tflops", SpeedUnit::tflops, 1},       {"tflop/s", SpeedUnit::tflops, 1},    {"tflops/s", SpeedUnit::tflops, 1},
    {"gflops", SpeedUnit::tflops, 1e-3},    {"gflop/s", SpeedUnit::tflops, 1e-3}, {"gflops/s", SpeedUnit::tflops, 1e-3},
    {"pflops", SpeedUnit::tflops, 1e3},     {"pflop/s", SpeedUnit::tflops, 1e3},  {"pflops/s", SpeedUnit::tflops, 1e3},
    {"seconds", SpeedUnit::seconds, 1},     {"s", SpeedUnit::seconds, 1},         {"sec", SpeedUnit::seconds, 1},
    {"ms", SpeedUnit::seconds, 1e-3},       {"us", SpeedUnit::seconds, 1e-6},     {"\xC2\xB5s", SpeedUnit::seconds, 1e-6},
    {"percent", SpeedUnit::relative, 0.01}, {"%", SpeedUnit::relative, 0.01},
};

template <std::size_t n>
bool contains(const std::string_view (&names)[n], std::string_view name)
{
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// "Relative Speed" -> "relative_speed"; "Time [ms]" -> "time_ms"; "TFLOP/s" -> "tflop/s".
std::string plainName(std::string_view text)
{
    std::string name;
    for (const char c : text) {
        const bool gap = c == ' ' || c == '-' || c == '_' || c == '(' || c == ')' || c == '[' || c == ']';
        if (!gap)
            name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        else if (!name.empty() && name.back() != '_')
            name += '_';
    }
    while (!name.empty() && name.back() == '_')
        name.pop_back();
    return name;
}

/// The unit of a value column; null where the name is not a speed.
const UnitName* unitOf(const std::string& name)
{
    static constexpr UnitName kRelative{"", SpeedUnit::relative, 1};
    if (contains(kRelativeNames, name))
        return &kRelative;
    for (const UnitName& unit : kUnits) {
        if (!name.ends_with(unit.name))
            continue;
        std::string_view quantity = std::string_view(name).substr(0, name.size() - unit.name.size());
        if (!quantity.empty() && quantity.back() != '_')
            continue;
        while (!quantity.empty() && quantity.back() == '_')
            quantity.remove_suffix(1);
        const bool isPlainSecond = unit.name == "s" && quantity.empty();
        const bool known = contains(kQuantities, quantity) || (unit.unit == SpeedUnit::relative && contains(kRelativeNames, quantity));
        if (known && !isPlainSecond)
            return &unit;
    }
    return nullptr;
}

Diagnostic problem(std::string message, const std::string& found, std::string accepted)
{
    return {Severity::error, "", std::move(message), found, std::move(accepted), "", ""};
}

} // namespace

bool SpeedHeader::hasGpu() const
{
    return std::find(columns.begin(), columns.end(), SpeedColumn::gpu) != columns.end();
}

Result<SpeedHeader> readSpeedHeader(const std::vector<std::string>& cells)
{
    SpeedHeader header;
    Diagnostics errors;
    std::string names;
    for (const std::string& cell : cells) {
        const std::string name = plainName(cell);
        names += (names.empty() ? "" : ", ") + cell;
        SpeedColumn column = SpeedColumn::ignored;
        if (contains(kNodeNames, name)) {
            column = SpeedColumn::node;
        } else if (contains(kGpuNames, name)) {
            column = SpeedColumn::gpu;
        } else if (const UnitName* unit = unitOf(name)) {
            column = SpeedColumn::value;
            header.unit = unit->unit;
            header.toBase = unit->toBase;
            header.valueName = cell;
        } else {
            header.ignored.push_back(cell);
        }
        header.columns.push_back(column);
    }
    const auto count = [&](SpeedColumn column) { return std::count(header.columns.begin(), header.columns.end(), column); };
    if (count(SpeedColumn::node) != 1)
        errors.push_back(problem(count(SpeedColumn::node) == 0 ? "No column names the node." : "Several columns name the node.", names,
                                 "exactly one of node, host, hostname, host_name, node_id, node_name, server"));
    if (count(SpeedColumn::gpu) > 1)
        errors.push_back(
            problem("Several columns name the GPU.", names, "at most one of gpu, gpu_id, gpu_index, device, device_id, local_rank"));
    if (count(SpeedColumn::value) != 1)
        errors.push_back(problem(
            count(SpeedColumn::value) == 0 ? "No column holds a speed." : "Several columns hold a speed.", names,
            "exactly one of relative_speed, speed, speed_percent, tflops, gflops, pflops, time_s, time_ms, time_us, or a quantity with its "
            "unit such as gemm_tflops, throughput (TFLOP/s), step time [ms]"));
    if (!errors.empty())
        return errors;
    return header;
}

} // namespace prism
