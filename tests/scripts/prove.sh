# SPDX-License-Identifier: Apache-2.0
# For scripts that prove, after lib.sh.
#   prove TREE ARGUMENTS...                    nocturne prove there: its status; what it says in $t/said
#   expect NAME STATUS PATTERN COMMAND...      the status, and the pattern in $t/said
#   planted UNIT FILE SED [SIZE]               $t/copy: what is proved, with a line changed; $covers: an option for it
#   refuted NAME UNIT FILE SED PATTERN [SIZE]  the wrong line is refuted, and replayed by the harness
# shellcheck shell=bash disable=SC2154
export NOCTURNE_NO_WAVES=1  # a build for waves takes longer than the rest of a replay

prove() { # tree, arguments of nocturne prove...: its status; what it says in $t/said
  local tree=$1
  shift
  (cd "$tree" && "$root/$n" prove -s "$@") >"$t/said" 2>&1
}

expect() { # name status pattern command...
  local name=$1 status=$2 pattern=$3
  shift 3
  "$@"
  local got=$?
  if [ $got -eq "$status" ] && grep -qE "$pattern" "$t/said"; then
    good "$name"
  else
    bad "$name" "status $got, expected $status and '$pattern'" "$t/said"
  fi
}

# A copy of what is proved, with a line changed; the harness works in it.
planted() { # unit file sed [size]: this size, with the words of wrong.sh behind it, or the unit's first one
  rm -rf "$t/copy"
  mkdir -p "$t/copy/tests" "$t/copy/csim"
  cp -rp tests/units "$t/copy/tests/"
  # (JSON is YAML.)
  "$n" room "$1" | jq --arg size "$4" '.[0] | del(.unit) | .prove = [.prove[0] | {short: true} +
    if $size == "" then {size, shows}
    else {shows: "search", size: ($size | split(" ") | map(select(contains("=")) | split("=") | {(.[0]): (.[1] | tonumber)}) | add)} +
      if $size | test(" symbolic") then {symbolic: true} else {} end +
      if $size | test(" (hunt|runs)$") then {shows: ($size | split(" ") | last)} else {} end end] | if $size | endswith(" hunt") then del(.runs) else . end' \
    >"$t/copy/tests/units/$1/unit.yaml"
  # What is wrong is refuted before anything is looked for from reset.
  covers=--no-covers
  ! grep -qE '"shows": "(runs|hunt)"' "$t/copy/tests/units/$1/unit.yaml" || covers=
  cp -rp csim/units "$t/copy/csim/"
  plant "$t/copy" "$2" "$3"
}
refuted() { # name unit file sed pattern [size]
  if ! planted "$2" "$3" "$4" "${6:-}"; then
    bad "$1" "the line has changed; adapt tests/units/$2/wrong.cases"
    return
  fi
  if [[ ${6:-} == *' unreached' ]]; then
    expect "refuted: $2: $1" 1 "$5" prove "$t/copy" -o proofs -c 1 $covers "$2"
    check "decoded, and no run is short enough: $2: $1" has "$t/said" '^  not reached in 1 cycles from reset'
    return
  fi
  expect "refuted: $2: $1" 1 "$5" prove "$t/copy" -o proofs $covers "$2"
  # What stands for a part of a joined unit has no runs to repeat.
  ! "$n" room "$2" | jq -e '.[0].parts' >/dev/null || return
  if grep -qE "^  replayed in (lockstep|the RTL)" "$t/said"; then
    good "replayed: $2: $1"
  else
    bad "replayed: $2: $1" "" "$t/said"
  fi
}

