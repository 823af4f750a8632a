#!/usr/bin/env python3
"""Counts instructions with callgrind, compares with the limits, prints the table.

usage: instructions.py PATH/TO/instructions [--update]

Each row runs twice, with 1000 and with 2000 repetitions; the difference is the work alone. "Net" takes
off the row that does the same without the library. The table stands in INSTRUCTIONS.md; a limit that is
passed is an error, and so is a growth above 2 % (and one instruction) over a table of the same compiler."""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TABLE = Path(__file__).with_name("INSTRUCTIONS.md")
TIMES = 1000
# row, what it is, what to take off, how many units of work a repetition is, limit (None: for information)
ROWS = [
    ("next-constant", "`next` of a constant policy, full jitter", "loop-16", 16, 40),
    ("next-runtime", "`next` of a run-time policy, full jitter", "loop-16", 16, 60),
    ("success-blocking", "success at once, blocking, policy by reference", "success-blocking-bare", 1, 14),
    ("success-blocking-value", "success at once, blocking, policy by value", "success-blocking-bare", 1, None),
    ("success-thread", "success at once, `thread`, with its clock", "success-blocking-bare", 1, None),
    ("success-async", "success at once, async, uncut", "success-async-bare", 1, 34),
    ("success-async-cut", "success at once, async, no limit said", "success-async-bare", 1, None),
    ("three-failures-blocking", "three failures, then success, blocking", None, 1, 180),
    ("three-failures-async", "three failures, then success, async, uncut", None, 1, 180),
    ("three-failures-async-cut", "three failures, then success, async, no limit said", None, 1, None),
]


def total(binary, row, times):
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", binary, row, str(times)]
        run = subprocess.run(command, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or not found:
        sys.exit(f"instructions: {row}: callgrind failed\n{run.stderr}")
    return int(found[1])


def count(binary, row, seen={}):
    if row not in seen:
        seen[row] = (total(binary, row, 2 * TIMES) - total(binary, row, TIMES)) / TIMES
    return seen[row]


def compiler():
    run = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True)
    return " ".join(run.stdout.split()[:2])


def committed():
    """Row title -> net instructions, of the table as it is in the repository; empty for another compiler."""
    if not TABLE.exists():
        sys.exit(f"{TABLE.name} is missing: make it with --update")
    text = TABLE.read_text()
    if f"Compiler: {compiler()}." not in text:
        print(f"{TABLE.name} is of another compiler than {compiler()}: growth is not judged, limits are.")
        return {}
    rows = re.findall(r"^\| (.+?) \| +([\d.]+) \|", text, re.M)
    return {title: float(net) for title, net in rows}


def main():
    binary = str(Path(sys.argv[1]).resolve())
    update = "--update" in sys.argv
    before, lines, wrong = {} if update else committed(), [], []
    for row, title, bare, units, limit in ROWS:
        net = (count(binary, row) - (count(binary, bare) if bare else 0)) / units
        lines.append(f"| {title} | {net:.1f} | {limit if limit is not None else '-'} |")
        print(f"{title:55} {net:8.1f}  limit {limit if limit is not None else 'none'}", flush=True)
        if limit is not None and net > limit:
            wrong.append(f"{title}: {net:.1f} instructions, the limit is {limit}")
        if title in before and net > before[title] * 1.02 + 1:
            wrong.append(f"{title}: {net:.1f} instructions, the table says {before[title]:.1f}")
    text = "# Instructions, x86-64\n\n"
    text += "Made by `tests/run instructions --update` (callgrind; net of generator, loop and bare call,\n"
    text += "except the rows with failures, which are whole). Checked by `tests/run instructions`.\n"
    text += f"Compiler: {compiler()}.\n\n"
    text += "| what | instructions | limit |\n| --- | ---: | ---: |\n" + "\n".join(lines) + "\n"
    if update:
        TABLE.write_text(text)
    for line in wrong:
        print("too many: " + line, file=sys.stderr)
    sys.exit(1 if wrong else 0)


main()
