#!/usr/bin/env bash
# Renews the recorded metrics (tests/core/golden/metrics.txt), the sampled steps (tests/core/sim/goldenseries.txt) and what the window shows
# (tests/ui/golden), and shows what changed. The commit names the reason.
set -euo pipefail
cd "$(dirname "$0")/.."
source packaging/setup.sh
install_missing "${prism_packages[@]}"
build release test_golden test_sim test_plots test_ui_model
(cd build/release && PRISM_RENEW_GOLDEN=1 tests/test_golden --gtest_filter='Golden.EveryMetric*')
(cd build/release && PRISM_RENEW_GOLDEN=1 tests/test_sim --gtest_filter='GoldenSeries.*')
(cd build/release && PRISM_RENEW_GOLDEN=1 QT_QPA_PLATFORM=offscreen tests/ui/test_plots --gtest_filter='Golden.*')
(cd build/release && PRISM_RENEW_GOLDEN=1 QT_QPA_PLATFORM=offscreen tests/ui/test_ui_model --gtest_filter='Golden.*')
git diff --stat --patch -- tests/core/golden/metrics.txt tests/core/sim/goldenseries.txt tests/ui/golden
