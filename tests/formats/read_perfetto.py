#!/usr/bin/env python3
"""read_perfetto.py FILE: events of a Perfetto trace, decoded by protoc with the schema beside this file."""
import ast
import os
import re
import subprocess
import sys

from lines import KEYS, KINDS, OBJECT_KEYS, OBJECTS, escape, header, line, wrong

FIELDS = ("dest", "source", "tag", "bytes", "comm", "root", "sent", "received", "target", "request", "window", "handle", "whence", "offset", "position")
WITH_COMM = ("send", "recv", "collective", "recv-post", "collective-complete", "rma", "io", "window", "file", "moved", "seek")


def value_of(text):
    if text.startswith('"'):
        return ast.literal_eval("b" + text).decode("utf-8")
    return int(text) if re.fullmatch(r"-?\d+", text) else {"true": True, "false": False}.get(text, text)


def packets(text):
    """protoc's text form of the packets as dictionaries of lists."""
    stack = []
    for at in text:
        at = at.strip()
        if at.endswith("{"):
            name = at[:-1].strip()
            if name.isdigit():
                wrong(f"an unknown message, field {name}")
            stack.append((name, {}))
        elif at == "}":
            name, message = stack.pop()
            if not stack:
                yield message
            else:
                stack[-1][1].setdefault(name, []).append(message)
        else:
            name, _, value = at.partition(": ")
            if name.isdigit():
                wrong(f"an unknown field {name} in {stack[-1]}")
            stack[-1][1].setdefault(name, []).append(value_of(value))


def one(message, name, default=None):
    values = message.get(name, [default])
    if len(values) != 1:
        wrong(f"{name} more than once in {message}")
    return values[0]


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    with open(sys.argv[1], "rb") as file:
        protoc = subprocess.Popen(["protoc", "--decode=Trace", "-I", here, "perfetto.proto"], stdin=file,
                                  stdout=subprocess.PIPE, text=True, cwd=here)
        names, categories, keys, places = {}, {}, {}, {}
        ranks, threads, counters, stacks, last, waited, flows = {}, {}, {}, {}, {}, {}, {}
        header(KINDS + OBJECTS + ",marker,counter", KEYS + OBJECT_KEYS + ",value")
        first = True
        for packet in packets(protoc.stdout):
            if one(packet, "trusted_packet_sequence_id") != 1 or one(packet, "sequence_flags") != (3 if first else 2):
                wrong(f"sequence: {packet}")
            first = False
            if "interned_data" in packet:
                data = one(packet, "interned_data")
                for entry in data.get("event_names", []):
                    names[one(entry, "iid")] = one(entry, "name", "")
                for entry in data.get("event_categories", []):
                    categories[one(entry, "iid")] = one(entry, "name")
                for entry in data.get("debug_annotation_names", []):
                    keys[one(entry, "iid")] = one(entry, "name")
                for entry in data.get("source_locations", []):
                    places[one(entry, "iid")] = (one(entry, "file_name"), one(entry, "line_number", 0))
            elif "track_descriptor" in packet:
                track = one(packet, "track_descriptor")
                uuid = one(track, "uuid")
                if uuid in ranks or uuid in threads or uuid in counters or uuid == 0:
                    wrong(f"track {uuid} twice")
                if "process" in track:
                    name = one(one(track, "process"), "process_name")
                    ranks[uuid] = int(re.match(r"Rank (\d+)", name).group(1))
                elif "thread" in track:
                    name = one(one(track, "thread"), "thread_name")
                    threads[uuid] = (ranks[one(track, "parent_uuid")], int(name.split()[1]))
                else:
                    name, _, thread = one(track, "name").rpartition(", thread ")
                    name = None if one(one(track, "counter"), "unit") == "UNIT_TIME_NS" else name
                    counters[uuid] = (ranks[one(track, "parent_uuid")], int(thread), name)
            else:
                event, ns = one(packet, "track_event"), one(packet, "timestamp")
                kind, track = one(event, "type"), one(event, "track_uuid")
                if ns < last.get(track, 0):
                    wrong(f"time goes back: {packet}")
                last[track] = ns
                if kind == "TYPE_COUNTER":
                    *where, name = counters[track]
                    where = tuple(where)
                    if name is not None:
                        line(*where, ns, "counter", name, value=one(event, "counter_value"))
                        continue
                    if not waited.get(where, 0) < one(event, "counter_value") <= ns:
                        wrong(f"waiting: {packet}")
                    waited[where] = one(event, "counter_value")
                    continue
                rank, thread = threads[track]
                stack = stacks.setdefault(track, [])
                args = {keys[one(a, "name_iid")]: one(a, "int_value", one(a, "bool_value", None))
                        for a in event.get("debug_annotations", [])}
                if "whence" in args:
                    args["whence"] = ("start", "current", "end")[args["whence"]]
                approximate = args.get("approximate", False)
                if kind == "TYPE_SLICE_BEGIN":
                    stack.append(names[one(event, "name_iid")])
                    categories[one(event, "category_iids")]
                    file_name, number = places[one(event, "source_location_iid")] if "source_location_iid" in event else ("", 0)
                    line(rank, thread, ns, "enter", stack[-1], file=escape(file_name), line=number, approximate=approximate)
                elif kind == "TYPE_SLICE_END":
                    line(rank, thread, ns, "leave", stack.pop(), approximate=approximate)
                elif kind == "TYPE_INSTANT" and categories.get(one(event, "category_iids", 0)) == "user":
                    line(rank, thread, ns, "marker", names[one(event, "name_iid")], approximate=approximate)
                elif kind == "TYPE_INSTANT":
                    name = names[one(event, "name_iid")]
                    fields = {key: args[key] for key in FIELDS if key in args}
                    if name in WITH_COMM and "comm" not in fields:
                        fields["comm"] = "unknown"
                    line(rank, thread, ns, name, stack[-1], approximate=approximate, **fields)
                    ids = event.get("flow_ids", []) + event.get("terminating_flow_ids", [])
                    if len(ids) > (1 if name in ("send", "recv") else 0):
                        wrong(f"flows of {packet}")
                    for number in ids:
                        ends = flows.setdefault(number, [])
                        ends.append(name)
                        if len(ends) > 2 or len(set(ends)) < len(ends):
                            wrong(f"flow {number} has the ends {ends}")
                else:
                    wrong(f"event {packet}")
        if protoc.wait() != 0:
            wrong("protoc cannot decode it")


main()
