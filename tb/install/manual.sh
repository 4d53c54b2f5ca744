#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The manual pages and the completion for bash, made from what the commands say of themselves.
#   tb/install/manual.sh NOCTURNE FOLDER
# FOLDER/man1: nocturne.1 and one of each command; FOLDER/nocturne: the completion.
set -eu
program=$1 folder=$2
version=$("$program" --version | sed -n '1s/^nocturne \([^,]*\),.*/\1/p')
date=$(date -u +%F ${SOURCE_DATE_EPOCH:+-d "@$SOURCE_DATE_EPOCH"})
rm -rf "$folder"
mkdir -p "$folder/man1" "$folder/say"
"$program" help >"$folder/help"
commands=$(sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p' "$folder/help" | grep -vx help)
about() { sed -n "s/^  $1  *//p" "$folder/help"; }

# What is the same on all pages.
cat >"$folder/common" <<END
[environment]
.TP
NOCTURNE_DATA
The folder of what belongs to the program, instead of the one it was installed with.
.TP
XDG_CACHE_HOME
Where nocturne/ is made, in which the hardware is built (~/.cache).
.TP
NOCTURNE_NO_WAVES
Set: a failed command is not run again with waves.
[exit status]
.TP
0
all passed
.TP
1
a check failed, or a result could not be written
.TP
2
bad usage or bad input, told in one line
.TP
3
the machine lacks a tool or memory, told by name
END
see() { # PAGES...
  echo '[see also]'
  printf '%s\n' "$@" | sed 's/.*/.BR & (1)/; $!s/$/,/'
}
page() { # NAME ABOUT
  # help2man runs a program of the page's name.
  printf '#!/bin/sh\ncat "%s"\n' "$folder/say/$1.txt" >"$folder/say/$1"
  chmod +x "$folder/say/$1"
  help2man -N -s 1 -n "$2" --version-string="$version" -i "$folder/common" -i "$folder/see" -m 'User Commands' \
    -S Nocturne "$folder/say/$1" | sed "/^\.TH/s/\"[A-Z][a-z]* [0-9]*\"/\"$date\"/" >"$folder/man1/$1.1"
}
# shellcheck disable=SC2086
see $(printf 'nocturne-%s ' $commands) >"$folder/see"
# A tag and what it says, as help2man reads a list of options.
sed '1s/$/\n\nRenders frames on the machines of CHOPIN and A-TFIM, their hardware as RTL checked in every cycle./' \
  "$folder/help" >"$folder/say/nocturne.txt"
page nocturne 'the hardware of CHOPIN and A-TFIM in a model of the machine around it'
see nocturne >"$folder/see"
for c in $commands; do
  ARGP_HELP_FMT=rmargin=100 "$program" help "$c" >"$folder/say/nocturne-$c.txt"
  page "nocturne-$c" "$(about "$c")"
done

# ---- Completion. A line of a help: "  -s, --set=KEY=VALUE  what": its long option, and its argument.
options() { # COMMAND: OPTION= or OPTION, one a line
  sed -nE 's/^ +(-.,)? *--([a-z-]+)(\[?=?).*/--\2\3/p' "$folder/say/nocturne-$1.txt" | sort -u
}
{
  cat <<'END'
# Completion of nocturne for bash, made from the options of its commands.
_nocturne() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} options=''
  [ "$word" != = ] || word=''
  [ "$before" != = ] || before=${COMP_WORDS[COMP_CWORD - 2]}
  COMPREPLY=()
END
  echo "  local commands='$(echo "$commands" help | xargs)'"
  cat <<'END'
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "$commands --help --version" -- "$word")
    return
  fi
  case $command in
END
  for c in $commands; do
    echo "    $c) options='$(options "$c" | tr '\n' ' ' | sed 's/ $//')' ;;"
  done
  cat <<'END'
    help) mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$word"); return ;;
  esac
  case $before in
    --engine | -e) mapfile -t COMPREPLY < <(compgen -W 'golden rtl lockstep gates' -- "$word"); return ;;
    --*) case " $options " in *" $before= "*) compopt -o default; return ;; esac ;;
  esac
  case $word in
    -*)
      mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
      [[ ${COMPREPLY[0]:-} != *= ]] || compopt -o nospace
      ;;
    *) compopt -o default ;;
  esac
}
complete -F _nocturne nocturne
END
} >"$folder/nocturne"
rm -r "$folder/say" "$folder/see" "$folder/common" "$folder/help"
