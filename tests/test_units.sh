#!/bin/sh
# Units are found however they are linked: one list and one constructor for each executable or library (inserted/units.h).
#   test_units.sh BIN
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

cat >main.c <<'TEXT'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int near(int n);
int far(int n);
static int early;
__attribute__((constructor(102))) static void before_main(void) {
    for (int i = 0; i < 3; i++)
        early += near(i);
}
int main(int argc, char **argv) {
    int sum = early;
    for (int i = 0; i < 10; i++)
        sum += near(i) + far(i);
    for (int i = 0; argc > 1 && i < (argc > 2 ? atoi(argv[2]) : 3); i++) {
        void *library = dlopen(argv[1], RTLD_NOW);
        int (*loaded)(int) = library ? (int (*)(int))dlsym(library, "loaded") : 0;
        if (!loaded)
            return 1;
        for (int j = 0; j < 10; j++)
            sum += loaded(j);
        dlclose(library);
    }
    printf("%d\n", sum);
    return 0;
}
TEXT
for function in near far loaded; do
    cat >$function.c <<TEXT
int helper_of_$function(int n);
int $function(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += helper_of_$function(i);
    return sum;
}
TEXT
    cat >helper_of_$function.c <<TEXT
int helper_of_$function(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += i * i;
    return sum;
}
TEXT
done
files="near far helper_of_near helper_of_far"

# look: what refrain says of the trace, in the files info and stats
look() {
    refrain info traces/*.refrain >info
    refrain stats traces/*.refrain >stats
}

# counts FUNCTION...: how often they were called, by the trace
counts() {
    awk -v names="$*" '{ for (i = 2; i <= NF; i++) if (!($i in n)) n[$i] = $(i - 1) }
        END { for (i = 1; i <= split(names, name, " "); i++) printf "%s%s", (i > 1 ? " " : ""), n[name[i] "()"] }' stats
}

# is EXPECTED WHAT: the program has printed it
is() {
    [ "$(cat out)" = "$1" ] && pass || fail "$2: $(head -n 1 out)"
}

# traced WHAT COMMAND...: runs it, and expects all calls of all files in the trace
traced() {
    what=$1
    shift
    rm -rf traces
    REFRAIN_THROTTLE=0 REFRAIN_DIRECTORY=traces "$@" >out 2>&1 || {
        fail "$what: $(head -n 1 out)"
        return
    }
    is "$(cat expected)" "$what"
    look
    grep -q 'nothing was lost' info && pass || fail "$what: something was lost: $(grep -i lost info)"
    told=$(counts main near far helper_of_near helper_of_far)
    [ "$told" = "1 13 10 48 45" ] && pass || fail "$what: calls $told"
}

# sections NAME FILE: bytes in those whose names begin so
sections() {
    readelf -SW "$2" | sed 's/^ *\[ *[0-9]*\] *//' | awk -v name="$1" 'index($1, name) == 1 { n += strtonum("0x" $5) } END { print n + 0 }'
}

