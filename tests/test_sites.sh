#!/bin/sh
# Probes that are off are taken out of the program's code while it runs: in executables and libraries, however they were
# compiled and linked, with other threads in that code; where it may not be changed, nothing else changes either.
#   test_sites.sh BIN
set -u
. "$(dirname "$0")/lib.sh"

x86_64_only "code is changed on x86-64 only"
programs=$tests/programs/sites
flags="-std=gnu11 -w -I$tests/../include"
mkdir "$work/run"
export REFRAIN_DIRECTORY="$work/run"
cd "$work" || exit 1

# run NAME COMMAND...: standard output in out, standard error in err; fails when the command does.
run() {
    name=$1
    shift
    rm -rf "$work"/run/*
    timeout 60 "$@" >out 2>err || fail "$name: status $?: $(head -n 1 err)"
}

# agree NAME WHEN...: checks at these moments that the code of each site is as the byte of its probe says, and that
# some probes are disabled and some are not.
agree() {
    name=$1
    shift
    for when; do
        awk -v when="$when:" '
            $1 == when { n++; bad += $6 != 0 || $4 == 0 || $4 == $2 }
            END { exit !n || bad }' out && pass ||
            fail "$name: $(grep "^$when:" out || echo "nothing printed $when")"
    done
}

# sites FUNCTION FROM TO: how many places in it are on and off between the lines that begin with FROM and TO: "ON OFF".
sites() {
    awk -v name="$1" -v from="$2" -v to="$3" '
        index($0, from) == 1 { inside = 1 }
        inside && $1 == name { on += $2 == "e8"; off += $2 == "a9" }
        index($0, to) == 1 { inside = 0 } END { print on + 0, off + 0 }' out
}

# untimed: the events of the one trace without their times.
untimed() {
    refrain events "$(the_trace run)" | cut -f 1,3-
}

# is WANTED NAME: out has that line.
is() {
    grep -q "^$1\$" out && pass || fail "$2: no line '$1': $(tail -n 3 out)"
}

# ---- which are off, and when ----

calls() {
    compiler=$1
    # shellcheck disable=SC2086 # a list of words
    refrain-cc $compiler $flags -O2 -rdynamic "$programs/calls.c" "$programs/other.c" sites.o -o calls ||
        fail "$compiler: calls"
    REFRAIN_MODE=off run "calls, off" ./calls
    head -n 5 out | grep -v : >printed
    is "end: \([0-9]*\) sites, \1 off, 0 wrong" "$compiler: mode off"
    SITES_NAMES=1 run "calls" ./calls
    agree "$compiler: calls" begin end
    for expected in "quiet 0 [1-9]*" "busy [1-9]* [1-9]*" "loud [1-9]* [0-9]*" "main [1-9]* [1-9]*"; do
        # shellcheck disable=SC2254 # a pattern
        case "${expected%% *} $(sites "${expected%% *}" begin end)" in
        $expected) pass ;;
        *) fail "$compiler: places on and off in ${expected%% *}: $(sites "${expected%% *}" begin end)" ;;
        esac
    done
    REFRAIN_MODE=both run "calls, both" ./calls
    agree "$compiler: calls, both" begin end
    exact "$(the_trace run)" "$compiler: calls"
    untimed >on
    REFRAIN_PATCH=off REFRAIN_MODE=both run "calls, not patched" ./calls
    is "end: [0-9]* sites, 0 off, [1-9][0-9]* wrong" "$compiler: REFRAIN_PATCH=off"
    untimed >off
    [ -s on ] || fail "$compiler: no events"
    check "$compiler: the same events" cmp on off
    REFRAIN_PATCH=nonsense run "calls, nonsense" ./calls
    agree "$compiler: REFRAIN_PATCH=nonsense" end
    [ "$(grep -c REFRAIN_PATCH=nonsense err)" = 1 ] && pass || fail "REFRAIN_PATCH=nonsense says: $(cat err)"
}

# ---- switched off in use ----

# calm NAME: the lines that hot prints at its end must not depend on changed code.
calm() {
    is "0 writable and executable, code r-xp" "$1"
    is "errno changed 0 times" "$1"
}

hot() {
    compiler=$1
    # shellcheck disable=SC2086
    refrain-cc --detail=every $compiler $flags -O2 -rdynamic -pthread "$programs/hot.c" sites.o -o hot ||
        fail "$compiler: hot"
    tries=0
    entry=
    while [ "$entry" != a9 ] && [ $tries -lt 5 ]; do # on a machine with much else to do nothing looks hot
        tries=$((tries + 1))
        SITES_NAMES=1 REFRAIN_MODE=both run "hot" ./hot
        entry=$(sed '1,/^begin:/d' out | sed -n 's/^deep \(..\) .*/\1/p' | head -n 1)
    done
    [ "$entry" = a9 ] && pass || fail "$compiler: the hot function is still entered"
    agree "$compiler: hot" end
    calm "$compiler: hot"
    set -- $(sites decide begin end)
    [ "$2" -gt 0 ] && pass || fail "$compiler: hot loop: $1 places on, $2 off"
    exact "$(the_trace run)" "$compiler: hot"
    refrain info --verbose "$(the_trace run)" | grep -q '^  code ' && fail "$compiler: hot: info says that code stays as it is" || pass
    for denied in SITES_DENY=1 LD_PRELOAD=./deny.so; do
        REFRAIN_MODE=both run "hot, $denied" env $denied ./hot
        grep -q "not denied" out && continue
        is "end: [0-9]* sites, 0 off, [1-9][0-9]* wrong" "$compiler: hot, $denied"
        calm "$compiler: hot, $denied"
        refrain info --verbose "$(the_trace run)" | grep -q '^  code  *stays as it was compiled' && pass ||
            fail "$compiler: hot, $denied: info does not say that code stays as it is"
        exact "$(the_trace run)" "$compiler: hot, $denied"
    done
    # The cost of probes is limited also for a thread that is not traced.
    SITES_NAMES=1 REFRAIN_THREADS=1 run "hot, untraced thread" ./hot 1 20000 others
    calm "$compiler: hot, untraced thread"
    set -- $(sites decide begin end)
    [ "$2" -gt 0 ] && pass || fail "$compiler: hot, untraced thread: $1 places on, $2 off"
    runs=0
    while [ $runs -lt 10 ]; do
        runs=$((runs + 1))
        REFRAIN_THREADS=4 run "hot, threads, run $runs" ./hot 3 4000
        agree "$compiler: hot, threads, run $runs" end
        calm "$compiler: hot, threads, run $runs"
        [ "$(sort out | uniq -c | sed -n 's/^ *\([0-9]*\) sum .*/\1/p')" = 4 ] && pass || fail "hot: $(grep sum out)"
    done
}

