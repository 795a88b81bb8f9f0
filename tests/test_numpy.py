"""test_numpy.py TRACE: the module against what the commands wrote into this directory (test_numpy.sh)."""
import concurrent.futures
import json
import math
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pandas

import refrain

PATH = sys.argv[1]
trace = refrain.Trace(PATH)


def raises(kind, pattern, function, *arguments, **options):
    try:
        function(*arguments, **options)
    except kind as error:
        assert pattern in str(error) and "\n" not in str(error), error
        return error
    raise AssertionError(f"{function} raised no {kind.__name__}")


def lines_of(name):
    """Events of the text format: rank, time in nanoseconds, event, name, the fields."""
    for line in pathlib.Path(name).read_text().splitlines():
        rank, time, event, region, *fields = line.split("\t")
        seconds, fraction = time.split(".")
        fields = dict(field.split("=", 1) for field in fields if "=" in field)
        yield rank, int(seconds) * 10**9 + int(fraction), event, region, fields


# The text's name of each column of a kind.
COLUMNS = {
    "send": {"dest": "peer", "tag": "tag", "bytes": "bytes", "comm": "comm"},
    "recv": {"source": "peer", "tag": "tag", "bytes": "bytes", "comm": "comm"},
    "collective": {"root": "peer", "sent": "bytes", "received": "received", "comm": "comm"},
    "recv-post": {"comm": "comm"},
    "collective-complete": {"comm": "comm"},
    "rma": {"target": "peer", "bytes": "bytes"},
    "io": {"bytes": "bytes", "handle": "object"},
    "moved": {"bytes": "bytes", "handle": "object"},
    "file": {"handle": "object", "comm": "comm"},
    "seek": {"handle": "object", "position": "value"},
    "counter": {"value": "value"},
    "untold-sends": {"dest": "peer", "tag": "tag", "value": "value"},
    "untold-receives": {"source": "peer", "tag": "tag", "value": "value"},
    "untold-collectives": {"value": "value"},
}


def compare_events(recorded, name):
    events = trace.events(recorded=recorded, pauses=True)
    assert events.dtype == refrain.EVENT_DTYPE and (np.diff(events["time_ns"]) >= 0).all()
    lines = list(lines_of(name))
    assert len(lines) == len(events), (name, len(lines), len(events))
    kinds = set()
    for row, (rank, time, event, region, fields) in zip(events, lines):
        kind = refrain.EVENT_NAMES[row["kind"]]
        at = int(row["location"])
        assert (str(trace.locations["rank"][at]), row["time_ns"], kind) == (rank, time, event), (row, rank, time, event)
        assert trace.regions["name"][row["region"]] == region, (row, region)
        if kind == "enter":
            assert trace.regions["file"][row["region"]] == fields["file"]
        for field, column in COLUMNS.get(kind, {}).items():
            assert str(row[column]) == fields.get(field, "-1"), (kind, field, row, fields)
        kinds.add(kind)
    assert len(kinds) == len(refrain.EVENT_NAMES), set(refrain.EVENT_NAMES) - kinds
    return events


def compare_matches(events):
    kind = events["kind"]
    sends, recvs = events[kind == refrain.EVENT["send"]], events[kind == refrain.EVENT["recv"]]
    assert len(recvs) == 8 and len(set(sends["match"])) == len(sends)
    for recv in recvs:
        (send,) = sends[sends["match"] == recv["match"]]
        assert send["time_ns"] == recv["sent_ns"] < recv["time_ns"]
        assert trace.locations["rank"][send["location"]] == recv["peer"]


