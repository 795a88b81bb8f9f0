#!/bin/sh
# refrain record --io: calls that open, read, write and close files without MPI are in the trace, with the bytes that each
# moved: those of the program and those on disk. They are there before MPI_Init and after MPI_Finalize, in threads and
# signal handlers, and after a fork; the program does what it did. Without --io there are none.
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
x86_64_only "refrain record preloads librefrain-record.so on x86-64"

# asserts FILE TEXT: Python, true of the rows r by the base name of their file, in the JSON j of this file.
asserts() {
    python3 -c 'import json, os, sys
j = json.load(open(sys.argv[1]))
r = {os.path.basename(x["file"] or "none"): x for x in j["rows"]}
assert eval("(" + sys.argv[2] + ")"), json.dumps(j)' "$1" "$2" 2>said
}

# recorded MPI OPTIONS NAME: records two ranks of the program; the trace is $trace.
recorded() {
    mkdir "run-$3" "data-$3"
    case $1 in
    mpich) set -- "$1" "$2" "$3" mpiexec.mpich -n 2 ;;
    *) set -- "$1" "$2" "$3" mpiexec.openmpi --allow-run-as-root --oversubscribe -n 2 ;;
    esac
    options=$2 name=$3 mpi=$1
    shift 3
    # shellcheck disable=SC2086 # a list of options
    timeout 120 refrain record --directory "run-$name" --no-report --threads 2 $options "$@" "./posix-$mpi" "data-$name" >out 2>error &&
        pass || fail "$name: $(head -n 3 error)"
    trace=$(the_trace "run-$name") || trace=/nowhere
}

for mpi in mpich openmpi; do
    available mpicc.$mpi || continue
    # A compiler calls other functions with _FORTIFY_SOURCE.
    [ $mpi = mpich ] && options="-O1" || options="-O2 -D_FORTIFY_SOURCE=2"
    # shellcheck disable=SC2086 # a list of options
    mpicc.$mpi -g $options "$tests/programs/posix_files.c" -o "posix-$mpi" -lpthread 2>said || fail "compile: $(head -n 2 said)"
    recorded $mpi --io "$mpi"
    refrain -q stats --by file --ranks --json "$trace" >all.json 2>said && pass || fail "$mpi: stats: $(head -n 1 said)"
    asserts all.json 'sorted(r) == ["."] + sorted(name + "." + str(rank) for rank in (0, 1) for name in "child descriptors early late shared signals standard streams thread".split())' &&
        pass || fail "$mpi: files: $(tail -n 1 said)"
    # What was written is what is on disk: 48 bytes of one file overwrite others or stand behind a copy, the child of the fork
    # wrote 1,000 to another.
    for rank in 0 1; do
        for name in early late signals standard streams thread; do
            asserts all.json "r['$name.$rank']['written']['bytes'] == $(stat -c %s "data-$mpi/$name.$rank") and r['$name.$rank']['ranks'] == 1" &&
                pass || fail "$mpi: bytes of $name: $(tail -n 1 said)"
        done
        asserts all.json "r['child.$rank']['written']['bytes'] == $(stat -c %s "data-$mpi/child.$rank") - 1000" && pass || fail "$mpi: child: $(tail -n 1 said)"
        # What a child of vfork wrote is not its parent's, and a socket is no file.
        asserts all.json "r['shared.$rank']['written']['bytes'] == 14 and r['shared.$rank']['calls'] == 5" && pass || fail "$mpi: vfork: $(tail -n 1 said)"
    done
    asserts all.json '[(x["written"]["accesses"], x["written"]["bytes"], x["written"]["unknown"], x["written"]["sequential"], x["written"]["at_offset"], x["written"]["least_bytes"])
        for name, x in r.items() if name.startswith("descriptors")] == 2 * [(55, 50 * 4096 + 30 + 7 + 5 + 6, 1, 51, 1, 5)]' && pass || fail "$mpi: written: $(tail -n 1 said)"
    asserts all.json '[(x["read"]["accesses"], x["read"]["bytes"], x["read"]["sequential"], x["read"]["at_offset"]) for name, x in r.items() if name.startswith("descriptors")] ==
        2 * [(27, 25 * 4096 + 30 + 30, 25, 1)]' && pass || fail "$mpi: read: $(tail -n 1 said)"
    # mmap is not seen where UCX, under MPICH, has replaced it.
    asserts all.json 'all(x["calls"] in (92, 93) for name, x in r.items() if name.startswith("descriptors"))' && pass || fail "$mpi: calls: $(tail -n 1 said)"
    asserts all.json '[(x["calls"], x["written"]["accesses"], x["read"]["accesses"], x["read"]["bytes"]) for name, x in r.items() if name.startswith("streams")] ==
        2 * [(11, 3, 3, 9 + 5 + 814)]' && pass || fail "$mpi: streams: $(tail -n 1 said)"
    asserts all.json '[(x["calls"], x["written"]["accesses"]) for name, x in sorted(r.items()) if name.split(".")[0] in ("signals", "thread", "child")] ==
        2 * [(3, 1)] + 2 * [(12, 10)] + 2 * [(7, 5)]' && pass || fail "$mpi: signals, threads: $(tail -n 1 said)"
    # They have the line of the call, are no time of MPI, and come back from the other forms.
    refrain -q reconstruct --all --format text -o "$mpi.txt" "$trace" && grep -q 'enter	POSIX_fsync	file=.*posix_files.c	line=44$' "$mpi.txt" && pass || fail "$mpi: text"
    [ "$(grep -c 'enter	POSIX_write	' "$mpi.txt")" = $((2 * 72)) ] && pass || fail "$mpi: writes: $(grep -c 'enter	POSIX_write	' "$mpi.txt")"
    refrain -q convert --format text "$mpi.txt" -o "$mpi.refrain" && refrain -q stats --by file --json "$mpi.refrain" >again.json && python3 -c 'import json
