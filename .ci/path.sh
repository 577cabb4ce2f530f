#!/usr/bin/env bash
# .ci/path.sh FOLDER
# Fills FOLDER/bin with links to the programs that a fresh Debian machine has after `make setup`: those of the packages that
# setup.sh names and of all they depend on, of the essential packages and of apt. With it as the PATH, whatever needs more
# than `make setup` fails here as it would there. FOLDER is a prefix like /usr, where luarocks looks for headers beside bin.
set -eu
setup=$(cd "$(dirname "$0")" && pwd)/setup.sh
mkdir -p "$1/bin"
ln -s /usr/include /usr/lib /usr/share "$1/"

# The installed packages that the named and the essential ones lead to, by what they depend on; each of several
# alternatives counts.
packages=$(dpkg-query -W -f '${Status}\t${Package}\t${Essential}\t${Pre-Depends}, ${Depends}\t${Provides}\n' |
  awk -F '\t' -v named="$("$setup" list)" '
    function bare(name) { sub(/[ (:].*/, "", name); return name }
    $1 !~ /^install ok / { next }
    {
      depends[$2] = depends[$2] "," $4
      if ($3 == "yes") queue[++last] = $2
      n = split($5, provided, / *, */)
      for (i = 1; i <= n; i++) by[bare(provided[i])] = by[bare(provided[i])] " " $2
    }
    END {
      n = split(named, names, /[ \n]+/)
      for (i = 1; i <= n; i++) queue[++last] = names[i]
      queue[++last] = "apt"
      for (first = 1; first <= last; first++) {
        name = queue[first]
        if (name in done) continue
        done[name] = 1
        if (name in depends) print name
        n = split(depends[name], names, / *[,|] */)
        for (i = 1; i <= n; i++) if (names[i] != "") queue[++last] = bare(names[i])
        n = split(by[name], names, " ")
        for (i = 1; i <= n; i++) queue[++last] = names[i]
      }
    }')

# A link of alternatives, such as cc, is in no package: it counts if its program does.
# shellcheck disable=SC2086 # a list
mapfile -t named < <(dpkg-query -L $packages | grep -E '^(/usr)?/s?bin/[^/]+$')
programs=(/usr/bin/* /usr/sbin/* /bin/* /sbin/*)
awk 'NR == FNR { named[$1]; next } $1 in named { print $2 }' \
  <(realpath -m "${named[@]}") <(paste -d ' ' <(realpath -m "${programs[@]}") <(printf '%s\n' "${programs[@]}")) |
  xargs ln -sf -t "$1/bin"
