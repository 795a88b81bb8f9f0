#!/bin/sh
# refrain record --call-path: the call path of each MPI call is the one that the program itself logs. Times, counts and
# output of a small program are right. In instrumented programs the functions without probes are on the path, too.
set -u
. "$(dirname "$0")/lib.sh"
x86_64_only "call paths follow unwinding tables of this processor"
cd "$work" || exit 1

# record OPTION... -- COMMAND...
record() {
    rm -rf run
    timeout 120 refrain record -q --mode both --directory run "$@" >out 2>said || fail "status $?: $(cat said)"
}

# paths FILE RANK: the stack of functions and regions at each MPI_Comm_size, outermost first.
paths() {
    awk -F '\t' -v rank="$2" '$1 != rank { next }
        $3 == "enter" && $4 == "MPI_Comm_size" {
            for (i = 1; i <= n; i++)
                printf "%s%s", (i > 1 ? ";" : ""), stack[i]
            print ""
        }
        $3 == "enter" { stack[++n] = $4 }
        $3 == "leave" { n-- }' "$1"
}

# agrees NAME: checks that the reconstruction equals the recording, and both the program's own log (log.RANK).
agrees() {
    exact "$(the_trace run)" "$1" || return
    for rank in 0 1; do
        paths reconstructed $rank >found
        [ -s "log.$rank" ] && cmp -s found "log.$rank" && pass || {
            fail "$1: rank $rank: $(wc -l <"log.$rank") calls; first difference:"
            diff "log.$rank" found | head -n 4
        }
    done
}

