#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The program away from its tree: bundled files by their names, own ones before them, RTL built in the
# user's cache folder (docs/start/install.md).
set -u
. tests/scripts/lib.sh
# All its folders have blanks in their names: what is built in them is built there, too.
away="$t/a way"
mkdir -p "$away"
from_away() { # STATUS COMMAND...: in another folder; what it says is in $t/said
  local expected=$1
  shift
  (cd "$away" && "$@") >"$t/said" 2>&1
  local code=$?
  [ $code -eq "$expected" ] || { echo "status $code, expected $expected"; cat "$t/said"; return 1; }
}

# ---- The data in the folder that the environment names.
program=$root/$n
small="--frame gen:test-3 --set gpus=2"
# shellcheck disable=SC2086
"$n" run vectors/config/chopin.yaml $small --engine golden --json - >"$t/json" 2>"$t/log"
result "$t/json" >"$t/here"
export NOCTURNE_DATA=$root XDG_CACHE_HOME="$root/$t/a cache"
# shellcheck disable=SC2086
check 'a bundled machine' from_away 0 "$program" run vectors/config/chopin.yaml $small --engine golden --json -
sed -n '/^{/,/^}/p' "$t/said" | result | cmp - "$t/here" >"$t/log" 2>&1 && [ -s "$t/here" ] && good 'its result is as in the tree' ||
  bad 'its result is as in the tree' "" "$t/log"
check 'no folder is left behind' test -z "$(ls "$away")" -a ! -e "$t/a cache"
mkdir -p "$away/vectors/config"
echo 'gpus: many' >"$away/vectors/config/chopin.yaml"
# shellcheck disable=SC2086
check 'a file of the working folder goes first' from_away 2 "$program" run vectors/config/chopin.yaml $small
has "$t/said" '^nocturne: vectors/config/chopin.yaml:1:7:' >/dev/null && good 'it is named' || bad 'it is named' "" "$t/said"
export XDG_CACHE_HOME=/proc/none
check 'no cache folder: one line' from_away 1 "$program" unit draw_scheduler --cycles 500
[ "$(wc -l <"$t/said")" -eq 1 ] && has "$t/said" 'RTL cannot be built there' >/dev/null && good 'it says where' ||
  bad 'it says where' "" "$t/said"
export XDG_CACHE_HOME="$root/$t/a cache"
check 'nowhere to build: one line' from_away 3 env -u HOME -u XDG_CACHE_HOME "$program" unit draw_scheduler --cycles 500
check 'no simulator: one line' from_away 3 env PATH=/none "$program" unit draw_scheduler --cycles 500
has "$t/said" 'verilator is missing; .*apt-get install verilator g\+\+ make$' >/dev/null && good 'it says what to install' ||
  bad 'it says what to install' "" "$t/said"
unset NOCTURNE_DATA

# ---- Installed.
where="$root/$t/us r"
program=$where/bin/nocturne
# (In the build for coverage by its flags, or it would be built again without.)
flags=
[[ $build != */cover/c ]] || flags=COVERAGE=1
make_quietly() {
  (unset MAKEFLAGS MFLAGS MAKELEVEL; make --no-print-directory $flags B="$build" "$@") >"$t/log" 2>&1
}
if make_quietly install PREFIX="$where"; then good 'make install'; else bad 'make install' "" "$t/log"; fi
mv "$where" "$t/stage" 2>/dev/null
make_quietly install DESTDIR="$root/$t/root" PREFIX="$where"
diff -r "$t/stage" "$t/root$where" >"$t/log" 2>&1 && good 'DESTDIR stands in front' || bad 'DESTDIR stands in front' "" "$t/log"
rm -rf "$t/root"
mv "$t/stage" "$where"
rm -rf "${away:?}"/*
# shellcheck disable=SC2086
check 'it runs from any folder' from_away 0 "$program" run vectors/config/chopin.yaml $small --engine golden --json -
sed -n '/^{/,/^}/p' "$t/said" | result | cmp - "$t/here" >"$t/log" 2>&1 && good 'with the same result' || bad 'with the same result' "" "$t/log"
check 'it knows its revision' from_away 0 "$program" --version
has "$t/said" "^nocturne [0-9.]*, $("$n" --version | sed -n 's/^[^,]*, \([a-z]*\).*/\1/p')" >/dev/null ||
  bad 'its revision is that of the tree' "" "$t/said"
check 'what belongs to it stands nowhere else' test -z "$(grep -rlI "$root" "$where/share" | head -n 1)"

