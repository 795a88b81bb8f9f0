#!/usr/bin/env python3
"""round_trip.py TEXT WHOLE DIRECTORY FORMAT...: whether DIRECTORY/FORMAT, read by the reader of each format, equals the text
(compare.py says what TEXT and WHOLE are). Prints a line for each format that does not: all in one process, as to start one for each
takes longer than to read a small trace."""
import io
import os
import runpy
import sys
import tempfile

from compare import compare

HERE = os.path.dirname(os.path.abspath(__file__))


def output(function):
    """What it prints, and why it ended, if not well."""
    before, sys.stdout = sys.stdout, io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="surrogateescape")
    reason = None
    try:
        function()
    except SystemExit as end:
        reason = end.code
    except Exception as error:  # a reader that trips over the file
        reason = f"{type(error).__name__}: {error}"
    finally:
        sys.stdout.flush()
        said, sys.stdout = sys.stdout.buffer.getvalue(), before
    return said, reason


def main():
    text, whole, directory = sys.argv[1:4]
    arguments = sys.argv
    for name in arguments[4:]:
        reader = os.path.join(HERE, f"read_{name}.py")
        sys.argv = [reader, os.path.join(directory, name)]
        read, reason = output(lambda: runpy.run_path(reader, run_name="__main__"))
        if reason:
            print(f"{name} cannot be read: {reason}")
            continue
        with tempfile.NamedTemporaryFile() as file:
            file.write(read)
            file.flush()
            reason = output(lambda: compare(text, file.name, whole))[1]
        if reason:
            print(f"{name} differs from the text: {reason}")


main()