a, b = (sorted((x["file"], x["calls"], x["written"]["bytes"], x["read"]["bytes"], x["written"]["unknown"]) for x in json.load(open(name))["rows"]) for name in ("all.json", "again.json"))
assert a == b' 2>said && pass || fail "$mpi: from text: $(tail -n 1 said)"
    # The table of functions has their time apart from that of MPI.
    refrain -q stats "$trace" | grep -q 'in MPI    in files ' && refrain -q stats --json "$trace" >functions.json && python3 -c 'import json
j = json.load(open("functions.json"))
sums = {key: sum(call.get(key, 0) for call in j["outside_calls"]) for key in ("mpi_ns", "files_ns")}
assert j["schema_version"] == 5 and all(abs(j[key] - sums[key]) < 1 < sums[key] for key in sums), (j["mpi_ns"], j["files_ns"], sums)
assert all((call["kind"] == "io") == ("files_ns" in call) == call["name"].startswith("POSIX_") for call in j["outside_calls"])' 2>said && pass || fail "$mpi: in files: $(tail -n 1 said)"
    for format in otf2 chrome perfetto picl paraver; do
        refrain -q reconstruct --format $format -o "$mpi.$format" "$trace" 2>said && pass || fail "$mpi: $format: $(head -n 1 said)"
    done
    # MPI's own files and those of the monitor are not among them, and nothing is lost but the child.
    refrain info --json "$trace" >info.json 2>said
    python3 -c 'import json
assert [x["losses"] for x in json.load(open("info.json"))["processes"]] == 2 * [{"forks": 1}]' 2>said && pass || fail "$mpi: lost: $(tail -n 1 said)"
done

# A program that has the MPI library and does not call it has no trace, as without --io.
cat >tool.c <<'EOF'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    (void)argv;
    FILE *file = fopen("tool.out", "w");
    return argc > 9 ? MPI_Barrier(MPI_COMM_WORLD) : fputs("text", file) < 0 || fclose(file) != 0;
}
EOF
mpicc.mpich tool.c -o tool 2>said || fail "compile: $(head -n 2 said)"
mkdir run-tool
refrain record --directory run-tool --io ./tool >out 2>error
grep -q 'nothing was traced: ./tool is linked with MPI' error && [ -s tool.out ] && [ -z "$(ls run-tool)" ] && pass || fail "without MPI calls: $(head -n 2 error) $(ls run-tool)"

recorded mpich "" without
refrain -q stats --by file --json "$trace" >without.json && asserts without.json 'j["rows"] == []' && pass || fail "without --io: $(tail -n 1 said)"
refrain -q reconstruct --format text -o without.txt "$trace" && ! grep -q POSIX without.txt && pass || fail "without --io: text"
summary
