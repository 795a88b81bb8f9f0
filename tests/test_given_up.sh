#!/bin/sh
# Requests whose end is hard to see. After freed or cancelled receives every later message is matched with its own
# receive. A handle that another thread gets at once is not mistaken for its former request.
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

# Compares the lengths of matching sends and receives: prints the pairs that differ, then the number of pairs.
cat >pairs.awk <<'END'
BEGIN { RS = "}" }
match($0, /"bytes":[0-9]+/) { bytes = substr($0, RSTART + 8, RLENGTH - 8) }
/"ph":"[sf]"/ && /"cat":"message"/ {
    match($0, /"id":"[0-9]+"/)
    id = substr($0, RSTART, RLENGTH)
    if (/"ph":"s"/)
        sent[id] = bytes
    else if (sent[id] != bytes)
        print "sent " sent[id] ", received " bytes
    else
        n++
}
END { print n }
END

for mpi in mpich openmpi; do
    available mpicc.$mpi || continue
    REFRAIN_MPICC=mpicc.$mpi refrain-mpicc -w "$tests/programs/given_up.c" -o "given_up.$mpi" 2>said ||
        fail "compile: $(head -n 1 said)"
    mkdir "$mpi"
    REFRAIN_MODE=both REFRAIN_DIRECTORY=$mpi launch $mpi 2 "./given_up.$mpi" >out 2>err || fail "status $?, $(head -n 1 err)"
    trace=$(the_trace "$mpi")
    exact "$trace" "given_up $mpi"
    refrain reconstruct --format=chrome --force -o pairs.json "$trace" 2>said
    awk -f pairs.awk pairs.json >pairs
    [ "$(cat pairs)" = 15 ] && pass || fail "$mpi: $(cat pairs)"
    grep -q '^refrain: 6 messages and calls of collectives have their other ends in .* receive that was given up$' said &&
        ! grep -q without said && pass || fail "$mpi said: $(cat said)"
    refrain info --verbose "$trace" >info
    ! grep -q '^  lost' info && pass || fail "$mpi: $(grep -m 1 '^  lost' info)"
done

# trace_of NAME RANKS: programs/given_up_NAME.c under MPICH; its trace is in the directory NAME.
trace_of() {
    REFRAIN_MPICC=mpicc.mpich refrain-mpicc -w "$tests/programs/given_up_$1.c" -o "given_up_$1" 2>said ||
        fail "compile: $(head -n 1 said)"
    mkdir "$1"
    REFRAIN_MODE=both REFRAIN_DIRECTORY=$1 launch mpich "$2" "./given_up_$1" >out 2>err ||
        fail "status $?, $(head -n 1 err)"
    exact "$(the_trace "$1")" "given_up_$1"
}

