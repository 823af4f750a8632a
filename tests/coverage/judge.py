"""judge.py LCOV UNREACHED: what is not reached, against the list of what need not be.

A line of the list is `FILE: CODE -- REASON`. It names a line by its code and not by its number, so that it stays true
while others come and go.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def unreached(lcov):
    """(file, number of the line) for each line that never ran, and each that always went one way."""
    file, lines, ways = None, set(), {}
    counts = {"lines": [0, 0], "branches": [0, 0]}
    for record in lcov.read_text().splitlines():
        kind, _, rest = record.partition(":")
        if kind == "SF":
            file = pathlib.Path(rest).resolve().relative_to(ROOT).as_posix()
        elif kind == "DA":
            number, count = map(int, rest.split(",")[:2])
            counts["lines"][0] += 1
            counts["lines"][1] += count > 0
            if count == 0:
                lines.add((file, number))
        elif kind == "BRDA":
            number, block, branch, count = rest.split(",")
            key = (file, int(number), block, branch)
            ways[key] = ways.get(key, 0) + (0 if count == "-" else int(count))
    for (file, number, _, _), count in ways.items():
        counts["branches"][0] += 1
        counts["branches"][1] += count > 0
        if count == 0:
            lines.add((file, number))
    return lines, counts


def code(file, number):
    return (ROOT / file).read_text().splitlines()[number - 1].strip()


def is_test(file, number):
    """Whether a line is of the unit tests at the end of a file, which do not run here."""
    text = (ROOT / file).read_text().splitlines()
    tests = [i for i, line in enumerate(text) if line.startswith("mod tests")]
    return bool(tests) and number > tests[0]


def listed(path):
    entries = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            match = re.fullmatch(r"(\S+): (.*) -- (.+)", line)
            if not match:
                sys.exit(f"{path}: expected `FILE: CODE -- REASON`, found {line!r}")
            entries[match[1], match[2]] = match[3]
    return entries


def main():
    lines, counts = unreached(pathlib.Path(sys.argv[1]))
    entries = listed(pathlib.Path(sys.argv[2]))
    found = {}
    for file, number in sorted(lines):
        if not is_test(file, number):
            found.setdefault((file, code(file, number)), number)
    for what, (all_of_them, reached) in counts.items():
        print(f"{what} of the core: {reached} of {all_of_them} reached")
    new = {key: number for key, number in found.items() if key not in entries}
    for (file, text), number in new.items():
        print(f"{file}:{number}: not reached, or only one way: {text}")
    stale = [key for key in entries if key not in found]
    for file, text in stale:
        print(f"{file}: is reached, and stands in {sys.argv[2]}: {text}")
    print(f"{len(found)} places not reached, {len(entries)} of them with a reason")
    return int(bool(new or stale))


if __name__ == "__main__":
    sys.exit(main())