# A function that is open all the time.
hub() {
    compiler=$1
    # shellcheck disable=SC2086
    refrain-cc $compiler $flags -O2 -rdynamic "$programs/hub.c" sites.o -o hub || fail "$compiler: hub"
    REFRAIN_MODE=both run "hub" ./hub
    is "hub: off" "$compiler: the function that is open all the time"
    trace=$(the_trace run)
    exact "$trace" "$compiler: hub"
    refrain stats "$trace" | grep -q ' hub().*  at least [0-9.]* [mun]*s with callees  throttled' && pass || fail "$compiler: nothing says that hub was throttled, or that it took longer than is known"
    [ "$(refrain events "$trace" | grep -c '	enter	\(early\|late\|behind\)	')" = 3 ] && pass || fail "$compiler: hub: regions"
}

# ---- libraries ----

loaded() {
    compiler=$1
    # shellcheck disable=SC2086
    refrain-cc $compiler $flags -O2 -rdynamic "$programs/host.c" "$programs/act.c" "$programs/further.c" sites.o \
        -o host || fail "$compiler: host"
    # shellcheck disable=SC2086
    refrain-cc $compiler $flags -O2 -fPIC -shared -fvisibility=hidden "$programs/library.c" sites.o -o library.so ||
        fail "$compiler: library"
    REFRAIN_MODE=both run "$compiler: host" ./host ./library.so
    agree "$compiler: host" before library after
    is "0 writable and executable, code r-xp" "$compiler: host"
    [ "$(grep -c '^library:' out)" = 2 ] && pass || fail "$compiler: host: $(grep '^library:' out)"
    off=$(awk '/^before:/ { off = $4 } /^after:/ { print off - $4; exit }' out)
    [ "$off" -gt 0 ] && pass || fail "$compiler: host: a library's function switched on $off places of the program"
    [ "$(grep -c '^child: \([0-9]*\) sites, \1 off, 0 wrong' out) $(grep -c '^status 0$' out)" = "2 2" ] && pass ||
        fail "$compiler: host: children: $(grep -e ^child -e ^status out)"
    trace=$(the_trace run)
    exact "$trace" "$compiler: host"
    [ "$(refrain info --json "$trace" | grep -c '"units": 3')" = 1 ] && pass ||
        fail "$compiler: host: a library that was loaded twice has its tables twice"
    # shellcheck disable=SC2086
    refrain-cc --detail=every $compiler $flags -O2 -pthread "$programs/forked.c" -o forked || fail "$compiler: forked"
    REFRAIN_THREADS=2 SLOW_CODE=1 run "$compiler: forked" env LD_PRELOAD=./deny.so ./forked ./library.so
    is "status 700" "$compiler: a child forked while code was changed, loading a library"
}

