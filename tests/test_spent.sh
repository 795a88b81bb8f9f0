#!/bin/sh
# When the memory is spent: counts by construct, call site and partner, and bytes, are those of the run (spent.sh).
# Probes stay on: with some that go dormant counts may differ by a few percent, which README says.
export REFRAIN_THROTTLE=off
exec sh "$(dirname "$0")/spent.sh" "$1" 2 800 2 2700K 2900K 3M 16M
