#!/bin/sh
# The recipe for Spack, run with a stand-in for the part of Spack's documented interface that it uses: its directives must
# have known forms, and the variables that it gives to CMake must exist. The modulefile is read by Environment Modules, if
# these are installed (apt-get install environment-modules).
set -u
. "$(dirname "$0")/lib.sh"
root=$(cd "$tests/.." && pwd)
mkdir -p "$work/spack" "$work/prefix/bin" "$work/prefix/lib/pkgconfig" "$work/modules/refrain"

: >"$work/spack/__init__.py"
cat >"$work/spack/package.py" <<'END'
"""Directives of Spack 0.23 and 1.0 as its packaging guide describes them."""
import re

told = []
SPEC = re.compile(r"^[a-z0-9-]+(@[\w.:,=-]+)?([+~][\w-]+)*( [+~][\w-]+)*$")
WHEN = re.compile(r"^([+~][\w-]+|@[\w.:,-]+|platform=\w+)$")
TYPES = {"build", "link", "run", "test"}


def version(name, sha256=None, *, branch=None, tag=None, commit=None, preferred=None, deprecated=None):
    assert sha256 or branch or tag or commit, name
    told.append(("version", name))


def license(identifier, *, checked_by=None, when=None):
    assert re.fullmatch(r"[\w.+-]+", identifier), identifier


def variant(name, *, default, description, values=None, multi=False, when=None):
    assert isinstance(default, bool) and description
    told.append(("variant", name))


def depends_on(spec, when=None, type=("build", "link"), patches=None):
    assert SPEC.match(spec), spec
    types = {type} if isinstance(type, str) else set(type)
    assert types <= TYPES, types
    assert when is None or WHEN.match(when), when
    assert when is None or when[0] not in "+~" or ("variant", when[1:]) in told, when


def conflicts(spec, when=None, msg=None):
    assert WHEN.match(spec) and msg


class Spec(dict):
    prefix = "/spack/llvm"
    mpicc = "/spack/mpi/bin/mpicc"

    def satisfies(self, spec):
        assert SPEC.match("refrain" + spec), spec
        return True

    def __missing__(self, name):
        return self


class CMakePackage:
    spec = Spec()

    @staticmethod
    def define(name, value):
        kind = "BOOL" if isinstance(value, bool) else "STRING"
        return "-D%s:%s=%s" % (name, kind, {True: "ON", False: "OFF"}.get(value, value))
END
cat >"$work/recipe.py" <<'END'
import importlib.util
import sys
from spack import package

spec = importlib.util.spec_from_file_location("recipe", sys.argv[1])
recipe = importlib.util.module_from_spec(spec)
spec.loader.exec_module(recipe)
assert issubclass(recipe.Refrain, package.CMakePackage) and recipe.Refrain.__doc__
assert recipe.Refrain.git.startswith("file:///") and ("version", "main") in package.told
print("\n".join(recipe.Refrain().cmake_args()))
END
if PYTHONPATH=$work PYTHONDONTWRITEBYTECODE=1 python3 "$work/recipe.py" "$root/packaging/spack/package.py" >"$work/arguments" 2>"$work/error"; then
    pass
    [ -s "$work/arguments" ] && pass || fail "the recipe gives nothing to CMake"
    while read -r argument; do
        option=${argument#-D}
        grep -rq "\(option\|set\)(${option%%:*} " "$root/CMakeLists.txt" "$root"/*/CMakeLists.txt "$root"/cmake/*.cmake && pass ||
            fail "CMake knows no ${option%%:*}"
    done <"$work/arguments"
else
    fail "the recipe for Spack: $(tail -n 1 "$work/error")"
fi

modules=
for path in /usr/lib/*/modulecmd.tcl /usr/lib/modulecmd.tcl /usr/share/modules/libexec/modulecmd.tcl; do
    [ -f "$path" ] && command -v tclsh >/dev/null && modules=$path
done
if [ -n "$modules" ]; then
    : >"$work/prefix/bin/refrain"
    chmod +x "$work/prefix/bin/refrain"
    sed "s|/opt/refrain|$work/prefix|" "$root/packaging/modulefiles/refrain" >"$work/modules/refrain/0.1.0"
    MODULEPATH=$work/modules
    LOADEDMODULES=
    export MODULEPATH LOADEDMODULES
    cp "$work/modules/refrain/0.1.0" "$work/modules/refrain/0.2.0"
    (
        eval "$(tclsh "$modules" sh load refrain/0.1.0 2>"$work/error")"
        [ "$(command -v refrain)" = "$work/prefix/bin/refrain" ] && [ "$REFRAIN_ROOT" = "$work/prefix" ] &&
            [ "${PKG_CONFIG_PATH%%:*}" = "$work/prefix/lib/pkgconfig" ] || exit 1
        eval "$(tclsh "$modules" sh load refrain/0.2.0 2>"$work/error2")"
        [ "$LOADEDMODULES" = refrain/0.1.0 ] || exit 2
        eval "$(tclsh "$modules" sh unload refrain/0.1.0 2>"$work/error")"
        [ -z "${REFRAIN_ROOT:-}" ] || exit 3
    )
    status=$?
    [ $status = 0 ] && grep -qi conflict "$work/error2" && pass || fail "the modulefile ($status): $(cat "$work/error" "$work/error2")"
    tclsh "$modules" sh whatis refrain/0.1.0 2>&1 | grep -q 'tracer of fixed size' && pass || fail "module whatis"
    rm "$work/prefix/bin/refrain"
    tclsh "$modules" sh load refrain/0.1.0 2>&1 | grep -q 'set prefix in' && pass || fail "a modulefile without its prefix"
else
    echo "passed over: the modulefile (environment-modules are not installed)"
fi
summary
