#!/bin/sh
# compile_time.sh: measures what instrumenting adds to the compilation of a file of 5,000 lines.
#
#   compile_time.sh BIN [ROUNDS [COMPILER]]    BIN: directory of the built tools; ROUNDS: 5; COMPILER: mpicc.mpich
#
# The file is generated: 217 functions of 23 lines, with loops over arrays, decisions, a switch and calls. A quarter of the
# functions exchange messages. Plain and instrumented compilations alternate. It prints medians of elapsed time and of processor
# time (more reliable on a busy machine), the difference, and the ratio. The goal is at most one second and 50 % more.
set -eu
bin=$(cd "${1:?the directory of the built tools}" && pwd)
rounds=${2:-5} compiler=${3:-mpicc.mpich}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
unset REFRAIN_WRAPPER REFRAIN_DETAIL REFRAIN_FILTER

awk 'BEGIN {
    print "#include <math.h>\n#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>"
    for (i = 0; i < 217; i++) {
        talks = i % 4 == 3
        print "\nint step_" i "(double *field, double *next, int n, int rank, int ranks) {"
        print "    double sum = 0, largest = 0;\n    int changed = 0;"
        print "    for (int row = 1; row < n - 1; row++) {"
        print "        for (int column = 1; column < n - 1; column++) {"
        print "            double value = field[row * n + column];"
        print "            double around = field[(row - 1) * n + column] + field[(row + 1) * n + column];"
        print "            if (value > " i % 7 " && around < " i + 3 ")\n                changed++;"
        print "            next[row * n + column] = value * 0.5 + around * 0.25 + sin(value) * 1e-" i % 5 + 1 ";"
        print "            largest = fabs(value) > largest ? fabs(value) : largest;\n        }\n    }"
        if (talks)
            print "    if (ranks > 1 && rank % 2 == 0)\n        MPI_Send(next, n, MPI_DOUBLE, (rank + 1) % ranks, " i ", MPI_COMM_WORLD);"
        else
            print "    if (ranks > 1 && rank % 2 == 0)\n        memcpy(next, field, (size_t)n * sizeof *next);"
        print "    switch (changed % 3) {\n    case 0: sum += largest; break;"
        print "    case 1: sum -= largest; break;\n    default: largest = 0;\n    }"
        print i ? "    return (int)sum + step_" i - 1 "(next, field, n, rank, ranks);" : "    return (int)sum;"
        print "}"
    }
    print "\nint main(int argc, char **argv) {\n    int rank, ranks, n = argc > 1 ? atoi(argv[1]) : 16;"
    print "    MPI_Init(&argc, &argv);\n    MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n    MPI_Comm_size(MPI_COMM_WORLD, &ranks);"
    print "    double *field = calloc((size_t)n * (size_t)n, 8), *next = calloc((size_t)n * (size_t)n, 8);"
    print "    printf(\"%d\\n\", step_216(field, next, n, rank, ranks));\n    MPI_Finalize();\n    return 0;\n}"
}' >"$work/file.c"
cd "$work"
echo "# $(wc -l <file.c) lines; $compiler ($($compiler -dumpversion)); $(nproc) processors; load $(cut -d' ' -f1 /proc/loadavg)"

# measure NAME COMMAND...: appends the elapsed seconds to NAME, and the seconds of processor time to NAME.cpu.
measure() {
    name=$1
    shift
    begin=$(date +%s%N)
    (
        "$@" 2>messages || {
            cat messages >&2
            exit 1
        }
        times >used
    ) || exit 1
    echo "$begin $(date +%s%N)" | awk '{ printf "%.3f\n", ($2 - $1) / 1e9 }' >>"$name"
    tail -n 1 used | tr 'ms' '  ' | awk '{ printf "%.3f\n", $1 * 60 + $2 + $3 * 60 + $4 }' >>"$name.cpu"
}
median() {
    sort -n "$1" | awk '{ v[NR] = $1 } END { printf "%.3f", NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

printf 'level\tdetail\tmeasure\tplain\tinstrumented\tdifference\tratio\n'
for level in -O0 -O2; do
    rm -f plain* communication* all*
    i=0
    while [ "$i" -lt "$rounds" ]; do
        measure plain $compiler $level -c file.c -o object.o
        measure communication "$bin/refrain-cc" --detail=communication $compiler $level -c file.c -o object.o
        measure all "$bin/refrain-cc" --detail=all $compiler $level -c file.c -o object.o
        i=$((i + 1))
    done
    for detail in communication all; do
        for what in passed processor; do
            end=
            [ $what = passed ] || end=.cpu
            echo "$level $detail $what $(median "plain$end") $(median "$detail$end")" |
                awk '{ printf "%s\t%s\t%s\t%s s\t%s s\t%+.3f s\t%.2f\n", $1, $2, $3, $4, $5, $5 - $4, $5 / $4 }'
        done
    done
done
