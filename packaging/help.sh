#!/usr/bin/env bash
# help.sh FOLDER: the help pages of resources/help as HTML in FOLDER/html (index.html first, all.html to search in) and as man pages of
# section 7 in FOLDER/man7. Needs cmark-gfm.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$1
mkdir -p "$out/html" "$out/man7"
version=$(sed -n 's/^project(prism-explorer VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
style='body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#1c2733;background:#fff}
table{border-collapse:collapse;display:block;overflow-x:auto}td,th{border:1px solid #c8d0d8;padding:.3em .6em;text-align:left;vertical-align:top}
pre{background:#f2f4f7;padding:.8em;overflow-x:auto}code{font-size:.92em}a{color:#0b63a5}
@media(prefers-color-scheme:dark){body{background:#14191f;color:#dde4ea}pre{background:#1e252d}td,th{border-color:#3a4550}a{color:#6cb6ee}}'

html_head() { # html_head TITLE
  printf '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n'
  printf '<title>%s</title>\n<style>\n%s\n</style>\n</head>\n<body>\n' "$1" "$style"
  printf '<p><a href="index.html">Contents</a> · <a href="all.html">All on one page</a></p>\n'
}

body() { # body FILE EXTENSION: the page with its links to other pages
  cmark-gfm -e table -t html "$1" | sed -E "s/href=\"([a-z-]+)(\.md)?(#[^\"]*)?\"/href=\"\1.html\3\"/g"
}

for page in resources/help/*.md; do
  name=$(basename "$page" .md)
  title=$(sed -n '1s/^# //p' "$page")
  { html_head "$title"; body "$page"; printf '</body>\n</html>\n'; } >"$out/html/$name.html"
  {
    printf '.TH "PRISM\\-%s" 7 "" "PRISM Explorer %s" "PRISM Explorer"\n.SH NAME\nprism\\-%s \\- %s\n' "${name^^}" "$version" "$name" "$title"
    cmark-gfm -e table -t man "$page"
  } >"$out/man7/prism-$name.7"
done
{
  html_head "PRISM Explorer: help"
  for page in resources/help/index.md resources/help/*.md; do
    [[ $page == */index.md && -n ${seen-} ]] && continue
    seen=1
    printf '<section id="%s">\n' "$(basename "$page" .md)"
    cmark-gfm -e table -t html "$page" | sed -E 's/href="([a-z-]+)(\.md)?(#[^"]*)?"/href="#\1"/g'
    printf '</section>\n'
  done
  printf '</body>\n</html>\n'
} >"$out/html/all.html"
