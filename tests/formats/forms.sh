# forms.sh: functions that the scripts which read formats back share. Sourced after lib.sh.
readers=$tests/formats

# The formats with a reader of their own: all but text, which they are compared with, and OTF2, which has tools.
formats=
for reader in "$readers"/read_*.py; do
    format=${reader##*/read_}
    formats="$formats ${format%.py}"
done

# trace_program PROGRAM RANKS ARGUMENT...: builds a test program and traces it; $work/PROGRAM.refrain is the trace, without the
# directory of PROGRAM.
trace_program() {
    source=$tests/programs/$1.c program=${1##*/} ranks=$2
    shift 2
    REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 -std=gnu11 -w -I "$tests/../include" "$source" -o "$work/$program" -lpthread ||
        fail "$program: compile"
    rm -rf "$work/$program-run" "$work/$program.refrain"
    mkdir "$work/$program-run"
    (cd "$work/$program-run" && REFRAIN_THREADS=4 REFRAIN_TOTAL_MEMORY=6M launch mpich "$ranks" "$work/$program" "$@" >out 2>&1)
    mv "$work/$program-run"/*.refrain "$work/$program.refrain"
}

# texts TRACE NAME OPTION...: $work/text is the part of it that the options say, $work/whole all of it.
texts() {
    trace=$1 name=$2
    shift 2
    refrain reconstruct "$trace" --format text --all -o "$work/text" --force --quiet "$@" || fail "$name: to text"
    refrain reconstruct "$trace" --format text --all -o "$work/whole" --force --quiet || fail "$name: to text, the whole run"
}

# round_trip TRACE NAME OPTION...: each format of it, read back by its reader, has the events of the text.
round_trip() {
    texts "$@"
    trace=$1 name=$2
    shift 2
    rm -rf "$work/to" && mkdir "$work/to"
    for format in $formats; do
        refrain reconstruct "$trace" --format "$format" -o "$work/to/$format" "$@" 2>"$work/said" && pass ||
            fail "$name: to $format: $(cat "$work/said")"
    done
    # shellcheck disable=SC2086 # a list of words
    python3 "$readers/round_trip.py" "$work/text" "$work/whole" "$work/to" $formats >"$work/wrong" 2>&1 && [ ! -s "$work/wrong" ] &&
        pass || fail "$name: $(cat "$work/wrong")"
}

# otf2_round_trip TRACE NAME OPTION...: OTF2's own tool must print no message for the archive, ViTE (if it is installed) must
# find neither errors nor warnings, and the trace that refrain convert makes of it must have the events of the text.
otf2_round_trip() {
    texts "$@"
    trace=$1 name=$2
    shift 2
    rm -rf "$work/otf2" "$work/converted.refrain"
    # OTF2 has no completion of a send whose request is not known: another thread began it.
    python3 "$readers/ends.py" "$work/text" "$work/whole" |
        awk -F '\t' '$3 != "send-complete" || /\trequest=/' >"$work/in-part" && mv "$work/in-part" "$work/text"
    check "$name: to otf2" refrain reconstruct "$trace" --format otf2 -o "$work/otf2" --quiet "$@"
    for what in --silent -G -C; do
        otf2-print $what "$work/otf2/traces.otf2" >/dev/null 2>"$work/said" && [ ! -s "$work/said" ] && pass ||
            fail "$name: otf2-print $what: $(head -n 2 "$work/said")"
    done
    if command -v vite >/dev/null && [ "${1:-}" != --from ] && [ "${1:-}" != --ranks ]; then # it wants both ends of messages
        QT_QPA_PLATFORM=offscreen vite "$work/otf2/traces.otf2" -e "$work/vite.svg" >"$work/said" 2>&1 &&
            grep -q "^0 errors and 0 warnings were found" "$work/said" && pass || fail "$name: ViTE: $(tail -n 2 "$work/said")"
    fi
    check "$name: convert" refrain convert "$work/otf2" -o "$work/converted.refrain" --quiet
    refrain events "$work/converted.refrain" --all -o "$work/again" --format text --force --quiet
    for form in text again; do
        canonical "$work/$form" >"$work/$form.events"
    done
    cmp -s "$work/text.events" "$work/again.events" && pass ||
        fail "$name: OTF2 and back: $(diff "$work/text.events" "$work/again.events" | head -n 3)"
}

# canonical FILE: prints each location's text without the fields in which two forms of the same events may differ. Requests are numbered
# in the order in which their location began them, and have no number if the text does not have their begin. OTF2 has the communicator
# of a posted receive only at its completion, which may be after the window; a cancelled receive never has one. OTF2 has no message or
# access from or to an unknown rank, and no collective of an unknown communicator. It has no completion of a nonblocking collective that
# began before the window. If one completes after the window, only its existence is known. The moved bytes of an access that began
# before the window are missing, too. Windows and files are numbered in the order in which their location used them. Without `all`,
# calls that only name one are left out: OTF2 has records of some of them.
canonical() {
    awk -v all="${2:-}" -F '\t' -v OFS='\t' '
        NR != FNR && FNR == 1 { split("", number); split("", n) }
        ($3 == "window" || $3 == "file") && !all { next }
        /\t(dest|source|target)=-1(\t|$)/ || ($3 == "collective" && /\tcomm=unknown(\t|$)/ && !/\trequest=/) { next }
        {
            at = 0; thread = 0; object = 0; comm = ""
            for (i = 5; i <= NF; i++)
                if ($i ~ /^request=/) at = i
                else if ($i ~ /^thread=/) thread = $i
                else if ($i ~ /^(window|handle)=/) object = i
                else if ($i ~ /^comm=/) comm = $i
            if (object) {
                used = (NR != FNR) " " $1 " " thread " " $object " " comm
                if (!(used in objects)) objects[used] = ++n_objects[(NR != FNR) " " $1 " " thread]
                $object = substr($object, 1, index($object, "=")) objects[used]
            }
            # OTF2 has the bytes of an access at its begin.
            if ($3 == "io" && !at) began[used]++
            if ($3 == "moved" && began[used]-- < 1) { began[used] = 0; next }
            if (at) {
                where = $1 " " thread " " $at
                if ($3 ~ /^(collective|access)-complete$/ && !(where in number)) next
                if ($3 ~ /^(recv-post|send|collective|rma|io)$/)
                    number[where] = ++n[$1 " " thread]
                if ($3 == "collective-complete" && NR == FNR) complete[$1 " " thread " " number[where]] = 1
                $at = where in number ? "request=" number[where] : ""
                if ($3 == "collective" && !(($1 " " thread " " number[where]) in complete))
                    gsub(/\t(root|sent|received|comm)=[^\t]*/, "")
                if ($3 !~ /^(recv-post|send|collective|rma|io)$/)
                    delete number[where]
            }
            if (NR == FNR) next
            if ($3 == "recv-post") gsub(/\tcomm=[^\t]*/, "")
            sub(/\tapproximate$/, ""); gsub(/\t\t/, "\t"); sub(/\t$/, "")
            sub(/^thread=/, "", thread)
            print $1 "\t" thread "\t" $0
        }' "$1" "$1" | sort -s -t "$(printf '\t')" -n -k 1,1 -k 2,2 | cut -f 3-
}

