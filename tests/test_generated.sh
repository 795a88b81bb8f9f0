#!/bin/sh
# Programs with random control flow reconstruct exactly (generate.sh).
#   test_generated.sh BIN
set -u
status=0
sh "$(dirname "$0")/generate.sh" 60 1 "$1" || status=1
sh "$(dirname "$0")/generate.sh" 24 1001 "$1" mpi || status=1
exit $status