for compiler in gcc clang; do
    available $compiler || continue
    # shellcheck disable=SC2086 # lists of files
    for level in -O2 -O0 "-O2 -fPIC" "-O2 -ffunction-sections"; do
        for file in main $files loaded helper_of_loaded; do
            refrain-cc --detail=every $compiler $level -fPIC -c $file.c || fail "compile $file.c"
        done
        objects="near.o far.o helper_of_near.o helper_of_far.o"
        $compiler main.c $level near.c far.c helper_of_near.c helper_of_far.c -o plain -ldl && ./plain >expected
        refrain-cc $compiler main.o $objects -o program -ldl && traced "$compiler $level" ./program
        [ "$(sections .init_array program) $(sections .fini_array program)" = "24 16" ] && pass ||
            fail "$compiler $level: constructors $(sections .init_array program), destructors $(sections .fini_array program)"
        refrain-cc $compiler -Wl,--gc-sections main.o $objects -o program -ldl && traced "$compiler $level --gc-sections" ./program
        for linker in lld gold; do
            command -v ld.$linker >/dev/null || continue
            refrain-cc $compiler -fuse-ld=$linker -Wl,--gc-sections main.o $objects -o program -ldl &&
                traced "$compiler $level, $linker --gc-sections" ./program
        done
        rm -f library.a
        ar rc library.a $objects && refrain-cc $compiler main.o library.a -o program -ldl && traced "$compiler $level, archive" ./program
        ld -r near.o far.o -o two.o && ld -r two.o helper_of_near.o helper_of_far.o -o four.o &&
            refrain-cc $compiler main.o four.o -o program -ldl && traced "$compiler $level, ld -r" ./program
        objcopy --localize-hidden four.o local.o && refrain-cc $compiler main.o local.o -o program -ldl &&
            traced "$compiler $level, ld -r, hidden names local" ./program
        refrain-cc $compiler -shared far.o helper_of_far.o -o libfar.so &&
            refrain-cc $compiler main.o near.o helper_of_near.o -o program ./libfar.so -ldl &&
            traced "$compiler $level, shared library" ./program
        refrain-cc $compiler -shared loaded.o helper_of_loaded.o -o loaded.so &&
            refrain-cc $compiler main.o $objects -o program -ldl &&
            $compiler -shared -fPIC $level loaded.c helper_of_loaded.c -o plain.so && ./plain ./plain.so >expected &&
            traced "$compiler $level, dlopen" ./program ./loaded.so
        [ "$(counts loaded helper_of_loaded)" = "30 135" ] && pass ||
            fail "$compiler $level, dlopen three times: $(counts loaded helper_of_loaded)"
        # A library that comes back takes no memory again.
        ./plain ./plain.so 1500 >expected
        REFRAIN_TOTAL_MEMORY=400K traced "$compiler $level, dlopen 1,500 times" ./program ./loaded.so 1500
        [ "$(counts loaded)" = 15,000 ] && pass || fail "$compiler $level, dlopen 1,500 times: $(counts loaded)"
        ./plain >expected
        $compiler main.o $objects -o program -ldl && ./program >out
        is "$(cat expected)" "$compiler $level: without librefrain"
    done
    # Units with and without a list of the linker's.
    $compiler -O2 -flto main.c near.c far.c helper_of_near.c helper_of_far.c -o plain -ldl 2>said || continue
    refrain-cc --detail=every $compiler -O2 -flto -c near.c && refrain-cc --detail=every $compiler -O2 -flto -c helper_of_far.c ||
        fail "$compiler: -flto"
    # shellcheck disable=SC2086
    refrain-cc $compiler -O2 -flto main.o $objects -o program -ldl && traced "$compiler: half of it with -flto" ./program
    refrain-cc --detail=every $compiler -O2 -flto main.c near.c far.c helper_of_near.c helper_of_far.c -o program -ldl &&
        traced "$compiler -flto" ./program
done

# Units that another version made: these begin with its number. They are counted; the others are traced.
cat >other.c <<'TEXT'
extern void refrain_register(void *unit) __attribute__((weak));
static struct {
    unsigned version, n_nodes, n_slots, others[32];
} unit = {7, 1000000, 1000000, {0}};
__attribute__((constructor(101))) static void begin(void) {
    if (refrain_register)
        refrain_register(&unit);
}
TEXT
gcc -c other.c && refrain-cc --detail=every gcc -O2 main.c near.c far.c helper_of_near.c helper_of_far.c other.o -o program -ldl || fail "other.c"
rm -rf traces
REFRAIN_DIRECTORY=traces ./program >out
is "$(cat expected)" "with a unit of another version"
look
grep -q '^ *lost *1 source file.*another version' info && pass || fail "a unit of another version: $(grep -i 'lost' info)"
[ "$(counts main)" = 1 ] && pass || fail "beside a unit of another version: $(counts main)"

# ... and their probes do not call the monitor, by a name of an older version or of a later one.
version=$(sed -n 's/^#define REFRAIN_UNIT_VERSION \([0-9]*\)u$/\1/p' "$tests/../include/refrain/unit.h")
nm -D --defined-only "$(find "$bin/.." -name librefrain.so | head -n 1)" | awk '{ print $3 }' |
    grep -E '^refrain_(probe|site)(_[0-9]+)?$' | grep -v "_site_$version\$" >names
[ "$(cat names)" = "refrain_probe_$version" ] && pass || fail "units of version $version call by $(tr '\n' ' ' <names)"
x86_64_only "no sites"
for level in -O0 -O2; do
    refrain-cc --detail=every gcc $level -c main.c near.c helper_of_near.c helper_of_far.c &&
        refrain-cc --detail=every gcc $level -S far.c &&
        sed -E "s/(refrain_(sites|units|site|probe))_$version\\b/\\1_1$version/g; s/\\.quad $version,/.quad 1$version,/" far.s >later.s &&
        gcc -c later.s && refrain-cc gcc main.o near.o later.o helper_of_near.o helper_of_far.o -o program -ldl ||
        fail "$level, later.s"
    rm -rf traces
    REFRAIN_THROTTLE=0 REFRAIN_DIRECTORY=traces ./program >out
    is "$(cat expected)" "$level, with a unit of a later version"
    look
    grep -q '^ *lost *1 source file.*another version' info && pass || fail "$level, a unit of a later version: $(grep -i 'lost' info)"
    told=$(counts main near helper_of_near helper_of_far)
    [ "$told" = "1 13 48 45" ] && [ -z "$(counts far)" ] && pass || fail "$level, beside a unit of a later version: calls $told, $(counts far)"
done
summary
