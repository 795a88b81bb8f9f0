#!/bin/sh
# benchmarks/foreign.sh: bad input is refused with one line and status 2. A program is built in every detail, run and
# compared, and a difference in its output is reported.
set -u
. "$(dirname "$0")/lib.sh"
script=$tests/../benchmarks/foreign.sh

for option in --only --rounds --details --level --format --out --cache --tools --programs; do
    says 2 "$option takes a value" "$script" $option
done
says 2 "no program 'tetris'" "$script" --only tetris
says 2 "from 1 to 100, not '0'" "$script" --rounds 0
says 2 "from 1 to 100, not '101'" "$script" --rounds 101
says 2 "no detail 'some'" "$script" --details calls,some
says 2 "O0 or O2" "$script" --level O3
says 2 "unknown argument" "$script" --fast
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
