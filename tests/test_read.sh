#!/bin/sh
# The reading library: installed, found by pkg-config and by CMake, its example counts the messages that the text has; any
# window of a trace, in files or in memory, holds the events of the whole that lie in it.
set -u
. "$(dirname "$0")/lib.sh"

installed=$work/installed
check "install" cmake --install "$bin/.." --prefix "$installed"
export PKG_CONFIG_PATH="$(dirname "$(find "$installed" -name refrain-read.pc)")"
example=$installed/share/doc/refrain/examples/who_sends.c
# shellcheck disable=SC2046 # words
check "the example, shared" cc -std=c11 -Wall -Wextra -Werror "$example" $(pkg-config --cflags --libs refrain-read) \
    -Wl,-rpath,"$(pkg-config --variable=libdir refrain-read)" -o "$work/who_sends"
mkdir "$work/cmake"
cat >"$work/cmake/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.13)
project(example C)
find_package(refrain REQUIRED)
add_executable(who_sends $example)
target_link_libraries(who_sends refrain::refrain-read-static)
END
check "the example, static" cmake -S "$work/cmake" -B "$work/cmake/build" -DCMAKE_PREFIX_PATH="$installed"
check "the example, static: build" cmake --build "$work/cmake/build"

# The header stands by itself, in C++ too, and the library has a soname.
include=$(pkg-config --variable=includedir refrain-read)
echo '#include <refrain/read.h>' >"$work/alone.c"
check "read.h in C11" cc -std=c11 -pedantic -Wall -Wextra -Werror -fsyntax-only -I "$include" "$work/alone.c"
check "read.h in C++" c++ -x c++ -std=c++11 -pedantic -Wall -Wextra -Werror -fsyntax-only -I "$include" "$work/alone.c"
library=$(pkg-config --variable=libdir refrain-read)/librefrain-read.so
check "soname" sh -c "readelf -d '$library' | grep -q 'SONAME.*librefrain-read[.]so[.]0\]'"

# Callers that know fewer options, or more, than the library; tables.
cat >"$work/versions.c" <<'END'
#include <refrain/read.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
    struct refrain_trace *trace;
    struct refrain_cursor *cursor;
    struct refrain_error error = {0}, none = {0}, later = {0};
    if (refrain_read_version() != REFRAIN_READ_VERSION || argc < 2 || refrain_trace_open(argv[1], false, &trace, &error))
        return 1;
    /* As of an earlier version: what lies behind its members is not the options'. */
    struct refrain_cursor_options old = REFRAIN_CURSOR_ALL;
    old.size = offsetof(struct refrain_cursor_options, recorded);
    old.to_ns = REFRAIN_TIME_FIRST;
    memset((char *)&old + old.size, 255, sizeof old - old.size);
    if (refrain_cursor_open(trace, &old, &cursor, &error) || refrain_cursor_next(cursor))
        return 2;
    refrain_cursor_close(cursor, &error);
    /* As of a later one: only what is set and not known is refused. */
    struct { struct refrain_cursor_options known; uint64_t added; } new = {REFRAIN_CURSOR_ALL, 0};
    new.known.size = sizeof new;
    if (refrain_cursor_open(trace, &new.known, &cursor, &error) || !refrain_cursor_next(cursor))
        return 3;
    refrain_cursor_close(cursor, &error);
    new.added = 1;
    if (refrain_cursor_open(trace, &new.known, &cursor, &later) != REFRAIN_USAGE || cursor ||
        !strstr(later.message, "install a later refrain"))
        return 4;
    struct { struct refrain_trace_table_options known; uint64_t added; } newer = {REFRAIN_TABLE_ALL, 1};
    struct refrain_trace_table *table;
    newer.known.size = sizeof newer;
    if (refrain_trace_table_open(trace, REFRAIN_TABLE_WAITS, &newer.known, &table, NULL) != REFRAIN_USAGE || table ||
        refrain_trace_table_open(trace, (enum refrain_trace_table_kind)99, NULL, &table, NULL) != REFRAIN_USAGE || table)
        return 6;
    size_t n, n_columns;
    const struct refrain_location_info *locations = refrain_trace_locations(trace, &n);
    if (refrain_trace_table_open(trace, REFRAIN_TABLE_LOCATIONS, NULL, &table, &error) || refrain_trace_table_rows(table) != n)
        return 7;
    const struct refrain_column *columns = refrain_trace_table_columns(table, &n_columns);
    if (n_columns < 4 || strcmp(columns[3].name, "end_ns") || columns[3].type != REFRAIN_COLUMN_INTEGER ||
        columns[3].integers[n - 1] != locations[n - 1].end_ns)
        return 8;
    refrain_trace_table_close(table);
    refrain_trace_table_close(NULL);
    struct refrain_cursor_options empty = {0};
    if (refrain_cursor_open(trace, &empty, &cursor, &none) != REFRAIN_USAGE || !strstr(none.message, "their size"))
        return 5;
    refrain_trace_close(trace);
    return 0;
}
END
# shellcheck disable=SC2046 # words
check "versions" cc -std=c11 -Wall -Werror "$work/versions.c" $(pkg-config --cflags --libs refrain-read) \
    -Wl,-rpath,"$(pkg-config --variable=libdir refrain-read)" -o "$work/versions"

