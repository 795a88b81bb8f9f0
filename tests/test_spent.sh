#!/bin/sh
# When the memory is full, counts by construct, call site and partner, and bytes, must be those of the run (spent.sh).
# Meanwhile probes are disabled, some in the middle of a loop, in a short run and in a longer one. If places are followed
# by more kinds of steps than can be counted, the other steps are assigned such that counts are right, also if a recursion
# is entered in its middle. Of 880 pending requests none is lost. Receives have the partners of their communicators; if it
# is uncertain which one it was, they are counted. Persistent requests that are made when the memory is full begin and
# complete as often as in the run, also if their numbers are counted together, and if some begin more often than others.
# Of 700 call sites each has its own counts by partner, if there is room for overflow sites, and of 200 at the size that
# `refrain size` names. Later communicators do not take the room in which the first partner of each is counted.
spent=$(dirname "$0")/spent.sh
sh "$spent" "$1" 1 1200 2 492K 2120K 16M && sh "$spent" "$1" 1 6000 2 492K &&
    SPENT_KINDS=1 REFRAIN_THROTTLE=off sh "$spent" "$1" 3 400 1 258K 264K &&
    SPENT_MIDDLE=1 REFRAIN_THROTTLE=off sh "$spent" "$1" 1 7500 1 250K &&
    SPENT_COMMS=4 sh "$spent" "$1" 1 4000 3 250K && SPENT_COMMS=0 SPENT_PARTNERS=1 sh "$spent" "$1" 1 4000 3 300K && SPENT_REQUESTS=880 sh "$spent" "$1" 1 3000 2 512K &&
    SPENT_LATE=1 SPENT_PARTNERS=1 sh "$spent" "$1" 1 3000 2 270K 290K 318K 328K &&
    SPENT_PERSISTENT=1 SPENT_PARTNERS=1 sh "$spent" "$1" 1 3000 3 250K 280K &&
    SPENT_LATE=places SPENT_PARTNERS=1 sh "$spent" "$1" 1 1500 2 680K &&
    SPENT_LATE=places SPENT_HUNDREDS=1 SPENT_PARTNERS=1 sh "$spent" "$1" 1 1500 2 432K counts
