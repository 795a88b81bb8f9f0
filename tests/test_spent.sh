#!/bin/sh
# When the memory is spent: counts by construct, call site and partner, and bytes, are those of the run (spent.sh). Probes
# go dormant meanwhile, loops in the middle of their iterations among them, in a short run and in a longer one. Where
# places go on in more ways than there is room to count, the rest of each is shared out so that counts are right.
# They are where control comes into the middle of a recursion, too. Of 900 requests under way none is lost.
# Receives have the partners of their communicators; where it is only likely which one it was, they are counted.
# Persistent requests that are made after it begin and complete as often as in the run, also where their numbers are
# counted together, and those that begin more often than others, too. Of 700 call sites each has its own counts, by
# partner, where there is room for guests, and of 200 at the size that `refrain size` names; communicators that come
# after these do not take the room in which the first partner of each is counted.
spent=$(dirname "$0")/spent.sh
sh "$spent" "$1" 1 1200 2 492K 2120K 16M && sh "$spent" "$1" 1 6000 2 492K &&
    SPENT_KINDS=1 REFRAIN_THROTTLE=off sh "$spent" "$1" 3 400 1 258K 264K &&
    SPENT_MIDDLE=1 REFRAIN_THROTTLE=off sh "$spent" "$1" 1 7500 1 250K &&
    SPENT_COMMS=4 sh "$spent" "$1" 1 4000 3 250K && SPENT_COMMS=0 SPENT_PARTNERS=1 sh "$spent" "$1" 1 4000 3 300K && SPENT_REQUESTS=900 sh "$spent" "$1" 1 3000 2 512K &&
    SPENT_LATE=1 SPENT_PARTNERS=1 sh "$spent" "$1" 1 3000 2 270K 290K 318K 328K &&
    SPENT_PERSISTENT=1 SPENT_PARTNERS=1 sh "$spent" "$1" 1 3000 3 250K 280K &&
    SPENT_LATE=places SPENT_PARTNERS=1 sh "$spent" "$1" 1 1500 2 680K &&
    SPENT_LATE=places SPENT_HUNDREDS=1 SPENT_PARTNERS=1 sh "$spent" "$1" 1 1500 2 432K counts
