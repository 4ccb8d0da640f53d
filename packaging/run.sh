#!/usr/bin/env bash
# Installs what is missing, builds the programs and the Python module, and opens PRISM Explorer on the computed sample study. Without a
# display it computes the same study headless and writes its report files to ./prism-report.
set -euo pipefail
cd "$(dirname "$0")/.."
source packaging/setup.sh

install_missing "${prism_packages[@]}" "${prism_python_packages[@]}"
PRISM_CMAKE_OPTIONS="${PRISM_CMAKE_OPTIONS-} -DPRISM_PYTHON=ON" build release prism-explorer prism-cli prism_python
PYTHONPATH=build/release/python /usr/bin/python3 -c 'import prism'
say "Python module: export PYTHONPATH=$PWD/build/release/python"
bin=build/release/app
if [[ -n ${DISPLAY-}${WAYLAND_DISPLAY-} && ${1-} != --headless ]]; then
  say "Opening PRISM Explorer"
  exec "$bin/prism-explorer"
fi
say "No display: computing the sample study and writing its report"
out=${PRISM_REPORT_DIR:-prism-report}
mkdir -p "$out"
for scenario in sample-baseline sample-vpp4 sample-slow-node; do
  "$bin/prism-cli" predict "$scenario" | tee "$out/$scenario.txt"
  "$bin/prism-cli" predict "$scenario" --json --output "$out/$scenario.json" --samples-out "$out/$scenario.csv"
done
QT_QPA_PLATFORM=offscreen "$bin/prism-explorer" --screenshots "$out"
say "Written to $out:"
ls -1 "$out"
