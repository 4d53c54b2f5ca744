# SPDX-License-Identifier: Apache-2.0
# Sourced after lib.sh: a Slurm of one's own, controller and nodes on this machine, without systemd,
# munge or cgroups, on ports that are free, all of it in one folder.
#   slurm_missing         prints the first program of it that is not installed
#   slurm_start FOLDER N  a controller and N nodes n1... of one processor each, partition main;
#                         SLURM_CONF is then theirs. False: it did not come up, and says why.
#   slurm_tree NODE       the processes of a node: slurmd, what it started, and so on, slurmd first
#   slurm_stop            ends all of it
# shellcheck shell=bash
slurm_missing() {
  local p
  for p in slurmctld slurmd sbatch squeue scancel sinfo scontrol; do
    PATH=$PATH:/usr/sbin command -v $p >/dev/null || { echo $p; return; }
  done
}

slurm_port() { # COUNT: the first of so many that nobody listens on
  local port i
  while :; do
    port=$((20000 + RANDOM % 12000))
    for ((i = 0; i < $1; i++)); do
      ! (exec 3<>"/dev/tcp/127.0.0.1/$((port + i))") 2>/dev/null || continue 2
    done
    echo $port
    return
  done
}

slurm_conf() { # FOLDER NODES PORT
  local folder=$1 host i
  host=$(hostname -s)
  cat <<END
ClusterName=nocturne
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$3
AuthType=auth/none
AuthInfo=cred_expire=5
CredType=cred/none
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SlurmdTimeout=6
KillWait=2
MinJobAge=300
ReturnToService=2
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=1
END
  for ((i = 1; i <= $2; i++)); do
    echo "NodeName=n$i NodeHostname=$host NodeAddr=127.0.0.1 Port=$(($3 + i)) CPUs=1 RealMemory=4000"
  done
  echo "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP"
}

slurm_node() { # FOLDER NODE
  (unset "${!SLURM_@}"; exec slurmd -D -N "$2" -f "$1/slurm.conf") >"$1/$2.out" 2>&1 &
  disown
}

slurm_start() { # FOLDER NODES
  local i
  PATH=$PATH:/usr/sbin
  mkdir -p "$1/state" "$1/spool"
  slurm_folder=$(realpath "$1")
  slurm_nodes=$2
  slurm_conf "$slurm_folder" "$2" "$(slurm_port $(($2 + 1)))" >"$slurm_folder/slurm.conf"
  unset "${!SLURM_@}" "${!SBATCH_@}"
  export SLURM_CONF=$slurm_folder/slurm.conf
  slurmctld -D -f "$SLURM_CONF" >"$slurm_folder/slurmctld.out" 2>&1 &
  slurm_controller=$!
  for ((i = 1; i <= $2; i++)); do slurm_node "$slurm_folder" "n$i"; done
  for ((i = 0; i < 600; i++)); do
    [ "$(sinfo -h -N -t idle -o %N 2>/dev/null | wc -l)" -ne "$2" ] || return 0
    kill -0 $slurm_controller 2>/dev/null || break
    sleep 0.1
  done
  tail -n 5 "$slurm_folder"/*.out "$slurm_folder"/*.log
  return 1
}

slurm_below() { # PID...
  local p
  for p; do
    echo "$p"
    # shellcheck disable=SC2046
    slurm_below $(pgrep -P "$p")
  done
}

slurm_tree() { # NODE: a slurmstepd leaves its slurmd; its log tells whose it is
  local p
  slurm_below "$(cat "$slurm_folder/$1.pid")"
  for p in $(pgrep -x slurmstepd); do
    # shellcheck disable=SC2010
    ! ls -l "/proc/$p/fd" 2>/dev/null | grep -qF -- "-> $slurm_folder/$1.log" || slurm_below "$p"
  done
}

slurm_stop() {
  local i
  [ -n "${slurm_folder:-}" ] || return 0
  scancel -Q -u "$(id -un)" 2>/dev/null
  for ((i = 1; i <= slurm_nodes; i++)); do
    # shellcheck disable=SC2046
    kill -9 $(slurm_tree "n$i") 2>/dev/null
  done
  kill -9 "$slurm_controller" 2>/dev/null
  wait 2>/dev/null
  slurm_folder=''
}
