#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Captures frames of real programs as frame files: docs/how-to/capture.md.
#
#   capture.sh nexuiz|openarena DIRECTORY [FRAME...]
#
# Traces the program's demo under a virtual display (unless DIRECTORY holds the
# trace already), replays the trace under the capture library, and leaves FRAME.nframe
# and FRAME.png (the program's own picture) in DIRECTORY. FRAME is a number, or FIRST+COUNT for
# consecutive frames in one file. Without FRAME, those of the bundled files. Needs the Debian packages nexuiz or openarena with their data,
# apitrace, xvfb, cpp.
#
#   CAPTURE_LIBRARY  the library; default build/libnocturne_capture.so
#   TEXTURE_CAP      longer side of a texture, default 256
#   TEXTURE_BITS     bits of a channel kept, default 5
set -eu

usage() {
  sed -n '3,17s/^# \{0,1\}//p' "$0" >&2
  exit 2
}

[ $# -ge 2 ] || usage
program=$1
directory=$2
shift 2
library=${CAPTURE_LIBRARY:-build/libnocturne_capture.so}
[ -f "$library" ] || { echo "capture.sh: $library: no such file, expected the capture library" >&2; exit 3; }
library=$(realpath "$library")

case $program in
  nexuiz)
    name='Nexuiz 2.5.2, demo bench1, ultra effects'
    frames=${*:-980}
    enough=2600000000  # bytes, some 1,200 frames
    # Effects as in the game's own "ultra" menu entry, but: one sample a pixel, no
    # motion blur (it shows the frame before), a shadow map of 2048 instead of 8192.
    set -- nexuiz -nosound -window -width 1280 -height 1024 -bpp 32 \
      +vid_fullscreen 0 +vid_vsync 0 +cl_curl_enabled 0 +vid_gl20 1 +vid_gl13 1 \
      +gl_texture_anisotropy 16 +r_coronas 1 +showfps 0 +cl_startdemos 0 +gl_picmip 0 \
      +gl_max_size 4096 +exec effects-ultra.cfg \
      +r_shadow_realtime_world 1 +r_shadow_realtime_world_shadows 1 \
      +r_shadow_realtime_dlight 1 +r_shadow_realtime_dlight_shadows 1 \
      +vid_samples 1 +r_motionblur 0 +r_damageblur 0 +r_shadow_shadowmapping_texturesize 2048 \
      +timedemo demos/bench1.dem
    ;;
  openarena)
    name='OpenArena 0.8.8, demo demo088-test1'
    frames=${*:-3400}
    enough=4000000000  # it quits before, at the end of the demo
    set -- openarena +set cl_renderer opengl1 +set com_hunkmegs 512 +set r_mode -1 \
      +set r_customwidth 1280 +set r_customheight 1024 +set r_fullscreen 0 +set s_initsound 0 \
      +set timedemo 1 +set com_introplayed 1 +set nextdemo quit +set r_picmip 0 \
      +set r_texturebits 32 +set r_ext_texture_filter_anisotropic 1 +set r_ext_max_anisotropy 16 \
      +set r_subdivisions 1 +set r_lodCurveError 10000 +set r_lodbias -2 +set r_dynamiclight 1 \
      +set cg_shadows 1 +set cg_drawFPS 0 +set com_maxfps 0 +set r_swapInterval 0 \
      +demo demo088-test1
    ;;
  *) usage ;;
esac

mkdir -p "$directory/home"
directory=$(realpath "$directory")
PATH=$PATH:/usr/games
SDL_AUDIODRIVER=dummy
HOME=$directory/home  # nobody's settings
export PATH SDL_AUDIODRIVER HOME

rm -f "$directory/display"
Xvfb -displayfd 3 -screen 0 1400x1100x24 +extension GLX -nolisten tcp 3> "$directory/display" &
server=$!
trap 'kill $server' EXIT
while [ ! -s "$directory/display" ]; do sleep 0.2; done
DISPLAY=:$(cat "$directory/display")
export DISPLAY

# Tracing: no pixels are needed. The game runs in a session of its own and is ended
# once the trace is long enough; Nexuiz would stay in its menu after the demo.
trace=$directory/$program.trace
if [ ! -f "$trace" ]; then
  LP_NO_RAST=1 setsid apitrace trace --api gl -o "$trace.part" "$@" > "$directory/$program.log" 2>&1 &
  tracer=$!
  while kill -0 $tracer 2> /dev/null; do
    sleep 1
    size=$(stat -c %s "$trace.part" 2> /dev/null || echo 0)
    [ "$size" -lt "$enough" ] || kill -- -$tracer 2> /dev/null || true
  done
  mv "$trace.part" "$trace"
fi

# Replaying: frames outside the wanted ones set state and textures, but draw nothing.
LD_PRELOAD=$library \
NOCTURNE_FRAMES=$(echo $frames | tr ' ' ,) \
NOCTURNE_OUT=$directory \
NOCTURNE_NAME=$name \
NOCTURNE_TEXTURE_CAP=${TEXTURE_CAP:-256} \
NOCTURNE_TEXTURE_BITS=${TEXTURE_BITS:-5} \
NOCTURNE_IGNORE_ALPHA=1 NOCTURNE_MERGE_COPY=1 NOCTURNE_SKIP=1 NOCTURNE_REFERENCE=1 \
  glretrace -b "$trace"
