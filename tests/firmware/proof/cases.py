"""One case: the unknowns of a decision, the run of the machine on them, and what the laws say of it."""

import claripy

from arithmetic import WIDE, Products, implies, unsatisfiable, wide
from assumptions import EVEN, of_policy
from laws import ENDINGS, Expected, Unknowns, invariant, least, scaled
from machine import STACK, STACK_BYTES, Wrong

RETRY, POLICY, REPORT, ANSWER, SCRATCH, STEPS = (0x2000_1000 + 0x200 * n for n in range(6))
WRITTEN = ((RETRY, RETRY + 24), (ANSWER, ANSWER + 16))
# `Report` and `Answer` of proof.rs, which are laid out as in C.
REPORTS = {"now": (0, 64), "hint": (8, 64), "random": (16, 32), "outcome": (20, 32)}
ANSWERS = {"wait": (0, 64), "ending": (8, 32)}
CORE = "undaunted_core::"
STOPPED = f"core::option::Option<{CORE}retry::Stop>"


class Values:
    """Numbers by name, 128 bits wide, and what is known by its word."""

    def __init__(self, numbers, **words):
        self.names = list(numbers)
        self.__dict__.update(numbers, **words)


class Case:
    """A decision under a policy of this shape and jitter; `fixed` holds the fields of a constant policy."""

    def __init__(self, image, layout, function, shape, kind, fixed=None):
        self.image, self.layout, self.function = image, layout, function
        self.m, self.reads, self.memory, self.facts, self.inputs = Products(), [], [], [], {}
        self.p = self._policy(shape, kind, fixed)
        self.memory.append((ANSWER, claripy.BVS("garbage", 128)))
        self.q = self._unknown(REPORT, REPORTS, "report")
        self.r = self._retry()
        share_of_limit = scaled(self.m.long(self.p.limit[63:0], self.p.share[31:0]))
        for _, claims in [*of_policy(self.p, share_of_limit, Unknowns), *invariant(self.p, self.r)]:
            self.facts += [claim for claim in claims if not claim.is_true()]

    def _unknown(self, base, fields, name):
        values = {}
        for field, (at, bits) in fields.items():
            unknown = claripy.BVS(f"{name}.{field}", bits)
            self.inputs[f"{name}.{field}"] = unknown
            self.memory.append((base + at, unknown))
            values[field] = wide(unknown)
        return Values(values)

    def _policy(self, shape, kind, fixed):
        if fixed:
            return Values({f: claripy.BVV(v, WIDE) for f, v in fixed.items()}, shape=shape, kind=kind)
        layout, fields = self.layout, self.layout.fields(CORE + "policy::Policy")
        growth, (tag, variants) = CORE + "backoff::Growth", self.layout.tag(CORE + "backoff::Growth")
        numbers = ("first", "limit", "cap", "floor", "hint_ceiling", "within", "excess", "share", "waits")
        words = {f: (fields[f].offset, fields[f].size * 8) for f in numbers}
        at = fields["growth"].offset
        known = [(fields["kind"], layout.numbers(CORE + "jitter::Kind")[kind])]
        shapes = layout.numbers(CORE + "backoff::Shape")
        if shape == "Even":
            byte = self.inputs["policy.shape"] = claripy.BVS("policy.shape", fields["shape"].size * 8)
            self.facts.append(claripy.Or(*[byte == shapes[s] for s in EVEN]))
            self.memory.append((POLICY + fields["shape"].offset, byte))
        else:
            known.append((fields["shape"], shapes[shape]))
        if shape == "Schedule":
            steps = at + layout.payload(growth, "Steps").offset
            self.memory += [(POLICY + at + tag.offset, claripy.BVV(variants["Steps"], tag.size * 8))]
            self.memory += [(POLICY + steps, claripy.BVV(STEPS, 32))]
            words["entries"] = (steps + 4, 32)
        else:
            self.memory += [(POLICY + at + tag.offset, claripy.BVV(variants["AtLeast"], tag.size * 8))]
            words["step"] = (at + layout.payload(growth, "AtLeast").offset, 64)
        self.memory += [(POLICY + f.offset, claripy.BVV(value, f.size * 8)) for f, value in known]
        policy = self._unknown(POLICY, words, "policy")
        policy.shape, policy.kind = shape, kind
        return policy

    def _retry(self):
        fields = self.layout.fields(CORE + "retry::Retry")
        retry = self._unknown(RETRY, {f: (at.offset, at.size * 8) for f, at in fields.items()}, "retry")
        retry.ending = self._ending(retry.stopped)
        self.facts.append(claripy.Or(*[retry.stopped == n for n in self._stopped()]))
        return retry

    def _stopped(self):
        """The byte that says how it stopped, and what the answer is then; the reasons are their own numbers."""
        none, done = self.layout.tag(STOPPED)[1]["None"], self.layout.tag(CORE + "retry::Stop")[1]["Done"]
        reasons = self.layout.numbers(CORE + "verdict::Reason")
        return {none: 0, done: ENDINGS["Done"], **{n: ENDINGS[reason] for reason, n in reasons.items()}}

    def _ending(self, stopped):
        ending = claripy.BVV(255, WIDE)
        for number, answer in self._stopped().items():
            ending = claripy.If(stopped == number, claripy.BVV(answer, WIDE), ending)
        return ending

    def curve_at(self, attempt):
        """Where the curve is: it was kept, or follows from the number of the attempt."""
        if self.p.shape == "Schedule":
            index = least(attempt, self.p.entries) - 1
            address = STEPS + (index[31:0] << 3)
            return wide(self.read(address + 4).concat(self.read(address)))
        if self.p.shape != "Fibonacci":
            return self.r.curve
        before, x, value = self.p.first, least(self.p.first, self.p.limit), self.p.limit
        steps = [x]
        for _ in range(80):
            before, x = x, least(x + before, self.p.limit)
            steps.append(x)
        for number, x in reversed(list(enumerate(steps, 1))):
            value = claripy.If(attempt == number, x, value)
        return value

    def read(self, address):
        """A word of the schedule. The same address has the same word."""
        word = claripy.BVS("entry", 32)
        self.facts += [claripy.Or(address != a, word == w) for a, w in self.reads]
        self.reads.append((address, word))
        return word

    def run(self):
        """Runs the machine, and states what the design expects."""
        state = self.image.enter(self.function, [RETRY, POLICY, REPORT, ANSWER], self.memory, self.facts)
        self.image.hook_product(self.m)
        self._guard(state)
        self.state = self.image.run(state, WRITTEN)
        self.ways = [w for w in self.state.solver.constraints if not any(w is f for f in self.facts)]
        fields = self.layout.fields(CORE + "retry::Retry")
        self.after = self._load(RETRY, {f: (at.offset, at.size * 8) for f, at in fields.items()})
        self.after.ending = self._ending(self.after.stopped)
        self.a = self._load(ANSWER, ANSWERS)
        self.expected = Expected(self)

    def _load(self, base, fields):
        load = self.state.memory.load
        return Values({f: wide(load(base + at, bits // 8, endness="Iend_LE")) for f, (at, bits) in fields.items()})

    def lemma_of_the_wait(self):
        """Finds the wait among what the machine chose its answer from, shows that it is the one of the design, and
        knows it from then on: where the answer is to give up for the deadline, the wait is not seen in it."""
        e = self.expected
        guard = claripy.And(e.failed, claripy.Not(e.used_up), claripy.Not(e.too_long_asked))
        low, high = (self.a.wait[31 + at : at] for at in (0, 32))
        for pair in _choices(low, high):
            claim = implies(guard, wide(pair[1].concat(pair[0])) == e.wait)
            if unsatisfiable([*self.known(), claripy.Not(claim)], 60) is True:
                self.facts.append(claim)
                return True
        return False

    def known(self):
        """All that is known: assumptions, laws of multiplication, and that the machine went one of its ways."""
        return [*self.facts, *self.m.facts, *self.ways]

    def goes_some_way(self):
        """Whether each input has a way to the return, so that the formula speaks of all of them."""
        return unsatisfiable([*self.facts, *self.m.facts, claripy.Not(claripy.And(*self.ways))], 120) is True

    def _guard(self, state):
        state.inspect.b("mem_write", when="before", action=self._write)
        state.inspect.b("mem_read", when="before", action=self._read)

    def _write(self, state):
        address = state.inspect.mem_write_address
        at = state.solver.eval_one(address)
        if not any(low <= at < high for low, high in (*WRITTEN, (STACK - STACK_BYTES, STACK))):
            raise Wrong(f"a write to {at:#x}")

    def _read(self, state):
        """Of the memory of the schedule an unknown is read; the place must be in it."""
        address = state.inspect.mem_read_address
        if not isinstance(address, claripy.ast.Base) or not address.symbolic:
            return
        end = STEPS + (self.p.entries[31:0] << 3)
        out = claripy.Or(claripy.ULT(address, STEPS), claripy.UGT(address + 4, end), address & 3 != 0)
        if state.inspect.mem_read_length != 4 or state.solver.satisfiable([out]):
            raise Wrong(f"a read outside of the schedule at {state.addr:#x}")
        place = SCRATCH + 4 * len(self.reads)
        state.memory.store(place, self.read(address), endness="Iend_LE", inspect=False, disable_actions=True)
        state.inspect.mem_read_address = claripy.BVV(place, 32)


def _choices(low, high):
    """The pairs of words in two trees of the same choices, from the root on."""
    rest = [(low, high)]
    while rest:
        low, high = rest.pop(0)
        yield low, high
        if low.op == high.op == "If" and low.args[0] is high.args[0]:
            rest += [(low.args[n], high.args[n]) for n in (1, 2)]
