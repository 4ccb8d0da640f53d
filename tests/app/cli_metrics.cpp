// SPDX-License-Identifier: GPL-3.0-or-later
// Every number that predict prints in JSON has a row in the table of metrics.
#include "core/insight/metrics/metrictable.h"
#include "run_cli.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace prism::test {
namespace {

void expectRows(const nlohmann::json& value, const std::string& path)
{
    if (value.is_object()) {
        for (const auto& [key, child] : value.items())
            expectRows(child, path.empty() ? key : path + "." + key);
    } else if (value.is_array()) {
        for (const auto& child : value)
            expectRows(child, path);
    } else if (value.is_number() && path != "seed" && path != "samples") {
        EXPECT_NE(metricOf(path), nullptr) << path;
    }
}

TEST(CliMetrics, EveryNumberOfPredictHasARow)
{
    const auto result = runCli("predict sample-baseline --samples 500 --json");
    ASSERT_EQ(result.exitCode, 0) << result.err;
    expectRows(nlohmann::json::parse(result.out), "");
}

} // namespace
} // namespace prism::test
