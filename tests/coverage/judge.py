"""judge.py LCOV UNREACHED: what is not reached, against the list of what need not be.

A line of the list is `FILE: FUNCTION: CODE -- REASON`. It names a line by its code and not by its number, so that it stays
true while others come and go. `FILE: FUNCTION: *` is a function that never ran, `FILE: *: *` a file of which nothing is compiled.

What is compiled for nobody is in no record of LCOV: a generic function that no test instantiates, one that only the
compiler runs. So each function of the source must have a record, or it counts as not reached too.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SOURCE = "core/src"


class Records:
    """What LCOV says: how often each line ran, and how often each branch was taken either way."""

    def __init__(self, lcov):
        self.lines, self.ways, file = {}, {}, None
        for record in lcov.read_text().splitlines():
            kind, _, rest = record.partition(":")
            if kind == "SF":
                file = pathlib.Path(rest).resolve().relative_to(ROOT).as_posix()
            elif kind == "DA":
                number, count = map(int, rest.split(",")[:2])
                self.lines[file, number] = self.lines.get((file, number), 0) + count
            elif kind == "BRDA":
                number, block, branch, count = rest.split(",")
                key = (file, int(number), block, branch)
                self.ways[key] = self.ways.get(key, 0) + (0 if count == "-" else int(count))

    def unreached(self):
        """(file, number) of each line that never ran, and of each that always went one way."""
        lines = {line for line, count in self.lines.items() if count == 0}
        return lines | {key[:2] for key, count in self.ways.items() if count == 0}

    def knows(self, file):
        return any(line[0] == file for line in self.lines)


def code_of(file):
    """The lines of a file, without its unit tests, which do not run here."""
    lines = (ROOT / file).read_text().splitlines()
    tests = [i for i, line in enumerate(lines) if line.startswith("mod tests")]
    return lines[: tests[0]] if tests else lines


def functions(file):
    """The number of the line that begins each function, and its name."""
    matches = ((n, re.match(r"\s*(?!//)[^\"]*\bfn (\w+)", line)) for n, line in enumerate(code_of(file), 1))
    return {number: match[1] for number, match in matches if match}


def unrecorded(records):
    """(file, number) of each function that no record knows."""
    for path in (ROOT / SOURCE).rglob("*.rs"):
        file = path.relative_to(ROOT).as_posix()
        yield from ((file, number) for number in functions(file) if (file, number) not in records.lines)


def place(records, file, number):
    """What is not reached there: the line, its whole function, or the whole file."""
    if not records.knows(file):
        return file, "*", "*"
    first, name = [function for function in functions(file).items() if function[0] <= number][-1]
    never_ran = records.lines.get((file, first), 0) == 0
    return file, name, "*" if never_ran else named(code_of(file), number)


def named(lines, number):
    """The code of a line; a brace alone says nothing, and takes the line above along."""
    code = lines[number - 1].strip()
    return code if re.search(r"\w", code) else f"{named(lines, number - 1)} {code}"


def places(records):
    """Each place that is not reached, with the number of its first line."""
    found = {}
    for file, number in sorted(records.unreached() | set(unrecorded(records))):
        if number <= len(code_of(file)):
            found.setdefault(place(records, file, number), number)
    return found


def listed(path):
    entries = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            match = re.fullmatch(r"(\S+): (\S+): (.*) -- (.+)", line)
            if not match:
                sys.exit(f"{path}: expected `FILE: FUNCTION: CODE -- REASON`, found {line!r}")
            entries[match[1], match[2], match[3]] = match[4]
    return entries


def main():
    records = Records(pathlib.Path(sys.argv[1]))
    found, entries = places(records), listed(pathlib.Path(sys.argv[2]))
    for what, counts in (("lines", records.lines), ("branches", records.ways)):
        reached = sum(count > 0 for count in counts.values())
        print(f"{what} of the core: {reached} of {len(counts)} reached")
    new = {key: number for key, number in found.items() if key not in entries}
    for (file, function, text), number in new.items():
        print(f"{file}:{number}: not reached, or only one way: {function}: {text}")
    stale = [key for key in entries if key not in found]
    for file, function, text in stale:
        print(f"{file}: is reached, and stands in {sys.argv[2]}: {function}: {text}")
    print(f"{len(found)} places not reached, {len(found) - len(new)} of them with a reason")
    return int(bool(new or stale))


if __name__ == "__main__":
    sys.exit(main())
