"""command_pages.py BIN WORK: what is written about commands and settings in several places is the same in all of them.

    help of a command   is that of --help, and its options are those of the manual page, both completions, docs/commands.md
    help settings       has the variables of its manual page; each is in the code, and each of the code's is in the documents
    help of the tools   every word that begins a line is in their manual pages

Manual pages have no warning, and whatis knows each. Prints what differs, and how many comparisons there were.
"""

import glob
import os
import re
import subprocess
import sys

bin_path, work = sys.argv[1:3]
root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
share = os.path.join(bin_path, "..", "share")
passed, failed = 0, []


def check(holds, what):
    global passed
    if holds:
        passed += 1
    else:
        failed.append(what)


def run(*words):
    """Both outputs as one text, and the status."""
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True)
    return done.stdout, done.returncode


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def source_of(page):
    return read(page).replace("\\-", "-").replace("\\(aq", "'").replace("\\&", "")


def options_of(text):
    return set(re.findall(r"^ +(?:-., +)?(--[a-z-]+)", text, re.M))


def of_own(help_text):
    """Without the options that all commands have."""
    return re.sub(r"^ Common options.*", "", help_text, flags=re.M | re.S)


def in_documents():
    """The options in the table of docs/commands.md, by command."""
    table = re.search(r"^\| command \| options.*?(?:\n\n|\Z)", read(root, "docs", "commands.md"), re.M | re.S).group()
    found = {}
    for line in table.replace("`", "").replace("\\", "").splitlines():
        cells = line.split("|")
        if len(cells) > 2:
            for name in re.split(r"[ ,]+", cells[1].strip()):
                found.setdefault(name, set()).update(re.findall(r"--[a-z-]+", cells[2]))
    return found


def check_commands():
    text, _ = run("refrain", "help")
    commands = re.findall(r"^  ([a-z-]+) .*", re.search(r"^Commands.*?\n\n", text + "\n\n", re.M | re.S).group(), re.M)
    listed = re.findall(r"^REFRAIN_COMMAND\(", read(root, "reconstruct", "commands", "command_list.def"), re.M)
    check(len(commands) == len(listed), f"help lists {commands}")
    check(run("refrain", "--help") == (text, 0), "--help is help")
    version, documented = run("refrain", "--version"), in_documents()
    zsh = read(share, "zsh", "site-functions", "_refrain")
    bash = read(share, "bash-completion", "completions", "refrain")
    for command in commands:
        help_text, status = run("refrain", "help", command)
        check(status == 0 and run("refrain", command, "--help") == (help_text, 0), f"help of {command}")
        check(re.search(rf"^Usage: refrain {command} ", help_text, re.M) is not None, f"{command}: no usage")
        check("--no-pager" in help_text, f"{command}: no --no-pager")
        check(run("refrain", command, "--version") == version, f"{command} --version")
        page = source_of(os.path.join(share, "man", "man1", f"refrain-{command}.1"))
        check("EXIT STATUS" in page and f"refrain-{command} - " in page, f"manual page of {command}")
        words = re.search(rf"^    {command}\).*?esac ;;", bash, re.M | re.S)
        for option in options_of(help_text):
            check(option in page, f"{option} of {command} is not in its manual page")
            check(f"'{option}" in zsh, f"{option} of {command} is not in zsh's completion")
            check(words and option in words.group(), f"{option} of {command} is not in bash's completion")
        own = options_of(of_own(help_text))
        check(own == documented.get(command, set()),
              f"docs/commands.md, options of {command}: {own ^ documented.get(command, set())}")
    common = options_of(help_text) - own
    check(common == documented.get("all", set()), f"docs/commands.md: {common ^ documented.get('all', set())}")


def check_tools():
    for tool in ("refrain-cc", "refrain-mpicc", "refrain-mpicxx", "refrain-mpifort", "refrain-instrument", "refrain-run"):
        text, _ = run(tool, "--help")
        page = re.sub(r"\\f[A-Z]|^\.[A-Z]+ ?|\"", "", source_of(os.path.join(share, "man", "man1", f"{tool}.1")), flags=re.M)
        page = re.sub(r"\s+", " ", page)
        check(f"{tool} - " in page, f"manual page of {tool}")
        lines = re.findall(r"^[A-Z].*", text, re.M)
        for word in lines + re.findall(r"^ +(-[a-z]|REFRAIN_[A-Z_]+|--[a-z-]+)", text, re.M):
            word = re.sub(r"\s+", " ", word.replace('"', ""))
            check(word in page, f"{word} is not in the page of {tool}")


def check_pages():
    """Formatted at two widths: no warning. groff takes all pages at once."""
    pages = sorted(glob.glob(os.path.join(share, "man", "man[17]", "*.[17]")))
    for width in (80, 100):
        with open(os.path.join(work, "pages"), "w") as out:
            said = subprocess.run(
                ["groff", "-k", "-t", "-mandoc", "-Tutf8", "-ww", f"-rLL={width}n", *pages],
                stdout=out, stderr=subprocess.PIPE, text=True).stderr
        check(not said, f"manual pages at {width} columns: {said[:400]}")
    for page in pages:
        check(os.path.getsize(page) > 200, f"{page} is empty")
    text, status = run("lexgrog", *pages)
    check(status == 0, f"whatis: {text[:400]}")


def check_settings():
    settings, _ = run("refrain", "help", "settings")
    check(re.search(r"^  REFRAIN_TOTAL_MEMORY \(16M\)$", settings, re.M) is not None, "help settings")
    check(max(map(len, settings.splitlines())) <= 79, "help settings is wider than 79 columns")
    page = source_of(os.path.join(share, "man", "man7", "refrain-settings.7"))
    in_help = set(re.findall(r"^  (REFRAIN_[A-Z_]+)", settings, re.M))
    missing = {name for name in in_help if name not in page}
    check(in_help and not missing, f"not in the manual page of settings: {missing}")
    code = "".join(
        read(path) for part in ("instrumentor", "monitor", "packed", "reconstruct", "launch")
        for path in glob.glob(os.path.join(root, part, "**", "*.c"), recursive=True))
    known = set(re.findall(r'"(REFRAIN_[A-Z_]+)=?"', code)) - {"REFRAIN_INSTRUMENTED"}
    own = set("REFRAIN_" + name for name in re.findall(
        r"^REFRAIN_VARIABLE\(([A-Z_]*), OWN,", read(root, "include", "refrain", "variables.def"), re.M))
    documents = read(root, "README.md") + "".join(read(path) for path in glob.glob(os.path.join(root, "docs", "*.md")))
    build = "".join(read(path) for pattern in ("*.cmake", "CMakeLists.txt")
                    for path in glob.glob(os.path.join(root, "**", pattern), recursive=True))
    for setting in set(re.findall(r"-D(REFRAIN_[A-Z_]+)", documents)):
        check(f"set({setting} " in build, f"the build knows no setting {setting}, the documentation does")
    named = set(re.findall(r"REFRAIN_[A-Z_]+", settings + re.sub(r"-DREFRAIN_[A-Z_]*", "", documents)))
    check(len(known - own) > 20 and known - own <= named, f"variables without documentation: {known - own - named}")
    headers = "".join(read(path) for path in glob.glob(os.path.join(root, "include", "refrain", "*.h")))
    for variable in named - known:
        check(f"#define {variable}" in headers, f"the code knows no variable {variable}, the documentation does")


os.environ["LC_ALL"] = "C.UTF-8"
check_commands()
check_tools()
check_pages()
check_settings()
print("\n".join(failed[:20]) or f"{passed} comparisons")
sys.exit(bool(failed) or passed < 500)
