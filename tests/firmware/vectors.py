#!/usr/bin/env python3
"""The schedule vectors: the same digests on the host and on every device; called by `vectors`.

    vectors.py [--update] NAME=OUTPUT...

Each OUTPUT is what the program `vectors` printed on NAME. All must be equal, and equal to VECTORS.md beside this
script, which says how they are made. Exit code 1 when any differs.
"""

import re
import sys
from pathlib import Path

TABLE = Path(__file__).with_name("VECTORS.md")
MARK = "| shape | jitter | limits | waits | digest |"


def rows(path):
    # The emulator of the M3 has a line of its own to say.
    lines = Path(path).read_text().splitlines()
    words = [int(line, 16) for line in lines if re.fullmatch(r"[0-9a-f]{8}", line)]
    assert words and len(words) % 4 == 0, f"{path} is not whole"
    for place, waits, high, low in zip(*[iter(words)] * 4):
        yield f"| {place >> 8} | {place >> 4 & 15} | {place & 15} | {waits} | `{high << 32 | low:016x}` |"


def main(arguments):
    update = "--update" in arguments
    outputs = dict(argument.split("=", 1) for argument in arguments if "=" in argument)
    found = {name: list(rows(path)) for name, path in outputs.items()}
    host = found["host"]
    total = sum(int(row.split("|")[4]) for row in host)
    wrong = 0
    for name, lines in found.items():
        differ = [(ours, theirs) for ours, theirs in zip(host, lines) if ours != theirs]
        if len(lines) != len(host) or differ:
            wrong += 1
            print(f"{name}: {len(lines)} of {len(host)} policies, {len(differ)} differ; first: {differ[:1]}")
        else:
            print(f"{name}: {len(lines)} policies, {total} waits, all digests equal")
    head, _, table = TABLE.read_text().partition(MARK)
    made = "\n".join([MARK, "| ---: | ---: | ---: | ---: | --- |", *host]) + "\n"
    if update:
        TABLE.write_text(head + made)
    elif MARK + table != made:
        wrong += 1
        print(f"{TABLE.name} has other digests: a change of the schedule is a breaking change (`--update` writes it)")
    return 1 if wrong else 0


sys.exit(main(sys.argv[1:]))
