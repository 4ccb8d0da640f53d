#!/usr/bin/env bash
# Links both programs with link-time optimisation, where the compiler sees every definition at once: two types of one name that differ fail.
# Without -O: what is inlined early is gone before the linker compares it.
set -euo pipefail
cd "$(dirname "$0")/../.."
cmake --preset odr >/dev/null
log=$(mktemp)
trap 'rm -f "$log"' EXIT
cmake --build --preset odr --target prism-cli prism-explorer 2>&1 | tee "$log" | tail -n 2
if grep -E '\[-W(error=)?(odr|lto-type-mismatch)' "$log"; then
  exit 1
fi
echo "One definition of every type"
