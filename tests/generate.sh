#!/bin/sh
# generate.sh: checks programs with random control flow: the reconstruction must equal the recording, and the output must
# be that of the untraced program.
#
#   generate.sh COUNT SEED BIN [mpi]    COUNT programs from SEED on; BIN has the built tools, and generate
#
# Half of the programs are compiled with gcc, half with clang, with alternating details and optimisation. With `mpi` they also
# exchange messages, on 1, 2 and 3 ranks. A failed program is kept as generated-failed-<seed>.c in the current directory.
# Thousands of programs: sh tests/generate.sh 3000 1 build/bin
set -u
if [ $# -lt 3 ]; then
    sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
here=$PWD
first=$2 count=$1 kind=${4:-}
set -- "$3"
. "$(dirname "$0")/lib.sh"
flags="-w -std=gnu11 -I$tests/../include"

# one SEED: counts itself as passed or failed.
one() {
    seed=$1
    case $((seed % 4)) in
    0) compiler=gcc level=-O0 detail=all ;;
    1) compiler=clang level=-O1 detail=communication ;;
    2) compiler=gcc level=-O2 detail=communication ;;
    *) compiler=clang level=-O2 detail=every ;;
    esac
    ranks=1
    prefix=
    if [ "$kind" = mpi ]; then
        ranks=$((seed % 3 + 1))
        prefix=$compiler
        compiler=mpicc.mpich
        export MPICH_CC="$prefix"
    fi
    name="seed $seed${kind:+ $kind} ($prefix$([ "$kind" = mpi ] && echo " by ")$compiler $level, detail $detail, $ranks ranks)"
    run=$work/$seed
    mkdir "$run"
    # shellcheck disable=SC2086 # lists of words
    "$bin/generate" "$seed" $kind >"$run/program.c" &&
        $compiler $flags $level -DREFRAIN_DISABLE "$run/program.c" -o "$run/plain" || {
        fail "$name: does not compile untraced"
        return
    }
    # shellcheck disable=SC2086
    timeout 120 refrain-cc --detail=$detail $compiler $flags $level "$run/program.c" -o "$run/traced" 2>"$run/said" || {
        fail "$name: does not compile: $(head -n 1 "$run/said")"
        return
    }
    [ ! -s "$run/said" ] || fail "$name: the wrapper says $(head -n 1 "$run/said")"
    if [ "$kind" = mpi ]; then
        launch mpich "$ranks" "$run/plain" >"$run/plain.out" 2>&1
        expected=$?
        REFRAIN_MODE=both REFRAIN_DIRECTORY=$run launch mpich "$ranks" "$run/traced" >"$run/traced.out" 2>&1
    else
        timeout 60 "$run/plain" >"$run/plain.out" 2>&1
        expected=$?
        REFRAIN_MODE=both REFRAIN_DIRECTORY=$run timeout 120 "$run/traced" >"$run/traced.out" 2>&1
    fi
    status=$?
    sort "$run/plain.out" >"$run/a"
    sort "$run/traced.out" >"$run/b"
    if [ $status -ne $expected ]; then
        fail "$name: status $status, untraced $expected"
    elif ! cmp -s "$run/a" "$run/b"; then
        fail "$name: prints '$(head -n 1 "$run/b")', untraced '$(head -n 1 "$run/a")'"
    fi
    exact "$(the_trace "$run")" "$name"
}

seed=$first
while [ "$seed" -lt $((first + count)) ]; do
    before=$failed
    one "$seed"
    [ "$failed" -eq "$before" ] || cp "$work/$seed/program.c" "$here/generated-failed-$seed.c"
    rm -rf "${work:?}/$seed"
    seed=$((seed + 1))
    [ $((seed % 50)) -ne 0 ] || echo "seed $seed: $passed exact, $failed failed"
done
echo "${total_events:-0} events compared in $count programs"
summary
