#!/bin/sh
# hostile.sh BIN [RUNS]: measures what tracing costs programs with far more probes than events (hostile/hostile.c): processor
# time, the least of RUNS (7) interleaved runs. The columns are ratios to the program without refrain: for each detail, and with
# all probes disabled. Clocks: without refrain, but with two clock reads around each MPI call (mpi_clocks.h), the least
# that any tracer does. Exact: one run in mode both, whose recorded and reconstructed events are compared. Needs MPICH.
set -eu
bin=$(cd "${1:?usage: hostile.sh BIN [RUNS]}" && pwd)
runs=${2:-7}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d /tmp/refrain-hostile.XXXXXX)
trap 'rm -rf "$work"' EXIT
mpicc.mpich -O2 -pthread "$here/hostile/hostile.c" "$here/hostile/chain.c" -o "$work/plain"
sh "$here/mpi_clocks.sh" "$work/clocks.so" -DCLOCKS
for detail in calls communication all; do
    mkdir "$work/$detail.d"
    (cd "$work/$detail.d" && REFRAIN_MPICC=mpicc.mpich "$bin/refrain-mpicc" --detail=$detail -O2 -pthread "$here/hostile/hostile.c" \
        "$here/hostile/chain.c" -o "$work/$detail")
done
export REFRAIN_DIRECTORY="$work/run"
mkdir "$work/run"

# seconds NAME KIND ROUNDS: processor time of one run; "failed".
seconds() {
    rm -rf "$work"/run/*
    if command time -o "$work/time" -f '%U %S' "$work/$1" "$2" "$3" >/dev/null 2>&1; then
        awk 'END { print $1 + $2 }' "$work/time"
    else
        echo failed
    fi
}

printf '%-10s %8s %8s %8s %8s %8s %8s  %s\n' program plain clocks off calls default all exact
while read -r kind rounds; do
    i=0
    : >"$work/times"
    while [ $i -lt "$runs" ]; do
        i=$((i + 1))
        for name in plain calls communication all; do
            echo "$name $(seconds $name "$kind" "$rounds")" >>"$work/times"
        done
        echo "clocks $(LD_PRELOAD=$work/clocks.so seconds plain "$kind" "$rounds")" >>"$work/times"
        echo "off $(REFRAIN_MODE=off seconds communication "$kind" "$rounds")" >>"$work/times"
        [ ! -t 2 ] || printf '\r%s %d of %d ' "$kind" $i "$runs" >&2
    done
    [ ! -t 2 ] || printf '\r\033[K' >&2
    rm -rf "$work"/run/*
    REFRAIN_MODE=both "$work/communication" "$kind" $((rounds / 20)) >/dev/null
    exact=no
    "$bin/refrain" compare --exact "$work"/run/*.refrain >/dev/null 2>&1 && exact=yes
    awk -v kind="$kind" -v exact=$exact '
        $2 == "failed" { failed[$1] = 1; next }
        !($1 in least) || $2 < least[$1] { least[$1] = $2 }
        function over_plain(name) {
            return failed[name] || failed["plain"] ? "failed" : sprintf("%.3f", least[name] / least["plain"])
        }
        END { printf "%-10s %7.3fs %8s %8s %8s %8s %8s  %s\n", kind, least["plain"], over_plain("clocks"), over_plain("off"), over_plain("calls"),
              over_plain("communication"), over_plain("all"), exact }' "$work/times"
done <<END
post 400000000
chain 120000000
recursion 500000
callback 16000
coin 7000000
loops 50000000
late 16000
handlers 200000000
thread 200000000
states 1400000000
END
