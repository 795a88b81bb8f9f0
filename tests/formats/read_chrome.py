#!/usr/bin/env python3
"""read_chrome.py FILE: events of a trace in the JSON object form of the Trace Event Format, read with Python's own json."""
import json
import sys
from decimal import Decimal

from lines import KEYS, KINDS, OBJECT_KEYS, OBJECTS, escape, header, line, wrong

FIELDS = ("dest", "source", "tag", "bytes", "comm", "root", "sent", "received", "target", "request", "window", "handle", "whence", "offset", "position")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        trace = json.load(file, parse_float=Decimal)
    locations, stacks, flows, last, since, waited = {}, {}, {}, {}, {}, {}
    elsewhere = None
    header(KINDS + OBJECTS + ",marker,counter", KEYS + OBJECT_KEYS + ",value")
    for event in trace["traceEvents"]:
        phase, where = event["ph"], (event["pid"], event["tid"])
        if phase == "M":
            if event["name"] == "thread_name":
                locations[where] = (event["args"]["rank"], event["args"]["thread"])
            continue
        rank, thread = locations[where]
        ns = int(event["ts"] * 1000)
        if ns < last.get(where, 0):
            wrong(f"time goes back: {event}")
        last[where] = ns
        if phase != "C":
            elsewhere = None
        stack = stacks.setdefault(where, [])
        args = event.get("args", {})
        if phase == "B":
            stack.append(event["name"])
            since[where] = ns
            line(rank, thread, ns, "enter", event["name"], file=escape(args["file"]), line=args["line"],
                 approximate=args.get("approximate", False))
        elif phase == "E":
            if not stack:
                wrong(f"E without its B: {event}")
            line(rank, thread, ns, "leave", stack.pop(), approximate=args.get("approximate", False))
        elif phase == "i" and event["cat"] == "user":
            line(rank, thread, ns, "marker", event["name"], approximate=args.get("approximate", False))
        elif phase == "i":
            fields = {key: args[key] for key in FIELDS if key in args}
            if event["name"] in ("send", "recv", "collective", "recv-post", "collective-complete", "rma", "io", "window", "file", "moved", "seek") and "comm" not in args:
                fields["comm"] = "unknown"
            line(rank, thread, ns, event["name"], args["call"], approximate=args.get("approximate", False), **fields)
        elif phase in "sf":
            if not stack:
                wrong(f"a flow outside of all slices: {event}")
            ends = flows.setdefault(event["id"], [])
            if phase in (p for p, _ in ends) or len(ends) == 2:
                wrong(f"a second end of a flow: {event}")
            ends.append((phase, ns))
            if phase == "f" and ends[0][0] != "s":
                elsewhere = where  # it was sent where this file does not tell of
            elif phase == "f" and ends[0][1] > since[where]:
                waited[where] = waited.get(where, 0) + ends[0][1] - since[where]
                since[where] = ends[0][1]
        elif phase == "C" and "value" in args:
            if event["id"] != f"thread {thread}":
                wrong(f"a counter of another thread: {event}")
            line(rank, thread, ns, "counter", event["name"], value=args["value"])
        elif phase == "C":
            before = waited.get(where, 0)
            if elsewhere == where and before < event["args"]["ns"] <= ns:
                since[where] += event["args"]["ns"] - before
                waited[where] = event["args"]["ns"]
            elif event["args"]["ns"] != before:
                wrong(f"{waited.get(where)} ns waited: {event}")
        else:
            wrong(f"phase {phase}")
    for number, ends in flows.items():
        times = dict(ends)
        if len(times) == 2 and times["f"] < times["s"]:
            wrong(f"flow {number} ends before it begins: {ends}")


main()
