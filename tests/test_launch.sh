#!/bin/sh
# refrain record where a launcher like srun decides what of the environment comes to the processes; and MPI's tool
# interface, which works as without refrain.
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

# A stand-in for srun: -n N, --export=ALL (as without it), NONE, or names; the processes are started by MPICH's launcher, with
# the environment that srun would give them.
cat >srun <<'END'
#!/bin/sh
export=ALL
while :; do
    case $1 in
    -n) n=$2 && shift 2 ;;
    --export=*) export=${1#*=} && shift ;;
    *) break ;;
    esac
done
case $export in
ALL) set -- mpiexec.mpich -n "$n" "$@" ;;
NONE) set -- env -i PATH="$PATH" mpiexec.mpich -n "$n" "$@" ;;
*)
    kept=
    for name in $(echo "$export" | tr , ' '); do
        case $name in
        ALL) kept="$kept $(env | sed -n 's/^\([A-Za-z_][A-Za-z_0-9]*\)=.*/\1/p' | tr '\n' ' ')" ;;
        *) kept="$kept ${name%%=*}" ;;
        esac
    done
    for name in $kept; do
        eval "value=\${$name-}"
        set -- "$name=$value" "$@"
    done
    set -- env -i PATH="$PATH" mpiexec.mpich -n "$n" env "$@"
    ;;
esac
exec "$@"
END
chmod +x srun
PATH=$work:$PATH

mpicc.mpich -O1 "$tests/programs/record/tools.c" -o tools || fail "compile tools"

# srun_record NAME TRACES OPTION...: the program ends as it would, and so many traces come of it.
srun_record() {
    name=$1
    traces=$2
    shift 2
    rm -rf run
    timeout 60 refrain record --directory run srun -n 2 "$@" ./tools >out 2>said
    status=$?
    [ $status = 0 ] && [ "$(ls -d run/*.refrain 2>/dev/null | wc -l)" = "$traces" ] && pass || fail "$name: status $status: $(cat said)"
}

srun_record "srun" 1
[ "$(refrain info "$(the_trace run)" | grep -c '^rank [01] on')" = 2 ] && pass || fail "srun: $(refrain info "$(the_trace run)")"
srun_record "srun --export=ALL" 1 --export=ALL
srun_record "srun --export=ALL,NAME" 1 --export=ALL,HOME
srun_record "srun --export=NONE" 0 --export=NONE
grep -q 'refrain record: .*traced\|refrain record: .*environment' said && pass || fail "srun --export=NONE: $(cat said)"
srun_record "srun --export=NAME" 0 --export=HOME,USER

# MPI_T: the same words with and without refrain.
for mpi in mpich openmpi; do
    mpicc.$mpi -O1 "$tests/programs/record/tools.c" -o tools || fail "compile tools"
    names=
    [ $mpi = mpich ] || names=names
    launch $mpi 2 ./tools $names 2>/dev/null | sort >plain
    rm -rf run
    REFRAIN_MODE=both REFRAIN_DIRECTORY=run launch $mpi 2 refrain record -q ./tools $names 2>said | sort >traced
    [ "$(wc -l <plain)" = 6 ] && cmp -s plain traced && pass || fail "MPI_T under $mpi: $(diff plain traced | head -n 4) $(head -n 3 said)"
    exact "$(the_trace run)" "MPI_T under $mpi"
    [ "$(grep -c 'enter.MPI_Allreduce' reconstructed)" = 6 ] && pass || fail "MPI_T under $mpi: events"
done
summary
