#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Frames of display lists (tests/programs/capture_lists.c) and of glxgears, captured under Xvfb and drawn again:
# the same picture as the program's own. Without GL, or without Xvfb, nothing is tested, and says so.
set -u
. tests/scripts/lib.sh

missing=
for tool in Xvfb glxgears; do command -v $tool >/dev/null || missing+=" $tool"; done
[ -f /usr/include/GL/glx.h ] || missing+=" GL/glx.h"
ls /usr/lib/*/dri/swrast_dri.so >/dev/null 2>&1 || missing+=" swrast_dri.so"
if [ -n "$missing" ]; then
  good "capture: SKIPPED, this machine lacks$missing (apt-get install xvfb mesa-utils libgl-dev libgl1-mesa-dri)"
  exit
fi
for file in capture_lists capture_compare; do
  ${CC:-gcc} -std=c11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror -o "$t/$file" tests/programs/$file.c -lGL -lX11 -lpng -lm \
    >"$t/build.log" 2>&1 || { bad "$file builds" "" "$t/build.log"; exit; }
done
check "library" make -s capture B="$build"
[ -f "$build/libnocturne_capture.so" ] || exit

Xvfb -displayfd 3 -screen 0 640x480x24 +extension GLX -nolisten tcp 3>"$t/display" >"$t/xvfb.log" 2>&1 &
server=$!
cleanup() { kill $server 2>/dev/null; }
until [ -s "$t/display" ] || ! kill -0 $server 2>/dev/null; do sleep 0.1; done
[ -s "$t/display" ] || { bad "Xvfb starts" "" "$t/xvfb.log"; exit; }
DISPLAY=:$(cat "$t/display")
export DISPLAY LIBGL_ALWAYS_SOFTWARE=1

captured() { # name frames command...: into $t/NAME
  local name=$1 frames=$2
  shift 2
  mkdir -p "$(dirname "$t/$name")"
  NOCTURNE_FRAMES=$frames NOCTURNE_OUT=$t/$name NOCTURNE_REFERENCE=1 \
    LD_PRELOAD=$(realpath "$build/libnocturne_capture.so") "$@" >"$t/$name.log" 2>&1
}

own() { # name frame [MODE]: the program's picture, drawn without the library
  "$t/capture_lists" "$t/$1/$2.png" "$2" ${3:+"$3"} >"$t/own.log" 2>&1 || bad "$1 draws" "" "$t/own.log"
}

same() { # name frame least: as the program's own picture, in dB
  local frame=$t/$1/$2.nframe decibels
  "$n" run vectors/config/chopin.yaml --engine golden --set gpus=2 --frame "$frame" \
    --image "$t/$1/$2-again.png" >"$t/run.log" 2>&1 || { bad "$1 frame $2" "" "$t/run.log"; return; }
  decibels=$("$t/capture_compare" "$t/$1/$2.png" "$t/$1/$2-again.png")
  if awk -v x="$decibels" -v least="$3" 'BEGIN {exit !(x + 0 >= least)}'; then
    good "$1 frame $2: $decibels dB"
  else
    bad "$1 frame $2" "$decibels dB to its own picture, expected at least $3"
  fi
}

# The program's calls go on as without the library, frame by frame.
if captured lists 1,4 "$t/capture_lists"; then good "lists: ends by itself"; else bad "lists" "status $?" "$t/lists.log"; fi
for frame in 1 4; do
  own lists $frame
  same lists $frame 45
done
# Consecutive frames in one file: each is what it is alone, and what they share stands once.
captured alone 1,2,3 "$t/capture_lists" || bad "frames alone" "status $?" "$t/alone.log"
if captured several 1+3 "$t/capture_lists"; then good "several: ends by itself"; else bad "several" "status $?" "$t/several.log"; fi
hashes() { "$n" frame info "$@" | grep -oE '\b[0-9a-f]{16}\b'; }
want=$(hashes "$t"/alone/{1,2,3}.nframe)
if [ "$(echo "$want" | sort -u | wc -l)" = 3 ] && [ "$want" = "$(hashes "$t/several/1+3.nframe")" ]; then
  good "several: each frame is what it is alone"
else
  bad "several: each frame is what it is alone" "$(hashes "$t/several/1+3.nframe") instead of $want" "$t/several.log"
fi
check "the texture is stored once" has "$t/several.log" '1\+3.nframe: 3 frames, 1 textures$'
sizes=$(cat "$t"/alone/{1,2,3}.nframe | wc -c) size=$(stat -c %s "$t/several/1+3.nframe")
if [ "$size" -lt $((sizes * 6 / 10)) ]; then good "several: $size bytes, alone $sizes"; else bad "several: $size bytes, alone $sizes"; fi
check "they run one after the other" "$n" run vectors/config/chopin.yaml --engine golden --set gpus=2 \
  --frames "$t/several/1+3.nframe"
captured ended 4+9 "$t/capture_lists"
check "what there is when the program ends" has "$t/ended.log" '4\+9.nframe: 2 frames'
for wrong in 1+0 1+ 1+257 x 3,2+2 -1; do
  if captured wrong "$wrong" "$t/capture_lists"; then
    bad "NOCTURNE_FRAMES=$wrong is refused"
  else
    check "NOCTURNE_FRAMES=$wrong is refused" has "$t/wrong.log" '^capture: NOCTURNE_FRAMES=.*: expected numbers, or FIRST'
  fi
done
# Textures above the second unit take a stage that is free.
if captured units/deep/er 1 "$t/capture_lists" /dev/null 99 units; then good "units: ends by itself"; else bad "units" "status $?" "$t/units/deep/er.log"; fi
own units/deep/er 1 units
same units/deep/er 1 40
check "units: what is no colour is counted" has "$t/units/deep/er.log" "^capture: frame 1: left out or approximated: 2 x texture environments$"
! grep "texture stages" "$t/units/deep/er.log" && good "units: no stage is left out" || bad "units: no stage is left out" "" "$t/units/deep/er.log"
# Frames are swapped by EGL as well, and what is never swapped is said.
if ! ls /usr/lib/*/libEGL.so.1 >/dev/null 2>&1; then
  good "egl: SKIPPED, this machine lacks libEGL.so.1 (apt-get install libegl1)"
