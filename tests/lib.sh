# lib.sh: functions that the test scripts share. Sourced with BIN (the built tools) as $1.
# A script ends with `summary`, which prints "N passed, N failed" and sets the exit status.
bin=$(cd "${1:?the directory of the built tools}" && pwd)
tests=$(cd "$(dirname "$0")" && pwd)
# The system's tools come first: setup.sh installs Python packages for the system's python3. Another python3 may be a script
# that takes ten times as long to start (pyenv).
PATH=$bin:/usr/bin:/bin:$PATH
export PATH
work=$(mktemp -d "${TMPDIR:-/tmp}/refrain-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
passed=0
failed=0

pass() {
    passed=$((passed + 1))
}

# fail TEXT...: prints a line, and the test continues.
fail() {
    failed=$((failed + 1))
    echo "FAILED: $*"
}

# check TEXT COMMAND...: passes when the command does.
check() {
    what=$1
    shift
    if "$@" >"$work/check.out" 2>&1; then
        pass
    else
        fail "$what (status $?)"
        head -n 20 "$work/check.out"
    fi
}

# says STATUS PATTERN COMMAND...: checks that the command ends with this status, and prints one line on standard error that
# matches the pattern of the shell. Its standard output is in $work/out.
says() {
    wanted=$1 pattern=$2
    shift 2
    said=$("$@" 2>&1 >"$work/out")
    status=$?
    case $status:$said in
    *"
"*) fail "$*: says more than one line: $said" ;;
    "$wanted":*$pattern*) pass ;;
    *) fail "$*: status $status, says: $said" ;;
    esac
}

summary() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}

# recorded_run DIRECTORY MPI RANKS COMMAND...: a run, whose trace is $trace.
recorded_run() {
    directory=$1 mpi=$2 ranks=$3
    shift 3
    mkdir "$directory"
    launch "$mpi" "$ranks" refrain record --quiet --no-report --directory "$directory" "$@" >said 2>&1
    trace=$(the_trace "$directory") || trace=/nowhere
}

# left_out WHY: a part of the test is. Where all is installed that setup.sh installs (check.sh sets TEST_ALL), that
# is a failure.
left_out() {
    if [ -n "${TEST_ALL:-}" ]; then
        fail "skipped: $1"
    else
        echo "skipped: $1"
    fi
}

# available COMMAND: is it installed? Else a part of the test is left out.
available() {
    command -v "$1" >/dev/null && return
    left_out "$1 is not installed"
    return 1
}

# skip WHY: the test ends here, and ctest shows it as skipped.
skip() {
    left_out "$1"
    [ "$failed" -gt 0 ] || exit 77
    summary
    exit
}

# instrumented FILE: has this object or program tables of probes? nm would answer, too, but loads LLVM as a plug-in for that.
instrumented() {
    grep -q refrain__u "$1"
}

# x86_64_only WHY: the test ends here, skipped, on other machines.
x86_64_only() {
    [ "$(uname -m)" = x86_64 ] || skip "$1"
}

# hwloc's plugins look for graphics cards and X servers in each process of each job.
HWLOC_PLUGINS_PATH=/nowhere
export HWLOC_PLUGINS_PATH

# launch MPI RANKS COMMAND...: runs under that MPI's launcher. Ranks that wait yield, since another test may run beside them;
# under MPICH as refrain-run has it, which would start the launcher twice. If $preload is set, it is preloaded into the ranks alone.
# Of Open MPI's components only those are loaded that a job on one node uses.
launch() {
    mpi=$1
    ranks=$2
    shift 2
    if [ "$mpi" = openmpi ]; then
        [ -z "${preload:-}" ] || set -- -x LD_PRELOAD="$preload${LD_PRELOAD:+:$LD_PRELOAD}" "$@"
        # A directory of its own for each: a launcher that ends may remove what another has just made in a common one.
        OMPI_MCA_orte_tmpdir_base=$(mktemp -d "$work/ompi.XXXXXX") \
            timeout 120 mpiexec.openmpi --allow-run-as-root --oversubscribe --mca pml ob1 --mca btl "${btl:-self,vader}" --bind-to none \
            --mca mpi_yield_when_idle 1 -n "$ranks" "$@"
    else
        timeout 120 mpiexec.mpich -genv LD_PRELOAD \
            "${preload:+$preload:}$bin/../lib/librefrain-yield.so${LD_PRELOAD:+:$LD_PRELOAD}" -n "$ranks" "$@"
    fi
}

# debian_source PACKAGE: downloads and unpacks the original of a source package, and prints its directory. Prints
# nothing if this fails; $work/apt.log has the reason.
debian_source() {
    (cd "$work" && apt-get -q source --download-only "$1" >apt.log 2>&1 && tar xf "$1"_*.orig.tar.*) && echo "$work/$1"-*/
}

# processes_of EXECUTABLE: the ids of those that run it, in order.
processes_of() {
    for process in /proc/[0-9]*; do
        [ "$(readlink "$process/exe")" != "$1" ] || echo "${process#/proc/}"
    done | sort -n
}

# wait_for_traces DIRECTORY RANKS: waits until this number of ranks have a trace there, for a minute at most.
wait_for_traces() {
    looks=0
    while [ "$(ls "$1"/*.refrain/rank-*.trace 2>/dev/null | wc -l)" -lt "$2" ] && [ $looks -lt 600 ]; do
        looks=$((looks + 1))
        sleep 0.1
    done
}

# the_trace DIRECTORY: the one trace in it.
the_trace() {
    set -- "$1"/*.refrain
    [ $# -eq 1 ] && [ -d "$1" ] && echo "$1"
}

# leads: true if $work/a has the lines of $work/b, and at the end of each location at most those of one operation more:
# a line, or several completions of requests. An event is learned before it is written to the event file. A process that
# is ended from outside, or by another of its threads, may be between the two (refrain/event_file.h).
leads() {
    awk -F '\t' '
        { at = $1 FS $2 }
        FILENAME == ARGV[1] { recorded[at, ++n[at]] = $0; next }
        ++i[at] <= n[at] { differ += recorded[at, i[at]] != $0; next }
        { more[at]++; others[at] += $3 !~ /^(recv|.*-complete)$/ }
        END {
            for (at in n) differ += i[at] < n[at]
            for (at in more) differ += more[at] > 1 && others[at]
            exit differ > 0
        }' "$work/b" "$work/a"
}

# exact TRACE NAME [ended [--all]]: checks that the reconstruction equals the recording, in all fields except the time
# (per_location.c). `ended`: of a process that did not end by itself, it may have one operation more.
exact() {
    # shellcheck disable=SC2086 # one option, or none
    if ! refrain reconstruct "$1" ${4:-} --format text -o - >"$work/reconstructed" 2>"$work/error"; then
        fail "$2: reconstruct: $(head -n 1 "$work/error")"
        return 1
    fi
    # shellcheck disable=SC2086
    if ! refrain events "$1" ${4:-} >"$work/recorded" 2>"$work/error"; then
        fail "$2: events: $(head -n 1 "$work/error")"
        return 1
    fi
    per_location "$work/reconstructed" >"$work/a"
    per_location "$work/recorded" >"$work/b"
    events=$(wc -l <"$work/b")
    if [ "$events" -gt 0 ] && { cmp -s "$work/a" "$work/b" || { [ "${3:-}" = ended ] && leads; }; }; then
        pass
        total_events=$((${total_events:-0} + events))
        return 0
    fi
    fail "$2: $events events recorded, $(wc -l <"$work/a") reconstructed; first difference:"
    diff "$work/b" "$work/a" | head -n 4
    return 1
}
