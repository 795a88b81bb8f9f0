#!/bin/sh
# Sites in functions with frames of many kinds. The program must compute the same as without them, with all compilers
# and options. No register and nothing on the stack may change. Frames must be found from each instruction of a probe.
# Signals may arrive anywhere, also in .text.refrain.
#   test_frames.sh BIN
set -u
. "$(dirname "$0")/lib.sh"

x86_64_only "sites are for x86-64 only"
programs=$tests/programs/frames
# Floating-point results are the same at all levels of optimisation.
flags="-std=gnu11 -w -I$tests/../include -ffp-contract=off"
mkdir "$work/run"
export REFRAIN_DIRECTORY="$work/run" REFRAIN_MODE=both REFRAIN_TOTAL_MEMORY=64M
cd "$work" || exit 1

# run NAME COMMAND...: standard output in out, and it fails when the command does.
run() {
    name=$1
    shift
    rm -rf "$work"/run/*
    timeout 60 "$@" >out 2>err && [ ! -s err ] && pass ||
        fail "$name: status $?: $(cat err out | grep -e wrong -e refrain: | head -n 2 | tr '\n' ' ')"
}

# equal NAME: all events of the one trace are reconstructed.
equal() {
    refrain compare run/*.refrain >compared 2>&1
    grep -q '^in all: .* 0 of [0-9]* locations differ' compared && pass ||
        fail "$1: $(grep -e '^in all' compared || head -n 1 compared)"
}

# same NAME: compares its results with those without probes.
same() {
    grep -v wrong out >computed
    cmp -s plain computed && pass || fail "$1: $(diff plain computed | head -n 2 | tr '\n' ' ')"
}

# none NAME: nothing was wrong, and there was something to look at: the number before each WHAT is not 0.
none() {
    name=$1
    shift
    grep -q ', 0 wrong$' out && pass || fail "$name: $(grep wrong out | head -n 2 | tr '\n' ' ')"
    for what; do
        grep -q "[1-9][0-9]* $what" out && pass || fail "$name: no $what: $(tail -n 1 out)"
    done
}

# compile NAME COMPILER FLAGS... FILES...: with all probes, without a word, with sites.
compile() {
    name=$1
    shift
    # shellcheck disable=SC2086 # a list of words
    refrain-cc --detail=every "$@" $flags -rdynamic -pthread -o "$name" >said 2>&1 && [ ! -s said ] &&
        objdump -h "$name" | grep -q ' refrain_sites_10 ' && pass || fail "$*: $(head -n 1 said)"
}

# shellcheck disable=SC2086
plainly() {
    gcc $flags -O1 -DREFRAIN_DISABLE -pthread "$@"
}
plainly "$programs/shapes.c" "$programs/jumps.c" "$programs/turns.c" -o turns && ./turns >shapes || fail "plain shapes"
plainly "$programs/shapes.c" "$programs/jumps.c" "$programs/storm.c" -o storm && ./storm 20 >storm.out ||
    fail "plain storm"
plainly "$programs/shapes.c" "$programs/jumps.c" "$programs/pending.c" -o pending && ./pending >pending.out ||
    fail "plain pending"
plainly -c "$programs/turns.c" -o turns.o
# shellcheck disable=SC2086
gcc $flags -O1 -g -c "$programs/step.c" -o step.o || fail "compile step.c"

# ---- results ----

# ways COMPILER LEVEL...: each a list of flags.
ways() {
    compiler=$1
    shift
    cp shapes plain
    for level; do
        # shellcheck disable=SC2086
        compile way $compiler $level "$programs/shapes.c" "$programs/jumps.c" turns.o
        run "$compiler $level" ./way
        same "$compiler $level"
        equal "$compiler $level"
    done
}

# ---- step by step ----

steps() {
    compiler=$1
    for file in shapes jumps handler; do
        # shellcheck disable=SC2086
        refrain-cc --detail=every "$compiler" $flags -O2 -c "$programs/$file.c" -o $file.o || fail "$compiler: $file.c"
    done
    ld -r shapes.o jumps.o handler.o -o all.o # one .text.refrain, so that it is known what is in it
    compile step "$compiler" step.o all.o
    run "$compiler: steps" ./step 1 registers frames
    head -n 16 shapes >plain
    grep -v -e wrong -e '^sum' out >computed
    cmp -s plain computed && pass || fail "$compiler: steps: $(diff plain computed | head -n 2 | tr '\n' ' ')"
    none "$compiler: steps" "sites" "steps in probes" "in .text.refrain"
    equal "$compiler: steps"
}

# ---- signals ----

storm() {
    compiler=$1
    compile storm "$compiler" -O2 "$programs/shapes.c" "$programs/jumps.c" "$programs/storm.c"
    cp storm.out plain
    export REFRAIN_THREADS=8
    for stack in "" altstack; do
        run "$compiler: signals $stack" ./storm 60 $stack
        grep -v few out >computed
        cmp -s plain computed && pass || fail "$compiler: signals $stack: $(diff plain computed | head -n 2)"
        equal "$compiler: signals $stack"
    done
    # Probes left in the middle, by siglongjmp or for ever: their thread is traced no further, the others go on.
    for how in jump cancel; do
        run "$compiler: signals, $how" ./storm 60 $how
        grep -v few out >computed
        cmp -s plain computed && pass || fail "$compiler: signals, $how: $(diff plain computed | head -n 2)"
    done
    unset REFRAIN_THREADS
    compile pending "$compiler" -O2 "$programs/shapes.c" "$programs/jumps.c" "$programs/pending.c"
    cp pending.out plain
    run "$compiler: cancelled later" ./pending
    cmp -s plain out && pass || fail "$compiler: cancelled later: $(diff plain out | head -n 2)"
    run "$compiler: signals in sites" ./step 1 handlers altstack
    none "$compiler: signals in sites"
    equal "$compiler: signals in sites"
}

# Loops with their own counters must have the right counts.
counts() {
    compiler=$1
    compile way "$compiler" -O2 "$programs/shapes.c" "$programs/jumps.c" turns.o
    run "$compiler: counts" ./way
    refrain formulas run/*.refrain >formulas
    for count in ' (0 1 .. 3)' ' (1000 1001'; do
        grep 'counted  *for ' formulas | grep -q -F "$count" && pass ||
            fail "$compiler: no counts $count: $(grep counted formulas | tr '\n' ' ')"
    done
}

for compiler in gcc clang; do
    available $compiler || continue
    if [ $compiler = gcc ]; then
        ways gcc -O1 "-O2 -mstackrealign -fno-omit-frame-pointer" "-O3 -march=native -fcf-protection=full" \
            "-Os -maccumulate-outgoing-args -fstack-clash-protection -fstack-protector-all"
    else
        ways clang "-O1 -fPIC" "-O3 -march=native -mstackrealign" -Oz
    fi
    counts $compiler
    steps $compiler
    storm $compiler
done
summary
