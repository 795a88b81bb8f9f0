#!/bin/sh
# fuzz.sh SECONDS CORPUS TRACE...: runs libFuzzer on each layer that reads a trace (fuzz_trace.c, and fuzz_packed.c for packed
# files and packs), for SECONDS each, with coverage and the address and undefined-behaviour sanitizers. Seeds are made of
# the traces by the refrain on the PATH. Interesting inputs are kept in CORPUS/LAYER, and failed inputs in
# CORPUS/failed-LAYER-... It prints the number of inputs of each layer.
#
# A second of processor time suffices for about 10,000 inputs, from 5,000 (pack) to 70,000 (open), with seeds of 25 to 30 KB: traces of
# programs of ten lines with REFRAIN_MODE=both, REFRAIN_THREADS=1 and the REFRAIN_TOTAL_MEMORY that `refrain size` names. Packed
# files are those of a run without settings. The clock of a damaged trace may allow a replay of minutes (walk_limits.c), so a
# fuzzer's build walks at most 4,096 steps.
set -eu
seconds=${1:?seconds}
corpus=${2:?the directory of the corpus}
shift 2
top=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
of_regions="open walk match window live text formats"
for layer in $of_regions recorded packed pack import; do
    mkdir -p "$corpus/$layer"
done
includes="-I$top/include -I$top/reconstruct -I$top"
# shellcheck disable=SC2086 # a list of options
clang -O1 -std=gnu11 $includes "$top/tests/unpack_image.c" "$top"/packed/*.c -o "$work/unpack_image"

# ---- seeds ----

# In front of a packed file, to fuzz_packed.c.
no_changes() {
    head -c 32 /dev/zero | tr '\0' '\377'
}

seed=0
for trace in "$@"; do
    for region in "$trace"/rank-*.trace; do
        seed=$((seed + 1))
        "$work/unpack_image" "$region" >"$work/region"
        for layer in $of_regions; do
            cp "$work/region" "$corpus/$layer/seed-$seed"
        done
        cat "$work/region" "${region%.trace}.events" >"$corpus/recorded/seed-$seed" 2>/dev/null || true
        # Two ranks are two halves, behind the mark of such inputs.
        if [ -s "$work/before" ]; then
            half=$(wc -c "$work/before" "$work/region" | awk '$2 != "total" && $1 > most { most = $1 } END { print int((most + 15) / 16) * 16 }')
            truncate -s "$half" "$work/before"
            { printf '\003' && tail -c +2 "$work/before" && cat "$work/region"; } >"$work/two"
            truncate -s $((2 * half)) "$work/two"
            for layer in match window text formats; do
                cp "$work/two" "$corpus/$layer/seed-$seed-two"
            done
        fi
        cp "$work/region" "$work/before"
        [ "$(head -c 8 "$region")" != refrainp ] || { no_changes && cat "$region"; } >"$corpus/packed/seed-$seed"
    done
    rm -f "$work/before"
    if [ ! -f "$trace/rank-0.events" ]; then
        refrain pack "$trace" -o "$work/pack" --force >/dev/null
        { no_changes && cat "$work/pack"; } >"$corpus/pack/seed-$seed"
    fi
    refrain reconstruct "$trace" --format text --all -o "$corpus/import/seed-$seed" --force
done

# ---- the target ----

sources=$(ls "$top"/reconstruct/common/*.c "$top"/reconstruct/sequence/*.c "$top"/reconstruct/model/*.c "$top"/reconstruct/times/*.c \
    "$top"/reconstruct/walk/*.c "$top"/reconstruct/match/*.c "$top"/reconstruct/analysis/counters.c "$top"/reconstruct/analysis/profile.c \
    "$top"/reconstruct/analysis/open_regions.c "$top"/reconstruct/analysis/span_times.c "$top"/reconstruct/analysis/waiting*.c "$top"/packed/*.c "$top"/reconstruct/formats/*.c \
    "$top"/reconstruct/import/*.c "$top"/reconstruct/files/*live*.c | grep -vE '/(write_otf2|otf2_[a-z]*|import_otf2[a-z_]*)[.]c$')
for target in fuzz_trace "fuzz_packed -Wl,--wrap=refrain_packed_read,--wrap=refrain_packed_code_value"; do
    # shellcheck disable=SC2086 # lists of options and files
    clang -g -O2 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -std=gnu11 -D_GNU_SOURCE -w \
        -DREFRAIN_LIBFUZZER -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION -DREFRAIN_VERSION='"fuzz"' $includes \
        "$top/tests/${target%% *}.c" $sources ${target#"${target%% *}"} -lm -o "$work/${target%% *}"
done
ASAN_OPTIONS=${ASAN_OPTIONS:-malloc_context_size=2:allocator_release_to_os_interval_ms=-1:quarantine_size_mb=16}
export ASAN_OPTIONS
status=0
for layer in $of_regions recorded packed pack import; do
    case $layer in
    packed | pack) target=fuzz_packed ;;
    *) target=fuzz_trace ;;
    esac
    REFRAIN_FUZZ_LAYER=$layer "$work/$target" -max_len=80000 -timeout=60 -rss_limit_mb=2000 -max_total_time="$seconds" \
        -print_final_stats=1 -artifact_prefix="$corpus/failed-$layer-" "$corpus/$layer" >"$work/said" 2>&1 || {
        status=1
        tail -n 60 "$work/said"
    }
    echo "$layer: $(grep -a number_of_executed_units "$work/said" | grep -o '[0-9]*$') inputs"
done
exit $status
