#!/bin/sh
# The OTF2 archive, read back by OTF2's own reader, holds the events of the text, and the reader has nothing to complain of.
set -u
. "$(dirname "$0")/lib.sh"

for program in control objects; do
    REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 -std=gnu11 -w "$tests/programs/$program.c" -o "$work/$program" || fail "compile"
    run=$work/$program-run
    mkdir "$run"
    REFRAIN_DIRECTORY=$run launch mpich 3 "$work/$program" 8 >/dev/null
    trace=$(the_trace "$run")
    check "$program: to OTF2" refrain reconstruct "$trace" -o "$run/otf2"
    check "$program: to text" refrain reconstruct "$trace" --format text -o "$run/text"
    otf2-print "$run/otf2/traces.otf2" >"$run/printed" 2>"$run/complaints" || fail "$program: otf2-print: status $?"
    [ ! -s "$run/complaints" ] && pass || fail "$program: otf2-print complains: $(head -n 2 "$run/complaints")"
    # Per location: enter, leave, send and receive with their fields, in order.
    awk '
        $1 == "ENTER" || $1 == "LEAVE" {
            name = $0; sub(/.*Region: "/, "", name); sub(/".*/, "", name)
            print $2, tolower($1), name
        }
        $1 == "MPI_SEND" || $1 == "MPI_ISEND" || $1 == "MPI_RECV" || $1 == "MPI_IRECV" {
            peer = $0; sub(/.*(Receiver|Sender): /, "", peer); sub(/ .*/, "", peer)
            tag = $0; sub(/.*Tag: /, "", tag); sub(/,.*/, "", tag)
            bytes = $0; sub(/.*Length: /, "", bytes); sub(/,.*/, "", bytes)
            print $2, ($1 ~ /SEND/ ? "send" : "recv"), tag, bytes
        }
        $1 == "MPI_COLLECTIVE_END" { print $2, "collective" }' "$run/printed" | sort -s -n -k 1,1 >"$run/a"
    awk -F '\t' '
        $3 == "enter" || $3 == "leave" { print $1, $3, $4 }
        $3 == "send" || $3 == "recv" {
            for (i = 5; i <= NF; i++) { split($i, pair, "="); value[pair[1]] = pair[2] }
            print $1, $3, value["tag"], value["bytes"]
        }
        $3 == "collective" { held[$1] = 1 }
        $3 == "leave" && held[$1] { }' "$run/text" | sort -s -n -k 1,1 >"$run/b"
    grep -v collective "$run/a" >"$run/c"
    [ "$(wc -l <"$run/b")" -gt 100 ] && cmp -s "$run/b" "$run/c" && pass || {
        fail "$program: OTF2 and text differ ($(wc -l <"$run/c") and $(wc -l <"$run/b") events)"
        diff "$run/b" "$run/c" | head -n 6
    }
    in_otf2=$(grep -c collective "$run/a")
    in_text=$(cut -f 3 "$run/text" | grep -c '^collective$')
    [ "$in_otf2" = "$in_text" ] && [ "$in_text" -gt 0 ] && pass || fail "$program: $in_otf2 collectives in OTF2, $in_text in text"
    # No message is received before it is sent; every message has both ends.
    awk -F '\t' '
        { for (i = 5; i <= NF; i++) { split($i, pair, "="); value[pair[1]] = pair[2] } }
        $3 == "send" { key = $1 " " value["dest"] " " value["tag"] " " value["comm"]; sent[key, ++sends[key]] = $2; messages++ }
        $3 == "recv" { key = value["source"] " " $1 " " value["tag"] " " value["comm"]
                       if (!((key, ++receives[key]) in sent)) early++ }
        END { for (key in sends) if (sends[key] != receives[key]) lost++
              print messages + 0, early + 0, lost + 0; exit !(messages > 0 && !early && !lost) }' "$run/text" >"$run/messages" &&
        pass || fail "$program: messages, received before sent, unpaired channels: $(cat "$run/messages")"
done

