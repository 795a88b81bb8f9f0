"""A trace, and what is asked of it."""

from __future__ import annotations

import ctypes
import os
import typing
import weakref
from typing import Iterable, Iterator

import numpy as np

from . import _library
from ._library import EVENT_DTYPE, CursorOptions, RefrainError, TableOptions, lib
from .export import hatchet_literal, named_frame, pipit_frame
from .table import Table, pandas_module

if typing.TYPE_CHECKING:
    import pandas

#: A moment: nanoseconds since the start of the run, or a text as the command line takes it: "1.5s", "200ms", "30us",
#: "10ns", "25%" of the run.
Time = typing.Union[int, str]

BATCH = 1 << 18  # events that are read at a time
UNITS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


class Trace:
    """An open trace: a directory of one run, or a pack. Close it, or use it in ``with``.

    resolve: look up function, file and line of calls that are known by their address only.

    Raises RefrainError where it cannot be read. Several threads may use one trace.
    """

    def __init__(self, path: "str | os.PathLike[str]", resolve: bool = True) -> None:
        self.path = os.fspath(path)
        self._handle = ctypes.c_void_p()
        _library.call("refrain_trace_open", os.fsencode(self.path), resolve, ctypes.byref(self._handle))
        self._close = weakref.finalize(self, lib.refrain_trace_close, self._handle)
        self._tables: dict[str, Table] = {}

    def close(self) -> None:
        """Frees what the library holds. Arrays, tables and frames that were made stay."""
        self._close()

    def __enter__(self) -> "Trace":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<refrain.Trace {self.path!r}{'' if self._close.alive else ', closed'}>"

    # ---- what the run consisted of

    @property
    def ranks(self) -> int:
        """Size of MPI_COMM_WORLD, as far as known."""
        return int(lib.refrain_trace_ranks(self._open()))

    @property
    def start_ns(self) -> int:
        """When the run began, in nanoseconds since 1970. All other times count from there."""
        return int(lib.refrain_trace_start_ns(self._open()))

    @property
    def processes(self) -> Table:
        """rank, pid, executable, host, environment ... of each process."""
        return self._kept("process")

    @property
    def locations(self) -> Table:
        """rank, thread, start_ns, end_ns of each thread; the events' ``location`` is a row of it."""
        return self._kept("location")

    @property
    def regions(self) -> Table:
        """kind, name, file, line, function ... of what events are about; the events' ``region`` is a row of it."""
        return self._kept("region")

    @property
    def communicators(self) -> Table:
        """name, size, remote_size of each communicator; the events' ``comm`` is a row of it."""
        return self._kept("communicator")

    @property
    def losses(self) -> Table:
        """What processes could not keep in the trace; usually no rows."""
        return self._kept("loss")

    @property
    def recorded(self) -> bool:
        """True where the trace holds recorded events and nothing that was learned (mode events)."""
        return not self.processes["learned"].any()

    # ---- events

    def batches(
        self,
        from_: "Time | None" = None,
        to: "Time | None" = None,
        locations: "Iterable[int] | None" = None,
        *,
        size: int = BATCH,
        recorded: "bool | None" = None,
        aligned: bool = True,
        compensate: bool = False,
        pauses: bool = False,
        whole: bool = False,
    ) -> Iterator[np.ndarray]:
        """Events in the order of time, as arrays of EVENT_DTYPE of at most ``size`` events, each new.

        from_, to: events with from_ <= time < to. locations: rows of ``locations``; all where it is left out.
        recorded: recorded events instead of what was learned. aligned: times are moved so that no message is received
        before it was sent. compensate: times are those that the run would have had without probes. pauses: also gives
        how many messages and collectives passed in pauses (kinds "untold-..."). whole: what is open at an edge of the
        window is entered or left there, so that regions nest.
        """
        wanted = None if locations is None else np.unique(np.fromiter(locations, "i8"))
        options, keep = self._options(from_, to, wanted, recorded)
        options.unaligned, options.compensate, options.untold = not aligned, compensate, pauses
        cursor = ctypes.c_void_p()
        _library.call("refrain_cursor_open", self._open(), ctypes.byref(options), ctypes.byref(cursor))
        del keep
        edges = self._edges(cursor, options, wanted) if whole else None
        try:
            yield from self._read(cursor, wanted, size, edges)
        except BaseException:
            lib.refrain_cursor_close(cursor, None)
            raise
        _library.call("refrain_cursor_close", cursor)  # says whether the trace was damaged

    def events(
        self,
        from_: "Time | None" = None,
        to: "Time | None" = None,
        locations: "Iterable[int] | None" = None,
        **options: typing.Any,
    ) -> np.ndarray:
        """All events of a window as one structured array of EVENT_DTYPE; the arguments are those of batches().

        An event takes 88 bytes: for long runs take windows, or batches(). Where the trace turns out to be damaged on
        the way, RefrainError has the events before the damage in its ``events``.
        """
        parts: list[np.ndarray] = []
        try:
            for part in self.batches(from_, to, locations, **options):
                parts.append(part)
        except RefrainError as error:
            error.events = _joined(parts)
            raise
        return _joined(parts)

    def frame(self, *window: typing.Any, **options: typing.Any) -> "pandas.DataFrame":
        """events() as a pandas data frame: with rank, thread, name, file and line in place of numbers."""
        pandas_module()
        return named_frame(self, self.events(*window, **options))

    def pipit(self, *window: typing.Any, **options: typing.Any) -> "pandas.DataFrame":
        """Events as pipit has them: pipit.Trace(None, trace.pipit()) analyses them. A window is whole (batches())."""
        pandas_module()
        return pipit_frame(self, self.events(*window, **{"whole": True, **options}))

    # ---- tables

    def profile(
        self,
        by: str = "function",
        from_: "Time | None" = None,
        to: "Time | None" = None,
        rank: "int | None" = None,
        *,
        recorded: "bool | None" = None,
        compensate: bool = False,
    ) -> Table:
        """Where the time went, as ``refrain stats --by``: function, call-path, source-line, partner or rank.

        Times are in nanoseconds; columns are those of ``refrain stats --csv``. rank: that one alone.
        """
        if by not in ("function", "call-path", "source-line", "partner", "rank", "wait"):
            raise ValueError(f"{by!r}: function, call-path, source-line, partner, rank or wait is expected")
        return self._stats(by, from_, to, rank, recorded, compensate)

    def waiting(
        self,
        from_: "Time | None" = None,
        to: "Time | None" = None,
        rank: "int | None" = None,
        *,
        recorded: "bool | None" = None,
        compensate: bool = False,
    ) -> Table:
        """Who waited where for what: a row for each kind of wait, call, and call that was waited for."""
        return self._stats("wait", from_, to, rank, recorded, compensate)

    def formulas(self, all: bool = False, rank: "int | None" = None) -> Table:
        """What each branch, loop and MPI call did, as ``refrain formulas``. all: also what only the replay needs."""
        options = _table_options(rank)
        options.all = all
        return self._table("formula", options)

    def samples(self, rank: "int | None" = None) -> Table:
        """Samples of processor time: a row for each rank, call path, MPI call and stretch of the run."""
        return self._table("sample", _table_options(rank))

    def memory(self, rank: "int | None" = None) -> Table:
        """Resident memory of each rank, from each time to the next."""
        return self._table("memory", _table_options(rank))

    def hatchet(self, **options: typing.Any) -> "list[dict[str, typing.Any]]":
        """The call paths as hatchet.GraphFrame.from_literal() takes them; times in seconds, over all ranks."""
        return hatchet_literal(self.profile("call-path", **options))

    # ---- the library

    @staticmethod
    def _read(
        cursor: ctypes.c_void_p, wanted: "np.ndarray | None", size: int, edges: "Iterator[np.ndarray] | None"
    ) -> Iterator[np.ndarray]:
        if edges:
            yield next(edges)
        while True:
            rows = np.empty(size, EVENT_DTYPE)
            n = lib.refrain_cursor_rows(cursor, rows.ctypes.data, EVENT_DTYPE.itemsize, size)
            if n == 0:
                break
            rows = rows[:n]
            yield rows if wanted is None else rows[np.isin(rows["location"], wanted)]
        if edges:
            yield next(edges)

    def _edges(
        self, cursor: ctypes.c_void_p, options: CursorOptions, wanted: "np.ndarray | None"
    ) -> Iterator[np.ndarray]:
        """What has to be entered at the beginning of the window, then what has to be left at its end."""
        ends = ((options.from_ns, _library.TIME_FIRST, "enter", 1), (options.to_ns, _library.TIME_LAST, "leave", -1))
        locations = range(self.locations.rows) if wanted is None else wanted.tolist()
        for time, none, kind, order in ends:
            rows = []
            for location in locations if time != none else ():
                for region, approximate in _library.open_regions(cursor, location)[::order]:
                    rows.append((time, location, region, _library.EVENT[kind], approximate))
            yield _edge(rows)

    def _open(self) -> ctypes.c_void_p:
        if not self._close.alive:
            raise ValueError(f"{self.path}: the trace has been closed")
        return self._handle

    def _table(self, kind: str, options: "TableOptions | None" = None) -> Table:
        table = ctypes.c_void_p()
        given = ctypes.byref(options) if options else None
        _library.call("refrain_trace_table_open", self._open(), _library.TABLES[kind], given, ctypes.byref(table))
        try:
            return Table(_library.columns_of(table))
        finally:
            lib.refrain_trace_table_close(table)

    def _kept(self, kind: str) -> Table:
        if kind not in self._tables:
            self._tables[kind] = self._table(kind)
        return self._tables[kind]

    def _stats(
        self,
        kind: str,
        from_: "Time | None",
        to: "Time | None",
        rank: "int | None",
        recorded: "bool | None",
        compensate: bool,
    ) -> Table:
        options = _table_options(rank)
        options.from_ns, options.to_ns = self._window(from_, to)
        options.recorded = self.recorded if recorded is None else recorded
        options.compensate = compensate
        return self._table(kind, options)

    def _options(
        self, from_: "Time | None", to: "Time | None", locations: "np.ndarray | None", recorded: "bool | None"
    ) -> "tuple[CursorOptions, object]":
        """Options of a cursor, and what has to stay until it is open."""
        options = CursorOptions(size=ctypes.sizeof(CursorOptions))
        options.from_ns, options.to_ns = self._window(from_, to)
        options.recorded = self.recorded if recorded is None else recorded
        if locations is None:
            return options, None
        n = self.locations.rows
        if len(locations) and not 0 <= locations[0] <= locations[-1] < n:
            raise IndexError(f"locations {locations.tolist()}: {self.path} has {n}, numbered from 0")
        ranks = np.unique(self.locations["rank"][locations]).astype("i4")
        options.ranks = ranks.ctypes.data_as(ctypes.POINTER(ctypes.c_int32))
        options.n_ranks = len(ranks)
        return options, ranks

    def _window(self, from_: "Time | None", to: "Time | None") -> "tuple[int, int]":
        first = _library.TIME_FIRST if from_ is None else self._time(from_)
        last = _library.TIME_LAST if to is None else self._time(to)
        if first > last:
            raise ValueError(f"the window ends at {to}, before it begins at {from_}")
        return first, last

    def _time(self, time: Time) -> int:
        if not isinstance(time, str):
            return int(time)
        number = time.rstrip("%abcdefghijklmnopqrstuvwxyz ")
        unit = time[len(number) :].strip() or "s"
        try:
            if unit == "%":
                return int(float(self.locations["end_ns"].max(initial=0)) * float(number) / 100)
            return int(float(number) * UNITS[unit])
        except (ValueError, KeyError):
            said = f"{time!r} is not a time; 1.5s, 200ms, 30us, 10ns, 25% or nanoseconds are expected"
            raise ValueError(said) from None


def _table_options(rank: "int | None") -> TableOptions:
    return TableOptions(
        size=ctypes.sizeof(TableOptions),
        rank=-1 if rank is None else rank,
        from_ns=_library.TIME_FIRST,
        to_ns=_library.TIME_LAST,
    )


def _edge(rows: "list[tuple[int, int, int, int, bool]]") -> np.ndarray:
    events = np.zeros(len(rows), EVENT_DTYPE)
    for name in ("comm", "peer", "object", "request"):
        events[name] = -1
    if rows:
        for name, values in zip(("time_ns", "location", "region", "kind", "approximate"), zip(*rows)):
            events[name] = values
    return events


def _joined(parts: "list[np.ndarray]") -> np.ndarray:
    return np.concatenate(parts) if parts else np.empty(0, EVENT_DTYPE)
