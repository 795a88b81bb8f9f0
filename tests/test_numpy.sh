#!/bin/sh
# The Python module: events, tables and formulas are those of the commands, errors are exceptions with one line, and
# docs/python.ipynb runs. The module is found in the build, installed, and beside a library that the user names.
set -u
. "$(dirname "$0")/lib.sh"
unset REFRAIN_LIBDIR
python=
for candidate in python3 /usr/bin/python3; do
    [ -n "$python" ] || ! "$candidate" -c 'import numpy, pandas' 2>/dev/null || python=$candidate
done
[ -n "$python" ] || {
    fail "there is no python3 with numpy and pandas: sh tests/setup.sh"
    summary
    exit
}
export PYTHONDONTWRITEBYTECODE=1

REFRAIN_MPICC=mpicc.mpich refrain-mpicc -O1 -g -w -I "$tests/../include" "$tests/programs/every_kind.c" -o "$work/every_kind" ||
    fail "compile"
cd "$work" || exit 1
(REFRAIN_MODE=both REFRAIN_METRICS=page-faults launch mpich 2 ./every_kind "$work/file")
trace=$(the_trace "$work")

# The output of the commands, and truncated bytes.
refrain -q reconstruct "$trace" --format text --all -o learned.text
refrain -q events "$trace" --format text --all -o recorded.text
for by in function call-path source-line partner rank wait; do
    refrain -q stats --by $by --json "$trace" >"stats.$by.json"
done
refrain -q formulas --json "$trace" >formulas.json
check "all formulas" refrain -q formulas --all "$trace"
refrain -q stats --by function --rank 1 --from 20% --to 60% --json "$trace" >window.json

export PYTHONPATH="$bin/../python"
check "events, tables, formulas, errors" "$python" "$tests/test_numpy.py" "$trace"
check "the notebook" env TRACE="$trace" "$python" "$tests/run_notebook.py" "$tests/../docs/python.ipynb"

# Installed, beside the library; a library that is not there.
check "install" cmake --install "$bin/.." --component python --prefix "$work/prefix"
mkdir -p "$work/prefix/lib" && cp "$bin/../lib/librefrain-read.so.0" "$work/prefix/lib"
export PYTHONPATH="$work/prefix/lib/python3/dist-packages"
check "installed" "$python" -c "import refrain, sys
assert refrain.__file__.startswith('$work/prefix/')
assert refrain._library.lib._name == '$work/prefix/lib/librefrain-read.so.0', refrain._library.lib._name
assert refrain.Trace('$trace').ranks == 2"
REFRAIN_LIBDIR=$work "$python" -c "import refrain" 2>said
grep -q "^ImportError: librefrain-read.so.0 cannot be loaded.*set REFRAIN_LIBDIR" said && pass || fail "no library: $(cat said)"
"$python" -c "import sys; sys.modules['numpy'] = None; import refrain" 2>said
grep -q "^ImportError: refrain needs numpy: apt-get install python3-numpy" said && pass || fail "no numpy: $(cat said)"
"$python" -c "import sys; sys.modules['pandas'] = None; import refrain
trace = refrain.Trace('$trace')
assert trace.profile().rows and len(trace.events())
trace.frame()" 2>said
grep -q "^ImportError: data frames need pandas: apt-get install python3-pandas" said && pass || fail "no pandas: $(cat said)"
summary
