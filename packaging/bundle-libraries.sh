#!/usr/bin/env bash
# bundle-libraries.sh FOLDER: copies the libraries and Qt plugins that the programs below FOLDER/bin need into FOLDER/lib, so that it runs
# wherever it is unpacked. The C library, the graphics driver's part and X stay the system's own.
set -euo pipefail
folder=$1
system='^(ld-linux|libc|libm|libdl|libpthread|librt|libresolv|libGL|libEGL|libGLX|libOpenGL|libGLdispatch|libdrm|libX11|libX11-xcb|libxcb|libasound|libfontconfig|libfreetype|libstdc\+\+|libgcc_s)\.so'
plugins=$(qmake6 -query QT_INSTALL_PLUGINS 2>/dev/null || qtpaths6 --query QT_INSTALL_PLUGINS)
mkdir -p "$folder/lib/plugins"
for plugin in platforms/libqxcb.so platforms/libqoffscreen.so platforms/libqminimal.so imageformats/libqsvg.so imageformats/libqjpeg.so \
  iconengines/libqsvgicon.so platformthemes/libqxdgdesktopportal.so xcbglintegrations/libqxcb-glx-integration.so; do
  [[ -e $plugins/$plugin ]] || continue
  install -D -m 644 "$plugins/$plugin" "$folder/lib/plugins/$plugin"
done
printf '[Paths]\nPrefix=..\nPlugins=lib/plugins\n' >"$folder/bin/qt.conf"
ldd "$folder"/bin/prism-* "$folder"/lib/plugins/*/*.so | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u | while read -r library; do
  name=$(basename "$library")
  [[ $name =~ $system ]] || install -m 644 "$(realpath "$library")" "$folder/lib/$name"
done
patchelf --set-rpath "\$ORIGIN/../lib" "$folder"/bin/prism-*
find "$folder/lib" -name '*.so*' -type f | while read -r library; do
  patchelf --set-rpath "\$ORIGIN$([[ $library == */plugins/* ]] && echo /../..)" "$library"
done
