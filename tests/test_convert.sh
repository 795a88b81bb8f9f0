#!/bin/sh
# refrain convert: what it makes of text and of OTF2 has the same events again, whichever tool wrote them; what is no archive, or
# damaged, is refused with a line, and nothing half is left.
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

for program in control mpi_rma mpi_io names mpi_intercomm; do
    trace_program $program 2 4
    check "$program: text" refrain reconstruct "$work/$program.refrain" --format text --all -o "$work/$program.txt"
    check "$program: OTF2" refrain reconstruct "$work/$program.refrain" -o "$work/$program.otf2"
    back "$work/$program.txt" $program-of-text --all
    back "$work/$program.otf2" $program-of-otf2 --all
    for form in $program $program-of-text $program-of-otf2; do
        canonical "$work/$form.txt" >"$work/$form.events"
    done
    same "$work/$program.events" "$work/$program-of-text.events" "$program through text"
    same "$work/$program.events" "$work/$program-of-otf2.events" "$program through OTF2"
done
# Without --all the text does not say what completes what: its events are as they were.
refrain events "$work/control-of-text.refrain" -o "$work/few.txt"
back "$work/few.txt" few-of-text
same "$work/few.txt" "$work/few-of-text.txt" "text without completions"
check "compare" refrain compare --exact "$work/few.txt" "$work/control-of-otf2.refrain"

# The commands work on it.
refrain stats "$work/control-of-otf2.refrain" >"$work/stats" 2>&1 && grep -q "MPI_Recv control.c:[0-9]" "$work/stats" && pass || fail "stats: $(head -n 3 "$work/stats")"
refrain info "$work/control-of-otf2.refrain" >"$work/info" 2>&1 && grep -q "converted from OTF2 of refrain" "$work/info" && pass ||
    fail "info: $(head -n 5 "$work/info")"
check "diff" refrain diff "$work/control-of-otf2.refrain" "$work/control-of-text.refrain"
check "formats" refrain events "$work/control-of-otf2.refrain" -o "$work/control.slog2"

# What EZTrace wrote, whose references are far apart, and which defines some of them twice.
check "compile for EZTrace" mpicc.mpich -O1 -w -std=gnu11 "$tests/programs/under_way.c" -o "$work/under_way"
(cd "$work" && launch mpich 2 eztrace -t mpich "$work/under_way" >"$work/eztrace" 2>&1)
back "$work/under_way_trace" eztrace
sizes=$(awk -F '\t' '$3 == "send" || $3 == "recv" { for (i = 5; i <= NF; i++) if ($i ~ /^bytes=/) n[$1 " " $3 " " substr($i, 7)]++ }
    END { for (i = 1; i <= 8; i++) s += n["0 send " i] == 1 && n["1 recv " i] == 1; print s + 0 }' "$work/eztrace.txt")
[ "$sizes" = 8 ] && pass || fail "of 8 messages that EZTrace recorded $sizes have both ends: $(head -n 3 "$work/eztrace.txt")"
[ "$(grep -c 'collective	MPI_Barrier' "$work/eztrace.txt")" = 2 ] && pass || fail "the barrier that EZTrace recorded"

# refused WHAT TEXT OPTION...: status 1, one line that says so, and no trace.
refused() {
    what=$1 wanted=$2
    shift 2
    refrain convert "$@" -o "$work/refused.refrain" 2>"$work/said"
    status=$?
    [ $status -eq 1 ] && [ "$(grep -c . "$work/said")" = 1 ] && grep -q "$wanted" "$work/said" && [ ! -e "$work/refused.refrain" ] && pass ||
        fail "$what: status $status, said $(cat "$work/said")"
}
refused "no file" "no such file" "$work/nothing"
echo "some words" >"$work/words"
refused "words" "line 1: does not begin with a rank" "$work/words"
refused "words as OTF2" "cannot be read" --format otf2 "$work/words"
mkdir "$work/no-archive"
refused "an empty directory" "is no OTF2 archive" "$work/no-archive"
: >"$work/no-events"
refused "an empty file" "no events" "$work/no-events"
(head -n 400 "$work/control.txt" && printf '0\t99.5\tleave\tnowhere\n') >"$work/left.txt"
refused "a region that was not entered" "line 401: leaves a region" "$work/left.txt"
(head -n 400 "$work/control.txt" && printf '0\t0.000000001\tenter\tmain\tfile=\tline=0\n') >"$work/early.txt"
refused "time that goes back" "line 401: is earlier" "$work/early.txt"
cp -r "$work/control.otf2" "$work/cut.otf2"
truncate -s 40 "$work/cut.otf2/traces.def"
refused "definitions that end early" "cannot be read" "$work/cut.otf2"
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
