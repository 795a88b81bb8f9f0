#!/bin/sh
# All of MPI: each program's reconstruction equals its recording, postings and completions included, and an independent
# logger between the program and the monitor (pmpi_logger.c) has seen the same calls, partners, roots and bytes in the
# same order. Every message that is sent is received, and nothing is approximate.
#   test_mpi.sh BIN MPI [PROGRAM...]    by default all of them; MPI is mpich or openmpi
#   TEST_RANKS                          numbers of ranks; by default as many as there are cases for under MPICH: what more than four do,
#                                       four do. Collectives have many. Under Open MPI three have most of them
set -u
. "$(dirname "$0")/lib.sh"
mpi=$2
shift 2
programs=${*:-$(cd "$tests/programs" && echo mpi_*.c)}

# Every rank's lines of $work/lines equal its log.
witnessed() {
    awk -F '\t' -v OFS='\t' -v prefix="$work/seen-" '
        # Which window or file it is: the how-manieth that the rank has made.
        { which = ""; comm = ""
          for (i = 5; i <= NF; i++) if ($i ~ /^(window|handle)=/) which = $i; else if ($i ~ /^comm=/) comm = $i
          object = $1 " " which (which ~ /^window/ ? comm : "") }
        $3 == "window" && $4 ~ /^MPI_Win_(create|allocate)/ { made[object] = ++windows[$1] }
        $3 == "file" && $4 == "MPI_File_open" { made[object] = ++files[$1] }
        $3 == "window" && $4 ~ /_(attach|detach|test|shared_query|[gs]et_[a-z]*|delete_attr|call_errhandler)$/ { next }
        $3 == "file" && $4 !~ /_(open|close)$/ { next }
        $3 == "window" && $4 ~ /_(post|start)$/ { print "group", $4, $5, "object=" made[object] >(prefix $1); next }
        $3 == "window" || $3 == "file" { print $3, $4, "object=" made[object] >(prefix $1) }
        $3 == "send" || $3 == "recv" { print $3, $4, $5, $6, $7 >(prefix $1) }
        $3 == "collective" && $5 !~ /^root=/ { print $3, $4 >(prefix $1); next }
        $3 == "collective" { print $3, $4, $5 >(prefix $1) }
        $3 == "seek" { print $3, $4, $5, $6, $7, "object=" made[object] >(prefix $1) }
        $3 == "access-complete" && $5 ~ /^bytes=/ { print $3, $4, $5 >(prefix $1) } # of a file
        $3 == "io" || $3 == "moved" { print $3, $4, $5, "object=" made[object] >(prefix $1) }
        $3 == "rma" { print $3, $4, $5, $6, "object=" made[object] >(prefix $1) }' "$work/lines"
    rank=0
    while [ $rank -lt "$2" ]; do
        [ -f "$work/seen-$rank" ] || : >"$work/seen-$rank"
        if [ -f "$run/rank-$rank.log" ] && cmp -s "$work/seen-$rank" "$run/rank-$rank.log"; then
            pass
        else
            fail "$1, rank $rank: the witness saw $(wc -l <"$run/rank-$rank.log"), the trace has $(wc -l <"$work/seen-$rank")"
            diff "$run/rank-$rank.log" "$work/seen-$rank" | head -n 4
        fi
        rank=$((rank + 1))
    done
    rm -f "$work"/seen-*
}

# The numbers of messages sent and received must be equal, for each pair of ranks, by tag and communicator.
paired() {
    awk -F '\t' '
        { delete value; for (i = 5; i <= NF; i++) { split($i, pair, "="); value[pair[1]] = pair[2] } }
        / approximate|\tapproximate/ { approximate++ }
        $3 == "send" { open[$1 "-" value["dest"] "-" value["tag"] "-" value["comm"]]++ }
        $3 == "recv" { open[value["source"] "-" $1 "-" value["tag"] "-" value["comm"]]-- }
        END { for (key in open) if (open[key]) { unpaired++; example = key }
              if (unpaired || approximate) print unpaired + 0, "channels unpaired", example, approximate + 0, "approximate" }
    ' "$work/lines" >"$work/unpaired"
    [ ! -s "$work/unpaired" ] && pass || fail "$1: $(cat "$work/unpaired")"
}

# Each receive must have its own message: both ends have the same length, in programs whose messages have different lengths.
matched() {
    refrain reconstruct "$2" --format chrome -o "$work/pairs.json" >"$work/error" 2>&1
    pairs=$(python3 "$tests/message_pairs.py" "$work/pairs.json")
    case $pairs in
    [1-9]*" 0") pass ;;
    *) fail "$1: pairs, and wrong ones: $pairs $(head -n 1 "$work/error")" ;;
    esac
    rm -f "$work/pairs.json"
}

