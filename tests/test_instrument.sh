#!/bin/sh
# Instrumented C code behaves as before, and the wrapper behaves as the compiler that it runs.
#   test_instrument.sh BIN
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
sources=$tests/source
REFRAIN_MODE=off
TMPDIR=$work/temporaries
export REFRAIN_MODE TMPDIR
unset REFRAIN_WRAPPER REFRAIN_DETAIL REFRAIN_FILTER
mkdir "$TMPDIR"
cd "$work" || exit 1

# ---- the language ----

compilers="gcc clang"

# language FILE FLAGS...: checks for all $compilers and both details that the program prints the same, and was
# instrumented. Each compiler takes two pairs of levels and details, so that both compilers together take all of them.
language() {
    file=$1
    shift
    for compiler in $compilers; do
        if ! $compiler "$@" "$sources/$file" -o plain 2>plain.err; then
            fail "$file does not compile with $compiler $*: $(head -n 1 plain.err)"
            continue
        fi
        timeout 20 ./plain >plain.out 2>&1
        status=$?
        for level in -O0 -O2; do
            case "$compilers:$compiler$level" in
            gcc:*) details="communication all" ;;
            *:gcc-O0 | *:clang-O2) details=communication ;;
            *) details=all ;;
            esac
            for detail in $details; do
                name="$file, $compiler $* $level, $detail"
                if ! refrain-cc --detail=$detail --verbose $compiler "$@" $level "$sources/$file" -o traced >traced.err 2>&1
                then
                    fail "$name: $(head -n 1 traced.err)"
                    continue
                fi
                timeout 20 ./traced >traced.out 2>&1
                if [ $? -ne $status ] || ! cmp -s plain.out traced.out; then
                    fail "$name: prints something else"
                elif ! instrumented traced; then
                    fail "$name: was not instrumented: $(tail -n 1 traced.err)"
                else
                    pass
                fi
            done
        done
    done
}

strict="-Wall -Wextra -Werror -Wno-implicit-fallthrough -Wno-unknown-warning-option"
for standard in c89 c17 gnu17; do
    language macros.c -std=$standard $strict -Wno-parentheses -Wno-constant-logical-operand
    language control.c -std=$standard $strict -Wno-switch-unreachable
done
language jumps.c -std=gnu89 $strict -Wno-clobbered
language jumps.c -std=gnu17
language c11.c -std=c11 $strict -pedantic
language c11.c -std=c17 $strict
language gnu.c -std=gnu99 $strict
language gnu.c -std=gnu17 $strict
language knr.c -std=c89 -w
language entry.c -std=gnu17 -w
compilers=gcc # libclang reads it with errors: the functions concerned are left alone
language nested.c -std=gnu17 -w -Wl,--no-warn-execstack
language labels.c -std=gnu17 -w
compilers="gcc clang"
language preprocessor.c -std=gnu17
language openmp.c -std=gnu17 -Wall -Wno-unknown-pragmas
echo 'int main(void) { return 0; }' >empty.c
if clang -fopenmp empty.c -o empty 2>/dev/null; then
    language openmp.c -std=gnu17 -fopenmp
fi

# The code around a function that is not instrumented is traced, in order.
mkdir nested
check "nested.c with regions" refrain-cc --detail=every gcc -std=gnu17 -w -DREGIONS -I"$tests/../include" \
    -Wl,--no-warn-execstack "$sources/nested.c" -o nested/traced
(cd nested && REFRAIN_MODE=both ./traced >/dev/null 2>&1)
exact "$(the_trace nested)" "nested.c"
check "nested.c: what is inside and outside of them" sh -c 'grep -q "enter	apply	" "$0" && grep -q "odd" "$0"' recorded

