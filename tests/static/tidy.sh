#!/usr/bin/env bash
# Runs clang-tidy with the repository's list (.clang-tidy) over every source of core, app and ui; one finding fails, and so does a unit that
# could not be read.
#   tests/static/tidy.sh [REGEX [JOBS]]    only the translation units whose path matches, JOBS at a time (default: one per core)
# Files of a folder are read together, as the compiler does. What each unit's reading said lies in build/tidy/findings; a unit that was clean
# is read again when a file that it includes, the list or this script has changed, so that a run that was broken off goes on where it stopped.
# With libclang-14-dev the checks pass over system headers (ownsources.cpp): some ten minutes of CPU for the whole tree; without, over an hour.
set -euo pipefail
cd "$(dirname "$0")/../.."
cmake --preset tidy >/dev/null
cmake --build --preset tidy --target prism_ui_model_autogen prism_ui_autogen >/dev/null
plugin=build/tidy/ownsources.so
if [[ -d $(llvm-config-14 --includedir 2>/dev/null)/clang/AST ]]; then
  read -ra flags <<<"$(llvm-config-14 --cppflags)"
  [[ $plugin -nt tests/static/ownsources.cpp ]] ||
    clang++ -shared -fPIC -O1 -std=c++17 "${flags[@]}" -o "$plugin" tests/static/ownsources.cpp
else
  echo "libclang-14-dev is not installed: the checks walk through system headers too"
  plugin=
fi
exec /usr/bin/python3 tests/static/readunits.py --jobs "${2-$(nproc)}" --plugin "$plugin" "${1-}"