# program MPI NAME RANKS ARGUMENTS...
program() {
    mpi=$1 name=$2 ranks=$3 what="$2 on $3 ranks ($1)"
    shift 3
    if [ "$mpi $name ${1:-}" = "openmpi mpi_connect port" ] && mpiexec.openmpi --version | grep -q ' 5\.0\.'; then
        echo "$what: skipped: between MPI_Comm_accept and MPI_Comm_connect Open MPI 5.0 hangs now and then, without refrain too"
        return
    fi
    rm -rf "$run"
    mkdir "$run"
    case $name in # the logger follows one thread, and programs that call MPI_Init; of what MPI refuses it knows nothing
    mpi_threads | mpi_sessions | mpi_errors | mpi_before_after | mpi_spawn) logger= ;;
    *) logger=$bin/../lib/libpmpi_logger-$mpi.so ;;
    esac
    [ -z "${REFRAIN_TOTAL_MEMORY:-}" ] || logger= # not all that it would have seen can be in the trace
    btl= # Open MPI reaches processes that were started later only through sockets
    [ "$name" != mpi_spawn ] || btl=self,tcp
    (cd "$run" && REFRAIN_THREADS=8 REFRAIN_MODE=both REFRAIN_DIRECTORY=$run MPI_LOGGER_DIRECTORY=$run \
        OMPI_MCA_btl_tcp_if_include=lo preload=$logger launch "$mpi" "$ranks" "$work/$name-$mpi" "$@") >"$run/out" 2>"$run/err"
    status=$?
    if grep -q '^skipped: ' "$run/out"; then
        echo "$what: $(grep -m 1 '^skipped: ' "$run/out")"
        return
    fi
    [ $status -eq 0 ] && pass || fail "$what: status $status: $(head -n 2 "$run/err")"
    for trace in "$run"/*.refrain; do
        refrain reconstruct "$trace" --all --format text -o - >"$work/lines" 2>"$work/error" &&
            refrain events "$trace" --all --format text -o - >"$work/recorded" 2>>"$work/error" && [ -s "$work/recorded" ] || {
            fail "$what: $(head -n 1 "$work/error")"
            continue
        }
        per_location "$work/lines" >"$work/a"
        per_location "$work/recorded" >"$work/b"
        if [ -n "${REFRAIN_TOTAL_MEMORY:-}" ]; then
            : # with so little memory the two differ
        elif cmp -s "$work/a" "$work/b"; then
            pass
            total_events=$((${total_events:-0} + $(wc -l <"$work/b")))
        else
            fail "$what: $(wc -l <"$work/b") events recorded, $(wc -l <"$work/a") reconstructed; first difference:"
            diff "$work/b" "$work/a" | head -n 4
        fi
        case $name in
        mpi_errors) # what arrives with a call that fails for another message
            arrived=$(awk -F '\t' '$3 == "recv" && /\ttag=8\t/' "$work/lines" | wc -l)
            [ "$arrived" = $((4 * ranks)) ] && pass || fail "$what: $arrived of $((4 * ranks)) messages beside one that failed"
            ;;
        mpi_spawn) ;;
        mpi_tables) # tables grow; where the memory is too little for that, what did not fit was counted
            refrain info --verbose "$trace" >"$work/info" 2>&1
            lost=$(grep -c 'beyond the[a-z ]* table' "$work/info")
            # those with a record, and those shown as another: all that the program makes
            awk '/ communicators [0-9,]+$/ { gsub(",", ""); with = $NF } /communicators without room/ { gsub(",", ""); print with + $2; with = 0 }
                 END { if (with) print with }' "$work/info" | sort -u >"$work/communicators"
            if [ -z "${REFRAIN_TOTAL_MEMORY:-}" ]; then
                paired "$what"
                [ "$lost" -eq 0 ] && pass || fail "$what: $(grep -m 1 'beyond' "$work/info")"
                cp "$work/communicators" "$work/communicators-$mpi"
            else # communicators that come later do not take the room of windows and files
                ! grep 'windows and files beyond' "$work/info" >"$work/beyond" && pass || fail "$what: $(cat "$work/beyond")"
                [ "$(grep -c 'datatypes beyond' "$work/info")" = "$ranks" ] && [ "$(grep -c 'communicators without room' "$work/info")" = "$ranks" ] && pass ||
                    fail "$what: refrain info does not count what was turned away: $(grep 'beyond' "$work/info")"
                cmp -s "$work/communicators-$mpi" "$work/communicators" && pass || fail "$what: communicators with and without room"
            fi
            ;;
        *) paired "$what" ;;
        esac
        case $name-$ranks in
        mpi_p2p-3 | mpi_probe-3 | mpi_completion-3 | mpi_persistent-3 | mpi_wildcards-3) matched "$what" "$trace" ;;
        esac
        if [ "$name" = mpi_threads ]; then # some of its requests are completed by another thread than the one that posted them
            awk -F '\t' '$3 == "send" && /\trequest=/ { open++ } $3 == "send-complete" { open-- } END { exit open != 0 }' \
                "$work/lines" && pass || fail "$what: sends without completion"
        fi
        [ -z "$logger" ] || witnessed "$what" "$ranks"
    done
}

# ranks_of NAME
ranks_of() {
    case ${TEST_RANKS:-$mpi-$1} in
    [0-9]*) echo "$TEST_RANKS" ;;
    mpich-mpi_collectives) echo 1 3 4 16 ;;
    mpich-*) echo 1 3 4 ;;
    *) echo 3 ;;
    esac
}

LC_ALL=C
export LC_ALL
command -v "mpicc.$mpi" >/dev/null || skip "$mpi is not installed"
run=$work/run
for source in $programs; do
    name=${source%.c}
    [ "$name" != mpi_leave ] || continue # abnormal ends have a test of their own
    REFRAIN_MPICC=mpicc.$mpi refrain-mpicc -O1 -w "$tests/programs/$name.c" -o "$work/$name-$mpi" -lpthread || {
        fail "$name ($mpi): compile"
        continue
    }
    case $name in
    mpi_comm_loop) arguments=300 ;;
    mpi_connect) arguments="port join" ;; # a run for each
    *) arguments= ;;
    esac
    for ranks in $(ranks_of "$name"); do
        for argument in ${arguments:-none}; do
            [ "$argument" != none ] || argument=
            # shellcheck disable=SC2086 # none or one word
            program "$mpi" "$name" "$ranks" $argument
        done
    done
    [ "$name" != mpi_tables ] || REFRAIN_TOTAL_MEMORY=800K program "$mpi" "$name" 2
done
echo "${total_events:-0} events compared"
summary