# The text itself. `sh test_instrument.sh BIN rewrite` puts the present one in place.
(cd "$sources" && refrain-instrument simple.c -o "$work/simple.out") && sed '1,/^#line 1 "simple.c"$/d' simple.out >simple.text
[ "${2-}" = rewrite ] && cp simple.text "$sources/simple.expected"
check "simple.c is edited as expected" diff "$sources/simple.expected" simple.text
# ... and its tokens keep their lines and columns: "line column token", for all that no probe brought.
tokens() {
    awk -v first="$2" '/^#line 1 "simple.c"/ { on = 1; line = 1; next } !on && first { next }
        /^#line / { line = $2; next }
        {
            text = $0
            for (column = 1; match(text, /[A-Za-z_0-9]+/); ) {
                print line, column + RSTART - 1, substr(text, RSTART, RLENGTH)
                column += RSTART + RLENGTH - 1
                text = substr(text, RSTART + RLENGTH)
            }
            line++
        }
        BEGIN { line = 1 }' "$1" | sort -u
}
tokens "$sources/simple.c" 0 >simple.places
tokens simple.out 1 >simple.now
check "lines and columns stay what they are" test -z "$(comm -23 simple.places simple.now)" -a "$(wc -l <simple.places)" -gt 90

# The name of a critical section is no directive, and __builtin_setjmp returns twice as setjmp does.
critical() { # NAME: the instrumented text of a section with this name, which is then replaced
    printf 'int MPI_Barrier(int);\nvoid f(int n) {\n#pragma omp critical(%s)\n    for (int i = 0; i < n; i++)\n        MPI_Barrier(i);\n}\n' "$1" >critical.c
    refrain-instrument --detail=all critical.c -o critical.out && sed "s/critical($1)/critical(NAME)/" critical.out
}
critical held >held.text
check "probes in a critical section" grep -q refrain__ held.text
for name in task loop target simd; do
    critical $name >named.text
    check "a critical section called $name" cmp held.text named.text
done
for name in __builtin_setjmp _setjmp; do
    printf 'int _setjmp(void **);\nint MPI_Barrier(int);\nvoid f(void **at) {\n    MPI_Barrier(1);\n    if (%s(at) == 0)\n        MPI_Barrier(2);\n}\n' $name >twice.c
    refrain-instrument twice.c -o twice.out
    check "$name keeps its function from being inlined" grep -q '^__attribute__((__noinline__)) *$' twice.out
done

# ---- the command line ----

# make_template: the sources that the command lines are about, in the directory template.
make_template() {
    mkdir -p project/inc project/sub 'project/sub dir' project/out
    cat >project/inc/util.h <<'END'
#ifndef UTIL_H
#define UTIL_H
int util(int n);
int other(int (*f)(int), int n);
#endif
END
    cat >project/pre.h <<'END'
#define PRE_INCLUDED 1
END
    cat >project/local.h <<'END'
static const char *where(void) { return __FILE__; }
END
    cp project/local.h project/sub/local.h
    cat >project/main.c <<'END'
#include "util.h"
#include "local.h"
#include <stdio.h>
#ifndef GREETING
#define GREETING "none"
#endif
#ifndef EXPRESSION
#define EXPRESSION 0
#endif
int main(void) {
    int i;
    for (i = 0; i < 3; i++)
        printf("%d %s:%d %s %s %d\n", util(i), __FILE__, __LINE__, where(), GREETING, EXPRESSION);
    return util(0) && other(util, 1);
}
END
    cp project/main.c project/main.txt
    # dependencies, however the lines were wrapped
    printf 'cat "$@" | tr -s " \\\\\\n" "\\n"\n' >project/words
    cat >project/sub/util.c <<'END'
#include "util.h"
#include "local.h"
#include <stdio.h>
int other(int (*f)(int), int n) {
    return n > 0 ? f(n) : 0;
}
int util(int n) {
    if (n > 1)
        printf("%s %s %d\n", __FILE__, where(), __LINE__);
    return n ? other(util, n - 1) + 1 : 0;
}
END
    cat >'project/sub dir/blank name.c' <<'END'
#include <stdio.h>
int step(int n);
int step(int n) {
    return n;
}
int main(void) {
    if (step(0) == 0)
        puts(__FILE__);
    return 0;
}
END
    cat >project/broken.c <<'END'
int step(int n);
int broken(int n) {
    if (n)
        step(n)
    return undeclared;
}
END
    cat >project/warns.c <<'END'
int step(int n);
int warns(int n, int unused) {
    int late, never;
    if (n = step(n))
        late = 1;
    while (step(late))
        ;
}
END
    cat >project/selves.c <<'END'
#ifndef ONCE
#define ONCE
int step(int n);
#include "selves.c"
int main(void) { if (step(1)) return 0; return 1; }
#else
int step(int n) { return n; }
#endif
END
    echo 'extern "C" int f() { return 0; }' >project/other.cpp
    printf '.text\n.globl nothing\nnothing:\n' >project/assembly.S
    printf -- '-Iinc "-DGREETING=\\"a b\\""\nmain.c sub/util.c -o prog\n' >project/args.rsp
    mv project template
}
make_template

