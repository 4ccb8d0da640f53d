# Sourced by the scripts beside it: installs what is missing through apt. Quick when nothing is missing.

# Build tools, libraries, the fonts that the pictures use and the display of one test; all from Debian 12.
prism_packages=(
  g++ cmake ninja-build ccache pkg-config git ca-certificates
  qt6-base-dev qt6-charts-dev libqt6opengl6-dev qt6-svg-dev libgl-dev
  libeigen3-dev libsqlite3-dev libspdlog-dev libboost-dev libboost-math-dev libcli11-dev
  nlohmann-json3-dev libsimdjson-dev libtbb-dev zlib1g-dev libhwy-dev libbenchmark-dev libgtest-dev
  fonts-inter fonts-noto-core
  xvfb xauth
)

# The Python module and its tests.
prism_python_packages=(pybind11-dev python3-dev python3-numpy python3-pytest python3-jsonschema)
# What makes and checks packages.
prism_packaging_packages=(dpkg-dev file gzip xz-utils lintian appstream desktop-file-utils patchelf cmark-gfm)

say() { printf '== %s\n' "$*"; }

install_missing() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
  done
  if [[ ${#missing[@]} -eq 0 ]]; then
    say "All needed packages are installed"
    return
  fi
  local root=()
  if [[ $(id -u) -ne 0 ]]; then
    command -v sudo >/dev/null || { echo "These packages are missing and need root to install: ${missing[*]}" >&2; exit 1; }
    root=(sudo)
  fi
  say "Installing: ${missing[*]}"
  "${root[@]}" apt-get update -qq
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

build() { # build PRESET [TARGET...]
  local preset=$1
  shift
  say "Configuring ($preset)"
  cmake --preset "$preset" ${PRISM_CMAKE_OPTIONS-} >/dev/null
  say "Building ($preset)"
  cmake --build --preset "$preset" ${1:+--target "$@"}
}
