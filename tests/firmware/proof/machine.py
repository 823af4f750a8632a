"""Runs one function of an image symbolically, on all its paths at once.

Of the states that are underway the one with the lowest address goes on, and those that meet at an address become
one: what is left at the return is one formula of the whole function. Whether a way can be gone is asked of the solver
only in a loop, and of branches on a single unknown; that the formula holds all ways there are is shown at the end.
"""

import logging

import angr
import claripy
from angr.engines.vex.claripy import ccall

from solver import unsatisfiable

RETURN = 0xFFFF_FFF1
STACK, STACK_BYTES = 0x2000_4000, 0x200
REGISTERS = [f"r{n}" for n in range(13)] + ["lr", "cc_op", "cc_dep1", "cc_dep2", "cc_ndep"]
# A function that needs more turns has no end.
TURNS = 5_000

for noisy in ("angr", "cle", "pyvex", "angr.state_plugins.unicorn_engine"):
    logging.getLogger(noisy).setLevel("CRITICAL")


class Wrong(Exception):
    """What machine code must not do."""


class Image:
    """An image and its functions, by their names or by a part of it."""

    def __init__(self, path):
        self.project = angr.Project(str(path), auto_load_libs=False)
        self.functions = {s.name: s for s in self.project.loader.main_object.symbols if s.is_function and s.size}

    def function(self, part):
        found = [s for name, s in self.functions.items() if part in name]
        if len(found) != 1:
            raise Wrong(f"{len(found)} functions have {part!r} in their names; one was expected")
        return found[0]

    def enter(self, function, arguments, memory=(), facts=()):
        """The state at the entry; memory is [(address, bits)]."""
        add = {angr.options.ZERO_FILL_UNCONSTRAINED_REGISTERS, angr.options.LAZY_SOLVES}
        start = self.function(function).rebased_addr | 1
        state = self.project.factory.blank_state(
            addr=start, add_options=add, remove_options={angr.options.SIMPLIFY_MEMORY_WRITES}
        )
        state.regs.sp, state.regs.lr = STACK, RETURN
        for register, value in zip(("r0", "r1", "r2", "r3"), arguments):
            setattr(state.regs, register, value)
        garbage = claripy.BVS("garbage", 8 * STACK_BYTES)
        for address, bits in [(STACK - STACK_BYTES, garbage), *memory]:
            state.memory.store(address, bits, endness="Iend_LE")
        state.solver.add(*facts)
        return state

    def hook_product(self, hook):
        """The product's result becomes an unknown."""
        self.project.hook(self.function("product_by_halves").rebased_addr | 1, hook, replace=True)

    def run(self, state, regions=(), course=None):
        """The one state at the return; `regions` are what is written beside the stack, `course` (see `Case`) is told of
        each block.

        A callee goes first, so that its caller is not overtaken.
        """
        body, heads, loops = self._blocks(state.addr)
        rounds, turns, waiting = 0, 0, {state.addr: [state]}
        while set(waiting) != {RETURN}:
            turns += 1
            if turns > TURNS:
                raise Wrong("it does not end")
            address = min(waiting, key=lambda at: (at in body or at == RETURN, at))
            here = merge(waiting.pop(address), regions)
            if address in heads:
                rounds += 1
                if course and not course.goes_round(here, rounds):
                    continue
            elif course and address in loops:
                course.goes_on(here, rounds)
            elif course and address in body:
                course.settle(here)
            for after in self._step(here, body.get(address)):
                if course and address in loops and after.addr not in loops:
                    course.leaves(after, rounds)
                waiting.setdefault(after.addr, []).append(after)
        return merge(waiting[RETURN], regions)

    def _step(self, state, instructions):
        result = self.project.factory.successors(state, num_inst=instructions)
        if result.unconstrained_successors:
            raise Wrong(f"a jump to anywhere at {state.addr:#x}")
        for after in result.flat_successors:
            kind = after.history.jumpkind
            if kind not in ("Ijk_Boring", "Ijk_Call", "Ijk_Ret"):
                raise Wrong(f"{kind} at {state.addr:#x}")
        return [after for after in result.flat_successors if not plainly_impossible(after)]

    def straight_on(self, state):
        """After one instruction that is no branch."""
        after = self._step(state, 1)
        if len(after) != 1:
            raise Wrong(f"a branch at {state.addr:#x}")
        return after[0]

    def instructions(self, function):
        start = function.rebased_addr & ~1
        code = self.project.loader.memory.load(start, function.size)
        return list(self.project.arch.capstone_thumb.disasm(code, start))

    def _blocks(self, start):
        """Where blocks of a function begin, and how many instructions each has until the next; and which are heads of
        loops."""
        (function,) = [s for s in self.functions.values() if s.rebased_addr | 1 == start]
        code = self.instructions(function)
        ways, begins, back = {}, {start & ~1}, set()
        for at, after in zip(code, code[1:]):
            ways[at.address] = [] if at.mnemonic == "pop" and "pc" in at.op_str else [after.address]
            if at.mnemonic.startswith("b") and at.mnemonic != "bics":
                begins.add(after.address)
                if at.mnemonic not in ("bl", "bx", "blx"):
                    to = int(at.op_str[1:], 16)
                    begins.add(to)
                    ways[at.address] = [to] if at.mnemonic == "b" else [to, after.address]
                    back |= {to | 1} if to <= at.address else set()
        lengths, since = {}, 0
        for at in reversed(code):
            since += 1
            if at.address in begins:
                lengths[at.address | 1], since = since, 0
        loops = {at for at in lengths if reaches(ways, ways.get(at & ~1, []), at & ~1)}
        return lengths, back & loops, loops