# Only the names of read.h are exported.
nm -D --defined-only "$installed"/lib*/*/librefrain-read.so "$installed"/lib*/librefrain-read.so 2>/dev/null |
    awk '$2 ~ /[TDB]/ { print $3 }' | sort >"$work/symbols"
grep -o 'refrain_[a-z_]*(' "$include/refrain/read.h" | tr -d '(' | sort -u >"$work/named"
[ -s "$work/symbols" ] && [ -z "$(comm -23 "$work/symbols" "$work/named")" ] && pass ||
    fail "symbols beside those of read.h: $(comm -23 "$work/symbols" "$work/named" | tr '\n' ' ')"

for program in mpi_p2p mpi_nonblocking mpi_threads mpi_collectives; do
    REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 -w "$tests/programs/$program.c" -o "$work/$program" -lpthread || fail "compile"
    run=$work/$program-run
    mkdir "$run"
    (cd "$run" && REFRAIN_MODE=both REFRAIN_THREADS=8 REFRAIN_DIRECTORY=$run launch mpich 3 "$work/$program" >/dev/null)
    trace=$(the_trace "$run")
    refrain reconstruct "$trace" --format text -o "$run/text" 2>/dev/null || fail "$program: reconstruct"
    awk -F '\t' '$3 == "send" && $5 !~ /=-1$/ {
            sub(/dest=/, "", $5); sub(/bytes=/, "", $7)
            pair = $1 " -> " $5; n[pair]++; bytes[pair] += $7 }
        END { for (pair in n) printf "%s: %d messages, %d bytes\n", pair, n[pair], bytes[pair] }' "$run/text" | sort >"$run/expected"
    for built in "$work/who_sends" "$work/cmake/build/who_sends"; do
        "$built" "$trace" | sort >"$run/said"
        cmp -s "$run/expected" "$run/said" && pass || { fail "$program: $built"; diff "$run/expected" "$run/said" | head -n 4; }
    done
    check "$program: windows" "$bin/windows" "$trace" 7 60
    check "$program: options of other versions" "$work/versions" "$trace"
done

# The example reports a lack of memory for its table of 3 by 3 entries and one more.
echo '#include <stddef.h>
void *__libc_calloc(size_t n, size_t bytes);
void *calloc(size_t n, size_t bytes) { return n == 10 && bytes == 16 ? NULL : __libc_calloc(n, bytes); }' >"$work/none.c"
check "no memory" cc -shared -fPIC "$work/none.c" -o "$work/none.so"
LD_PRELOAD=$work/none.so "$work/who_sends" "$trace" >/dev/null 2>"$work/said"
[ $? -eq 1 ] && grep -q "no memory" "$work/said" && pass || fail "without memory the example says: $(cat "$work/said")"

