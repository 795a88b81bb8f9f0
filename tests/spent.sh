#!/bin/sh
# spent.sh: runs random programs with several sizes of memory, from the least that works to enough for everything. Counts by MPI
# function, call site and partner, and bytes, of the reconstruction must equal those of the events recorded in the same run, and those
# of an independent log (pmpi_logger.c) of an untraced run with the same seed. No file may exceed the budget. Which of several calls
# completes a request is not compared: this is uncertain once the order is given up. Prints how much of the order is that of the run.
#
#   spent.sh BIN SEEDS STEPS RANKS SIZE...     seeds 1 to SEEDS; sizes as for REFRAIN_TOTAL_MEMORY, in K or M; `counts`: the size
#                                              with which all counts are kept, by `refrain size`
#
#   SPENT_THREADS=N      a program with N threads (chance_threads.c), without the log, which follows one thread
#   SPENT_REQUESTS=N     N requests are pending at a time when the memory is full (chance_requests.c); none may be lost
#   SPENT_KINDS=1        places with more kinds of next steps than there is room to count (kinds.c)
#   SPENT_MIDDLE=1       a recursion that is entered in its middle (middle.c)
#   SPENT_COMMS=N        receives in two communicators, the second in each N-th step, at random if N is 0 (chance_comms.c);
#                        as many partners may differ as `refrain info` says
#   SPENT_PERSISTENT=1   persistent requests that begin when the memory is full, some more often than others (chance_persistent.c)
#   SPENT_LATE=1         500 call sites, communicators, windows, files and the like that are new when the memory is full
#                        (chance_late.c); =places: compares the calls and partners of each line with a run that had enough memory
#   SPENT_HUNDREDS=N     number of hundreds of these call sites (at most 5, the default)
#   SPENT_PARTNERS=1     without counts by call site and communicator
#
# The long campaign: sh tests/spent.sh build/bin 50 3000 3 300K 400K 500K 700K 1M 2120K 3M 4M 6M 8M 16M 64M
set -u
if [ $# -lt 5 ]; then
    sed -n '2,22s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
. "$(dirname "$0")/lib.sh"
seeds=$2 steps=$3 ranks=$4
shift 4
LC_ALL=C
export LC_ALL

# by_partner: lines of the log or of `refrain`'s text, without rank and time -> partner's calls and bytes.
by_partner() {
    awk -F '\t' -v OFS='\t' '
        { delete value; for (i = 3; i <= NF; i++) { split($i, pair, "="); value[pair[1]] = pair[2] } }
        $1 == "send" { key = $1 OFS $2 OFS "to " value["dest"] }
        $1 == "recv" { key = $1 OFS ($2 ~ /^MPI_(Wait|Test)/ ? "completed" : $2) OFS "from " value["source"] }
        $1 == "collective" { key = $1 OFS $2 OFS "root " value["root"] }
        $1 == "rma" { key = $1 OFS $2 OFS "target " value["target"] }
        $1 != "send" && $1 != "recv" && $1 != "collective" && $1 != "rma" { next }
        { calls[key]++; bytes[key] += value["bytes"] }
        END { for (key in calls) print key, calls[key], bytes[key] }' | sort
}

# by_site FILE: each construct and call with its place, and its communication by partner, communicator and tag.
by_site() {
    awk -F '\t' -v OFS='\t' '
        { delete value; for (i = 5; i <= NF; i++) { split($i, pair, "="); value[pair[1]] = pair[2] } }
        $3 == "enter" { key = $1 OFS $3 OFS $4 OFS value["file"] OFS value["line"] OFS value["thread"] }
        $3 == "leave" { key = $1 OFS $3 OFS $4 OFS value["thread"] }
        $3 != "enter" && $3 != "leave" {
            if ($4 ~ /^MPI_(Wait|Test)/)
                $4 = "completed"
            key = $1 OFS $3 OFS $4 OFS value["dest"] value["source"] value["root"] value["target"] OFS value["comm"] OFS value["thread"] }
        { calls[key]++; bytes[key] += value["bytes"] + value["sent"] + value["received"] }
        END { for (key in calls) print key, calls[key], bytes[key] }' "$1" | sort
}

# by_place FILE: for each line that calls MPI, the number of calls, and the communication by partner.
by_place() {
    awk -F '\t' -v OFS='\t' '
        { delete value; for (i = 5; i <= NF; i++) { split($i, pair, "="); value[pair[1]] = pair[2] } }
        $3 == "enter" && $4 ~ /^MPI_/ { place = value["file"] ":" value["line"]; calls[$4 OFS place]++ }
        $3 == "send" || $3 == "recv" || $3 == "collective" || $3 == "rma" {
            of = $4 ~ /^MPI_(Wait|Test)/ ? "completed" : $4 OFS place
            key = $3 OFS of OFS value["dest"] value["source"] value["root"] value["target"]
            calls[key]++; bytes[key] += value["bytes"] + value["sent"] + value["received"] }
        END { for (key in calls) print key, calls[key], bytes[key] }' "$1" | sort
}

# likeness A B: the share of the lines of one rank that are in the same order in both.
likeness() {
    diff --speed-large-files "$1" "$2" | awk -v n="$(wc -l <"$1")" '/^</ { gone++ } END { printf "%.3f", n ? 1 - gone / n : 1 }'
}

threads=${SPENT_THREADS:-1}
program=$tests/programs/chance.c
[ "$threads" -eq 1 ] || program=$tests/programs/chance_threads.c
[ -z "${SPENT_REQUESTS:-}" ] || program=$tests/programs/chance_requests.c
[ -z "${SPENT_KINDS:-}" ] || program=$tests/programs/kinds.c
[ -z "${SPENT_MIDDLE:-}" ] || program=$tests/programs/middle.c
[ -z "${SPENT_COMMS:-}" ] || program=$tests/programs/chance_comms.c
[ -z "${SPENT_PERSISTENT:-}" ] || program=$tests/programs/chance_persistent.c
debug=
if [ -n "${SPENT_LATE:-}" ]; then # each call site in a line of its own
    program=$work/chance_late.c debug=-g REFRAIN_THROTTLE=off
    export REFRAIN_THROTTLE
    awk -v hundreds="${SPENT_HUNDREDS:-5}" '
        /HUNDRED\((SITE|CALL), / && $2 + 0 > hundreds { next }
        /^HUNDRED\(SITE, / { for (i = 0; i < 100; i++) printf "SITE(%d%02d)\n", $2, i; next } { print }' \
        "$tests/programs/chance_late.c" >"$program"
fi
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 -w $debug -I"$tests/programs" -I"$tests/../include" "$program" -o "$work/chance" -lpthread || fail "compile"

# logged SEED: the calls of an untraced run by partner, of each rank in $log/N. It is a run of its own: below the logger all
# calls of a function would come from one place.
logged() {
    rm -rf "$log"
    mkdir "$log"
    REFRAIN_MODE=off MPI_LOGGER_DIRECTORY=$log preload=$bin/../lib/libpmpi_logger-mpich.so \
        launch mpich "$ranks" "$work/chance" "$1" "$steps" "${SPENT_REQUESTS:-${SPENT_COMMS:-1}}" >"$log/out" 2>"$log/err" || fail "seed $1, logged: status $?: $(head -n 2 "$log/err")"
    for rank in $(seq 0 $((ranks - 1))); do
        by_partner <"$log/rank-$rank.log" >"$log/$rank"
    done
}

# with_room SEED: the calls of a run that had room for all by line and partner, of each rank in $room/N.
with_room() {
    rm -rf "$room"
    mkdir "$room"
    REFRAIN_TOTAL_MEMORY=64M REFRAIN_MODE=events REFRAIN_DIRECTORY=$room launch mpich "$ranks" "$work/chance" "$1" "$steps" \
        >"$room/out" 2>"$room/err" || fail "seed $1, with room: status $?: $(head -n 2 "$room/err")"
    refrain events "$(the_trace "$room")" >"$room/events" 2>"$work/error" || fail "seed $1, with room: $(head -n 1 "$work/error")"
    for rank in $(seq 0 $((ranks - 1))); do
        awk -F '\t' -v r="$rank" '$1 == r' "$room/events" >"$work/c"
        by_place "$work/c" >"$room/$rank"
    done
}

# one SEED SIZE
one() {
    what="seed $1, $2"
    run=$work/run
    rm -rf "$run"
    # Files that the program opens have short names then: all names are in the trace, and take memory.
    mkdir "$run" && cd "$run" || exit 1
    REFRAIN_THREADS=$threads REFRAIN_TOTAL_MEMORY=$2 REFRAIN_MODE=both REFRAIN_DIRECTORY=$run launch mpich "$ranks" \
        "$work/chance" "$1" "$steps" "${SPENT_REQUESTS:-${SPENT_COMMS:-$threads}}" >"$run/out" 2>"$run/err" ||
        fail "$what: status $?: $(head -n 2 "$run/err")"
    trace=$(the_trace "$run") || {
        fail "$what: no trace: $(head -n 1 "$run/err")"
        return
    }
    refrain reconstruct "$trace" --format text -o - >"$work/lines" 2>"$work/error" || fail "$what: $(head -n 1 "$work/error")"
    refrain events "$trace" >"$work/recorded" 2>"$work/error" || fail "$what: $(head -n 1 "$work/error")"
    if refrain info --verbose "$trace" | grep 'requests whose completion is not in the trace\|no room for their call site' >"$work/lost"; then
        fail "$what: $(cat "$work/lost")"
    fi
    kib=$(echo "$2" | awk '{ n = $1 + 0; print /M$/ ? n * 1024 : n }')
    rank=0
    alike=
    while [ $rank -lt "$ranks" ]; do
        on_disk=$(($(stat -c %s "$trace/rank-$rank.trace") / 1024))
        [ "$on_disk" -le "$kib" ] && pass || fail "$what: rank $rank has $on_disk KiB on disk"
        awk -F '\t' -v r=$rank '$1 == r' "$work/lines" >"$work/a"
        awk -F '\t' -v r=$rank '$1 == r' "$work/recorded" >"$work/b"
        cut -f 3- "$work/a" | by_partner >"$work/replayed"
        cut -f 3- "$work/b" | by_partner >"$work/recorded-partners"
        [ "$threads" -ne 1 ] || same "$what, rank $rank: recorded, by partner" "$log/$rank" "$work/recorded-partners"
        if [ "${SPENT_COMMS:-}" = 0 ]; then
            accounted "$what, rank $rank" "$work/recorded-partners" "$work/replayed" "$(counted_as_another "$trace" $rank)"
        else
            same "$what, rank $rank: reconstructed, by partner" "$work/recorded-partners" "$work/replayed"
        fi
        by_site "$work/a" >"$work/a-sites"
        by_site "$work/b" >"$work/b-sites"
        [ -n "${SPENT_PARTNERS:-}" ] || same "$what, rank $rank: reconstructed, by call site" "$work/b-sites" "$work/a-sites"
        if [ "${SPENT_LATE:-}" = places ]; then
            for of in recorded reconstructed; do
                [ $of = recorded ] && from=$work/b || from=$work/a
                by_place "$from" >"$work/places"
                same "$what, rank $rank: $of, by line and partner" "$room/$rank" "$work/places"
            done
        fi
        per_location "$work/a" | cut -f 3- | sed 's/	approximate$//' >"$work/a-order"
        per_location "$work/b" | cut -f 3- >"$work/b-order"
        alike="$alike $(likeness "$work/b-order" "$work/a-order")"
        rank=$((rank + 1))
    done
    approximate=$(grep -c 'approximate$' "$work/lines")
    printf '%-16s %9d events, %9d approximate; in the order of the run:%s\n' "$what" "$(wc -l <"$work/recorded")" "$approximate" "$alike"
}

# same TEXT EXPECTED GOT
same() {
    if [ -s "$2" ] && cmp -s "$2" "$3"; then
        pass
    else
        fail "$1: $(diff "$2" "$3" | grep -c '^[<>]') of $(wc -l <"$2") lines differ"
        [ -z "${SPENT_VERBOSE:-}" ] || diff "$2" "$3" | head -n "$SPENT_VERBOSE"
    fi
}

# counted_as_another TRACE RANK: the number of values that `refrain info` calls counted as another.
counted_as_another() {
    refrain info --verbose "$1" | tr -d , | awk -v r="$2" '/^rank / { rank = $2 } rank == r && /values counted as another/ { n = $2 } END { print n + 0 }'
}

# accounted TEXT EXPECTED GOT MOST: lines of partners, whose calls differ in MOST at most.
accounted() {
    gone=$(awk -F '\t' 'FNR == 1 { file++ } { n[$1 FS $2 FS $3] += file == 1 ? $4 : -$4 }
        END { for (key in n) if (n[key] > 0) gone += n[key]; print gone + 0 }' "$2" "$3")
    [ -s "$2" ] && [ "$gone" -le "$4" ] && pass || fail "$1: $gone calls by partner differ, and $4 are said to"
}

log=$work/log room=$work/room seed=1
while [ "$seed" -le "$seeds" ]; do
    [ "$threads" -ne 1 ] || logged "$seed"
    [ "${SPENT_LATE:-}" != places ] || with_room "$seed"
    for memory in "$@"; do
        [ "$memory" != counts ] ||
            memory=$(refrain size "$work/chance" --json | tr -d ' ",' | awk -F : '/whole_counts_bytes/ { print int($2 / 1024) "K" }')
        one "$seed" "$memory"
    done
    seed=$((seed + 1))
done
summary
