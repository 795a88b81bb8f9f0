"""message_pairs.py CHROME-TRACE: how many messages have both ends in the trace, and how many of these have ends of
different lengths, as far as these are known: they were matched wrongly, where the messages of a program differ in length."""
import json
import sys

ends, latest = {}, {}
for event in json.load(open(sys.argv[1]))["traceEvents"]:
    thread = event["pid"], event.get("tid")
    if event["ph"] == "i" and event["name"] in ("send", "recv"):
        latest[thread] = event["args"]["bytes"]
    elif event["ph"] in "sf":
        ends.setdefault(event["id"], []).append(latest[thread])
pairs = [lengths for lengths in ends.values() if len(lengths) == 2]
print(len(pairs), sum(a != b and min(a, b) >= 0 for a, b in pairs))
