#!/bin/sh
# cost.sh: measures what tracing costs, beside EZTrace, in one table; see cost.sh --help.
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
    benchmarks/cost.sh --tools DIR [--rounds N] [--part hostile|workloads|calls|foreign|instructions]... [--only WORKLOAD]... [--ranks LIST]
        [--minutes N] [--out FILE]
    benchmarks/cost.sh --tools DIR --beside DIR [--rounds N] [--only WORKLOAD]... [--ranks LIST] [--minutes N] [--out FILE]

DESCRIPTION
    Writes a page in Markdown: what was found in a few lines, then these tables:

    hostile     programs in which probes come far more often than events (hostile.sh): processor time over plain, least of
                the rounds
    workloads   least laps: of each iteration the least time over all rounds, summed, over the plain program's; "again" is the
                plain program once more, which should be 1 and says what the others are worth. "clocks" is the plain program
                with each MPI call in a function that reads the clock before and after (mpi_clocks.h) and does nothing else:
                no tracer that tells when calls were takes less. EZTrace traces MPI calls
                with its module for the MPI library, in the same rounds, where it is installed (Debian: eztrace). All run with
                the same thresholds of malloc, as "instructions" tells why
    calls       nanoseconds that an MPI call takes more, in a program that walks over 320 KiB between calls (mpi_cost.c), so that
                what tracing needs has left the nearest cache; and nanoseconds that a value without a rule takes to be
                learned (learner_cost.c)
    foreign     Debian source packages (foreign.sh) under their own tests or loads of half a second and more: compile time,
                text, run time over plain
    instructions
                how many instructions an iteration of each workload executes on one rank, over the plain program's: what more it
                takes is tracing, and what more or less time it takes with as many instructions is where they lie in
                memory. Counted by valgrind (Debian: valgrind), so that nothing else on the machine disturbs it. Beside them, how
                many page faults an iteration has, which the kernel counts: malloc gives large blocks back to the kernel
                or keeps them by thresholds, and what any tracer allocates first can move these or where the heap ends

    With --beside there is one table instead: the workloads in default detail, traced by this build and by another one.

    Run as `chrt -f 10 sh cost.sh ...` (root), what else the machine does disturbs it less.

    Rounds are interleaved: one run of each variant, then the next round. What was left out for want of time or of a tool is said below
    the tables. Exit status: 0 measured, 1 something does not build or run, 2 bad command line.

OPTIONS
    --tools DIR     the directory of refrain and refrain-cc
    --beside DIR    the directory of refrain and refrain-cc of another build
    --rounds N      rounds, 1 to 100 (default 4, which take some 30 minutes on two processors that have nothing else to do)
    --part PART     this part only; repeatable
    --only NAME     this workload only; repeatable
    --ranks LIST    numbers of ranks of the workloads (default 1,2)
    --minutes N     begin no further workload or package after so many minutes (default 36)
    --out FILE      write there instead of to standard output, once all is measured
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

tools='' rounds=4 parts='' only='' ranks=1,2 minutes=36 out='' beside=''
while [ $# -gt 0 ]; do
    case $1 in
    --help) usage && exit 0 ;;
    --tools | --beside | --rounds | --part | --only | --ranks | --minutes | --out)
        [ $# -gt 1 ] || bad "$1 takes a value"
        case $1 in
        --tools) tools=$(cd "$2" 2>/dev/null && pwd) || bad "--tools: no directory '$2'" ;;
        --beside) beside=$(cd "$2" 2>/dev/null && pwd) || bad "--beside: no directory '$2'" ;;
        --rounds) whole "$1" "$2" && rounds=$2 ;;
        --part)
            case $2 in hostile | workloads | calls | foreign | instructions) parts="$parts $2" ;; *) bad "no part '$2'" ;; esac
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
if [ -n "$beside" ]; then
    [ -x "$beside/refrain-cc" ] || bad "refrain-cc is not in '$beside'"
    [ -z "$parts" ] || bad "--beside is a table of its own: --part does not go with it"
    parts=workloads
