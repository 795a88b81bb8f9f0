#!/bin/sh
# Every format is read back by a reader written from its specification (tests/formats/read_<format>.py), and has the events
# of the text that it has a place for. A full disk leaves no partial file. Odd names and killed runs do no harm.
set -u
. "$(dirname "$0")/lib.sh"
. "$tests/formats/forms.sh"

for program in control mpi_rma mpi_io mpi_objects mpi_completion mpi_threads mpi_intercomm; do
    trace_program $program 2 4
    round_trip "$work/$program.refrain" $program
done
trace_program names 2
round_trip "$work/names.refrain" names
trace_program record/told 2 10
round_trip "$work/told.refrain" "markers and counters"
# In OTF2 they are metrics, whose numbers have no gap, else its tool complains.
refrain reconstruct "$work/told.refrain" --format otf2 -o "$work/otf2" --force --quiet
otf2-print "$work/otf2/traces.otf2" 2>"$work/said" |
    sed -n 's/^METRIC  *\([0-9]*\) .* Value: ("\(.*\)" <[0-9]*>; INT64; \(-*[0-9]*\))$/\1 \2 \3/p' | sort >"$work/read"
awk -F '\t' '$3 == "marker" { print $1, $4, 1 } $3 == "counter" { sub("value=", "", $5); print $1, $4, $5 }' "$work/text" |
    sort >"$work/wanted"
[ -s "$work/read" ] && [ ! -s "$work/said" ] && cmp -s "$work/read" "$work/wanted" && pass ||
    fail "metrics of OTF2: $(head -n 2 "$work/said"; diff "$work/read" "$work/wanted" | head -n 3)"

# A part of the run, and some of its ranks: messages whose other end is not in it are not drawn to another one.
refrain reconstruct "$work/control.refrain" --format text -o "$work/text" --force
from=$(sed -n "$(($(wc -l <"$work/text") / 3))p" "$work/text" | cut -f 2)
to=$(sed -n "$(($(wc -l <"$work/text") * 2 / 3))p" "$work/text" | cut -f 2)
round_trip "$work/control.refrain" "a part of the run" --from "$from" --to "$to"
round_trip "$work/control.refrain" "one rank" --ranks 1
otf2_round_trip "$work/control.refrain" "a part of the run" --from "$from" --to "$to"
otf2_round_trip "$work/control.refrain" "one rank" --ranks 1
# If several messages of one channel are pending at the beginning of the part, the ends in the part must nevertheless
# be matched correctly.
trace_program under_way 2
refrain reconstruct "$work/under_way.refrain" --format text -o "$work/text" --force
from=$(awk -F '\t' '$3 == "send" && /bytes=4\t/ { print $2 }' "$work/text")
for format in slog2 paraver alog clog clog2 picl; do
    refrain reconstruct "$work/under_way.refrain" --format $format -o "$work/under_way" --from "$from" --force 2>"$work/said"
    python3 "$readers/read_$format.py" "$work/under_way" | awk -F '\t' '$3 == "send" || $3 == "recv" {
        match($0, /bytes=[0-9]+/); bytes = substr($0, RSTART + 6, RLENGTH - 6); n[$3 " " bytes]++ }
        END { for (i = 1; i <= 8; i++) printf "%d ", n["send " i] * 10 + n["recv " i] }' >"$work/ends"
    wanted="0 0 0 11 11 11 11 11 " # arrows alone, or what a reader that pairs messages by their order takes for the same
    [ $format != paraver ] || wanted="1 1 1 11 11 11 11 11 "
    [ "$(cat "$work/ends")" = "$wanted" ] && pass || fail "$format, messages under way as the part begins: $(cat "$work/ends")"
    said=0
    case $format in slog2 | paraver) ;; *) said=1 ;; esac
    [ "$(grep -c "$format pairs messages by their order: the receives of 3 that were sent before the part are left out" "$work/said")" = $said ] &&
        pass || fail "$format, messages under way as the part begins, said: $(cat "$work/said")"
