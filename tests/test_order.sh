#!/bin/sh
# REFRAIN_ORDER=virtual: receives of any source take the message that is first without probes.
set -u
. "$(dirname "$0")/lib.sh"

for mpi in mpich openmpi; do
    available mpicc.$mpi || continue
    REFRAIN_MPICC=mpicc.$mpi refrain-mpicc --detail=every -O1 -w "$tests/programs/order.c" -o "$work/order.$mpi" ||
        fail "$mpi: compile order.c"
done
mpicc.mpich -O1 -w "$tests/programs/order.c" -o "$work/plain" || fail "compile order.c without probes"
export REFRAIN_THROTTLE=off

# first OF COMMAND...: how often rank 1 was first.
first() {
    "$@" 2>&1 | sed -n 's/rank 1 first: \([0-9]*\) of.*/\1/p'
}

# order ORDER MPI RANKS ARGUMENTS...: runs it; its trace is $trace.
order() {
    name=$1 mpi=$2 ranks=$3
    shift 3
    rm -rf "$work/run"
    mkdir "$work/run"
    REFRAIN_MODE=${mode:-both} REFRAIN_ORDER=$name REFRAIN_DIRECTORY=$work/run launch "$mpi" "$ranks" \
        "$work/order.$mpi" "$@" >"$work/printed" 2>&1
    trace=$(the_trace "$work/run") || fail "$name: no trace: $(tail -n 1 "$work/printed")"
}

# ---- a race that probes decide ----

# How many probes rank 1 needs to fall behind depends on the machine, so it executes as many as it takes. If rank 1 has
# to share its processor, it is late for this reason, and the run says nothing about probes.
mode=stat
told=no
steps=210000
for attempt in 1 2 3 4 5 6 7 8; do
    without=$(first launch mpich 3 "$work/plain" race 20 $steps)
    order mpi mpich 3 race 20 $steps
    with=$(first cat "$work/printed")
    order virtual mpich 3 race 20 $steps
    virtual=$(first cat "$work/printed")
    share=$(sed -n 's/processor: \([0-9]*\) .*/\1/p' "$work/printed")
    echo "$steps steps, rank 1 is first: without probes $without times of 20, with probes $with, in virtual order" \
        "$virtual (it had $share % of a processor)"
    if [ "${with:-20}" -gt 10 ]; then
        steps=$((steps * 3 / 2))
    elif [ "${share:-100}" -ge 90 ]; then
        told=yes
        [ "${virtual:-0}" -le "$with" ] || break
    elif [ "${virtual:-0}" -gt "$with" ]; then
        break
    fi
done
[ "$told" = no ] || [ "${virtual:-0}" -gt "${with:-20}" ] && pass ||
    fail "race: rank 1 is first $virtual times of 20, $with as they come"
refrain info --json "$trace" >"$work/info"
python3 - "$work/info" "$told" <<'END' && pass || fail "race: what info says"
import json, sys
orders = [process["order"] for process in json.load(open(sys.argv[1]))["processes"]]
assert all(order["asked_for"] == "virtual" for order in orders), orders
assert orders[0]["receives"] == 40, orders
assert orders[0]["held"] > 0 or sys.argv[2] == "no", orders
assert orders[1]["receives"] == orders[2]["receives"] == 0, orders
END
mode=both

# ---- a deadlock, if the reader waited for all ranks that are behind ----

for mpi in mpich openmpi; do
    [ -e "$work/order.$mpi" ] || continue
    order virtual "$mpi" 4 deadlock
    grep -q "from 0, then 3" "$work/printed" && pass || fail "$mpi: deadlock: $(cat "$work/printed")"
    exact "$trace" "$mpi: deadlock"
    refrain info --verbose "$trace" | grep -q "2 receives of any source; .* 0 of them up to the limit" && pass ||
        fail "$mpi: deadlock: $(refrain info --verbose "$trace" | grep '^  order')"
done

# ---- impossible cases are reported ----

cat >"$work/multiple.c" <<'END'
#include <mpi.h>
int main(int argc, char **argv) {
    int provided, value = 0, got;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Sendrecv(&value, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
END
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -w "$work/multiple.c" -o "$work/order.multiple" || fail "compile multiple.c"
rm -rf "$work/run"
mkdir "$work/run"
REFRAIN_ORDER=virtual REFRAIN_DIRECTORY=$work/run launch mpich 1 "$work/order.multiple" || fail "multiple: run"
refrain info --verbose "$(the_trace "$work/run")" | grep -q "REFRAIN_ORDER=virtual was not possible" && pass || fail "multiple: info"
REFRAIN_ORDER=random REFRAIN_DIRECTORY=$work/run launch mpich 1 "$work/order.multiple" 2>&1 |
    grep -q "REFRAIN_ORDER" && pass || fail "a wrong REFRAIN_ORDER is not said"
summary