fi
names=${only:-$(awk -F'|' '/^[a-z]/ { gsub(/ /, "", $1); printf "%s ", $1 }' "$list")}
[ -n "$parts" ] || parts="hostile workloads calls foreign instructions"
if [ -n "$out" ] && ! : >>"$out"; then exit 1; fi
PATH=$tools:$PATH
export PATH
unset REFRAIN_WRAPPER REFRAIN_DETAIL REFRAIN_FILTER REFRAIN_MODE REFRAIN_TOTAL_MEMORY REFRAIN_THROTTLE
work=$(mktemp -d "${TMPDIR:-/tmp}/refrain-costs.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
began=$(date +%s)
failed=0
: >"$work/notes"
# say TEXT...: with the minutes and seconds since the beginning.
say() {
    passed=$(($(date +%s) - began))
    printf 'cost.sh: %2d:%02d %s\n' $((passed / 60)) $((passed % 60)) "$*" >&2
}
late() {
    [ $(($(date +%s) - began)) -ge $((minutes * 60)) ]
}

hostile() {
    say "hostile programs, $rounds rounds"
    echo "## Hostile programs"
    echo
    echo "Programs in which probes come far more often than events (\`benchmarks/hostile/\`). Processor time over plain, least of"
    echo "$rounds rounds; clocks: two clock reads around each MPI call and nothing else; off: compiled in, REFRAIN_MODE=off; exact: recorded"
    echo "and reconstructed alike."
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

has_eztrace() {
    command -v eztrace >/dev/null && eztrace_avail 2>/dev/null | grep -q ^mpich
}

# takes NAME RANKS: succeeds if the workload can run on this number of ranks.
takes() {
    case $(field "$1" 4) in
    square) [ "$2" = 1 ] || [ "$2" = 4 ] || [ "$2" = 9 ] || [ "$2" = 16 ] ;;
    "power of two") [ $(($2 & ($2 - 1))) -eq 0 ] ;;
    *) [ "$1 $2" != "barrier 1" ] && [ "$1 $2" != "reduce 1" ] ;; # which nothing happens in
    esac
}

# Large blocks stay in the process. By malloc's own thresholds it would be chance whether an iteration gets them from the kernel
# again, page by page, which shows as page faults beside the instructions.
kept_blocks=glibc.malloc.mmap_threshold=33554432:glibc.malloc.trim_threshold=268435456

# laps VARIANT NAME RANKS: one run; its laps are added to $work/laps.VARIANT.
laps() {
    directory=$work/plain mode=stat peer='' run=refrain-run
    case $1 in
    clocks) peer="env LD_PRELOAD=$work/clocks.so" ;;
    off) directory=$work/communication mode=off ;;
    default) directory=$work/communication ;;
    calls | all) directory=$work/$1 ;;
    beside) directory=$work/beside run=$beside/refrain-run ;;
    eztrace) peer="eztrace -t mpich -o $work/run/eztrace" ;;
    esac
    rm -rf "$work/run"
    mkdir "$work/run"
    yield=auto
    [ "$2" != hybrid ] || yield=on # whose threads have no processor each
    # shellcheck disable=SC2046,SC2086 # lists of words
    GLIBC_TUNABLES=$kept_blocks REFRAIN_YIELD=$yield REFRAIN_MODE=$mode REFRAIN_DIRECTORY=$work/run timeout 120 "$run" mpiexec.mpich -n "$3" $peer "$directory/$2" \
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

# build_workloads DIRECTORY...: into these directories of $work, which are named for how; those that are not there yet.
build_workloads() {
    for directory in "$@"; do
        [ ! -d "$work/$directory" ] || continue
        case $directory in
        plain) compiler=mpicc.mpich ;;
        beside) compiler="$beside/refrain-cc mpicc.mpich" ;;
        *) compiler="refrain-cc --detail=$directory mpicc.mpich" ;;
        esac
        make -s -j2 -C "$here/workloads" CC="$compiler" BUILD="$work/$directory" ONLY="$names" >"$work/said" 2>&1 || {
            say "error: the workloads do not build: $(grep -m 1 -i error "$work/said")"
            exit 1
        }
    done
}

# count NAME VARIANT ITERATIONS: instructions of one run on one rank.
count() {
    rm -rf "$work/run"
    mkdir "$work/run"
    # shellcheck disable=SC2046 # a list of words
    REFRAIN_DIRECTORY=$work/run timeout 300 valgrind --tool=cachegrind --cache-sim=no --smc-check=all --cachegrind-out-file=/dev/null \
        "$work/$2/$1" $(field "$1" 3) --iterations "$3" >"$work/said" 2>"$work/error"
    grep -q VERIFIED "$work/said" && sed -n 's/.*I *refs: *//p' "$work/error" | tr -d ,
}