# The metric of waiting: if a message was sent after the receiving call began, it grows by that time.
awk '
    $1 == "ENTER" { since[$2] = $3 }
    $1 == "MPI_SEND" || $1 == "MPI_ISEND" || $1 == "MPI_RECV" || $1 == "MPI_IRECV" {
        peer = $0; sub(/.*(Receiver|Sender): /, "", peer); sub(/ .*/, "", peer)
        tag = $0; sub(/.*Tag: /, "", tag); sub(/,.*/, "", tag)
        comm = $0; sub(/.*Communicator: /, "", comm); sub(/, Tag.*/, "", comm)
        if ($1 ~ /SEND/) {
            channel = $2 " " peer " " tag " " comm; sent[channel, ++sends[channel]] = $3
        } else {
            channel = peer " " $2 " " tag " " comm
            at = sent[channel, ++receives[channel]]
            if (at > since[$2]) { waited[$2] += at - since[$2]; since[$2] = at; wanted++ }
        }
    }
    $1 == "METRIC" && !/resident memory/ {
        value = $0; sub(/.*UINT64; /, "", value); sub(/.*: */, "", value); sub(/[^0-9].*/, "", value)
        n++; if (value != waited[$2]) wrong++
    }
    END { print n + 0, wanted + 0, wrong + 0; exit !(n > 0 && n == wanted && !wrong) }' "$work/control-run/printed" >"$work/waited" &&
    pass || fail "control: metrics, messages waited for, wrong values: $(cat "$work/waited")"

