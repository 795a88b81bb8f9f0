#!/bin/sh
# refrain record --python: the call site of an mpi4py call is the Python line that the program itself logs, also if mpi4py
# has released the interpreter's lock; with --call-path Python's functions are shown.
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
OMPI_MCA_orte_tmpdir_base=$work
export OMPI_MCA_orte_tmpdir_base

# record OPTION...: of lines.py on two ranks.
record() {
    rm -rf run log.*
    timeout 120 refrain record -q "$@" --threads 3 --mode both --directory run mpiexec.openmpi --allow-run-as-root \
        --oversubscribe --mca btl self,vader -n 2 /usr/bin/python3 "$tests/programs/record/lines.py" log >out 2>said ||
        fail "$*: status $?: $(cat said)"
    exact "$(the_trace run)" "$*"
}

record --python
allreduce=$(grep -n 'comm.allreduce' "$tests/programs/record/lines.py" | cut -d : -f 1)
import=$(grep -n 'import MPI' "$tests/programs/record/lines.py" | cut -d : -f 1)
for rank in 0 1; do
    # Threads have lines of their own; the call of allreduce asks for the size as well, and so do some imports of mpi4py.
    awk -F '\t' -v rank=$rank -v except="line=$allreduce" -v import="line=$import" '$1 == rank && $3 == "enter" && $4 == "MPI_Comm_size" &&
        $6 != except && $6 != import && !/thread=/ { print substr($6, 6) }' recorded >found
    awk '$1 != "work" { print $2 }' "log.$rank" >wanted
    [ "$(wc -l <wanted)" -gt 40 ] && cmp -s wanted found && pass || fail "lines of rank $rank: $(diff wanted found | head -n 4)"
    for thread in 1 2; do
        [ "$(awk -F '\t' -v rank=$rank -v thread="thread=$thread" '$1 == rank && $3 == "enter" && $4 == "MPI_Comm_size" &&
            $7 == thread { print $6 }' recorded)" = "line=$(awk '$1 == "work" { print $2 }' "log.$rank" | sort -u)" ] &&
            pass || fail "rank $rank: line of thread $thread"
    done
done
refrain stats --quick --top 1000 "$(the_trace run)" >stats
grep -q "MPI_Send  lines.py:$allreduce  in <module>$" stats && pass || fail "a call without the lock: $(grep Send stats)"
grep -q 'MPI_Comm_size  made3:2  in made$' stats && pass || fail "code made at run time: $(grep made stats)"
refrain info --verbose "$(the_trace run)" | grep -q 'lost  ' && fail "lost: $(refrain info --verbose "$(the_trace run)" | grep lost)" || pass

record --python --call-path
refrain stats --folded "$(the_trace run)" >folded
# Calls from two places are two activations: the time between them does not belong to the called function.
if python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    [ "$(grep -c "^0	.*	enter	stamp	" reconstructed)" = 2 ] && [ "$(grep -c "^0	.*	enter	timed	" reconstructed)" = 1 ] && pass ||
        fail "calls of stamp: $(grep -E "	(stamp|timed|MPI_Wtime)	" reconstructed)"
fi
# Since Python 3.12 a comprehension is no function of its own.
for path in '<module>;Grid.exchange(;Grid.exchange.<locals>.<listcomp>)?;MPI_Comm_size' '<module>;fail;MPI_Comm_size' \
    '<module>;count;MPI_Comm_size' 'Thread._bootstrap;Thread._bootstrap_inner;Thread.run;work;MPI_Comm_size'; do
    grep -Eq "^$path " folded && pass || fail "no $path"
done
summary