# faults NAME VARIANT ITERATIONS: page faults of one run on one rank.
faults() {
    rm -rf "$work/run"
    mkdir "$work/run"
    case $2 in
    eztrace) directory=plain peer="eztrace -t mpich -o $work/run/eztrace" ;;
    *) directory=$2 peer='' ;;
    esac
    # shellcheck disable=SC2046,SC2086 # lists of words
    REFRAIN_DIRECTORY=$work/run command time -o "$work/time" -f %R timeout 300 $peer "$work/$directory/$1" $(field "$1" 3) \
        --iterations "$3" >"$work/said" 2>"$work/error"
    grep -q VERIFIED "$work/said" && tail -n 1 "$work/time"
}

instructions() {
    command -v valgrind >/dev/null || {
        echo "- instructions were left out: no valgrind (Debian: valgrind)" >>"$work/notes"
        return
    }
    build_workloads plain communication all
    echo "## Instructions"
    echo
    echo "Instructions of an iteration on one rank, over the plain program's: of two runs the difference, so that neither start nor end"
    echo "are in it. Page faults of an iteration, with malloc's own thresholds: a fault takes about a microsecond, so that a tracer"
    echo "whose own blocks move the thresholds, as EZTrace's do, makes some programs faster. For the times of the workloads"
    echo "above, large blocks stay in the process (GLIBC_TUNABLES=$kept_blocks)."
    echo
    echo "| workload | plain, millions | default | --detail=all | faults: plain | default | EZTrace |"
    echo "|---|---|---|---|---|---|---|"
    counted="plain communication"
    if has_eztrace; then counted="$counted eztrace"; fi
    for name in $names; do
        takes "$name" 1 || continue
        [ "$name" != hybrid ] || continue # valgrind runs one of its threads at a time
        if late; then
            echo "- instructions of $name were left out: no time" >>"$work/notes"
            continue
        fi
        say "$name, instructions"
        most=$(field "$name" 3 | sed 's/.*--iterations \([0-9]*\).*/\1/')
        most=$((most / 5 > 2 ? most / 5 : 2))
        {
            for variant in plain communication all; do
                echo "$variant $(count "$name" $variant $((most / 2))) $(count "$name" $variant $most)"
            done
            for variant in $counted; do
                echo "faults:$variant $(faults "$name" "$variant" $((most / 2))) $(faults "$name" "$variant" $most)"
            done
        } | awk -v name="$name" -v n="$((most - most / 2))" '
            NF == 3 { one[$1] = ($3 - $2) / n }
            function ratio(variant) { return one[variant] && one["plain"] ? sprintf("%.3f", one[variant] / one["plain"]) : "-" }
            function faults(variant) { return ("faults:" variant) in one ? int(one["faults:" variant] + (one["faults:" variant] < 0 ? -0.5 : 0.5)) : "-" }
            END {
                printf "| %s | %.1f | %s | %s | %s | %s | %s |\n", name, one["plain"] / 1e6, ratio("communication"), ratio("all"),
                    faults("plain"), faults("communication"), faults("eztrace")
            }'
    done
}

