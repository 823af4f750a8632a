"""A command of random behaviour, for `undaunted run`: CHAOS_SEED and the number of the attempt choose it.

It appends to CHAOS_LOG, in one write each: `begin ATTEMPT NANOSECONDS WHAT FAULTS` and, when it ends by itself,
`end ATTEMPT NANOSECONDS`, on the monotonic clock. FAULTS says what is there and must not be: a process of an attempt
before, a zombie, a descriptor.
"""

import os
import random
import resource
import signal
import time

ATTEMPT = int(os.environ["UNDAUNTED_ATTEMPT"])
LAST = int(os.environ["CHAOS_LAST"])
MARK = ("CHAOS_LOG=" + os.environ["CHAOS_LOG"]).encode()
# Under supervision nobody ends a command that hangs.
HANGS = os.environ["CHAOS_HANGS"] == "yes"
RANDOM = random.Random(f"{os.environ['CHAOS_SEED']}/{ATTEMPT}")


def log(*words):
    line = " ".join(map(str, words)) + "\n"
    fd = os.open(os.environ["CHAOS_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC)
    os.write(fd, line.encode())
    os.close(fd)


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def faults():
    here = set()
    for fd in range(64):
        try:
            os.fstat(fd)
            here.add(fd)
        except OSError:
            pass
    if here != {0, 1, 2}:
        yield f"descriptors:{sorted(here)}".replace(" ", "")
    known = {os.getpid(), os.getppid()}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        state, parent = (read(f"/proc/{pid}/stat").rpartition(b")")[2].split() or [b"", b""])[:2]
        if int(pid) in known:
            continue
        if state == b"Z" and int(parent) == os.getppid():
            yield f"zombie:{pid}"
        if state != b"Z" and MARK in read(f"/proc/{pid}/environ").split(b"\0"):
            yield f"left:{pid}"


def hang(limit=1000):
    end = time.monotonic() + limit
    while time.monotonic() < end:
        time.sleep(end - time.monotonic() if end > time.monotonic() else 0)


def fork():
    """True in the child, which must not return from its work."""
    return os.fork() == 0


def leave(code=None):
    log("end", ATTEMPT, time.monotonic_ns())
    os._exit(RANDOM.randint(1, 125) if code is None else code)


def crash():
    log("end", ATTEMPT, time.monotonic_ns())
    os.kill(os.getpid(), RANDOM.choice([9, 11, 6, 15, 1, 14, signal.SIGRTMIN, signal.SIGRTMIN + 3]))
    hang()


def hang_for_ever():
    hang() if HANGS else hang(0.03)
    leave()


def ignore_term():
    for one in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(one, signal.SIG_IGN)
    hang_for_ever()


def stop_itself():
    if not HANGS and fork():
        time.sleep(0.02)
        os.kill(os.getppid(), signal.SIGCONT)
        os._exit(0)
    os.kill(os.getpid(), signal.SIGSTOP)
    leave()


def fork_and_exit():
    if fork():
        hang()
    leave()


def double_fork():
    if fork():
        os.setsid()
        if fork():
            hang()
        os._exit(0)
    os.wait()
    leave()


def new_session():
    if fork():
        os.setsid()
        hang()
    leave()


def stubborn_orphan():
    ready, told = os.pipe()
    if fork():
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.write(told, b"x")
        hang()
    os.read(ready, 1)
    leave()


def stopped_orphan():
    if fork():
        os.kill(os.getpid(), signal.SIGSTOP)
        hang()
    leave()


def hold_the_pipe():
    if fork():
        os.setsid()
        hang()
    os.write(1, b"held\n")
    leave()


def fill_output():
    os.write(2, b"")
    for _ in range(16):
        os.write(1, b"x" * 65536)
    leave()


def short_lived():
    for _ in range(300):
        if fork():
            os._exit(0)
    leave()


def chain():
    """Each starts the next and ends, so that the number of the process changes all the time."""
    if fork():
        os.setsid()
        while True:
            if os.fork() != 0:
                os._exit(0)
            time.sleep(0.003)
    leave()


OFTEN = [leave, crash, fork_and_exit, double_fork, new_session, hold_the_pipe, stopped_orphan, fill_output, chain]
SELDOM = [hang_for_ever, ignore_term, stop_itself, stubborn_orphan, short_lived]


def main():
    what = RANDOM.choice(OFTEN * 3 + SELDOM)
    if ATTEMPT >= LAST:
        what = leave
    begun = time.monotonic_ns()
    log("begin", ATTEMPT, begun, what.__name__, ",".join(faults()) or "-")
    if ATTEMPT >= LAST:
        leave(0)
    what()


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main()