done
# Unknown data of a failed call: ranks, sizes, communicators.
trace_program mpi_errors 2
round_trip "$work/mpi_errors.refrain" "calls that failed"
otf2_round_trip "$work/mpi_errors.refrain" "calls that failed"
said=$(refrain reconstruct "$work/control.refrain" --format clog -o "$work/quiet" --quiet 2>&1)
[ -z "$said" ] && pass || fail "--quiet says $said"
said=$(refrain reconstruct "$work/mpi_rma.refrain" --format clog -o "$work/quiet" --force 2>&1)
[ "$(echo "$said" | grep -c 'clog has no place for: one-sided accesses (')" = 1 ] &&
    [ "$(echo "$said" | grep -c 'clog has room for 15 bytes of a name: .* are shortened, the first MPI_')" = 1 ] && pass ||
    fail "what clog cannot say is said otherwise: $said"

said=$(refrain reconstruct "$work/mpi_io.refrain" --format picl -o "$work/quiet" --force 2>&1)
[ "$(echo "$said" | grep -c 'picl has no place for: calls that name a file ([0-9]*), completions of accesses ([0-9]*), bytes that file accesses moved ([0-9]*), seeks (')" = 1 ] &&
    pass || fail "what PICL cannot say is said otherwise: $said"

# PICL distinguishes receives and completions that had to wait. It has the names of files, and counts polls that found
# nothing.
refrain reconstruct "$work/control.refrain" --format text --all -o "$work/text" --force --quiet
refrain reconstruct "$work/control.refrain" --format picl -o "$work/picl" --force --quiet
check "what waits in PICL" python3 "$readers/picl_waits.py" "$work/text" "$work/picl"
refrain reconstruct "$work/mpi_io.refrain" --format picl -o "$work/picl" --force --quiet
[ "$(grep -c '^-2 -201 [0-9.]* [01] 0 1 "%1c%d" 4 [0-9]*$' "$work/picl")" -gt 1 ] && pass || fail "PICL: $(grep '^-2 -201' "$work/picl")"
refrain reconstruct "$work/mpi_completion.refrain" --format picl -o "$work/picl" --force --quiet
grep -q '^-102 -1 .* -29 [-1-9]' "$work/picl" && pass || fail "PICL, polls: $(grep '^-102 -1 ' "$work/picl")"
refrain reconstruct "$work/mpi_threads.refrain" --format picl -o "$work/picl" --force --quiet
[ "$(grep -c '^-3 -901 [0-9.]* [01] [0-9]* 0$' "$work/picl")" -gt 2 ] && grep -q '^-3 [0-9-]* [0-9.]* [01] 1 ' "$work/picl" && pass ||
    fail "PICL, threads: $(grep -- '-901' "$work/picl")"

# PICL's other form, and its levels. Without records of a kind, the statistics stay the same, except for the bytes of tracing.
for program in told mpi_io mpi_intercomm mpi_completion; do
    for form in "" --picl-verbose; do
        # shellcheck disable=SC2086 # none or one word
        refrain reconstruct "$work/$program.refrain" --format picl $form -o "$work/picl" --force --quiet
        refrain reconstruct "$work/$program.refrain" --format text --all -o "$work/text" --force --quiet
        python3 "$readers/read_picl.py" "$work/picl" >"$work/read" 2>"$work/said" || fail "$program: PICL $form: $(cat "$work/said")"
        check "$program: PICL $form" python3 "$readers/compare.py" "$work/text" "$work/read"
    done
done
grep -q '^-3 -[0-9]* [0-9.]* [0-9]* 0 [1-9][0-9]* "%d"' "$work/picl" && ! grep -q '^-[0-9]* -[0-9]* [0-9.]* [0-9]* 0 [1-9][0-9]* [0-9]' "$work/picl" &&
    pass || fail "the verbose form of PICL has numbers for formats"
for levels in 1,1,1 1,0,1 0,1,0 0,0,0; do
    refrain reconstruct "$work/mpi_intercomm.refrain" --format picl --picl-levels $levels -o "$work/picl" --force --quiet
    python3 "$readers/read_picl.py" "$work/picl" >/dev/null 2>"$work/said" && pass || fail "PICL, levels $levels: $(cat "$work/said")"
    awk '/^-10[123]/ { sub(/ -901 [0-9]*$/, ""); print }' "$work/picl" >"$work/statistics"
    [ $levels != 1,1,1 ] || cp "$work/statistics" "$work/of-all"
    cmp -s "$work/statistics" "$work/of-all" && pass || fail "PICL, levels $levels: other statistics"
    awk '/^-[234] / { n[$2 >= 0 ? "user" : $2 > -900 ? "system" : $2 < -901 ? "tracing" : "-901"]++ }
        END { print (n["system"] > 0) "," (n["user"] > 0) "," (n["tracing"] > 0) }' "$work/picl" >"$work/levels"
    [ "$(cat "$work/levels")" = $levels ] && pass || fail "PICL, levels $levels: records of $(cat "$work/levels")"
