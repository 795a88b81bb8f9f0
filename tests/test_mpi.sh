#!/bin/sh
# All of MPI: each program's reconstruction equals its recording, and an independent logger between the program and the
# monitor (pmpi_logger.c) has seen the same calls, partners, tags and bytes in the same order.
#   test_mpi.sh BIN [RANKS...]    default 2 and 4 ranks, some at 8; both MPI implementations where they are installed
set -u
. "$(dirname "$0")/lib.sh"
shift
ranks_wanted=${*:-2 4}

# witnessed NAME RANKS MPI: each rank's messages and collectives in the reconstruction are those in its log. The logger does
# not follow persistent collectives.
witnessed() {
    rank=0
    while [ $rank -lt "$2" ]; do
        awk -F '\t' -v OFS='\t' -v rank=$rank '
            $1 == rank && ($3 == "send" || $3 == "recv") { print $3, $4, $5, $6, $7 }
            $1 == rank && $3 == "collective" && $4 !~ /^MPI_Start/ { print $3, $4, $5 }' "$work/reconstructed" >"$work/a"
        if [ -s "$run/rank-$rank.log" ] && cmp -s "$work/a" "$run/rank-$rank.log"; then
            pass
        else
            fail "$1, rank $rank of $2 ($3): the witness saw other messages ($(wc -l <"$run/rank-$rank.log") against $(wc -l <"$work/a"))"
            diff "$run/rank-$rank.log" "$work/a" | head -n 4
        fi
        rank=$((rank + 1))
    done
}

# program MPI NAME RANKS ARGUMENTS...
program() {
    mpi=$1 name=$2 ranks=$3
    shift 3
    traced=$work/$name-$mpi
    if [ ! -x "$traced" ]; then
        REFRAIN_MPICC=mpicc.$mpi refrain-mpicc -O1 -w "$tests/programs/$name.c" -o "$traced" -lpthread || {
            fail "$name ($mpi): compile"
            return
        }
    fi
    run=$work/run
    rm -rf "$run"
    mkdir "$run"
    case $name in
    mpi_p2p | mpi_persistent | mpi_completion | mpi_wildcards | mpi_probe | mpi_collectives | mpi_nonblocking | mpi_comms | \
        mpi_intercomm | mpi_unequal | mpi_datatypes) logger=$work/logger-$mpi.so ;;
    *) logger= ;;
    esac
    # The logger is preloaded into the ranks, beside what the launcher preloads.
    REFRAIN_THREADS=4 REFRAIN_MODE=both REFRAIN_DIRECTORY=$run MPI_LOGGER_DIRECTORY=$run \
        launch "$mpi" "$ranks" sh -c 'LD_PRELOAD=$0${LD_PRELOAD:+:$LD_PRELOAD} exec "$@"' "$logger" "$traced" "$@" \
        >"$run/out" 2>"$run/err"
    status=$?
    [ $status -eq 0 ] || fail "$name on $ranks ranks ($mpi): status $status: $(head -n 2 "$run/err")"
    trace=$(the_trace "$run") && exact "$trace" "$name on $ranks ranks ($mpi)" || return
    [ -z "$logger" ] || witnessed "$name" "$ranks" "$mpi"
}

# Spawning needs a process manager that allows it, and abnormal ends have a test of their own.
for mpi in mpich openmpi; do
    command -v "mpicc.$mpi" >/dev/null || continue
    mpicc.$mpi -O1 -w -shared -fPIC "$tests/pmpi_logger.c" -o "$work/logger-$mpi.so" -ldl || fail "$mpi: the logger"
    for source in "$tests"/programs/mpi_*.c; do
        name=$(basename "$source" .c)
        case $name in
        mpi_spawn | mpi_leave) continue ;;
        mpi_comm_loop) arguments=300 ;;
        *) arguments= ;;
        esac
        for ranks in $ranks_wanted; do
            [ "$mpi" = mpich ] || [ "$ranks" = 2 ] || continue
            # shellcheck disable=SC2086 # none or one word
            program "$mpi" "$name" "$ranks" $arguments
        done
    done
done
for name in mpi_collectives mpi_persistent mpi_comms; do
    program mpich $name 8
done
echo "$total_events events compared"
summary