# A window has the events of the whole text that lie in it, for the requested ranks, between ENTER and LEAVE events at
# its edges for open regions. So the regions of each location are nested, for any reader.
for n in 3 2; do
    from=$(awk -F '\t' -v n=$n '{ time[NR] = $2 } END { print time[int(NR / n)] }' "$run/text")
    to=$(awk -F '\t' -v n=$n '{ time[NR] = $2 } END { print time[int(NR * (n + 1) / (n + 2))] }' "$run/text")
    check "a window of text" refrain reconstruct "$trace" --format text --from "$from" --to "$to" --ranks 0,2-2 -o "$run/window.$n"
    awk -F '\t' -v from="$from" -v to="$to" '$1 != 1 && $2 >= from && $2 < to' "$run/text" >"$run/expected"
    [ -s "$run/expected" ] && [ "$(grep -cxFf "$run/window.$n" "$run/expected")" = "$(wc -l <"$run/expected")" ] && pass ||
        fail "a window of text from $from to $to: $(grep -vxFf "$run/window.$n" "$run/expected" | head -n 2)"
    awk -F '\t' '{ if ($3 == "enter") stack[$1, ++depth[$1]] = $4
            if ($3 == "leave" && stack[$1, depth[$1]--] != $4) wrong++ }
        END { for (rank in depth) wrong += depth[rank] != 0; exit wrong > 0 }' "$run/window.$n" && pass ||
        fail "regions of the window do not nest"
    refrain reconstruct "$trace" --from "$from" --to "${to}s" -o "$run/otf2.$n" || fail "a window as OTF2"
    otf2-print "$run/otf2.$n/traces.otf2" >"$run/printed" 2>"$run/complaints"
    [ -s "$run/printed" ] && [ ! -s "$run/complaints" ] && pass || fail "otf2-print complains of a window: $(head -n 2 "$run/complaints")"
done
# A share of the run is a time for every command: half of it, in seconds and in per cent.
end=$(awk -F '\t' '$2 > end { end = $2 } END { print end }' "$run/text")
refrain -q reconstruct "$trace" --format text --from 50% --to 75% -o "$run/share" &&
    awk -F '\t' -v end="$end" '$2 < end * 0.49 || $2 > end * 0.76 { wrong++ } END { exit NR == 0 || wrong > 0 }' "$run/share" && pass ||
    fail "a window in per cent: $(head -n 1 "$run/share")"
refrain -q events "$trace" --from 50% --to 75% -o "$run/share.events" && [ -s "$run/share.events" ] && pass || fail "events in per cent"
for command in reconstruct events stats view; do
    refrain "$command" --help >"$run/said"
    tr -s ' \n' ' ' <"$run/said" | grep -q "TIME on: seconds since the start of the run, or 1.5s, 200ms, 30us, 10ns, or 25% of the run" &&
        pass || fail "$command --help does not say what a TIME is"
