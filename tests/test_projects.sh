#!/bin/sh
# The recipes of docs/builds.md, word for word, on the projects of tests/projects: each builds unchanged, passes its own
# tests, and its trace is exact.
#   test_projects.sh BIN
set -u
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
unset REFRAIN_WRAPPER REFRAIN_DETAIL REFRAIN_FILTER REFRAIN_MPICC REFRAIN_MODE MAKEFLAGS MFLAGS MAKELEVEL CC CFLAGS
document=$tests/../docs/builds.md
export CCACHE_DIR="$work/cache-of-compilers" # apart from the projects, of which one is called ccache

# As on a user's machine: an MPI compiler and a launcher under their usual names.
mkdir "$work/mpi"
ln -s "$(command -v mpicc.mpich)" "$work/mpi/mpicc"
ln -s "$(command -v mpiexec.mpich)" "$work/mpi/mpiexec"
PATH=$work/mpi:$PATH

# recipe NAME: its commands.
recipe() {
    awk -v name="$1" '/^<!-- recipe / { on = $3 == name ":"; next } on && /^    / { print substr($0, 5); seen = 1; next }
                      on && seen && NF { on = seen = 0 }' "$document"
}

# build NAME: follows the recipe in a copy of its project, and leaves it in $directory; fails when anything does.
build() {
    name=$1
    project=$(sed -n "s/^<!-- recipe $name: \\(.*\\) -->\$/\\1/p" "$document")
    directory=$work/$name
    traces=$work/$name.traces
    mkdir "$traces"
    cp -R "$tests/projects/$project" "$directory"
    recipe "$name" >"$work/$name.sh"
    if [ ! -s "$work/$name.sh" ] || ! (cd "$directory" && REFRAIN_DIRECTORY=$traces sh -eu "$work/$name.sh") >"$work/log" 2>&1
    then
        fail "recipe $name"
        tail -n 20 "$work/log"
        return 1
    fi
    if grep -q 'refrain-[a-z]*: warning:' "$work/log"; then
        fail "recipe $name: $(grep 'refrain-' "$work/log" | head -n 1)"
    else
        pass
    fi
    check "recipe $name leaves the sources as they were" sh -c "cd '$tests/projects/$project' &&
        find . -type f | while read -r file; do cmp \"\$file\" \"$directory/\$file\" || exit 1; done"
    rm -rf "$traces"
    mkdir "$traces"
}

# traced PROGRAM ARGUMENTS... -- FUNCTIONS...: on 2 ranks it ends well, its trace is exact and has all these functions.
traced() {
    program=$directory/$1
    shift
    arguments=
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        arguments="$arguments $1"
        shift
    done
    shift
    # shellcheck disable=SC2086 # a list of words
    REFRAIN_MODE=both REFRAIN_DIRECTORY=$traces launch mpich 2 "$program" $arguments >"$work/out" 2>"$work/err" ||
        fail "recipe $name: the program's status $? on 2 ranks: $(head -n 3 "$work/err")"
    exact "$(the_trace "$traces")" "recipe $name" || return
    for function; do
        check "recipe $name: $function is in the trace" grep -q "enter	$function	" "$work/recorded"
    done
}

build make && traced farm 20 -- main master worker MPI_Probe
build make-outside && traced build/farm 20 -- main master worker MPI_Send
build cmake && traced build/heat 24 16 -- main grid_step norms_settle report MPI_Sendrecv MPI_Allreduce
build cmake-launcher && traced build/test_heat -- main grid_step norms_settle MPI_Allreduce
build cmake-environment && traced build/heat 12 12 -- main grid_step norms_settle MPI_Allreduce
if build autotools; then
    traced build/oddsort 50 4 -- main oddeven_sort oddeven_generate MPI_Sendrecv
    # shellcheck disable=SC2016 # for the other shell
    check "autotools: the static library is instrumented as well" sh -c \
        'nm "$0/build/.libs/liboddeven.a" | grep -q refrain__u' "$directory"
fi
build name && traced farm 20 -- main master worker
build ccache && traced farm 20 -- main master worker
build detail && traced farm 20 -- main master worker
build detail-calls && traced farm 20 -- MPI_Probe MPI_Send
build filter && traced farm 20 -- main master worker
check "filter: what is left out is not in the trace" sh -c '! grep -q "enter	primes" "$0"' "$work/recorded"
build verbose && traced farm 20 -- main master worker
recipes=$(grep -c '^<!-- recipe ' "$document")
check "every recipe was tried" test "$recipes" -eq "$(find "$work" -maxdepth 1 -name '*.sh' | wc -l)"
summary