def reaches(ways, from_any, to):
    """Whether one gets from one of some instructions to another."""
    seen, rest = set(), list(from_any)
    while rest:
        here = rest.pop()
        rest += [after for after in ways.get(here, []) if after not in seen]
        seen.add(here)
    return to in seen


def plainly_impossible(state):
    """Whether a branch on a single unknown cannot be taken, by what is known of that unknown alone: cheap to ask."""
    guard = state.history.jump_guard
    if guard is None or len(guard.variables) != 1:
        return False
    alone = [c for c in state.solver.constraints if c.variables == guard.variables]
    return unsatisfiable([guard, *alone], 10) is True


def merge(states, regions):
    """One state for several at one address: each value is chosen by the way that led here.

    Ways exclude each other, so nothing new is unknown afterwards. Memory is taken word by word from the stack and from
    the regions that may be written.
    """
    if len(states) == 1:
        return states[0]
    if len({s.regs.cc_op.hash() for s in states}) > 1:
        for state in states:
            settle_flags(state)
    ways = [list(s.solver.constraints) for s in states]
    common = [c for c in ways[0] if all(any(c is d for d in way) for way in ways[1:])]
    conditions = [claripy.And(claripy.true(), *[c for c in way if not any(c is d for d in common)]) for way in ways]
    merged = states[0].copy()
    for register in REGISTERS:
        values = [getattr(s.regs, register) for s in states]
        setattr(merged.regs, register, choose(conditions, values))
    for place in words_of([*regions, (merged.solver.eval_one(merged.regs.sp), STACK)]):
        values = [s.memory.load(place, 4, endness="Iend_LE", inspect=False, disable_actions=True) for s in states]
        if any(v is not values[0] for v in values):
            merged.memory.store(
                place, choose(conditions, values), endness="Iend_LE", inspect=False, disable_actions=True
            )
    merged.release_plugin("solver")
    merged.solver.add(*common, claripy.Or(*conditions))
    return merged


def words_of(regions):
    for low, high in regions:
        yield from range(low, high, 4)


def choose(conditions, values):
    """The value of the way that was taken."""
    chosen = values[-1]
    for condition, value in zip(conditions[:-1], values[:-1]):
        chosen = value if value is chosen else claripy.If(condition, value, chosen)
    return chosen


def settle_flags(state):
    """Flags are kept as the operation they come from; here as four bits, which any two states can share."""
    r = state.regs
    flags = ccall.armg_calculate_flags_nzcv(state, r.cc_op, r.cc_dep1, r.cc_dep2, r.cc_ndep)
    r.cc_op, r.cc_dep1, r.cc_dep2, r.cc_ndep = 0, flags, 0, 0
