#!/bin/sh
# The page of refrain view in a real browser: it must show the events that reconstruct writes (view.mjs).
set -u
. "$(dirname "$0")/lib.sh"

sources=$tests/../reconstruct/view
if ! refrain view --help >/dev/null 2>&1 || ! command -v npm >/dev/null || ! command -v chromium >/dev/null; then
    skip "refrain view, npm or chromium is missing"
fi

# ---- traces: a real run, one that was killed, one with threads, one without instrumentation, one of many ranks

mkdir "$work/demo" "$work/killed" "$work/hybrid"
for source in matmul distribute multiply; do
    REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O2 -c "$tests/programs/matmul/$source.c" -o "$work/$source.o" || fail "compile $source"
done
REFRAIN_MPICC=mpicc.mpich refrain-mpicc "$work"/*.o -o "$work/matmul" || fail "link matmul"
REFRAIN_DIRECTORY=$work/demo check "matmul" launch mpich 4 "$work/matmul" 60 5
check "hybrid" make -s -C "$tests/../benchmarks/workloads" CC="env REFRAIN_MPICC=mpicc.mpich refrain-mpicc" \
    BUILD="$work/workloads" ONLY=hybrid
OMP_NUM_THREADS=2 REFRAIN_DIRECTORY=$work/hybrid check "hybrid" launch mpich 2 "$work/workloads/hybrid"
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 -std=gnu11 -w "$tests/programs/control.c" -o "$work/control" || fail "compile control"
REFRAIN_TOTAL_MEMORY=6M REFRAIN_DIRECTORY=$work/killed refrain-run mpiexec.mpich -n 2 "$work/control" 1000000 500 >/dev/null 2>&1 &
launcher=$!
wait_for_traces "$work/killed" 2
sleep 0.6
kill -9 $(processes_of "$work/control")
wait $launcher 2>/dev/null
mkdir "$work/plain"
check "plain" mpicc.mpich -O1 -g -o "$work/plain-matmul" "$tests"/programs/matmul/*.c
REFRAIN_DIRECTORY=$work/plain check "plain" refrain record mpiexec.mpich -n 2 "$work/plain-matmul" 60 3
# Programs that are known by addresses alone, or in part: without debug information, stripped, with call paths.
check "sites" mpicc.mpich -O2 -pthread -o "$work/bare-sites" "$tests/programs/sites.c"
check "sites" mpicc.mpich -O2 -g -pthread -o "$work/both-sites" "$tests/programs/sites.c"
check "sites" strip -o "$work/stripped-sites" "$work/bare-sites"
cp "$work/bare-sites" "$work/path-sites"
for name in bare stripped path both; do
    mkdir "$work/$name"
    option=
    case $name in path | both) option=--call-path ;; esac
    REFRAIN_DIRECTORY=$work/$name check "$name" refrain record --threads 2 $option mpiexec.mpich -n 2 "$work/$name-sites"
done
# Waiting of every kind, also of senders for late receivers.
mkdir "$work/waits"
check "waits" mpicc.mpich -O1 -o "$work/waiting" "$tests/programs/mpi_waiting.c"
REFRAIN_DIRECTORY=$work/waits check "waits" refrain record mpiexec.mpich -n 2 "$work/waiting" all 2
check "64 ranks" "$bin/many_ranks" 64 40 "$work/many.refrain"
check "a rank is missing" rm "$work/many.refrain/rank-9.trace"

for name in demo killed hybrid plain bare stripped path both waits many; do
    trace=$work/$name.refrain
    [ $name = many ] || trace=$(the_trace "$work/$name") || fail "$name: no trace"
    check "$name: view" refrain view "$trace" -o "$work/$name.html"
    check "$name: reconstruct" refrain reconstruct "$trace" --format text -o "$work/$name.txt"
    refrain stats --by function --json "$trace" >"$work/$name.json" 2>/dev/null || fail "$name: stats"
done
# A run that is long enough to be replayed in advance, and its page without the result of that.
check "a long run" "$bin/many_ranks" 8 10000 "$work/long.refrain"
check "long: view" refrain view "$work/long.refrain" -o "$work/long.html"
grep -v 'id="data-ahead"' "$work/long.html" >"$work/reread.html"
# Ranks begin and end MPI one after the other. Ranks with odd numbers compute differently, and all wait for rank 3.
awk -v ranks=8 'BEGIN {
    OFS = "\t"
    for (r = 0; r < ranks; r++) {
        print r, r / 10, "enter", "MPI_Init", "file=", "line=0"
        print r, 1 + r / 100, "leave", "MPI_Init"
        name = r % 2 ? "<img src=x onerror=document.title=\"broken\">" : "even"
        print r, 1.1, "enter", name, "file=fault.c", "line=" 10 + r % 2
        print r, r == 3 ? 3.1 : 2.1, "leave", name
        print r, r == 3 ? 3.1 : 2.1, "enter", "MPI_Barrier", "file=fault.c", "line=20"
        print r, r == 3 ? 3.1 : 2.1, "collective", "MPI_Barrier", "sent=0", "received=0", "comm=0"
        print r, 3.10001, "leave", "MPI_Barrier"
        if (r == 0) {
            print r, 3.2, "enter", "MPI_Send", "file=fault.c", "line=30"
            print r, 3.2, "send", "MPI_Send", "dest=1", "tag=7", "bytes=80", "comm=0"
            print r, 3.21, "leave", "MPI_Send"
        }
        if (r == 1) {
            print r, 3.3, "enter", "MPI_Recv", "file=fault.c", "line=40"
            print r, 3.31, "recv", "MPI_Recv", "source=0", "tag=7", "bytes=80", "comm=0"
            print r, 3.31, "leave", "MPI_Recv"
        }
        print r, 5 - r / 10, "enter", "MPI_Finalize", "file=", "line=0"
        print r, 6, "leave", "MPI_Finalize"
    }
}' | sort -s -t "$(printf '\t')" -k2,2g >"$work/fault.txt"
check "fault: the trace" refrain convert "$work/fault.txt" -o "$work/fault.refrain"
check "fault: view" refrain view "$work/fault.refrain" -o "$work/fault.html"
check "fault: report" refrain report --json "$work/fault.refrain" -o "$work/fault.json"
# Samples, which are taken on x86-64 alone.
mkdir "$work/samples"
check "samples" mpicc.mpich -O2 -g "$tests/programs/samples.c" -o "$work/sampled" -lpthread
REFRAIN_DIRECTORY=$work/samples check "samples" refrain record --sample --no-report mpiexec.mpich -n 2 "$work/sampled" 0.1
trace=$(the_trace "$work/samples") || fail "samples: no trace"
check "samples: view" refrain view "$trace" -o "$work/samples.html"
refrain samples --json "$trace" >"$work/samples.json" 2>/dev/null || : >"$work/samples.json"
# Neither findings nor waits.
grep -E "^0	.*	MPI_(Init|Finalize)" "$work/fault.txt" | sed 'p; s/^0/1/' >"$work/nothing.txt"
check "nothing: the trace" refrain convert "$work/nothing.txt" -o "$work/nothing.refrain"
check "nothing: view" refrain view "$work/nothing.refrain" -o "$work/nothing.html"
# A crowd of messages between 1 s and 2 s, and one alone.
awk 'BEGIN {
    OFS = "\t"
    for (i = 0; i <= 600; i++) {
        t = i < 600 ? 1 + i / 700 : 3
        print 0, t, "enter", "MPI_Send", "file=", "line=0"
        print 0, t, "send", "MPI_Send", "dest=1", "tag=1", "bytes=8", "comm=0"
        print 0, t + 1e-6, "leave", "MPI_Send"
        print 1, t + 0.1, "enter", "MPI_Recv", "file=", "line=0"
        print 1, t + 0.1, "recv", "MPI_Recv", "source=0", "tag=1", "bytes=8", "comm=0"
        print 1, t + 0.1 + 1e-6, "leave", "MPI_Recv"
    }
    for (r = 0; r < 2; r++) {
        print r, 0, "enter", "main", "file=", "line=0"
        print r, 4, "leave", "main"
    }
}' | sort -s -t "$(printf '\t')" -k2,2g >"$work/dense.txt"
check "dense: the trace" refrain convert "$work/dense.txt" -o "$work/dense.refrain"
check "dense: view" refrain view "$work/dense.refrain" -o "$work/dense.html"
# Two runs of one program, of which the second is slower from step 120 on.
check "run A" "$bin/many_ranks" 4 200 "$work/a.refrain"
check "run B" "$bin/many_ranks" 4 200 "$work/b.refrain" 120
trace=$(the_trace "$work/waits")
check "twice the same: view" refrain view "$trace" "$trace" -o "$work/twice.html"
check "two runs: view" refrain view "$work/a.refrain" "$work/b.refrain" -o "$work/two.html"
refrain view "$work/a.refrain" "$work/b.refrain" -o "$work/two.svg" 2>"$work/said"
[ $? -eq 2 ] && grep -q "a figure shows one trace" "$work/said" && pass || fail "a figure of two traces: $(cat "$work/said")"
# A file that --force replaces stays until the new file is complete.
echo old >"$work/old.svg"
refrain view "$work/a.refrain" --force --ranks 999 -o "$work/old.svg" 2>"$work/said" && fail "a rank that is not there"
[ "$(cat "$work/old.svg")" = old ] && [ ! -e "$work/old.svg.part" ] && pass || fail "--force lost the old file: $(cat "$work/said")"
check "--force" refrain view "$work/a.refrain" --force -o "$work/old.svg"
grep -q "<svg" "$work/old.svg" && pass || fail "--force did not replace the old file"
# A trace with only recorded events, as converted ones have.
check "converted: the trace" refrain convert "$work/demo.txt" -o "$work/converted.refrain"
check "converted: view" refrain view "$work/converted.refrain" -o "$work/converted.html"
refrain view "$work/many.refrain" -o "$work/many.html" 2>"$work/said"
[ $? -eq 1 ] && grep -q "exists" "$work/said" && pass || fail "an existing page is overwritten"
mkdir "$work/empty.refrain"
refrain view "$work/empty.refrain" -o "$work/empty.html" 2>"$work/said"
[ $? -eq 1 ] && grep -q "rank-N.trace" "$work/said" && [ ! -e "$work/empty.html" ] && pass || fail "an empty trace: $(cat "$work/said")"
grep -q "<img src=x" "$work/many.html" && fail "a name from the program is markup in the page" || pass

# ---- figures

cat >"$work/figure.py" <<'PY'
import sys
import xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
paths = [path.get("class") for path in root.iter("{http://www.w3.org/2000/svg}path")]
names = " ".join(text.text or "" for text in root.iter("{http://www.w3.org/2000/svg}text"))
print(paths.count("m"), paths.count("c"), paths.count("w") > 0, sys.argv[2] in names)
PY
trace=$(the_trace "$work/demo")
check "a figure" refrain view "$trace" -o "$work/demo.svg"
shown=$(python3 "$work/figure.py" "$work/demo.svg" MPI_Barrier 2>&1)
messages=$(awk -F '\t' '$3 == "recv"' "$work/demo.txt" | wc -l)
collectives=$(awk -F '\t' '$3 == "collective" && $1 == 0' "$work/demo.txt" | wc -l)
[ "$shown" = "$messages $collectives True True" ] && pass || fail "the figure shows $shown, $messages messages were received"
trace=$(the_trace "$work/waits")
check "a figure of waits" refrain view "$trace" -o "$work/waits.svg"
python3 - "$work/waits.svg" "$work/waits.json" >"$work/said" 2>&1 <<'END' && pass || fail "the figure's waiting of MPI_Ssend: $(tail -n 1 "$work/said")"
import json, re, sys
number, unit = re.search(r"MPI_Ssend [^<]*, waiting ([0-9.]+) (ms|s)<", open(sys.argv[1]).read()).groups()
shown = float(number) * {"ms": 1e6, "s": 1e9}[unit]
wanted = sum(row["waiting_ns"] for row in json.load(open(sys.argv[2]))["rows"] if row["what"] == "MPI_Ssend")
assert wanted > 30e6 and abs(shown - wanted) < wanted / 1000, (shown, wanted)
END
# More events occur than are held until it is known how long rank 0 waited for rank 1's receive.
awk 'BEGIN {
    OFS = "\t"
    print 0, "1.0", "enter", "MPI_Ssend", "file=", "line=0"
    print 0, "1.0", "send", "MPI_Ssend", "dest=1", "tag=5", "bytes=4", "comm=0"
    print 1, "2.0", "enter", "MPI_Irecv", "file=", "line=0"
    print 1, "2.0", "recv-post", "MPI_Irecv", "comm=0", "request=0"
    print 1, "2.1", "leave", "MPI_Irecv"
    print 0, "3.0", "leave", "MPI_Ssend"
    for (i = 0; i < 35000; i++) {
        print 0, 4 + i / 1e5, "enter", "f", "file=", "line=0"
        print 0, 4 + i / 1e5, "leave", "f"
    }
    print 1, "9.0", "enter", "MPI_Wait", "file=", "line=0"
    print 1, "9.1", "recv", "MPI_Wait", "source=0", "tag=5", "bytes=4", "comm=0", "request=0"
    print 1, "9.1", "leave", "MPI_Wait"
}' >"$work/late.txt"
check "late: the trace" refrain convert "$work/late.txt" -o "$work/late.refrain"
check "late: view" refrain view "$work/late.refrain" -o "$work/late.html"
refrain view "$work/late.refrain" -o "$work/late.svg" 2>"$work/said"
grep -q "waits of senders that are not in the figure, .*: 1;" "$work/said" && pass || fail "a wait found out late: $(cat "$work/said")"
sed -i '7,60006d' "$work/late.txt" && rm -r "$work/late.refrain" "$work/late.svg"
check "less late: the trace" refrain convert "$work/late.txt" -o "$work/late.refrain"
refrain view "$work/late.refrain" -o "$work/late.svg" 2>"$work/said"
grep -q "MPI_Ssend 2.000 s, waiting 1.000 s<" "$work/late.svg" && pass || fail "a wait found out early enough: $(cat "$work/said")"
rm "$work/late.svg"
trace=$(the_trace "$work/demo")
check "a figure of some ranks" refrain view "$work/many.refrain" --svg --ranks 3-8,20 --from 0.003 --to 0.004 -o "$work/many.svg"
shown=$(python3 "$work/figure.py" "$work/many.svg" "<img src=x" 2>&1)
[ "${shown##* }" = True ] && pass || fail "the figure's names: $shown"
check "a figure in pixels" refrain view "$trace" --width 300 -o "$work/demo.png"
shown=$(python3 - "$work/demo.png" "$work/demo.svg" 300 <<'END'
import struct, sys, zlib
data = open(sys.argv[1], "rb").read()
assert data[:8] == b"\x89PNG\r\n\x1a\n", data[:8]
at, pixels, kinds = 8, b"", []
while at < len(data):
    n, kind = struct.unpack(">I4s", data[at:at + 8])
    kinds.append(kind)
    if kind == b"IHDR":
        width, height = struct.unpack(">II", data[at + 8:at + 16])
    if kind == b"IDAT":
        pixels += data[at + 8:at + 8 + n]
    at += n + 12
assert kinds[-1] == b"IEND" and 600 < width < 1500 and height > 100, (kinds, width, height)
assert len(set(zlib.decompress(pixels))) > 20, "one colour"
END
) 2>&1 && pass || fail "a figure in pixels: $shown"
env PATH="$work" "$(command -v refrain)" view "$trace" -o "$work/none.png" 2>"$work/said"
[ $? -eq 1 ] && grep -q "librsvg2-bin" "$work/said" && [ ! -e "$work/none.png" ] && pass || fail "no rsvg-convert: $(cat "$work/said")"
refrain view "$trace" --svg --from 100 -o "$work/late.svg" 2>"$work/said"
[ $? -eq 2 ] && grep -q "the run ends at" "$work/said" && [ ! -e "$work/late.svg" ] && pass || fail "a window behind the run"
refrain view "$trace" --svg --from 25% --to 50% -o "$work/share.svg" && [ -s "$work/share.svg" ] && pass || fail "a window in per cent"
refrain view "$trace" --svg --ranks 1,x -o "$work/late.svg" 2>"$work/said"
[ $? -eq 2 ] && pass || fail "a list of ranks that is none"

# ---- the browser

mkdir "$work/modules"
cp "$sources/package.json" "$sources/package-lock.json" "$work/modules"
check "npm" npm ci --prefix "$work/modules" --no-audit --no-fund
cp -r "$sources/page" "$work/modules"
check "types and format of the page's sources" npm run --silent --prefix "$work/modules" check
timeout 300 node "$tests/view.mjs" "$work/modules" "$work" >"$work/browser.out" 2>&1
cat "$work/browser.out"
[ "$(tail -n 1 "$work/browser.out")" = "all of it" ] && pass || fail "the browser's tests did not come to their end"
passed=$((passed + $(grep -c '^ok ' "$work/browser.out")))
failed=$((failed + $(grep -c '^FAILED' "$work/browser.out")))
summary
