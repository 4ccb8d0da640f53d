#!/usr/bin/env bash
# Makes the packages in build/packages: the .deb files, a tarball that runs where it is unpacked (glibc 2.36 or newer), the source tarball.
# The same commit gives the same tarballs, byte for byte.
#   packaging/package.sh            all of them, checked by lintian and the validators of the metadata
#   packaging/package.sh --source   the source tarball alone, beside what is there
set -euo pipefail
cd "$(dirname "$0")/.."
source packaging/setup.sh

out=$PWD/build/packages
version=$(sed -n 's/^project(prism-explorer VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8 TZ=UTC
umask 022
source_tarball() {
  mkdir -p "$out"
  git archive --format=tar --prefix="prism-explorer-$version/" HEAD | xz -T1 -6 >"$out/prism-explorer-$version-source.tar.xz"
}
if [[ ${1-} == --source ]]; then
  source_tarball
  exit
fi
install_missing "${prism_packages[@]}" "${prism_python_packages[@]}" "${prism_packaging_packages[@]}"
rm -rf "$out"

reproducible_tar() { # reproducible_tar FILE FOLDER...: one order, one owner, one time
  local file=$1
  shift
  tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -c "$@" | xz -T1 -6 >"$file"
}

say "Source tarball"
source_tarball

build package
say "Debian packages"
(cd build/package && cpack -G DEB -B "$out" >/dev/null)
rm -rf "$out/_CPack_Packages"

say "Tarball for other distributions"
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
name=prism-explorer-$version-linux-$(uname -m)
for component in cli explorer data; do
  cmake --install build/package --component "$component" --prefix "$stage/$name" --strip >/dev/null
done
packaging/bundle-libraries.sh "$stage/$name"
reproducible_tar "$out/$name.tar.xz" -C "$stage" "$name"

say "Checking the metadata"
desktop-file-validate packaging/linux/prism-explorer.desktop
appstreamcli validate --no-net "$stage/$name/share/metainfo/prism-explorer.metainfo.xml"
say "Checking the packages"
lintian --fail-on error,warning --tag-display-limit 0 "$out"/*.deb
say "Written to $out:"
ls -1sh "$out"
