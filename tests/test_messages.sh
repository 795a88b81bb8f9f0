#!/bin/sh
# Warnings, notes and errors of an instrumented file must be those of the file itself, with the same lines, columns and words. No file
# may be compiled twice, whatever messages the compiler or the linker prints. gcc checks a file with #line directives less strictly
# (no -Wmisleading-indentation, no position in a format string). So its messages are compared with those of the original file after
# such a directive.
set -u
. "$(dirname "$0")/lib.sh"
REFRAIN_MODE=off
TMPDIR=$work/temporaries
export REFRAIN_MODE TMPDIR
unset REFRAIN_WRAPPER REFRAIN_DETAIL REFRAIN_FILTER
mkdir "$TMPDIR" "$work/count"
cd "$work" || exit 1

# A compiler that counts how often it compiles.
for compiler in gcc clang; do
    printf '#!/bin/sh\necho >>"$COUNT"\nexec %s "$@"\n' "$compiler" >"count/$compiler"
done
chmod +x count/*
COUNT=$work/compilations
export COUNT

# Messages about expressions with probes in them, about code after them on the same line, after tabs and multibyte
# letters, in macros, and about the flow of data.
cat >says.c <<'END'
#include <stdio.h>
#include <string.h>
#define TWICE(x) ((x) + (x))
#define STEP(n) do { int left = step(n); if (left = n) step(left); } while (0)
int step(int n);
static int unused_one(int n) { return n; }
int says(int n, int unused, char *text, unsigned size) {
    int late, never;
	int tabbed = 0; for (int i = 0; i < size; i++) if (step(i) & 1 == 0) tabbed += "abc"[i];
    if (n = step(n)) late = 1;
    const char *word = "größer"; if (step(n) == 1 && n > 2 || step(2)) printf("%s %d\n", n, text); printf("%d\n", word);
    while (step(late))
        ;
    if (step(n))
        n++;
        step(n + 1);
    switch (step(n)) {
    case 1: step(1);
    case 2: step(2); break;
    }
    STEP(n);
    step(TWICE(n = 3), 4 /* too many */);
    do { step(n); } while (n = step(n)); return n == step(1) ? "a" : step(n), text == n;
}
int second(int n) {
    int value;
    if (step(n)) value = 1; else if (step(n + 1)) n = 2;
    char small[4]; if (step(n)) strcpy(small, "much too long"); return value + small[0] + (step(n) ? n : n);
}
__attribute__((warn_unused_result)) int needed(int n);
__attribute__((deprecated("old"))) int old(int n);
enum kind { ONE, TWO, THREE };
int more(enum kind kind, int n, unsigned u, void (*f)(int)) {
    needed(n);
    old(n);
    if (needed(n)) needed(n); f(1.5);
    switch (kind) { case ONE: step(1); break; case TWO: step(2); }
    if (u < 0 || step(u) < 0 && u) step(n); if (n < step(n) < 3) step(4);
    for (; n = step(n), n == 3; n--) step(n == 2 ? step : 3); while (n |= step(n)) step(n), n; if (step(n)); else step(6);
    return needed == 0 || more || f || (step(n) ? u : n) > n;
}
int falls(int n) { if (step(n)) return 1; }
END
sed 's/, 4 .. too many ..//' says.c >warns.c
# Messages that newer compilers treat as errors by default.
lenient="-Wno-error=int-conversion -Wno-error=incompatible-pointer-types"
# A line directive of the file's own, as generated files have them.
{ sed -n 1,8p warns.c && printf '#line 100 "grammar.y"\n' && sed -n '9,$p' warns.c; } >generated.c
sed 's/step(n);/step(n)/' warns.c >broken.c
sed 's/$/\r/' warns.c >ends.c
# What is underlined may be less, since compilers do not underline across lines of probes; and clang's hints stand farther right
# behind letters of several bytes.
hints='/^[^A-Za-z0-9]*$/d;/^[ |]*%[ds]$/d'
mkdir behind
for compiler in gcc clang; do
    for file in says warns generated ends broken; do
        case $compiler-$file in
        gcc-warns | gcc-generated | gcc-ends) { printf '#line 1 "%s.c"\n' $file && cat $file.c; } >behind/$file.c ;;
        *) cp $file.c behind ;; # errors: what the compiler says of the file itself
        esac
    done
    for options in "-O2 -Wall -Wextra" "-O0 -Wall -Wextra -Wconversion -Wparentheses -Wmisleading-indentation" \
        "-O2 -g -Wall -Wextra -Wnull-dereference -std=gnu99" "-O1 -Weverything -Wno-comma -Wno-unreachable-code" "-O2 -Wall -fno-diagnostics-show-caret"; do
        case "$compiler $options" in
        "gcc "*-Weverything*) options="-O2 -Wall -Wextra -Wpedantic -Wshadow -Wundef -Wredundant-decls -Wstrict-prototypes -Wcast-qual -Wunused-macros -Wformat=2 -Wduplicated-branches -Wlogical-op" ;;
        esac
        case "$compiler $options" in
        "clang "*-show-caret) options="-O2 -Wall -fno-caret-diagnostics" ;;
        esac
        options="$lenient $options"
        for file in says warns generated ends broken; do
            # shellcheck disable=SC2086 # a list of words
            $compiler $options -c behind/$file.c -o plain.o 2>plain.err
            status=$?
            sed -i "s,behind/$file.c,$file.c,g;$hints" plain.err
            case $file in says | broken) expected=1 ;; *) expected=0 ;; esac
            [ $status -eq $expected ] && [ "$(grep -c 'warning\|error' plain.err)" -ge 4 ] || fail "$compiler $options $file.c: status $status"
            for detail in communication all; do
                : >"$COUNT"
                # shellcheck disable=SC2086
                refrain-cc --detail=$detail "$work/count/$compiler" $options -c $file.c -o traced.o 2>traced.err
                traced=$?
                sed -i "$hints" traced.err
                [ $traced -eq $status ] && cmp -s plain.err traced.err && pass ||
                    { fail "$compiler $options $file.c, $detail: other messages" && diff plain.err traced.err | head -n 12; }
                [ $status -eq 0 ] || continue
                [ "$(wc -l <"$COUNT")" -eq 1 ] && pass || fail "$compiler $options $file.c, $detail: compiled $(wc -l <"$COUNT") times"
                instrumented traced.o || fail "$compiler $options $file.c, $detail: not instrumented"
            done
        done
    done
done

# A command with several sources, one of which warns, whose linker warns as well.
printf 'extern int step(int n);\nint main(void) { char *t = tmpnam(0); return step(t == 0); }\n' >main.c
sed 's/^#include <stdio.h>/&\n/' main.c | sed '1i #include <stdio.h>' >linked.c
printf 'int step(int n) { int i, unused; for (i = 0; i < n; i++) n -= i; return n; }\n' >step.c
gcc -O2 -Wall linked.c step.c -o plain 2>plain.err
: >"$COUNT"
refrain-cc "$work/count/gcc" -O2 -Wall linked.c step.c -o traced 2>traced.err
check "a linker's warning: all is compiled once" test "$(wc -l <"$COUNT")" -eq 1
sed -i 's,/cc[A-Za-z0-9]*[.]o,/object,;s/+0x[0-9a-f]*)/)/' plain.err traced.err
check "... and the messages are the same" diff plain.err traced.err
check "... and there are some" grep -q tmpnam traced.err
check "no temporary file is left" test -z "$(ls "$TMPDIR")"
summary
