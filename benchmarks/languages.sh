#!/bin/sh
# languages.sh: traces programs in C++ and Fortran that were built elsewhere; see languages.sh --help.
# shellcheck disable=SC1091,SC2015,SC2154 # options sets the variables
set -u
. "$(dirname "$0")/lib.sh"

usage() {
    cat <<'END'
NAME
    languages.sh - run programs in C++ and Fortran plainly and under refrain, and compare

SYNOPSIS
    benchmarks/languages.sh --programs DIR [--only NAME]... [--tools DIR] [--count yes|no] [--seconds N]

DESCRIPTION
    Writes a page in Markdown (benchmarks/report/languages.md) to standard output, progress to standard error. DIR has a
    directory for each program:

    NAME/plain       the program, built with mpicxx or mpifort of MPICH
    NAME/calls       with refrain-mpicxx --detail=calls or refrain-mpifort --detail=calls
    NAME/functions   with refrain-mpicxx or refrain-mpifort
    NAME/plain.1 ... the same, if a run on one rank needs another program
    NAME/runs        two lines: ranks and arguments of the run that is compared, and of the one whose instructions count
    NAME/input/      files that the program reads, copied for each run (may be missing)
    NAME/about       a line: language and version (may be missing)
    NAME/built       a line for each build: plain or functions, and its processor time in seconds (may be missing)

    exact            in mode both all events are reconstructed in every field but time. "n of m": n events differ
    output           same: no word of output and files that two plain runs have in common is missing in the run with functions
    instructions     of a run on one rank, from start to end, in user space, counted by valgrind, over the plain program's.
                     Of programs that poll or end by a clock they differ from run to run: `plain` is counted twice
                     MPI_Init and what starts MPI are in it; of an empty program, `empty`, they are all
    build            median processor time of the builds over the plain program's

OPTIONS
    --only NAME      this program; repeatable
    --tools DIR      the directory of refrain (default: that of refrain on PATH), beside which tests/per_location is
    --count no       leave out the instructions
    --seconds N      the most that one run may take (default 120)
    --help           this text
END
}

programs='' only='' count=yes seconds=120
options "programs only+ tools count seconds" "$@"
[ -d "$programs" ] || {
    echo "languages.sh: --programs DIR: there is no directory '$programs'; languages.sh --help describes it" >&2
    exit 2
}
OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
export OMP_NUM_THREADS
yield=$(cd "$(dirname "$(command -v refrain)")/.." && pwd)/lib/librefrain-yield.so

# fresh NAME: a directory with the input of the program.
fresh() {
    rm -rf "$work/run"
    mkdir "$work/run"
    [ ! -d "$programs/$1/input" ] || cp -r "$programs/$1/input/." "$work/run"
}

# run NAME VARIANT OUTPUT: the run that is compared. Traces are in $work/traces. OUTPUT gets the words of the output and of the
# files that the program writes, sorted, since ranks print in any order and into each other's lines. Some programs print their compiler.
run() {
    fresh "$1"
    rm -rf "$work/traces"
    mkdir "$work/traces"
    read -r ranks arguments <"$programs/$1/runs"
    # shellcheck disable=SC2086 # a list of words
    (cd "$work/run" && REFRAIN_DIRECTORY=$work/traces timeout -k 5 "$seconds" "$mpiexec" -genv LD_PRELOAD "$yield" -n "$ranks" \
        "$programs/$1/$2" $arguments) >"$work/run/output" 2>&1
    status=$?
    (cd "$work/run" && grep -rIh '' .) | sed 's/refrain-\(mpi[a-z]*\)/\1.mpich/g' | tr -s '[:space:]' '\n' | sort >"$3"
    return "$status"
}

# count_run NAME VARIANT: instructions of the run on one rank, none if it fails: valgrind lacks instructions.
count_run() {
    fresh "$1"
    program=$programs/$1/$2
    [ ! -x "$program.1" ] || program=$program.1
    arguments=$(sed -n '2s/^[0-9]* *//p' "$programs/$1/runs")
    # shellcheck disable=SC2086 # a list of words
    (cd "$work/run" && REFRAIN_DIRECTORY=$work/run timeout -k 5 "$seconds" valgrind --tool=cachegrind --cache-sim=no --smc-check=all \
        --cachegrind-out-file=/dev/null "$program" $arguments) >"$work/counted" 2>&1 &&
        sed -n 's/.*I *refs: *//p' "$work/counted" | tr -d ,
}


