"""lines.py: what the readers in this directory share: printing events as lines of refrain's text form."""
import sys

KINDS = "enter,leave,send,recv,collective,rma,io,send-complete,recv-post,collective-complete,cancel"
OBJECTS = ",window,file,moved,seek,access-complete"  # kinds that tell which window or file, with these keys
OBJECT_KEYS = ",window,handle,whence,offset,position"
KEYS = "file,line,dest,source,tag,bytes,comm,root,sent,received,target,request,approximate"


def escape(name):
    """A name as the text form writes it: control characters and the backslash escaped."""
    out = []
    for c in name:
        if c == "\\":
            out.append("\\\\")
        elif c == "\t":
            out.append("\\t")
        elif c == "\n":
            out.append("\\n")
        elif ord(c) < 32 or ord(c) == 127:
            out.append(f"\\x{ord(c):02x}")
        else:
            out.append(c)
    return "".join(out)


def header(kinds=KINDS, keys=KEYS, resolution_ns=0, **further):
    """What the format keeps (compare.py)."""
    print(f"# kinds={kinds} keys={keys} resolution_ns={resolution_ns}", *(f"{k}={v}" for k, v in further.items()))


def line(rank, thread, ns, kind, name, escaped=False, **fields):
    """One event; `escaped`: the name is as the text form writes it already."""
    out = [str(rank), f"{ns // 10**9}.{ns % 10**9:09d}", kind, name if escaped else escape(name)]
    approximate = fields.pop("approximate", False)
    out += [f"{key}={value}" for key, value in fields.items()]
    if thread:
        out.append(f"thread={thread}")
    if approximate:
        out.append("approximate")
    print("\t".join(out))


def wrong(what):
    """Ends the reader: the file is not as the format's specification has it."""
    sys.exit(f"not as specified: {what}".rstrip())
