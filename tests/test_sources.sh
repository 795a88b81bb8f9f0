#!/bin/sh
# Command lines and sources that once broke: each builds as with the compiler alone, runs, and is traced.
set -u
. "$(dirname "$0")/lib.sh"
REFRAIN_MODE=off
export REFRAIN_MODE
unset REFRAIN_WRAPPER REFRAIN_DETAIL REFRAIN_FILTER
cd "$work" || exit 1

# Libraries are not put between an option and its value, whether the wrapper knows the option or not.
echo 'int main(void) { return 0; }' >main.c
linked() {
    what=$1
    shift
    check "$what" "$@"
    check "$what: librefrain is there" sh -c 'readelf -d prog | grep -q "NEEDED.*librefrain"'
    rm -f prog
}
linked "--output prog" refrain-cc gcc --output prog main.c
linked "--output=prog" refrain-cc gcc --output=prog main.c
linked "--language c" refrain-cc gcc --language c main.c -o prog -lm
linked "--for-linker -s" refrain-cc gcc --for-linker -s main.c -o prog
linked "--for-assembler -L" refrain-cc gcc --for-assembler -L main.c -o prog
linked "--entry _start" refrain-cc gcc --entry _start main.c -o prog
echo '#define INCLUDED 1' >included.h
clang included.h -o included.pch
linked "clang -include-pch" refrain-cc clang -include-pch included.pch main.c -o prog
gcc -c main.c
linked "objects only" refrain-cc gcc main.o -o prog
linked "behind -Bstatic" refrain-cc gcc main.c -Wl,-Bstatic -lgcc -Wl,-Bdynamic -o prog
mkdir lib && echo 'int zero(void) { return 0; }' >zero.c && gcc -c zero.c && ar rc lib/libzero.a zero.o
linked "a library that is found by -L" refrain-cc gcc main.c -Llib -Wl,--start-group -lzero -Wl,--end-group -o prog

# A compiler that is a script gets its options unchanged. MPICH's is only asked for its command.
mkdir -p "a dir/first" "a dir/second"
echo '#define WHERE "first"' >"a dir/first/where.h"
echo '#define WHERE "second"' >"a dir/second/where.h"
cat >options.c <<'END'
#include <stdio.h>
#include <where.h>
#ifndef EMPTY
#error EMPTY
#endif
int main(void) {
    for (int i = 0; i < NUMBER; i++)
        puts(TEXT WHERE);
    return 0 EMPTY;
}
END
printf '#!/bin/sh\n[ "$1" != -show ] || exec echo gcc\nprintf "%%s\\n" "$@" >>arguments\nexport C_INCLUDE_PATH="%s/a dir/second"\nexec gcc "$@"\n' "$PWD" >mpi-script
sed '2i echo "$@" >>'"$PWD"'/calls' "$(command -v mpicc.mpich)" >mpicc-copy
chmod +x mpi-script mpicc-copy
set -- -D NUMBER=7 -UNUMBER -DNUMBER=2 -D 'TEXT="it'\''s \"\\\\ \"	"' -DEMPTY= -I "a dir/first" -I"a dir/second" -O1 -MD -MF options.d options.c
gcc "$@" -o plain && ./plain >plain.out && gcc "$@" -c -o options.o && tr -s ' \\\n' '\n' <options.d >plain.d
for script in ./mpi-script ./mpicc-copy; do
    rm -f options.o options.d
    check "$script compiles" refrain-cc $script "$@" -c -o options.o
    check "$script: instrumented" instrumented options.o
    check "$script: to what the options say" sh -c 'gcc options.o -o prog && ./prog | diff plain.out - && test "$(wc -l <plain.out)" -eq 2'
    tr -s ' \\\n' '\n' <options.d >traced.d
    check "$script: dependencies are the same" diff plain.d traced.d
    check "$script compiles and links" sh -c 'refrain-cc '$script' "$@" -o prog && ./prog | diff plain.out - && readelf -d prog | grep -q "NEEDED.*librefrain"' sh "$@"
done
check "a script gets all options" sh -c 'grep -qx -- "-Ia dir/second" arguments && grep -qx -- -O1 arguments'
printf -- '-show -c\n-show -DREFRAIN__ARGUMENTS\n' >expected
check "MPICH's script is asked, not run" diff expected calls
readelf -d prog | grep -q 'NEEDED.*librefrain-mpich' && pass || fail "MPICH's script: the link is not seen as one with its library"
: >calls
check "... is run for an option of its own" sh -c 'refrain-cc ./mpicc-copy -cc=clang "$@" -c -o options.o && readelf -p .comment options.o | grep -q clang && grep -q -e " -cc=clang " calls' sh "$@"
: >calls
check "... and asked with the compiler of its environment" sh -c 'MPICH_CC=clang refrain-cc ./mpicc-copy "$@" -c -o options.o && readelf -p .comment options.o | grep -q clang && grep -qx -- "-show -c" calls && test "$(wc -l <calls)" -eq 1' sh "$@"
: >calls
check "... run where it shows what is no program" sh -c '! MPICH_CC="eval gcc" refrain-cc ./mpicc-copy "$@" -c -o options.o 2>/dev/null; test "$(wc -l <calls)" -ge 2' sh "$@"
echo '#include <where.h>
int main(void) { return sizeof WHERE == sizeof "second" ? 0 : 1; }' >where.c
check "another script's environment is the compiler's" sh -c 'refrain-cc ./mpi-script where.c -o prog && ./prog'
set --

