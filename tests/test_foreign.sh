#!/bin/sh
# benchmarks/foreign.sh: bad input is refused with one line and status 2; a program of one's own is built in every detail, run and
# compared; a program whose output differs is said to.
set -u
. "$(dirname "$0")/lib.sh"
script=$tests/../benchmarks/foreign.sh

# refused PATTERN ARGUMENTS...: status 2, one line on standard error that has the pattern.
refused() {
    pattern=$1
    shift
    "$script" "$@" >"$work/out" 2>"$work/err"
    status=$?
    [ $status -eq 2 ] && [ "$(wc -l <"$work/err")" -eq 1 ] && grep -qe "$pattern" "$work/err" && pass ||
        fail "$*: status $status, said: $(head -n 2 "$work/err")"
}
for option in --only --rounds --details --level --format --out --cache --tools --programs; do
    refused "$option takes a value" $option
done
refused "no program 'tetris'" --only tetris
refused "from 1 to 100, not '0'" --rounds 0
refused "from 1 to 100, not '101'" --rounds 101
refused "no detail 'some'" --details calls,some
refused "O0 or O2" --level O3
refused "unknown argument" --fast
check "--help" sh -c '"$0" --help | grep -q "^EXAMPLE"' "$script"
check "--list" sh -c 'test "$("$0" --list | wc -l)" -ge 4' "$script"

# Programs of one's own, whose tarballs are there already.
mkdir -p "$work/programs" "$work/cache/sources/tiny" "$work/tiny-1.0"
cat >"$work/tiny-1.0/tiny.c" <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int rank, sum = 0, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 100; i++) {
        sum += i * rank;
        MPI_Allreduce(&sum, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("%d%s\n", all, WORD);
    return MPI_Finalize();
}
END
(cd "$work" && tar -c -z -f cache/sources/tiny/tiny_1.0.orig.tar.gz tiny-1.0)
cat >"$work/programs/tiny.sh" <<'END'
source_package=tiny
about="a test"
compiler=mpicc.mpich
mpi=yes
binaries=tiny
build() { $CC -O2 "-DWORD=\"!\"" -o tiny tiny.c; }
load() { mpiexec.mpich -n 2 $under ./tiny; }
END
# shellcheck disable=SC2016 # expanded there
sed 's/tiny.c; }/tiny.c \&\& case $CC in refrain*all*) $CC -O2 "-DWORD=\\"?\\"" -o tiny tiny.c ;; esac; }/' "$work/programs/tiny.sh" >"$work/programs/differs.sh"
sed 's/^build.*/build() { false; }/' "$work/programs/tiny.sh" >"$work/programs/broken.sh"
run() {
    "$script" --programs "$work/programs" --cache "$work/cache" --tools "$bin" --quick --format tsv "$@" >"$work/table" 2>"$work/err"
}
run --only tiny --out "$work/tables"
check "a program of one's own" test $? -eq 0
for detail in calls communication all; do
    check "... is exact in detail $detail" awk -F '\t' -v d=$detail '$3 == d && $9 == "same" && $10 > 400 && $11 == "yes" { ok = 1 } END { exit !ok }' \
        "$work/table"
done
check "... two clock reads around each call have a line" awk -F '\t' '$3 == "clocks" && $7 > 0.1 { ok = 1 } END { exit !ok }' "$work/table"
check "... --out keeps both tables" sh -c 'cmp "$0/table" "$0/tables/foreign.tsv" && test "$(grep -c "^| tiny" "$0/tables/foreign.md")" -eq 5' "$work"
run --only differs --details communication,all
check "another output: status 1" test $? -eq 1
check "... is said" sh -c 'grep "^differs.*all" "$0" | grep -q "differs from line 1"' "$work/table"
run --only broken
check "a program that does not build: status 1" test $? -eq 1
check "... is said" grep -q "broken, plain: does not build" "$work/err"
summary