check "the runs of a bundled sweep" from_away 0 "$program" sweep vectors/sweeps/designs.yaml --list
check 'a unit of its own: what to begin with' from_away 0 "$program" unit --new "$root/tests/outside/arbiter/arbiter.yaml" 'own unit'
has "$t/said" "^  make -C 'own unit'$" >/dev/null && good 'its commands are quoted' || bad 'its commands are quoted' "" "$t/said"
check 'a unit in lockstep' from_away 0 "$program" unit draw_scheduler --gpus 4 --cycles 500
found=$(find "$t/a cache" -name unit.so | wc -l)
[ "$found" -eq 1 ] && good 'its hardware is in the cache folder' || bad 'its hardware is in the cache folder' "$found"
check 'area and clock' from_away 0 "$program" area composition_scheduler --gpus 2 --json area.json
[ "$(value 'units[0].cells' "$away/area.json")" = "$("$n" area composition_scheduler --gpus 2 --json - |
  jq '.units[0].cells')" ] && good 'as in the tree' || bad 'as in the tree' "" "$away/area.json"
check 'its golden model' from_away 0 make -C 'own unit'
[ -z "${LONG:-}" ] ||
  check 'it runs in lockstep' from_away 0 "$program" unit --page 'own unit/arbiter.yaml' --golden 'own unit/arbiter.so' --cycles 200

if unshare -m umount -l /proc 2>/dev/null; then
  rm -rf "$away/own unit"
  # shellcheck disable=SC2016
  check 'a unit of its own without /proc' from_away 0 unshare -m sh -c 'umount -l /proc && "$0" unit --new "$1" "own unit" && make -C "own unit"' \
    "$program" "$root/tests/outside/arbiter/arbiter.yaml"
fi

# ---- The pages: every link leads to something.
broken() { # FOLDER
  find "$1" -name '*.md' | while read -r page; do
    awk '/^ *```/ { code = !code } !code && !/^    /' "$page" | grep -oE '\]\([^)#]+' | cut -c 3- | grep -vE '^[a-z]+:' |
      while read -r target; do [ -e "$(dirname "$page")/${target%% *}" ] || echo "$page: $target"; done
  done
}
said=$(broken "$where/share/doc/nocturne")
[ -z "$said" ] && [ -s "$where/share/doc/nocturne/README.md" ] && good 'links of the installed pages' ||
  bad 'links of the installed pages' "$said"

# ---- The library, in a program of a user's.
export PKG_CONFIG_PATH=$where/lib/pkgconfig LD_LIBRARY_PATH=$where/lib
eval "library=($(pkg-config --cflags --libs nocturne))"
exported=$(nm -D --defined-only "$where/lib/libnocturne.so" | awk '$2 != "A" && $3 !~ /^nocturne_/ { print $3 }')
[ -z "$exported" ] && good 'it exports nocturne_* only' || bad 'it exports nocturne_* only' "$exported"
declared=$(grep -oE '\bnocturne_[a-z_]+\(' "$where/include/nocturne.h" | tr -d '(' | sort -u)
[ "$(nm -D --defined-only "$where/lib/libnocturne.so" | awk '$2 == "T" { print $3 }' | sed 's/@.*//' | sort -u)" = "$declared" ] &&
  good 'what the header declares' || bad 'what the header declares' "$declared"
readelf -d "$where/lib/libnocturne.so" | grep -q 'SONAME.*\[libnocturne.so.0\]' && good 'its soname' || bad 'its soname'
header() {
  local s
  for s in c99 c11 c17 c++11 c++17 c++20; do
    "${CC:-gcc}" -x "${s%%[0-9]*}" -std=$s -pedantic -Wall -Wextra -Werror -fsyntax-only "$where/include/nocturne.h" || return
  done
}
check 'its header in C99 to C17 and C++11 to C++20' header
compile() { # NAME [FLAGS...]: an example outside the tree
  local name=$1
  shift
  cp "docs/examples/$name.c" "$away/" && from_away 0 "${CC:-gcc}" -std=c11 -Wall -Wextra -Werror -O2 "$name.c" "$@" \
    "${library[@]}" -o "$name"
}
check 'an example with a scheduler of its own' compile scheduler
check 'it runs' from_away 0 ./scheduler gen:test-3 gpus=2
has "$t/said" '^own +[0-9]+ cycles, speedup [0-9.]+; [0-9.]+ over chopin$' >/dev/null && good 'it says the speedup' ||
  bad 'it says the speedup' "" "$t/said"
