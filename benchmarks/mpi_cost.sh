#!/bin/sh
# The cost of tracing in mode stat for patterns of MPI calls (mpi_cost.c): interleaved runs without and with refrain, the
# median of each, their ratio and the nanoseconds added to a call. The aim is a ratio of 1.05 at most where a call takes a
# microsecond or more.
#   Two more variants run interleaved with these, the least that any tracer does (mpi_clocks.h): each call goes through a
# function (passed), and this function reads the clock before and after the call (clocks). So the table divides a call's
# cost into these two and the cost of refrain. It uses the least of each, since noise only adds time.
#   mpi_cost.sh BIN [RUNS [RANKS [ROUNDS [PATTERN]]]]    default 7 runs on 2 ranks, 2000 rounds, all patterns; MPICH
set -u
here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "${1:?the directory of the built tools}" && pwd)
runs=${2:-7}
ranks=${3:-2}
rounds=${4:-2000}
pattern=${5:-}
PATH=$bin:$PATH
work=$(mktemp -d "${TMPDIR:-/tmp}/refrain-cost.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

mpicc.mpich -O2 -w "$here/mpi_cost.c" -o "$work/plain" &&
    REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O2 -w "$here/mpi_cost.c" -o "$work/traced" || exit 1
sh "$here/mpi_clocks.sh" "$work/passed.so" && sh "$here/mpi_clocks.sh" "$work/clocks.so" -DCLOCKS || exit 1
launcher=mpiexec.mpich
[ "$ranks" -le "$(nproc)" ] || launcher="refrain-run mpiexec.mpich"
i=0
while [ $i -lt "$runs" ]; do
    for variant in plain passed clocks traced; do
        rm -rf "$work/trace"
        mkdir "$work/trace"
        case $variant in
        plain | traced) program=$work/$variant ;;
        *) program="env LD_PRELOAD=$work/$variant.so $work/plain" ;;
        esac
        # shellcheck disable=SC2086 # one word or more
        REFRAIN_DIRECTORY=$work/trace timeout 300 $launcher -n "$ranks" $program "$rounds" "$pattern" | sed "s/^/$variant\t/" \
            >>"$work/times" || exit 1
    done
    i=$((i + 1))
done
echo "# $(nproc) cores, $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1); MPICH, $ranks ranks, $runs runs in turns"
printf '%-30s %6s %9s %12s %7s %7s | %s: %7s %7s %7s %7s\n' pattern calls 'ns/call' 'traced ns' ratio 'added' \
    'least' plain passed clocks traced
sort -t "$(printf '\t')" -k 2,2 -k 1,1 -k 4,4n "$work/times" | awk -F '\t' '
    function close_group() { median[variant] = value[int((n - 1) / 2) + 1] / calls; least[variant] = value[1] / calls; n = 0 }
    function print_pattern() {
        printf "%-30s %6d %9.0f %12.0f %7.3f %7.0f | %14.0f %7.0f %7.0f %7.0f%s\n", name, calls, median["plain"],
            median["traced"], median["traced"] / median["plain"], median["traced"] - median["plain"], least["plain"],
            least["passed"] - least["plain"], least["clocks"] - least["passed"], least["traced"] - least["clocks"],
            median["plain"] < 1000 ? "  (calls of less than 1 us)" : ""
    }
    NR > 1 && ($1 != variant || $2 != name) { close_group(); if ($2 != name) print_pattern() }
    { variant = $1; name = $2; calls = $3; value[++n] = $4 }
    END { close_group(); print_pattern() }'
