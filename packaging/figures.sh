#!/usr/bin/env bash
# Renews what the documents show of the program: the generated help pages, and the pictures of README.md and the help.
#   packaging/figures.sh                 builds and renews all
#   packaging/figures.sh --bench FOLDER  measures the record of "Comparison with other tools" again, with the other tools of FOLDER, and renews all
#   packaging/figures.sh --check FOLDER  with the programs of this build folder: says which generated page is stale, and which picture no page gives any more
set -euo pipefail
cd "$(dirname "$0")/.."
source packaging/setup.sh
help=resources/help record=resources/record/bench.json

pages() { # pages BUILD FOLDER: every page that the programs of a build folder write themselves
  local cli=$1/app/prism-cli
  "$cli" help parameters --markdown --output "$2/parameters.md"
  "$cli" help parameters --classes --output "$2/kernel-classes.md"
  "$cli" help metrics --markdown --output "$2/metrics.md"
  "$cli" help limits --markdown --output "$2/limits.md"
  "$cli" help --markdown --output "$2/command-line.md"
  "$1/tests/bench/prism-develop" bench --record "$record" --markdown --output "$2/side-by-side.md"
}

if [[ ${1-} == --check ]]; then
  fresh=$(mktemp -d)
  trap 'rm -rf "$fresh"' EXIT
  stale=0
  mkdir "$fresh/pages" "$fresh/pictures"
  pages "$2" "$fresh/pages"
  for page in "$fresh"/pages/*.md; do
    cmp -s "$page" "$help/$(basename "$page")" || { echo "stale: $help/$(basename "$page") (packaging/figures.sh renews it)"; stale=1; }
  done
  if [[ -x $2/app/prism-explorer ]]; then
    QT_QPA_PLATFORM=offscreen "$2/app/prism-explorer" --screenshots "$fresh/pictures" >/dev/null
    for picture in resources/pictures/*.png; do
      [[ -e $fresh/pictures/$(basename "$picture") ]] || { echo "no page gives $picture any more"; stale=1; }
    done
  fi
  exit $stale
fi

install_missing "${prism_packages[@]}"
build release prism-cli prism-explorer prism-develop
if [[ ${1-} == --bench ]]; then
  build/release/tests/bench/prism-develop bench --peers "$2" --json --output "$record"
fi
pages build/release "$help"
shots=$(mktemp -d)
trap 'rm -rf "$shots"' EXIT
QT_QPA_PLATFORM=offscreen build/release/app/prism-explorer --screenshots "$shots"
for picture in resources/pictures/*.png; do
  cp "$shots/$(basename "$picture")" "$picture"
done
git status --short resources
