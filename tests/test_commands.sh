#!/bin/sh
# The command line of refrain: help, manual pages and completion for every command, mistyped names, a pager and colours on a
# terminal and nowhere else, the exit statuses.
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

commands=$(refrain help | sed -n '/^Commands/,/^$/s/^  \([a-z-]*\) .*/\1/p')
[ "$(echo "$commands" | wc -l)" -eq "$(grep -c '^REFRAIN_COMMAND(' "$tests/../reconstruct/commands/command_list.def")" ] &&
    pass || fail "help lists: $(echo $commands)"
[ "$(refrain --help)" = "$(refrain help)" ] && pass || fail "--help is help"
for command in $commands; do
    refrain help "$command" >help.1 2>&1 && refrain "$command" --help >help.2 2>&1 && cmp -s help.1 help.2 &&
        grep -q "^Usage: refrain $command " help.1 && grep -q -e --no-pager help.1 && pass ||
        fail "help of $command: $(head -n 2 help.1)"
    [ "$(refrain "$command" --version)" = "$(refrain --version)" ] && pass || fail "$command --version"
    page=$bin/../share/man/man1/refrain-$command.1
    LC_ALL=C.UTF-8 MANWIDTH=100 man --warnings -l "$page" >page 2>said && [ ! -s said ] && grep -q '^EXIT STATUS' page &&
        grep -q "refrain-$command - ." page && pass || fail "manual page of $command: $(head -n 2 said)"
    # Every option of the help is in the page and in the completions.
    for option in $(grep -oE '^ +(-., +)?--[a-z-]+' help.2 | grep -oE -e '--[a-z-]+'); do
        grep -q -e "$option" page && grep -qe "'$option" "$bin/../share/zsh/site-functions/_refrain" &&
            sed -n "/^    $command)/,/esac ;;/p" "$bin/../share/bash-completion/completions/refrain" | grep -qe "$option" &&
            pass || fail "$option of $command is not in page or completion"
    done
