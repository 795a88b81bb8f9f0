#!/bin/sh
# refrain convert: a trace from text or OTF2 has the events of its source, whichever tool wrote it. Damaged archives and other
# files are refused with a line, and no partial trace is left.
set -u
. "$(dirname "$0")/lib.sh"
. "$tests/formats/forms.sh"

# back SOURCE NAME OPTION...: converts it; $work/NAME.refrain, and its events in $work/NAME.txt.
back() {
    check "convert $1" refrain convert --quiet "$1" -o "$work/$2.refrain"
    name=$2
    shift 2
    check "$name: events" refrain events "$work/$name.refrain" "$@" -o "$work/$name.txt"
}

# same A B WHAT
same() {
    cmp -s "$1" "$2" && pass || fail "$3: $(diff "$1" "$2" | head -n 3)"
}

for program in control mpi_rma mpi_io mpi_objects names mpi_intercomm; do
    trace_program $program 2 4
    check "$program: text" refrain reconstruct "$work/$program.refrain" --format text --all -o "$work/$program.txt"
    check "$program: OTF2" refrain reconstruct "$work/$program.refrain" -o "$work/$program.otf2"
    back "$work/$program.txt" $program-of-text --all
    back "$work/$program.otf2" $program-of-otf2 --all
    for form in $program $program-of-text; do
        canonical "$work/$form.txt" all >"$work/$form.events"
    done
    same "$work/$program.events" "$work/$program-of-text.events" "$program through text"
    for form in $program $program-of-otf2; do
        canonical "$work/$form.txt" >"$work/$form.events"
    done
    same "$work/$program.events" "$work/$program-of-otf2.events" "$program through OTF2"
done
# Without --all the text does not have the completions. Its events are unchanged.
refrain events "$work/control-of-text.refrain" -o "$work/few.txt"
back "$work/few.txt" few-of-text
same "$work/few.txt" "$work/few-of-text.txt" "text without completions"
check "compare" refrain compare --exact "$work/few.txt" "$work/control-of-otf2.refrain"

# Markers, counters and pauses, as text has them. A pause is a region of that name.
for program in told pauses; do
    trace_program record/$program 2 3 many
    check "$program: text" refrain reconstruct "$work/$program.refrain" --quiet --format text --all -o "$work/$program.txt"
    grep -qE '	untold-[a-z]*	' "$work/$program.txt" && pass || fail "$program: nothing passed in a pause"
    back "$work/$program.txt" $program-of-text --all
    same "$work/$program.txt" "$work/$program-of-text.txt" "$program through text"
done

# Ranks that are paused over different numbers of broadcasts: rank 1 waits 2 s for the second one, and 2 s for the third.
say() {
    printf '%s\t%s.500000000\t%s\n' "$1" "$2" "$(echo "$3" | tr ' ' '\t')"
}
broadcast() {
    say "$1" "$2" "enter MPI_Bcast file=b.c line=7"
    say "$1" "$2" "collective MPI_Bcast root=0 sent=$((4 - 4 * $1)) received=$((4 * $1)) comm=0"
    say "$1" "$3" "leave MPI_Bcast"
}
{
    broadcast 0 1 2
    say 1 2 "enter paused file= line=0"
    say 1 2 "untold-collectives untold kind=bcast comm=0 value=1"
    say 1 3 "leave paused"
    broadcast 0 12 13
    broadcast 1 10 13
    broadcast 0 22 23
    broadcast 1 20 23
} >"$work/unequal.txt"
back "$work/unequal.txt" unequal-of-text
refrain stats --by wait --csv "$work/unequal-of-text.refrain" >"$work/waits"
[ "$(wc -l <"$work/waits")" = 2 ] && grep -q '4000000000' "$work/waits" && pass || fail "waiting behind unequal pauses: $(cat "$work/waits")"

