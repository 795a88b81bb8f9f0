"""The functions of librefrain-read that the module calls, as refrain/read.h declares them."""

from __future__ import annotations

import ctypes
import os
import pathlib
import sysconfig
from ctypes import POINTER, Structure, Union, byref, c_bool, c_char, c_char_p, c_double, c_int, c_int32, c_int64
from ctypes import c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any, Iterator

try:
    import numpy as np
except ImportError as error:
    raise ImportError("refrain needs numpy: apt-get install python3-numpy, or pip install numpy") from error

SONAME = "librefrain-read.so.0"
LEAST_VERSION = 1  #: REFRAIN_READ_VERSION that has all that is called here
TIME_FIRST, TIME_LAST = -(2**63), 2**63 - 1
MISSING = -(2**63)

#: A row of events, as struct refrain_event_row. Fields that a kind does not have are 0, or -1 where 0 is a value.
EVENT_DTYPE = np.dtype(
    [
        ("time_ns", "i8"),  # since the start of the run
        ("location", "u4"),  # row of Trace.locations
        ("region", "u4"),  # row of Trace.regions; 2**32 - 1: the trace does not name it
        ("comm", "i4"),  # row of Trace.communicators
        ("peer", "i4"),  # dest, source, root or target in MPI_COMM_WORLD
        ("object", "i4"),  # number of the window or file in its process
        ("kind", "u1"),  # EVENT, EVENT_NAMES
        ("approximate", "u1"),
        ("detail", "u2"),  # lock of a window, mode of a file, whence of a seek, which collective
        ("tag", "i8"),
        ("bytes", "i8"),  # of a message or access; of a collective: sent
        ("received", "i8"),  # of a collective
        ("request", "i8"),
        ("value", "i8"),  # of a counter; where a seek led; how many passed in a pause
        ("match", "u8"),  # the same in both ends of a message, and in all calls of a collective
        ("sent_ns", "i8"),  # of a receive with a match: when the message was sent
    ],
    align=True,
)


class RefrainError(Exception):
    """What the library says of a failure, in one line. Where events were read before it, they are in ``events``."""

    events: "np.ndarray | None" = None


class _Error(Structure):
    _fields_ = [("code", c_int), ("file", c_char_p), ("line", c_int), ("message", c_char * 1024)]


class CursorOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("ranks", POINTER(c_int32)),
        ("n_ranks", c_size_t),
        ("from_ns", c_int64),
        ("to_ns", c_int64),
        ("recorded", c_bool),
        ("checkpoint_bytes", c_size_t),
        ("unaligned", c_bool),
        ("compensate", c_bool),
        ("untold", c_bool),
        ("at_once", c_bool),
        ("each", c_void_p),
        ("of_each", c_void_p),
    ]


class OpenRegion(Structure):
    _fields_ = [("region", POINTER(c_uint32)), ("enter_ns", c_int64), ("approximate", c_bool)]


class TableOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("rank", c_int32),
        ("from_ns", c_int64),
        ("to_ns", c_int64),
        ("recorded", c_bool),
        ("compensate", c_bool),
        ("all", c_bool),
    ]


class _Values(Union):
    _fields_ = [("integers", POINTER(c_int64)), ("reals", POINTER(c_double)), ("texts", POINTER(c_char_p))]


class _Column(Structure):
    _fields_ = [("name", c_char_p), ("type", c_int), ("values", _Values)]


COLUMN_INTEGER, COLUMN_BOOLEAN, COLUMN_REAL, COLUMN_TEXT = range(4)

#: Which table is which number, as enum refrain_trace_table_kind.
TABLES = {
    name: number
    for number, name in enumerate(
        "process location region communicator loss function call-path source-line partner rank wait formula sample memory".split()
    )
}


def _candidates() -> Iterator[str]:
    """Where the library may be: named by the user; beside the package, installed or built; where the system looks."""
    if "REFRAIN_LIBDIR" in os.environ:
        yield str(pathlib.Path(os.environ["REFRAIN_LIBDIR"]) / SONAME)
        return
    multiarch = sysconfig.get_config_var("MULTIARCH") or ""
    for parent in pathlib.Path(__file__).absolute().parents:
        for directory in ("lib", "lib64", f"lib/{multiarch}"):
            path = parent / directory / SONAME
            if path.is_file():
                yield str(path)
    yield SONAME


