#!/bin/sh
# compensate.sh: compares the times of --compensate with those of the program without probes; see compensate.sh --help.
set -u
. "$(dirname "$0")/lib.sh"
ranks=2 only='' rounds=4 minutes=3

usage() {
    cat <<'END_OF_USAGE'
NAME
    compensate.sh - how close times without probes come to those of the program without tracing

SYNOPSIS
    benchmarks/compensate.sh [--only NAME]... [--ranks N] [--rounds N] [--minutes N] [--tools DIR]

DESCRIPTION
    Builds the workloads plainly and with refrain-cc and runs them in turns: plainly; traced; and traced with
    REFRAIN_THROTTLE=off, so that no probe is throttled. Prints a table in Markdown: how long rank 0 was between the end of its
    first MPI_Barrier, which all of them begin with, and MPI_Finalize, in ms, of each kind of run the one that took least; the same of the traced runs with --compensate; by
    how much per cent these differ from the plain run; and whether the compensated time is nearer to it. Above the table
    stands in how many runs with an overhead of more than 2 % it is.
    The machine should do nothing else: what is to be seen is some per cent.

OPTIONS
    --only NAME   this workload; repeatable (default: all but master, which does other things in each run)
    --ranks N     ranks (default 2; those that run on squares take 1)
    --rounds N    runs of each kind (default 4)
    --minutes N   begin no further workload after so many minutes (default 3); what was left out is told
    --tools DIR   the directory of refrain and refrain-cc (default: that of refrain on PATH)
    --help        this text

EXIT STATUS
    0 measured; 1 something could not be built or run; 2 bad command line.
END_OF_USAGE
}

options "only+ ranks rounds minutes tools" "$@"
began=$(date +%s)
names=${only:-$(awk -F'|' '/^[a-z]/ { gsub(/ /, "", $1); if ($1 != "master") print $1 }' "$here/workloads/list.txt")}
"$mpicc" -O1 -shared -fPIC "$here/mpi_span.c" -o "$work/span.so" &&
    build "$mpicc" "$work/plain" "$names" && build "refrain-cc $mpicc" "$work/traced" "$names" || {
    echo "compensate.sh: the workloads do not build" >&2
    exit 1
}
OMP_NUM_THREADS=2
export OMP_NUM_THREADS

# field NAME COLUMN: of list.txt.
field() {
    awk -F'|' -v n="$1" -v c="$2" '$1 ~ "^" n " *$" { gsub(/^ +| +$/, "", $c); print $c }' "$here/workloads/list.txt"
}

# plain NAME RANKS: one run's span in ns.
plain() {
    # shellcheck disable=SC2016,SC2046 # for the shell that is started; one word each
    timeout 60 refrain-run "$mpiexec" -n "$2" sh -c 'LD_PRELOAD="$LD_PRELOAD $0" exec "$@"' "$work/span.so" \
        "$work/plain/$1" $(field "$1" 3) 2>&1 >/dev/null | sed -n 's/^span //p'
}

# span TRACE [OPTION]: of rank 0, in ns.
span() {
    refrain reconstruct "$@" --ranks 0 --format text -o "$work/text" --force >/dev/null 2>&1 &&
        awk -F'\t' '$3 == "leave" && $4 == "MPI_Barrier" && !n++ { from = $2 } $3 == "enter" && $4 == "MPI_Finalize" { to = $2 }
            END { printf "%.0f\n", (to - from) * 1e9 }' "$work/text"
}

# traced NAME RANKS THROTTLE: one run; its span, and that without probes.
traced() {
    rm -rf "$work/run"
    mkdir "$work/run"
    # shellcheck disable=SC2046 # one word each
    REFRAIN_THROTTLE=$3 REFRAIN_TOTAL_MEMORY=64M REFRAIN_TIME_MEMORY=24M REFRAIN_DIRECTORY=$work/run timeout 60 \
        refrain-run "$mpiexec" -n "$2" "$work/traced/$1" $(field "$1" 3) >/dev/null 2>&1 || return 1
    trace=$(echo "$work"/run/*.refrain)
    echo "$(span "$trace") $(span "$trace" --compensate)"
}

failed=0
for name in $names; do
    if [ $(($(date +%s) - began)) -ge $((minutes * 60)) ]; then
        echo "- $name was left out: no time" >>"$work/notes"
        continue
    fi
    n=$ranks
    [ "$(field "$name" 4)" != square ] || n=1
    echo "compensate.sh: $name on $n ranks, $(($(date +%s) - began)) s" >&2
    i=0
    while [ $i -lt "$rounds" ]; do
        i=$((i + 1))
        echo "$name $n plain $(plain "$name" "$n")"
        for throttle in on off; do
            echo "$name $n $throttle $(traced "$name" "$n" $throttle)"
        done
    done >"$work/figures"
    if ! awk 'NF < 4 || ($3 != "plain" && NF < 5) { exit 1 }' "$work/figures"; then
        echo "- $name on $n ranks: a run failed" >>"$work/notes"
        failed=1
        continue
    fi
    cat "$work/figures" >>"$work/all"
done
[ -s "$work/all" ] || {
    echo "compensate.sh: nothing was measured" >&2
    exit 1
}
awk '
    { key = $1 " on " $2 }
    !(key in plain) && $3 == "plain" { order[++n] = key; plain[key] = $4 }
    $3 == "plain" { if ($4 < plain[key]) plain[key] = $4; next }
    { k = key SUBSEP $3; if (!(k in traced) || $4 < traced[k]) { traced[k] = $4; without[k] = $5 } }
    function off(a, b) { return (a / b - 1) * 100 }
    function size(x) { return x < 0 ? -x : x }
    END {
        for (i = 1; i <= n; i++)
            for (t = 1; t <= 2; t++) {
                throttle = t == 1 ? "on" : "off"
                k = order[i] SUBSEP throttle
                p = off(traced[k], plain[order[i]]); c = off(without[k], plain[order[i]])
                nearer = size(c) < size(p)
                if (p > 2) { all[throttle]++; good[throttle] += nearer }
                if (p > 2 && !nearer) not[throttle] = not[throttle] sprintf("; not %s (%+.1f %%, compensated %+.1f %%)", order[i], p, c)
                line[++lines] = sprintf("| %s | %s | %.2f | %.2f | %.2f | %+.1f | %+.1f | %s |", order[i], throttle,
                    plain[order[i]] / 1e6, traced[k] / 1e6, without[k] / 1e6, p, c, nearer ? "yes" : "no")
            }
        printf "- Overhead over 2 %%, throttled as by default: compensated nearer in %d of %d%s\n", good["on"], all["on"], not["on"]
        printf "- Overhead over 2 %%, not throttled: compensated nearer in %d of %d%s\n\n", good["off"], all["off"], not["off"]
        print "| workload | throttle | plain, ms | traced, ms | compensated, ms | traced, % | compensated, % | nearer |"
        print "|---|---|---|---|---|---|---|---|"
        for (i = 1; i <= lines; i++) print line[i]
    }' "$work/all"
if [ -s "$work/notes" ]; then
    printf '\nLeft out or failed:\n\n'
    cat "$work/notes"
fi
exit $failed
