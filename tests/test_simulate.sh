#!/bin/sh
# refrain simulate: runs with known dependences, written as text, must take on a known platform exactly the time that follows. The other
# commands read the trace. What cannot be simulated is refused with a line.
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
[ -e "$bin/../lib/refrain-simgrid.so" ] || skip "built without SimGrid (Debian: libsimgrid-dev)"

# say RANK MICROSECONDS TEXT: a line of the text form.
say() {
    printf '%s\t%d.%06d000\t%s\n' "$1" "$(($2 / 1000000))" "$(($2 % 1000000))" "$(echo "$3" | tr ' ' '\t')"
}

# call RANK FROM TO NAME [TEXT...]: an MPI call; each text is an event "MICROSECONDS KIND FIELDS" in it.
call() {
    rank=$1 to=$3 name=$4
    say "$1" "$2" "enter $4 file=app.c line=9"
    shift 4
    for event; do
        kind=${event#* }
        say "$rank" "${event%% *}" "${kind%% *} $name ${kind#* }"
    done
    say "$rank" "$to" "leave $name"
}

# platform NAME HOSTS LATENCY SPEEDS [CORES]: links of 1 GB/s without further factors; a message passes two of them.
platform() {
    cat >"$1.xml" <<END
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <config>
    <prop id="smpi/lat-factor" value="0:1"/>
    <prop id="smpi/bw-factor" value="0:1"/>
    <prop id="network/TCP-gamma" value="0"/>
  </config>
  <cluster id="c" prefix="n" radical="0-$(($2 - 1))" suffix="" speed="$4" bw="1GBps" lat="$3" core="${5:-1}"/>
</platform>
END
}

# takes TRACE PLATFORM NS OPTION...: the simulated time from the first event to the last, exact to 0.1 %.
takes() {
    name=$1 platform=$2 wanted=$3
    shift 3
    [ -d "$name.refrain" ] || refrain convert --quiet "$name.txt" -o "$name.refrain" >said 2>&1 || fail "$name: $(head -n 1 said)"
    rm -rf out.refrain
    refrain simulate "$name.refrain" --platform "$platform.xml" "$@" --quiet -o out.refrain >said 2>error || fail "$name $*: $(head -n 1 error)"
    refrain events out.refrain --quiet --all >events 2>&1
    got=$(awk -F '\t' '{ split($2, t, "."); if (t[1] * 1e9 + t[2] > last) last = t[1] * 1e9 + t[2] } END { printf "%.0f", last }' events)
    awk "BEGIN { exit !($got > $wanted * 0.999 && $got < $wanted * 1.001) }" && pass || fail "$name on $platform $*: $got ns, not $wanted"
}

# Ten messages of one byte to and fro, and 8 us of computing between the rounds. A message passes two links with this latency.
for i in 0 10 20 30 40; do
    call 0 $i $i MPI_Send "$i send dest=1 tag=1 bytes=1 comm=0"
    call 1 $i $((i + 1)) MPI_Recv "$((i + 1)) recv source=0 tag=1 bytes=1 comm=0"
    call 1 $((i + 1)) $((i + 1)) MPI_Send "$((i + 1)) send dest=0 tag=1 bytes=1 comm=0"
    call 0 $i $((i + 2)) MPI_Recv "$((i + 2)) recv source=1 tag=1 bytes=1 comm=0"
done | sort -s -n -k 2,2 >pingpong.txt
platform fast 2 10us 1Gf
platform slow 2 100us 1Gf
takes pingpong fast 232010
takes pingpong slow 2032010

# Pure computation, on hosts of equal and of different speed.
for rank in 0 1; do
    say $rank 0 "enter burn file=app.c line=1"
    say $rank 2000000 "leave burn"
    say $rank 2000000 "enter rest file=app.c line=2"
    say $rank 3000000 "leave rest"
done | sort -s -n -k 2,2 >burn.txt
takes burn fast 3000000000
takes burn fast 1500000000 --speed 2
takes burn fast 2000000000 --speed 'burn()=2'
takes burn fast 1000000000 --speed 'burn()=2' --speed 2
platform shared 1 10us 1Gf 2
takes burn shared 3000000000 --speed 1

# A collective, a barrier that all wait in, and requests: nobody is earlier than whom it depends on.
{
    say 0 0 "enter burn file=app.c line=1"
    say 0 2000000 "leave burn"
    call 0 2000000 2000001 MPI_Barrier "2000000 collective sent=0 received=0 comm=0"
    call 0 2000002 2000002 MPI_Isend "2000002 send dest=1 tag=1 bytes=1000000 comm=0 request=1"
    call 0 2000002 2000003 MPI_Wait "2000003 send-complete request=1"
    call 1 0 0 MPI_Irecv "0 recv-post comm=0 request=1"
    call 1 0 2000001 MPI_Barrier "0 collective sent=0 received=0 comm=0"
    call 1 2000002 2000004 MPI_Wait "2000004 recv source=0 tag=1 bytes=1000000 comm=0 request=1"
} | sort -s -n -k 2,2 >mixed.txt
takes mixed fast 2001000000                       # the message takes 1 ms
takes mixed fast 1001000000 --speed 2

# The commands read the trace, which says what it is.
for command in "stats out.refrain" "diff mixed.refrain out.refrain" "report out.refrain" "info out.refrain"; do
    # shellcheck disable=SC2086 # words
    check "$command" refrain $command
done
refrain info out.refrain >info.txt; grep -q 'simulated by refrain simulate' info.txt && pass || fail "info does not say that it is simulated"

# Each rank of a real run has its events in their order.
platform four 4 10us 1Gf
for program in mpi_p2p mpi_collectives mpi_persistent; do
    REFRAIN_MPICC=mpicc.mpich refrain-mpicc -w -g -O1 "$tests/programs/$program.c" -o "$program" 2>said || fail "compile $program: $(head -n 2 said)"
    mkdir "in-$program"
    REFRAIN_DIRECTORY=in-$program launch mpich 4 "./$program" </dev/null >said 2>&1
    trace=$(the_trace "in-$program") || { fail "$program left no trace: $(head -n 3 said)"; continue; }
    refrain simulate "$trace" --platform four.xml --quiet -o "$program.refrain" >said 2>error || { fail "$program: $(head -n 1 error)"; continue; }
    refrain reconstruct "$trace" --quiet --format text --all --force -o was.txt && refrain events "$program.refrain" --quiet --all --force -o now.txt ||
        fail "$program: no events"
    for form in was now; do
        sort -s -n -k 1,1 $form.txt | grep -v '^#' | cut -f 1,3,4 >$form.events
    done
    [ -s was.events ] && cmp -s was.events now.events && pass || fail "$program: events: $(diff was.events now.events | head -n 3)"
done

# refused STATUS PATTERN ARGUMENTS...: one line.
refused() {
    wanted=$1 pattern=$2
    shift 2
    rm -rf no.refrain
    refrain simulate "$@" -o no.refrain >said 2>error
    status=$?
    lines=$(wc -l <error)
    [ "$wanted" -eq 2 ] && lines=1 # help is named on further lines
    [ $status -eq "$wanted" ] && grep -q "$pattern" error && [ "$lines" -eq 1 ] && [ ! -e no.refrain ] && pass ||
        fail "$*: status $status: $(head -n 2 error)"
}
platform one 1 10us 1Gf
head -c 300 fast.xml >cut.xml
refused 1 "one.xml: SimGrid: its 1 hosts have 1 cores, but the run has 2 ranks" burn.refrain --platform one.xml
refused 1 "cut.xml:.*Invalid XML" burn.refrain --platform cut.xml
refused 1 "none.xml: No such file" burn.refrain --platform none.xml
refused 1 "is nobody" burn.refrain --platform fast.xml --speed 'nobody=2'
refused 1 "MPI_Send is an MPI call" pingpong.refrain --platform fast.xml --speed MPI_Send=2
refused 2 "a factor above 0" burn.refrain --platform fast.xml --speed 0
refused 2 "give --platform" burn.refrain
REFRAIN_MPICC=mpicc.mpich refrain-mpicc -w -g -O1 "$tests/programs/mpi_rma.c" -o mpi_rma 2>said || fail "compile mpi_rma: $(head -n 2 said)"
mkdir in-rma
REFRAIN_DIRECTORY=in-rma launch mpich 4 ./mpi_rma </dev/null >said 2>&1
refused 1 "rank . calls MPI_.* (.*mpi_rma.c:[0-9]*): windows or files cannot be simulated" "$(the_trace in-rma)" --platform four.xml
summary