# estimated PROGRAM: otf2-estimator knows every record there is of it, and says for so many definitions and events at least as many bytes
# as there are. In its spelling: "MPI_SEND" is MpiSend.
spelled() {
    awk -v what="$1" '$1 ~ /^[A-Z][A-Z_]+$/ && $2 ~ /^[0-9]+$/ { n[$1]++ }
        END { for (kind in n) {
            name = ""; parts = split(tolower(kind), part, "_")
            for (i = 1; i <= parts; i++) name = name toupper(substr(part[i], 1, 1)) substr(part[i], 2)
            print what, name, (what == "set" ? n[kind] : name == "Metric" ? 1 : ""), n[kind] } }' "$2"
}
estimated() {
    run=$work/$1-run
    otf2-print -G "$run/otf2/traces.otf2" >"$run/definitions"
    {
        spelled set "$run/definitions" | grep -E ' (Region|String|Comm|Location|Group|Metric|Attribute) ' | awk '{ print $1, $2, $3 }'
        echo "get Timestamp"
        spelled get "$run/printed" | awk '{ print $1, $2 ($2 == "Metric" ? " 1" : "") }'
    } | otf2-estimator >"$run/sizes" 2>"$run/complaints"
    [ ! -s "$run/complaints" ] && pass || fail "$1: otf2-estimator complains: $(head -n 2 "$run/complaints")"
    spelled get "$run/printed" >"$run/counts"
    awk 'NR == FNR { bytes[$1] = $NF; next } { if (!($2 in bytes)) print "no " $2; sum += $NF * (bytes[$2] + bytes["Timestamp"]) } END { print sum }' \
        "$run/sizes" "$run/counts" >"$run/estimated"
    there=$(cat "$run"/otf2/traces/*.evt | wc -c)
    [ "$(wc -l <"$run/estimated")" = 1 ] && [ "$there" -gt 1000 ] && [ "$there" -le "$(cat "$run/estimated")" ] && pass ||
        fail "$1: otf2-estimator says $(cat "$run/estimated") bytes, there are $there"
}
estimated control

# A disk that becomes full leaves no file: at the end, and among the events, where the library writes 4 MB of each location at once.
mkdir "$work/long-run"
(cd "$work/long-run" && REFRAIN_DIRECTORY=$work/long-run launch mpich 2 "$work/control" 1000 >/dev/null)
for run in control long; do
    (ulimit -f 40 && refrain reconstruct "$(the_trace "$work/$run-run")" -o "$work/full") 2>"$work/said"
    status=$?
    [ $status -eq 1 ] && [ "$(grep -c 'cannot be written' "$work/said")" = 1 ] && [ ! -e "$work/full" ] && pass ||
        fail "a full disk, $run: status $status, said $(cat "$work/said"), left $(ls "$work/full" 2>/dev/null)"
done

# Windows, files, topologies and requests have records of their own, as many as the text has events.
for program in mpi_rma mpi_io mpi_objects mpi_neighbours mpi_completion mpi_threads; do
    REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 -w "$tests/programs/$program.c" -o "$work/$program" -lpthread || fail "compile"
    run=$work/$program-run
    mkdir "$run"
    (cd "$run" && REFRAIN_THREADS=8 REFRAIN_DIRECTORY=$run launch mpich 2 "$work/$program" >/dev/null)
    trace=$(the_trace "$run")
    check "$program: to OTF2" refrain reconstruct "$trace" -o "$run/otf2"
    check "$program: to text" refrain reconstruct "$trace" --format text -o "$run/text"
    otf2-print "$run/otf2/traces.otf2" >"$run/printed" 2>"$run/complaints" || fail "$program: otf2-print: status $?"
    otf2-print -G "$run/otf2/traces.otf2" >"$run/definitions" 2>>"$run/complaints" || fail "$program: otf2-print -G: status $?"
    [ ! -s "$run/complaints" ] && pass || fail "$program: otf2-print complains: $(head -n 2 "$run/complaints")"
    awk '{ kind = $1 }
        kind ~ /^RMA_(PUT|GET|ATOMIC)$/ { n["rma"]++ } kind == "IO_OPERATION_BEGIN" { n["io"]++ } kind == "IO_OPERATION_COMPLETE" { n["io-end"]++ }
        kind ~ /^MPI_I?SEND$/ { n["send"]++ } kind ~ /^MPI_I?RECV$/ { n["recv"]++ }
        END { print n["rma"] + 0, n["io"] + 0, n["io-end"] + 0, n["send"] + 0, n["recv"] + 0 }' "$run/printed" >"$run/a"
    awk -F '\t' '{ n[$3]++ } END { print n["rma"] + 0, n["io"] + 0, n["io"] + 0, n["send"] + 0, n["recv"] + 0 }' "$run/text" >"$run/b"
    cmp -s "$run/a" "$run/b" && pass || fail "$program: accesses and messages in OTF2 $(cat "$run/a"), in text $(cat "$run/b")"
    estimated $program
done
# An event is its innermost call's that has not been left: an MPI may call others of its functions, as MPICH 4.2 does MPI_Comm_get_info
# in MPI_File_open.
# Each access to a window is completed once at its target, after it and before the window ends, by a call that can do so (or with
# MPI_Win_complete, whose target completes it). Before that it is completed at most once at its origin. Locks are released.
for program in mpi_rma mpi_objects; do
    run=$work/$program-run
    awk '{ window = $0; sub(/.*Window: "/, "", window); sub(/".*/, "", window); number = $NF; rank = $0; sub(/.*Remote: /, "", rank); sub(/[ ,].*/, "", rank) }
        $1 == "ENTER" { match($0, /MPI_[A-Za-z_]+/); call[$2] = within[$2, ++depth[$2]] = RSTART ? substr($0, RSTART, RLENGTH) : "" }
        $1 == "LEAVE" { call[$2] = within[$2, --depth[$2]] }
        $1 == "RMA_WIN_CREATE" && (open[$2, window]++ || call[$2] !~ /MPI_Win_(create|allocate)/) { wrong++ }
        $1 == "RMA_WIN_DESTROY" { if (--open[$2, window] != 0 || call[$2] != "MPI_Win_free") wrong++; destroyed++ }
        $1 ~ /^RMA_(PUT|GET|ATOMIC)$/ { if (!open[$2, window]) wrong++; under_way[$2, number] = window; by[$2, number] = call[$2]; to[$2, number] = rank; n++ }
        $1 == "RMA_OP_COMPLETE_NON_BLOCKING" {
            if (under_way[$2, number] != window || here[$2, number]++ || call[$2] !~ /^MPI_(Win_flush_local|Win_flush_local_all|Win_complete|Wait|Waitall)$/) wrong++
            if (call[$2] == "MPI_Win_complete" || by[$2, number] ~ /^MPI_Rget(_c)?$/) { delete under_way[$2, number]; completed++ } }
        $1 == "RMA_OP_COMPLETE_REMOTE" {
            if (under_way[$2, number] != window || call[$2] !~ /^MPI_Win_(fence|free|flush|flush_all|unlock|unlock_all)$/) wrong++
            if (call[$2] ~ /_(flush|unlock)$/) { if (target[$2] == "") target[$2] = to[$2, number]; if (target[$2] != to[$2, number]) wrong++ }
            delete under_way[$2, number]; completed++ }
        $1 == "LEAVE" { # what is left of the window is for the next call that completes
            target[$2] = "" }
        $1 == "RMA_COLLECTIVE_BEGIN" && (fence[$2]++ || call[$2] != "MPI_Win_fence") { wrong++ }
        $1 == "RMA_COLLECTIVE_END" { if (--fence[$2]) wrong++
            for (i in under_way) { split(i, at, SUBSEP); if (at[1] == $2 && under_way[i] == window) wrong++ } }
        $1 == "RMA_REQUEST_LOCK" && asked[$2, window, rank]++ { wrong++ }
        $1 == "RMA_ACQUIRE_LOCK" && (--asked[$2, window, rank] || locked[$2, window, rank]++) { wrong++ }
        $1 == "RMA_RELEASE_LOCK" { if (--locked[$2, window, rank]) wrong++; unlocked++ }
        END { for (i in open) if (open[i]) wrong++; for (i in fence) if (fence[i]) wrong++; for (i in locked) if (locked[i]) wrong++
            print n, completed, destroyed, unlocked, wrong + 0
            exit !(n > 50 && n == completed && destroyed > 4 && unlocked > 4 && !wrong) }' "$run/printed" >"$run/accesses" &&
        pass || fail "$program: accesses, completions, windows freed, locks given back, wrong ones: $(cat "$run/accesses")"
