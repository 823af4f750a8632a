"""judge.py RESULTS WANTED: what no test noticed.

WANTED is a number, how many of a hundred must be noticed; or the list of what need not be, each with its reason. A line of the
list is `FILE: MUTATION -- REASON`, as cargo-mutants names it, without the numbers of line and column, so that it stays
true while others come and go.
"""

import collections
import pathlib
import re
import sys


def names(path):
    """Of each mutant its file and what was done, without its place."""
    return [re.sub(r":\d+:\d+: ", ": ", line) for line in path.read_text().splitlines()]


def listed(path):
    entries = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            match = re.fullmatch(r"(\S+: .*?) -- (.+)", line)
            if not match:
                sys.exit(f"{path}: expected `FILE: MUTATION -- REASON`, found {line!r}")
            entries[match[1]] = match[2]
    return entries


def without_reason(missed, path):
    """Says which survivors the list does not know, and which of the list there are not; how many."""
    entries = listed(path)
    new = [name for name in missed if name not in entries]
    gone = [name for name in entries if name not in missed]
    for name in new:
        print(f"missed, without a reason: {name}")
    for name in gone:
        print(f"not missed, and stands in {path}: {name}")
    print(f"{len(missed)} missed, {len(missed) - len(new)} of them with a reason")
    return len(new) + len(gone)


def enough(missed, share, wanted):
    for name in missed:
        print(f"missed: {name}")
    for file, count in collections.Counter(name.split(":")[0] for name in missed).most_common():
        print(f"  {count:4} of {file}")
    print(f"{share:.1f} % caught, wanted {wanted}")
    return share >= wanted


def main():
    results, wanted = pathlib.Path(sys.argv[1]), sys.argv[2]
    counts = {kind: len(names(results / f"{kind}.txt")) for kind in ("caught", "timeout", "unviable")}
    missed = names(results / "mutants.out" / "missed.txt")
    ended = counts["caught"] + counts["timeout"]
    if not ended + len(missed):
        sys.exit("no mutant was tried")
    print(
        f"{ended + len(missed)} mutants compile ({counts['unviable']} do not): {counts['caught']} caught, "
        f"{counts['timeout']} never ended, {len(missed)} missed"
    )
    if wanted.isdigit():
        return int(not enough(missed, 100 * ended / (ended + len(missed)), int(wanted)))
    return int(without_reason(missed, pathlib.Path(wanted)) > 0)


if __name__ == "__main__":
    sys.exit(main())
