#!/bin/bash
# SPDX-License-Identifier: MIT
# The same class on a cluster of one node, started here (SLURM=1; as root, with Debian's slurmctld and slurmd).
. tests/batch/batch.bash
if [ "${SLURM-}" != 1 ] || [ "$(id -u)" != 0 ] || ! command -v slurmctld slurmd sbatch > /dev/null; then
    skip_all "SLURM=1, root, slurmctld and slurmd start a cluster of one node"
fi

slurm=$dir/slurm
mkdir -p "$slurm/state" "$slurm/spool"
host=$(hostname -s)
port=$((20000 + $$ % 20000))
cat > "$slurm/slurm.conf" <<CONF
ClusterName=workbook
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/none
CredType=cred/none
SlurmUser=root
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool
SlurmctldPidFile=$slurm/ctld.pid
SlurmdPidFile=$slurm/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SchedulerParameters=sched_interval=1,batch_sched_delay=1
MpiDefault=none
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$slurm/slurm.conf
slurmctld -D > "$slurm/ctld.log" 2>&1 & controller=$!
slurmd -D -N "$host" > "$slurm/slurmd.log" 2>&1 & node=$!
cleanup() { kill "$node" "$controller" 2> /dev/null; wait "$node" "$controller" 2> /dev/null; }
for ((i = 0; i < 60; i++)); do sinfo -h -o %t 2> /dev/null | grep -q idle && break; sleep 0.5; done
if ! sinfo -h -o %t 2> /dev/null | grep -q idle; then
    skip_all "no node came up: $(tail -n 1 "$slurm/slurmd.log" | tr '#\n' '  ')"
fi

hand_in anna 01-sync-vs-async solutions/01-sync-vs-async.cu
hand_in ben 01-sync-vs-async exercises/01-sync-vs-async.cu
hand_in carl 01-sync-vs-async "$(wrong 01-sync-vs-async/blames-launch)"
hand_in dora 03-events solutions/03-events.cu
hand_in emil 03-events solutions/01-sync-vs-async.cu
batch --lessons "1 3" --jobs 1
ok "the class is graded here" ends 0
mv "$dir/grades" "$dir/local"
batch --lessons "1 3" --engine slurm --jobs 1
ok "and by Slurm" ends 0
ok "to the same bytes" cmp "$dir/local/results.json" "$dir/grades/results.json"
ok "it was Slurm that did it" eval '[ -s "$dir/grades/batch/array.sh" ] && [ "$(ls "$dir"/grades/batch/slurm-*.log | wc -l)" -ge 2 ]'
ok "and no stage is left" left_nothing

# A task that dies takes its share with it: what is missing is handed in again.
rm -rf "$dir/grades"
insert overlap '    for (volatile int spin = 1; spin;) { }'
hand_in anna 01-sync-vs-async "$dir/x.cu"
(
    for ((i = 0; i < 240; i++)); do
        for task in $(pgrep -f -- "--work $dir/grades --share" 2> /dev/null); do
            sleep 1
            kill -KILL "$task" && exit
        done
        sleep 0.25
    done
) & killer=$!
batch --lessons "1 3" --engine slurm --jobs 1 --time-limit 4
kill "$killer" 2> /dev/null; wait "$killer" 2> /dev/null
ok "what a killed task left undone is done by another" eval 'ends 0 && is "$(status_of anna 01)" "timed out" && is "$(status_of dora 03)" passed'
rm -rf "$dir/grades"
SLURM_CONF=/nonexistent batch --lessons "1 3" --engine slurm
ok "a cluster that takes no work is said in a line" eval 'ends 2 && complains "Slurm takes no work"'
done_testing