# The time of a call is divided among the messages that complete in it, however long it is.
{
    say 0 0 "enter MPI_Waitall file=w.c line=3"
    for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
        say 1 $i "enter MPI_Send file=w.c line=9"
        say 1 $i "send MPI_Send dest=0 tag=1 bytes=1 comm=0"
        say 1 $i "leave MPI_Send"
        say 0 900000000 "recv MPI_Waitall source=1 tag=1 bytes=1 comm=0"
    done
    say 0 900000000 "leave MPI_Waitall"
} >"$work/long.txt"
back "$work/long.txt" long-of-text
refrain stats --by partner --rank 0 --json "$work/long-of-text.refrain" >"$work/partners"
python3 - "$work/partners" >"$work/said" 2>&1 <<'END' && pass || fail "the time of a long call: $(tail -n 1 "$work/said")"
import json, sys
rows = json.load(open(sys.argv[1]))["rows"]
assert [row["messages"] for row in rows] == [12], rows
assert rows[0]["transmission_ns"] + rows[0]["waiting_ns"] == 900000000 * 10**9, rows
END

# The commands work on it.
refrain stats "$work/control-of-otf2.refrain" >"$work/stats" 2>&1 && grep -q "MPI_Recv control.c:[0-9]" "$work/stats" && pass || fail "stats: $(head -n 3 "$work/stats")"
refrain info --verbose "$work/control-of-otf2.refrain" >"$work/info" 2>&1 && grep -q "converted from OTF2 of refrain" "$work/info" && pass ||
    fail "info: $(head -n 5 "$work/info")"
check "diff" refrain diff "$work/control-of-otf2.refrain" "$work/control-of-text.refrain"
check "formats" refrain events "$work/control-of-otf2.refrain" -o "$work/control.slog2"

