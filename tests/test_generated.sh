#!/bin/sh
# Programs with random control flow reconstruct exactly (generate.sh).
#   test_generated.sh BIN [COUNT]    and half as many with MPI; every four have all compilers and details, every twelve
#                                    all numbers of ranks with each
set -u
status=0
sh "$(dirname "$0")/generate.sh" "${2:-12}" 1 "$1" || status=1
sh "$(dirname "$0")/generate.sh" $((${2:-24} / 2)) 1001 "$1" mpi || status=1
exit $status
