#!/usr/bin/env python3
"""What the core, the adapters' loops and others cost on three microcontrollers; called by `size`.

    main.py [--update] [--compiler NAME] BUILT

BUILT is cargo's target folder: images in TARGET/release, the same programs for this machine in debug. Each image runs
in the emulator, one instruction at a time, and must print what its twin prints. From the trace come the exact numbers
of instructions and the stack; from the ELF file come flash and symbols. The table is compared with SIZES.md.

Exit code 1: a limit is exceeded, an image has what it must not have, device and host disagree, or a number grew
by more than 2 % since SIZES.md was written.
"""

import argparse
import statistics
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from elf import Elf
from rows import ROWS, Row
from table import TABLE, committed, growth, written
from emulator import MACHINES, Machine, calls_in, failures_in, traced, words


def answers_a_wait(printed: list[int], calls: int) -> list[bool]:
    """Which calls answered a wait: of each script come twelve answers of two words, high first, and an ending."""
    script, answers = 12, []
    for at in range(2, len(printed), 2 * script + 1):
        pairs = printed[at : at + 2 * script]
        answers += [(high, low) != (0xFFFF_FFFF, 0xFFFF_FFFF) for high, low in zip(pairs[::2], pairs[1::2])]
    assert len(answers) == calls, (len(answers), calls)
    return answers


def flash_of(row: Row, elf: Elf, other: Elf, policy: int) -> int:
    """The bytes that this image has more; the frame's empty `init` and `next` are no part of it, nor is a policy."""
    if row.compared_with != "nop":
        return elf.flash - (other.flash - policy)
    frame = sum(other.size(f) for f in ("policy_init", "policy_next"))
    reading = elf.size("policy_ending") - other.size("policy_ending")
    return elf.flash - other.flash + frame - reading - policy


def of_calls(machine: Machine, image: Path, elf: Elf) -> tuple[list[int], dict[str, int]]:
    """Each call of `policy_next`: the median of those that answer a wait, the most of all."""
    printed, calls = traced(machine, image, lambda trace: calls_in(trace, elf.symbols["policy_next"][0]))
    waits = answers_a_wait(printed, len(calls))
    median = statistics.median(cost.instructions for cost, wait in zip(calls, waits) if wait)
    most = max(cost.instructions for cost in calls)
    return printed, {"median": round(median), "max": most, "stack": max(cost.stack for cost in calls)}


def of_failures(machine: Machine, image: Path, elf: Elf) -> tuple[list[int], list[int], list[int], int]:
    """Each failed attempt of a loop, up to the next and up to the end."""
    at = (elf.symbols["life"][0], elf.symbols["operation"][0])
    printed, (between, last, stack) = traced(machine, image, lambda trace: failures_in(trace, *at))
    assert between and last, (image.name, machine.name)
    return printed, between, last, stack


def of_loop(machine: Machine, row: Row, images: Path, elf: Elf, bare: Elf) -> tuple[list[int], dict[str, int]]:
    """What a failed attempt costs above one that is followed by a fixed wait."""
    _, plain, _, _ = of_failures(machine, images / row.compared_with, bare)
    printed, between, last, stack = of_failures(machine, images / row.image, elf)
    more = [count - round(statistics.median(plain)) for count in between]
    most = max([*more, *(count - round(statistics.median(plain)) for count in last)])
    return printed, {"median": round(statistics.median(more)), "max": most, "stack": stack}


def beyond(row: Row, machine: Machine, numbers: dict[str, int]) -> list[str]:
    limit = row.limit(machine.name)
    allowed = {"flash": limit.flash, "median": limit.instructions, "stack": limit.stack}
    units = {"flash": "B of flash", "median": "instructions", "stack": "B of stack"}
    return [
        f"{numbers[name]} {units[name]}, {most} allowed"
        for name, most in allowed.items()
        if most is not None and numbers[name] > most
    ]


def measure(machine: Machine, row: Row, built: Path) -> tuple[dict[str, int], str, list[str]]:
    """Numbers, the kinds of what must not be there, and what is wrong."""
    images = built / machine.target / "release"
    elf, other = Elf(images / row.image), Elf(images / row.compared_with)
    if row.kind == "loop":
        printed, costs = of_loop(machine, row, images, elf, other)
    else:
        printed, costs = of_calls(machine, images / row.image, elf)
    twin = subprocess.run([built / "debug" / row.image], capture_output=True, text=True, check=True).stdout
    policy = printed[1]
    numbers = {"flash": flash_of(row, elf, other, policy), "state": printed[0], "policy": policy, **costs}
    wrong = beyond(row, machine, numbers)
    if printed[2:] != words(twin)[2:]:  # the sizes of state and policy may differ
        wrong.append("device and host decide differently")
    found = elf.forbidden()
    if row.kind != "peer":
        wrong += [symbol for symbol in found if symbol.split(":")[0] not in row.allowed]
    kinds = dict.fromkeys(symbol.split(":")[0] for symbol in found)
    return numbers, ", ".join(kinds) or "none", wrong


def measured(built: Path) -> dict[tuple[str, str], tuple[dict[str, int], str, list[str]]]:
    """Everything, two emulators at a time."""
    results = {}
    with ProcessPoolExecutor(2) as pool:
        for machine in MACHINES:
            start = time.monotonic()
            jobs = {row.image: pool.submit(measure, machine, row, built) for row in ROWS}
            results |= {(machine.name, image): job.result() for image, job in jobs.items()}
            print(f"{machine.name}: {len(ROWS)} programs measured in {time.monotonic() - start:.0f} s", flush=True)
    return results


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--update", action="store_true", help="write SIZES.md")
    arguments.add_argument("--compiler", default="unknown", help="named in the table; growth is judged for one")
    arguments.add_argument("built", type=Path)
    chosen = arguments.parse_args()

    compiler_before, before = committed()
    results, faults = measured(chosen.built), []
    for (machine, image), (numbers, _, wrong) in results.items():
        if not chosen.update and chosen.compiler == compiler_before:
            wrong += growth(numbers, before.get((machine, image)))
        faults += [f"{machine}, {image}: {fault}" for fault in wrong]

    page = written({key: result[:2] for key, result in results.items()}, chosen.compiler)
    print(page)
    if chosen.update:
        TABLE.write_text(page)
    elif chosen.compiler != compiler_before:
        print(f"SIZES.md is of another compiler ({compiler_before or 'none'}): growth is not judged, limits are.\n")
    for fault in faults:
        print(f"FAILED {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
