#!/usr/bin/env python3
"""What the core costs on a microcontroller, from built images; called by `size`.

    measure.py [--update] IMAGES HOST

IMAGES holds the images for the device, HOST the same programs for this machine. Each image is run in the
emulator, one instruction at a time, and must print what its twin prints. From the trace come the exact number
of instructions and the stack of every call of `policy_next`; from the ELF file come flash and symbols, so no
binutils are needed. The table is compared with SIZES.md beside this script.

Exit code 1: a limit is exceeded, an image has what it must not have, device and host disagree, or a number grew
by more than 2 % since SIZES.md was written.
"""

import argparse
import re
import statistics
import struct
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

MACHINE = "microbit"
TABLE = Path(__file__).with_name("SIZES.md")
GROWTH = 1.02
BASELINE = "nop"


@dataclass
class Row:
    """One image: what it is, its limits (None is no limit), and what it is compared with."""

    image: str
    title: str
    flash: int
    instructions: int | None = None
    divides: bool = False
    compared_with: str = BASELINE


ROWS = [
    Row("constant", "constant policy, attempts, full jitter", flash=300, instructions=130),
    Row("limits", "constant policy, every limit, hints", flash=600),
    Row("runtime", "run-time policy", flash=1100, instructions=330),
    Row("recovery", "constant recovery, clean ends, intensity of 5", flash=1100),
    Row("keyed", "a table of 8 for 16 keys, constant recovery", flash=1100),
    Row("counter", "points in time from a counter, an id as the seed", flash=600, instructions=300),
    Row("parse", "its text, read on the device", flash=3072, divides=True, compared_with="loaded"),
]

# By symbol, since one that is not linked has none. The compiler inlines none of these: panics are cold calls, soft
# floats and divisions are calls of the run-time library, and formatting goes through tables of functions.
FORBIDDEN = {
    "panic": r"panic|unwrap_failed|expect_failed|begin_unwind|slice_\w*_fail|index_fail",
    "fmt": r"core(3|::|\.\.)fmt|(?<!\d)3fmt\d|Formatter|\bfmt\b",
    "allocator": r"__rust_alloc|__rust_realloc|__rust_dealloc|__rg_alloc|malloc|(?<!\d)5alloc\d",
    "float": r"__aeabi_[fd](?!iv)\w+|__aeabi_[fd]div|__aeabi_(u?i|u?l)2[fd]|_*\w+[sdt]f[0-9i]*$|_*\w*[sd]f[sdt]i$|\bf(32|64)\b",
    "division": r"__aeabi_u?idiv|__aeabi_u?ldiv|__u?div|__u?mod|u?div(mod)?[sdt]i|specialized_div_rem|u(32|64|128)_div_rem",
}


class Elf:
    """The sections and symbols of a 32-bit little-endian ELF file."""

    def __init__(self, path: Path):
        data = path.read_bytes()
        if data[:6] != b"\x7fELF\x01\x01":
            sys.exit(f"measure.py: {path} is not a 32-bit little-endian ELF file")
        (table,) = struct.unpack_from("<I", data, 32)
        size, count = struct.unpack_from("<HH", data, 46)
        sections = [struct.unpack_from("<10I", data, table + i * size) for i in range(count)]
        # name, type, flags, address, offset, size, link, ...; 0x2 is ALLOC, type 8 takes no room in the file
        self.flash = sum(s[5] for s in sections if s[2] & 0x2 and s[1] != 8)
        self.symbols: dict[str, tuple[int, int]] = {}
        for symtab in (s for s in sections if s[1] == 2):
            names = sections[symtab[6]][4]
            for at in range(symtab[4], symtab[4] + symtab[5], 16):
                name, address, length, info, _, section = struct.unpack_from("<IIIBBH", data, at)
                if name and section and info & 15 in (0, 1, 2):  # untyped, data, functions; no undefined ones
                    text = data[names + name : data.index(b"\0", names + name)].decode()
                    if not text.startswith(("$t", "$d", "$a")):
                        self.symbols[text] = (address & ~1, length)

    def size(self, symbol: str) -> int:
        return self.symbols[symbol][1]