# Archives of EZTrace, whose references are far apart, and which define some of them twice.
check "compile for EZTrace" mpicc.mpich -O1 -w -std=gnu11 "$tests/programs/under_way.c" -o "$work/under_way"
(cd "$work" && launch mpich 2 eztrace -t mpich "$work/under_way" >"$work/eztrace" 2>&1)
back "$work/under_way_trace" eztrace
sizes=$(awk -F '\t' '$3 == "send" || $3 == "recv" { for (i = 5; i <= NF; i++) if ($i ~ /^bytes=/) n[$1 " " $3 " " substr($i, 7)]++ }
    END { for (i = 1; i <= 8; i++) s += n["0 send " i] == 1 && n["1 recv " i] == 1; print s + 0 }' "$work/eztrace.txt")
[ "$sizes" = 8 ] && pass || fail "of 8 messages that EZTrace recorded $sizes have both ends: $(head -n 3 "$work/eztrace.txt")"
[ "$(grep -c 'collective	MPI_Barrier' "$work/eztrace.txt")" = 2 ] && pass || fail "the barrier that EZTrace recorded"

# Records of Score-P and TAU that EZTrace does not write (foreign_otf2.c). foreign NAME SAID: the result must be
# $work/wanted.
foreign() {
    check "an archive like that of $1" foreign_otf2 "$1" "$work/$1"
    refrain convert "$work/$1" -o "$work/$1.refrain" 2>"$work/said" >"$work/count" || fail "convert $1: $(cat "$work/said")"
    refrain events "$work/$1.refrain" --all -o "$work/$1.txt" --format text
    sort -s -t "$(printf '\t')" -n -k 1,1 "$work/$1.txt" | cut -f 1,3- | sed 's/\t/ /g' >"$work/sorted"
    same "$work/wanted" "$work/sorted" "what $1 recorded"
    [ "$(cat "$work/said")" = "$2" ] && pass || fail "convert $1 says: $(cat "$work/said")"
}
# calls RANK NAME [OPERATION]: a call of MPI, which has no line.
calls() {
    echo "$1 enter $2 file= line=0"
    [ $# -lt 3 ] || echo "$1 $3"
    [ $# -lt 4 ] || echo "$1 $4"
    echo "$1 leave $2"
}
for rank in 0 1; do
    echo "$rank enter main file=app.c line=10"
    echo "$rank enter phase file= line=0"
    calls $rank MPI_Irecv "recv-post MPI_Irecv comm=0 request=0"
    calls $rank MPI_Isend "send MPI_Isend dest=$((1 - rank)) tag=5 bytes=64 comm=0 request=1"
    calls $rank MPI_Test
    calls $rank MPI_Waitall "recv MPI_Waitall source=$((1 - rank)) tag=5 bytes=64 comm=0 request=0" "send-complete MPI_Waitall request=1"
    calls $rank MPI_Allreduce "collective MPI_Allreduce sent=16 received=16 comm=0"
    calls $rank MPI_Ibarrier "collective MPI_Ibarrier sent=0 received=0 comm=0 request=2"
    calls $rank MPI_Wait "collective-complete MPI_Wait comm=0 request=2"
    calls $rank MPI_Comm_dup "collective MPI_Comm_dup sent=0 received=0 comm=0"
    echo "$rank window MPI_Win_create window=3 comm=0"
    calls $rank MPI_Put "rma MPI_Put target=$((1 - rank)) bytes=24 window=3 comm=0"
    calls $rank MPI_Win_fence "window MPI_Win_fence window=3 comm=0"
    echo "$rank window MPI_Win_free window=3 comm=0"
    # A call that MPI makes itself is no access.
    echo "$rank enter MPI_File_write_at file= line=0"
    echo "$rank io MPI_File_write_at bytes=80 handle=0 comm=unknown"
    calls $rank write
    echo "$rank moved MPI_File_write_at bytes=80 handle=0 comm=unknown"
    echo "$rank leave MPI_File_write_at"
    echo "$rank leave phase"
    [ $rank = 1 ] || echo "0 enter !\$omp parallel @app.c:20 file=app.c line=20 thread=1"
    [ $rank = 1 ] || echo "0 leave !\$omp parallel @app.c:20 thread=1"
    echo "$rank leave main"
done >"$work/wanted"
foreign scorep "refrain: 31 records are left out, for which a trace has no place (metrics, parameters, OpenMP's own ...)"
# The clocks of the ranks differ. Simultaneous actions of both ranks must have the same time.
awk -F '\t' '$3 == "enter" && $4 == "MPI_Allreduce" { n[$2]++ } END { for (t in n) exit n[t] != 2 }' "$work/scorep.txt" && pass ||
    fail "times of Score-P's archive: $(grep "enter	MPI_Allreduce" "$work/scorep.txt")"
for format in otf2 picl slog2; do
    check "what Score-P recorded as $format" refrain events "$work/scorep.refrain" --format $format -o "$work/scorep.$format"
done
# sent RANK: the common events of both other archives.
sent() {
    case $1 in
    0) calls 0 MPI_Send "send MPI_Send dest=1 tag=4 bytes=32 comm=0" ;;
    *) calls 1 MPI_Recv "recv MPI_Recv source=0 tag=4 bytes=32 comm=0" ;;
    esac
}
for rank in 0 1; do
    echo "$rank enter int main(int, char **) file=/home/user/app.c line=10"
    echo "$rank enter Loop: work file=/home/user/work.c line=7"
    echo "$rank leave Loop: work"
    sent $rank
    echo "$rank leave int main(int, char **)"
done >"$work/wanted"
foreign tau ""
for rank in 0 1; do
    echo "$rank enter main file=app.c line=1"
    echo "$rank enter f file=app.c line=2"
    sent $rank
    echo "$rank leave f"
    echo "$rank enter g file=app.c line=3"
    echo "$rank leave g"
done >"$work/wanted"
foreign contexts ""
check "calling contexts in a ring" foreign_otf2 ring "$work/ring"
check "they come to an end" timeout 60 refrain convert --quiet "$work/ring" -o "$work/ring.refrain"

says 1 "no such file" refrain convert "$work/nothing" -o "$work/refused.refrain"
echo "some words" >"$work/words"
says 1 "line 1: does not begin with a rank" refrain convert "$work/words" -o "$work/refused.refrain"
says 1 "cannot be read" refrain convert --format otf2 "$work/words" -o "$work/refused.refrain"
mkdir "$work/no-archive"
says 1 "is no OTF2 archive" refrain convert "$work/no-archive" -o "$work/refused.refrain"
: >"$work/no-events"
says 1 "no events" refrain convert "$work/no-events" -o "$work/refused.refrain"
(head -n 400 "$work/control.txt" && printf '0\t99.5\tleave\tnowhere\n') >"$work/left.txt"
says 1 "line 401: leaves a region" refrain convert "$work/left.txt" -o "$work/refused.refrain"
(head -n 400 "$work/control.txt" && printf '0\t0.000000001\tenter\tmain\tfile=\tline=0\n') >"$work/early.txt"
says 1 "line 401: is earlier" refrain convert "$work/early.txt" -o "$work/refused.refrain"
printf '0\t1000000000.5\tenter\tmain\tfile=\tline=0\n' >"$work/late.txt"
says 1 "line 1: the second field is no time in seconds" refrain convert "$work/late.txt" -o "$work/refused.refrain"
printf '0\t1.5\tsend\tMPI_Send\tdest=0\ttag=4294967297\tbytes=1\tcomm=0\n' >"$work/tag.txt"
says 1 "line 1: a thread, communicator, rank or tag beyond" refrain convert "$work/tag.txt" -o "$work/refused.refrain"
printf '0\t1.5\tseek\tMPI_File_seek\tvalue=-900000000\twhence=nowhere\n' >"$work/seek.txt"
says 1 "line 1: a field has a value that makes no sense" refrain convert "$work/seek.txt" -o "$work/refused.refrain"
# Numbers may be damaged: a rank that occurs only by name has no files, and the other ranks of its communicators cost no
# time.
printf '0\t1.5\tenter\tMPI_Recv\tfile=\tline=0\n0\t1.5\trecv\tMPI_Recv\tsource=1048575\ttag=4\tbytes=1\tcomm=65535\tthread=65535\n0\t1.6\tleave\tMPI_Recv\n' >"$work/far.txt"
check "ranks far apart" timeout 20 refrain convert --quiet "$work/far.txt" -o "$work/far.refrain"
[ "$(ls "$work/far.refrain" | tr '\n' ' ')" = "rank-0.events rank-0.trace " ] && pass || fail "ranks far apart: $(ls "$work/far.refrain" | head -n 4)"
# A rank's file lists the communicators that the rank uses, not all that there are.
for rank in $(seq 0 39); do
    printf "$rank\t$rank.500000000\tenter\tMPI_Barrier\tfile=\tline=0\n$rank\t$rank.500000000\tcollective\tMPI_Barrier\tsent=0\treceived=0\tcomm=$((65535 - rank % 2))\n$rank\t$rank.500000000\tleave\tMPI_Barrier\n"
done >"$work/far-apart.txt"
back "$work/far-apart.txt" many --all
same "$work/far-apart.txt" "$work/many.txt" "communicators far apart"
mib=$(du -sm --apparent-size "$work/many.refrain" | cut -f 1)
[ "$mib" -lt 20 ] && pass || fail "40 ranks that use a communicator each take $mib MiB"
cp -r "$work/control.otf2" "$work/cut.otf2"
truncate -s 40 "$work/cut.otf2/traces.def"
says 1 "cannot be read" refrain convert "$work/cut.otf2" -o "$work/refused.refrain"
check "what is refused leaves no trace" test ! -e "$work/refused.refrain"
(ulimit -f 20 && refrain convert "$work/control.txt" -o "$work/full.refrain") 2>"$work/said"
status=$?
[ $status -eq 1 ] && [ "$(grep -c 'cannot be written' "$work/said")" = 1 ] && [ ! -e "$work/full.refrain" ] && pass ||
    fail "a full disk: status $status, said $(cat "$work/said"), left $(ls "$work/full.refrain" 2>/dev/null)"
refrain convert "$work/control.txt" -o "$work/few-of-text.refrain" 2>"$work/said"
[ $? -eq 1 ] && grep -q "exists" "$work/said" && check "what was there stays" refrain events "$work/few-of-text.refrain" ||
    fail "an existing trace: $(cat "$work/said")"
refrain convert "$work/control.txt" 2>"$work/said"
[ $? -eq 2 ] && grep -q -e "-o NAME.refrain" "$work/said" && pass || fail "no output given: $(cat "$work/said")"
summary
