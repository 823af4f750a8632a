"""A run in the emulator, one instruction at a time: what was printed, and what each call cost."""

import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple


@dataclass(frozen=True)
class Machine:
    """A device: its name in the table, its target, and how it is emulated and traced."""

    name: str
    target: str
    emulator: tuple[str, ...]
    # How the line of the registers begins that has the stack pointer and the return address, and their names there.
    line: str
    stack: str
    back: str


def arm(name: str, target: str, board: str) -> Machine:
    return Machine(name, target, ("qemu-system-arm", "-M", board), "R12=", "R13=", "R14=")


MACHINES = [
    arm("Cortex-M0", "thumbv6m-none-eabi", "microbit"),
    arm("Cortex-M3", "thumbv7m-none-eabi", "lm3s6965evb"),
    Machine(
        "RISC-V",
        "riscv32imc-unknown-none-elf",
        ("qemu-system-riscv32", "-M", "virt", "-bios", "none"),
        " x0/zero ",
        "x2/sp ",
        "x1/ra ",
    ),
]


class Step(NamedTuple):
    """An instruction that is about to run."""

    address: int
    stack: int
    back: int


@dataclass
class Cost:
    """What a stretch of a run took."""

    instructions: int
    stack: int


def words(text: str) -> list[int]:
    """What a program prints; QEMU's own lines (a timer of the M3 board) are none of it."""
    return [int(line, 16) for line in text.split("\n") if re.fullmatch(r"[0-9a-f]{8}\r?", line)]


def one_at_a_time(emulator: str) -> list[str]:
    """How this QEMU is told to translate single instructions."""
    version = subprocess.run([emulator, "--version"], capture_output=True, text=True, check=True).stdout
    major, minor = map(int, re.search(r"version (\d+)\.(\d+)", version).groups())
    return ["-accel", "tcg,one-insn-per-tb=on"] if (major, minor) >= (8, 1) else ["-singlestep"]


def traced(machine: Machine, image: Path, read: Callable[[Iterator[Step]], Any]) -> tuple[list[int], Any]:
    """What an image prints, and what `read` makes of its trace, which comes through a pipe with the needed lines."""
    with tempfile.TemporaryDirectory() as folder:
        pipe = Path(folder, "trace")
        os.mkfifo(pipe)
        command = [*machine.emulator, "-nographic", "-monitor", "none", "-serial", "none"]
        command += ["-semihosting-config", "enable=on,target=native", *one_at_a_time(machine.emulator[0])]
        command += ["-d", "exec,nochain,cpu", "-D", str(pipe), "-kernel", str(image)]
        command = ["timeout", "300", *command]
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "text": True}
        emulator = subprocess.Popen(command, stderr=subprocess.STDOUT, **streams)
        lines = subprocess.Popen(["grep", "-aE", f"^(Trace|{machine.line})", str(pipe)], **streams)
        # One that does not start never opens the pipe.
        watch = threading.Thread(target=lambda: emulator.wait() and lines.kill())
        watch.start()
        result = read(steps(machine, lines.stdout))
        lines.wait()
        printed = emulator.stdout.read()
        watch.join()
        if emulator.returncode:
            sys.exit(f"size: {image.name} on {machine.name} ended with {emulator.returncode}\n{printed}")
        return words(printed), result


def steps(machine: Machine, lines: Iterable[str]) -> Iterator[Step]:
    """The instructions in order. An address is followed by the registers before it runs."""
    address, columns = None, None
    for line in lines:
        if line.startswith("Trace"):
            address = int(line.split("/", 2)[1], 16)
        elif address is not None:
            columns = columns or (column(line, machine.stack), column(line, machine.back))
            yield Step(address, int(line[columns[0]], 16), int(line[columns[1]], 16) & ~1)
            address = None


def column(line: str, register: str) -> slice:
    """Where a register's eight digits stand, in this line and all others like it."""
    found = re.compile(rf"{register} *([0-9a-f]{{8}})").search(line)
    return slice(*found.span(1))


def calls_in(trace: Iterator[Step], entry: int) -> list[Cost]:
    """Each call of the function at `entry`, what it calls included."""
    calls, back = [], None
    for step in trace:
        if back is None and step.address == entry:
            count, back, top, lowest = 0, step.back, step.stack, step.stack
        elif back is not None and step.address == back:
            calls.append(Cost(count, top - lowest))
            back = None
        if back is not None:
            count, lowest = count + 1, min(lowest, step.stack)
    return calls


def failures_in(trace: Iterator[Step], life: int, operation: int) -> tuple[list[int], list[int], int]:
    """What comes after each return of the operation: up to its next call, and up to the end of the life; and the stack
    of the deepest life, the operation's included."""
    between, last, deepest = [], [], 0
    end = back = since = None
    for step in trace:
        if end is None and step.address == life:
            end, top = step.back, step.stack
        if end is None:
            continue
        deepest = max(deepest, top - step.stack)
        if step.address == operation:
            between += [] if since is None else [since]
            back, since = step.back, None
        elif step.address == back:
            back, since = None, 0
        if step.address == end:
            last.append(since)
            end = since = None
        elif since is not None:
            since += 1
    return between, last, deepest
