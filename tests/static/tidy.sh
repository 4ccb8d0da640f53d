#!/usr/bin/env bash
# Runs clang-tidy with the repository's list (.clang-tidy) over every source of core, app and ui; one warning fails.
#   tests/static/tidy.sh [REGEX [JOBS]]    only the translation units whose path matches, JOBS at a time (default: one per core)
# Files of a folder are read together, as the compiler does: some 40 CPU s for each of 160 units.
set -euo pipefail
cd "$(dirname "$0")/../.."
cmake --preset tidy >/dev/null
cmake --build --preset tidy --target prism_ui_model_autogen prism_ui_autogen >/dev/null
log=$(mktemp)
trap 'rm -f "$log"' EXIT
run-clang-tidy-14 -quiet -p build/tidy -j "${2-$(nproc)}" "(core|app|ui)/.*${1-}" >"$log" 2>&1 || true
if grep -E '(warning|error):' "$log" | sort -u; then
  exit 1
fi
echo "clang-tidy: nothing found"
