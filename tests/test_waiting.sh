#!/bin/sh
# Waiting times: in these programs one rank is late by a time that they measure themselves. The waits must be found within
# 2 %, with the right kind, lines and ranks. There must be none if nobody was late.
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
# Its path is longer than any room that a writer may have for it.
folder=$(printf 'folder%.0s' $(seq 30))
mkdir -p "$folder/$folder/$folder" && cp "$tests/programs/mpi_waiting.c" "$folder/$folder/$folder/" || fail "no such path"
source=$folder/$folder/$folder/mpi_waiting.c
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -g -O1 "$source" -o waiting 2>said || fail "compile: $(head -n 2 said)"

# line MARK KIND: the lines that the source marks so.
line() {
    grep -n "$1 $2\\b" "$source" | cut -d : -f 1 | tr '\n' ' '
}

# waits COMMAND...: prints "kind|call line|cause's line|nanoseconds" of rank 0's waits for rank 1; the call's line is that of its
# enter.
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

# found KIND NAME WHAT COMMAND...: checks that the command finds, under this name, the waiting time that the program
# of this kind prints.
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

# The formats with counters or metrics: they must have each wait of every kind, and the sums of `refrain stats`.
rm -rf run
mkdir run
REFRAIN_DIRECTORY=run launch mpich 2 ./waiting all 2 >said 2>error || fail "all: $(head -n 2 error)"
trace=$(the_trace run)
refrain stats --json "$trace" >stats 2>/dev/null
for format in otf2 chrome perfetto epilog; do
    refrain -q reconstruct "$trace" --format $format --waiting -o "all.$format" 2>error || fail "$format: $(head -n 2 error)"
done
otf2-print all.otf2/traces.otf2 >printed
otf2-print -G all.otf2/traces.otf2 >defined
protoc --decode=Trace -I "$tests/formats" perfetto.proto <all.perfetto >decoded 2>said || fail "perfetto: $(head -n 1 said)"
sum=$(python3 -c 'import json; print(json.load(open("stats"))["waiting_ns"])')
python3 "$tests/formats/read_epilog.py" all.epilog WAITING "$sum" >/dev/null 2>said && pass || fail "epilog: $(tail -n 1 said)"
for format in otf2 chrome perfetto; do
    python3 - $format >said 2>&1 <<'END_OF_PYTHON' && pass || fail "$format: $(tail -n 1 said)"
import collections, json, re, sys

stats = json.load(open("stats"))
truth = collections.Counter()
for wait in stats["waits"]:
    truth[wait["kind"], wait["line"], wait["cause_line"]] += wait["waiting_ns"]
found, sums = collections.Counter(), {}


def otf2():
    lines = dict(re.findall(r'^REGION +(\d+).*Begin: (\d+)', open("defined").read(), re.M))
    assert '"waiting"' in open("defined").read() and "waiting for senders" not in open("defined").read()
    printed = re.sub(r"\n +ADDITIONAL ATTRIBUTES", " ATTRIBUTES", open("printed").read())
    for metric in re.findall(r'^METRIC +.*\("waiting" <.*', printed, re.M):  # and not those of memory
        fields = {name: value.strip() for name, value in re.findall(r'\("(\w+)" <\d+>; \w+; ([^)]*?)\)', metric)}
        location = metric.split()[1]
        kind = re.match(r'"([^"]*)"', fields["for"]).group(1)
        at, call = (lines[re.search(r"<(\d+)>", fields[key]).group(1)] for key in ("at", "call"))
        assert int(fields["by"]) == 1 - int(location), metric
        found[kind, int(call), int(at)] += int(fields["waited_ns"])
        sums[location] = int(re.search(r'\("waiting" <\d+>; UINT64; (\d+)', metric).group(1))


def chrome():
    calls = {}
    for event in json.load(open("all.chrome"))["traceEvents"]:
        thread, args = event["tid"], event.get("args", {})
        if event["ph"] == "C":
            assert event["name"] == "waiting, thread 0", event
            sums[thread] = args["ns"]
        elif event.get("cat") == "waiting":
            assert args["by"] == 2 - event["pid"] and args["call"].startswith("MPI_"), event
            found[event["name"], int(args["at"].split(":")[1])] += args["waited_ns"]


def perfetto():
    names, keys = {}, {}
    for packet in re.split(r"^packet \{", open("decoded").read(), flags=re.M)[1:]:
        value = dict(re.findall(r"^ +(\w+): (.*)", packet, re.M))
        for kind, iid, name in re.findall(r'(event_names|debug_annotation_names) \{\s+iid: (\d+)\s+name: "(.*)"', packet):
            (names if kind == "event_names" else keys)[iid] = name
        if value.get("type") == "TYPE_COUNTER":
            sums[value["track_uuid"]] = int(value["counter_value"])
        args = {keys[iid]: v.strip('"') for iid, v in re.findall(r"name_iid: (\d+)\s+\w+_value: (.*)", packet)}
        if "waited_ns" in args:
            assert args["by"] in "01", packet
            name = names[re.findall(r"^    name_iid: (\d+)", packet, re.M)[0]]
            found[name, int(args["at"].split(":")[1])] += int(args["waited_ns"])


{"otf2": otf2, "chrome": chrome, "perfetto": perfetto}[sys.argv[1]]()
if sys.argv[1] != "otf2":  # which call waited is where the instant stands
    by_cause = collections.Counter()
    for (kind, line, cause), ns in truth.items():
        by_cause[kind, cause] += ns
    truth = by_cause
assert len({key[0] for key in truth}) == 9, truth
assert found == truth, f"found {found - truth}, not found {truth - found}"
assert sum(sums.values()) == stats["waiting_ns"], f"{sums}, not {stats['waiting_ns']}"
END_OF_PYTHON
done

rm -rf run
mkdir run
REFRAIN_MODE=both REFRAIN_DIRECTORY=run launch mpich 2 ./waiting nothing 6 >said || fail "nothing: $(head -n 2 said)"
trace=$(the_trace run)
waits refrain events "$trace" >found.all
grep -qv '^barrier' found.all && fail "a wait where there is none: $(cat found.all)" || pass
summary