def compare_windows(whole):
    events = whole[whole["kind"] < refrain.EVENT["untold-sends"]]
    from_, to = (int(events["time_ns"][len(events) * part // 10]) for part in (3, 7))
    inside = (events["time_ns"] >= from_) & (events["time_ns"] < to)
    assert 0 < inside.sum() < len(events)
    assert (trace.events(from_, to) == events[inside]).all()
    assert (trace.events(f"{from_}ns", to, [1]) == events[inside & (events["location"] == 1)]).all()
    parts = list(trace.batches(from_, to, size=7))
    assert len(parts) > 2 and max(map(len, parts)) == 7 and (np.concatenate(parts) == events[inside]).all()
    assert len(trace.events(to, to)) == 0 and len(trace.events("0%", "100%")) > inside.sum()
    nested = trace.events(from_, to, whole=True)
    depth = np.where(nested["kind"] == 0, 1, np.where(nested["kind"] == 1, -1, 0))
    for location in range(2):
        depths = depth[nested["location"] == location].cumsum()
        assert depths.min() == 0 and depths[-1] == 0
    assert len(nested) > inside.sum()


def compare_frames(events):
    frame = trace.frame()
    assert list(frame.columns[:6]) == ["time_ns", "rank", "thread", "event", "name", "file"]
    assert (frame.event[frame.name == "residual"] == "counter").sum() == 4
    assert set(frame[frame.name == "residual"].value) == {0, -1, 100, 99}
    times = events["time_ns"]
    for window in ((), (int(times[len(times) // 3]), int(times[len(times) // 2]))):
        pipit = trace.pipit(*window)
        assert list(pipit.columns) == ["Timestamp (ns)", "Event Type", "Name", "Thread", "Process", "Attributes"]
        types = pipit["Event Type"].value_counts()
        assert 0 < types["Enter"] == types["Leave"] and types["Instant"] > 0
    whole = trace.pipit()
    assert len(whole) == len(events[events["kind"] < refrain.EVENT["untold-sends"]])
    isends = whole[whole["Name"] == "MpiIsend"]
    assert len(isends) == 4 and all(a == {"receiver": 1 - p, "msg_tag": a["msg_tag"], "msg_length": 4}
                                    for p, a in zip(isends["Process"], isends["Attributes"]))


def same(mine, theirs):
    missing = mine is None or isinstance(mine, float) and math.isnan(mine)
    return theirs is None if missing else math.isclose(mine, theirs) if isinstance(theirs, float) else mine == theirs


def compare_rows(table, rows, renamed={}):
    """A table against the rows of a command's JSON, which leave out what is not known."""
    assert table.rows == len(rows) > 0, (table, len(rows))
    for i, row in enumerate(rows):
        row = {**row.pop("metrics", {}), **row}
        for name, value in row.items():
            if name != "key" or "key" in row:
                assert same(table[name][i], value), (i, name, table[name][i], value)
        for name in set(table) - set(row) - set(renamed):
            assert same(table[name][i], None), (i, name, table[name][i])


def compare_tables():
    for by in ("function", "call-path", "source-line", "partner", "rank", "wait"):
        rows = json.loads(pathlib.Path(f"stats.{by}.json").read_text())["rows"]
        compare_rows(trace.profile(by), rows, {"rank"} if by == "rank" else {})
    assert trace.profile("rank")["rank"].tolist() == [0, 1]
    assert "page-faults" in trace.profile() and "page-faults" not in trace.profile(from_="1%")
    compare_rows(trace.waiting(), json.loads(pathlib.Path("stats.wait.json").read_text())["rows"])
    window = json.loads(pathlib.Path("window.json").read_text())["rows"]
    compare_rows(trace.profile(from_="20%", to="60%", rank=1), window)
    formulas = json.loads(pathlib.Path("formulas.json").read_text())
    compare_rows(trace.formulas(), formulas, {"left_early"})
    assert trace.formulas(all=True).rows > trace.formulas().rows > trace.formulas(rank=1).rows > 0
    assert isinstance(trace.formulas().frame(), pandas.DataFrame)


def compare_definitions():
    assert trace.ranks == 2 and trace.start_ns > 10**18 and not trace.recorded and trace.losses.rows == 0
    assert trace.locations["rank"].tolist() == [0, 1] and trace.locations["thread"].tolist() == [0, 0]
    assert trace.processes["finished"].all() and trace.processes["recorded"].dtype == bool
    assert set(trace.regions["kind"]) == {"function", "mpi", "user", "value"}
    assert trace.communicators["size"].tolist()[:2] == [2, 1]
    assert "step" in repr(trace.regions["name"]) and "rows" in repr(trace.regions)


def compare_hatchet():
    paths = trace.profile("call-path")
    nodes, roots = [], trace.hatchet()

    def visit(node):
        nodes.append(node)
        inside = sum(child["metrics"]["time (inc)"] for child in node["children"])
        assert math.isclose(node["metrics"]["time"] + inside, node["metrics"]["time (inc)"], abs_tol=1e-12)
        for child in node["children"]:
            visit(child)

    for root in roots:
        visit(root)
    assert [node["frame"]["name"] for node in nodes] == [what.replace("()", "") for what in paths["what"]]
    assert math.isclose(sum(root["metrics"]["time (inc)"] for root in roots) * 1e9,
                        paths["total_ns"][paths["depth"] == 0].sum())


def check_threads():
    """Several threads use one trace."""
    asked = [trace.profile, trace.formulas, trace.waiting, trace.events] * 2
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        answers = [future.result() for future in [pool.submit(function) for function in asked]]
    for first, second in zip(answers[:4], answers[4:]):
        assert repr(first) == repr(second) and len(first)
        assert (first == second).all() if isinstance(first, np.ndarray) else pandas.DataFrame.equals(
            first.frame(), second.frame())


def check_errors():
    said = subprocess.run(["refrain", "info", "nowhere"], capture_output=True, text=True).stderr
    assert str(raises(refrain.RefrainError, "nowhere", refrain.Trace, "nowhere")) in said
    raises(IndexError, "numbered from 0", trace.events, locations=[2])
    raises(IndexError, "numbered from 0", trace.events, locations=[-1])
    raises(ValueError, "is not a time", trace.events, "soon")
    raises(ValueError, "before it begins", trace.events, 20, 10)
    raises(ValueError, "is expected", trace.profile, "colour")
    raises(refrain.RefrainError, "no rank 7", trace.profile, rank=7)
    # In the middle of the recorded events there is something else.
    shutil.copytree(PATH, "damaged.refrain")
    events = pathlib.Path("damaged.refrain/rank-0.events")
    whole = len(trace.events(recorded=True))
    used = len(events.read_bytes().rstrip(b"\0"))
    with open(events, "r+b") as file:
        file.seek(used // 2)
        file.write(b"\xff" * 64)
    with refrain.Trace("damaged.refrain") as damaged:
        error = raises(refrain.RefrainError, "rank-0.events", damaged.events, recorded=True)
        assert 0 < len(error.events) < whole
    raises(ValueError, "has been closed", damaged.events)
    assert "closed" in repr(damaged)


compare_definitions()
learned = compare_events(False, "learned.text")
recorded = compare_events(True, "recorded.text")
compare_matches(learned)
compare_windows(learned)
compare_frames(learned)
compare_tables()
compare_hatchet()
check_threads()
check_errors()
