// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/calibrate/pooledfits.h"

#include "core/base/diagnostictext.h"
#include "core/base/jsontext.h"
#include "core/base/text.h"
#include "core/calibrate/factorpool.h"
#include "core/stats/moments.h"

#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <cmath>

namespace prism {
namespace {

/// Values of a report, each missing one an error.
class Metrics final {
public:
    Metrics(const nlohmann::json& report, std::string name) : m_report(report), m_name(std::move(name)) {}

    /// The number under a pointer such as "/step_jitter_s/value".
    double at(const char* pointer)
    {
        const nlohmann::json::json_pointer path(pointer);
        const nlohmann::json value = m_report.contains(path) ? m_report.at(path) : nlohmann::json();
        if (value.is_number() && std::isfinite(value.get<double>()) && value.get<double>() >= 0)
            return value.get<double>();
        m_errors.push_back(
            errorAt(m_name + pointer, "not a value of a fit", value.dump().substr(0, 40), "a number >= 0, as fit --json writes it"));
        return 0;
    }
    /// The quantiles under a pointer: all of them, or none.
    [[nodiscard]] std::vector<double> quantilesAt(const char* pointer) const
    {
        const nlohmann::json::json_pointer path(pointer);
        const nlohmann::json value = m_report.contains(path) ? m_report.at(path) : nlohmann::json();
        const auto isFactor = [](const nlohmann::json& v) { return v.is_number() && v.get<double>() > 0 && v.get<double>() < 1e6; };
        return value.is_array() && value.size() == kPoolSize && std::all_of(value.begin(), value.end(), isFactor)
                   ? value.get<std::vector<double>>()
                   : std::vector<double>();
    }
    [[nodiscard]] const Diagnostics& errors() const { return m_errors; }

private:
    const nlohmann::json& m_report;
    std::string m_name;
    Diagnostics m_errors;
};

/// The compute regime expected of a further system: quantile by quantile, of those on the same chip where there are some.
struct PooledRegime {
    std::vector<double> quantiles; ///< empty = no system has any
    double lag1 = 0;
};
PooledRegime pooledRegime(const std::vector<FittedSystem>& systems, const GpuSpec& gpu)
{
    const auto isOwn = [&](const FittedSystem& s) { return !s.regimePool.empty() && isEqual(s.machine, gpu); };
    const bool anyOwn = std::any_of(systems.begin(), systems.end(), isOwn);
    PooledRegime out;
    double count = 0;
    for (const FittedSystem& s : systems) {
        if (s.regimePool.empty() || (anyOwn && !isOwn(s)))
            continue;
        out.quantiles.resize(kPoolSize, 0);
        for (std::size_t i = 0; i < kPoolSize; ++i)
            out.quantiles[i] += s.regimePool[i];
        out.lag1 += s.regimePoolLag1;
        ++count;
    }
    for (double& q : out.quantiles)
        q /= count;
    out.lag1 = count > 0 ? out.lag1 / count : 0;
    return out;
}

/// Median jitter of the systems on the same chip; of all where none is.
double expectedJitter(const std::vector<FittedSystem>& systems, const GpuSpec& gpu, double ofAll)
{
    std::vector<double> own;
    for (const FittedSystem& s : systems)
        if (isEqual(s.machine, gpu))
            own.push_back(s.spread.causes.jitterSeconds.value);
    return own.empty() ? ofAll : medianOf(std::move(own));
}

} // namespace

Result<FittedSystem> fittedSystemFromJson(std::string_view text, const std::string& name)
{
    const Result<nlohmann::json> report = parseJson(text);
    if (!report.ok())
        return report.errors();
    if (!report->is_object())
        return errorAt(name, "not a report of a fit", "no object", "what fit --json writes");
    Metrics metrics(*report, name);
    FittedSystem system;
    SpreadCauses& c = system.spread.causes;
    system.spread.name = name;
    c.steps = static_cast<int>(std::min(1e9, metrics.at("/steps")));
    c.stalls = static_cast<int>(std::min(1e9, metrics.at("/stalls")));
    c.gpuHours = metrics.at("/gpu_hours");
    c.jitterSeconds.value = metrics.at("/step_jitter_s/value");
    c.regimeCv.value = metrics.at("/compute_regime_cv/value");
    c.regimeLag1 = metrics.at("/compute_regime_lag1");
    c.stallMeanSeconds.value = metrics.at("/stall_mean_s/value");
    c.stallCv = metrics.at("/stall_cv");
    system.machine.peakBf16Tflops = metrics.at("/calibration/machine/peak_bf16_tflops");
    system.machine.numSms = static_cast<int>(std::min(1e6, metrics.at("/calibration/machine/num_sms")));
    if (!metrics.errors().empty())
        return metrics.errors();
    system.regimePool = metrics.quantilesAt("/calibration/compute_regime_pool");
    if (!system.regimePool.empty())
        system.regimePoolLag1 = std::min(1.0, metrics.at("/calibration/values/variability.compute_regime_lag1"));
    if (const nlohmann::json& gpu = (*report)["calibration"]["machine"]; gpu.contains("gpu") && gpu["gpu"].is_string())
        system.machine.gpu = gpu["gpu"].get<std::string>();
    return system;
}

Result<ClusterCalibration> pooledCalibration(const std::vector<FittedSystem>& systems, const GpuSpec& gpu)
{
    constexpr const char* kEqual = "alike";
    if (systems.size() < 2)
        return errorAt("files", "one system does not show how systems differ", std::to_string(systems.size()), "the fits of two or more");
    ClusterCalibration out;
    std::vector<SystemSpread> spreads;
    CalibrationSource source{"pooled fits of other systems", "", {}};
    for (const FittedSystem& s : systems) {
        spreads.push_back(s.spread);
        spreads.back().generation = isEqual(s.machine, gpu) ? kEqual : "";
        source.input += (source.input.empty() ? "" : ", ") + s.spread.name;
        const SpreadCauses& c = s.spread.causes;
        source.facts.push_back(fmt::format("{}: {}, {} steps, {:.0f} GPU-hours, {} stalls, jitter {:.3g} s, compute regime cv {:.2g}{}",
                                           s.spread.name, s.machine.gpu, c.steps, c.gpuHours, c.stalls, c.jitterSeconds.value,
                                           c.regimeCv.value, spreads.back().generation == kEqual ? ", the same chip" : ""));
    }
    const PooledSpread pooled = pooledSpread(spreads, kEqual);
    const auto set = [&](const char* path, double value) { out.values.emplace_back(path, numberText(value)); };
    PooledRegime regime = pooledRegime(systems, gpu);
    const double jitter = expectedJitter(systems, gpu, pooled.jitterSeconds.value);
    set("variability.step_jitter_s", jitter);
    if (regime.quantiles.empty()) {
        out.values.emplace_back("variability.compute_regime.family", pooled.regimeCv.value > 0 ? "lognormal" : "deterministic");
        set("variability.compute_regime.cv", pooled.regimeCv.value);
        set("variability.compute_regime_lag1", pooled.regimeLag1);
    } else {
        set("variability.compute_regime_lag1", regime.lag1);
        out.regimePool = std::move(regime.quantiles);
    }
    set("variability.stalls_per_gpu_hour", pooled.stallsPerGpuHour.value);
    set("variability.stall_mean_s", pooled.stallMeanSeconds);
    set("variability.stall_cv", pooled.stallCv);
    set("variability.stall_rate_cv", pooled.stallRateCv);
    source.facts.push_back(
        fmt::format("jitter {:.3g} s, {:.3g} to {:.3g} among the systems", jitter, pooled.jitterSeconds.low, pooled.jitterSeconds.high));
    source.facts.push_back(fmt::format("stalls {:.2g} per GPU-hour, {:.2g} to {:.2g} if systems were equal", pooled.stallsPerGpuHour.value,
                                       pooled.stallsPerGpuHour.low, pooled.stallsPerGpuHour.high));
    source.facts.emplace_back("the level is the cost model's: series of other systems do not determine it");
    out.sources.push_back(std::move(source));
    if (Diagnostics errors = check(out); !errors.empty())
        return errors;
    return out;
}

} // namespace prism
