#!/bin/sh
# refrain model and extrapolate: a model says all that a proxy needs, and is read again without loss; the trace that it gives
# has the events of the run on as many ranks; damaged models and numbers of ranks of which it says nothing are refused.
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

# calls COMMAND...: the events of MPI calls that the command prints, by rank, without times and places.
calls() {
    "$@" --quiet --format text --all | awk -f "$tests/calls.awk" | sort -s -n -k 1,1 | awk -f "$tests/comms.awk"
}

# foresees NAME RANKS TRACE MODEL: the model gives the events of the trace, which is of so many ranks.
foresees() {
    says 0 "" refrain --quiet extrapolate "$4" --ranks "$2" -o "$1.refrain"
    calls refrain reconstruct "$3" >wanted
    calls refrain events "$1.refrain" >got
    if [ -s wanted ] && cmp -s wanted got; then
        pass
    else
        fail "$1: $(wc -l <wanted) events, and the model gives $(wc -l <got): $(diff wanted got | head -n 5)"
    fi
}

# One run with all kinds of calls: the model gives this run, and the same proxy as the trace.
mpicc.openmpi -O1 -w -g "$tests/programs/proxied.c" -o proxied || fail "compile proxied.c"
recorded_run one openmpi 4 ./proxied
says 0 "" refrain model "$trace" -o one.model
foresees one-again 4 "$trace" one.model
refrain model one.model >again.model
cmp -s one.model again.model && pass || fail "a model that was read and written is another one: $(diff one.model again.model | head -n 4)"
refrain proxy "$trace" >of-trace.c
refrain proxy one.model >of-model.c
cmp -s of-trace.c of-model.c && pass || fail "the proxy of the model is another one: $(diff of-trace.c of-model.c | head -n 4)"
says 1 "a model of one run, on 4 ranks, says nothing of 8" refrain extrapolate one.model --ranks 8 -o more.refrain
[ ! -e more.refrain ] && pass || fail "a trace is left behind"

# Several runs: the run on 16 ranks from those on 2, 4 and 8, whose functions and loops the model has.
refrain-cc mpicc.mpich -O1 -w "$tests/programs/called_twice.c" -o twice || fail "build called_twice.c"
mpicc.mpich -O1 -w -g "$tests/programs/scaled.c" -o scaled || fail "compile scaled.c"
runs='' twice='' irregular=''
for n in 2 4 8 16; do
    recorded_run "scaled-$n" mpich $n ./scaled
    more=$trace
    REFRAIN_DIRECTORY="$work/twice-$n" launch mpich $n ./twice >said 2>&1
    [ $n -lt 16 ] && runs="$runs $trace" && twice="$twice $(the_trace "twice-$n")"
done
for n in 2 4; do
    recorded_run "irregular-$n" mpich $n ./scaled 1
    irregular="$irregular $trace"
done
# shellcheck disable=SC2086 # lists of traces
{
    says 0 "" refrain model $runs -o scaled.model
    says 0 "" refrain model $twice -o twice.model
    says 0 "values follow no formula" refrain model $irregular -o irregular.model
    says 0 "" refrain --quiet extrapolate $runs --ranks 4 -o of-traces.refrain
}
foresees scaled-64 16 "$more" scaled.model
foresees irregular-again 4 "$(the_trace irregular-4)" irregular.model # of tables by rank, those of this run
foresees twice-64 16 "$(the_trace twice-16)" twice.model
for wanted in '"sent_bytes": "4096 / ranks"' '"block(1003, ranks, rank)"' '"times": "log2_of(ranks)"'; do
    grep -qF -- "$wanted" scaled.model && pass || fail "no $wanted in the model: $(cat scaled.model)"
