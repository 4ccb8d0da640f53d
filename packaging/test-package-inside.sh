#!/usr/bin/env bash
# Runs inside the bare root of test-package.sh.
set -euo pipefail
cd /tmp/prism
say() { printf -- '-- %s\n' "$*"; }
holds() { grep -q "$1" "$2" || { echo "$2 lacks: $1" >&2; exit 1; }; }

say "Installing"
apt-get purge -y -qq 'prism-*' python3-prism libprism-dev >/dev/null 2>&1 || true
apt-get update -qq
# minbase leaves documents out of a root that asks for it; man pages are looked at by their files
apt-get install -y -qq --no-install-recommends ./prism-data_*.deb ./prism-cli_*.deb ./prism-explorer_*.deb ./python3-prism_*.deb xz-utils fonts-dejavu-core >/dev/null

say "The command line"
prism-cli --version
prism-cli predict sample-baseline >predict.txt
holds 'Step time across jobs' predict.txt
prism-cli predict sample-slow-node --json --output report.json
prism-cli study add plan.prism sample-baseline --name base
prism-cli predict plan.prism:base --samples 500 --quiet >study.txt
holds 'Step time across jobs' study.txt
prism-cli new --output mine.json && prism-cli check mine.json
for command in $(prism-cli --help | sed -n '/ommands:/,$ s/^  \([a-z][a-z-]*\)  .*/\1/p'); do
  [[ -e /usr/share/man/man1/prism-cli-$command.1.gz ]] || { echo "no man page for $command" >&2; exit 1; }
done

say "The window, without a display: the sample study, a study of one's own, its report"
QT_QPA_PLATFORM=offscreen prism-explorer --screenshots pictures --export-csv figures
QT_QPA_PLATFORM=offscreen prism-explorer --export-csv own plan.prism
[[ $(find pictures -name '*.png' | wc -l) -ge 10 && $(find own -name '*.csv' | wc -l) -ge 3 ]]
QT_QPA_PLATFORM=offscreen prism-explorer --report plan.prism --output report.pdf
[[ $(head -c 5 report.pdf) == %PDF- ]]

say "Python"
python3 -c 'import prism; print("p95", prism.evaluate(prism.Scenario.preset("sample-baseline"), samples=500).step_time.p95)'

say "A folder without presets is not looked for elsewhere"
mkdir -p away/bin && cp /usr/bin/prism-cli away/bin/
if (cd / && PRISM_PRESETS= /tmp/prism/away/bin/prism-cli predict sample-baseline >/dev/null 2>&1); then
  echo "presets were found without being installed" >&2
  exit 1
fi

say "A C++ program against the library"
apt-get install -y -qq --no-install-recommends ./libprism-dev_*.deb g++ cmake make >/dev/null
cmake -S example -B example-build >/dev/null && cmake --build example-build >/dev/null
PRISM_PRESETS=/usr/share/prism-explorer/presets example-build/step-time llama3-70b-256-h100

say "The tarball, from a place of its own, without the packages that the others brought"
apt-get purge -y -qq 'prism-*' python3-prism libprism-dev >/dev/null
apt-get autoremove -y -qq --purge >/dev/null
mkdir -p unpacked '/opt/a place' && tar -xf prism-explorer-*-linux-*.tar.xz -C unpacked && mv unpacked/* '/opt/a place/prism'
bin='/opt/a place/prism/bin'
(cd / && "$bin/prism-cli" predict sample-baseline --samples 500 --quiet) >tarball.txt
holds 'Step time across jobs' tarball.txt
# What every desktop has: its graphics driver's library, X and fonts. All else is in the tarball.
apt-get install -y -qq --no-install-recommends libgl1 libegl1 libopengl0 libx11-6 libx11-xcb1 libxcb1 libfontconfig1 libfreetype6 fonts-dejavu-core >/dev/null
(cd / && QT_QPA_PLATFORM=offscreen "$bin/prism-explorer" --export-csv /tmp/prism/from-tarball)
[[ $(find from-tarball -name '*.csv' | wc -l) -ge 3 ]]
rm -r '/opt/a place'
