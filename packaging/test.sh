#!/usr/bin/env bash
# Installs what is missing, configures, builds and runs everything with ctest.
#   packaging/test.sh            all suites in their bounded form, some of them under sanitizers too
#   packaging/test.sh --full     also the long ones: the whole battery, 200 kills, long fuzzing, sanitizer builds
set -euo pipefail
cd "$(dirname "$0")/.."
source packaging/setup.sh

install_missing "${prism_packages[@]}" xvfb xauth clang-format-14
PRISM_CMAKE_OPTIONS=-DPRISM_WERROR=ON build release
say "Testing"
export QT_QPA_PLATFORM=${QT_QPA_PLATFORM:-offscreen}
if [[ ${1-} == --full ]]; then
  ctest --preset release
  build asan
  ctest --preset asan -L fast
  build tsan threaded
  ctest --preset tsan -L threaded
else
  ctest --preset release -LE slow
  for run in asan:sanitized tsan:threaded; do
    build "${run%:*}" "${run#*:}"
    say "Testing (${run%:*})"
    ctest --preset "${run%:*}" -L "${run#*:}"
  done
fi
