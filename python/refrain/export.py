"""Events and call paths in the forms that other tools take."""

from __future__ import annotations

import typing

import numpy as np

from ._library import EVENT, EVENT_NAMES
from .table import Table, pandas_module

if typing.TYPE_CHECKING:
    import pandas

    from .trace import Trace

UNKNOWN = "unknown"

# Which of the numbers a kind of event has, by the name that the text format gives them.
_COMPLETION = {"request": "request"}
_FIELDS: "dict[str, dict[str, str]]" = {
    "send": {"receiver": "peer", "msg_tag": "tag", "msg_length": "bytes"},
    "recv": {"sender": "peer", "msg_tag": "tag", "msg_length": "bytes"},
    "send-complete": _COMPLETION,
    "recv-post": _COMPLETION,
    "cancel": _COMPLETION,
    "collective": {"root": "peer", "size_sent": "bytes", "size_received": "received"},
    "collective-complete": _COMPLETION,
    "rma": {"remote": "peer", "bytes": "bytes", "window": "object"},
    "io": {"handle": "object", "bytes": "bytes"},
    "moved": {"handle": "object", "bytes": "bytes"},
    "window": {"remote": "peer", "window": "object"},
    "file": {"handle": "object"},
    "seek": {"handle": "object", "position": "value"},
    "counter": {"value": "value"},
}

# What pipit calls events, by kind: of a blocking operation, and of one that has a request.
_PIPIT_NAMES = {
    "send": ("MpiSend", "MpiIsend"),
    "recv": ("MpiRecv", "MpiIrecv"),
    "send-complete": ("MpiIsendComplete",) * 2,
    "recv-post": ("MpiIrecvRequest",) * 2,
    "cancel": ("MpiRequestCancelled",) * 2,
    "collective": ("MpiCollectiveEnd", "MpiICollectiveBegin"),
    "collective-complete": ("MpiICollectiveEnd",) * 2,
}


def _rows(trace: "Trace", events: np.ndarray) -> np.ndarray:
    """The row of the regions' table for each event; the one behind the last for what the trace does not name."""
    return np.minimum(events["region"], trace.regions.rows)


def _texts(trace: "Trace", events: np.ndarray, column: str, unknown: str) -> "tuple[np.ndarray, np.ndarray]":
    """The different texts of a column of the regions' table, and for each event which one it has."""
    texts, number = np.unique([*trace.regions[column], unknown], return_inverse=True)
    return texts, number[_rows(trace, events)]


def named_frame(trace: "Trace", events: np.ndarray) -> "pandas.DataFrame":
    """Events with ranks, threads, names and lines in place of numbers; the other columns are those of the array."""
    pandas = pandas_module()
    where = events["location"]
    names, name = _texts(trace, events, "name", UNKNOWN)
    files, file = _texts(trace, events, "file", "")
    columns = {
        "time_ns": events["time_ns"],
        "rank": trace.locations["rank"][where],
        "thread": trace.locations["thread"][where],
        "event": pandas.Categorical.from_codes(events["kind"].astype("i2"), EVENT_NAMES),
        "name": pandas.Categorical.from_codes(name, names),
        "file": pandas.Categorical.from_codes(file, files),
        "line": np.append(trace.regions["line"], 0)[_rows(trace, events)],
        "approximate": events["approximate"].astype(bool),
    }
    rest = ("comm", "peer", "tag", "bytes", "received", "request", "value", "object", "detail", "match", "sent_ns")
    columns.update({name: events[name] for name in rest})
    return pandas.DataFrame(columns)


def pipit_frame(trace: "Trace", events: np.ndarray) -> "pandas.DataFrame":
    """Events in the columns that pipit's readers make, sorted by time as theirs are."""
    pandas = pandas_module()
    kinds, where = events["kind"], events["location"]
    names, name = _texts(trace, events, "name", UNKNOWN)
    instants = sorted({said for pair in _PIPIT_NAMES.values() for said in pair} - set(names))
    names = np.append(names, instants)
    number = {said: i for i, said in enumerate(names)}
    attributes = np.full(len(events), None, dtype=object)
    for kind, fields in _FIELDS.items():
        rows = np.flatnonzero(kinds == EVENT[kind])
        values = [events[column][rows].tolist() for column in fields.values()]
        attributes[rows] = [dict(zip(fields, row)) for row in zip(*values)] if len(rows) else []
        if kind in _PIPIT_NAMES:
            blocking, requested = (number[said] for said in _PIPIT_NAMES[kind])
            name[rows] = np.where(events["request"][rows] >= 0, requested, blocking)
    types = np.minimum(kinds, 2).astype("i1")  # enter and leave are the first two kinds
    return pandas.DataFrame(
        {
            "Timestamp (ns)": events["time_ns"],
            "Event Type": pandas.Categorical.from_codes(types, ["Enter", "Leave", "Instant"]),
            "Name": pandas.Categorical.from_codes(name, names),
            "Thread": trace.locations["thread"][where],
            "Process": trace.locations["rank"][where],
            "Attributes": attributes,
        }
    )


def hatchet_literal(paths: Table) -> "list[dict[str, typing.Any]]":
    """A tree of calls from the table of call paths, in which each path comes after the one above it."""
    roots: "list[dict[str, typing.Any]]" = []
    above: "list[dict[str, typing.Any]]" = []
    for i in range(paths.rows):
        total = float(paths["total_ns"][i]) / 1e9
        frame = {"name": paths["what"][i].removesuffix("()"), "type": "function"}
        if paths["file"][i] is not None:
            frame.update(file=paths["file"][i], line=int(paths["line"][i]))
        node = {
            "frame": frame,
            "metrics": {"time (inc)": total, "time": total, "calls": int(paths["calls"][i])},
            "children": [],
        }
        del above[int(paths["depth"][i]) :]
        if above:
            above[-1]["children"].append(node)
            above[-1]["metrics"]["time"] -= total
        else:
            roots.append(node)
        above.append(node)
    return roots
