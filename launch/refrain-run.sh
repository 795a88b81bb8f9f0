#!/bin/sh
# refrain-run: runs an MPI launcher so that ranks beyond the number of cores do not stall each other.
set -u

usage() {
    cat <<'END'
NAME
    refrain-run - run an MPI job with more ranks than cores at a decent speed

SYNOPSIS
    refrain-run LAUNCHER [ARGUMENT...]

DESCRIPTION
    Runs the launcher (mpiexec, mpirun, ...) as it is given. Under MPICH it preloads librefrain-yield.so into the ranks,
    which makes a rank that waits for a message give up the processor after some polls. MPICH over UCX never does so by
    itself: with more ranks than cores, a message then takes a thousand times as long. If there are enough cores, a rank polls for some tenths of a millisecond before
    it yields: the scheduler could move ranks that yield at once to the same core. It does yield then, since another
    program may occupy the core of the rank that it waits for. Open MPI yields by itself when told that it is oversubscribed (mpirun
    --oversubscribe); nothing is preloaded there.

    Programs need not be instrumented.

OPTIONS
    --help       this text
    --version    which refrain this is

ENVIRONMENT
    REFRAIN_YIELD    auto (the default): as above; on: after some polls in any case; off: never
    REFRAIN_LIBDIR   the directory of librefrain-yield.so, if it is not where it was installed

EXIT STATUS
    The launcher's; 2 without a launcher.

EXAMPLE
    refrain-run mpiexec -n 16 ./app
END
}

case ${1-} in
--help | -h)
    usage
    exit 0
    ;;
--version)
    echo "refrain-run @PROJECT_VERSION@"
    exit 0
    ;;
"")
    echo "refrain-run: no launcher given; try: refrain-run mpiexec -n 4 ./app (see refrain-run --help)" >&2
    exit 2
    ;;
esac

launcher=$1
shift
# No more processes than it takes: scripts and tests run many short jobs.
here=$0
[ ! -L "$here" ] || here=$(readlink -f "$here")
case $here in
*/*) here=$(cd "${here%/*}" && pwd -P) ;;
*) here=$(pwd -P) ;;
esac
library=
for directory in "${REFRAIN_LIBDIR:-}" "$here/@LIBDIR_FROM_BIN@" "$here/../lib"; do
    if [ -n "$directory" ] && [ -f "$directory/librefrain-yield.so" ]; then
        library=$(cd "$directory" && pwd)/librefrain-yield.so
        break
    fi
done
if [ -z "$library" ]; then
    echo "refrain-run: librefrain-yield.so was not found beside the tools; running without it (set REFRAIN_LIBDIR)" >&2
    exec "$launcher" "$@"
fi
# MPICH's launchers (Hydra) take -genv; others do without.
case $("$launcher" -info 2>/dev/null) in
*[Hh][Yy][Dd][Rr][Aa]*) exec "$launcher" -genv LD_PRELOAD "$library${LD_PRELOAD:+:$LD_PRELOAD}" "$@" ;;
esac
exec "$launcher" "$@"
