#!/bin/sh
# refrain stats --by file: accesses and bytes of files are those that the program made, and those on disk, under both MPI
# libraries; times and windows are exact on a text with exact times. What is not known is said.
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

# asserts FILE TEXT: Python, true of the rows r by the base name of their file, in the JSON j of this file.
asserts() {
    python3 -c 'import json, os, sys
j = json.load(open(sys.argv[1]))
r = {os.path.basename(x["file"] or "none"): x for x in j["rows"]}
assert eval("(" + sys.argv[2] + ")"), json.dumps(j)' "$1" "$2" 2>said
}

for mpi in mpich openmpi; do
    REFRAIN_MPICC=mpicc.$mpi refrain-mpicc -g -O1 "$tests/programs/mpi_files.c" -o "files-$mpi" 2>said || fail "compile: $(head -n 2 said)"
    mkdir "run-$mpi" "data-$mpi"
    REFRAIN_DIRECTORY=run-$mpi launch $mpi 3 "./files-$mpi" "data-$mpi" >said 2>error || fail "$mpi: $(head -n 2 error)"
    trace=$(the_trace "run-$mpi")
    refrain stats --by file --ranks --json "$trace" >all.json 2>error && pass || fail "stats: $(head -n 1 error)"
    grep -q 'how many bytes 3 accesses moved' error && pass || fail "$mpi: refused reads: $(cat error)"
    asserts all.json 'sorted(r) == ["common", "own.0", "own.1", "own.2", "shared"] and j["by"] == "file"' && pass || fail "$mpi: files: $(tail -n 1 said)"
    # What was written is what is on disk.
    for name in common own.0 own.1 own.2 shared; do
        asserts all.json "r['$name']['written']['bytes'] == $(stat -c %s "data-$mpi/$name")" && pass || fail "$mpi: bytes of $name: $(tail -n 1 said)"
    done
    asserts all.json '[(w["accesses"], w["collective"], w["nonblocking"], w["at_offset"], w["least_bytes"], w["most_bytes"], w["typical_bytes"], w["small_accesses"], w["unknown"])
        for w in [r["common"]["written"]]] == [(48, 12, 15, 48, 1000, 131072, 4096, 45, 0)]' && pass || fail "$mpi: written: $(tail -n 1 said)"
    asserts all.json '[(x["accesses"], x["collective"], x["bytes"], x["least_bytes"], x["small_accesses"]) for x in [r["common"]["read"]]] == [(3, 3, 3 * 131072, 131072, 0)]' &&
        pass || fail "$mpi: read: $(tail -n 1 said)"
    # Five writes after opening, four reads after a seek.
    asserts all.json 'all(x["written"]["sequential"] == 4 and x["read"]["sequential"] == 3 for name, x in r.items() if name.startswith("own")) and r["common"]["written"]["sequential"] == 0' &&
        pass || fail "$mpi: sequential: $(tail -n 1 said)"
    # Open, write 10 + 1, sync, read, iwrite 2, split 3 * 2, close.
    asserts all.json 'r["common"]["calls"] == 3 * (1 + 11 + 1 + 1 + 2 + 6 + 1) and r["common"]["ranks"] == 3' && pass || fail "$mpi: calls: $(tail -n 1 said)"
    asserts all.json 'all(x["ranks"] == 1 and x["by_rank"][0]["rank"] == int(name[4:]) and x["written"]["at_own_pointer"] == 5 and
        (x["read"]["accesses"], x["read"]["bytes"], x["read"]["unknown"], x["read"]["least_bytes"], x["read"]["most_bytes"]) == (5, 500, 1, 0, 200)
        for name, x in r.items() if name.startswith("own"))' && pass || fail "$mpi: own files: $(tail -n 1 said)"
    asserts all.json '(r["shared"]["written"]["at_shared_pointer"], r["shared"]["written"]["collective"], r["shared"]["written"]["bytes"]) == (9, 3, 150)' &&
        pass || fail "$mpi: shared: $(tail -n 1 said)"
    # Sums: ranks are the row, rows are the total; the longest rank gives the rate.
    asserts all.json 'all(sum(p[d][k] for p in x["by_rank"]) == x[d][k] for x in j["rows"] for d in ("read", "written") for k in ("accesses", "bytes", "time_ns", "unknown")) and
        all(x["time_ns"] == x["other_ns"] + x["read"]["time_ns"] + x["written"]["time_ns"] for x in j["rows"] + [j["total"]]) and
        all(max(p["written"]["time_ns"] for p in x["by_rank"]) == x["written"]["longest_ns"] for x in j["rows"]) and
        all(sum(x[d][k] for x in j["rows"]) == j["total"][d][k] for d in ("read", "written") for k in ("accesses", "bytes", "time_ns", "small_accesses")) and
        j["total"]["ranks"] == 3 and [x["time_ns"] for x in j["rows"]] == sorted((x["time_ns"] for x in j["rows"]), reverse=True)' && pass || fail "$mpi: sums: $(tail -n 1 said)"
    # One rank, and the parts of the run.
    refrain -q stats --by file --json --rank 1 "$trace" >one.json && asserts one.json 'sorted(r) == ["common", "own.1", "shared"] and j["total"]["ranks"] == 1' && pass || fail "$mpi: --rank: $(tail -n 1 said)"
    refrain -q stats --by file --json --to 50% "$trace" >first.json && refrain -q stats --by file --json --from 50% "$trace" >second.json && python3 -c 'import json
