#!/bin/sh
# bulk.sh: tests thousands of random programs, of csmith and of our own generator, without and with messages.
#
#   bulk.sh COUNT SEED BIN [RESULTS]
#
# COUNT programs of each of the three kinds, from SEED on, 20 of one kind and then 20 of the next, at the lowest priority. BIN:
# directory of the built tools. Prints a line after each 20 programs. Failed programs are kept in RESULTS (bulk-results). A program
# takes a few seconds: sh tests/bulk.sh 3000 100000 build/bin
set -u
if [ $# -lt 3 ]; then
    sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
tests=$(cd "$(dirname "$0")" && pwd)
count=$1 first=$2 bin=$(cd "$3" && pwd) results=${4:-bulk-results}
mkdir -p "$results" && cd "$results" || exit 2
turn=20 done=0 bad=0
while [ "$done" -lt "$count" ]; do
    n=$((count - done < turn ? count - done : turn))
    seed=$((first + done))
    for kind in csmith plain mpi; do
        case $kind in
        csmith) nice -n 19 sh "$tests/csmith.sh" $n $((first + 2 * done)) "$bin" ;; # it passes over some
        plain) nice -n 19 sh "$tests/generate.sh" $n $seed "$bin" ;;
        mpi) nice -n 19 sh "$tests/generate.sh" $n $seed "$bin" mpi ;;
        esac >log 2>&1 && continue
        bad=$((bad + 1))
        echo "$kind, seeds from $seed:"
        grep -v '^seed [0-9]*: [0-9]* exact' log
    done
    done=$((done + n))
    echo "bulk: $done of $count programs of each kind from seed $first, $bad turns with failures"
done
rm -f log
[ "$bad" -eq 0 ]
