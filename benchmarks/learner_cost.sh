#!/bin/sh
# learner_cost.sh PROGRAM: builds learner_cost.c, with the learner as it is in the monitor: of general registers only.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/..
program=${1:?the program to be made}
general=
[ "$(uname -m)" != x86_64 ] || general=-mgeneral-regs-only
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT
set -- -O2 -I "$root/include" -I "$root/monitor" -I "$root/monitor/learn" -I "$root/reconstruct" -I "$root"
# shellcheck disable=SC2086 # none or one
(cd "$objects" && "${CC:-cc}" "$@" $general -c "$root"/monitor/learn/*.c "$root/monitor/bytes.c")
sequence=$root/reconstruct/sequence common=$root/reconstruct/common
"${CC:-cc}" "$@" "$here/learner_cost.c" "$here/learner_families.c" "$here/empty_call.c" "$objects"/*.o "$sequence/sequence.c" \
    "$sequence/terms.c" "$common/arena.c" "$common/difference.c" "$sequence/tally.c" "$sequence/numbered.c" -o "$program"
