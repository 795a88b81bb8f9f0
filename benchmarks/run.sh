#!/bin/sh
# run.sh: measures refrain on the workloads and writes the report; run.sh --help says how.
# shellcheck disable=SC2015 # A && B || C stands for: if not (A and B) then C
# Every figure goes to OUT/raw.tsv as it is taken: program, ranks, metric, value. The report is made from that file.
set -u
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd)
list=$here/workloads/list.txt

usage() {
    cat <<'END'
NAME
    run.sh - measure what refrain costs, how much it keeps and how close it is, on the workloads

SYNOPSIS
    benchmarks/run.sh [--only NAME]... [--ranks N[,N]...] [--runs N] [--pairs N] [--minutes N] [--quick] [--out DIR]
        [--tools DIR]
    benchmarks/run.sh --list

DESCRIPTION
    Builds the workloads without refrain and with refrain-cc, at --detail=communication and --detail=all, runs them, and
    writes to DIR: report.md, results.csv (program,ranks,metric,value,min,max; value is the median), pictures (.svg) and
    raw.tsv, every single figure.

    Measured are: events reconstructed against events recorded in mode both; the share of sequences that formulas hold;
    the bytes of a trace at 1, 10 and 100 times the iterations; how close times are between reruns; the time and the
    resident memory that event and statistical tracing cost; the nanoseconds of a probe, a learner step and an MPI
    wrapper. Three runs are drawn from their recorded events and from what was learned, if refrain view is built. EZTrace runs in the same turns where it is installed; the report says when it is not.

    Runs of the variants are interleaved, in turns forward and back, and rounds go over all workloads, so that a slow
    moment of the machine falls on all. Seconds are the program's own (--time), without the start of the launcher. Beside
    them stand overheads from the least time of each piece of the work (--laps) over all rounds, which other work on the
    machine hardly touches, with 95 % intervals from five rounds on; the uninstrumented program, run twice in each
    round, shows what they are worth.

OPTIONS
    --list        print the workloads with the ranks they run on, and stop
    --only NAME   measure this workload; repeatable
    --ranks N     numbers of ranks, 1 to 64; repeatable, or a list with commas (default 2,4)
    --runs N      rounds of the timing, 1 to 100 (default 5)
    --pairs N     pairs of runs whose times are compared, 1 to 100 (default 3)
    --minutes N   begin no further measurement after so many minutes (default 15); the report says what was left out. Half
                  of them go to timing. On two idle cores 35 are enough for all workloads in five rounds
    --quick       every workload once, at a tenth of its iterations, on the fewest ranks asked for that it takes, in
                  the default detail; no comparison of reruns. It ends when all have run: two minutes on an idle machine
    --out DIR     where the results go (default ./benchmark-results); made if missing, results there are replaced
    --tools DIR   the directory of refrain and refrain-cc (default: that of refrain on PATH)
    --help        this text

ENVIRONMENT
    MPICC, MPIEXEC     compiler and launcher of the MPI library (default mpicc.mpich and mpiexec.mpich where they exist,
                       else mpicc and mpiexec)
    OMP_NUM_THREADS    threads of the hybrid workload (default 2)
    TMPDIR             where the programs are built and traces written

EXIT STATUS
    0 measured; 1 something could not be built or no run succeeded; 2 bad command line.

EXAMPLE
    benchmarks/run.sh --quick --out /tmp/quick
    benchmarks/run.sh --only cg --only heat --ranks 2,4,8 --runs 11
END
}

bad() {
    echo "run.sh: $* (see run.sh --help)" >&2
    exit 2
}

