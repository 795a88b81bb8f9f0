#!/usr/bin/env python3
"""Names that had to be explained before they could be read, and no longer occur in the sources.

Usage: words.py SOURCE_DIR
"""
import os
import re
import sys

FOLDERS = ["include", "instrumentor", "launch", "monitor", "packed"] + ["reconstruct/" + name for name in (
    "analysis", "commands", "common", "files", "formats", "import", "match", "model", "predict", "report", "sequence", "times", "view", "walk")]

# Parts of identifiers, each with the word that took its place (docs/glossary.md).
GONE = {
    "_told": "single, returned",
    "beat_turn": "beat_step",
    "BEAT_TURNS": "BEAT_STEPS",
    "begin_again": "begin_trial",
    "BLOCK_UNTOLD": "BLOCK_UNTIMED",
    "comes_again": "repeats_before",
    "DIRECTIVE_QUIET": "DIRECTIVE_WITHOUT_WAIT",
    "dormant": "throttled",
    "DORMANT": "THROTTLED",
    "gave_rest": "gave_other",
    "goes_back": "jumps_back",
    "goes_on": "may_continue",
    "goes_with": "fits",
    "GRAIN": "ALIGNMENT, ALIGNMENT_UNIT",
    "guest": "overflow, overflow_site",
    "GUEST": "OVERFLOW, OVERFLOW_SITE",
    "has_rest": "has_other",
    "hear_terms": "read_terms",
    "leave_alone": "postpone_recording",
    "lend_": "assign_",
    "refrain_balance": "refrain_adjustment",
    "ROW_AGAIN": "ROW_REPEATED",
    "share_out": "assign, divide",
    "shared_out": "assigned",
    "tell_": "record_, write_, set_",
    "tells_": "records_",
    "told_": "single_",
    "TOLD_BY_BEAT": "CODED_BY_BEAT",
    "WALK_COUNTED": "WALK_SKIPS_LOOP",
    "WALK_GOES_ON": "WALK_MOVES",
    "WALK_TELLS": "WALK_RECORDS_VALUE",
    "walk_turn": "cycle_run",
    "WALK_TURNS": "WALK_CYCLE_RUNS",
    "way_through": "average_path",
}
# Names that keep such a part: of inserted code, of events that are not in a trace ("untold", as in the public headers), and in JSON.
KEPT = re.compile(r"\b(refrain__tell_count|\w*untold_\w+)\b|\"(guests|dormant)\"")


def found(text):
    """The parts in GONE that identifiers of the text have."""
    text = KEPT.sub("", text)
    return [(part, name) for name in set(re.findall(r"[A-Za-z_]\w*", text)) for part in GONE if part in name]


def main():
    root = sys.argv[1]
    failures, files = [], 0
    for folder in FOLDERS:
        for directory, _, names in os.walk(os.path.join(root, folder)):
            for name in sorted(names):
                if not name.endswith((".c", ".h", ".cpp", ".hpp")):
                    continue
                files += 1
                path = os.path.join(directory, name)
                with open(path, encoding="utf-8") as source:
                    for part, identifier in found(source.read()):
                        failures.append(f"{os.path.relpath(path, root)}: {identifier}: say {GONE[part]} instead of {part}")
    if files < 300:
        failures.append(f"only {files} files were read")
    for part in GONE:
        if not found(f"int x{part}y;"):
            failures.append(f"{part} would not be found")
    if found("uint32_t told, order; size_t untold_messages;"):
        failures.append("a plain name is taken for one that is gone")
    for failure in sorted(failures):
        print(failure)
    return 1 if failures else 0


sys.exit(main())
