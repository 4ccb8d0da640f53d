#!/usr/bin/env bash
# Installs what is missing, configures, builds and runs everything with ctest.
#   packaging/test.sh            all suites in their bounded form, some of them under sanitizers too
#   packaging/test.sh --full     also the long ones: the whole battery, 300 kills, an hour of fuzzing, 20,000 actions, whole suites under sanitizers
set -euo pipefail
cd "$(dirname "$0")/.."
source packaging/setup.sh

install_missing "${prism_packages[@]}" "${prism_python_packages[@]}" cmark-gfm clang-format-14
PRISM_CMAKE_OPTIONS=-DPRISM_WERROR=ON build release
say "Testing"
export QT_QPA_PLATFORM=${QT_QPA_PLATFORM:-offscreen}
if [[ ${1-} == --full ]]; then
  install_missing clang clang-tidy clang-tools llvm-14-dev libclang-14-dev
  ctest --preset release -LE mutation
  # Whole suites under the sanitizers: everything with ASan and UBSan, all of core with TSan.
  export PRISM_CMAKE_OPTIONS=-DPRISM_BOUNDED=OFF
  build asan
  ctest --preset asan
  build tsan
  TSAN_OPTIONS="suppressions=$PWD/tests/tsan.supp" ctest --preset tsan -LE slow
else
  ctest --preset release -LE slow
  for run in asan:sanitized tsan:threaded; do
    PRISM_CMAKE_OPTIONS=-DPRISM_BOUNDED=ON build "${run%:*}" "${run#*:}"
    say "Testing (${run%:*})"
    ctest --preset "${run%:*}" -L "${run#*:}"
  done
fi