# number OPTION TEXT MOST: TEXT is a whole number from 1 to MOST.
number() {
    case $2 in
    "" | *[!0-9]* | 0*) bad "$1 takes a whole number from 1 to $3, not '$2'" ;;
    esac
    { [ ${#2} -le 4 ] && [ "$2" -le "$3" ]; } || bad "$1 takes a whole number from 1 to $3, not '$2'"
}

# field NAME COLUMN: of list.txt.
field() {
    awk -F'|' -v n="$1" -v c="$2" '$1 ~ "^" n " *$" { gsub(/^ +| +$/, "", $c); print $c }' "$list"
}

names=$(awk -F'|' '/^[a-z]/ { gsub(/ /, "", $1); print $1 }' "$list")
only=
ranks_asked=
runs=5
runs_given=
pairs=3
long_rounds=3
minutes=15
quick=
out=benchmark-results
tools=
while [ $# -gt 0 ]; do
    option=$1
    case $option in
    --only=* | --ranks=* | --runs=* | --pairs=* | --minutes=* | --out=* | --tools=*)
        value=${option#*=}
        option=${option%%=*}
        ;;
    --only | --ranks | --runs | --pairs | --minutes | --out | --tools)
        [ $# -gt 1 ] || bad "$option needs a value"
        value=$2
        shift
        ;;
    esac
    case $option in
    --help | -h) usage && exit 0 ;;
    --list)
        awk -F'|' '/^[a-z]/ { printf "%-12s ranks: %-15s %s\n", $1, $4, $3 }' "$list"
        exit 0
        ;;
    --quick) quick=1 ;;
    --only)
        [ -n "$value" ] && [ -n "$(field "$value" 1 2>/dev/null)" ] || bad "no workload '$value'; --list names them"
        only="$only $value"
        ;;
    --ranks)
        [ -n "$value" ] || bad "--ranks needs a value"
        for r in $(echo "$value" | tr , ' '); do
            number --ranks "$r" 64
            ranks_asked="$ranks_asked $r"
        done
        ;;
    --runs) number --runs "$value" 100 && runs=$value && runs_given=1 ;;
    --pairs) number --pairs "$value" 100 && pairs=$value ;;
    --minutes) number --minutes "$value" 1440 && minutes=$value ;;
    --out) [ -n "$value" ] || bad "--out needs a directory" && out=$value ;;
    --tools) tools=$value ;;
    *) bad "unknown argument '$1'" ;;
    esac
    shift
done
names=$(echo "${only:-$names}" | tr '\n' ' ')
ranks_asked=${ranks_asked:-2 4}
if [ -n "$quick" ]; then
    [ -n "$runs_given" ] || runs=1
    minutes=1440 # a busy machine takes minutes for the builds alone
fi

[ -n "$tools" ] || tools=$(dirname "$(command -v refrain || echo .)")
[ -x "$tools/refrain" ] && [ -x "$tools/refrain-cc" ] ||
    bad "refrain and refrain-cc are not in '$tools'; build them, then give --tools BUILD/bin"
tools=$(cd "$tools" && pwd)
PATH=$tools:$PATH
export PATH
mpicc=${MPICC:-$(command -v mpicc.mpich || command -v mpicc)}
mpiexec=${MPIEXEC:-$(command -v mpiexec.mpich || command -v mpiexec)}
[ -n "$mpicc" ] && [ -n "$mpiexec" ] || bad "no mpicc or mpiexec; install an MPI library or set MPICC and MPIEXEC"
mkdir -p "$out" 2>/dev/null && : >"$out/raw.tsv" || bad "cannot write to --out '$out'"
out=$(cd "$out" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/refrain-bench.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
hybrid_threads=${OMP_NUM_THREADS:-2}
OMP_WAIT_POLICY=passive
export OMP_NUM_THREADS OMP_WAIT_POLICY
for setting in $(env | sed -n 's/^\(REFRAIN_[A-Z_]*\)=.*/\1/p'); do
    unset "$setting" # the settings measured are the defaults
done

flags=
module=mpich
if "$mpiexec" --version 2>/dev/null | grep -qi 'open.\?mpi\|openrte'; then
    flags=--oversubscribe
    [ "$(id -u)" -ne 0 ] || flags="$flags --allow-run-as-root"
    module=openmpi
fi
began=$(date +%s)
stop=$((began + minutes * 60))

say() {
    printf '%5ds  %s\n' $(($(date +%s) - began)) "$*" >&2
}
left() { # says whether there is time for one more measurement
    [ "$(date +%s)" -lt "$stop" ]
}
raw() {
    printf '%s\t%s\t%s\t%s\n' "$@" >>"$out/raw.tsv"
}
note() {
    echo "$*" >>"$work/notes"
    say "$*"
}
: >"$work/notes"
: >"$work/laps"

# takes NAME RANKS: succeeds if the workload can run on this number of ranks.
takes() {
    case $(field "$1" 4) in
    square) [ "$2" -eq 1 ] || [ "$2" -eq 4 ] || [ "$2" -eq 9 ] || [ "$2" -eq 16 ] || [ "$2" -eq 25 ] ||
        [ "$2" -eq 36 ] || [ "$2" -eq 49 ] || [ "$2" -eq 64 ] ;;
    "power of two") [ $(($2 & ($2 - 1))) -eq 0 ] ;;
    *) : ;;
    esac
}

