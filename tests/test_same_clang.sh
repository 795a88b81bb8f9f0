#!/bin/sh
# The instrumentor with clang linked into it (clang_interface.cpp) makes the same of a file, byte for byte, as with
# libclang; and where it cannot run, libclang does the work.
set -u
. "$(dirname "$0")/lib.sh"
unset REFRAIN_DETAIL REFRAIN_FILTER REFRAIN_WRAPPER CPATH
program=$bin/../lib/refrain-instrumentor
[ -x "$program" ] || skip "built without clang's static libraries"
cd "$work" || exit 1

# A compiler that stores the sources that it is given.
cat >keep <<'END'
#!/bin/sh
for argument; do
    shift
    case $argument in *.c) set -- "$@" "$argument" ;; esac
done
exec cat "$@" >"$KEPT"
END
# The description of the program.
mkdir program library missing crashing
cat >program/refrain-instrumentor <<END
#!/bin/sh
echo run >>"$work/ran"
exec "$program" "\$@"
END
printf '#!/bin/sh\nexit 127\n' >missing/refrain-instrumentor
printf '#!/bin/sh\nkill -SEGV $$\n' >crashing/refrain-instrumentor
chmod +x keep program/* missing/* crashing/*
for directory in program library missing crashing; do
    ln -s "$bin/../lib/librefrain-instrument.so" "$directory/"
done

# make_with DIRECTORY OUT ARGUMENT...: the files as that instrumentor makes them, one after the other, and its messages.
make_with() {
    directory=$1 out=$2
    shift 2
    KEPT=$out REFRAIN_LIBDIR=$work/$directory refrain-cc --verbose "$work/keep" -c "$@" 2>"$out.said"
}

# same DETAIL N ARGUMENT...: N files among the arguments. To load libclang takes longer than to read most of them.
same() {
    detail=$1 n_files=$2
    shift 2
    rm -f ran one other
    REFRAIN_DETAIL=$detail make_with program one "$@"
    REFRAIN_DETAIL=$detail make_with library other "$@"
    check "$*, detail $detail" sh -c "test \$(wc -l <ran) -eq $n_files && diff one other && diff one.said other.said"
}

# C's constructs, and how libclang returns them.
cat >everything.c <<'END'
#include <stdio.h>
#include <setjmp.h>
#define UNLESS(x) if (!(x))
#define TWICE(x) do { x; x; } while (0)
#define EMPTY
extern int MPI_Barrier(int comm), MPI_Send(void *p, int n);
extern double MPI_Wtime();
struct callbacks { int (*run)(int); int values[4]; struct { int deep; } in; };
enum { FEW = 3, MANY = 300 };
static int small(int x);
static int (*chosen)(int) = small;
static struct callbacks table = {.run = small, .values = {[1] = 2, [2 ... 3] = FEW}, .in.deep = 1};
typedef int handler(int);
int apply(handler *function, int x) { return function ? function(x) : (*chosen)(x); }
static int small(int x) { return x > 0 ? x && small(x - 1) : MPI_Barrier(x) || x < -5; }
int old_style(a, b) int a; char *b; { if (a = small(a)) return *b; return a ?: small(2); }
inline int seen_elsewhere(int x) { return MPI_Barrier(x); }
static inline __attribute__((unused)) int hidden(int x) { return x ? MPI_Barrier(x) : 0; }
__attribute__((noinline, cold)) void with_attributes(int n) { while (n--) MPI_Barrier(n); }
int arrays(int n) {
    int sized[small(n) + 1], also[n][small(2)];
    __typeof__(small(1)) like = small(3);
    int (*pointer)[small(n)] = 0;
    static int once = sizeof(int);
    extern int elsewhere;
    struct callbacks own = {small, {1, small(2)}}, *p = &own, list[] = {[1] = {.run = chosen}};
    (void)pointer, (void)list;
    p->run(sizeof sized[small(1)]);
    return (int)sizeof also + like + own.run(1) + (&own)->run(2) + (*p->run)(3) + once + elsewhere +
           ((struct callbacks){.run = small}).run(4) + (int)(long)(handler *)small;
}
int decisions(int n, const char *text, double x) {
    int i, j;
    if (1) MPI_Barrier(1);
    if (0) MPI_Barrier(2); else if ("text") MPI_Barrier(3);
    if (small) MPI_Barrier(4);
    if (x * 2.0 > 3.0 && !(n | 1) && text && *text) MPI_Barrier(5);
    if ((n = small(n)) != 0 || n == FEW) MPI_Barrier(6); else { }
    if (n) ; else MPI_Barrier(7);
    UNLESS(n) MPI_Barrier(8);
    TWICE(MPI_Barrier(9));
    for (i = 0; i < FEW; i++) for (j = 0; j < MANY; j++) MPI_Barrier(i);
    for (;;) { if (n++ > 3) break; else continue; }
    for (int k = 0, l = 3; k < l && small(k); k++, l--) MPI_Barrier(k);
    do MPI_Barrier(10); while (0);
    do { MPI_Barrier(11); } while (n-- > 0 && small(n));
    while (1) { if (small(n)) break; goto out; }
    switch (n) {
    case 1: MPI_Barrier(12); break;
    case FEW ... 5: MPI_Barrier(13); __attribute__((fallthrough));
    case 'c': { MPI_Barrier(14); return 2; }
    default: MPI_Barrier(15);
    }
    i = n > 1 ? n > 2 ? MPI_Barrier(16) : small(4) : small(5);
    i = ({ int t = small(6); if (t) MPI_Barrier(t); t; }) + __builtin_expect(small(7), 0);
    i += _Generic(n, int: small(8), default: small(9)), i -= __builtin_choose_expr(1, small(10), 0);
    i |= __extension__ (small(11)), i = (small)(12), i = (&small)(13), i = (*small)(14), i = -small(15);
    __asm__ volatile("" : "+r"(i) : "r"(small(16)));
    EMPTY;
out:
    printf("%d\n", i), MPI_Send(&i, 1), (void)MPI_Wtime();
    return __builtin_constant_p(small(17)) ? 1 : i;
}
int jumps(int n) {
    __label__ local;
    static void *targets[] = {&&one, &&two};
    static jmp_buf place;
    if (setjmp(place)) MPI_Barrier(1);
    goto *targets[n & 1];
one: MPI_Barrier(1);
two: if (n) goto local; MPI_Barrier(2);
local: { int inner(int x); struct here { int a; } h = {inner(n)}; return h.a; }
}
#pragma omp declare simd
int pragmas(int n) {
    int i;
#pragma omp parallel for
    for (i = 0; i < n; i++) MPI_Barrier(i);
#pragma omp critical
    { MPI_Barrier(n); }
    return n;
}
#if 0
int skipped(int n) { return MPI_Barrier(n); }
#endif
int main(int argc, char **argv) {
    _Static_assert(sizeof(int) == 4, "int");
    return apply(argc > 1 ? small : table.run, argc) + decisions(argc, argv[0], 1.5);
}
END
cat >broken.c <<'END'
extern int MPI_Barrier(int comm);
int good(int n) { if (n) return MPI_Barrier(n); return 0; }
int bad(int n) { if (n) return MPI_Barrier(unknown); return nothing here; }
int undeclared(int n) { return MPI_Later(n) && later(n); }
int after(int n) { while (n--) MPI_Barrier(n); return 0; }
END
printf 'int MPI_Barrier(int);\nint part(int n) { return n && MPI_Barrier(n); }\n' >part.c
printf '#include "part.c"\nint whole(int n) { return part(n) || MPI_Barrier(n); }\n' >whole.c
printf '#include "nowhere.h"\nint f(void) { return MPI_Barrier(1); }\n' >lacking.c
for detail in communication all; do
    same $detail 1 everything.c -O2
    same $detail 1 everything.c -std=gnu89
    same $detail 1 everything.c -fopenmp
    same $detail 1 broken.c -O0
    same $detail 2 whole.c lacking.c
done
for directory in "$tests/programs" "$tests"/programs/*/; do
    set -- "$directory"/*.c
    [ ! -e "$1" ] || same all $# -I"$directory" -I"$tests/../include" -I/usr/include/x86_64-linux-gnu/mpich "$@"
done

rm -f one other
make_with missing one everything.c
make_with library other everything.c
check "a program that cannot run: libclang does the work" cmp one other
make_with crashing one everything.c
check "one that crashes: the file is compiled as it was" cmp one everything.c
check "... which is said" grep -q 'the instrumentor failed on it' one.said
summary