first, second, whole = (json.load(open(name + ".json"))["total"] for name in ("first", "second", "all"))
for d in "read", "written":
    for key in "accesses", "bytes", "time_ns":
        assert abs(first[d][key] + second[d][key] - whole[d][key]) <= (20 if key == "time_ns" else 0), (d, key, first, second, whole)
assert first["calls"] + second["calls"] == whole["calls"]' 2>said && pass || fail "$mpi: windows: $(tail -n 1 said)"
    # The same from recorded events is in test_mpi.sh; the other forms have the same rows.
    refrain -q stats --by file --csv "$trace" >csv && refrain -q stats --by file --csv --ranks "$trace" >ranks.csv && python3 -c 'import csv, json
rows = json.load(open("all.json"))["rows"]
lines, by_rank = list(csv.DictReader(open("csv"))), list(csv.DictReader(open("ranks.csv")))
assert [(x["file"], int(x["written_bytes"]), int(x["time_ns"])) for x in lines] == [(x["file"], x["written"]["bytes"], x["time_ns"]) for x in rows]
assert len(by_rank) == sum(x["ranks"] for x in rows) and sum(int(x["read_ns"]) for x in by_rank) == sum(x["read"]["time_ns"] for x in rows)' 2>said && pass || fail "$mpi: CSV: $(tail -n 1 said)"
done
refrain -q stats --by file --ranks "$trace" >text
for pattern in 'own.1, 1 rank$' 'common, 3 ranks$' 'written at offsets, partly collective, partly nonblocking$' 'written at the shared pointer, partly collective$' "written at the rank's pointer, mostly sequential\$" \
    'rank 2: ' 'opened, closed, other calls$' ' all files, 3 ranks$'; do
    grep -q "$pattern" text && pass || fail "text lacks $pattern: $(cat text)"
done
[ "$(refrain -q stats --by file --top 1 "$trace" | grep -c '4 more: --top$')" = 1 ] && pass || fail "--top"
COLUMNS=80 refrain -q stats --by file "$trace" | head -n 1 | awk 'length > 80 { exit 1 }' && pass || fail "wider than 80 columns"