done
# Long enough for checkpoints: going back costs a part of going there, and finds the same.
cat >"$work/wave.c" <<'END'
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int rank, value = 0, sum, killed = argc > 1 ? atoi(argv[1]) : -1;
    unsigned chance = 12345;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 30000; i++) {
        int tag = i % 7;
        if (argc > 1) {
            chance = chance * 1103515245u + 12345;
            tag = (int)((chance >> 16) % 50);
            if ((chance >> 20) % 3 == 0)
                MPI_Barrier(MPI_COMM_WORLD);
            if (i == killed && rank == 1)
                raise(SIGKILL);
        }
        if (rank == 0)
            MPI_Isend(&value, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, &request);
        else
            MPI_Irecv(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, &request);
        if (i % 16 == 15)
            MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
END
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 "$work/wave.c" -o "$work/wave" || fail "compile"
mkdir "$work/wave-run"
REFRAIN_DIRECTORY=$work/wave-run launch mpich 2 "$work/wave"
check "windows between checkpoints" "$bin/windows" "$(the_trace "$work/wave-run")" 11 24
check "windows where few checkpoints fit" "$bin/windows" "$(the_trace "$work/wave-run")" 12 12 400
check "windows where none but the first fits" "$bin/windows" "$(the_trace "$work/wave-run")" 13 6 1

# Windows from saved states, also after the memory was full, and for a killed run.
for end in 40000 9000; do
    mkdir "$work/chance-$end"
    REFRAIN_THREADS=1 REFRAIN_TOTAL_MEMORY=300K REFRAIN_DIRECTORY=$work/chance-$end launch mpich 2 "$work/wave" $end >/dev/null 2>&1
    check "windows from saved states, up to $end" "$bin/windows" "$(the_trace "$work/chance-$end")" 5 8 -1
done

# An index changes only the time that a window takes. It belongs to one trace and one build. A damaged index, one that
# others can write, and a missing one are not used.
export XDG_CACHE_HOME=$work/cache
mkdir "$XDG_CACHE_HOME"
indexed=$(the_trace "$work/wave-run")
# MPI_Init may take any share of the run, so windows begin and end at events.
refrain reconstruct "$indexed" --format text -o "$work/all.text" --force
lines=$(wc -l <"$work/all.text")
# event_time PERCENT: the time at which this share of the events has passed.
event_time() { sed -n "$((lines * $1 / 100))p" "$work/all.text" | cut -f 2; }
from=$(event_time 60) to=$(event_time 61) later=$(event_time 70)
window() { refrain reconstruct "$indexed" --format text --all --from "$from" --to "$to" -o "$work/window.$1" --force 2>"$work/said"; }
picture() { refrain view "$indexed" --svg --from "$from" --to "$later" -o "$work/picture.$1" --force 2>"$work/said"; }
# figures NAME: those of a window, also with the times of the program without probes.
figures() {
    for times in "" --compensate; do
        for view in wait call-path; do
            # shellcheck disable=SC2086 # several options
            refrain stats --json --by $view $times --from "$from" --to "$later" "$indexed" || fail "figures of a window, $1"
        done
    done >"$work/figures.$1" 2>"$work/said"
}
window without || fail "a window without an index"
figures without
picture without && [ "$(wc -l <"$work/picture.without")" -gt 100 ] || fail "a picture of a window without an index"
[ -z "$(ls "$XDG_CACHE_HOME")" ] && pass || fail "a window leaves an index"
refrain index "$indexed" >"$work/said" 2>&1 && grep -q "states.*one every" "$work/said" && pass || fail "index: $(cat "$work/said")"
index=$(ls "$XDG_CACHE_HOME"/refrain/*.states)
[ "$(stat -c %a "$index")" = 600 ] && pass || fail "the index is open to others: $(stat -c %a "$index")"
window with && [ -s "$work/window.with" ] && cmp "$work/window.without" "$work/window.with" && ! grep -q index "$work/said" && pass ||
    fail "a window from an index differs: $(cat "$work/said")"
picture with && cmp "$work/picture.without" "$work/picture.with" && ! grep -q index "$work/said" && pass ||
    fail "a picture of a window from an index differs: $(cat "$work/said")"
refrain index --compensate "$indexed" >"$work/said" 2>&1 && [ "$(ls "$XDG_CACHE_HOME"/refrain/*.states | wc -l)" = 2 ] && pass ||
    fail "index --compensate: $(cat "$work/said")"
figures with && grep -q '"waiting_ns": [1-9]' "$work/figures.with" && cmp "$work/figures.without" "$work/figures.with" && ! grep -q index "$work/said" && pass ||
    fail "figures from an index differ: $(cat "$work/said")"
refrain index --compensate --remove "$indexed" && [ "$(ls "$XDG_CACHE_HOME"/refrain/*.states)" = "$index" ] && pass || fail "index --compensate --remove"
printf X | dd of="$index" bs=1 seek=70 conv=notrunc 2>/dev/null
figures damaged && cmp "$work/figures.without" "$work/figures.damaged" && grep -q "damaged" "$work/said" && pass ||
    fail "figures with a damaged index: $(cat "$work/said")"
picture damaged && cmp "$work/picture.without" "$work/picture.damaged" && grep -q "damaged" "$work/said" && pass ||
    fail "a picture with a damaged index: $(cat "$work/said")"
window damaged && cmp "$work/window.without" "$work/window.damaged" && grep -q "damaged" "$work/said" && pass || fail "a damaged table: $(cat "$work/said")"
refrain index "$indexed" >/dev/null && truncate -s -8 "$index"
window short && cmp "$work/window.without" "$work/window.short" && grep -q "damaged" "$work/said" && pass || fail "a short index: $(cat "$work/said")"
refrain index "$indexed" >/dev/null && chmod 666 "$index" && printf X | dd of="$index" bs=1 seek=70 conv=notrunc 2>/dev/null
window open && cmp "$work/window.without" "$work/window.open" && ! grep -q index "$work/said" && pass || fail "an index that others can write: $(cat "$work/said")"
rm "$index"
# The rest of an index of a killed process is deleted, and does no harm to a process with the same number.
touch -d "2 hours ago" "$index.99999999"
# shellcheck disable=SC2016 # the inner shell's number, which refrain takes over
sh -c ': >"$1.$$" && exec refrain index "$2"' sh "$index" "$indexed" >"$work/said" 2>&1 && [ "$(ls "$XDG_CACHE_HOME/refrain")" = "$(basename "$index")" ] && pass ||
    fail "files of killed processes: $(cat "$work/said") $(ls "$XDG_CACHE_HOME/refrain")"
XDG_CACHE_HOME=$work/not/yet/there refrain index "$indexed" >"$work/said" 2>&1 && [ -e "$work/not/yet/there/refrain/$(basename "$index")" ] && pass ||
    fail "a cache whose directories are missing: $(cat "$work/said")"
refrain index "$indexed" >/dev/null && refrain index --remove "$indexed" && [ ! -e "$index" ] && pass || fail "index --remove"
# A long run has one after its first window.
many_ranks 2 200000 "$work/long" || fail "many_ranks"
for name in first second; do
    refrain stats --json --by function --from 90% --to 90.1% "$work/long" >"$work/long.$name" 2>"$work/said" && pass || fail "a long run: $(cat "$work/said")"
    [ "$(ls "$XDG_CACHE_HOME"/refrain/*.states | wc -l)" = 1 ] && pass || fail "a long run has no index after its $name window: $(cat "$work/said")"
done
cmp "$work/long.first" "$work/long.second" && [ "$(grep -c '"what"' "$work/long.first")" -gt 3 ] && pass || fail "a long run: its second window is another one"
rm "$XDG_CACHE_HOME"/refrain/*.states
refrain view "$work/long" --svg --from 90% --to 90.1% -o "$work/long.svg" 2>"$work/said" && [ "$(ls "$XDG_CACHE_HOME"/refrain/*.states | wc -l)" = 1 ] && pass ||
    fail "a long run has no index after a picture: $(cat "$work/said")"
rm "$XDG_CACHE_HOME"/refrain/*.states
env -u HOME -u XDG_CACHE_HOME refrain index "$indexed" 2>"$work/said"
[ $? -eq 1 ] && grep -q "set XDG_CACHE_HOME or HOME" "$work/said" && pass || fail "no place for an index: $(cat "$work/said")"

# The output is the same if another thread writes. Its errors are reported.
wave=$(the_trace "$work/wave-run")
for options in "--format text" "--format text --waiting --all --from 1ms --ranks 1" "--format chrome"; do
    for threads in 1 2; do
        # shellcheck disable=SC2086 # several options
        refrain -q reconstruct "$wave" $options --threads $threads -o "$work/by-$threads" --force || fail "$threads threads, $options"
    done
    [ -s "$work/by-1" ] && cmp -s "$work/by-1" "$work/by-2" && pass || fail "two threads write something else: $options"
done
# Nor do threads that open locations at once, here of a trace whose blocks share times.
REFRAIN_TIME_MEMORY=8192 "$bin/many_ranks" 3 1500 "$work/shared" || fail "many_ranks"
for threads in 1 3; do
    refrain -q reconstruct "$work/shared" --format text --threads $threads -o "$work/opened-by-$threads" || fail "$threads threads open locations"
done
[ -s "$work/opened-by-1" ] && cmp -s "$work/opened-by-1" "$work/opened-by-3" && pass || fail "three threads that open locations give something else"
for threads in 1 2; do
    refrain -q reconstruct "$wave" --format text --threads $threads -o - >/dev/full 2>"$work/said"
    [ $? -eq 1 ] && [ "$(grep -c "No space left" "$work/said")" = 1 ] && pass || fail "$threads threads, a full disk: $(cat "$work/said")"
done

# Replay code keeps all its state in the arena, so that checkpoints have it (arena.h).
for source in "$tests"/../reconstruct/sequence/*.c "$tests"/../reconstruct/times/*.c "$tests"/../reconstruct/walk/*.c "$tests"/../reconstruct/match/*.c; do
    case $source in
    */cursor.c | */replay.c | */saved_*.c) continue ;; # what these allocate is no part of a state
    esac
    grep -nE '(^|[^_a-z])(malloc|calloc|realloc|free)\(' "$source" && fail "$source allocates by itself" || pass
done
[ "$(refrain reconstruct "$trace" --ranks 7 --format text -o - 2>&1 | grep -c 'holds no rank 7')" = 1 ] && pass || fail "a rank that is not there"
for option in "--from x" "--to 5parsecs" "--ranks 1,x" "--ranks 3-1" "--ranks 4294967296" "--from 2 --to 1" "--from 60% --to 50%" "--from 101%" "--threads 0" "--threads x"; do
    # shellcheck disable=SC2086 # words
    refrain reconstruct "$trace" $option --format text -o - >/dev/null 2>&1
    [ $? -eq 2 ] && pass || fail "$option: status $?"
done
summary