# arguments NAME: the arguments in list.txt, with fewer iterations if time is short.
arguments() {
    field "$1" 3 | awk -v quick="$quick" '{ if (quick) $4 = int(($4 + 9) / 10); print }'
}

# threads_of NAME: only hybrid has more than one thread; the memory of a trace depends on it.
threads_of() {
    OMP_NUM_THREADS=1
    [ "$1" != hybrid ] || OMP_NUM_THREADS=$hybrid_threads
}

# run VARIANT MODE NAME RANKS ARGUMENTS...: one run; the trace, if any, in $work/trace; sets seconds, empty if it
# failed, laps, the nanoseconds of each piece of the work, and resident, the most bytes a rank held.
run() {
    variant=$1 mode=$2 name=$3 ranks=$4
    shift 4
    threads_of "$name"
    rm -rf "$work/trace"
    mkdir "$work/trace"
    peer=
    directory=$work/$variant
    case $variant in
    again) directory=$work/plain ;;
    eztrace)
        peer="eztrace -t $module -o $work/trace/eztrace"
        directory=$work/plain
        ;;
    esac
    # shellcheck disable=SC2086 # lists of words
    REFRAIN_MODE=$mode REFRAIN_DIRECTORY=$work/trace timeout 60 refrain-run "$mpiexec" $flags -n "$ranks" $peer \
        "$directory/$name" "$@" --time --laps >"$work/said" 2>"$work/error"
    status=$?
    seconds=
    if [ $status -eq 0 ] && grep -q VERIFIED "$work/said"; then
        seconds=$(sed -n 's/.* seconds=\([0-9.]*\).*/\1/p' "$work/said")
        resident=$(sed -n 's/.* resident=\([0-9]*\).*/\1/p' "$work/said")
        laps=$(sed -n "s/^$name laps //p" "$work/said")
    else
        note "$name on $ranks ranks, $variant, mode $mode: failed with status $status: $(head -n 1 "$work/error")"
    fi
    trace=$(echo "$work/trace"/*.refrain)
}

# bytes_of DIRECTORY: of all files in it.
bytes_of() {
    find "$1" -type f -exec cat {} + | wc -c
}

# spread FILE: position and block spread in a report of refrain compare --json.
spread() {
    awk -F'[:,]' '/"position": \{/ { s = "position" } /"block": \{/ { s = "block" }
        s && /"spread_ns"/ && !(s in seen) { seen[s] = $2 + 0 }
        END { if (("position" in seen) && ("block" in seen)) print seen["position"], seen["block"] }' "$1"
}

# keep_spread NAME RANKS WHICH A B
keep_spread() {
    timeout 60 refrain compare --json "$4" "$5" >"$work/json" 2>/dev/null || return 0
    # shellcheck disable=SC2046 # two words
    set -- "$1" "$2" "$3" $(spread "$work/json")
    [ $# -eq 5 ] || return 0
    raw "$1" "$2" "spread.position.$3" "$4"
    raw "$1" "$2" "spread.block.$3" "$5"
}

build() {
    variants="plain communication all"
    [ -z "$quick" ] || variants="plain communication"
    say "building $(echo "$names" | wc -w) workloads: $variants"
    for variant in $variants; do
        compiler=$mpicc
        [ "$variant" = plain ] || compiler="refrain-cc --detail=$variant $mpicc"
        make -s -j2 -C "$here/workloads" CC="$compiler" BUILD="$work/$variant" ONLY="$names" >"$work/said" 2>&1 || {
            echo "run.sh: the workloads do not build ($variant): $(grep -m 1 -i error "$work/said")" >&2
            exit 1
        }
    done
}

probe_cost() {
    libraries=$(cd "$tools/../lib" && pwd)
    "$mpicc" -O2 -DPROBE_COST_MPI -I "$here/../include" -I "$here/../monitor" -I "$here/../monitor/learn" -I "$here/../instrumentor" "$here/probe_cost.c" -o "$work/probe_cost" \
        -L "$libraries" -Wl,--no-as-needed "-lrefrain-$module" -lrefrain "-Wl,-rpath,$libraries" >"$work/said" 2>&1 || {
        note "The probe costs are left out: probe_cost.c does not build: $(head -n 1 "$work/said")"
        return
    }
    say "probe costs"
    # shellcheck disable=SC2086
    REFRAIN_DIRECTORY=$work timeout 60 "$mpiexec" $flags -n 1 "$work/probe_cost" 20000 21 >"$work/probes" 2>"$work/error" ||
        note "The probe costs are left out: $(head -n 1 "$work/error")"
    # name, least, median, quartiles, ratio to the TSC read
    awk 'NF > 4 && $NF ~ /^[0-9.-]+$/ { m = $(NF - 2); l = $(NF - 3); q = $(NF - 1); NF -= 4
        gsub(/[:,]/, ""); gsub(/ /, "_"); print "probe\t1\tns." $0 "\t" m "\nprobe\t1\tleast." $0 "\t" l "\nprobe\t1\tquartiles." $0 "\t" q }' \
        "$work/probes" >>"$out/raw.tsv"
}

learner_cost() {
    sh "$here/learner_cost.sh" "$work/learner_cost" >"$work/said" 2>&1 || {
        note "The learner's costs are left out: learner_cost.c does not build: $(head -n 1 "$work/said")"
        return
    }
    say "learner costs"
    rounds=11
    [ -z "$quick" ] || rounds=1
    timeout 120 "$work/learner_cost" --json --rounds $rounds >"$work/json" 2>"$work/error" ||
        note "The learner's costs are left out: $(head -n 1 "$work/error")"
    awk -v OFS='\t' -F'[:,{}]' '
        function number(name,   i) { for (i = 1; i < NF; i++) if ($i ~ "\"" name "\"") return $(i + 1) + 0 }
        /"empty_call"|"nothing"|"family"/ {
            split($0, quoted, "\"")
            name = quoted[2] == "family" ? quoted[8] : quoted[2]
            gsub(/[ ,]+/, "_", name)
            print "learner", 1, "ns." name, number("median_ns")
            print "learner", 1, "least." name, number("least_ns")
            print "learner", 1, "quartiles." name, number("quartiles_ns")
            if (quoted[2] == "family") {
                print "learner", 1, "exact." name, /"exact": true/ ? 1 : 0
                print "learner", 1, "pool." name, number("pool_bytes")
            }
        }' "$work/json" >>"$out/raw.tsv"
}

# quality NAME RANKS: exactness and capture.
quality() {
    # shellcheck disable=SC2046 # a list of words
    set -- "$1" "$2" $(arguments "$1")
    name=$1 ranks=$2
    shift 2
    say "$name on $ranks ranks: exactness, capture"
    run communication both "$name" "$ranks" "$@"
    [ -n "$seconds" ] || return 0
    timeout 60 refrain compare --json "$trace" >"$work/json" 2>"$work/error" || note "$name: $(head -n 1 "$work/error")"
    awk -F'[:,]' -v p="$name" -v r="$ranks" -v OFS='\t' '/^ *"(events_a|events_b|compared|equal)"/ {
        gsub(/[ "]/, "", $1); if (!($1 in seen)) print p, r, "exact." $1, $2 + 0; seen[$1] }' "$work/json" >>"$out/raw.tsv"
    timeout 60 refrain capture --json "$trace" >"$work/json" 2>/dev/null &&
        awk -v p="$name" -v r="$ranks" -f "$here/capture.awk" "$work/json" >>"$out/raw.tsv"
}

# closeness NAME RANKS: recordings and reconstructions, each compared with the one before it and with each other.
closeness() {
    # shellcheck disable=SC2046
    set -- "$1" "$2" $(arguments "$1")
    name=$1 ranks=$2
    shift 2
    say "$name on $ranks ranks: closeness, $pairs pairs"
    rm -rf "$work"/*.refrain
    pair=0
    while [ $pair -le "$pairs" ] && left; do
        for mode in events stat; do
            run communication $mode "$name" "$ranks" "$@"
            [ -n "$seconds" ] || return 0
            mv "$trace" "$work/$mode.refrain"
        done
        if [ $pair -gt 0 ]; then
            keep_spread "$name" "$ranks" event-event "$work/events-before.refrain:events" "$work/events.refrain:events"
            keep_spread "$name" "$ranks" stat-stat "$work/stat-before.refrain:stat" "$work/stat.refrain:stat"
            keep_spread "$name" "$ranks" stat-event "$work/events.refrain:events" "$work/stat.refrain:stat"
        fi
        rm -rf "$work"/*-before.refrain
        mv "$work/events.refrain" "$work/events-before.refrain"
        mv "$work/stat.refrain" "$work/stat-before.refrain"
        pair=$((pair + 1))
    done
    rm -rf "$work"/*.refrain
}

# sizes NAME RANKS: bytes at 1, 10 and 100 times a fiftieth of the iterations; programs of few iterations on less data.
sizes() {
    size=$(field "$1" 3 | awk '{ print $2 }')
    iterations=$(field "$1" 3 | awk '{ n = int($4 / 50); print (n > 0 ? n : 1) }')
    case $1 in
    ep) size=18 ;;
    meshcg) size=30 ;;
    samplesort) size=20000 ;;
    nbody) size=300 ;;
    master) size=20 ;;
    heat | ft) size=32 ;;
    esac
    say "$1 on $2 ranks: bytes"
    REFRAIN_TIME_MEMORY= # set in the loop: order is stat without times of single blocks
    export REFRAIN_TIME_MEMORY
    threads_of "$1"
    raw "$1" "$2" size.foretold "$(refrain size --json -n "$2" "$work/communication/$1" |
        sed -n 's/.*"total_bytes": *\([0-9]*\).*/\1/p')"
    for times in 1 10 100; do
        [ -z "$quick" ] || [ $times -lt 100 ] || continue
        for kept in order stat events; do
            left || break 2
            [ -z "$quick" ] || [ $kept != events ] || continue
            mode=$kept
            unset REFRAIN_TIME_MEMORY
            [ $kept != order ] || { mode=stat && export REFRAIN_TIME_MEMORY=0; }
            run communication $mode "$1" "$2" --size "$size" --iterations $((iterations * times))
            [ -z "$seconds" ] || raw "$1" "$2" "size.$kept.$times" "$(bytes_of "$trace")"
        done
    done
    unset REFRAIN_TIME_MEMORY
}

