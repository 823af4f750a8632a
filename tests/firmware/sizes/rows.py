"""The rows of the size table: what is measured, what it is compared with, and what it may cost at most."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Limit:
    """At most; None is no limit. Instructions are the median."""

    flash: int | None = None
    instructions: int | None = None
    stack: int | None = None


@dataclass(frozen=True)
class Row:
    """One image."""

    image: str
    title: str
    # "policy": calls of `policy_next`; "loop": failed attempts of a life; "peer": as policy, and anything is allowed.
    kind: str = "policy"
    compared_with: str = "nop"
    # By the machine's name.
    limits: dict[str, Limit] = field(default_factory=dict)
    # What this one may contain of what is forbidden.
    allowed: tuple[str, ...] = ()

    def limit(self, machine: str) -> Limit:
        return self.limits.get(machine, Limit())


def m0(*limits: int | None, m3: Limit = Limit()) -> dict[str, Limit]:
    return {"Cortex-M0": Limit(*limits), "Cortex-M3": m3}


ROWS = [
    Row(
        "constant",
        "constant policy, attempts, full jitter",
        limits=m0(300, 130, 128, m3=Limit(240, 50)),  # why not 170 B: README.md
    ),
    Row("limits", "constant policy, every limit, hints", limits=m0(600, None, 128)),
    Row("runtime", "run-time policy", limits=m0(1100, 330, 192)),
    Row("recovery", "constant recovery, clean ends, intensity of 5", limits=m0(1100)),
    Row("keyed", "a table of 8 for 16 keys, constant recovery", limits=m0(1100)),
    Row("trail", "`constant` with the last 8 failures", limits=m0(600)),
    Row("counter", "points in time from a counter, an id as the seed", limits=m0(600, 300)),
    # A program that parses may divide.
    Row("parse", "its text, read on the device", compared_with="loaded", limits=m0(3072), allowed=("division",)),
    # A future that is polled after its end panics; where the compiler cannot see that nobody does, it says so.
    Row("loop_embassy", "embassy, `retry`", "loop", "bare_embassy", allowed=("panic",)),
    Row("loop_session", "embassy, `Session`", "loop", "bare_embassy"),
    Row("loop_fixed", "embassy, `Session`, the policy a type", "loop", "bare_embassy"),
    Row("loop_hal", "embedded-hal, blocking `retry`", "loop", "bare_hal"),
    Row("loop_hal_async", "embedded-hal-async, `session`", "loop", "bare_hal_async", allowed=("panic",)),
    Row("floor_16", "by hand: u32 ms, 16 bits of jitter", "peer"),
    Row("floor_32", "by hand: u32 ms, 32 bits of jitter", "peer"),
    Row("floor_64", "by hand: u64 us, a deadline, an end that lasts", "peer"),
    Row("backon", "backon 1.6.0 without `std`", "peer"),
    Row("reliakit", "reliakit-backoff 1.1.0, the core's generator", "peer"),
    Row("sisyphus", "sisyphus 0.1.0", "peer"),
]

# What is not built here: a library in C. Beneath the table of the machine.
_FREERTOS = (
    "FreeRTOS backoffAlgorithm (C; no generator, deadline, hint): its documentation of v1.4.0 says 0.1 K for "
    "Cortex-M. Measured once with gcc by the same method, and by no command here: "
)
PUBLISHED = {
    "Cortex-M0": f"{_FREERTOS}336 B of flash, of it 204 for a division; 16 B of state; 246 instructions, at most 285; "
    "100 B of stack.",
    "Cortex-M3": f"{_FREERTOS}136 B of flash, 40 instructions.",
}
