#!/bin/sh
# The documentation: every page is in a table of contents, and every link in docs/ and from the code has a target. The
# formulas of examples/heat.c in docs/ are those that refrain prints.
set -u
. "$(dirname "$0")/lib.sh"
root=$tests/..

# Sphinx warns of pages in no table of contents and of links that lead nowhere; -W makes a failure of that.
if available sphinx-build; then
    check "the pages" sphinx-build -W --keep-going -q -b html -d "$work/doctrees" "$root/docs" "$work/html"
    cp -r "$root/docs" "$work/docs"
    echo 'See [nothing](nothing.md).' >>"$work/docs/time.md"
    sphinx-build -W -q -b html -d "$work/doctrees" "$work/docs" "$work/html" >"$work/out" 2>&1 && fail "a link to nothing" || pass
fi

# Pages that code, scripts and the pages at the top name.
(cd "$root" && grep -rhoE 'docs/[a-z-]+\.(md|ipynb)' --include='*.[ch]' --include='*.def' --include='*.ts' --include='*.sh' \
    --include='*.py' --include='*.md' --include=CMakeLists.txt include instrumentor launch monitor packed reconstruct tests \
    benchmarks packaging python ./*.md CMakeLists.txt) | sort -u >"$work/named"
[ "$(wc -l <"$work/named")" -gt 8 ] && pass || fail "few pages are named: $(cat "$work/named")"
while read -r page; do
    [ -f "$root/$page" ] && pass || fail "$page is named and is not there"
done <"$work/named"

# A page of measurements says which refrain it was made with, and that is not older than the release before the present one.
oldest=$(sed -n 's/^## .*: trace version \([0-9]*\).*/\1/p' "$root/CHANGELOG.md" | sed -n 2p)
for page in "$root"/benchmarks/report/*.md; do
    version=$(sed -n '1,10s/.* with refrain [0-9.]* (traces up to version \([0-9]*\)).*/\1/p' "$page" | head -n 1)
    [ -n "$version" ] && [ "$version" -ge "${oldest:-0}" ] && pass ||
        fail "$page: made with a refrain of trace version '$version', and has to be made anew from ${oldest:-0} on"
done

# The formulas of the example, as docs/learning.md shows them.
cd "$work" || exit 1
cp "$root/examples/heat.c" .
check "compile heat.c" env REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O2 heat.c -o heat
REFRAIN_THROTTLE=off REFRAIN_DIRECTORY=run launch mpich 4 ./heat >out 2>&1 || fail "heat: $(head -n 3 out)"
refrain formulas "$(the_trace run)" >formulas
sed -n '/\$ refrain formulas/,/^$/p' "$root/docs/learning.md" | sed -n 's/^    heat.c/heat.c/p' >shown
[ "$(wc -l <shown)" -gt 2 ] && pass || fail "docs/learning.md shows no formulas"
while IFS= read -r line; do
    grep -qxF -- "$line" formulas && pass || fail "docs/learning.md shows: $line"
done <shown
summary