# ---- ways to compile and link ----

# way COMPILER FLAGS...: calls.c so compiled and linked prints the same, and the code agrees.
way() {
    # shellcheck disable=SC2086
    refrain-cc "$@" $flags "$programs/calls.c" "$programs/other.c" sites.o -o way 2>said || {
        fail "$*: $(head -n 1 said)"
        return
    }
    [ ! -s said ] || fail "$* says: $(head -n 1 said)"
    run "$*" ./way
    agree "$*" end
    grep -v : out >other
    check "$*: prints the same" cmp printed other
}

has_sites() {
    objdump -h "$1" | awk '$2 == "refrain_sites_10" && $3 !~ /^0*$/ { found = 1 } END { exit !found }'
}

ways() {
    compiler=$1
    for level in -O1 -Og -Os -O3 "-O2 -fPIC" "-O2 -no-pie -fno-pie" "-O2 -g -pg" "-O3 -march=native" \
        "-O2 -fomit-frame-pointer -fno-inline" "-O2 -fno-omit-frame-pointer" "-O2 -mno-red-zone" \
        "-O2 -fno-function-sections -Wl,--gc-sections" "-O2 -masm=intel" "-O2 -fPIC -masm=intel"; do
        # shellcheck disable=SC2086
        way $compiler $level
    done
    cat >unused.c <<'TEXT'
int nowhere(int n);
int unused(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += nowhere(i);
    return sum;
}
int main(void) {
    return 0;
}
TEXT
    sections="-O2 -ffunction-sections -Wl,--gc-sections"
    # shellcheck disable=SC2086
    $compiler $flags $sections unused.c -o unused 2>said || fail "$compiler: plain unused function: $(head -n 1 said)"
    # shellcheck disable=SC2086
    refrain-cc $compiler $flags $sections unused.c -o unused 2>said && pass ||
        fail "$compiler: unused function: $(head -n 1 said)"
    # shellcheck disable=SC2086
    refrain-cc $compiler $flags -O2 -c "$programs/calls.c" -o calls.o &&
        refrain-cc $compiler $flags -O2 -c "$programs/other.c" -o other.o || fail "$compiler: objects"
    has_sites calls.o && pass || fail "$compiler: no places in an object"
    ld -r calls.o other.o -o both.o && refrain-cc $compiler both.o sites.o -o way || fail "$compiler: partial link"
    run "$compiler: partial link" ./way
    agree "$compiler: partial link" end
    # shellcheck disable=SC2086
    refrain-cc $compiler $flags -O2 -DREFRAIN_DISABLE -c "$programs/other.c" -o other.o &&
        $compiler calls.o other.o sites.o -o way || fail "$compiler: link without librefrain"
    run "$compiler: without librefrain" ./way
    is "end: [0-9]* sites, 0 off, [0-9]* wrong" "$compiler: without librefrain"
    for without in -O0 "-O2 -ffunction-sections" "-O2 -mcmodel=large"; do
        # shellcheck disable=SC2086
        refrain-cc $compiler $flags $without -c "$programs/calls.c" -o calls.o
        has_sites calls.o && fail "$compiler $without: places in the object" || pass
    done
    # Functions of their own level of optimisation.
    cat >levels.c <<'TEXT'
int square(int n);
#ifndef __clang__
__attribute__((optimize("O0"))) int first(int n) {
    return n ? square(n) : square(1);
}
#pragma GCC optimize("O0")
#else
#pragma clang optimize off
#endif
int second(int n) {
    return n ? square(n) : square(1);
}
TEXT
    # shellcheck disable=SC2086
    refrain-cc $compiler $flags -O2 -c levels.c -o levels.o >said 2>&1
    [ ! -s said ] && pass || fail "$compiler: functions that are not optimised: $(head -n 1 said)"
    # With code generation at link time there are no sites, since they could not be left out later.
    echo 'int second(int); int square(int n) { return n * n; } int main(void) { return second(0) - 1; }' >late.c
    if [ $compiler = gcc ]; then
        # shellcheck disable=SC2086
        refrain-cc gcc $flags -O2 -flto levels.c late.c -o late >said 2>&1
        [ ! -s said ] && ./late && pass || fail "gcc -flto: functions that are not optimised: $(head -n 1 said)"
        has_sites late && fail "gcc -flto: places" || pass
    fi
    # A file compiled with sections, one without.
    # shellcheck disable=SC2086
    refrain-cc $compiler $flags -O2 -ffunction-sections calls.o "$programs/other.c" sites.o -o way ||
        fail "$compiler: mixed"
    run "$compiler: mixed" ./way
}

