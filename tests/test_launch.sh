#!/bin/sh
# refrain record with a launcher like srun, which passes only a part of the environment to the processes; and MPI's tool
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

# srun_record NAME TRACES OPTION...: checks that the program ends as without refrain, with this number of traces.
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
[ "$(refrain info --verbose "$(the_trace run)" | grep -c '^rank [01] on')" = 2 ] && pass || fail "srun: $(refrain info --verbose "$(the_trace run)")"
srun_record "srun --export=ALL" 1 --export=ALL
srun_record "srun --export=ALL,NAME" 1 --export=ALL,HOME
srun_record "srun --export=NONE" 0 --export=NONE
grep -q 'refrain record: .*traced\|refrain record: .*environment' said && pass || fail "srun --export=NONE: $(cat said)"
srun_record "srun --export=NAME" 0 --export=HOME,USER

# A stand-in for a launcher of Open MPI: the settings are named to it, for each of several programs.
printf 'int rte;\n' | gcc -shared -x c - -Wl,-soname,libopen-rte.so.40 -o libopen-rte.so.40 &&
    printf '#include <stdio.h>\nint main(int c, char **v) { while (*++v) printf(" %%s", *v); return c < 2; }\n' |
    gcc -x c - -x none -Wl,--no-as-needed ./libopen-rte.so.40 -Wl,-rpath,"$work" -o rterun || fail "compile rterun"
REFRAIN_METRICS=page-faults REFRAIN_MODE=off REFRAIN_YIELD=on refrain record --directory run ./rterun -n 1 a : -n 1 b >out 2>said
for name in LD_PRELOAD REFRAIN_DIRECTORY REFRAIN_METRICS REFRAIN_MODE REFRAIN_RECORD_ID REFRAIN_YIELD; do
    [ "$(grep -o -- "-x $name " out | wc -l)" = 2 ] && pass || fail "not handed on by Open MPI's launchers: $name: $(cat out)"
done

# A waiting rank gives up the processor at once if there are more ranks than cores, and late if there are enough
# cores.
printf 'unsigned ucp_worker_progress(void *worker) { return worker != 0; }\n' | gcc -shared -fPIC -x c - -o libpolled.so &&
    gcc -O1 -rdynamic -x c - -x none ./libpolled.so -o polls <<'END' || fail "compile polls"
#include <stdio.h>
unsigned ucp_worker_progress(void *worker);
static int yields;
int sched_yield(void) {
    return yields++ < 0;
}
int main(void) {
    for (int i = 0; i < 10000; i++)
        ucp_worker_progress(NULL);
    printf("%d\n", yields);
    return 0;
}
END
# yields NUMBER SETTING...: so often in 10,000 polls.
yields() {
    expected=$1
    shift
    counted=$(env -u REFRAIN_YIELD -u MPI_LOCALNRANKS LD_PRELOAD="$bin/../lib/librefrain-yield.so" "$@" ./polls)
    [ "$counted" = "$expected" ] && pass || fail "$counted yields, not $expected, with $*"
}
yields 200 MPI_LOCALNRANKS=100000
yields 5 MPI_LOCALNRANKS=1
yields 200 MPI_LOCALNRANKS=1 REFRAIN_YIELD=on
yields 0 MPI_LOCALNRANKS=100000 REFRAIN_YIELD=off

# Below the launcher: one line for all ranks, also if they write one file.
# below NAME WORDS...: WORDS are the command of the launcher. refrain record must print one line, about the trace.
below() {
    name=$1
    shift
    REFRAIN_DIRECTORY=run launch "$@" 2>said >out || fail "$name: status $?: $(cat said)"
    [ "$(grep -c '^refrain record: trace' said)" = 1 ] && [ "$(grep -c '^refrain record' said)" -le 2 ] &&
        grep -q "^refrain record: trace: $work/run/meet-.*; next:" said &&
        pass || fail "$name: $(cat said)"
}
cat >meet.c <<'END'
#include <mpi.h>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
END
for mpi in mpich openmpi; do
    mpicc.$mpi meet.c -o meet || fail "compile meet"
    rm -rf run
    below "below the launcher, $mpi" $mpi 4 refrain record ./meet
    [ "$(refrain info --verbose "$(the_trace run)" | grep -c '^rank [0-3] on')" = 4 ] && pass || fail "below $mpi: not all ranks"
    rm -rf run
    REFRAIN_PACK=on below "below the launcher, packed, $mpi" $mpi 3 refrain record ./meet
    launch $mpi 2 refrain record --directory run true >out 2>said
    [ "$(grep -c 'nothing was traced' said)" = 2 ] && pass || fail "below $mpi, beside another's trace: $(cat said)"
done

# Several programs of which one cannot be traced: none is, since those that are would wait for it.
printf 'int PMPI_Init(void) { return 3; }\nint main(void) { return PMPI_Init(); }\n' >within.c
printf '#!/bin/sh\necho "preloaded: $LD_PRELOAD"\n' >preloaded
chmod +x preloaded
gcc -static within.c -o within || fail "compile within"
REFRAIN_DIRECTORY=run refrain record sh -c './preloaded; "$0"' ./within >out 2>said
[ $? = 3 ] && [ "$(cat out)" = "preloaded: ${LD_PRELOAD:-}" ] && grep -q 'nothing was traced: ./within contains the MPI library' said &&
    pass || fail "one of several programs: $(cat out said)"

# MPI_T: the same words with and without refrain.
for mpi in mpich openmpi; do
    mpicc.$mpi -O1 "$tests/programs/record/tools.c" -o tools || fail "compile tools"
    names=
    [ $mpi = mpich ] || names=names
    # A segment of shared memory that a killed job has left may have the name that Open MPI chooses: it says so, and goes on
    # without, or not at all.
    for try in 1 2 3; do
        launch $mpi 2 ./tools $names 2>said-plain | sort >plain
        rm -rf run
        REFRAIN_MODE=both REFRAIN_DIRECTORY=run launch $mpi 2 refrain record -q ./tools $names 2>said | sort >traced
        grep -q 'failed during shared memory initialization' said said-plain || break
    done
    [ "$(wc -l <plain)" = 6 ] && cmp -s plain traced && pass || fail "MPI_T under $mpi: $(diff plain traced | head -n 4) $(head -n 3 said)"
    exact "$(the_trace run)" "MPI_T under $mpi"
    [ "$(grep -c 'enter.MPI_Allreduce' reconstructed)" = 6 ] && pass || fail "MPI_T under $mpi: events"
done
summary
