#!/bin/sh
# The cost of tracing in mode stat for the programs in tests/. Each is built plainly and with refrain-mpicc, repeats itself
# in one process for the given time (program_cost.c), and runs interleaved without and with refrain. If an MPI call takes a
# microsecond or more on average, the ratio should be at most 1.05. The exit status is 1 if the ratio of the medians and
# that of the least times are both higher.
#   program_cost.sh BIN [RUNS [RANKS [MILLISECONDS [PROGRAM...]]]]    default 5 runs on 2 ranks of 300 ms; MPICH
set -u
here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "${1:?the directory of the built tools}" && pwd)
runs=${2:-5}
ranks=${3:-2}
milliseconds=${4:-300}
[ $# -gt 4 ] && shift 4 || set --
only=" $* "
tests=$here/../tests
PATH=$bin:$PATH
work=$(mktemp -d "${TMPDIR:-/tmp}/refrain-cost.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
launcher=mpiexec.mpich
[ "$ranks" -le "$(nproc)" ] || launcher="refrain-run mpiexec.mpich"
renamed="-Dmain=program_main -DMPI_Init=program_init -DMPI_Init_thread=program_init_thread
    -DMPI_Finalize=program_finalize"

cat >"$work/config.h" <<'END'
#define HAVE_MATH_H 1
#define HAVE_QSORT 1
#define SIZEOF_LONG 8
#define HEAT_VERSION "1.0"
#define PACKAGE_STRING "oddeven"
END
mpicc.mpich -O2 -c "$here/program_cost.c" -o "$work/driver.o" || exit 1

# built VARIANT COMPILER NAME SOURCE...: $work/NAME-VARIANT
built() {
    variant=$1 compiler=$2 name=$3 objects=
    shift 3
    for source in "$@"; do
        object=$work/$variant-$(basename "$source" .c).o
        # shellcheck disable=SC2086 # options
        REFRAIN_MPICC=mpicc.mpich $compiler -O2 -w $renamed '-DHEAT_TITLE="heat"' -I"$work" -I"$(dirname "$source")" \
            -I"$(dirname "$source")/../include" -I"$(dirname "$source")/include" -I"$(dirname "$source")/../lib" \
            -I"$here/../include" \
            -c "$source" -o "$object" || return 1
        objects="$objects $object"
    done
    # shellcheck disable=SC2086 # a list
    REFRAIN_MPICC=mpicc.mpich $compiler $objects "$work/driver.o" -o "$work/$name-$variant" -lm -lpthread
}

# Those whose own number of rounds is large.
arguments() {
    case $1 in
    mpi_comm_loop) echo 100 ;;
    esac
}

# once VARIANT NAME REPETITIONS: prints nanoseconds; nothing if the program fails
once() {
    rm -rf "$work/run"
    mkdir "$work/run"
    # shellcheck disable=SC2046,SC2086 # words
    (cd "$work/run" && REPETITIONS=$3 REFRAIN_MODE=stat REFRAIN_DIRECTORY=$work/run timeout 60 \
        $launcher -n "$ranks" "$work/$2-$1" $(arguments "$2") 2>"$work/error" | grep -x '[0-9][0-9]*')
}

# Number of the trace's MPI calls, and their nanoseconds on average. Those that start and end MPI are the driver's.
calls_of() {
    refrain stats --json "$1" | awk -F '[:,"]+' '
        $2 == "name" || $3 == "name" { counts = / "MPI_/ && !/MPI_(Init|Init_thread|Finalize)"/ }
        counts && /"calls"/ { gsub(/[^0-9]/, ""); calls += $0 }
        counts && /"mpi_ns"/ { sub(/.*: */, ""); ns += $0; counts = 0 }
        END { printf "%d %.0f\n", calls, calls ? ns / calls : 0 }'
}

measure() {
    name=$1
    shift
    case "$only" in "  " | *" $name "*) ;; *) return ;; esac
    if ! { built plain mpicc.mpich "$name" "$@" && built traced refrain-mpicc "$name" "$@"; } >"$work/error" 2>&1; then
        echo "$name: left out: $(head -n 1 "$work/error")"
        return
    fi
    repetitions=2
    while :; do # until that many last
        ns=$(once plain "$name" "$repetitions")
        if [ -z "$ns" ]; then
            echo "$name: left out: it does not repeat itself: $(head -n 1 "$work/error" | sed 's,.*/,,')"
            return
        fi
        more=$(awk -v ns="$ns" -v n=$repetitions -v ms="$milliseconds" '
            BEGIN { factor = ms * 1e6 / (ns + 1); print factor < 1.5 ? 0 : int(n * (factor > 30 ? 30 : factor)) }')
        [ "$more" -gt 0 ] || break
        repetitions=$more
    done
    : >"$work/times"
    i=0
    while [ $i -lt "$runs" ]; do
        for variant in plain traced; do
            ns=$(once $variant "$name" "$repetitions")
            if [ -z "$ns" ]; then
                echo "$name: left out: $variant, $repetitions times: $(head -n 1 "$work/error")"
                return
            fi
            echo "$variant $ns" >>"$work/times"
        done
        i=$((i + 1))
    done
    # shellcheck disable=SC2046 # two numbers
    set -- $(calls_of "$work"/run/*.refrain)
    sort -k 1,1 -k 2,2n "$work/times" | awk -v name="$name" -v calls="$1" -v call_ns="$2" -v ranks="$ranks" \
        -v repetitions="$repetitions" '
        { value[$1, ++n[$1]] = $2 / 1e6 }
        END {
            for (v in n)
                median[v] = value[v, int((n[v] - 1) / 2) + 1]
            ratio = median["traced"] / median["plain"]
            least = value["traced", 1] / value["plain", 1]
            verdict = call_ns < 1000 ? "calls of less than 1 us" : ratio > 1.05 && least > 1.05 ? "OVER" : "ok"
            printf "%-28s %7d %9.1f %9.1f %7.3f %7.3f %11.0f %9d  %s\n", name, repetitions, median["plain"],
                median["traced"], ratio, least, calls * repetitions / (repetitions + 1) / ranks / median["traced"] * 1000, call_ns, verdict
        }' | tee -a "$work/results"
}

echo "# $(nproc) cores, $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1); MPICH, $ranks ranks, $runs runs in turns"
printf '%-28s %7s %9s %9s %7s %7s %11s %9s\n' program times 'plain ms' 'traced ms' medians least 'calls/s' 'ns/call'
for source in "$tests"/programs/*.c; do
    name=$(basename "$source" .c)
    case $name in # these say how MPI starts and ends, or what is wrong with a call
    mpi_leave | mpi_errors | mpi_sessions | mpi_spawn | mpi_before_after | mpi_connect | leaving) continue ;;
    esac
    grep -q 'mpi_check.h\|mpi.h' "$source" && measure "$name" "$source"
done
measure matmul "$tests"/programs/matmul/*.c
measure heat "$tests"/projects/heat/heat.c "$tests"/projects/heat/grid/*.c "$tests"/projects/heat/norms/*.c
cc -w "$tests/projects/farm/list.c" -o "$work/list" && "$work/list" primes collatz >"$work/table.c" &&
    cp "$tests"/projects/farm/farm.h "$work" &&
    measure farm "$tests"/projects/farm/farm.c "$tests"/projects/farm/master.c "$tests"/projects/farm/worker.c \
        "$tests"/projects/farm/primes.c "$tests"/projects/farm/collatz.c "$work/table.c"
awk -f "$tests/projects/sort/seeds.awk" </dev/null >"$work/seeds.c" &&
    cp "$tests"/projects/sort/lib/oddeven.h "$work" &&
    measure oddsort "$tests"/projects/sort/src/oddsort.c "$tests"/projects/sort/lib/*.c "$work/seeds.c"
! grep -q 'OVER$' "$work/results"