# Parts that the compiler makes functions of.
outlined() {
    compiler=$1
    for level in -O1 -O2 -O3; do
        # shellcheck disable=SC2086
        if ! $compiler $flags $level -fopenmp "$programs/outlined.c" -o plain 2>said; then
            echo "skipped: $compiler has no OpenMP: $(head -n 1 said)"
            return
        fi
        ./plain >sums
        # shellcheck disable=SC2086
        refrain-cc --detail=every $compiler $flags $level -fopenmp "$programs/outlined.c" -o way ||
            fail "$compiler $level -fopenmp"
        has_sites way && pass || fail "$compiler $level -fopenmp: no places"
        REFRAIN_THREADS=4 run "$compiler $level: outlined" ./way
        check "$compiler $level -fopenmp: prints the same" cmp sums out
    done
}

# ---- a debugger ----

# Breakpoints: one on the first place, put there before it is off, one in a function whose places have been changed.
debugged() {
    gdb -batch -nx -ex 'break *((long)&__start_refrain_sites_10 + *(int *)&__start_refrain_sites_10)' \
        -ex 'break sites_print' -ex 'run >out' -ex 'break busy' -ex continue -ex continue -ex continue \
        -ex delete -ex continue ./calls >said 2>&1
    if ! grep -q '^Breakpoint 2, ' said; then
        echo "skipped: no debugger that runs a program"
        return
    fi
    grep -q '^Breakpoint 1, ' said && grep -q '^Breakpoint 3, ' said && grep -q 'exited normally' said && pass ||
        fail "$compiler: in a debugger: $(tail -n 3 said)"
    grep -v : out >other
    check "$compiler: in a debugger: prints the same" cmp printed other
}

gcc -O1 -shared -fPIC "$programs/deny.c" -o deny.so || fail "compile deny.c"
# shellcheck disable=SC2086
gcc $flags -O1 -fPIC -fvisibility=hidden -c "$programs/sites.c" -o sites.o || fail "compile sites.c"
for compiler in gcc clang; do
    calls $compiler
    hot $compiler
    hub $compiler
    loaded $compiler
    ways $compiler
    outlined $compiler
    debugged
done
summary