# ---- exact times: a blocking write, a nonblocking one that completes with a send, another rank; an unnamed file ----
sed 's/ /\t/g' >exact.txt <<'END'
0 0.0 enter MPI_File_open file=a.c line=5
0 1.0 file MPI_File_open handle=0 comm=0 mode=write,create name=out.dat
0 1.0 leave MPI_File_open
0 2.0 enter MPI_File_write_at file=a.c line=6
0 2.0 io MPI_File_write_at bytes=2000 handle=0 comm=0
0 3.0 moved MPI_File_write_at bytes=1000 handle=0 comm=0
0 3.0 leave MPI_File_write_at
0 4.0 enter MPI_File_iwrite file=a.c line=7
0 4.0 io MPI_File_iwrite bytes=500 handle=0 comm=0 request=0
0 4.5 leave MPI_File_iwrite
0 4.5 enter MPI_Isend file=a.c line=8
0 4.5 send MPI_Isend dest=1 tag=0 bytes=8 comm=0 request=1
0 4.6 leave MPI_Isend
0 5.0 enter MPI_Waitall file=a.c line=9
0 7.0 access-complete MPI_Waitall request=0 bytes=500
0 7.0 send-complete MPI_Waitall request=1
0 7.0 leave MPI_Waitall
0 8.0 enter MPI_File_close file=a.c line=10
0 9.0 file MPI_File_close handle=0 comm=0
0 9.0 leave MPI_File_close
1 0.0 enter MPI_File_open file=a.c line=5
1 0.5 file MPI_File_open handle=0 comm=0 mode=write,create name=out.dat
1 0.5 leave MPI_File_open
1 1.0 enter MPI_Recv file=a.c line=11
1 4.7 recv MPI_Recv source=0 tag=0 bytes=8 comm=0
1 4.7 leave MPI_Recv
1 5.0 enter MPI_File_read file=a.c line=12
1 5.0 io MPI_File_read bytes=70 handle=3 comm=0
1 6.0 moved MPI_File_read bytes=70 handle=3 comm=0
1 6.0 leave MPI_File_read
1 8.0 enter MPI_File_write file=a.c line=13
1 8.0 io MPI_File_write bytes=70 handle=0 comm=0
1 9.0 leave MPI_File_write
END
sort -s -n -k 2,2 exact.txt >sorted.txt
refrain -q convert --format text sorted.txt -o exact.refrain && refrain stats --by file --json --ranks exact.refrain >exact.json 2>error && pass || fail "exact: $(cat error)"
asserts exact.json '(r["out.dat"]["time_ns"], r["out.dat"]["other_ns"], r["out.dat"]["written"]["time_ns"], r["out.dat"]["calls"]) == (6.0e9, 2.5e9, 3.5e9, 6)' && pass || fail "times: $(tail -n 1 said)"
asserts exact.json '(r["out.dat"]["written"]["accesses"], r["out.dat"]["written"]["bytes"], r["out.dat"]["written"]["unknown"], r["out.dat"]["written"]["bytes_per_second"]) == (3, 1500, 1, 600)' && pass || fail "bytes: $(tail -n 1 said)"
asserts exact.json '(r["none"]["read"]["bytes"], r["none"]["file"], r["none"]["by_rank"][0]["rank"]) == (70, None, 1) and abs(j["total"]["share_percent"] - 100 * 7 / 18) < 0.01' && pass || fail "without a name: $(tail -n 1 said)"
cat >nothing.txt <<'END'
0	0.0	enter	MPI_Init	file=a.c	line=5
0	1.0	leave	MPI_Init
END
refrain -q convert --format text nothing.txt -o nothing.refrain || fail "convert"
# The overview has the time of calls for files: without that of MPI_Waitall.
refrain -q stats exact.refrain | grep -q '^calls for files: 33.33 % (--by file)$' && refrain -q stats --json exact.refrain | grep -q '"file_ns": 6000000000,' &&
    ! refrain -q stats nothing.refrain | grep -q 'for files' && pass || fail "overview: $(refrain -q stats exact.refrain | head -n 4)"
refrain -q stats --by file exact.refrain | grep -q 'files without a recorded name, 1 rank$' && pass || fail "without a name, as text"
refrain -q stats --by file --json --from 2.5 --to 6.5 --rank 0 exact.refrain >window.json
asserts window.json '[(x["time_ns"], x["calls"], x["written"]["accesses"], x["written"]["bytes"], x["other_ns"]) for x in j["rows"]] == [(1.75e9, 1, 1, 1000, 0)]' && pass || fail "window: $(tail -n 1 said)"

# No files; options that do not go together.
refrain stats --by file nothing.refrain >said && grep -q 'no call of MPI-IO' said && pass || fail "no files: $(cat said)"
refrain stats --by file --json nothing.refrain >nothing.json && asserts nothing.json 'j["rows"] == [] and j["total"]["calls"] == 0' && pass || fail "no files, JSON: $(tail -n 1 said)"
for arguments in "--by file --folded" "--by file --layer a.c" "--by file --quick" "--ranks" "--ranks --by rank"; do
    # shellcheck disable=SC2086 # lists of words
    refrain stats $arguments nothing.refrain >said 2>&1
    [ $? -eq 2 ] && pass || fail "refrain stats $arguments: $(head -n 1 said)"
done
summary
