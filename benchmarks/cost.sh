#!/bin/sh
# cost.sh: what tracing costs, beside EZTrace, in one table; cost.sh --help says how.
set -u
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd)
list=$here/workloads/list.txt

usage() {
    cat <<'HELP'
NAME
    cost.sh - what tracing costs hostile programs, the workloads, and programs that nobody here wrote

SYNOPSIS
    benchmarks/cost.sh --tools DIR [--rounds N] [--part hostile|workloads|foreign]... [--only WORKLOAD]... [--ranks LIST]
        [--minutes N] [--out FILE]

DESCRIPTION
    Writes three tables, in Markdown:

    hostile     programs in which probes come far more often than events (hostile.sh): processor time over plain, least of
                the rounds
    workloads   least laps: of each iteration the least time over all rounds, summed, over the plain program's; "again" is the
                plain program once more, which should be 1 and says what the others are worth. EZTrace traces MPI calls
                with its module for the MPI library, in the same rounds, where it is installed (Debian: eztrace)
    foreign     Debian source packages (foreign.sh): compile time, text, run time over plain

    Rounds are interleaved: one run of each variant, then the next round. What was left out for want of time or of a tool is said below
    the tables. Exit status: 0 measured, 1 something does not build or run, 2 bad command line.

OPTIONS
    --tools DIR     the directory of refrain and refrain-cc
    --rounds N      rounds, 1 to 100 (default 5)
    --part PART     this part only; repeatable
    --only NAME     this workload only; repeatable
    --ranks LIST    numbers of ranks of the workloads (default 1,2)
    --minutes N     begin no further workload after so many minutes (default 20)
    --out FILE      write there instead of to standard output
    --help          this text
HELP
}

bad() {
    echo "cost.sh: $* (see cost.sh --help)" >&2
    exit 2
}
whole() {
    case $2 in "" | *[!0-9]* | 0* | ?????*) bad "$1 takes a whole number, not '$2'" ;; esac
}

tools='' rounds=5 parts='' only='' ranks=1,2 minutes=20 out=''
while [ $# -gt 0 ]; do
    case $1 in
    --help) usage && exit 0 ;;
    --tools | --rounds | --part | --only | --ranks | --minutes | --out)
        [ $# -gt 1 ] || bad "$1 takes a value"
        case $1 in
        --tools) tools=$(cd "$2" 2>/dev/null && pwd) || bad "--tools: no directory '$2'" ;;
        --rounds) whole "$1" "$2" && rounds=$2 ;;
        --part)
            case $2 in hostile | workloads | foreign) parts="$parts $2" ;; *) bad "no part '$2'" ;; esac
            ;;
        --only)
            grep -q "^$2 " "$list" || bad "no workload '$2'"
            only="$only $2"
            ;;
        --ranks)
            for n in $(echo "$2" | tr , ' '); do whole --ranks "$n"; done
            ranks=$2
            ;;
        --minutes) whole "$1" "$2" && minutes=$2 ;;
        --out) out=$2 ;;
        esac
        shift
        ;;
    *) bad "unknown argument '$1'" ;;
    esac
    shift
done
[ -n "$tools" ] || bad "--tools is needed: the directory of refrain and refrain-cc"
[ -x "$tools/refrain-cc" ] || bad "refrain-cc is not in '$tools'"
[ -n "$parts" ] || parts="hostile workloads foreign"
[ -z "$out" ] || exec >"$out" || exit 1
PATH=$tools:$PATH
export PATH
unset REFRAIN_WRAPPER REFRAIN_DETAIL REFRAIN_FILTER REFRAIN_MODE REFRAIN_TOTAL_MEMORY REFRAIN_THROTTLE
work=$(mktemp -d "${TMPDIR:-/tmp}/refrain-costs.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
began=$(date +%s)
failed=0
: >"$work/notes"
say() {
    echo "cost.sh: $*" >&2
}

hostile() {
    say "hostile programs, $rounds rounds"
    echo "## Hostile programs"
    echo
    echo "Processor time over plain, least of $rounds rounds; off: compiled in, REFRAIN_MODE=off; exact: recorded and reconstructed."
    echo
    sh "$here/hostile.sh" "$tools" "$rounds" >"$work/hostile" || failed=1
    awk '{ line = "|"; rule = "|"
           for (i = 1; i <= NF; i++) { line = line " " $i " |"; rule = rule "---|" }
           print line
           if (NR == 1) print rule }' "$work/hostile"
}

field() {
    awk -F'|' -v n="$1" -v c="$2" '$1 ~ "^" n " *$" { gsub(/^ +| +$/, "", $c); print $c }' "$list"
}

