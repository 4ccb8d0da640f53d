#!/usr/bin/env bash
# Installs the packages of package.sh in a bare Debian 12 root, where nothing else is, and uses them as a stranger would: both programs, a
# study, the report, man pages, completion, the Python module, and a C++ program against the library. Then the tarball, moved to another
# place. Needs root.
#   packaging/test-package.sh [--fresh] [--root FOLDER]
set -euo pipefail
cd "$(dirname "$0")/.."
source packaging/setup.sh
install_missing debootstrap
root=/var/tmp/prism-bare-root fresh='' packages=$PWD/build/packages
while [[ $# -gt 0 ]]; do
  case $1 in
    --fresh) fresh=1; shift ;;
    --root) root=$2; shift 2 ;;
    *) echo "unknown option $1" >&2; exit 2 ;;
  esac
done

say "The source tarball of this commit is the same, byte for byte"
sums=$(cd "$packages" && sha256sum ./*-source.tar.xz)
packaging/package.sh --source
(cd "$packages" && sha256sum --check --quiet - <<<"$sums")

mounts=(proc sys dev/pts dev/shm)
leave() { for m in "${mounts[@]}"; do mountpoint -q "$root/$m" && umount -l "$root/$m"; done; return 0; }
trap leave EXIT
if [[ -n $fresh && -d $root ]]; then
  leave
  rm -rf --one-file-system "$root"
fi
if [[ ! -x $root/usr/bin/apt-get ]]; then
  say "Making a bare root"
  debootstrap --variant=minbase --include=ca-certificates bookworm "$root" \
    "$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | head -n 1)" >/dev/null
fi
# The bare root asks the sources that this machine asks, in the same way.
cp -a /etc/apt/sources.list.d/. "$root/etc/apt/sources.list.d/"
cp -a /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
[[ -s /etc/apt/sources.list ]] && cp /etc/apt/sources.list "$root/etc/apt/" || rm -f "$root/etc/apt/sources.list"
cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
[[ -d /etc/ssl/certs ]] && cp -aL /etc/ssl/certs/. "$root/etc/ssl/certs/" 2>/dev/null || true
for m in "${mounts[@]}"; do
  mkdir -p "$root/$m"
  mountpoint -q "$root/$m" || mount --bind "/$m" "$root/$m"
done
rm -rf "$root/tmp/prism"
mkdir -p "$root/tmp/prism"
cp "$packages"/*.deb "$packages"/*-linux-*.tar.xz packaging/test-package-inside.sh "$root/tmp/prism/"
cp -r packaging/example "$root/tmp/prism/"
chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
  bash /tmp/prism/test-package-inside.sh
say "The packages work in a bare Debian 12"
