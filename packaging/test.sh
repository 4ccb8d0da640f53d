#!/usr/bin/env bash
# Installs what is missing, configures, builds and runs everything with ctest.
#   packaging/test.sh            all suites in their bounded form, some of them under sanitizers too
#   packaging/test.sh --full     also the long ones: the whole battery, 200 kills, long fuzzing, sanitizer builds
set -euo pipefail
cd "$(dirname "$0")/.."
source packaging/setup.sh

install_missing "${prism_packages[@]}" xvfb xauth
build release
say "Testing"
export QT_QPA_PLATFORM=${QT_QPA_PLATFORM:-offscreen}
if [[ ${1-} == --full ]]; then
  ctest --preset release
  for preset in asan tsan; do
    build "$preset"
    ctest --preset "$preset" -L fast
  done
else
  ctest --preset release -LE slow
  for preset in asan tsan; do
    build "$preset" sanitized
    say "Testing ($preset)"
    ctest --preset "$preset" -L sanitized
  done
fi