def _load() -> ctypes.CDLL:
    tried = []
    for path in _candidates():
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            tried.append(str(error))
    raise ImportError(
        f"{SONAME} cannot be loaded ({'; '.join(tried)}): "
        "install refrain, or set REFRAIN_LIBDIR to the directory it is in"
    )


def _declare(library: ctypes.CDLL) -> None:
    p, size, error = c_void_p, POINTER(c_size_t), POINTER(_Error)
    declared: dict[str, tuple[Any, list[Any]]] = {
        "refrain_trace_open": (c_int, [c_char_p, c_bool, POINTER(p), error]),
        "refrain_trace_close": (None, [p]),
        "refrain_trace_ranks": (c_int32, [p]),
        "refrain_trace_start_ns": (c_uint64, [p]),
        "refrain_event_name": (c_char_p, [c_int]),
        "refrain_cursor_open": (c_int, [p, POINTER(CursorOptions), POINTER(p), error]),
        "refrain_cursor_rows": (c_size_t, [p, p, c_size_t, c_size_t]),
        "refrain_cursor_open_regions": (POINTER(OpenRegion), [p, c_size_t, size]),
        "refrain_cursor_close": (c_int, [p, error]),
        "refrain_trace_table_open": (c_int, [p, c_int, POINTER(TableOptions), POINTER(p), error]),
        "refrain_trace_table_columns": (POINTER(_Column), [p, size]),
        "refrain_trace_table_rows": (c_size_t, [p]),
        "refrain_trace_table_close": (None, [p]),
    }
    for name, (result, arguments) in declared.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments


def _checked() -> ctypes.CDLL:
    library = _load()
    version = library.refrain_read_version()
    if version < LEAST_VERSION:
        raise ImportError(
            f"{library._name} is version {version}, and {LEAST_VERSION} is needed: install a later refrain"
        )
    _declare(library)
    return library


lib = _checked()


def library_version() -> int:
    """The version of the library that is loaded, as REFRAIN_READ_VERSION counts."""
    return int(lib.refrain_read_version())


def _event_names() -> list[str]:
    names = []
    while name := lib.refrain_event_name(len(names)):
        names.append(name.decode())
    return names


#: Name of each kind of event by its number, and the other way round.
EVENT_NAMES = _event_names()
EVENT = {name: number for number, name in enumerate(EVENT_NAMES)}


def open_regions(cursor: c_void_p, location: int) -> list[tuple[int, bool]]:
    """What a location is in where the cursor stands, the outermost first: its region, and whether that is uncertain."""
    n = c_size_t()
    regions = lib.refrain_cursor_open_regions(cursor, location, byref(n))
    return [(regions[i].region[0], regions[i].approximate) for i in range(n.value)]  # its index is its first member


def call(function: str, *arguments: Any) -> None:
    """Calls a function that takes an error behind its other arguments. What that says is raised."""
    error = _Error()
    if getattr(lib, function)(*arguments, byref(error)):
        raise RefrainError(text(error.message) or f"{function} failed")


def text(value: bytes) -> str:
    """Names come out of programs: what is no UTF-8 in them is kept as escapes."""
    return value.decode("utf-8", "backslashreplace")


def columns_of(table: c_void_p) -> dict[str, np.ndarray]:
    """The columns of a table, copied. Integers with gaps become floats with nan; texts are str, None where missing."""
    n, rows = c_size_t(), lib.refrain_trace_table_rows(table)
    columns = lib.refrain_trace_table_columns(table, byref(n))
    return {text(columns[i].name): _column(columns[i], rows) for i in range(n.value)}


def _column(column: _Column, rows: int) -> np.ndarray:
    if column.type == COLUMN_TEXT:
        texts = np.empty(rows, object)
        texts[:] = [text(value) if value is not None else None for value in column.values.texts[:rows]]
        return texts
    if column.type == COLUMN_REAL:
        return np.array(np.ctypeslib.as_array(column.values.reals, (rows,))) if rows else np.empty(0)
    if not rows:
        return np.empty(0, "i8")
    values = np.array(np.ctypeslib.as_array(column.values.integers, (rows,)))
    if column.type == COLUMN_BOOLEAN:
        return values.astype(bool)
    missing = values == MISSING
    return np.where(missing, np.nan, values) if missing.any() else values