# figure NAME SIZE ITERATIONS: a run on 4 ranks in mode both as two pictures of 240 events in its middle: from the recorded
# events (through text, which is converted), and from what was learned.
figure() {
    say "$1 on 4 ranks: pictures"
    run communication both "$1" 4 --size "$2" --iterations "$3"
    [ -n "$seconds" ] || return 0
    refrain events "$trace" >"$work/events.text" 2>"$work/error" &&
        refrain convert "$work/events.text" -o "$work/drawn.refrain" >/dev/null 2>"$work/error" || {
        note "The pictures of $1 are left out: $(head -n 1 "$work/error")"
        return
    }
    window=$(sort -k 2,2n "$work/events.text" | awk -F '\t' '$2 + 0 > 0 { t[++n] = $2 }
        END { m = int(n / 2); print t[m], t[m + 240 < n ? m + 240 : n] }')
    for from in events stat; do
        shown=$trace
        [ $from = stat ] || shown=$work/drawn.refrain
        refrain view "$shown" --from "${window% *}" --to "${window#* }" --width 800 --force -o "$out/$1-$from.svg" 2>"$work/error" || {
            note "The pictures of $1 are left out: $(head -n 1 "$work/error")"
            rm -f "$out/$1-events.svg"
            break
        }
    done
    rm -rf "$work/drawn.refrain"
    [ ! -e "$out/$1-stat.svg" ] || raw "$1" 4 picture 1
}

# turns ROUND: the variants in their order, which is another way round every second time. Event tracing of everything and
# the peer take longest and are far from any limit: the first rounds do for them.
turns() {
    if [ -n "$quick" ]; then
        echo plain.off communication.events communication.stat "${eztrace:+eztrace.off}"
        return
    fi
    long=
    [ "$1" -gt "$long_rounds" ] || long="all.events ${eztrace:+eztrace.off}"
    if [ $(($1 % 2)) -eq 0 ]; then
        echo "$long" again.off all.stat all.off communication.stat communication.off communication.events plain.off
    else
        echo plain.off communication.events communication.off communication.stat all.off all.stat again.off "$long"
    fi
}

# one_round NAME RANKS ROUND
one_round() {
    say "$1 on $2 ranks: time, round $3 of $runs"
    in_turn=$(turns "$3")
    # shellcheck disable=SC2046
    set -- "$1" "$2" $(arguments "$1")
    for turn in $in_turn; do
        name=$1 ranks=$2
        shift 2
        run "${turn%.*}" "${turn#*.}" "$name" "$ranks" "$@"
        if [ -n "$seconds" ]; then
            raw "$name" "$ranks" "seconds.$turn" "$seconds"
            echo "$name $ranks $turn $laps" >>"$work/laps"
            raw "$name" "$ranks" "resident.$turn" "$resident"
            case $turn in
            eztrace.*) raw "$name" "$ranks" bytes.eztrace "$(bytes_of "$work/trace")" ;;
            communication.*) raw "$name" "$ranks" "bytes.$turn" "$(bytes_of "$work/trace")" ;;
            esac
        fi
        set -- "$name" "$ranks" "$@"
    done
}