done
# No page is too narrow at 80 columns, and whatis knows each.
for page in "$bin"/../share/man/man1/*.1; do
    LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l "$page" >page 2>said && [ ! -s said ] && lexgrog "$page" >said 2>&1 && pass ||
        fail "$page at 80 columns: $(head -n 2 said)"
done
# The table of options in docs/commands.md has those of the help, no more and no fewer.
root=$tests/..
for command in $commands all; do
    if [ "$command" = all ]; then
        refrain help pause | sed -n '/^ Common options/,$p'
    else
        refrain help "$command" | sed '/^ Common options/,$d'
    fi | grep -oE '^ {2,6}(-., +)?--[a-z-]+' | grep -oE -e '--[a-z-]+' | sort >options.help
    sed -n '/^| command | options/,/^$/p' "$root/docs/commands.md" | tr -d '\`' |
        awk -F '|' -v name="$command" '(", " $2 ",") ~ "[ ,]" name " *," { print $3 }' | grep -oE -e '--[a-z-]+' | sort >options.docs
    cmp -s options.help options.docs && pass ||
        fail "docs/commands.md, options of $command: $(diff options.help options.docs | tr '\n' ' ')"
done
# What `refrain help settings` says of each variable that is for users stands in the manual page, too.
refrain help settings >settings 2>said && [ ! -s said ] && grep -q '^  REFRAIN_TOTAL_MEMORY (16M)$' settings && pass || fail "help settings: $(head -n 2 settings said)"
[ "$(awk 'length > 79' settings | wc -l)" -eq 0 ] && pass || fail "help settings is wider than 79 columns"
LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l "$bin/../share/man/man7/refrain-settings.7" >page 2>said && [ ! -s said ] && pass || fail "refrain-settings.7: $(head -n 2 said)"
[ "$(grep -oE '^  REFRAIN_[A-Z_]+' settings | tr -d ' ' | sort)" = "$(grep -oE '^ +REFRAIN_[A-Z_]+' page | tr -d ' ' | sort)" ] && pass || fail "help settings and its manual page differ"
# Every variable that the code knows is there or in docs/, and every one that is there is known to the code.
(cd "$root" && grep -rhoE '"REFRAIN_[A-Z_]+=?"' instrumentor monitor packed reconstruct launch --include='*.c') |
    grep -oE 'REFRAIN_[A-Z_]+' | grep -v REFRAIN_INSTRUMENTED | sort -u >variables.read
sed -n 's/^REFRAIN_VARIABLE(\([A-Z_]*\), OWN,.*/REFRAIN_\1/p' "$root/include/refrain/variables.def" | sort -u >variables.own
comm -23 variables.read variables.own >variables.code
cat settings "$root/README.md" "$root"/docs/*.md | sed 's/-DREFRAIN_[A-Z_]*//g' | grep -oE 'REFRAIN_[A-Z_]+' | sort -u >variables.docs
for setting in $(cat "$root/README.md" "$root"/docs/*.md | grep -oE -e '-DREFRAIN_[A-Z_]+' | cut -c3- | sort -u); do
    grep -rq --include='*.cmake' --include=CMakeLists.txt "set($setting " "$root" && pass ||
        fail "the build knows no setting $setting, the documentation does"
done
[ "$(wc -l <variables.code)" -gt 20 ] && missing=$(comm -23 variables.code variables.docs) && [ -z "$missing" ] && pass ||
    fail "variables without documentation: $missing"
for variable in $(comm -13 variables.read variables.docs); do
    grep -q "#define $variable" "$root"/include/refrain/*.h && pass || fail "the code knows no variable $variable, the documentation does"
done
LC_ALL=C.UTF-8 man --warnings -l "$bin/../share/man/man1/refrain.1" >page 2>said && [ ! -s said ] && pass || fail "refrain.1: $(cat said)"
# The other tools' pages are made of what --help says.
for tool in refrain-cc refrain-mpicc refrain-mpicxx refrain-mpifort refrain-instrument refrain-run; do
    $tool --help >help.1
    LC_ALL=C.UTF-8 MANWIDTH=200 man --warnings -l "$bin/../share/man/man1/$tool.1" >page 2>said && [ ! -s said ] &&
        grep -q "$tool - ." page && pass || fail "manual page of $tool: $(head -n 2 said)"
    for word in $(grep -E '^[A-Z]' help.1 | tr ' ' '_') $(grep -oE '^ +(-[a-z]|REFRAIN_[A-Z_]+|--[a-z-]+)' help.1); do
        grep -qe "$(echo "$word" | tr '_' '.')" page && pass || fail "$word is not in the page of $tool"
    done
done

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
# says STATUS TEXT COMMAND...: ends with that status and says one line with the text on standard error.
says() {
    wanted=$1 text=$2
    shift 2
    "$@" >out 2>err
    status=$?
    [ $status -eq "$wanted" ] && [ "$(wc -l <err)" -eq 1 ] && grep -qF -e "$text" err && pass ||
        fail "$*: status $status, said: $(head -n 2 err)"
}
says 2 "did you mean stats?" refrain statz
says 2 "did you mean reconstruct?" refrain recon
says 2 "unknown command zzz (refrain help" refrain zzz
says 2 "did you mean formulas?" refrain help formula
says 2 "did you mean --json?" refrain stats --jsno one.refrain
says 2 "unknown option --everything (refrain help info" refrain info --everything one.refrain
says 2 "unknown option --frobnicate" refrain --frobnicate
says 1 "one.refrain" refrain info one.refrain
says 2 "no command" refrain

# ---- a terminal ----
# on_terminal COMMAND: what it prints when its standard output is one.
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
# The status is the command's, whatever the pager does.
script -qec "REFRAIN_PAGER='cat >/dev/null' refrain info one.refrain" /dev/null </dev/null >out
[ $? -eq 1 ] && pass || fail "status with a pager"
script -qec "REFRAIN_PAGER=no-such-pager refrain help" /dev/null </dev/null >out
[ $? -lt 126 ] && pass || fail "a pager that is not there"
summary
