#!/bin/sh
# mpich_suite.sh: runs MPICH's own tests (Debian's source package mpich, test/mpi) with the wrapper. Each program must have the same
# status and verdict as without it, and the reconstruction must equal the recording. Takes long, and is not part of the
# tests. The sources are downloaded with Debian's tools, or taken from a directory.
#
#   mpich_suite.sh BIN [DIRECTORY...]     by default attr coll comm datatype errhan group info init pt2pt rma topo threads/...
#   MPICH_SOURCE=DIR    unpacked sources of MPICH; else they are downloaded (apt needs a deb-src source)
#   MPICH_NAMES=REGEX   only programs with matching names
#   MPICH_EACH=N        only each N-th of these
#   MPICH_FROM=N        begin with the N-th, to continue an earlier call
#   MPICH_SECONDS=N     start no further programs after this time (default: no limit)
#   MPICH_SPENT=SIZE    run each program once more with this little memory (264K, for example); counts by function and partner must
#                       equal the recorded ones; a program that needs more is skipped
#
# Programs that do not pass without refrain, either (too few cores, missing features), are counted and skipped.
set -u
[ $# -ge 1 ] || {
    sed -n '2,15s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
. "$(dirname "$0")/lib.sh"
shift
directories=${*:-attr coll comm datatype errhan group info init pt2pt rma topo}
LC_ALL=C
export LC_ALL

MPICH_SOURCE=${MPICH_SOURCE:-$(debian_source mpich)} || {
    fail "cannot download MPICH's source: $(tail -n 1 "$work/apt.log")"
    summary
    exit
}
suite=$MPICH_SOURCE/test/mpi
[ -f "$suite/include/mpitest.h" ] || {
    fail "$MPICH_SOURCE: no test/mpi/include/mpitest.h in it"
    summary
    exit
}

# The results that configure would have on such a system.
mkdir -p "$work/configured/include"
for type in int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t; do
    echo "#define HAVE_$(echo $type | tr a-z A-Z) 1"
done >"$work/configured/include/mpitestconf.h"
cat >>"$work/configured/include/mpitestconf.h" <<'END'
#define HAVE_STDINT_H 1
#define HAVE_INTTYPES_H 1
#define HAVE_STDIO_H 1
#define HAVE_STDLIB_H 1
#define HAVE_STRING_H 1
#define HAVE_STDARG_H 1
#define HAVE_UNISTD_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_SYS_RESOURCE_H 1
#define HAVE_GETRUSAGE 1
#define HAVE_USLEEP 1
#define HAVE_PTHREAD_H 1
#define HAVE_MPI_WIN_CREATE 1
#define HAVE_LONG_LONG 1
#define HAVE_LONG_DOUBLE 1
#define HAVE__BOOL 1
#define HAVE_FLOAT__COMPLEX 1
#define HAVE_DOUBLE__COMPLEX 1
#define STDC_HEADERS 1
#define THREAD_PACKAGE_NONE 0
#define THREAD_PACKAGE_POSIX 1
#define THREAD_PACKAGE_NAME THREAD_PACKAGE_POSIX
#define MTEST_HAVE_MIN_MPI_VERSION(v, s) (MPI_VERSION > (v) || (MPI_VERSION == (v) && MPI_SUBVERSION >= (s)))
END
cp "$work/configured/include/mpitestconf.h" "$work/configured/dtpoolsconf.h"
flags="-w -O1 -I$work/configured/include -I$suite/include -I$suite/dtpools/include"
mkdir "$work/single" "$work/threads"
for source in "$suite"/util/mtest.c "$suite"/util/mtest_common.c "$suite"/util/mtest_single.c "$suite"/util/mtest_thread.c \
    "$suite"/util/dtypes.c "$suite"/dtpools/src/*.c; do
    case $source in
    *_single.c) object=single/single ;;
    *_thread.c) object=threads/threads ;;
    *) object=$(basename "$source" .c) ;;
    esac
    # shellcheck disable=SC2086 # words
    mpicc.mpich $flags -c "$source" -o "$work/$object.o" >"$work/error" 2>&1 || fail "$source: $(head -n 1 "$work/error")"
done

# of_program NAME VARIABLE: the words of NAME_VARIABLE in the directory's Makefile.am, which may go on in further lines.
of_program() {
    sed -e :a -e '/\\$/N; s/\\\n/ /; ta' "$suite/$directory/Makefile.am" 2>/dev/null |
        awk -v name="$1_$2" '$1 == name && $2 == "=" { for (i = 3; i <= NF; i++) print $i }'
}

# run PROGRAM RANKS ARGUMENTS...: its status and verdict.
run() {
    program=$1 ranks=$2
    shift 2
    (cd "$work/run" && timeout 120 refrain-run mpiexec.mpich -n "$ranks" "$program" "$@" >"$work/out" 2>&1 </dev/null)
    echo "status $?, $(grep -c 'No Errors' "$work/out") without errors"
}

# compile COMPILER OUTPUT: the program of which $sources, $options and $kind are.
compile() {
    # shellcheck disable=SC2086 # words
    (cd "$suite/$directory" &&
        "$1" $options ${sources:-"${name##*/}.c"} "$work"/*.o "$work/$kind/$kind.o" -o "$work/$2" -lm -lpthread >"$work/error" 2>&1)
}

