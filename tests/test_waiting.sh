#!/bin/sh
# What calls waited for: programs in which one rank is late by a length that they measure themselves. Found within 2 %, of
# the right kind, at the right lines, of the right ranks; nothing where nobody was late.
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
source=$tests/programs/mpi_waiting.c
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -g -O1 "$source" -o waiting 2>said || fail "compile: $(head -n 2 said)"

# line MARK KIND: the lines that the source marks so.
line() {
    grep -n "$1 $2\\b" "$source" | cut -d : -f 1 | tr '\n' ' '
}

# waits COMMAND...: "kind|call line|cause's line|nanoseconds" of rank 0 on account of rank 1; the call's line is that of its enter.
waits() {
    "$@" --waiting 2>/dev/null | awk -F '\t' '
        function value(key,    i) {
            for (i = 5; i <= NF; i++)
                if (index($i, key "=") == 1)
                    return substr($i, length(key) + 2)
            return ""
        }
        $3 == "enter" && $4 ~ /^MPI_/ { line[$1] = value("line") }
        value("waited") != "" && $1 == 0 && value("by") == 1 {
            at = value("at")
            sub(/.*:/, "", at)
            sum[value("for") "|" line[0] "|" at] += value("waited")
        }
        value("sender_waited") != "" && $1 == 1 {
            at = value("sender_at")
            sub(/.*:/, "", at)
            sum[value("sender_for") "|" at "|" line[1]] += value("sender_waited")
        }
        END {
            for (key in sum)
                printf "%s|%.0f\n", key, sum[key] * 1e9
        }'
}

# found KIND NAME WHAT COMMAND...: the command finds what the program of that kind says, under that name.
found() {
    kind=$1 name=$2 what=$3
    shift 3
    waits "$@" >found.all
    awk -F '|' -v name="$name" -v waits="$(line WAITS "$kind")" -v late="$(line LATE "$kind")" -v truth="$truth" '
        index(name, $1) && index(" " waits, " " $2 " ") && index(" " late, " " $3 " ") { sum += $4 }
        END {
            off = (sum - truth) / truth
            printf "%.0f of %.0f ns, off by %.2f %%\n", sum, truth, 100 * off
            exit !(off < 0.02 && off > -0.02)
        }' found.all >found.said && pass || fail "$kind, $what: $(cat found.said); found: $(tr '\n' ' ' <found.all)"
}

# added_up KIND NAME: `refrain stats` adds it up, under that name, by its lines and ranks.
added_up() {
    refrain stats --json "$trace" >stats 2>/dev/null
    python3 - "$2" "$truth" "$(line WAITS "$1")" "$(line LATE "$1")" >found.said 2>&1 <<'END_OF_PYTHON' && pass || fail "$1, stats: $(tail -n 1 found.said)"
import json, sys
name, truth, waits, late = sys.argv[1], float(sys.argv[2]), *(list(map(int, lines.split())) for lines in sys.argv[3:5])
found = [w for w in json.load(open("stats"))["waits"] if w["kind"] in name and w["line"] in waits and w["cause_line"] in late]
assert found and all((w["worst_rank"], w["worst_cause_rank"]) == (0, 1) for w in found), found
off = sum(w["waiting_ns"] for w in found) / truth - 1
assert abs(off) < 0.02, f"off by {100 * off:.2f} %"
END_OF_PYTHON
}

while read -r kind name; do
    rm -rf run
    mkdir run
    REFRAIN_MODE=both REFRAIN_DIRECTORY=run launch mpich 2 ./waiting "$kind" 6 </dev/null >said 2>error || fail "$kind: $(head -n 2 error)"
    truth=$(awk '{ sum[$1] = $2 } END { printf "%.0f\n", sum[1] - sum[0] }' said)
    trace=$(the_trace run)
    found "$kind" "$name" recorded refrain events "$trace"
    found "$kind" "$name" reconstructed refrain reconstruct "$trace" --format text -o -
    added_up "$kind" "$name"
done <<'END'
late-sender late sender
late-receiver late receiver
rendezvous late receiver
barrier barrier
n-to-n n-to-n
early-reduce early reduce
late-broadcast late broadcast
completion-receive completion, late sender
completion-send completion, late receiver
completion-collective completion, collective
waitall completion, late sender
sendrecv late sender or late receiver
END

rm -rf run
mkdir run
REFRAIN_MODE=both REFRAIN_DIRECTORY=run launch mpich 2 ./waiting nothing 6 >said || fail "nothing: $(head -n 2 said)"
trace=$(the_trace run)
waits refrain events "$trace" | grep -v '^barrier' | awk -F '|' '{ sum += $4 } END { exit !(sum < 2000000) }' && pass ||
    fail "a wait where there is none: $(waits refrain events "$trace")"
summary