for way in "mpich -O2 -fomit-frame-pointer" "mpich -O0" "openmpi -O2"; do
    mpi=${way%% *}
    flags=${way#* }
    launcher="mpiexec.$mpi"
    if [ "$mpi" = openmpi ]; then
        OMPI_MCA_orte_tmpdir_base=$(mktemp -d "$work/ompi.XXXXXX")
        export OMPI_MCA_orte_tmpdir_base
        launcher="$launcher --allow-run-as-root --oversubscribe --mca btl self,vader"
    fi
    # shellcheck disable=SC2086 # words
    "mpicxx.$mpi" -g $flags -I "$tests/../include" "$tests/programs/record/paths.cc" -L "$bin/../lib" -lrefrain \
        -Wl,-rpath,"$bin/../lib" -o paths || fail "$way: compile"
    rm -f log.*
    # shellcheck disable=SC2086 # words
    record --call-path $launcher -n 2 ./paths log 20
    agrees "$way"
    refrain info --verbose "$(the_trace run)" >info
    grep -q 'call paths' info && fail "$way: $(grep 'call paths' info)" || pass
done

cat >small.c <<'END'
#include <mpi.h>
#define NOINLINE static __attribute__((noinline))
NOINLINE void norm(void) {
    double a = 1, b;
    MPI_Allreduce(&a, &b, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    __asm__ volatile("");
}
NOINLINE void exchange(int n) {
    for (int i = 0; i < n; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    __asm__ volatile("");
}
NOINLINE void step(int i) {
    exchange(1 + i % 3);
    norm();
    __asm__ volatile("");
}
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 30; i++)
        step(i);
    return MPI_Finalize();
}
END
mpicc.mpich -g -O2 small.c -o small || fail "compile small"
record --call-path mpiexec.mpich -n 2 ./small
exact "$(the_trace run)" small
refrain stats --by call-path --csv "$(the_trace run)" >stats || fail "stats --by call-path"
refrain stats --folded "$(the_trace run)" >folded || fail "stats --folded"
for path in 'main;step;exchange;MPI_Barrier' 'main;step;norm;MPI_Allreduce' 'main;MPI_Finalize'; do
    grep -q "^$path " folded && pass || fail "stats --folded: no $path: $(cat folded)"
done
refrain stats --quick "$(the_trace run)" >quick
grep -qE ' 60  norm\(\)  small.c:3$' quick && grep -qE ' 2  main\(\)  small.c:18$' quick && pass || fail "stats: $(cat quick)"
# Only as many of the innermost functions as requested.
record --call-path=2 mpiexec.mpich -n 2 ./small
exact "$(the_trace run)" "two functions"
refrain stats --folded "$(the_trace run)" >folded
grep -q '^step;norm;MPI_Allreduce ' folded && ! grep -q 'main;step;' folded && pass || fail "--call-path=2: $(cat folded)"
# Functions that were inlined are on the path as if they had been called, and stay open as long as the next call is in them, too.
cat >inlined.c <<'END'
#include <mpi.h>
#define NOINLINE static __attribute__((noinline))
#define INLINE static inline __attribute__((always_inline))
INLINE void norm(void) {
    double a = 1, b;
    MPI_Allreduce(&a, &b, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
NOINLINE void exchange(void) {
    MPI_Barrier(MPI_COMM_WORLD);
    __asm__ volatile("");
}
INLINE void phase(void) {
    exchange();
    norm();
    exchange();
}
NOINLINE void step(void) {
    MPI_Barrier(MPI_COMM_SELF);
    phase();
    norm();
    __asm__ volatile("");
}
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 30; i++)
        step();
    return MPI_Finalize();
}
END
mpicc.mpich -g -O2 inlined.c -o inlined || fail "compile inlined"
record --call-path mpiexec.mpich -n 2 ./inlined
exact "$(the_trace run)" inlined
for i in $(seq 30); do
    printf '%s\n' 'main;step;' 'main;step;phase;exchange;' 'main;step;phase;norm;' 'main;step;phase;exchange;' 'main;step;norm;'
done >wanted
awk -F '\t' '$1 != 0 { next }
    $3 == "enter" && ($4 == "MPI_Barrier" || $4 == "MPI_Allreduce") { print path }
    $3 == "enter" { path = path $4 ";" }
    $3 == "leave" { path = substr(path, 1, length(path) - length($4) - 1) }' reconstructed >found
cmp -s wanted found && pass || fail "inlined functions: $(diff wanted found | head -n 4)"
awk -F '\t' '$1 == 0 && $3 == "enter" { n[$4]++ } END { exit n["phase"] != 30 || n["norm"] != 60 || n["exchange"] != 60 || n["step"] != 1 }' \
    reconstructed && pass || fail "inlined functions: $(cut -f 1,3,4 reconstructed | grep "0	enter" | sort | uniq -c)"
refrain stats --folded "$(the_trace run)" >folded
for path in 'main;step;phase;norm;MPI_Allreduce' 'main;step;norm;MPI_Allreduce' 'main;step;phase;exchange;MPI_Barrier'; do
    grep -q "^$path " folded && pass || fail "stats --folded: no $path: $(cat folded)"
done
refrain stats --by call-path --csv "$(the_trace run)" >stats
[ "$(grep -c '"phase()"' stats)" = 1 ] && [ "$(grep -c '"norm()"' stats)" = 2 ] && pass || fail "stats --by call-path: $(cut -c 1-80 stats)"
refrain reconstruct "$(the_trace run)" -o otf2 --force >said 2>&1 && otf2-print otf2/traces.otf2 >printed &&
    [ "$(grep -c '^ENTER .*"phase"' printed)" = 60 ] && [ "$(grep -c '^LEAVE .*"phase"' printed)" = 60 ] && pass || fail "otf2: $(cat said)"
from=$(awk -F '\t' '$4 == "phase" && $3 == "leave" && ++n == 20 { print $2 }' reconstructed)
refrain reconstruct "$(the_trace run)" --from "$from" --format text -o part --force 2>said &&
    awk -F '\t' '$3 == "enter" { stack[$1, ++depth[$1]] = $4; n += $4 == "phase" }
        $3 == "leave" && stack[$1, depth[$1]--] != $4 { wrong++ }
        END { exit wrong || depth[0] || depth[1] || n < 30 || n > 42 }' part && pass || fail "a window: $(cat said)"
# Their names are stored with the trace and in a pack, so that they survive the program's file.
rm -f "$(the_trace run)"/*.events
refrain pack "$(the_trace run)" -o inlined.pack --force >said 2>&1 || fail "pack: $(cat said)"
mv inlined inlined.moved
for kept in "$(the_trace run)" inlined.pack; do
    refrain reconstruct "$kept" --format text -o again --force 2>said && cmp -s reconstructed again && pass || fail "$kept without its program: $(cat said)"
done
# Without debug information: symbols; without symbols: the address in the object.
strip -g small && record --call-path mpiexec.mpich -n 1 ./small
refrain stats --folded "$(the_trace run)" | grep -q '^main;step;norm;MPI_Allreduce ' && pass || fail "symbols"
strip -s small && record --call-path mpiexec.mpich -n 1 ./small
refrain stats --folded "$(the_trace run)" | grep -qE '^small\+0x[0-9a-f]+;small\+0x[0-9a-f]+;small\+0x[0-9a-f]+;MPI_Allreduce ' &&
    pass || fail "stripped: $(refrain stats --folded "$(the_trace run)")"

# Instrumented parts keep their functions, and functions without probes are below these. Each thread has its own
# paths.
cat >plain.c <<'END'
#include <mpi.h>
static __attribute__((noinline)) void last(int n) {
    for (int i = 0; i < n; i++)
        MPI_Barrier(MPI_COMM_SELF);
    __asm__ volatile("");
}
void between(void (*then)(void), int n) {
    last(n);
    then();
    last(1);
    __asm__ volatile("");
}
END
cat >mixed.c <<'END'
#include <mpi.h>
#include <pthread.h>
void between(void (*then)(void), int n);
static int size;
static void inner(void) {
    for (int i = 0; i < 2; i++)
        MPI_Comm_size(MPI_COMM_SELF, &size);
}
static void *run(void *unused) {
    between(inner, 3);
    return unused;
}
int main(int argc, char **argv) {
    int level;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
    for (int i = 0; i < 20; i++)
        between(inner, i % 4);
    pthread_create(&thread, 0, run, 0);
    pthread_join(thread, 0);
    return MPI_Finalize();
}
END
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -g -O2 -c mixed.c -o mixed.o && mpicc.mpich -g -O2 -c plain.c -o plain.o &&
    REFRAIN_MPICC=mpicc.mpich refrain-mpicc mixed.o plain.o -o mixed || fail "compile mixed"
record --call-path --threads 2 mpiexec.mpich -n 1 ./mixed
exact "$(the_trace run)" mixed
refrain stats --folded "$(the_trace run)" >folded
for path in 'main;between;last;MPI_Barrier' 'main;inner;MPI_Comm_size' 'run;between;last;MPI_Barrier'; do
    grep -q "^$path " folded && pass || fail "mixed: no $path: $(cat folded)"
done

# A function that is called from another place has another activation. So the time between two reads of a timer does not
# belong to the timer's function, also if the function around it is not shown.
cat >timer.c <<'END'
#include <mpi.h>
#define NOINLINE static __attribute__((noinline))
static volatile double last;
NOINLINE void stamp(void) {
    last = MPI_Wtime();
    __asm__ volatile("");
}
NOINLINE void step(void) {
    stamp();
    for (volatile int i = 0; i < 1000; i++)
        ;
    stamp();
    __asm__ volatile("");
}
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 3; i++)
        step();
    return MPI_Finalize();
}
END
mpicc.mpich -g -O1 timer.c -o timer || fail "compile timer"
printf 'SCOREP_REGION_NAMES_BEGIN\n  EXCLUDE step\nSCOREP_REGION_NAMES_END\n' >no-step
for option in --call-path --call-path=2 "--call-path --filter no-step"; do
    # shellcheck disable=SC2086 # words
    record $option mpiexec.mpich -n 1 ./timer
    exact "$(the_trace run)" "timer $option"
    awk -F '\t' '$3 == "enter" { n[$4]++ }
        $4 == "stamp" && $3 == "leave" && $2 != ended { late++ }
        { ended = $2 }
        END { exit n["stamp"] != 6 || n["MPI_Wtime"] != 6 || late }' reconstructed && pass ||
        fail "timer $option: $(cut -f 2-4 reconstructed | head -n 12)"
done

refrain record -q --call-path=1 true 2>said
[ $? = 2 ] && grep -q '1: a number of functions, 2 to 256, is expected' said && pass || fail "--call-path=1: $(cat said)"
summary
