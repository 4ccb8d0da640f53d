// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/validate/seriesreport.h"

#include <nlohmann/json.hpp>

namespace prism::report {

namespace {

using Json = nlohmann::ordered_json;

Json shapeJson(const SeriesMetrics& f)
{
    return {{"p5", f.p5}, {"p95", f.p95}, {"p99", f.p99}, {"cv", f.cv}, {"share_beyond_1_05", f.beyond}};
}

Json errorJson(const MetricError& e)
{
    return {{"error", e.error}, {"ci95", Json::array({e.low, e.high})}, {"between_halves_p90", e.halves}};
}

} // namespace

Json json(const SeriesComparison& c)
{
    return {{"runs", c.runs},
            {"steps", c.steps},
            {"dropped", c.dropped},
            {"measured_median_s", c.measuredMedianSeconds},
            {"predicted_median_s", c.predictedMedianSeconds},
            {"error", c.p50.error},
            {"p50", errorJson(c.p50)},
            {"p95_over_p50", errorJson(c.p95)},
            {"p99_over_p50", errorJson(c.p99)},
            {"beyond_1_05", errorJson(c.beyond)},
            {"measured_over_median", shapeJson(c.measured)},
            {"predicted_over_median", shapeJson(c.predicted)},
            {"relative_std_of_run_medians", c.medianSpread},
            {"lag1_correlation", c.lag1},
            {"predicted_lag1_correlation", c.predictedLag1},
            {"ks",
             {{"value", c.ks},
              {"ci95", Json::array({c.ksLow, c.ksHigh})},
              {"by_chance", c.ksSamplingBound},
              {"between_halves_p90", c.ksHalves}}},
            {"notes", c.notes}};
}

} // namespace prism::report