else
  if captured egl 4 "$t/capture_lists" /dev/null 99 egl; then good "egl: ends by itself"; else bad "egl" "status $?" "$t/egl.log"; fi
  own egl 4 egl
  same egl 4 45
fi
captured none 1 /bin/true
check "a program without a frame is said" has "$t/none.log" '^capture: true: no frame was seen, since it swaps no buffers by GLX or EGL'
captured few 1,40 "$t/capture_lists"
check "frames that never came are said" has "$t/few.log" '^capture: capture_lists: it ended after 6 frames, before the last of NOCTURNE_FRAMES'
if NOCTURNE_FRAMES=1 NOCTURNE_OUT=/dev/null/x LD_PRELOAD=$(realpath "$build/libnocturne_capture.so") "$t/capture_lists" >"$t/out.log" 2>&1; then
  bad "no folder for the frames"
else
  check "no folder for the frames" has "$t/out.log" '^capture: NOCTURNE_OUT=/dev/null/x: cannot be made: Not a directory'
fi
if captured gears 2 glxgears; then good "glxgears: goes on"; else bad "glxgears" "status $?" "$t/gears.log"; fi
same gears 2 30
# Skeletons of programs, in order: the fixed function of the texture alone, with fog and alpha test, GLSL, ARB.
if captured programs 1 "$t/capture_lists" /dev/null 99 programs; then good "programs: ends by itself"; else
  bad "programs" "status $?" "$t/programs.log"; fi
want="  1 draws: TEX 0, ALU 2
  1 draws: TEX 0, ALU 5, KILL
  1 draws: ALU 1, TEX 0, ALU 2, KILL, ALU 1, IF hash 0 of 1x1, ALU 1, ELSE, ALU 2, ENDIF, SFU 1
  1 draws: TEX 0, ALU 1, SFU 1, ALU 1"
got=$("$n" frame programs "$t/programs/1.nframe" 2>&1 | tail -n +3)
if [ "$got" = "$want" ]; then good "programs: their skeletons"; else bad "programs: their skeletons" "$got" "$t/programs.log"; fi
check "what a skeleton lacks is counted" has "$t/programs.log" "1 x branches of unknown outcome"
check "frame of a program runs by warps" "$n" run vectors/config/warps.yaml --engine golden --set scheme=single \
  --frame "$t/programs/1.nframe"
# What a frame cannot hold is said: the list that begins what another one ends.
if captured odd 1 "$t/capture_lists" /dev/null 99 odd; then good "odd: ends by itself"; else bad "odd" "status $?" "$t/odd.log"; fi
check "what is left out is said" has "$t/odd.log" '^capture: display list [0-9]+ ends within glBegin: drawn, not captured$'
check "points and lines are counted" has "$t/odd.log" '^capture: frame 1: left out or approximated: 1 x draws of points or lines$'
own odd 1 odd
same odd 1 20