# An attribute in a system's header that libclang does not know in this form, as in omp.h of gcc 13 and later.
mkdir system && cat >system/given.h <<'END'
void give_back(void *);
void *given(void) __attribute__((__malloc__, __malloc__(give_back)));
END
printf '#include <given.h>\nint main(void) { give_back(given()); return 0; }\n' >attribute.c
printf '#include <stddef.h>\nvoid give_back(void *p) { (void)p; }\nvoid *given(void) { return NULL; }\n' >given.c
refrain-cc --detail=every --verbose gcc -isystem system attribute.c given.c -o prog >said 2>&1 && ! grep -q 'does not parse' said &&
    refrain-instrument attribute.c --detail=every -o attribute.out.c -- -isystem system && grep -q refrain__ attribute.out.c && pass ||
    fail "an attribute in a system's header: $(head -n 3 said)"

# Assembly at file scope is placed where the compiler alone places it: after code.
cat >assembly.c <<'END'
#include <stdio.h>
__asm__("add_one:\n\tlea 1(%rdi), %eax\n\tret\n");
int add_one(int n);
static int table[3] = {1, 2, 3};
int main(void) {
    int n = 0;
    for (int i = 0; i < 5; i++)
        n += add_one(i) + table[i % 3];
    printf("%d\n", n);
    return 0;
}
END
for compiler in gcc clang; do
    for level in -O0 -O2; do
        [ "$(uname -m)" = x86_64 ] || continue
        check "assembly, $compiler $level" refrain-cc $compiler $level assembly.c -o assembly
        check "... runs" test "$(./assembly)" = 24
        check "... is instrumented" instrumented assembly
    done
done

# A loop that several threads run in one activation does not count in the function's frame.
cat >threads.c <<'END'
long work(int n) {
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += i;
#pragma omp parallel reduction(+ : sum)
    {
        for (int i = 0; i < n; i++)
            sum += i;
    }
    for (int i = 0; i < n; i++)
        sum -= i;
    return sum;
}
END
refrain-instrument --detail=every threads.c -o threads.out
check "loops that count for themselves" test "$(sed '1,/^#line 1 "threads.c"$/d' threads.out | grep -c 'refrain__count')" -eq 2
check "the loop of a parallel region does not" sh -c 'awk "/omp parallel/ { on = 1 } on && /refrain__loop/ { ok = 1 } END { exit !ok }" threads.out'

# C files that a source includes are part of it: traced under their own names and lines, wherever they lie.
mkdir -p src/parts
cat >src/whole.c <<'END'
#include <mpi.h>
/* #include "parts/not.c" */
#include "parts/one.c"
#if 0
#include "parts/missing.c"
#endif
#define NAME second
#include "template.c"
#undef NAME
#define NAME third
#include "template.c"
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int sum = one(3) + second(2) + third(1);
    printf("%d %s:%d\n", sum, __FILE__, __LINE__);
    return MPI_Finalize();
}
END
cat >src/parts/one.c <<'END'
#include "one.h"
int one(int n) {
    for (int i = 0; i < n; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    printf("%s:%d %s\n", __FILE__, __LINE__, header());
    return n;
}
END
printf '#include <stdio.h>\nstatic const char *header(void) { return __FILE__; }\n' >src/parts/one.h
printf 'int NAME(int n) {\n    int unused;\n    while (n-- > 0)\n        MPI_Barrier(MPI_COMM_WORLD);\n    return n;\n}' >src/template.c
mpicc.mpich -Wall -MD -MF plain.d src/whole.c -o plain 2>plain.err && launch mpich 1 ./plain >plain.out
check "included C files" sh -c 'REFRAIN_MPICC=mpicc.mpich refrain-mpicc -Wall -MD -MF traced.d src/whole.c -o traced 2>traced.err'
mkdir traces
REFRAIN_MODE=both REFRAIN_DIRECTORY=traces launch mpich 1 ./traced >traced.out
check "... print the same" diff plain.out traced.out
exact "$(the_trace traces)" "included C files"
for function in one second third; do
    check "... $function is traced" grep -q "enter	$function	" recorded
done
check "... calls have the file's own line" grep -q "enter	MPI_Barrier	file=src/parts/one.c	line=4" recorded
check "... and the template's" grep -q "enter	MPI_Barrier	file=src/template.c	line=4" recorded
# words FILE: of a dependency file, however the lines were wrapped
words() {
    sed 's/\\$//;s/^[a-z]*: *//' "$1" | tr -s ' ' '\n' | grep . | sort -u
}
words plain.d >a
words traced.d >b
check "... dependencies are the same" diff a b
check "... warnings, too" sh -c 'grep "warning" plain.err >a; grep "warning" traced.err >b; diff a b && test -s a'
printf '#ifdef AGAIN\nint again(int n) { while (n--) ; return n; }\n#else\n#define AGAIN\n#include "self.c"\nint main(void) { return again(1) + 1; }\n#endif\n' >self.c
check "a file that includes itself is compiled as it was" sh -c 'refrain-cc gcc self.c -o self && ./self'
summary