done

# The form of PICL for ParaGraph.
for program in control mpi_completion mpi_threads; do
    refrain reconstruct "$work/$program.refrain" --format picl --paragraph -o "$work/paragraph" --force --quiet
    refrain reconstruct "$work/$program.refrain" --format text -o "$work/text" --force --quiet
    check "$program for ParaGraph" python3 "$readers/paragraph.py" "$work/paragraph" "$work/text"
done

# SLOG-1 printed as the paper's figures 6, 10 and 12 have it; frames that reach over each other have pseudo-records.
refrain reconstruct "$work/mpi_completion.refrain" -o "$work/log.slog" --quiet
python3 "$readers/read_slog1.py" "$work/log.slog" --dump >"$work/dump"
for line in '^ def\[00\] = \[ [0-9]*, (1, 1), 0, [04] \]$' '^ def\[00\]=\[[0-9]*,state,' '^\*\*\*\* Frame Index = 1 \*\*\*\*$' \
    '^---- The OUTGOING sector:$' '^[0-9]*: 30 64 [0-9]* ( 1, 1 ) *[0-9.]* *[0-9.]* ( [01] 0 0 ) { }$' \
    '^[0-9]*: 53 192 [0-9]* ( 1, 1 ) .* ( 0 0 0 ) ( 1 0 0 ) { } \[ ' '^rectype = 64, intvltype = [0-9]* label = MPI_Finalize$' \
    '^\( *[0-9]*\.[0-9][0-9], \)\{5\}$'; do
    grep -q "$line" "$work/dump" && pass || fail "a dump of SLOG-1 has no line $line"
done

# A run of which one rank was killed, and one of which a rank's file is missing.
trace_program names 3 kill
round_trip "$work/names.refrain" "a killed run"
cp -r "$work/control.refrain" "$work/missing.refrain"
rm "$work/missing.refrain/rank-0.trace"
round_trip "$work/missing.refrain" "a missing rank"

full_disk "$work/control.refrain" control

# More ranks than EPILOG supports, and the last possible nanosecond: the format's reader reads the file, or refrain refuses it with a
# line that gives the reason.
printf '%s\n' "0 0.000000001 enter main file=a.c line=1" "1976 1.5 enter MPI_Init file=a.c line=2" "1976 1.6 leave MPI_Init" \
    "0 999999999.999999999 leave main" | tr ' ' '\t' >"$work/many.txt"
check "1,977 ranks" refrain convert "$work/many.txt" -o "$work/many.refrain" --quiet
for format in $formats; do
    rm -rf "$work/to" && mkdir "$work/to"
    refrain events "$work/many.refrain" --format "$format" -o "$work/to/out" 2>"$work/said"
    status=$?
    if [ "$format" = epilog ]; then
        [ $status = 1 ] && [ -z "$(ls "$work/to")" ] && grep -q 'has 1977 ranks; a communicator in EPILOG 1.2 has at most 1976' "$work/said"
    else
        [ $status = 0 ] && python3 "$readers/read_$format.py" "$work/to/out" >"$work/read" 2>>"$work/said" &&
            [ "$(grep -c '	leave	' "$work/read")" = 2 ]
    fi && pass || fail "1,977 ranks and 1,000,000,000 s: $format: status $status, said $(tail -n 1 "$work/said")"
done
rm -rf "$work/many.refrain"

# Names that are no UTF-8: every format is still one that its reader reads.
trace_program names 2 odd
for format in $formats; do
    rm -rf "$work/to" && mkdir "$work/to"
    refrain reconstruct "$work/names.refrain" --format "$format" -o "$work/to/out" 2>"$work/said" &&
        python3 "$readers/read_$format.py" "$work/to/out" >"$work/read" 2>&1 && pass ||
        fail "names that are no UTF-8: $format: $(tail -n 1 "$work/said" "$work/read")"
done
summary