cycles=$(value cycles "$t/here")
has "$t/said" "^chopin +$cycles cycles" >/dev/null && good 'as many cycles as the command has' ||
  bad 'as many cycles as the command has' "$cycles" "$t/said"
check 'a setting that is none' from_away 1 ./scheduler gen:test-3 gpus=many
has "$t/said" '^scheduler: --set gpus=many: ' >/dev/null && good 'is told' || bad 'is told' "" "$t/said"
sed 's/s->waiting\[g\] -= in->credit/s->waiting[g] -= 0 \& in->credit/' docs/examples/scheduler.c >"$away/wrong.c"
from_away 0 "${CC:-gcc}" -std=c11 -O2 wrong.c "${library[@]}" -o wrong
check 'a scheduler that loses credits hangs' from_away 1 ./wrong gen:test-3 gpus=2
has "$t/said" '^scheduler: HANG: ' >/dev/null && good 'it says which waits for what' || bad 'it says which waits for what' "" "$t/said"
sed 's/\.page = draw_scheduler_page/.page = 1/' docs/examples/scheduler.c >"$away/stale.c"
from_away 0 "${CC:-gcc}" -std=c11 -O2 stale.c "${library[@]}" -o stale
check 'one of another page is refused' from_away 1 ./stale gen:test-3 gpus=2
engine=golden
[ -z "${LONG:-}" ] || engine=lockstep
check 'an example with a unit' compile unit
check 'the unit alone' from_away 0 ./unit $engine
has "$t/said" '^cycle +[0-9]+: to GPUs 0x[1248], draw 1, 100 triangles$' >/dev/null && good 'shows its pieces' ||
  bad 'shows its pieces' "" "$t/said"

# ---- Manual pages and completion, of the commands' help.
if command -v help2man >/dev/null; then
  pages=$where/share/man/man1
  missing=$("$program" help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p' | while read -r c; do
    [ "$c" = help ] || "$program" help "$c" | grep -oE '(^| )--[a-z-]+' | tr -d ' ' | sort -u | while read -r o; do
      sed 's/\\-/-/g' "$pages/nocturne-$c.1" | grep -q -e "$o" || echo "$c $o"
    done
  done)
  [ -s "$pages/nocturne-run.1" ] && [ -z "$missing" ] && good 'every option is on its page' ||
    bad 'every option is on its page' "$missing"
  if command -v mandoc >/dev/null; then
    mandoc -Tlint -W warning "$pages"/*.1 >"$t/log" 2>&1 && good 'mandoc has nothing to say' || bad 'mandoc' "" "$t/log"
  fi
  completes() { # WORDS...: what completion makes of the last
    bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _nocturne 2>/dev/null; echo "${COMPREPLY[@]}"' \
      "$where/share/bash-completion/completions/nocturne" "$@"
  }
  said="$(completes nocturne sw); $(completes nocturne run --en); $(completes nocturne run --engine l); $(completes nocturne help ar)"
  [ "$said" = 'sweep; --engine=; lockstep; area' ] && good 'completion' || bad 'completion' "$said"
  said="$(completes nocturne unit dr); $(completes nocturne frame in); $(completes nocturne run vectors/config/ch)"
  [ "$said" = 'draw_scheduler; info; vectors/config/chopin.yaml' ] && good 'completion of values' || bad 'completion of values' "$said"
  if command -v fish >/dev/null; then
    said=$(fish --no-config -c "source '$where/share/fish/vendor_completions.d/nocturne.fish'
      for l in 'nocturne sw' 'nocturne area dr' 'nocturne run --engine l' 'nocturne frame in'; complete -C \$l; end" | cut -f 1 | xargs)
    [ "$said" = 'sweep draw_scheduler lockstep info' ] && good 'completion in fish' || bad 'completion in fish' "$said"
  else
    good 'completion in fish: SKIPPED, fish is missing'
  fi
  if command -v zsh >/dev/null; then
    cat >"$t/complete.zsh" <<'END'
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1=; fpath=('$1' \$fpath); autoload -Uz compinit; compinit -u -D"
zpty -w z 'tab() { zle expand-or-complete; print -r -- "<$BUFFER>"; BUFFER= }'
zpty -w z "zle -N tab; bindkey '^I' tab; print 'RE''ADY'"
zpty -r z out '*READY*'
for l in 'sw' 'area dr' 'run --engine=lo' 'run --engine lo' 'frame inf' 'help are'; do
  zpty -w -n z "nocturne $l"$'\t'
  zpty -r z out '*<*>*'
  print -rn -- "${${out##*\<nocturne }%%\>*}; "
done
zpty -d z
END
    said=$(timeout 60 zsh -f "$t/complete.zsh" "$where/share/zsh/site-functions")
    [ "$said" = 'sweep ; area draw_scheduler ; run --engine=lockstep ; run --engine lockstep ; frame info ; help area ; ' ] &&
      good 'completion in zsh' || bad 'completion in zsh' "$said"
  else
    good 'completion in zsh: SKIPPED, zsh is missing'
  fi
fi

# ---- Away again, and a user's own flags and folders.
mkdir -p "$t/flags"
flags_say() { # VARIABLE=VALUE...: how the library is linked and a file is compiled
  make -n --no-print-directory -W csim/base/text.c B="$build" "$@" "$build/obj/csim/base/text.o" "$build/nocturne" 2>/dev/null | grep -E '[$]|gcc|cc '
}
flags_say CFLAGS='-O3 -DMINE' CPPFLAGS=-DFORTIFIED LDFLAGS=-Wl,-z,now >"$t/said"
compiled=$(grep -e ' -c csim/base/text.c' "$t/said")
[[ $compiled == *'-I. '*-DFORTIFIED*'-O3 -DMINE'*-ffp-contract=off* && $compiled != *-Werror* ]] &&
  grep -q -e '-Wl,-z,now.* -o build.*/nocturne' "$t/said" && good "a user's CFLAGS, CPPFLAGS, LDFLAGS" ||
  bad "a user's CFLAGS, CPPFLAGS, LDFLAGS" "" "$t/said"
