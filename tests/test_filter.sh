#!/bin/sh
# refrain record --filter: excluded calls, whose messages are still distinguished from others; functions and libraries that
# call paths leave out; mistakes in the file.
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

# record MPI OPTION...: polls on two ranks, with these options.
record() {
    mpi=$1
    shift
    rm -rf run pairs.json
    REFRAIN_MODE=both REFRAIN_DIRECTORY=run launch $mpi 2 refrain record -q "$@" ./polls 4 >said 2>&1 || fail "$*: $(cat said)"
    exact "$(the_trace run)" "$mpi $*"
}

# entered: the names of the regions that rank 0 entered.
entered() {
    awk -F '\t' '$1 == 0 && $3 == "enter" { print $4 }' reconstructed | sort -u | tr '\n' ' '
}

cat >calls <<'END'
SCOREP_REGION_NAMES_BEGIN
  EXCLUDE * MPI_Test* MPI_Isend
  INCLUDE MPI_Testall
SCOREP_REGION_NAMES_END
END
for mpi in mpich openmpi; do
    mpicc.$mpi -O1 -g "$tests/programs/record/polls.c" -o polls || fail "compile polls"
    # Two messages of five leave unseen, another one arrives unseen.
    record $mpi --filter calls
    entered | grep -q 'MPI_Send ' && ! entered | grep -q 'MPI_Isend\|MPI_Test' && pass || fail "entered: $(entered)"
    refrain reconstruct "$(the_trace run)" --format chrome -o pairs.json >said 2>&1
    [ "$(python3 "$tests/message_pairs.py" pairs.json)" = "8 0" ] && pass || fail "pairs, and wrong ones, under $mpi: $(python3 "$tests/message_pairs.py" pairs.json)"
    ! grep -q without said && pass || fail "said: $(cat said)"
done
refrain info --verbose "$(the_trace run)" | grep -q 'filtered  [0-9,]* MPI calls that the filter leaves out' && pass || fail "refrain info"

# Functions of call paths; the last matching rule decides.
cat >functions <<'END'
SCOREP_REGION_NAMES_BEGIN
  EXCLUDE *_some MPI_Test
  INCLUDE MANGLED receive_*
SCOREP_REGION_NAMES_END
END
record openmpi --call-path --filter functions
case $(entered) in
*send_some*) fail "left out, but entered: $(entered)" ;;
*main*) pass ;;
*) fail "entered: $(entered)" ;;
esac
awk -F '\t' '$1 == 1 && $3 == "enter"' reconstructed | grep -q receive_some && pass || fail "included, but not entered"

# A library is a layer: its calls are the program's.
cat >layer.c <<'END'
#include <mpi.h>
void send_by_layer(int n, int other) {
    char out[64];
    MPI_Send(out, n, MPI_CHAR, other, 3, MPI_COMM_WORLD);
}
END
cat >uses.c <<'END'
#include <mpi.h>
void send_by_layer(int n, int other);
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    send_by_layer(0, MPI_PROC_NULL);
    return MPI_Finalize();
}
END
mpicc.mpich -O1 -g -shared -fPIC layer.c -o libexchange.so && mpicc.mpich -O1 -g uses.c -o uses ./libexchange.so || fail "compile uses"
printf 'SCOREP_FILE_NAMES_BEGIN\nEXCLUDE */libexch*\nSCOREP_FILE_NAMES_END\n' >library
rm -rf run
refrain record -q --directory run --filter library ./uses >said 2>&1 || fail "uses: $(cat said)"
refrain reconstruct "$(the_trace run)" --format text -o - 2>said | grep 'enter.MPI_Send.*uses\.c' >found && [ -s found ] && pass ||
    fail "a library that is left out: $(refrain reconstruct "$(the_trace run)" --format text -o - | grep MPI_Send)"

# Mistakes.
refrain record --filter nowhere ./uses >said 2>&1
[ $? -ne 0 ] && grep -q 'nowhere: cannot read the filter file' said && pass || fail "no file: $(cat said)"
printf 'SCOREP_REGION_NAMES_BEGIN\nMPI_Test\n' >wrong
refrain record --filter wrong ./uses >said 2>&1
[ $? -ne 0 ] && grep -q "wrong:2: 'MPI_Test' needs INCLUDE or EXCLUDE" said && pass || fail "a wrong file: $(cat said)"
summary
