#!/bin/sh
# refrain what-if: runs with known dependences, written as text, must take exactly the predicted time. A change by factor 1 changes no
# event of a real run. The other commands read the trace that it makes. An impossible change is refused with a line.
set -u
. "$(dirname "$0")/lib.sh"
. "$tests/formats/forms.sh"
cd "$work" || exit 1

# say RANK SECONDS TEXT: a line of the text form.
say() {
    printf '%s\t%s.000000000\t%s\n' "$1" "$2" "$(echo "$3" | tr ' ' '\t')"
}

# call RANK FROM TO NAME LINE [TEXT...]: an MPI call; each text is an event "SECONDS KIND FIELDS" in it.
call() {
    rank=$1 to=$3 name=$4
    say "$1" "$2" "enter $4 file=app.c line=$5"
    shift 5
    for event; do
        kind=${event#* }
        say "$rank" "${event%% *}" "${kind%% *} $name ${kind#* }"
    done
    say "$rank" "$to" "leave $name"
}

# burn RANK FROM TO [NAME]: a function that computes.
burn() {
    say "$1" "$2" "enter ${4:-burn} file=app.c line=1"
    say "$1" "$3" "leave ${4:-burn}"
}

# takes NAME SECONDS OPTION...: the run time of NAME.txt, which is now a trace, with this change.
takes() {
    name=$1 wanted=$2
    shift 2
    [ -d "$name.refrain" ] || refrain convert --quiet "$name.txt" -o "$name.refrain" >said 2>&1 || fail "$name: $(head -n 1 said)"
    rm -rf out.refrain
    refrain what-if "$name.refrain" "$@" --quiet --json -o out.refrain >what.json 2>error ||
        fail "$name $*: $(head -n 1 error)"
    got=$(python3 -c 'import json; d = json.load(open("what.json")); p = d["critical_path"]; print(d["run_ns"], p["to_ns"] - p["from_ns"])' 2>&1)
    [ "$got" = "$wanted $wanted" ] && pass || fail "$name $*: $got, not $wanted"
}
s=000000000

# A late sender: 8 s of burn, then a message that takes 1 s, and 1 s of other code.
{
    burn 0 0 8
    call 0 8 8 MPI_Send 10 "8 send dest=1 tag=1 bytes=4 comm=0"
    burn 1 0 2 work
    call 1 2 9 MPI_Recv 20 "9 recv source=0 tag=1 bytes=4 comm=0"
    burn 1 9 10 rest
} | sort -s -n -k 2,2 >late.txt
takes late 10$s --faster 'burn()=1'
takes late 6$s --faster 'burn()=2'
takes late 6$s --faster burn=2
takes late 4$s --faster burn=100000000000         # not before rank 1 has worked for 2 s
takes late 9$s --latency 0
takes late 12$s --latency 3
takes late 18$s --faster burn=0.5
takes late 7$s --balance burn --faster burn=2 --faster rest=0.5
takes late 6$s --faster app.c:1=2 --faster work=1 --faster rest=1

# The same without functions, as in traces of refrain record: the code before the call has no other name.
{
    call 0 0 1 MPI_Comm_rank 5
    call 0 9 9 MPI_Send 10 "9 send dest=1 tag=1 bytes=4 comm=0"
    call 1 0 1 MPI_Comm_rank 5
    call 1 1 10 MPI_Recv 20 "10 recv source=0 tag=1 bytes=4 comm=0"
} | sort -s -n -k 2,2 >plain.txt
takes plain 6$s --faster 'before MPI_Send=2'
takes plain 6$s --faster 'before app.c:10=2'

# A call on two requests waits for the later message, in whatever order they complete.
for order in "1 0" "0 1"; do
    {
        burn 0 0 8
        call 0 8 8 MPI_Send 10 "8 send dest=2 tag=1 bytes=4 comm=0"
        call 1 1 1 MPI_Send 11 "1 send dest=2 tag=1 bytes=4 comm=0"
        call 2 1 1 MPI_Irecv 20 "1 recv-post comm=0 request=0"
        call 2 1 1 MPI_Irecv 21 "1 recv-post comm=0 request=1"
        call 2 2 9 MPI_Waitall 22 "9 recv source=${order% *} tag=1 bytes=4 comm=0 request=0" \
            "9 recv source=${order#* } tag=1 bytes=4 comm=0 request=1"
        burn 2 9 10 rest
    } | sort -s -n -k 2,2 >"all_${order% *}.txt"
    takes "all_${order% *}" 10$s --faster 'burn()=1'
    takes "all_${order% *}" 6$s --faster 'burn()=2'
    takes "all_${order% *}" 9$s --latency 0
done

# A synchronous sender waits for its receiver, which works for 6 s.
{
    call 0 1 7 MPI_Ssend 10 "1 send dest=1 tag=1 bytes=4 comm=0"
    burn 0 7 9
    burn 1 1 6 work
    call 1 6 7 MPI_Recv 20 "7 recv source=0 tag=1 bytes=4 comm=0"
} | sort -s -n -k 2,2 >ssend.txt
takes ssend 8$s --faster work=1
takes ssend 5500000000 --faster work=2
takes ssend 7$s --faster burn=2
# So does the sender of a message of 1000 bytes, if one of 100 bytes was eager.
{
    call 0 0 1 MPI_Send 9 "0 send dest=1 tag=1 bytes=100 comm=0"
    call 0 1 7 MPI_Send 10 "1 send dest=1 tag=1 bytes=1000 comm=0"
    burn 0 7 9
    burn 1 0 6 work
    call 1 6 6 MPI_Recv 20 "6 recv source=0 tag=1 bytes=100 comm=0"
    call 1 6 7 MPI_Recv 21 "7 recv source=0 tag=1 bytes=1000 comm=0"
} | sort -s -n -k 2,2 >large.txt
takes large 9$s --faster work=1
takes large 6$s --faster work=2
takes large 15$s --faster work=0.5

# Two rounds. In each, another rank is late for the barrier, which takes a second.
{
    burn 0 0 4
    burn 1 0 2
    call 0 4 5 MPI_Barrier 10 "4 collective sent=0 received=0 comm=0"
    call 1 2 5 MPI_Barrier 10 "2 collective sent=0 received=0 comm=0"
    burn 0 5 7
    burn 1 5 9
    call 0 7 10 MPI_Barrier 10 "7 collective sent=0 received=0 comm=0"
    call 1 9 10 MPI_Barrier 10 "9 collective sent=0 received=0 comm=0"
} | sort -s -n -k 2,2 >turns.txt
takes turns 10$s --faster burn=1
takes turns 6$s --faster burn=2
takes turns 8$s --balance 'burn()'
takes turns 5$s --balance 'burn()' --faster burn=2
takes turns 6$s --no-wait MPI_Barrier
takes turns 6$s --no-wait app.c:10
# The ranks have a call each that is no collective any more.
refrain events out.refrain --all >said 2>&1 && grep -q "leave.MPI_Barrier" said && ! grep -q collective said && pass ||
    fail "a collective that does not wait is one: $(head -n 2 said)"

# A broadcast waits only for the root, the root of a reduction for all ranks, and MPI_Wait for the request.
{
    burn 0 0 5
    burn 1 0 1
    call 0 5 5 MPI_Bcast 10 "5 collective root=0 sent=4 received=0 comm=0"
    call 1 1 6 MPI_Bcast 10 "1 collective root=0 sent=0 received=4 comm=0"
    burn 1 6 10 later
    call 0 5 11 MPI_Reduce 11 "5 collective root=0 sent=4 received=4 comm=0"
    call 1 10 10 MPI_Reduce 11 "10 collective root=0 sent=4 received=0 comm=0"
} | sort -s -n -k 2,2 >root.txt
takes root 11$s --faster burn=1
takes root 8500000000 --faster burn=2
takes root 9$s --faster later=2
{
    call 1 0 0 MPI_Irecv 10 "0 recv-post comm=0 request=1"
    burn 0 0 6
    call 0 6 6 MPI_Isend 9 "6 send dest=1 tag=1 bytes=4 comm=0 request=1"
    call 0 6 6 MPI_Wait 10 "6 send-complete request=1"
    burn 1 0 2 work
    call 1 2 7 MPI_Wait 11 "7 recv source=0 tag=1 bytes=4 comm=0 request=1"
    burn 1 7 8 rest
} | sort -s -n -k 2,2 >wait.txt
takes wait 8$s --faster burn=1
takes wait 5$s --faster burn=2
takes wait 9$s --faster work=0.25                 # the message came while rank 1 computed

# Changed by nothing, all events of real runs are as they were, at their times.
for program in control mpi_p2p mpi_nonblocking mpi_collectives mpi_persistent mpi_rma mpi_io mpi_intercomm mpi_threads; do
    REFRAIN_MPICC=mpicc.mpich refrain-mpicc -w -g -O1 "$tests/programs/$program.c" -o "$program" 2>said || fail "compile $program: $(head -n 2 said)"
    mkdir "in-$program"
    REFRAIN_DIRECTORY=in-$program launch mpich 4 "./$program" </dev/null >said 2>&1
    trace=$(the_trace "in-$program") || { fail "$program left no trace: $(head -n 3 said)"; continue; }
    check "$program: what-if" refrain what-if "$trace" --faster MPI_Finalize=1 -o "$program.refrain"
    refrain reconstruct "$trace" --quiet --format text --all --force -o was.txt && refrain events "$program.refrain" --quiet --all --force -o now.txt ||
        fail "$program: no events"
    for form in was now; do
        cut -f 1-4 $form.txt | sort >$form.times
        canonical $form.txt all >$form.events
    done
    [ -s was.times ] && cmp -s was.times now.times && pass || fail "$program: times: $(diff was.times now.times | head -n 3)"
    cmp -s was.events now.events && pass || fail "$program: events: $(diff was.events now.events | head -n 3)"
done

# The commands read the new trace.
refrain what-if turns.refrain --faster burn=2 -o half.refrain >said 2>error && [ ! -s error ] && grep -q '^run time: 6.* s, as it was 10.* s (-40.00 %)' said &&
    grep -q '^critical path: 6' said && pass || fail "text: $(head -n 3 said error)"
refrain what-if turns.refrain --faster burn=2 >aside 2>error && cmp -s said aside && pass || fail "without -o: $(head -n 2 error)"
mkdir tmp && TMPDIR=$work/tmp refrain what-if turns.refrain --latency 0 >aside && [ -z "$(ls tmp)" ] && pass || fail "something is left: $(ls tmp)"
for command in "stats half.refrain" "diff turns.refrain half.refrain" "report half.refrain" "info half.refrain" \
    "what-if half.refrain --latency 0" "view half.refrain -o half.html"; do
    # shellcheck disable=SC2086 # words
    check "$command" refrain $command
done
refrain info half.refrain | grep -q 'predicted by refrain what-if from turns.refrain' && pass || fail "info does not say that it is predicted"

# refused STATUS PATTERN ARGUMENTS...
refused() {
    wanted=$1 pattern=$2
    shift 2
    rm -rf no.refrain
    refrain what-if "$@" -o no.refrain >said 2>error
    status=$?
    [ $status -eq "$wanted" ] && grep -q "$pattern" error && [ ! -e no.refrain ] && pass || fail "$*: status $status: $(head -n 2 error)"
}
refused 2 "nothing is changed" turns.refrain
refused 2 "factor above 0" turns.refrain --faster burn
refused 2 "factor above 0" turns.refrain --faster burn=0
refused 2 "factor above 0" turns.refrain --faster burn=-1
refused 2 "factor above 0" turns.refrain --faster burn=2x
refused 2 "factor above 0" turns.refrain --faster =2
refused 2 "factor above 0" turns.refrain --faster burn=nan
refused 2 "0 or more" turns.refrain --latency -1
refused 2 "0 or more" turns.refrain --latency x
refused 2 "name of a region" turns.refrain --balance ''
refused 1 "is nobody" turns.refrain --faster nobody=2
refused 1 "is nobody" turns.refrain --no-wait nobody
refused 1 "MPI_Recv has to wait" late.refrain --no-wait MPI_Recv
refused 1 "burn has to wait" late.refrain --no-wait burn
refused 1 "is an MPI call" late.refrain --balance MPI_Send
refused 1 "nowhere" nowhere.refrain --latency 0
refrain what-if turns.refrain --latency 0 -o half.refrain >said 2>error
[ $? -eq 1 ] && grep -q "half.refrain: exists" error && pass || fail "an output that exists: $(head -n 2 error)"
mkdir cut.refrain && cp turns.refrain/* cut.refrain && for file in cut.refrain/*.events; do truncate -s 200 "$file"; done
refused 1 "cut.refrain" cut.refrain --latency 0
summary
