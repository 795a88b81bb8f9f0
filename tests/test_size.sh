#!/bin/sh
# The trace is never larger than `refrain size` predicted, at 1, 10 and 100 times the iterations; refrain info prints both
# sizes. The file of a process that ends by itself is as small as its learned data, and has the same contents as that of a
# killed one.
set -u
. "$(dirname "$0")/lib.sh"

flags="-O1 -std=gnu11 -w"
REFRAIN_MPICC=mpicc.mpich refrain-mpicc $flags "$tests/programs/control.c" -o "$work/control" || fail "compile"
json_number() {
    tr -d ' ",' | sed -n "s/^$1://p"
}
for memory in "" 5M; do
    [ -z "$memory" ] || export REFRAIN_TOTAL_MEMORY=$memory
    said=$(refrain size "$work/control" --ranks 2 --json | json_number total_bytes)
    limit=$(($(refrain size "$work/control" --ranks 2 --json | json_number total_memory_bytes) * 2))
    for rounds in 5 50 500; do
        mkdir "$work/run"
        REFRAIN_DIRECTORY=$work/run launch mpich 2 "$work/control" $rounds >/dev/null
        bytes=$(cat "$work"/run/*.refrain/* | wc -c)
        reserved=$(($(du -s --block-size=512 "$work"/run/*.refrain | cut -f 1) * 512))
        echo "${memory:-default} memory, $rounds rounds: $bytes bytes"
        [ "$bytes" -le "$said" ] && pass || fail "$bytes bytes, refrain size said $said at most"
        [ "$reserved" -le "$limit" ] && pass || fail "$reserved bytes on disk for a limit of $limit"
        for part in tree_bytes slot_bytes outside_bytes ranks_bytes; do # the parts are as foretold too
            before=$(refrain size "$work/control" --ranks 2 --json | json_number $part)
            after=$(refrain info --verbose "$work"/run/*.refrain --json | json_number $part | sort -u)
            [ "$before" = "$after" ] && pass || fail "$part: $before foretold, $after used"
        done
        known=$(refrain info --verbose "$work"/run/*.refrain --json | grep -B 1 most_bytes | json_number bytes | head -n 1)
        [ "$known" = "$bytes" ] && pass || fail "refrain info says $known bytes, there are $bytes"
        rm -rf "$work/run"
    done
done
unset REFRAIN_TOTAL_MEMORY

# Memory that is not part of the total is named: 12 bytes a rank, and as much as for 64 ranks.
for ranks in 1 4096; do
    bytes=$(refrain size "$work/control" --ranks $ranks --json | json_number ranks_bytes)
    [ "$bytes" = $((12 * (ranks + 64))) ] && pass || fail "$ranks ranks: $bytes bytes beside the total"
done
# Also not part of it: memory of many threads for rearranging formulas, 86,536 bytes each, beyond the 1,152 KiB that packing
# has set aside.
for threads in 1 64; do
    bytes=$(REFRAIN_TOTAL_MEMORY=16M REFRAIN_THREADS=$threads refrain size "$work/control" --json | json_number scratch_bytes)
    [ "$bytes" = $((threads == 1 ? 0 : 64 * 86536 - 1152 * 1024)) ] && pass || fail "$threads threads: $bytes bytes for rearranging"
done
refrain size "$work/control" --ranks 4096 | grep -q '^besides  *49920 ' && pass || fail "refrain size does not say what comes besides the total"

# The call sites that it counts in the machine code are those of the source, with and without a linkage table, also if
# stripped.
sites=$(grep -o 'MPI_[A-Z][a-z_]*(' "$tests/programs/sticky.c" | wc -l)
for how in -fplt -fno-plt -s; do
    REFRAIN_MPICC=mpicc.mpich refrain-mpicc $flags $how "$tests/programs/sticky.c" -o "$work/sticky" || fail "compile"
    said=$(refrain size "$work/sticky" --json | json_number call_sites)
    [ "$said" = "$sites" ] && pass || fail "$how: $said call sites, the source has $sites"
done

# When anything is lost, no more than a tenth of the memory is unused; and times do not end before the run does.
mpicc.mpich -O1 "$tests/programs/half_used.c" -o "$work/half_used" || fail "compile"
for memory in 400K 640K; do
    rm -rf "$work/run"
    timeout 120 refrain record -q --memory $memory --directory "$work/run" mpiexec.mpich -n 2 "$work/half_used" || fail "$memory: status $?"
    refrain info --json "$work"/run/*.refrain | tr -d ' ",' | awk -F : '
        $1 == "stopped" { stopped += $2 == "true" }
        $1 == "bytes" { bytes = $2 }
        $1 == "pool_used_bytes" { idle += 10 * (bytes - $2) > bytes }
        $1 == "values" { values += $2 }
        $1 == "values_exact" { exact += $2 }
        END { print (exact < values ? "lost," : "kept,"), idle + 0, "idle,", stopped + 0, "stopped" }' >"$work/said"
    [ "$(cat "$work/said")" = "lost, 0 idle, 0 stopped" ] && pass || fail "half_used in $memory: $(cat "$work/said")"
done
rm -rf "$work/run"

# More memory is never less room to learn in.
before=0
for memory in 1M 1400K 1536K 1600K 2047K 2M 2056K 3M 3840K 3900K 4M 16M; do
    bytes=$(REFRAIN_TOTAL_MEMORY=$memory refrain size "$work/control" --json | json_number total_bytes)
    [ "$bytes" -ge "$before" ] && pass || fail "$memory: $bytes bytes, less memory has $before"
    before=$bytes
done

# The least memory is as predicted; with one byte less nothing is traced. The guaranteed call sites of a plain program,
# with their counts by partner, leave its least memory below 256K, with about thirty MPI functions below 260K.
REFRAIN_MPICC=mpicc.mpich refrain-mpicc $flags "$tests/programs/mpi_p2p.c" -o "$work/p2p" || fail "compile"
for threads in 1 3; do
    export REFRAIN_THREADS=$threads
    for program in control p2p; do
        least=$(REFRAIN_TOTAL_MEMORY=1K refrain size "$work/$program" 2>&1 | grep -o '[0-9]*$')
        [ $program = p2p ] && most=266240 || most=262144
        [ $threads -gt 1 ] || { [ "$least" -le $most ] && pass || fail "$program: $least bytes are needed"; }
        check "$program: $threads threads in $least bytes" env REFRAIN_TOTAL_MEMORY="$least" refrain size "$work/$program"
        mkdir "$work/run"
        said=$(REFRAIN_TOTAL_MEMORY=$((least - 1)) REFRAIN_DIRECTORY=$work/run launch mpich 2 "$work/$program" 2 2>&1 |
            sed -n 's/.* need at least \([0-9]*\) .*/\1/p' | sort -u)
        [ "$said" = "$least" ] && pass || fail "$program: $least bytes foretold, the run says $said"
        REFRAIN_TOTAL_MEMORY=$least REFRAIN_DIRECTORY=$work/run launch mpich 2 "$work/$program" 2 >/dev/null
        check "$program is traced in $least bytes" refrain info --verbose "$(the_trace "$work/run")"
        rm -rf "$work/run"
    done
done
unset REFRAIN_THREADS

# The same run, ended by itself and without a chance to pack anything.
cat >"$work/end.c" <<'END'
#include <stdlib.h>
#include <unistd.h>
#include <mpi.h>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 300; i++) {
        int got;
        MPI_Sendrecv(&argc, 1, MPI_INT, 0, i % 7, &got, 1, MPI_INT, 0, i % 7, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        if (i * i % 11 < 4)
            MPI_Barrier(MPI_COMM_SELF);
    }
    MPI_Finalize();
    if (argc > 1)
        _exit(0);
    return 0;
}
END
REFRAIN_MPICC=mpicc.mpich refrain-mpicc $flags "$work/end.c" -o "$work/end" || fail "compile"
said=$(refrain size "$work/end" --json | json_number total_bytes)
for how in packed whole; do
    mkdir "$work/run"
    if [ $how = whole ]; then REFRAIN_DIRECTORY=$work/run "$work/end" at once; else REFRAIN_DIRECTORY=$work/run "$work/end"; fi
    bytes=$(cat "$work"/run/*.refrain/* | wc -c)
    echo "$how: $bytes bytes"
    if [ $how = whole ]; then
        [ "$bytes" = "$said" ] && pass || fail "killed: $bytes bytes, refrain size said $said"
    else
        [ "$bytes" -le 10000 ] && pass || fail "ended: $bytes bytes"
        rank=$(ls "$work"/run/*.refrain/rank-0.trace)
        head -c $((bytes - 100)) "$rank" >"$work/short.trace"
        refrain info --verbose "$work/short.trace" >"$work/short.txt" 2>&1 && fail "a short file is read"
        grep -q truncated "$work/short.txt" && pass || fail "a short file: $(cat "$work/short.txt")"
        other=$(head -c 501 "$rank" | tail -c 1 | grep -q X && echo Y || echo X) # than what is there
        { head -c 500 "$rank"; printf $other; tail -c +502 "$rank"; } >"$work/short.trace"
        refrain info --verbose "$work/short.trace" >"$work/short.txt" 2>&1 && fail "a damaged file is read"
        grep -q checksum "$work/short.txt" && pass || fail "a damaged file: $(cat "$work/short.txt")"
    fi
    refrain formulas "$work"/run/*.refrain >"$work/formulas.$how"
    refrain reconstruct "$work"/run/*.refrain --format text -o "$work/text" --force
    cut -f 1,3- "$work/text" >"$work/events.$how" 2>/dev/null || cut -f 1,3- "$work"/text/* >"$work/events.$how"
    rm -rf "$work/run" "$work/text"
done
# The last steps of a killed process are not recorded.
sed -i '$d' "$work/events.packed"
grep -v 'rogram' "$work/formulas.packed" >"$work/a"
grep -v 'rogram' "$work/formulas.whole" >"$work/b"
diff "$work/a" "$work/b" >"$work/differs" && pass || fail "formulas differ: $(head -n 4 "$work/differs")"
[ "$(head -n 600 "$work/events.packed")" = "$(head -n 600 "$work/events.whole")" ] && pass || fail "events differ"
summary
