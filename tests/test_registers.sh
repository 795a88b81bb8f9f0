#!/bin/sh
# Probes at sites change no register: by looking at all registers around them, and by following every call in librefrain
# that starts at their entries: general registers only, nothing of another library but by refrain_call_with_state().
#   test_registers.sh BIN
set -u
. "$(dirname "$0")/lib.sh"

x86_64_only "sites are for x86-64 only"
library=$(find "$bin/.." -name librefrain.so | head -n 1)
libraries=$(dirname "$library")

# ---- registers of this processor ----

objdump -d --no-show-raw-insn "$library" >"$work/code" || fail "objdump"
cat >"$work/follow.awk" <<'END'
/^[0-9a-f]+ <.*>:$/ { function_ = $2; gsub(/[<>:]/, "", function_); known[function_] = 1; next }
!function_ { next }
/%[xyz]mm|%st|%mm[0-7]|%k[0-7]|vzero/ { vectors[function_] = vectors[function_] " " $2 }
$2 ~ /^(call|j[a-z]+)$/ && $NF ~ /^<.*>$/ {
    to = $NF
    gsub(/[<>]/, "", to)
    sub(/\+0x.*/, "", to)
    if (to != function_)
        calls[function_] = calls[function_] " " to
    next
}
$2 == "call" && $3 ~ /^\*/ || $2 == "jmp" && $3 ~ /^\*0x/ { indirect[function_] = 1 } # jmp *%rax: of a switch
END {
    n = split(entries, queue, " ")
    for (i = 1; i <= n; i++)
        from[queue[i]] = "-"
    for (i = 1; i <= n; i++) {
        f = queue[i]
        reached++
        if (!known[f] || f ~ /@plt$/)
            print f ", outside, from " from[f]
        else if (f in vectors)
            print f " uses" vectors[f]
        else if (f in indirect && f != "refrain_call_with_state")
            print f " calls what is not known"
        m = split(calls[f], next_, " ")
        for (j = 1; j <= m; j++)
            if (!(next_[j] in from)) {
                from[next_[j]] = f
                queue[++n] = next_[j]
            }
    }
    print reached " functions" >"/dev/stderr"
}
END
entries=refrain_site_10
nm -D --defined-only "$library" | grep -q ' T refrain_site_10$' && pass || fail "no entry of sites"
awk -v entries="$entries" -f "$work/follow.awk" "$work/code" >"$work/found" 2>"$work/reached"
[ ! -s "$work/found" ] && pass || fail "probes reach: $(tr '\n' ';' <"$work/found")"
[ "$(cut -d ' ' -f 1 "$work/reached")" -gt 40 ] && pass || fail "only $(cat "$work/reached") were looked at"
# The test must find changes: it uses the C library's memcpy, in the place where this is allowed.
awk -v entries="refrain_tracing_take_context refrain_tracing_open" -f "$work/follow.awk" "$work/code" 2>/dev/null |
    grep -q 'mmap' && pass || fail "the call of mmap was not found"

# ---- the probes ----

cc -O1 -Wall -Wextra -I"$tests/../include" "$tests/programs/registers.c" -o "$work/registers" -L"$libraries" -lrefrain \
    -Wl,-rpath,"$libraries" || fail "compile registers.c"
# probes NAME ARGUMENTS...: checks that no register changed in this number of probes. The output is in out.
probes() {
    name=$1
    shift
    rm -rf "$work"/*.refrain
    REFRAIN_DIRECTORY=${directory:-$work} timeout 120 "$work/registers" "$@" >"$work/out" 2>"$work/err"
    case $? in
    0) grep -q ' 0 registers changed' "$work/out" && pass || fail "$name: $(head -n 1 "$work/out")" ;;
    77) left_out "$name: $(cat "$work/out")" ;;
    *) fail "$name: $(cat "$work/out" "$work/err")" ;;
    esac
}
for mode in stat both events; do
    REFRAIN_THROTTLE=off REFRAIN_MODE=$mode probes "mode $mode" 100000
done
REFRAIN_THROTTLE=off REFRAIN_TOTAL_MEMORY=968K REFRAIN_FORMULA_LENGTH=128 probes "with little memory" 100000
directory=/nonexistent/directory
probes "no directory" 10
directory=
probes throttled throttle
grep -q '^throttled, throttled' "$work/out" || grep -q '^no' "$work/out" && pass || fail "throttle: $(tail -n 1 "$work/out")"
summary