done
grep -q '"restarts": true' twice.model && pass || fail "no values that begin anew with their loop"
grep -q '"holds": true' twice.model && pass || fail "no values that stay for a loop"
grep -q '"name": "swap"' twice.model && pass || fail "no function swap in the model"
refrain info twice-64.refrain | grep -q "extrapolated from twice.model" && pass || fail "refrain info does not say what the trace is"
refrain events twice-64.refrain --format text | awk '$3 == "leave" && $2 < last[$1] {bad = 1} {last[$1] = $2} END {exit bad || !NR}' &&
    pass || fail "times go backward"

# What the model says nothing of
says 1 "runs on powers of two or on squares, and says nothing of 12 ranks" refrain extrapolate scaled.model --ranks 12 -o no.refrain
says 1 "values of the model follow no formula" refrain extrapolate irregular.model --ranks 8 -o no.refrain
says 1 "scaled-64.refrain: exists" refrain extrapolate scaled.model --ranks 4 -o scaled-64.refrain
says 1 "is a model, and traces are expected" refrain model "$more" scaled.model
says 1 "scaled.model" refrain model "$more" -o scaled.model
refrain extrapolate scaled.model -o no.refrain >said 2>&1
[ $? -eq 2 ] && grep -q -- "--ranks N" said && pass || fail "no number of ranks: $(head -n 1 said)"
refrain extrapolate scaled.model --ranks 0 -o no.refrain >said 2>&1
[ $? -eq 2 ] && grep -q "from 1 to" said && pass || fail "0 ranks: $(head -n 1 said)"

# Damaged models, each of which has one member changed: the model is refused with one line, or gives a trace.
python3 - >damaged 2>&1 <<'END'
import copy, json, random, subprocess
whole = json.load(open("scaled.model"))
random.seed(1)

def places(value, path=()):
    if path:
        yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(inner, path + (key,))

all_places = list(places(whole))
others = [None, -1, 0, 12345, 3.5, "", "1 / (rank - rank)", "rank - 1000000", "rank * 4000000000", "((((", [], {}, [[0, 0, 0]], True]
for i in range(60):
    model = copy.deepcopy(whole)
    path = random.choice(all_places)
    inner = model
    for key in path[:-1]:
        inner = inner[key]
    if random.random() < 0.3:
        del inner[path[-1]]
    else:
        inner[path[-1]] = random.choice(others)
    json.dump(model, open("damaged.model", "w"))
    for command in ["extrapolate", "damaged.model", "--ranks", "16", "-o", "damaged.refrain"], ["proxy", "-f", "damaged.model", "-o", "damaged.c"]:
        subprocess.run(["rm", "-rf", "damaged.refrain"])
        try:
            done = subprocess.run(["refrain"] + command, capture_output=True, text=True, timeout=60)
        except subprocess.TimeoutExpired:
            print(path, "never ends")
            continue
        lines = done.stderr.splitlines()
        if done.returncode not in (0, 1) or len(lines) > 2 or (done.returncode == 1 and len(lines) != 1):
            print(path, command[0], done.returncode, lines[:3])
print("done")
END
[ "$(cat damaged)" = done ] && pass || fail "damaged models: $(head -n 5 damaged)"
sed 's/"receive_tag": [0-9]*,/"receive_tag": "1 \/ rank); abort(); (0",/' scaled.model >other.model
says 1 "is no expression" refrain proxy other.model
sed 's/"to": [^{]*,/"to": "rank - 1000",/' scaled.model >nobody.model
says 1 "names a rank that its communicator does not have" refrain extrapolate nobody.model --ranks 4 -o no.refrain
sed 's/"times": [^,]*,/"times": 4611686018427387904,/' scaled.model >endless.model
says 1 "more than" refrain extrapolate endless.model --ranks 4 -o no.refrain
head -c 1000 scaled.model >cut.model
says 1 "cut.model: line" refrain extrapolate cut.model --ranks 4 -o no.refrain
sed 's/"refrain_model": 1/"refrain_model": 9/' scaled.model >later.model
says 1 "is a model of version 9" refrain proxy later.model
summary
