#!/bin/sh
# Functions on other stacks: those of a signal handler's stack, wherever it lies, are exact. Activations that end too early
# since a coroutine was switched are counted.
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
export REFRAIN_THROTTLE=off # which goes by time

# traced COMPILER LEVEL HOW EXPECTED: runs it, and leaves the events in recorded and the losses in lost.
traced() {
    name="$1 $2 $3"
    rm -rf run
    mkdir run
    REFRAIN_MODE=both REFRAIN_DIRECTORY=run timeout 120 ./stacks "$3" >out 2>err || fail "$name: $(head -n 1 err)"
    [ "$(cat out)" = "stacks: $4" ] && pass || fail "$name: $(head -n 1 out err)"
    exact "$(the_trace run)" "$name"
    refrain info --verbose "$(the_trace run)" >info
    grep '^  lost' info >lost
    # Whatever the program does, entered functions are left, the innermost first.
    nested=$(awk -F '\t' '$3 == "enter" { stack[n++] = $4 }
                          $3 == "leave" && stack[--n] != $4 { wrong++ } END { print n + 0, wrong + 0 }' recorded)
    [ "$nested" = "0 0" ] && pass || fail "$name: $nested regions open and wrongly nested"
}

for variant in "gcc -O0" "gcc -O2" "clang -O2"; do
    compiler=${variant% *} level=${variant#* }
    refrain-cc --detail=every "$compiler" "$level" -w -I"$tests/../include" "$tests/programs/stacks.c" -o stacks 2>said ||
        fail "$variant: $(head -n 1 said)"
    traced "$compiler" "$level" handler 139
    [ ! -s lost ] && pass || fail "$name: $(head -n 1 lost)"
    # Each of the handler's regions lies in the handler, and this in the function that it interrupted.
    handled=$(awk -F '\t' '$3 == "enter" { path = path "/" $4; seen[path]++ } $3 == "leave" { sub(/\/[^\/]*$/, "", path) }
                           END { for (path in seen) if (path ~ /work\/handle$/) handlers += seen[path]
                                 else if (path ~ /work\/handle\/(mark\/)*mark$/) marks += seen[path]
                                 print handlers + 0, (marks > 0) }' recorded)
    [ "$handled" = "20 1" ] && pass || fail "$name: handlers in work, and marks in them: $handled"
    for how in below above; do
        traced "$compiler" "$level" $how 312
        n=$(sed -n 's/^  lost *\([0-9]*\) activations that end too early.*/\1/p' lost)
        [ "${n:-0}" -ge 20 ] && pass || fail "$name: ${n:-0} activations were ended early, at least 20 were"
    done
done
# A small stack belongs to the program: a tracer uses little of it, however many requests a call has.
for mpi in mpich openmpi; do
    available mpicc.$mpi || continue
    mpicc.$mpi -O1 -w -pthread "$tests/programs/small_stack.c" -o small || fail "small_stack ($mpi): compile"
    check "thousands of requests on a small stack ($mpi)" refrain record -q -t 2 -M both -d "small-$mpi" ./small
    exact "$(the_trace "small-$mpi")" "thousands of requests on a small stack ($mpi)"
done
summary
