#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Waves in GTKWave.
#   tb/waves.sh show TEST-ID [BEFORE:AFTER] [system]   `make waves`: the test again, up to its
#                                          failure; the failing unit's waves, or all units'
#   tb/waves.sh save [DIR]        waves/: the draw scheduler's save file as an example, and the hashes
#                                 of all units' with their names of values, for the default parameters
#   tb/waves.sh pictures [DIR]    pictures of a machine, of a planted bug and of a refuted rule, for docs/
#   tb/waves.sh refuted [DIR]     the last of these alone
#   tb/waves.sh set UNIT          the parameter set of its waves
# Exit status: 1 nothing to show, 2 bad usage, 3 a tool is missing.
set -u
n=build/nocturne

need() { # tool package
  command -v "$1" >/dev/null 2>&1 && return
  echo "waves: $1 is missing; install it with: tb/setup.sh waves, or apt-get install $2" >&2
  exit 3
}

show() { # id window system
  local id=$1 window=$2 log=build/waves/show.log file status=0
  mkdir -p build/waves
  "$n" rerun "$id" ${window:+--window "$window"} | tee "$log" | grep -vE '^    |last transactions|last inputs'
  status=${PIPESTATUS[0]}
  [ "$status" -ge 2 ] && exit "$status"
  file=$(sed -n 's/^  waves: //p' "$log" | tail -n 1)
  # A hang of the machine has waves of all units only.
  { [ -n "$3" ] || [ -z "$file" ]; } && file=$(sed -n 's/^  of all units: //p' "$log" | tail -n 1)
  if { [ -z "$file" ] || [ ! -s "$file" ]; } && [ "$status" -eq 0 ]; then
    echo "waves: $id passes: there is no failure to show" >&2
    exit 1
  elif [ -z "$file" ] || [ ! -s "$file" ]; then
    echo "waves: $id fails, but not in a unit${3:+ of a machine}: no waves" >&2
    exit 1
  fi
  need gtkwave gtkwave
  if [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    echo "waves: no display; where there is one: gtkwave $file ${file%.*}.gtkw" >&2
    exit 3
  fi
  exec gtkwave "$file" "${file%.*}.gtkw"
}

units() { sed -n 's/^unit: //p' csim/units/*/page.yaml; }

from() { # unit: where it has something to show
  case $1 in
    pixel_distributor) echo 470 ;;
    *) echo 100 ;;
  esac
}

set_of() { # unit: the parameter set of its waves
  case $1 in
    pixel_distributor) echo tiles ;;
    coarse_depth) echo screen ;;
    *) echo paper ;;
  esac
}

# The waves behind the save files and the picture of the machine, into build/waves/save.
record() {
  rm -rf build/waves/save
  mkdir -p build/waves/save
  local unit from status=0
  for unit in $(units); do
    from=$(from "$unit")
    "$n" unit "$unit" --seed 3 --cycles $((from + 60)) --set "$(set_of "$unit")" \
      --waves "build/waves/save/$unit.fst" --from $from --to $((from + 60)) >build/waves/save/log 2>&1 || {
      tail -n 1 build/waves/save/log >&2
      status=1
    }
  done
  "$n" run vectors/config/combined.yaml --engine golden --frame gen:test-1 --set driver.threshold=20 \
    --system-waves build/waves/save/system.vcd --from 2556 --to 2700 >build/waves/save/log 2>&1 &&
    return $status
}

# A save file without what only says where it stands; its names of values are in FOLDER.
portable() { # file folder
  sed -e '/^\[dumpfile\]/d' -e "s|^^1 .*/enums/|^1 $2/|" "$1"
}

save() { # folder
  local status=0 file name
  record || status=1
  mkdir -p "$1/enums"
  rm -f "$1"/*.* "$1"/enums/*.txt
  cp build/waves/save/enums/draw_scheduler.*.txt "$1/enums/"
  portable build/waves/save/draw_scheduler.gtkw waves/enums >"$1/draw_scheduler.gtkw"
  for file in build/waves/save/*.gtkw; do
    name=$(basename "$file" .gtkw)
    echo "$({ portable "$file" enums; cat build/waves/save/enums/"$name".*.txt 2>/dev/null; } | sha256sum | cut -c 1-64) $name"
  done >"$1/digests.txt"
  return $status
}

picture() { # waves png
  local rows height
  # Rows that are not folded away; a row has 23 pixels, the window's frame 130.
  rows=$(awk '/^@c00200/ { getline; if (!depth) n++; depth++; next }
    /^@1401200/ { getline; depth--; next }
    !depth && /^(top|machine|-|#)/ { n++ } END { print n }' "${1%.*}.gtkw")
  height=$((rows * 23 + 150))
  [ $height -gt 1600 ] && height=1600
  sed "s/^\[size\].*/[size] 1400 $height/" "${1%.*}.gtkw" >build/waves/picture.gtkw
  xvfb-run -a -s "-screen 0 1400x${height}x24" sh -c '
    gtkwave --nomenus --rcvar "fontname_signals Monospace 10" --rcvar "fontname_waves Monospace 10" \
      --rcvar "splash_disable 1" --rcvar "hide_sst 1" "$1" "$2" >/dev/null 2>&1 &
    pid=$!
    sleep 3
    import -window root "$3"
    kill $pid' sh "$1" build/waves/picture.gtkw build/waves/picture.png 2>/dev/null
  [ -s build/waves/picture.png ] || {
    echo "waves: $1 cannot be drawn" >&2
    exit 1
  }
  convert build/waves/picture.png -strip -colors 48 "$2"
}

# Of the tree, for a wrong line.
copy() { # folder
  rm -rf "$1"
  mkdir -p "$1/build/units" "$1/csim" build/units/library-{plain,trace}
  cp -r rtl dpi tb "$1/"
  cp -r csim/base csim/unit "$1/csim/"
  cp -rp build/unit "$1/build/"
  ln -s "$PWD"/build/units/library-* "$1/build/units/"
  ln -s "$PWD/$n" "$1/build/nocturne"
}

# The first seed of the draw scheduler that meets a wrong line: ties go to the wrong GPU.
planted() { # folder
  copy "$1"
  sed -i "$(tests/scripts/wrong.sh change draw_scheduler "ties go to the wrong GPU")" "$1/rtl/chopin/draw_scheduler.sv"
  (cd "$1" && build/nocturne unit draw_scheduler --set paper >report.txt)
  [ -s "$1/build/waves/draw_scheduler-0.fst" ] || {
    echo "waves: the planted bug was not found" >&2
    exit 1
  }
}

# A wrong grant of the lookahead scheduler: the run from reset by which `make prove` refutes it.
refuted() { # folder of the picture
  local unit=lookahead_scheduler tree=build/waves/refuted
  copy $tree
  mkdir -p $tree/tests "$1"
  cp -r csim/units $tree/csim/
  cp -r tests/units $tree/tests/
  sed -i "$(tests/scripts/wrong.sh change $unit "a pair is granted again")" $tree/rtl/chopin/$unit.sv
  (cd $tree && build/nocturne prove --size NumGpus=2 -o proofs $unit >report.txt)
  [ -s $tree/build/waves/$unit-0.fst ] || {
    echo "waves: the wrong grant was not refuted" >&2
    exit 1
  }
  picture $tree/build/waves/$unit-0.fst "$1/refuted.png"
}

pictures() { # folder
  local status=0
  need gtkwave gtkwave
  need xvfb-run "xvfb xauth"
  need import imagemagick
  record || status=1
  mkdir -p "$1"
  picture build/waves/save/system.vcd "$1/system.png"
  planted build/waves/planted
  picture build/waves/planted/build/waves/draw_scheduler-0.fst "$1/planted.png"
  cp build/waves/planted/build/reports/draw_scheduler-0.svg "$1/planted.svg"
  refuted "$1"
  # shellcheck disable=SC2046
  [ "$1" != docs/images/waves ] || tb/products.sh record $(ls "$1"/*) || status=1
  return $status
}

case ${1:-} in
  show)
    [ -n "${2:-}" ] || {
      echo "waves: which test? make waves TEST=ID, as a regression's summary prints it" >&2
      exit 2
    }
    show "$2" "${3:-}" "${4:-}" ;;
  save) save "${2:-waves}" ;;
  set) set_of "${2:-}" ;;
  pictures) pictures "${2:-docs/images/waves}" ;;
  refuted)
    refuted "${2:-docs/images/waves}"
    [ -n "${2:-}" ] || tb/products.sh record docs/images/waves/refuted.png ;;
  *)
    sed -n '3,/^# Exit/s/^# *//p' "$0" >&2
    exit 2 ;;
esac