# full_disk TRACE NAME: on a disk that becomes full, one line must name the output, and no file may get its name. An existing
# output stays, and is not overwritten without --force. OTF2 writes a directory.
full_disk() {
    for format in otf2 text $formats; do
        rm -rf "$work/full"
        mkdir "$work/full"
        blocks=40
        [ "$format" != otf2 ] || blocks=2 # each of its files
        (ulimit -f $blocks && refrain reconstruct "$1" --format "$format" -o "$work/full/out") 2>"$work/said"
        status=$?
        [ $status -eq 1 ] && [ "$(grep -c 'cannot be written' "$work/said")" -eq 1 ] && [ -z "$(ls "$work/full")" ] && pass ||
            fail "$2: $format, a full disk: status $status, said $(cat "$work/said"), left $(ls "$work/full")"
        [ "$format" != otf2 ] || continue
        echo old >"$work/full/out"
        (ulimit -f 40 && refrain reconstruct "$1" --format "$format" -o "$work/full/out" --force) 2>/dev/null
        [ "$(cat "$work/full/out")" = old ] && pass || fail "$2: $format, a full disk: what was there before is gone"
        refrain reconstruct "$1" --format "$format" -o "$work/full/out" 2>"$work/said" &&
            fail "$2: $format: overwrites without --force" || pass
    done
}