# Removes the times and puts the events of each thread together, in their order.
by_thread() {
    awk -F '\t' -v OFS='\t' '{
        thread = 0
        for (i = 3; i <= NF; i++)
            if ($i ~ /^thread=/)
                thread = substr($i, 8)
        $2 = thread
        print
    }' | sort -s -n -k 1,1 -k 2,2
}

exact() {
    set -- "$work"/traces/*.refrain
    [ -d "$1" ] || {
        echo "no trace"
        return
    }
    refrain events "$1" 2>/dev/null | by_thread >"$work/recorded"
    refrain reconstruct "$1" --format text -o - 2>/dev/null | by_thread >"$work/again"
    n=$(wc -l <"$work/recorded")
    if [ "$n" -gt 0 ] && cmp -s "$work/recorded" "$work/again"; then
        echo "yes"
    else
        echo "$(diff "$work/recorded" "$work/again" | grep -c '^[<>]') of $n"
    fi
}

same_output() {
    comm -12 "$work/plain" "$work/plain2" >"$work/common"
    if comm -23 "$work/common" "$work/functions" | grep -q .; then
        echo "differs"
    else
        echo "same ($(wc -l <"$work/common") words)"
    fi
}

# over A B: A/B with four digits behind the point.
over() {
    awk -v a="${1:-0}" -v b="${2:-0}" 'BEGIN { if (a > 0 && b > 0) printf "%.4f", a / b; else printf "-" }'
}

median_built() {
    awk -v variant="$2" '$1 == variant { print $2 }' "$programs/$1/built" 2>/dev/null | sort -n |
        awk '{ all[NR] = $1 } END { if (NR) print all[int((NR + 1) / 2)] }'
}

echo "# Functions of C++ and Fortran in programs written elsewhere"
echo
echo "Made by \`benchmarks/languages.sh\` with $(refrain --version), $(mpicxx.mpich --version | head -n 1),"
echo "MPICH, on $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1). \`languages.sh --help\` says what the columns are."
echo
echo "| program | events, ranks | functions | exact | output | instructions, millions | plain again | off | calls | functions | build |"
echo "|---|---|---|---|---|---|---|---|---|---|---|"
for directory in "$programs"/*/; do
    name=$(basename "$directory")
    case " $only " in *" $name "* | "  ") ;; *) continue ;; esac
    [ -x "$directory/functions" ] && [ -x "$directory/plain" ] && [ -f "$directory/runs" ] || continue
    echo "$name: runs" >&2
    run "$name" plain "$work/plain" || echo "$name: the plain program ends with status $?" >&2
    run "$name" plain "$work/plain2"
    REFRAIN_MODE=both REFRAIN_THROTTLE=off REFRAIN_TOTAL_MEMORY=64M run "$name" functions "$work/functions"
    output=$(same_output)
    exact=$(exact)
    ranks=$(sed -n '1s/ .*//p' "$directory/runs")
    [ -n "$ranks" ] || ranks=$(head -n 1 "$directory/runs")
    n_functions=$(awk -F '\t' '$3 == "enter" && $4 !~ /^MPI_/ { print $4 }' "$work/recorded" | sort -u | wc -l)
    line="$name | $(wc -l <"$work/recorded"), $ranks | $n_functions | $exact | $output"
    plain='' again='' off='' calls='' functions=''
    if [ "$count" = yes ]; then
        echo "$name: instructions" >&2
        plain=$(REFRAIN_MODE=off count_run "$name" plain)
        again=$(REFRAIN_MODE=off count_run "$name" plain)
        off=$(REFRAIN_MODE=off count_run "$name" functions)
        calls=$(count_run "$name" calls)
        functions=$(count_run "$name" functions)
    fi
    echo "| $line | $((${plain:-0} / 1000000)) | $(over "$again" "$plain") | $(over "$off" "$plain") | $(over "$calls" "$plain") |" \
        "$(over "$functions" "$plain") | $(over "$(median_built "$name" functions)" "$(median_built "$name" plain)") |"
done
[ ! -f "$programs/about" ] || { echo && cat "$programs/about"; }