@dataclass
class Run:
    """A run in the emulator: what was printed, and for each call of `policy_next` its instructions and stack."""

    printed: list[int]
    calls: list[tuple[int, int]]


def words(text: str) -> list[int]:
    return [int(line, 16) for line in text.split()]


def one_at_a_time() -> list[str]:
    """How this QEMU is told to translate single instructions."""
    version = subprocess.run(["qemu-system-arm", "--version"], capture_output=True, text=True, check=True).stdout
    major, minor = map(int, re.search(r"version (\d+)\.(\d+)", version).groups())
    return ["-accel", "tcg,one-insn-per-tb=on"] if (major, minor) >= (8, 1) else ["-singlestep"]


def run(image: Path, elf: Elf) -> Run:
    with tempfile.NamedTemporaryFile(suffix=".log") as log:
        command = ["qemu-system-arm", "-M", MACHINE, "-nographic", "-monitor", "none", "-serial", "none"]
        command += ["-semihosting-config", "enable=on,target=native", *one_at_a_time()]
        command += ["-d", "exec,nochain,cpu", "-D", log.name, "-kernel", str(image)]
        ended = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300
        )
        if ended.returncode:
            sys.exit(f"measure.py: {image.name} ended with {ended.returncode}\n{ended.stdout}")
        with open(log.name) as trace:
            return Run(words(ended.stdout), list(calls_in(trace, elf.symbols["policy_next"][0])))


def calls_in(trace, entry: int):
    """Instructions and stack of each call of the function at `entry`, helpers that it calls included."""
    address = back = None
    for line in trace:
        if line.startswith("Trace"):
            address = int(line.split("[")[1].split("/")[1], 16)
        elif line.startswith("R12") and address is not None:
            registers = dict(re.findall(r"R(\d\d)=([0-9a-f]{8})", line))
            stack = int(registers["13"], 16)
            if back is None and address == entry:
                count, back, top, lowest = 0, int(registers["14"], 16) & ~1, stack, stack
            elif back is not None and address == back:
                back = None
                yield count, top - lowest
            if back is not None:
                count, lowest = count + 1, min(lowest, stack)
            address = None


def answers_a_wait(printed: list[int], calls: int) -> list[bool]:
    """Which calls answered a wait: of each script come twelve answers of two words, high first, and an ending."""
    script, answers = 12, []
    for at in range(2, len(printed), 2 * script + 1):
        pairs = printed[at : at + 2 * script]
        answers += [(high, low) != (0xFFFF_FFFF, 0xFFFF_FFFF) for high, low in zip(pairs[::2], pairs[1::2])]
    assert len(answers) == calls, (len(answers), calls)
    return answers


def forbidden_in(elf: Elf, row: Row) -> list[str]:
    """Symbols that must not be there. A program that parses may divide."""
    kinds = [kind for kind in FORBIDDEN if not (kind == "division" and row.divides)]
    return [f"{kind}: {name}" for kind in kinds for name in elf.symbols if re.search(FORBIDDEN[kind], name)]


def flash_of(row: Row, elf: Elf, other: Elf, policy: int) -> int:
    """The bytes that this image has more; the frame's empty `init` and `next` are no part of it, nor is a policy."""
    if row.compared_with != BASELINE:
        return elf.flash - (other.flash - policy)
    frame = sum(other.size(f) for f in ("policy_init", "policy_next"))
    reading = elf.size("policy_ending") - other.size("policy_ending")
    return elf.flash - other.flash + frame - reading - policy


