#!/bin/sh
# When the memory is spent: counts by construct, call site and partner, and bytes, are those of the run (spent.sh). Probes
# go dormant meanwhile, loops in the middle of their iterations among them.
exec sh "$(dirname "$0")/spent.sh" "$1" 2 1200 2 492K 2120K 16M
