"""Traces of MPI programs that refrain made, as numpy arrays and pandas data frames.

    import refrain

    with refrain.Trace("app-20260101-120000.refrain") as trace:
        print(trace.profile().frame().head())
        events = trace.events("10ms", "20ms")
        sent = events["bytes"][events["kind"] == refrain.EVENT["send"]].sum()

The module calls the installed library (librefrain-read) and needs numpy; what says ``frame`` needs pandas.
"""

from ._library import EVENT, EVENT_DTYPE, EVENT_NAMES, RefrainError, library_version
from .table import Table
from .trace import Trace

__all__ = ["EVENT", "EVENT_DTYPE", "EVENT_NAMES", "RefrainError", "Table", "Trace", "library_version"]
