#!/bin/sh
# slurm.sh BIN: tests refrain record with sbatch, salloc and srun, with both MPI libraries: the reconstruction must equal the recording.
# Slurm has one node, on this machine, while the script runs. Its daemons and sockets are in namespaces of their own. Not part of the
# tests, since it needs root and packages that these do not need:
#
#     apt-get install --no-install-recommends slurmctld slurmd slurm-client munge iproute2
set -eu
if [ "${2:-}" != inside ]; then
    for tool in slurmctld slurmd srun munged ip; do
        command -v $tool >/dev/null || {
            echo "slurm.sh: there is no $tool: see the first lines of this script for what to install" >&2
            exit 1
        }
    done
    exec unshare --net --pid --mount --uts --fork --kill-child --propagation private sh "$0" "$1" inside
fi
set +e
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

# Names are looked up only if an interface has an address other than 127.0.0.1.
ip link set lo up && ip addr add 10.9.9.9/32 dev lo && hostname node1 && mount -t proc proc /proc
cp /etc/hosts hosts && echo "10.9.9.9 node1" >>hosts && mount --bind hosts /etc/hosts
# A socket must be in a directory that everybody can enter.
mount -t tmpfs -o mode=755 tmpfs /run
head -c 1024 /dev/urandom >key && chmod 600 key
munged --force --key-file="$work/key" --socket=/run/munge --pid-file=/run/munged.pid --log-file="$work/munge.log" \
    --seed-file="$work/seed"
mkdir state spool
cat >slurm.conf <<END
ClusterName=one
SlurmctldHost=node1(10.9.9.9)
AuthInfo=socket=/run/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
CommunicationParameters=NoInAddrAny
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
NodeName=node1 NodeAddr=10.9.9.9 CPUs=4
PartitionName=all Nodes=node1 Default=YES
END
SLURM_CONF=$work/slurm.conf
OMPI_ALLOW_RUN_AS_ROOT=1
OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
OMPI_MCA_oob_tcp_if_include=lo
OMPI_MCA_btl=self,vader
export SLURM_CONF OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_oob_tcp_if_include OMPI_MCA_btl
slurmctld -f slurm.conf && slurmd -f slurm.conf
looks=0
until sinfo -h 2>/dev/null | grep -q idle; do
    looks=$((looks + 1))
    [ $looks -lt 120 ] || {
        fail "Slurm does not start: $(tail -n 3 munge.log slurmctld.log slurmd.log 2>&1)"
        summary
        exit
    }
    sleep 0.5
done

for mpi in mpich openmpi; do
    "mpifort.$mpi" -g -O2 "$tests/programs/record/exchange.f90" -o "app.$mpi" && pass || fail "compile for $mpi"
done
printf '0 ./app.mpich\n1 env A=1 ./app.mpich\n' >programs
printf '#!/bin/sh\nsrun --mpi=pmi2 ./app.mpich\n' >job

# traced NAME COMMAND...: the command, in which a refrain record writes to ./NAME, exits with 0 and leaves one trace of two ranks.
traced() {
    name=$1
    shift
    timeout 120 "$@" >out 2>said && [ "$(cat out job.out 2>/dev/null | grep -c 'total *1$')" = 2 ] && pass ||
        fail "$name: $(cat out said)"
    trace=$(the_trace "$name") && exact "$trace" "$name" && [ "$(ls "$trace" | wc -l)" = 4 ] && pass ||
        fail "$name: $(ls -R "$name") $(cat said)"
    grep -c '^refrain record: trace: ' said job.out 2>/dev/null | grep -q ':1$' && pass || fail "$name: where the trace is: $(cat said)"
    rm -f job.out
}

# batch NAME COMMAND...: the same for a command in a batch script.
batch() {
    name=$1
    shift
    printf '#!/bin/sh\nexec %s\n' "$*" >script
    traced "$name" sbatch --wait -n 4 -o job.out script
}
batch srun refrain record --mode both --directory srun srun --mpi=pmi2 -n 2 ./app.mpich
batch pmix refrain record --mode both --directory pmix srun --mpi=pmix -n 2 ./app.openmpi
batch mpiexec refrain record --mode both --directory mpiexec mpiexec.mpich -n 2 ./app.mpich
batch mpirun refrain record --mode both --directory mpirun mpirun.openmpi -n 2 ./app.openmpi
batch below srun --mpi=pmi2 -n 2 refrain record --mode both --directory below ./app.mpich
batch multi refrain record --mode both --directory multi srun --mpi=pmi2 -n 2 --multi-prog programs
traced sbatch refrain record --mode both --directory sbatch sbatch --wait -n 2 -o job.out job
traced salloc refrain record --mode both --directory salloc salloc -n 2 srun --mpi=pmi2 ./app.mpich

# A command that cannot be traced runs as without refrain.
refrain record --directory none srun --mpi=pmi2 --export=NONE -n 2 ./app.mpich >out 2>said
[ $? = 0 ] && grep -q 'environment was cleared' said && pass || fail "--export=NONE: $(cat said)"
refrain record --directory none srun -n 2 sh -c 'exit 7' >out 2>said
[ $? = 7 ] && grep -q 'nothing was traced: sh is not linked with an MPI library' said && pass || fail "a status: $(cat said)"
summary
