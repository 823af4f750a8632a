"""One case: the unknowns of a decision, the run of the machine on them, and what the laws say of it."""

import claripy

from arithmetic import LANDMARKS, WIDE, Products, implies, wide
from assumptions import EVEN, LONGEST, of_policy
from laws import ENDINGS, Expected, Unknowns, invariant, least, scaled
from machine import STACK, STACK_BYTES, Wrong
from names import ALONE, Names, hidden, replace
from solver import unsatisfiable

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
        self.m, self.terms = Products(), []
        self.names = Names(self.m)
        self.reads, self.memory, self.facts, self.ways, self.inputs = [], [], [], [], {}
        self.p = self._policy(shape, kind, fixed)
        self.memory.append((ANSWER, claripy.BVS("garbage", 128)))
        self.q = self._unknown(REPORT, REPORTS, "report")
        self.r = self._retry()
        share_of_limit = scaled(self.m.long(self.p.limit[63:0], self.p.share[31:0], LANDMARKS))
        for _, claims in [*of_policy(self.p, share_of_limit, Unknowns), *invariant(self.p, self.r)]:
            self.facts += [claim for claim in claims if not claim.is_true()]
        upwards = kind in ("Additive", "Proportional")
        self.share_of_limit = self.name("share_of_limit", share_of_limit, lambda s: [
            claripy.ULE(self.p.limit + s, self.p.cap)] if upwards else [])

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
        return self._fibonacci(attempt) if self.p.shape == "Fibonacci" else self.r.curve

    def _fibonacci(self, attempt):
        """1, 2, 3, 5, 8 times the first: each term is the sum of the two before, of which none counts for more than the
        limit."""
        limit, factors, terms = self.p.limit, [1, 1], [self.p.first, self.p.first]
        while factors[-1] < LONGEST:
            factors.append(factors[-1] + factors[-2])
            terms.append(self._term(*[least(term, limit) for term in terms[-2:]], factors[-1]))
        self.terms, value = terms, limit
        for number, term in reversed(list(enumerate(terms))[1:]):
            value = claripy.If(attempt == number, term, value)
        return value

    def _term(self, before, last, factor):
        limit = self.p.limit
        return self.name("fibonacci", before + last, lambda x: [
            claripy.UGE(least(x, limit), last), claripy.UGE(x, least(claripy.BVV(factor, WIDE), limit))],
            is_sought=False)

    def show_the_curve(self, attempt, x):
        """Of Fibonacci's place on the curve: what it is at each term, and that beyond it is no lower. From the last
        term on, so that each claim follows from the one before."""
        if not self.terms:
            return
        beyond = self.p.limit
        for number, term in reversed(list(enumerate(self.terms))[1:]):
            here = least(term, self.p.limit)
            self.names.show("a term", [], implies(attempt == number, x == here), depths=(ALONE,))
            further = implies(claripy.UGE(attempt, number), claripy.UGE(x, here))
            self.names.show("what is beyond a term", self.given(), further, hidden(beyond), depths=(0,))
            beyond = term
        # Where the loop ends, and x where there was none: by `leaves` this is true of it, and nothing else is known.
        self.reached = claripy.BVS("reached", 64)
        self.names.facts.append(x == least(wide(self.reached), self.p.limit))

    def read(self, address):
        """A word of the schedule. The same address has the same word."""
        word = claripy.BVS("entry", 32)
        self.facts += [claripy.Or(address != a, word == w) for a, w in self.reads]
        self.reads.append((address, word))
        return word

    def run(self):
        """Runs the machine, and states what the design expects."""
        state = self.image.enter(self.function, [RETRY, POLICY, REPORT, ANSWER], self.memory, self.facts)
        self.expected = Expected(self)
        self.image.hook_product(self.m.hook(self.settle))
        self._guard(state)
        self.state = self.image.run(state, WRITTEN, self)
        self.ways = [w for w in self.state.solver.constraints if not any(w is f for f in self.facts)]
        fields = self.layout.fields(CORE + "retry::Retry")
        self.after = self._load(RETRY, {f: (at.offset, at.size * 8) for f, at in fields.items()})
        self.after.ending = self._ending(self.after.stopped)
        self.a = self._load(ANSWER, ANSWERS)

    def _load(self, base, fields):
        load = self.state.memory.load
        return Values({f: wide(load(base + at, bits // 8, endness="Iend_LE")) for f, (at, bits) in fields.items()})

    def known(self):
        """All that is known: assumptions, laws of multiplication, and that the machine went one of its ways."""
        return [*self.names.all(self.given()), *self.ways]

    def given(self):
        """What is known beside the names: assumptions, laws of multiplication, and that an entry is one word."""
        return [*self.facts, *self.m.facts]

    def name(self, words, formula, claims=lambda _: [], is_sought=True):
        return self.names.name(words, formula, self.given(), claims, is_sought)

    def settle(self, state):
        self.names.settle(state, self.given())

    def goes_round(self, state, count):
        """Whether there can be another round of the loop, which is Fibonacci's: at the term of this number."""
        self._expect(state, count)
        is_last = count == len(self.terms) - 1
        return not is_last or unsatisfiable([*self.known(), *state.solver.constraints], 120) is not True

    def goes_on(self, state, count):
        """Within a round: with the term after it."""
        self._expect(state, count + 1)

    def leaves(self, state, count):
        """Out of the loop in this round, with the term after it: that is `reached`, if it is the place on the curve."""
        term = self._expect(state, count + 1)
        if self.names.is_known(state, self.given(), self.expected.x == least(term, self.p.limit)):
            replace(state, {term[at + 31:at]: self.reached[at + 31:at] for at in (0, 32)})

    def _expect(self, state, number):
        if number >= len(self.terms):
            raise Wrong(f"a loop to term {number}")
        term = self.terms[number]
        self.names.expect(state, self.given(), [term[31:0], term[63:32]])
        return term

    def goes_some_way(self):
        """Whether each input has a way to the return, so that the formula speaks of all of them."""
        return unsatisfiable([*self.names.all(self.given()), claripy.Not(claripy.And(*self.ways))], 120) is True

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