# totals FILE: for each rank, how often each function began and ended, and its communication by partner.
totals() {
    awk -F '\t' -v OFS='\t' '
        { delete value; for (i = 5; i <= NF; i++) { split($i, pair, "="); value[pair[1]] = pair[2] } }
        $3 == "enter" || $3 == "leave" { key = $1 OFS $3 OFS $4 }
        $3 != "enter" && $3 != "leave" {
            # which call completes a request is only likely
            key = $1 OFS $3 OFS ($3 == "recv" ? "" : $4) OFS value["dest"] value["source"] value["root"] value["target"] }
        { calls[key]++; bytes[key] += value["bytes"] + value["sent"] + value["received"] }
        END { for (key in calls) print key, calls[key], bytes[key] }' "$1" | sort
}

# texts_of TRACE NAME: writes the reconstruction and the recording as text.
texts_of() {
    refrain reconstruct "$1" --all --format text -o "$work/reconstructed" --force >"$work/error" 2>&1 &&
        refrain events "$1" --all --format text -o "$work/recorded" --force >"$work/error" 2>&1 && return
    fail "$2: $(head -n 1 "$work/error")"
    return 1
}

# compare_spent NAME: of the traces of a run with little memory.
compare_spent() {
    for trace in "$work"/run/*.refrain; do
        [ -d "$trace" ] || continue
        texts_of "$trace" "$1, spent" || continue
        spent=$((spent + 1))
        approximate=$((approximate + $(grep -c 'approximate$' "$work/reconstructed")))
        totals "$work/reconstructed" >"$work/a"
        totals "$work/recorded" >"$work/b"
        cmp -s "$work/a" "$work/b" && pass || {
            fail "$1, spent: $(diff "$work/b" "$work/a" | grep -c '^[<>]') counts differ: $(diff "$work/b" "$work/a" | sed -n '2p;/^>/{p;q}' | tr '\n' ' ')"
            refrain info --verbose "$trace" | sed -n '/[Ll]ost/,/^$/p;/counted as another/p;/beyond the table/p' | head -n 5
        }
    done
}

pass_over() {
    echo "passed over: $1 ($2 without refrain)"
    passed_over=$((passed_over + 1))
}

# one DIRECTORY NAME RANKS ARGUMENTS...
one() {
    name=$1/$2 ranks=$3
    sources=$(of_program "$2" SOURCES)
    options="$flags $(of_program "$2" CPPFLAGS | grep '^-D')"
    kind=single
    case $1 in threads/*) kind=threads options="$options -DMTEST_USE_THREAD" ;; esac
    shift 3
    compile mpicc.mpich plain || {
        pass_over "$name" "does not compile"
        return
    }
    REFRAIN_MPICC=mpicc.mpich compile refrain-mpicc traced || {
        fail "$name: does not compile under the wrapper: $(head -n 1 "$work/error")"
        return
    }
    rm -rf "$work/run"
    mkdir "$work/run"
    expected=$(run "$work/plain" "$ranks" "$@")
    case $expected in
    "status 0, 0"* | "status 124"* | "status 11,"*) # 11: mpiexec's, where a rank crashes
        pass_over "$name" "says nothing, crashes, or does not end"
        return
        ;;
    esac
    rm -rf "$work/run"
    mkdir "$work/run"
    got=$(REFRAIN_MODE=both REFRAIN_TOTAL_MEMORY=64M REFRAIN_DIRECTORY=$work/run run "$work/traced" "$ranks" "$@")
    if [ "$got" = "$expected" ]; then
        pass
    elif [ "$(run "$work/plain" "$ranks" "$@")" != "$expected" ]; then
        pass_over "$name" "ends now so, now so"
        return
    else
        fail "$name on $ranks ranks: $got; without refrain $expected: $(head -n 2 "$work/out" | tr '\n' ' ')"
    fi
    case $expected in
    "status 0"*) ;;
    *) return ;; # ended by an error: its ranks end where they happen to be
    esac
    for trace in "$work"/run/*.refrain; do
        [ -d "$trace" ] || continue
        texts_of "$trace" "$name" || continue
        compared=$((compared + 1))
        per_location "$work/reconstructed" >"$work/a"
        per_location "$work/recorded" >"$work/b"
        events=$((events + $(wc -l <"$work/b")))
        cmp -s "$work/a" "$work/b" && pass || fail "$name on $ranks ranks: not exact: $(diff "$work/b" "$work/a" | sed -n 2p)"
    done
    [ -n "${MPICH_SPENT:-}" ] || return
    rm -rf "$work/run"
    mkdir "$work/run"
    got=$(REFRAIN_MODE=both REFRAIN_TOTAL_MEMORY=$MPICH_SPENT REFRAIN_DIRECTORY=$work/run run "$work/traced" "$ranks" "$@")
    if grep -q 'needs at least' "$work/out"; then
        too_little=$((too_little + 1))
    elif [ "$got" = "$expected" ]; then
        pass
    elif [ "$(run "$work/plain" "$ranks" "$@")" = "$expected" ]; then
        fail "$name on $ranks ranks, spent: $got; without refrain $expected: $(head -n 2 "$work/out" | tr '\n' ' ')"
    fi
    compare_spent "$name"
}

events=0 passed_over=0 compared=0 spent=0 approximate=0 too_little=0 programs=0 over="" begin=$(date +%s)
for directory in $directories; do
    # Each program once, with the first line of those that are for it.
    list=$suite/$directory/testlist.in
    [ -f "$list" ] || list=$suite/$directory/testlist
    awk -v names="${MPICH_NAMES:-.}" '$1 !~ /^[#@]/ && NF >= 2 && $2 ~ /^[0-9]+$/ && $1 ~ names && !seen[$1]++' "$list" >"$work/list"
    while read -r name ranks rest; do
        programs=$((programs + 1))
        [ $((programs % ${MPICH_EACH:-1})) -eq 0 ] && [ "$programs" -ge "${MPICH_FROM:-1}" ] || continue
        [ -z "${MPICH_SECONDS:-}" ] || [ $(($(date +%s) - begin)) -lt "$MPICH_SECONDS" ] || {
            programs=$((programs - 1))
            over=" (the time was over: MPICH_FROM=$((programs + 1)) goes on)"
            break 2
        }
        arguments=$(echo "$rest" | tr ' ' '\n' | sed -n 's/^arg=//p')
        # shellcheck disable=SC2086 # words
        one "$directory" "$name" "$ranks" $arguments
    done <"$work/list"
done
echo "$programs programs looked at$over, $passed_over passed over, $compared traces with $events events compared"
[ -z "${MPICH_SPENT:-}" ] || echo "$spent traces with $approximate approximate events within $MPICH_SPENT; too little for $too_little programs"
summary