# make_directory: these sources in project, and nothing else.
make_directory() {
    rm -rf project
    cp -R template project
}

# observe NAME CC: what the command line in $line does in a fresh directory.
observe() {
    make_directory
    (cd project && CC=$2 timeout 60 sh -c "$line") >"$1/stdout" 2>"$1/stderr" </dev/null
    echo $? >"$1/status"
    LC_ALL=C ls -AR1 project >"$1/files"
}

mkdir plain.seen traced.seen
grep -v '^#' "$sources/command_lines" >lines
while IFS= read -r line; do
    except=
    case $line in "~"*) line=${line#?} except=--exclude=stderr ;; esac
    observe plain.seen gcc
    observe traced.seen "refrain-cc gcc"
    sed -i 's,/cc[A-Za-z0-9]*[.]o,/object,' plain.seen/* traced.seen/* # names that gcc makes up
    # shellcheck disable=SC2086 # none or one word
    diff -r $except plain.seen traced.seen >different && pass || fail "$line: $(head -n 7 different)"
done <lines

# ---- beside the compiler ----

make_directory
cd project || exit 1
refrain-cc gcc -g -Iinc main.c sub/util.c -o prog
objects=$(readelf --debug-dump=info prog | grep -o 'DW_AT_name.*[.]c$' | sed 's/.*: //' | sort -u | tr '\n' ' ')
check "a debugger sees the original names" test "$objects" = "main.c sub/util.c "
check "no temporary name in the program" sh -c '! strings -a prog | grep -q temporaries'
check "the symbol table names the source" sh -c 'readelf -sW prog | grep -q "FILE .* main.c$"'
refrain-cc gcc -Iinc -c main.c -o one.o && cp one.o first.o && refrain-cc gcc -Iinc -c main.c -o one.o
check "the same input gives the same object" cmp one.o first.o
refrain-cc gcc -Iinc -c main.c sub/util.c
check "objects link without refrain" gcc main.o util.o -o without
check "... and run" ./without
REFRAIN_WRAPPER=off refrain-cc gcc -Iinc -c main.c
check "REFRAIN_WRAPPER=off" sh -c '! nm main.o | grep -q refrain'
refrain-cc gcc --refrain-detail=every -Iinc -c main.c
check "--refrain-detail=every" instrumented main.o
echo 'int work(int n) { int sum = 0; for (int i = 0; i < n; i++) if (i & n) sum += i; return sum; }' >work.c
REFRAIN_DETAIL=every refrain-cc gcc -O1 -S work.c && all=$(grep -c -e 'call.*refrain__tell' -e 'pushsection refrain_sites' work.s)
refrain-cc gcc -O1 -S work.c && some=$(grep -c -e 'call.*refrain__tell' -e 'pushsection refrain_sites' work.s)
check "REFRAIN_DETAIL=every" test "$all" -gt "$some"
# Each of these functions takes as long to compile as one of the program.
echo 'extern int MPI_Barrier(int); int work(int n) { return MPI_Barrier(n) + MPI_Barrier(n + 1); }' >plain.c
refrain-cc gcc -O0 -c plain.c
check "without optimisation no function of refrain's is compiled" \
    test "$(nm plain.o | grep -i ' t ' | sed 's/.* //' | tr '\n' ' ')" = "refrain__code work "
check "... and the file has probes" sh -c 'nm plain.o | grep -q "w refrain_probe"'
# Macros of the command line that are words of the text in front of the file.
words=$(cat "$tests"/../instrumentor/inserted/*.h | grep -v '^#' | sed 's/"[^"]*"//g' | grep -o '\b[a-z][a-z_0-9]*\b' | sort -u |
    grep -vxE 'defined|work|sum|.|char|continue|do|else|extern|for|goto|if|int|long|return|sizeof|static|struct|typedef|unsigned|void|while' |
    grep -v '^refrain_' |
    sed 's/.*/-D&=7/' | tr '\n' ' ')
[ "$(echo "$words" | wc -w)" -gt 30 ] && pass || fail "words of the text in front: $words"
for level in -O0 -O2; do
    # shellcheck disable=SC2086 # a list
    check "words of the text in front as macros, $level" refrain-cc --detail=every gcc $level $words -c work.c -o macros.o
    check "... and it is instrumented" instrumented macros.o
done
check "keywords as macros" refrain-cc --detail=every gcc -Dstatic= -Dint=long -Dif=while -c work.c -o macros.o
check "... and it is instrumented" instrumented macros.o
seq 20 | sed 's/.*/int step(int); int main(void) { while (step(3)) ; return step(2); } int step(int n) { return 0; } \/* & *\//' >many.c
for i in $(seq 8); do
    sed -n "${i}p" many.c >many$i.c
    printf 'many%d.o: many%d.c\n\trefrain-cc gcc -c $<\n' "$i" "$i" >>Makefile
done
check "parallel make" make -j4 many1.o many2.o many3.o many4.o many5.o many6.o many7.o many8.o
if available ccache; then
    export CCACHE_DIR="$work/ccache"
    refrain-cc ccache gcc -Iinc -c main.c && refrain-cc ccache gcc -Iinc -c main.c
    check "ccache after the wrapper" sh -c 'ccache -s -v 2>/dev/null | grep -E "Hits: +[1-9]"'
    check "... instruments" instrumented main.o
    check "ccache before the wrapper" ccache refrain-cc gcc -Iinc -c main.c
fi
for compiler in mpicc.mpich mpicc.openmpi; do
    available $compiler || continue
    printf '#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); MPI_Finalize(); return 0; }\n' >mpi.c
    REFRAIN_MPICC=$compiler refrain-mpicc mpi.c -o mpi
    check "$compiler: refrain comes before the MPI library" sh -c 'readelf -d mpi | grep NEEDED | grep -n "" |
        awk "/librefrain-${0#mpicc.}/ { r = NR } /libmpi/ && !m { m = NR } END { exit !(r && (!m || r < m)) }"' $compiler
    check "$compiler -show is passed on" sh -c "test \"\$(REFRAIN_MPICC=$compiler refrain-mpicc -show)\" = \"\$($compiler -show)\""
done

# ---- by the compiler's own name ----

names=$work/names
mkdir "$names"
for name in gcc clang cc; do
    ln -s "$(command -v refrain-cc)" "$names/$name"
done
for name in mpicc.mpich nothing-else; do
    ln -s "$(command -v refrain-mpicc)" "$names/$name"
done
for compiler in gcc clang cc mpicc.mpich; do
    rm -f main.o
    check "$compiler is a link to the wrapper" env PATH="$names:$PATH" timeout 20 $compiler -Iinc -c main.c
    check "... and instruments, once" sh -c 'test "$(nm main.o | grep -c " refrain__u\$")" -eq 1'
    check "... by its path, too" timeout 20 "$names/$compiler" -Iinc -c main.c -o by-path.o
    check "... to the same" cmp main.o by-path.o
    check "... and is the compiler otherwise" sh -c 'test "$("$0" -dumpversion)" = "$($1 -dumpversion)"' "$names/$compiler" $compiler
done
# refrain/refrain.h is found in refrain's installation, after the directories of the command, also by the instrumentor.
printf '%s\n' '#include <refrain/refrain.h>' '#ifdef MINE' 'int mine;' '#endif' 'int main(void) {' '    refrain_marker("here");' \
    '    return 0;' '}' >told.c
for way in "-E" "-c" "-c -O2 -Wall -Werror"; do
    # shellcheck disable=SC2086 # words
    said=$(refrain-cc --detail=every gcc $way told.c -o told.o 2>&1) && [ -z "$said" ] && pass || fail "refrain.h, $way: $said"
done
nm told.o | grep -q ' refrain_marker$' && nm told.o | grep -q ' refrain__u$' && pass || fail "refrain.h: $(nm told.o)"
mkdir -p other/refrain && printf '%s\n' '#define MINE' '#define refrain_marker(name) 0' >other/refrain/refrain.h
check "a refrain.h of the program's own" sh -c 'refrain-cc gcc -Iother -c told.c -o told.o && nm told.o | grep -q mine'
C_INCLUDE_PATH=$PWD/other check "... of the environment" sh -c 'refrain-cc gcc -c told.c -o told.o && nm told.o | grep -q mine'
REFRAIN_WRAPPER=off refrain-cc gcc -c told.c -o told.o 2>/dev/null && fail "REFRAIN_WRAPPER=off finds refrain.h" || pass
PATH="$names:$PATH" check "refrain-cc and the link" refrain-cc gcc -Iinc main.c sub/util.c -o prog
PATH="$names:$PATH" check "refrain-mpicc and the link" env REFRAIN_MPICC=mpicc.mpich timeout 20 refrain-mpicc -Iinc -c main.c
cp main.o first.o
check "... instruments as ever" sh -c 'REFRAIN_MPICC=mpicc.mpich refrain-mpicc -Iinc -c main.c && cmp first.o main.o'
PATH="$names:/nowhere" "$names/gcc" -c main.c 2>message
check "a link and no compiler" test $? -ne 0 -a "$(wc -l <message)" -eq 1
check "a link under a name of its own" "$names/nothing-else" -Iinc -c main.c

# ---- filters ----

cat >filter <<'END'
SCOREP_REGION_NAMES_BEGIN # a comment
  EXCLUDE *
  INCLUDE MANGLED ut?l
          o[a-t]her
SCOREP_REGION_NAMES_END
SCOREP_FILE_NAMES_BEGIN
  EXCLUDE ma*
SCOREP_FILE_NAMES_END
END
refrain-cc --filter=filter --detail=every gcc -Iinc -c main.c sub/util.c
check "a filtered file has no tables" sh -c '! nm main.o | grep -q refrain'
check "a file that is not has" instrumented util.o
sed -i 's/INCLUDE MANGLED ut?l/INCLUDE none/; s/o\[a-t\]her//' filter
REFRAIN_FILTER=filter refrain-cc gcc -Iinc -c sub/util.c
check "functions are left out" sh -c '! nm util.o | grep -q refrain'

# one_line WHAT PATTERN COMMAND...: exactly one line on standard error, which matches, and the object is made as it was.
one_line() {
    what=$1 pattern=$2
    shift 2
    rm -f main.o
    "$@" 2>message
    if [ $? -eq 0 ] && [ -f main.o ] && [ "$(wc -l <message)" -eq 1 ] && grep -q "$pattern" message; then
        pass
    else
        fail "$what: $(cat message)"
    fi
}
one_line "a filter that is not there" "cannot read the filter file" refrain-cc --filter=nowhere gcc -Iinc -c main.c
echo 'EXCLUDE *' >bad
one_line "a filter that makes no sense" "bad:1:.*outside" refrain-cc --filter=bad gcc -Iinc -c main.c
one_line "a detail that makes no sense" "none of 'calls', 'communication', 'all' and 'every'" refrain-cc --detail=most gcc -Iinc -c main.c
REFRAIN_CLANG_RESOURCE_DIR=/nowhere one_line "clang's headers are missing" "clang's own headers" refrain-cc gcc -Iinc -c main.c
if [ "$(id -u)" -eq 0 ] && mkdir -p full && mount -t tmpfs -o size=4k tmpfs full 2>/dev/null; then
    TMPDIR=$PWD/full one_line "a full disk" "cannot write" refrain-cc gcc -Iinc -O1 -pipe -c main.c
    umount full
fi
refrain-cc --nonsense gcc -c main.c >/dev/null 2>message
check "an unknown option" test $? -eq 2 -a "$(wc -l <message)" -eq 1
refrain-cc /no/such/compiler -c main.c 2>message
check "no compiler" test $? -eq 127 -a "$(wc -l <message)" -eq 1
check "help" sh -c 'refrain-cc --help | grep -q SYNOPSIS && refrain-mpicc --help | grep -q REFRAIN_MPICC'
refrain-instrument broken.c -o x.c 2>message
check "refrain-instrument says what is wrong" sh -c "test $? -eq 1 -a ! -e x.c && grep -q 'broken.c:4' message"

cd "$work" || exit 1
check "no temporary file is left" test -z "$(ls "$TMPDIR")"
summary