done
# Which of several windows and files it is: as the text has it, call by call.
run=$work/mpi_objects-run
refrain reconstruct "$(the_trace "$run")" --all --format text -o "$run/all"
awk -F '\t' '$3 ~ /^(rma|io)$/ || ($3 == "window" && $4 ~ /_(create|allocate|free|lock|lock_all|unlock|unlock_all|fence)$/) || $4 ~ /^MPI_File_(open|close)$/ && $3 == "file" {
        split("", v); for (i = 5; i <= NF; i++) { at = index($i, "="); v[substr($i, 1, at - 1)] = substr($i, at + 1) }
        if ($3 == "file") name[$1, v["handle"]] = v["name"]
        print $1, $4, ("window" in v ? v["window"] " " v["comm"] : name[$1, v["handle"]]) }' "$run/all" | sort -s -n -k 1,1 >"$run/a"
awk '$1 == "ENTER" { match($0, /MPI_[A-Za-z_]+/); call[$2] = within[$2, ++depth[$2]] = RSTART ? substr($0, RSTART, RLENGTH) : "" }
    $1 == "LEAVE" { call[$2] = within[$2, --depth[$2]] }
    $1 ~ /^RMA_(PUT|GET|ATOMIC|WIN_CREATE|WIN_DESTROY|COLLECTIVE_END|ACQUIRE_LOCK|RELEASE_LOCK)$/ {
        window = $0; sub(/.*Window: "window /, "", window); sub(/".*/, "", window); sub(/ of (communicator )?/, " ", window)
        sub(/MPI_COMM_WORLD/, "0", window); sub(/MPI_COMM_SELF/, "1", window); print $2, call[$2], window }
    $1 ~ /^IO_(OPERATION_BEGIN|CREATE_HANDLE|DESTROY_HANDLE)$/ { name = $0; sub(/.*Handle: "/, "", name); sub(/".*/, "", name); print $2, call[$2], name }
    ' "$run/printed" | sort -s -n -k 1,1 >"$run/b"