# measured: the workloads with the ranks they are measured on.
measured() {
    for name in $names; do
        found=
        for r in $ranks_asked; do
            takes "$name" "$r" || continue
            case " $found " in *" $r "*) continue ;; esac
            found="$found $r"
            echo "$name $r"
            [ -z "$quick" ] || break
        done
        [ -n "$found" ] || note "$name is left out: it runs on ranks: $(field "$name" 4)."
    done
}

eztrace=$(command -v eztrace || true)
if [ -n "$eztrace" ] && ! eztrace_avail 2>/dev/null | grep -q "^$module"; then
    eztrace=
fi
[ -n "$eztrace" ] || note "EZTrace with its $module module is not installed (Debian: eztrace): its rows are left out."
build
probe_cost
learner_cost
measured >"$work/pairs"
first=" "
# half WHAT: runs that measure no time end after half of the minutes. --quick has a single such run, which is not ended.
half() {
    left || { note "It ends before $name on $ranks ranks: $minutes minutes are over." && return 1; }
    [ -n "$quick" ] || [ $(($(date +%s) - began)) -lt $((minutes * 30)) ] ||
        { note "$1 stop before $name on $ranks ranks: half of the time is used up." && return 1; }
}
while read -r name size iterations <&3; do
    case " $names " in *" $name "*) figure "$name" "$size" "$iterations" ;; esac
