#!/bin/sh
# replay_speed.sh BIN [STEPS]: measures events a second of the reading library, beside a plain read of recorded events, and the time and
# memory of seeking in a long run (replay_speed.c). The trace is of a stencil on 8 ranks (tests/many_ranks.c), with 135 events a
# step: 740,000 steps (the default) make 100 million events, 7,500,000 steps a thousand million.
set -eu
bin=$(cd "${1:?the directory of the built tools}" && pwd)
steps=${2:-740000}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc -O2 -I"$here/../include" "$here/replay_speed.c" -L"$bin/../lib" -Wl,-rpath,"$bin/../lib" -lrefrain-read -o "$work/replay_speed"
REFRAIN_MODE=both "$bin/many_ranks" 8 4000 "$work/short"
"$work/replay_speed" "$work/short" 8
"$bin/many_ranks" 8 "$steps" "$work/long"
"$work/replay_speed" "$work/long" 44 # MB of checkpoints: with what else it takes, less than 100 MB