workloads() {
    variants="plain again clocks off calls default all" directories="plain calls communication all"
    columns="again clocks off calls default all eztrace" titles="again | clocks | off | calls | default | --detail=all | EZTrace |"
    also=" clocks: two clock reads around each MPI
call and nothing else; off: compiled in, REFRAIN_MODE=off; calls: MPI calls only (--detail=calls), as EZTrace traces them."
    if [ -n "$beside" ]; then
        variants="plain again clocks default beside" directories="plain communication beside" also=" clocks: two clock reads around each MPI
call and nothing else."
        columns="again clocks default beside default/beside" titles="again | clocks | this build | the other | this over the other |"
    elif has_eztrace; then
        variants="$variants eztrace"
    else
        echo "- EZTrace with its mpich module is not installed (Debian: eztrace)" >>"$work/notes"
    fi
    sh "$here/mpi_clocks.sh" "$work/clocks.so" -DCLOCKS
    # shellcheck disable=SC2086 # a list of words
    build_workloads $directories
    echo "## Workloads"
    echo
    echo "Of each iteration the least time of $rounds rounds, summed, over the plain program's.$also"
    echo
    echo "| workload | ranks | plain, s | $titles"
    echo "|---|---|---|$(echo "$titles" | sed 's/[^|]//g; s/|/---|/g')"
    for name in $names; do
        for n in $(echo "$ranks" | tr , ' '); do
            takes "$name" "$n" || continue
            if late; then
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
            } | awk -v name="$name" -v n="$n" -v columns="$columns" '{ t[$1] = $2 }
                function ratio(a, b) { return t[a] && t[b] ? sprintf("%.3f", t[a] / t[b]) : "-" }
                END {
                    printf "| %s | %d | %.3f |", name, n, t["plain"]
                    n_columns = split(columns, column, " ")
                    for (i = 1; i <= n_columns; i++) {
                        n_sides = split(column[i], side, "/")
                        printf " %s |", ratio(side[1], n_sides > 1 ? side[2] : "plain")
                    }
                    print ""
                }'
        done
    done
}

# learner: the nanoseconds of a value, least and median, for the families of sequences without a rule.
learner() {
    sh "$here/learner_cost.sh" "$work/learner_cost" >"$work/said" 2>&1 || {
        echo "- the learner's cost was left out: it does not build: $(head -n 1 "$work/said")" >>"$work/notes"
        return
    }
    "$work/learner_cost" --rounds "$rounds" >"$work/said" 2>"$work/error" ||
        echo "- the learner's cost: $(head -n 1 "$work/error")" >>"$work/notes"
    cat "$work/said"
}

# calls: the time of an MPI call inside a program.
calls() {
    many=$((rounds * 8)) # a round is exact to some ten nanoseconds only, which is the time of a call
    say "calls in place, $many rounds"
    echo "## Calls in place, and values"
    echo
    echo "Nanoseconds that an MPI call takes more than in the plain program, on one rank that walks over 320 KiB between calls, so that what"
    echo "tracing needs has left the nearest cache (\`mpi_cost.c\`): of each of $many interleaved rounds the least of 15 batches, and of these the median. again: the plain program once more."
    echo
    variants="plain again clocks calls default"
    if has_eztrace; then variants="$variants eztrace"; fi
    sh "$here/mpi_clocks.sh" "$work/clocks.so" -DCLOCKS
    mpicc.mpich -O2 -w "$here/mpi_cost.c" -o "$work/place.plain" &&
        refrain-cc --detail=calls mpicc.mpich -O2 -w "$here/mpi_cost.c" -o "$work/place.calls" &&
        refrain-cc mpicc.mpich -O2 -w "$here/mpi_cost.c" -o "$work/place.default" || {
        failed=1
        return
    }
    : >"$work/place"
    i=0
    while [ "$i" -lt "$many" ]; do
        i=$((i + 1))
        for variant in $variants; do
            program=plain peer=''
            case $variant in
            clocks) peer="env LD_PRELOAD=$work/clocks.so" ;;
            calls | default) program=$variant ;;
            eztrace) peer="eztrace -t mpich -o $work/run/eztrace" ;;
            esac
            rm -rf "$work/run"
            mkdir "$work/run"
            # shellcheck disable=SC2086 # a list of words
            REFRAIN_DIRECTORY=$work/run timeout 120 mpiexec.mpich -n 1 $peer "$work/place.$program" 2000 "320 KiB" 2>"$work/error" |
                sed "s/^/$variant	/" >>"$work/place"
        done
    done
    awk -F'\t' -v variants="$variants" '
        # Of the values in a list, the one in the middle.
        function median(list,    value, i, j, n, one) {
            n = split(list, value, " ")
            for (i = 2; i <= n; i++)
                for (j = i; j > 1 && value[j - 1] + 0 > value[j] + 0; j--) {
                    one = value[j]; value[j] = value[j - 1]; value[j - 1] = one
                }
            return value[int((n + 1) / 2)]
        }
        BEGIN {
            n_variants = split(variants, variant, " ")
            line = "| calls | plain, us |"
            rule = "|---|---|"
            for (i = 2; i <= n_variants; i++) {
                line = line " " variant[i] " |"
                rule = rule "---|"
            }
            print line
            print rule
        }
        NF == 4 {
            if (!($2 in calls)) name[++n] = $2
            calls[$2] = $3
            all[$1, $2] = all[$1, $2] " " $4
        }
        END {
            for (k = 1; k <= n; k++) {
                plain = median(all["plain", name[k]])
                line = sprintf("| %s | %.2f |", substr(name[k], 17), plain / 1000)
                for (i = 2; i <= n_variants; i++)
                    line = line ((variant[i], name[k]) in all ? sprintf(" %.1f |", (median(all[variant[i], name[k]]) - plain) / calls[name[k]]) : " - |")
                print line
            }
        }' "$work/place"
    echo
    echo "What the monitor's learner takes for one value of sequences (\`learner_cost.c\`), an empty call's time included:"
    echo
    echo '```'
    learner
    echo '```'
}