# A receive from any source was freed, and it is unknown whose message it took. Later events of its tag must be
# approximate.
if available mpicc.mpich; then
    trace_of any 3
    refrain reconstruct --format=text -o - "$(the_trace any)" >reconstructed 2>said
    for tag in 7 8; do
        echo $(awk -F '\t' -v tag="tag=$tag" '$3 == "recv" && $6 == tag { print $7, $NF }' reconstructed)
    done | sed 's/comm=0//g; s/bytes=//g; s/  */ /g; s/ $//' >received
    [ "$(cat received)" = "2 approximate 3 approximate 11 approximate 12 approximate 13 approximate
21" ] && pass || fail "after a receive from anyone: $(cat received)"
    grep -q '^refrain: 5 receives may have had another message' said && pass || fail "given_up_any said: $(cat said)"
fi

# A receive that is overtaken and then freed has the first message, and the one that overtook it has the second. If this
# is too far ahead to be found, both are reported as unsure.
if available mpicc.mpich; then
    trace_of late 2
    refrain reconstruct --format=chrome --force -o pairs.json "$(the_trace late)" 2>said
    [ "$(awk -f pairs.awk pairs.json | grep -cE 'sent (1[0-9]|[1-9]),')" = 0 ] && pass ||
        fail "overtaken before it is given up: $(awk -f pairs.awk pairs.json)"
    grep -q '^refrain: 2 receives may have had another message' said && ! grep -q TOTAL_MEMORY said && pass ||
        fail "given_up_late said: $(cat said)"
    # They do not count as lost for lack of memory.
    refrain stats --json "$(the_trace late)" >stats.json
    grep -q '"unsure_receives": 2' stats.json && grep -q '"approximate_events": 0' stats.json && pass ||
        fail "given_up_late: $(grep -E 'unsure|approximate' stats.json)"
    refrain stats "$(the_trace late)" 2>&1 >/dev/null | grep '^refrain: ' >said
    grep -q '^refrain: 2 receives may' said && ! grep -q 'are approximate' said && pass || fail "stats said: $(cat said)"
fi

if available mpicc.mpich; then
    REFRAIN_MPICC=mpicc.mpich refrain-mpicc -w "$tests/programs/reused_handle.c" -o reused_handle 2>said ||
        fail "compile: $(head -n 1 said)"
    mkdir reused
    REFRAIN_THREADS=2 REFRAIN_MODE=both REFRAIN_DIRECTORY=reused launch mpich 1 ./reused_handle >out 2>err || fail "status $?, $(head -n 1 err)"
    exact "$(the_trace reused)" reused_handle
    refrain reconstruct --all --format=text -o - "$(the_trace reused)" >reconstructed 2>said
    # Another thread, which has no number for it, records the completion of the first one. The second one has number
    # 1.
    received=$(sed -n 's/.*	recv	MPI_Wait.*	tag=\([0-9]*\).*	bytes=\([0-9]*\).*	comm=0/\1 \2/p' reconstructed | sort | tr '\n' ,)
    case $(cat out) in
    "the same") [ "$received" = "1 1	thread=1,2 2	request=1," ] && pass || fail "received $received" ;;
    *) echo "skipped: $(cat out)" ;;
    esac
fi
# When the memory is full, receives may be too early or at another place. Their messages must nevertheless be their own,
# so that later receives, which are exact again, have theirs.
if available mpicc.mpich; then
    REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 -w "$tests/programs/chance_matches.c" -o chance_matches 2>said ||
        fail "compile: $(head -n 1 said)"
    for memory in 1M 2M; do
        rm -rf spent
        REFRAIN_TOTAL_MEMORY=$memory REFRAIN_THROTTLE=off REFRAIN_DIRECTORY=spent launch mpich 2 ./chance_matches 3 2000 ||
            fail "chance_matches: status $?"
        refrain -q reconstruct --format=chrome --force -o pairs.json "$(the_trace spent)"
        [ "$(python3 "$tests/message_pairs.py" pairs.json 1000)" = "600 0" ] && pass ||
            fail "$memory: pairs after the memory is spent, and wrong ones: $(python3 "$tests/message_pairs.py" pairs.json 1000)"
    done
    # The same for collectives: those that can be recognised by their sizes are one instance on all ranks, although the
    # order of the collectives before them, on three communicators, is uncertain.
    REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 -w "$tests/programs/chance_collectives.c" -o chance_collectives 2>said ||
        fail "compile: $(head -n 1 said)"
    rm -rf spent
    REFRAIN_TOTAL_MEMORY=700K REFRAIN_THROTTLE=off REFRAIN_DIRECTORY=spent launch mpich 2 ./chance_collectives 1 2000 ||
        fail "chance_collectives: status $?"
    "$bin/dump_images" 0 "$(the_trace spent)"/rank-?.trace | awk '
        $1 == "region" && ($4 == "MPI_Bcast" || $4 == "MPI_Allreduce") { name[$2] = $4 }
        NF == 18 && $7 in name {
            bytes = $10 > $11 ? $10 : $11
            n += $2 && bytes < 1000
            if (bytes >= 1000)
                instances[name[$7], bytes] = instances[name[$7], bytes] " " $13
        }
        END {
            for (each in instances) {
                split(instances[each], of)
                of[1] == of[2] ? one++ : several++
            }
            print one + 0, several + 0, (n > 1000 ? "many" : n + 0) " likely before"
        }' >instances
    [ "$(cat instances)" = "600 0 many likely before" ] && pass || fail "collectives with one instance and with several: $(cat instances)"
fi
summary
