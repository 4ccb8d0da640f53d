#!/usr/bin/env bash
# Renews the recorded metrics (tests/core/golden/metrics.txt) and shows what changed. The commit names the reason.
set -euo pipefail
cd "$(dirname "$0")/.."
source packaging/setup.sh
install_missing "${prism_packages[@]}"
build release test_golden
(cd build/release && PRISM_RENEW_GOLDEN=1 tests/test_golden --gtest_filter='Golden.EveryMetric*')
git diff --stat --patch -- tests/core/golden/metrics.txt