# git describes no tree of another user: what its owner's build recorded stays.
if [ -s "$build/revision" ]; then
  cp "$build/revision" "$t/revision"
  GIT_TEST_ASSUME_DIFFERENT_OWNER=1 make_quietly "$build/revision"
  cmp "$t/revision" "$build/revision" >"$t/log" 2>&1 && good "a tree of another user keeps its revision" ||
    bad "a tree of another user keeps its revision" "" "$t/log"
fi
make_quietly tools CC=no-such-compiler
[ "$(grep -c . "$t/log")" -eq 2 ] && has "$t/log" '^make: no-such-compiler, .* are missing; run: make setup$' >/dev/null &&
  good 'no compiler: make names the remedy' || bad 'no compiler: make names the remedy' "" "$t/log"
own=$root/$t/own
make_quietly install DESTDIR="$own" PREFIX=/usr BINDIR=/opt/bin MANDIR=/opt/man INCLUDEDIR=/opt/include LIBDIR=/opt/lib DOCDIR=/opt/doc
[ -x "$own/opt/bin/nocturne" ] && [ -s "$own/opt/include/nocturne.h" ] && [ -s "$own/opt/lib/libnocturne.so" ] &&
  [ -s "$own/opt/doc/README.md" ] && grep -q '^includedir=/opt/include' "$own/opt/lib/pkgconfig/nocturne.pc" &&
  good 'folders apart from PREFIX' || bad 'folders apart from PREFIX' "" "$t/log"
mkdir -p "$own/opt/doc/other" && touch "$own/opt/bin/other"
make_quietly uninstall DESTDIR="$own" PREFIX=/usr BINDIR=/opt/bin MANDIR=/opt/man INCLUDEDIR=/opt/include LIBDIR=/opt/lib DOCDIR=/opt/doc
said=$(find "$own" -type f -o -type l)
[ "$said" = "$own/opt/bin/other" ] && good 'make uninstall' || bad 'make uninstall' "$said"
rm -rf "$own"