[ "$(wc -l <"$run/a")" -gt 200 ] && cmp -s "$run/a" "$run/b" && pass || fail "windows and files of calls: $(diff "$run/a" "$run/b" | head -n 5)"
! grep -q 'MPI_Win_create' "$run/a" && grep -q 'MPI_Win_create' "$run/all" && pass || fail "a window that could not be made is there"
# A file's handle is made, used and given back; each operation is completed, by the call, the request or the second half that does so.
for program in mpi_io mpi_objects; do
    run=$work/$program-run
    awk '{ handle = $0; sub(/.*Handle: "[^"]*" </, "", handle); sub(/>.*/, "", handle); number = $NF }
        $1 == "ENTER" { match($0, /MPI_[A-Za-z_]+/); call[$2] = within[$2, ++depth[$2]] = RSTART ? substr($0, RSTART, RLENGTH) : "" }
        $1 == "LEAVE" { call[$2] = within[$2, --depth[$2]] }
        $1 == "IO_CREATE_HANDLE" && (open[$2, handle]++ || call[$2] != "MPI_File_open") { wrong++ }
        $1 == "IO_DESTROY_HANDLE" { if (--open[$2, handle] || call[$2] != "MPI_File_close") wrong++; closed++ }
        $1 == "IO_OPERATION_BEGIN" { if (!open[$2, handle]) wrong++; under_way[$2, handle, number] = call[$2] }
        $1 == "IO_OPERATION_ISSUED" && (under_way[$2, handle, number] != call[$2] || call[$2] !~ /File_i|_begin/) { wrong++ }
        $1 == "IO_OPERATION_COMPLETE" { began = under_way[$2, handle, number]; delete under_way[$2, handle, number]; n++
            if (began ~ /_begin/ ? call[$2] != substr(began, 1, length(began) - 5) "end" : began ~ /File_i/ ? call[$2] !~ /^MPI_(Wait|Waitall|Test)$/ : call[$2] != began) wrong++ }
        END { for (i in open) if (open[i]) wrong++; for (i in under_way) wrong++
            print n, closed, wrong + 0; exit !(n > 30 && closed > 3 && !wrong) }' "$run/printed" >"$run/operations" &&
        pass || fail "$program: operations on files, handles closed, wrong ones: $(cat "$run/operations")"
done
# Moved bytes and positions of seeks must be those of the text; so must the groups for which windows are posted and started, until
# these are waited for and completed.
run=$work/mpi_io-run
refrain reconstruct "$(the_trace "$run")" --all --format text -o "$run/all"
awk -F '\t' '{ split("", v); for (i = 5; i <= NF; i++) { split($i, pair, "="); v[pair[1]] = pair[2] } }
    $3 == "moved" || ($3 == "access-complete" && "bytes" in v) { print $1, $4, v["bytes"] }
    $3 == "seek" { print $1, $4, v["whence"], v["offset"], v["position"] }' "$run/all" | sort -s -n -k 1,1 >"$run/a"
calls='$1 == "ENTER" { match($0, /MPI_[A-Za-z_]+/); call[$2] = within[$2, ++depth[$2]] = RSTART ? substr($0, RSTART, RLENGTH) : "" }
    $1 == "LEAVE" { call[$2] = within[$2, --depth[$2]] }'
awk "$calls"'
    function field(name) { value = $0; sub(".*" name ": (FROM_)?", "", value); sub(/,.*/, "", value); return value ~ /^1844674407370955161/ ? -1 : value }
    $1 == "IO_OPERATION_COMPLETE" { print $2, call[$2], field("Bytes Result") }
    $1 == "IO_SEEK" { print $2, call[$2], tolower(field("Whence")), field("Offset Request"), field("Offset Result") }' "$run/printed" |
    sort -s -n -k 1,1 >"$run/b"
[ "$(grep -c 'seek end' "$run/a")" -gt 3 ] && grep -q 'read 4$' "$run/a" && grep -q 'read_at -1$' "$run/a" &&
    grep -q 'MPI_Waitall 12$' "$run/a" && cmp -s "$run/a" "$run/b" && pass ||
    fail "mpi_io: moved and sought: $(diff "$run/a" "$run/b" | head -n 5)"
run=$work/mpi_rma-run
refrain reconstruct "$(the_trace "$run")" --all --format text -o "$run/all"
awk -F '\t' '$4 ~ /^MPI_Win_(post|start|wait|complete)$/ && $3 == "window" { key = $1 ($4 ~ /post|wait/) $6 $7; target = $5; sub(/.*=/, "", target) }
    $3 == "enter" { fresh[$1] = 1 }
    $4 ~ /^MPI_Win_(post|start)$/ && $3 == "window" { group[key] = (fresh[$1] ? "" : group[key]) " " target; fresh[$1] = 0; last[$1] = key }
    $4 ~ /^MPI_Win_(post|start)$/ && $3 == "leave" { print $1, $4 group[last[$1]] }
    $4 ~ /^MPI_Win_(wait|complete)$/ && $3 == "window" { print $1, $4 group[$1 ($4 ~ /wait/) $5 $6] }' "$run/all" | sort -s -n -k 1,1 >"$run/a"