done 3<<'END'
matmul 200 100
sp 12 40
bt 12 40
END
while read -r name ranks <&3; do
    half "Exactness, capture and bytes" || break
    quality "$name" "$ranks"
    case $first in
    *" $name "*) ;;
    *)
        first="$first$name "
        sizes "$name" "$ranks"
        ;;
    esac
    [ -z "$quick" ] || one_round "$name" "$ranks" 1 # so that a workload is either done or not begun
done 3<"$work/pairs"
while [ -z "$quick" ] && read -r name ranks <&3; do
    half "Comparisons of reruns" || break
    closeness "$name" "$ranks"
done 3<"$work/pairs"
round=0
[ -z "$quick" ] || round=1
while [ $round -lt "$runs" ] && left; do
    round=$((round + 1))
    while read -r name ranks <&3; do
        left || { note "Timing ends in round $round of $runs before $name on $ranks ranks: $minutes minutes are over."; break; }
        one_round "$name" "$ranks" "$round"
    done 3<"$work/pairs"
done

grep -q seconds. "$out/raw.tsv" || { echo "run.sh: no run succeeded: $(head -n 1 "$work/notes")" >&2 && exit 1; }
{ awk -f "$here/summary.awk" "$out/raw.tsv" && awk -f "$here/laps.awk" "$work/laps"; } | sort -t, -k 1,1 -k 2,2n -k 3,3 >"$work/results"
{ echo "program,ranks,metric,value,min,max" && cat "$work/results"; } >"$out/results.csv"
{
    echo "version=$(refrain --version)"
    echo "machine=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1), $(env -u OMP_NUM_THREADS nproc) cores, Linux $(uname -r)"
    echo "load=$(cut -d ' ' -f 1-3 /proc/loadavg)"
    echo "compiler=$("$mpicc" --version | head -n 1)"
    echo "mpi=$module"
    echo "runs=$runs"
    echo "pairs=$pairs"
    [ -z "$quick" ] || echo "note=Quick: one run each, at a tenth of the iterations; times mean little."
    sed 's/^/note=/' "$work/notes"
} >"$work/about"
awk -v about="$work/about" -v list="$list" -v reasons="$here/reasons.txt" -f "$here/report.awk" "$out/results.csv" >"$out/report.md"
for plot in overhead capture size characteristics; do
    awk -v plot=$plot -f "$here/plot.awk" "$out/results.csv" >"$out/$plot.svg"
done
say "report: $out/report.md"
