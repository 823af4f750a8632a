"""SIZES.md: written from the numbers, and read back to see what grew."""

import re
from pathlib import Path

from rows import PUBLISHED, ROWS
from emulator import MACHINES

TABLE = Path(__file__).parent.with_name("SIZES.md")
GROWTH = 1.02
COLUMNS = ["flash", "state", "policy", "median", "max", "stack"]
HEAD = """# What a decision costs on a microcontroller

Written by `tests/run size --update`, checked by `tests/run size`: limits, growth above 2 %, and what is forbidden.
Exponential 500 ms, cap 60 s, 10 attempts, full jitter, the generator included. In parentheses: at most.
What is counted: [README.md](README.md).
Compiler: {compiler}.
"""
COLUMNS_HEAD = """
| | flash B | state B | policy B | instructions, median | instructions, max | stack B | forbidden |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |
"""


def written(results: dict[tuple[str, str], tuple[dict[str, int], str]], compiler: str) -> str:
    """The whole page; the results are by machine and image."""
    page = HEAD.format(compiler=compiler)
    for machine in MACHINES:
        page += f"\n## {machine.name}, {machine.target}\n{COLUMNS_HEAD}"
        for row in ROWS:
            numbers, found = results[machine.name, row.image]
            limit = row.limit(machine.name)
            most = {"flash": limit.flash, "median": limit.instructions, "stack": limit.stack}
            cells = [f"{numbers[name]} ({most[name]})" if most.get(name) else str(numbers[name]) for name in COLUMNS]
            page += f"| {row.image}: {row.title} | {' | '.join(cells)} | {found} |\n"
        if machine.name in PUBLISHED:
            page += f"\n{PUBLISHED[machine.name]}\n"
    return page


def committed() -> tuple[str, dict[tuple[str, str], dict[str, int]]]:
    """The compiler and the numbers of SIZES.md; empty when there is none yet."""
    text = TABLE.read_text() if TABLE.exists() else ""
    compiler = re.search(r"^Compiler: (.*)\.$", text, re.M)
    cells = r"\s*(\d+)[^|]*\|" * len(COLUMNS)
    numbers = {}
    for machine, section in re.findall(r"^## ([^,]*),(.*?)(?=^## |\Z)", text, re.M | re.S):
        for image, *found in re.findall(rf"^\| (\w+): [^|]*\|{cells}", section, re.M):
            numbers[machine, image] = dict(zip(COLUMNS, map(int, found)))
    return (compiler[1] if compiler else ""), numbers


def growth(now: dict[str, int], before: dict[str, int] | None) -> list[str]:
    if before is None:
        return ["SIZES.md has no such row: `tests/run size --update`"]
    return [f"{name} grew from {before[name]} to {now[name]}" for name in COLUMNS if now[name] > before[name] * GROWTH]