awk "$calls"'
    $1 == "GROUP" { members = $0; sub(/.* Members?: /, "", members); gsub(/ \([^)]*\)|,/, "", members); of[$2] = members }
    $1 == "RMA_GROUP_SYNC" { group = $0; sub(/.*</, "", group); sub(/>.*/, "", group); print $2, call[$2], of[group] }' "$run/definitions" "$run/printed" |
    sort -s -n -k 1,1 >"$run/b"
[ "$(wc -l <"$run/a")" -gt 15 ] && cmp -s "$run/a" "$run/b" && pass || fail "mpi_rma: groups: $(diff "$run/a" "$run/b" | head -n 5)"
# In a part of the run, an earlier window exists from the start. Accesses that are cut off by its end are reported as
# incomplete.
run=$work/mpi_rma-run
from=$(awk -F '\t' '$3 == "rma" { print $2; exit }' "$run/text") to=$(awk -F '\t' '$3 == "rma" { getline; print $2; exit }' "$run/text")
refrain reconstruct "$(the_trace "$run")" -o "$run/part" --from "$from" 2>"$work/said"
[ ! -s "$work/said" ] && otf2-print -G "$run/part/traces.otf2" | grep -q '^RMA_WIN .*Flags: NONE' &&
    [ "$(otf2-print "$run/part/traces.otf2" | grep -c '^RMA_OP_COMPLETE_REMOTE')" = "$(grep -c '^RMA_OP_COMPLETE_REMOTE' "$run/printed")" ] && pass ||
    fail "mpi_rma without its beginning: $(cat "$work/said")"
refrain reconstruct "$(the_trace "$run")" -o "$run/cut" --to "$to" 2>"$work/said"
grep -q "one-sided accesses without their completion: [12]," "$work/said" && pass || fail "mpi_rma cut off behind an access: $(cat "$work/said")"

# Call paths: those that the events have, each defined once.
for program in control objects mpi_threads; do
    run=$work/$program-run
    otf2-print -G "$run/otf2/traces.otf2" >"$run/definitions"
    awk '{ region = $0; sub(/.*</, "/", region); sub(/>$/, "", region) }
        $1 == "ENTER" { outer = path[$2, depth[$2] + 0]; path[$2, ++depth[$2]] = outer region; if (!seen[outer region]++) print outer region }
        $1 == "LEAVE" { depth[$2]-- }' "$run/printed" | sort >"$run/a"
    awk '$1 == "CALLPATH" { region = $0; sub(/.*</, "/", region); sub(/>$/, "", region); sub(/,/, "", $4); print path[$2] = path[$4] region }' \
        "$run/definitions" | sort >"$run/b"
    [ "$(wc -l <"$run/a")" -gt 20 ] && cmp -s "$run/a" "$run/b" && pass || fail "$program: call paths: $(diff "$run/a" "$run/b" | head -n 3)"
done
# Events of different locations are not put in order, and several threads write them: all is as if they were written in
# time order by one, as they are of a part of a run, here of all of it. Those of mpi_threads have to be, and are.
for program in control objects mpi_completion mpi_neighbours mpi_threads; do
    run=$work/$program-run
    refrain reconstruct "$(the_trace "$run")" -o "$run/by-time" --to 9999 --threads 1 2>"$run/said-by-time" || fail "$program by time"
    for threads in 1 2 4; do
        refrain reconstruct "$(the_trace "$run")" -o "$run/by-$threads" --threads $threads 2>"$run/said-by-$threads" || fail "$program, $threads threads"
        rm -f "$run/by-$threads/traces.otf2" # it has a number by chance
        diff -rq -x traces.otf2 "$run/by-time" "$run/by-$threads" >"$run/differs" && [ -s "$run/by-$threads/traces/0.evt" ] && pass ||
            fail "$program, $threads threads: $(cat "$run/differs")"
        cmp -s "$run/said-by-time" "$run/said-by-$threads" && pass || fail "$program, $threads threads say: $(cat "$run/said-by-$threads")"
    done
done
grid=$(grep -c '^CART_COORDINATE .*"grid"' "$work/mpi_neighbours-run/definitions")
[ "$grid" = 2 ] && pass || fail "mpi_neighbours: $grid of 2 ranks have coordinates in the grid"
summary