# ---- Packages, in a root of Debian 12 that has nothing else.
if [ -n "${LONG:-}" ]; then
  if ! command -v dh_builddeb >/dev/null; then
    good 'packages: SKIPPED, debhelper is missing (tb/setup.sh deb)'
    exit
  fi
  if make_quietly deb; then good 'make deb'; else bad 'make deb' "" "$t/log"; fi
  debs=$build/deb
  if command -v lintian >/dev/null; then
    lintian --allow-root --fail-on error "$debs"/*.deb "$debs"/*.dsc >"$t/log" 2>&1 && ! grep -E 'hardening|no-symbols|extra-license' "$t/log" &&
      good 'lintian finds no error' || bad 'lintian' "" "$t/log"
  else
    good 'lintian: SKIPPED, it is missing (tb/setup.sh deb)'
  fi
  # The same commit in two other folders, at a time of its own.
  if [ -e .git ]; then
    for copy in one two/deeper; do
      mkdir -p "$(dirname "$t/$copy")" && git clone -q . "$t/$copy" &&
        (unset MAKEFLAGS MFLAGS MAKELEVEL; SOURCE_DATE_EPOCH=1000000000 make -C "$t/$copy" deb) >"$t/log" 2>&1 || bad "packages in $copy" "" "$t/log"
      (cd "$t/$copy/build/deb" && sha256sum -- *.deb *.orig.tar.xz) >"$t/${copy%%/*}.sums"
    done
    diff "$t/one.sums" "$t/two.sums" >"$t/log" && [ "$(grep -c deb "$t/one.sums")" -ge 5 ] && good 'the same bytes in any folder' ||
      bad 'the same bytes in any folder' "" "$t/log"
    dpkg-deb -c "$t/one/build/deb/"nocturne_*.deb | grep -q '2001-09-09' && good 'SOURCE_DATE_EPOCH is kept' || bad 'SOURCE_DATE_EPOCH is kept'
    rm -rf "$t/one" "$t/two"
  fi
  if [ "$(id -u)" -ne 0 ] || ! command -v mmdebstrap >/dev/null; then
    good 'a bare Debian: SKIPPED, not root or no mmdebstrap (tb/setup.sh deb)'
    exit
  fi
  bare=$root/$t/bare
  cleanup() { rm -rf "$bare"; }
  sources=$(find /etc/apt/sources.list /etc/apt/sources.list.d -type f \( -name '*.list' -o -name '*.sources' \) -size +0 2>/dev/null)
  # shellcheck disable=SC2086
  mmdebstrap --quiet --variant=apt bookworm "$bare" $sources >"$t/log" 2>&1 ||
    { bad 'a bare Debian 12' "" "$t/log"; exit; }
  good 'a bare Debian 12'
  cp "$debs"/*.deb "$bare/tmp/"
  in_bare() { # STATUS COMMAND
    chroot "$bare" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive \
      sh -c "cd /root && $2" >"$t/said" 2>&1
    local code=$?
    [ $code -eq "$1" ] || { echo "status $code, expected $1"; tail "$t/said"; return 1; }
  }
  get='apt-get install -y -qq --no-install-recommends'
  check 'the package installs' in_bare 0 "apt-get update -qq && $get /tmp/nocturne_*.deb /tmp/nocturne-common_*.deb"
  check 'an installed frame in golden' in_bare 0 \
    'nocturne run vectors/config/chopin.yaml --frame vectors/frames/openarena/demo088_test1_1300.nframe --engine golden'
  has "$t/said" 'violations 0,' >/dev/null || bad 'its picture' "" "$t/said"
  check 'lockstep lacks tools' in_bare 3 'nocturne run vectors/config/chopin.yaml --frame gen:test-3 --set gpus=2'
  [ "$(wc -l <"$t/said")" -eq 1 ] && named=$(sed -n 's/^nocturne: verilator is missing; .*apt-get install //p' "$t/said") &&
    [ -n "$named" ] && good "it names $named" || bad 'it names them in one line' "" "$t/said"
  check 'these install' in_bare 0 "$get $named"
  check 'lockstep' in_bare 0 'nocturne run vectors/config/chopin.yaml --frame gen:test-3 --set gpus=2'
  has "$t/said" 'draw_scheduler +[0-9]+ cycles evaluated, [1-9][0-9]* compared, mismatches 0' >/dev/null &&
    [ -n "$(find "$bare/root/.cache/nocturne" -name unit.so)" ] && good 'its hardware is in ~/.cache/nocturne' ||
    bad 'its hardware is in ~/.cache/nocturne' "" "$t/said"
  check 'the manual page is there' test -s "$bare/usr/share/man/man1/nocturne-run.1.gz"
  check 'the library installs' in_bare 0 "$get pkg-config libc6-dev /tmp/libnocturne*.deb"
  cp docs/examples/scheduler.c "$bare/root/"
  # shellcheck disable=SC2016
  check 'the example compiles against it' in_bare 0 'gcc -O2 scheduler.c $(pkg-config --cflags --libs nocturne) -o scheduler'
  check 'and runs' in_bare 0 './scheduler gen:test-3 gpus=2'
  check 'all of it can be removed' in_bare 0 'apt-get purge -y -qq nocturne nocturne-common libnocturne0 libnocturne-dev'
  [ ! -e "$bare/usr/share/nocturne" ] && good 'nothing is left' || bad 'nothing is left'
fi
