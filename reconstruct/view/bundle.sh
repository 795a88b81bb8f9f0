#!/bin/sh
# bundle.sh NODE NPM ENGINE.wasm OUT.html COMPARE.html: fetches what package-lock.json names, once, and bundles the page and
# that of two runs. Where nothing can be fetched they are empty, and refrain view says that it was left out.
set -eu
sources=$(cd "$(dirname "$0")" && pwd)
node=$1 npm=$2 engine=$3 out=$4 compare=$5
modules=$(dirname "$out")/modules
if ! cmp -s "$sources/package-lock.json" "$modules/fetched.json"; then
    mkdir -p "$modules"
    cp "$sources/package.json" "$sources/package-lock.json" "$modules"
    if ! (cd "$modules" && "$npm" ci --omit=dev --no-audit --no-fund --loglevel=error) >"$modules/npm.log" 2>&1; then
        sed 's/^/npm: /' "$modules/npm.log" | tail -n 5
        echo "refrain view is left out, since npm cannot fetch its modules; with a network: rm $out, and build again"
        : >"$out"
        : >"$compare"
        exit 0
    fi
    cp "$sources/package-lock.json" "$modules/fetched.json"
fi
exec "$node" "$sources/build.mjs" "$sources" "$modules" "$engine" "$out" "$compare"
