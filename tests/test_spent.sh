#!/bin/sh
# When the memory is spent: counts by construct, call site and partner, and bytes, are those of the run (spent.sh). Probes
# go dormant meanwhile, loops in the middle of their iterations among them. Of 900 requests under way none is lost.
# Persistent requests that are made after it begin and complete as often as in the run.
spent=$(dirname "$0")/spent.sh
sh "$spent" "$1" 2 1200 2 492K 2120K 16M && SPENT_REQUESTS=900 sh "$spent" "$1" 1 3000 2 512K &&
    SPENT_LATE=1 SPENT_PARTNERS=1 REFRAIN_THROTTLE=off sh "$spent" "$1" 1 3000 2 270K 328K