# takes NAME RANKS: does the workload run on so many?
takes() {
    case $(field "$1" 4) in
    square) [ "$2" = 1 ] || [ "$2" = 4 ] || [ "$2" = 9 ] || [ "$2" = 16 ] ;;
    "power of two") [ $(($2 & ($2 - 1))) -eq 0 ] ;;
    *) [ "$1 $2" != "barrier 1" ] && [ "$1 $2" != "reduce 1" ] ;; # which nothing happens in
    esac
}

# laps VARIANT NAME RANKS: one run; its laps are added to $work/laps.VARIANT.
laps() {
    directory=$work/plain mode=stat peer=
    case $1 in
    off) directory=$work/communication mode=off ;;
    default) directory=$work/communication ;;
    all) directory=$work/all ;;
    eztrace) peer="eztrace -t mpich -o $work/run/eztrace" ;;
    esac
    rm -rf "$work/run"
    mkdir "$work/run"
    # shellcheck disable=SC2046,SC2086 # lists of words
    REFRAIN_MODE=$mode REFRAIN_DIRECTORY=$work/run timeout 120 refrain-run mpiexec.mpich -n "$3" $peer "$directory/$2" \
        $(field "$2" 3) --laps >"$work/said" 2>"$work/error"
    grep -q VERIFIED "$work/said" || {
        echo "- $2 on $3 ranks, $1: failed: $(head -n 1 "$work/error")" >>"$work/notes"
        failed=1
        return
    }
    sed -n "s/^$2 laps //p" "$work/said" >>"$work/laps.$1"
}

# least VARIANT: the least of each lap over the rounds, summed, in seconds.
least() {
    [ -s "$work/laps.$1" ] || return 0
    awk '{ for (i = 1; i <= NF; i++) if (NR == 1 || $i < m[i]) m[i] = $i } END { for (i in m) s += m[i]; print s / 1e9 }' "$work/laps.$1"
}

workloads() {
    names=${only:-$(awk -F'|' '/^[a-z]/ { gsub(/ /, "", $1); printf "%s ", $1 }' "$list")}
    variants="plain again off default all"
    if command -v eztrace >/dev/null && eztrace_avail 2>/dev/null | grep -q ^mpich; then
        variants="$variants eztrace"
    else
        echo "- EZTrace with its mpich module is not installed (Debian: eztrace)" >>"$work/notes"
    fi
    for variant in plain communication all; do
        compiler=mpicc.mpich
        [ "$variant" = plain ] || compiler="refrain-cc --detail=$variant mpicc.mpich"
        make -s -j2 -C "$here/workloads" CC="$compiler" BUILD="$work/$variant" ONLY="$names" >"$work/said" 2>&1 || {
            say "error: the workloads do not build: $(grep -m 1 -i error "$work/said")"
            exit 1
        }
    done
    echo "## Workloads"
    echo
    echo "Least laps over plain, $rounds rounds."
    echo
    echo "| workload | ranks | plain, s | again | off | default | --detail=all | EZTrace |"
    echo "|---|---|---|---|---|---|---|---|"
    for name in $names; do
        for n in $(echo "$ranks" | tr , ' '); do
            takes "$name" "$n" || continue
            if [ $(($(date +%s) - began)) -ge $((minutes * 60)) ]; then
                echo "- $name on $n ranks was left out: no time" >>"$work/notes"
                continue
            fi
            say "$name on $n ranks"
            rm -f "$work"/laps.*
            i=0
            while [ "$i" -lt "$rounds" ]; do
                i=$((i + 1))
                for variant in $variants; do
                    laps "$variant" "$name" "$n"
                done
            done
            {
                for variant in $variants; do
                    echo "$variant $(least "$variant")"
                done
            } | awk -v name="$name" -v n="$n" '{ t[$1] = $2 }
                function ratio(v) { return t[v] && t["plain"] ? sprintf("%.3f", t[v] / t["plain"]) : "-" }
                END { printf "| %s | %d | %.3f | %s | %s | %s | %s | %s |\n", name, n, t["plain"], ratio("again"), ratio("off"),
                      ratio("default"), ratio("all"), ratio("eztrace") }'
        done
    done
}

foreign() {
    echo "## Programs that nobody here wrote"
    echo
    sh "$here/foreign.sh" --tools "$tools" --quick --rounds "$rounds" --format markdown || failed=1
}

echo "# What tracing costs"
echo
echo "Written by \`benchmarks/cost.sh\` ($(nproc) processors, load $(cut -d' ' -f1-3 /proc/loadavg) when it began, $(gcc --version | head -n 1))."
for part in $parts; do
    echo
    case $part in
    hostile) hostile ;;
    workloads) workloads ;;
    foreign) foreign ;;
    esac
done
if [ -s "$work/notes" ]; then
    echo
    echo "Left out or failed:"
    echo
    sort -u "$work/notes"
fi
exit $failed
