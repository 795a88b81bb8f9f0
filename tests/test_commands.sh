#!/bin/sh
# The command line of refrain: help on commands and settings (command_pages.py), completion, mistyped names, exit statuses,
# and a pager and colours only on a terminal.
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

check "help, manual pages, completions and documents" python3 "$tests/command_pages.py" "$bin" "$work"

version=$(refrain --version | cut -d ' ' -f 2)
for tool in refrain-cc refrain-instrument refrain-run; do
    [ "$($tool --version)" = "$tool $version" ] && pass || fail "$tool --version: $($tool --version 2>&1 | head -n 1)"
done
[ "$(refrain-mpicc --refrain-version)" = "refrain-mpicc $version" ] && pass || fail "refrain-mpicc --refrain-version"
REFRAIN_MPICC=mpicc.mpich refrain-mpicc --version | grep -qi "gcc\|clang" && pass || fail "refrain-mpicc --version is the compiler's"

# ---- completion ----
cat >complete.bash <<'END'
. "$1"
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
compopt() { :; }
_refrain refrain "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
echo "${COMPREPLY[*]}"
END
# completes EXPECTED WORD...
completes() {
    expected=$1
    shift
    said=$(bash complete.bash "$bin/../share/bash-completion/completions/refrain" "$@" 2>&1)
    [ "$said" = "$expected" ] && pass || fail "completion of $*: $said"
}
completes "reconstruct" refrain recon
completes "--no-pager" refrain stats --no
completes "always" refrain --color = al
completes "otf2" refrain reconstruct --format = otf
completes "formulas" refrain help for
mkdir one.refrain
completes "one.refrain" refrain info on
check "completion for zsh" zsh -n "$bin/../share/zsh/site-functions/_refrain"

# ---- mistyped ----
says 2 "did you mean stats[?]" refrain statz
says 2 "did you mean reconstruct[?]" refrain recon
says 2 "unknown command zzz (refrain help" refrain zzz
says 2 "did you mean formulas[?]" refrain help formula
says 2 "did you mean --json[?]" refrain stats --jsno one.refrain
says 2 "unknown option --everything (refrain help info" refrain info --everything one.refrain
says 2 "unknown option --frobnicate" refrain --frobnicate
says 1 "one.refrain" refrain info one.refrain
says 2 "no command" refrain

# ---- a terminal ----
# on_terminal COMMAND: prints the output of the command on a terminal.
on_terminal() {
    script -qec "$1" /dev/null </dev/null | tr -d '\r'
}
export TERM=xterm
escape=$(printf '\033')
on_terminal "REFRAIN_PAGER='sed s/^/paged:/' refrain help info" | grep -q '^paged:Usage: refrain info' && pass || fail "the pager"
on_terminal "REFRAIN_PAGER='sed s/^/paged:/' refrain help --no-pager info" | grep -q '^Usage: refrain info' && pass || fail "--no-pager"
on_terminal "REFRAIN_PAGER='sed s/^/paged:/' refrain --no-pager help info" | grep -q '^Usage: refrain info' && pass || fail "--no-pager in front"
on_terminal "REFRAIN_PAGER=cat refrain help" | grep -q "$escape" && pass || fail "colour on a terminal"
on_terminal "NO_COLOR=1 REFRAIN_PAGER=cat refrain help" | grep -q "$escape" && fail "NO_COLOR" || pass
on_terminal "REFRAIN_PAGER=cat refrain help --color=never" | grep -q "$escape" && fail "--color=never" || pass
REFRAIN_PAGER='sed s/^/paged:/' refrain help >out
grep -qE "$escape|^paged:" out && fail "pager or colour in a file" || pass
refrain --color=always help | grep -q "$escape" && pass || fail "--color=always"
# The exit status is that of the command, whatever the pager returns.
script -qec "REFRAIN_PAGER='cat >/dev/null' refrain info one.refrain" /dev/null </dev/null >out
[ $? -eq 1 ] && pass || fail "status with a pager"
script -qec "REFRAIN_PAGER=no-such-pager refrain help" /dev/null </dev/null >out
[ $? -lt 126 ] && pass || fail "a pager that is not there"
summary
