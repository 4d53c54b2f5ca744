#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The manual pages and the completions, made from what the commands say of themselves.
#   tb/install/manual.sh NOCTURNE FOLDER
# FOLDER/man1: nocturne.1 and one of each command; FOLDER/nocturne, _nocturne and nocturne.fish: the
# completions for bash, zsh and fish.
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
  sed -nE 's/^ +(-.,)? *--([a-z-]+)(\[?=?).*/--\2\3/p' "$folder/say/nocturne-$1.txt" | sed 's/\[=$//' | sort -u
}
units=$(cd csim/units && echo *)
machines=$(echo vectors/config/*.yaml)
sweeps=$(echo vectors/sweeps/*.yaml)
engines='golden rtl lockstep gates'
# What stands for a command's arguments beside files.
words() { # COMMAND
  case $1 in
    unit | area | prove | mutate | room) echo "$units" ;;
    bench) echo "$units" ;;
    run | config) echo "$machines" ;;
    sweep) echo "$sweeps" ;;
    frame) sed -nE 's/^ *(Usage:|or:)? *nocturne frame ([a-z]+) .*/\2/p' "$folder/say/nocturne-frame.txt" | xargs ;;
    help) echo "$commands" | xargs ;;
  esac
}
{
  cat <<'END'
# Completion of nocturne for bash, made from the options of its commands.
_nocturne() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} options='' words=''
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
  for c in $commands help; do
    echo "    $c) options='$([ "$c" = help ] || options "$c" | xargs)' words='$(words "$c")' ;;"
  done
  cat <<'END'
  esac
  case $before in
END
  echo "    --engine | -e) mapfile -t COMPREPLY < <(compgen -W '$engines' -- \"\$word\"); return ;;"
  echo "    --waves-unit) mapfile -t COMPREPLY < <(compgen -W '$units' -- \"\$word\"); return ;;"
  cat <<'END'
    --*) case " $options " in *" $before= "*) compopt -o default; return ;; esac ;;
  esac
  case $word in
    -*)
      mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
      [[ ${COMPREPLY[0]:-} != *= ]] || compopt -o nospace
      ;;
    *)
      mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
      [ -n "$word" ] && [ ${#COMPREPLY[@]} -gt 0 ] || compopt -o default
      ;;
  esac
}
complete -F _nocturne nocturne
END
} >"$folder/nocturne"

# The meaning of an option or a command, in one line without what the shells take for their own.
meaning() { # COMMAND OPTION
  sed -nE "s/^ +(-.,)? *$2(\[?=[^ ]*)?  +(.*)/\3/p" "$folder/say/nocturne-$1.txt" | head -n 1 | tr -d "'\`[]\\\\\"" | tr ':' ' '
}
values() { # OPTION
  case $1 in
    --engine) echo "$engines" ;;
    --waves-unit) echo "$units" ;;
  esac
}
{
  cat <<'END'
#compdef nocturne
# Completion of nocturne for zsh, made from the options of its commands.
_nocturne_words() {
  _alternative "words:word:($*)" files:file:_files
}
_nocturne() {
  local -a commands
  commands=(
END
  for c in $commands help; do echo "    '$c:$(about "$c" | tr -d "'" | tr ':' ' ')'"; done
  cat <<'END'
  )
  if ((CURRENT == 2)); then
    _describe command commands
    _values -C option --help --version
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
END
  for c in $commands help; do
    echo "    $c)"
    echo "      _arguments -S \\"
    [ "$c" = help ] || options "$c" | while read -r o; do
      name=${o%=}
      case $o in
        *=) v=$(values "$name"); echo "        '*$o[$(meaning "$c" "$name")]:value:${v:+($v)}${v:-_files}' \\" | sed 's/(\([^)]*\))\1/(\1)/' ;;
        *) echo "        '$o[$(meaning "$c" "$name")]' \\" ;;
      esac
    done
    w=$(words "$c")
    echo "        '*: : _nocturne_words $w'"
    echo "      ;;"
  done
  cat <<'END'
  esac
}
_nocturne "$@"
END
} >"$folder/_nocturne"
{
  echo "# Completion of nocturne for fish, made from the options of its commands."
  for c in $commands help; do
    echo "complete -c nocturne -n __fish_use_subcommand -f -a $c -d '$(about "$c" | tr -d "'")'"
  done
  for c in $commands help; do
    seen="-c nocturne -n '__fish_seen_subcommand_from $c'"
    w=$(words "$c")
    [ -z "$w" ] || echo "complete $seen -a '$w'"
    [ "$c" = help ] || options "$c" | while read -r o; do
      name=${o%=} arguments=
      name=${name#--}
      case $o in
        *=) v=$(values "--$name"); arguments=" -r${v:+ -f -a '$v'}" ;;
      esac
      echo "complete $seen -l $name$arguments -d '$(meaning "$c" "--$name")'"
    done
  done
} >"$folder/nocturne.fish"
rm -r "$folder/say" "$folder/see" "$folder/common" "$folder/help"