def measure(row: Row, images: Path, host: Path) -> tuple[dict[str, int], list[str], list[str]]:
    """Numbers, symbols that must not be there, and what else is wrong."""
    elf, other = Elf(images / row.image), Elf(images / row.compared_with)
    ran = run(images / row.image, elf)
    twin = subprocess.run([host / row.image], capture_output=True, text=True, check=True).stdout
    wrong = []
    if ran.printed[2:] != words(twin)[2:]:  # the sizes of state and policy may differ
        wrong.append("device and host decide differently")
    waits = answers_a_wait(ran.printed, len(ran.calls))
    instructions = [count for (count, _), wait in zip(ran.calls, waits) if wait]
    numbers = {
        "flash": flash_of(row, elf, other, ran.printed[1]),
        "state": ran.printed[0],
        "policy": ran.printed[1],
        "median": round(statistics.median(instructions)),
        "max": max(count for count, _ in ran.calls),
        "stack": max(stack for _, stack in ran.calls),
    }
    if numbers["flash"] > row.flash:
        wrong.append(f"{numbers['flash']} B of flash, {row.flash} allowed")
    if row.instructions and numbers["median"] > row.instructions:
        wrong.append(f"{numbers['median']} instructions, {row.instructions} allowed")
    found = forbidden_in(elf, row)
    return numbers, found, wrong + found


COLUMNS = ["flash", "state", "policy", "median", "max", "stack"]


def table(rows: dict[str, tuple[dict[str, int], list[str]]], compiler: str) -> str:
    lines = [
        "# What a decision costs on a Cortex-M0",
        "",
        "Written by `tests/run size --update`, checked by `tests/run size`. "
        "Exponential 500 ms, cap 60 s, 10 attempts, the generator included.",
        f"Compiler: {compiler}.",
        "",
        "| | flash B (at most) | state B | policy B | instructions a call, median (max; median at most) | stack B | forbidden |",
        "| --- | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    for row in ROWS:
        n, found = rows[row.image]
        most = f"; {row.instructions}" if row.instructions else ""
        lines.append(
            f"| {row.image}: {row.title} | {n['flash']} ({row.flash}) | {n['state']} | {n['policy']} "
            f"| {n['median']} ({n['max']}{most}) | {n['stack']} | {', '.join(found) or 'none'} |"
        )
    return "\n".join(lines) + "\n"


def committed() -> tuple[str, dict[str, dict[str, int]]]:
    """The compiler and the numbers of SIZES.md; empty when there is none yet."""
    text = TABLE.read_text() if TABLE.exists() else ""
    compiler = re.search(r"^Compiler: (.*)\.$", text, re.M)
    number = r"\s*(\d+)[^|(]*(?:\((\d+)[^|]*\))?\s*\|"
    numbers = {}
    for image, *cells in re.findall(rf"^\| (\w+): [^|]*\|{number * 5}", text, re.M):
        flash, _, state, _, policy, _, median, most, stack, _ = map(lambda cell: int(cell or 0), cells)
        numbers[image] = dict(zip(COLUMNS, (flash, state, policy, median, most, stack)))
    return (compiler[1] if compiler else ""), numbers


def growth(image: str, now: dict[str, int], before: dict[str, dict[str, int]]) -> list[str]:
    old = before.get(image)
    if old is None:
        return ["SIZES.md has no such row: `tests/run size --update`"]
    return [f"{name} grew from {old[name]} to {now[name]}" for name in COLUMNS if now[name] > old[name] * GROWTH]


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--update", action="store_true", help="write SIZES.md")
    arguments.add_argument("--compiler", default="unknown", help="named in the table; growth is judged for one compiler")
    arguments.add_argument("images", type=Path)
    arguments.add_argument("host", type=Path)
    chosen = arguments.parse_args()

    compiler_before, before = committed()
    rows, faults = {}, []
    for row in ROWS:
        numbers, found, wrong = measure(row, chosen.images, chosen.host)
        rows[row.image] = numbers, found
        if not chosen.update and chosen.compiler == compiler_before:
            wrong += growth(row.image, numbers, before)
        faults += [f"{row.image}: {fault}" for fault in wrong]

    text = table(rows, chosen.compiler)
    print(text)
    if chosen.update:
        TABLE.write_text(text)
    elif chosen.compiler != compiler_before:
        print(f"SIZES.md is of another compiler ({compiler_before or 'none'}): growth is not judged, limits are.\n")
    for fault in faults:
        print(f"FAILED {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