foreign() {
    echo "## Programs that nobody here wrote"
    echo
    echo "Debian source packages with their own build systems. run: processor time over plain, least of $rounds rounds, in MPI programs the time"
    echo "that passed; off: the same with REFRAIN_MODE=off; the line plain has a second run of the plain program: noise. communication is the"
    echo "default detail."
    echo
    head=1 # line of the table from which on it is printed
    for name in $(sh "$here/foreign.sh" --list | awk '{ print $1 }'); do
        if late; then
            echo "- $name was left out: no time" >>"$work/notes"
            continue
        fi
        say "$name, $rounds rounds"
        sh "$here/foreign.sh" --tools "$tools" --only "$name" --rounds "$rounds" --format markdown >"$work/package" ||
            { failed=1 && echo "- $name: not all of it was built, or gave what the plain program gives" >>"$work/notes"; }
        tail -n "+$head" "$work/package"
        head=3
    done
}

# ratios FILE COLUMN NAME [PATTERN]: "least, median and most ..." of a column of a table, of the lines with PATTERN in them.
ratios() {
    awk -F'|' -v c="$2" -v what="$3" -v pattern="${4:-.}" '
        $0 ~ pattern && $c ~ /^ *[0-9.]+ *$/ { v[++n] = $c + 0 }
        END {
            if (!n) exit
            for (i = 2; i <= n; i++)
                for (j = i; j > 1 && v[j] < v[j - 1]; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
            printf "- %s: %.2f to %.2f times, median %.2f, %d figures\n", what, v[1], v[n], v[int((n + 1) / 2)], n
        }' "$1"
}

# above FILE COLUMN BOUND TEXT [PATTERN [PARTS]]: the names of the lines whose figure is above the bound, with parts of the cost:
# "NAME:COLUMN ...".
above() {
    awk -F'|' -v c="$2" -v bound="$3" -v text="$4" -v pattern="${5:-.}" -v parts="${6:-}" '
        function of_parts(   n, i, part, list) {
            n = split(parts, part, " ")
            for (i = 1; i <= n; i++) {
                split(part[i], side, ":")
                list = list sprintf("%s%s %.2f", i > 1 ? ", " : "; ", side[1], $side[2])
            }
            return list
        }
        $0 ~ pattern && $c ~ /^ *[0-9.]+ *$/ {
            n++
            name = $2 ($3 ~ /^ *[0-9]+ *$/ ? "on" $3 : "")
            gsub(/^ +| +$/, "", name)
            if ($c > bound)
                list = list sprintf("%s%s (%.2f%s)", m++ ? ", " : "", name, $c, of_parts())
        }
        END { if (n) printf "  - %s %s: %s\n", text, bound, m ? m " of " n ": " list : "none of " n }' "$1"
}

# against_eztrace FILE: in how many lines of the workloads' table the default detail takes less than EZTrace, as much to
# within 0.01, and more.
against_eztrace() {
    awk -F'|' '
        $9 ~ /^ *[0-9.]+ *$/ && $11 ~ /^ *[0-9.]+ *$/ {
            n++
            if ($9 < $11 - 0.01)
                less++
            else if ($9 <= $11 + 0.01)
                alike++
            else {
                name = $2 "on" $3
                gsub(/^ +| +$/, "", name)
                list = list sprintf("%s%s (%.2f; %.2f)", more++ ? ", " : ": ", name, $9, $11)
            }
        }
        END {
            if (n)
                printf "  - refrain takes less than EZTrace in %d of %d, as much to within 0.01 in %d, more in %d%s\n", less, n,
                    alike, more, list
        }' "$1"
}

summary() {
    if [ -f "$work/part.hostile" ]; then
        ratios "$work/part.hostile" 7 "Hostile programs, default detail" '[0-9]s '
        above "$work/part.hostile" 7 1.10 "above" '[0-9]s ' "clocks:4 off:5 calls:6"
    fi
    if [ -n "$beside" ]; then
        ratios "$work/part.workloads" 7 "This build, default detail"
        ratios "$work/part.workloads" 8 "The other build"
        ratios "$work/part.workloads" 9 "This build over the other"
        above "$work/part.workloads" 9 1.01 "above"
        ratios "$work/part.workloads" 5 "The plain program once more (what the others are worth)"
    elif [ -f "$work/part.workloads" ]; then
        ratios "$work/part.workloads" 9 "Workloads, default detail"
        above "$work/part.workloads" 9 1.02 "above" . "clocks:6 off:7 calls:8"
        ratios "$work/part.workloads" 10 "Workloads, --detail=all"
        above "$work/part.workloads" 10 1.05 "above"
        ratios "$work/part.workloads" 6 "Workloads with two clock reads around each MPI call and nothing else"
        ratios "$work/part.workloads" 11 "Workloads under EZTrace"
        against_eztrace "$work/part.workloads"
        ratios "$work/part.workloads" 5 "Workloads, the plain program once more (what the others are worth)"
    fi
    if [ -f "$work/part.instructions" ]; then
        ratios "$work/part.instructions" 4 "Instructions of an iteration on one rank, default detail"
        above "$work/part.instructions" 4 1.01 "above"
        ratios "$work/part.instructions" 5 "the same with --detail=all"
        above "$work/part.instructions" 5 1.02 "above"
    fi
    if [ -f "$work/part.calls" ]; then
        awk -F'|' 'NF > 7 && $7 + 0 { v[++n] = $7 + 0 } $8 + 0 { e[++m] = $8 + 0 }
            END {
                for (i in v) { least = !least || v[i] < least ? v[i] : least; most = v[i] > most ? v[i] : most }
                for (i in e) { least_e = !least_e || e[i] < least_e ? e[i] : least_e; most_e = e[i] > most_e ? e[i] : most_e }
                if (n) printf "- An MPI call in place, default detail: %.0f to %.0f ns more", least, most
                if (m) printf "; under EZTrace %.0f to %.0f ns", least_e, most_e
                if (n) print ""
            }' "$work/part.calls"
        above "$work/part.calls" 7 40 "above, in ns," . "clocks:5 calls:6"
        awk '/irregular|chance|times true/ { v = $(NF - 5) + 0; if (v > most) most = v } END { if (most) printf "- A value without a rule takes %.0f ns at most to be learned\n", most }' "$work/part.calls"
    fi
    if [ -f "$work/part.foreign" ]; then
        ratios "$work/part.foreign" 8 "Debian's programs, default detail" '[|] communication [|]'
        above "$work/part.foreign" 8 1.05 "above" '[|] communication [|]'
        ratios "$work/part.foreign" 5 "their compile time, default detail" '[|] communication [|]'
        ratios "$work/part.foreign" 6 "their text, default detail" '[|] communication [|]'
    fi
}

load=$(cut -d' ' -f1-3 /proc/loadavg)
for part in $parts; do
    $part >"$work/part.$part" # each is a function above
done
say "done"
{
    echo "# What tracing costs"
    echo
    echo "Written by \`benchmarks/cost.sh\` with $(refrain --version): $(nproc) processors ($(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)), load $load when it"
    echo "began, $(gcc --version | head -n 1), $rounds interleaved rounds, $((($(date +%s) - began + 59) / 60)) minutes. Figures without a unit are ratios: 1.00 is the program without"
    echo "refrain. Rows like these need a machine that does nothing else."
    echo
    summary
    for part in $parts; do
        echo
        cat "$work/part.$part"
    done
    if [ -s "$work/notes" ]; then
        echo
        echo "Left out or failed:"
        echo
        sort -u "$work/notes"
    fi
} >"$work/page"
if [ -n "$out" ]; then cat "$work/page" >"$out" || exit 1; else cat "$work/page"; fi
exit $failed
