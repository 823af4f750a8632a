"""Products as a solver can bear them.

Multiplications of unknowns are what bit by bit solvers fail at. A decision multiplies by one function of two 32-bit
words, `product_by_halves`; that its machine code multiplies is shown once, here. Everywhere else its result is an
unknown about which nothing is known but laws of multiplication, each of which is shown over the integers.
"""

import angr
import claripy
import z3

from solver import unsatisfiable

WIDE = 128
FUNCTION = "product_by_halves"
ONE = 1 << 24
# What factors and shares are compared with: a half, one, and the most a factor may exceed one by.
LANDMARKS = (ONE >> 1, ONE, 254 << 24)


def wide(bits):
    return bits.zero_extend(WIDE - bits.length)


def implies(a, b):
    return claripy.Or(claripy.Not(a), b)


class Products:
    """The products of one run, those of the machine and those of the laws, and what is known of them."""

    def __init__(self):
        self.known, self.facts, self.definitions, self.formulas = [], [], {}, {}

    def of(self, a, b):
        """The product of two words: an unknown of 64 bits. The same operands have the same product."""
        for c, d, p in self.known:
            if a is c and b is d:
                return p
        p = claripy.BVS("product", 64)
        most = [(x.zero_extend(32) << 32) - x.zero_extend(32) for x in (a, b)]
        alone = [claripy.ULE(p, most[0]), claripy.ULE(p, most[1])]
        alone += [implies(x != 0, claripy.UGE(p, y.zero_extend(32))) for x, y in ((a, b), (b, a))]
        alone += [implies(b == 1 << n, p == a.zero_extend(32) << n) for n in (23, 24)]
        (name,) = p.variables
        self.definitions[name] = claripy.And(*alone)
        self.formulas[name] = a.zero_extend(32) * b.zero_extend(32)
        self.facts += [implies(claripy.And(a == c, b == d), p == q) for c, d, q in self.known]
        self.known.append((a, b, p))
        return p

    def hook(self, settle):
        """What angr runs in place of the function, after `settle` has named what it can."""
        products = self

        class Product(angr.SimProcedure):
            def run(self):
                settle(self.state)
                p = products.of(self.state.regs.r0, self.state.regs.r1)
                self.state.regs.r0, self.state.regs.r1 = p[31:0], p[63:32]

        return Product()

    def long(self, length, word, landmarks=()):
        """`length * word` of 64 and 32 bits, as 128: by the distributive law from two products. A landmark is a word
        that another is compared with."""
        low, high = self.of(length[31:0], word), self.of(length[63:32], word)
        p = (wide(high) << 32) + wide(low)
        self.facts.append(claripy.ULE(p, (wide(length) << 32) - wide(length)))
        for landmark in landmarks:
            by = wide(length) * landmark
            self.facts.append(implies(claripy.ULE(word, landmark), claripy.ULE(p, by)))
            self.facts.append(implies(claripy.UGE(word, landmark), claripy.UGE(p, by)))
        return p

    def ordered(self, lengths, word):
        """The products of two lengths with one word, in the order of the lengths."""
        (a, b), (p, q) = lengths, [self.long(length, word, LANDMARKS) for length in lengths]
        self.facts += [implies(claripy.ULE(a, b), claripy.ULE(p, q)), implies(claripy.UGE(a, b), claripy.UGE(p, q))]
        return p, q


def lemmas():
    """What `Products` takes for granted, over the integers: (words, claim) where the claim must be valid."""
    a, b, c, s, t, h, l = z3.Ints("a b c s t h l")
    positive = z3.And(a >= 0, b >= 0, c >= 0, s >= 0, t >= 0)
    return [
        ("a product by at least 1 is at least the other factor", z3.Implies(z3.And(positive, b >= 1), a * b >= a)),
        ("a larger word makes no smaller product", z3.Implies(z3.And(positive, s <= t), a * s <= a * t)),
        ("a larger length makes no smaller product", z3.Implies(z3.And(positive, a <= c), a * s <= c * s)),
        ("a product by words is the product", (h * 2**32 + l) * s == h * s * 2**32 + l * s),
        ("a product by halves is the product", (h * 2**16 + l) * (s * 2**16 + t)
         == h * s * 2**32 + h * t * 2**16 + l * s * 2**16 + l * t),
        ("halves have products below a word", z3.Implies(z3.And(positive, a < 2**16, b < 2**16), a * b <= 65535**2)),
    ]


def lemmas_hold():
    """The lemmas with the answer of the solver."""
    for words, claim in lemmas():
        solver = z3.Solver()
        solver.set("timeout", 60_000)
        solver.add(z3.Not(claim))
        yield words, solver.check() == z3.unsat


def product_multiplies(image):
    """Whether the machine code of the product multiplies: its four multiplications are of halves of the words, do not
    overflow, and are added up in their places."""
    a, b = claripy.BVS("a", 32), claripy.BVS("b", 32)
    halves = {("a", 0): a[15:0], ("a", 16): a[31:16], ("b", 0): b[15:0], ("b", 16): b[31:16]}
    state, parts = image.enter(FUNCTION, [a, b]), []
    for at in image.instructions(image.function(FUNCTION)):
        registers = at.op_str.split(", ") if at.mnemonic == "muls" else []
        factors = [_half(getattr(state.regs, r), halves) for r in registers[1:]]
        state = image.straight_on(state)
        if factors:
            part = claripy.BVS("part", 32)
            setattr(state.regs, registers[0], part)
            parts.append((*factors, part))
    each_with_each = {("a", m, "b", n) for m in (0, 16) for n in (0, 16)}
    if {(*a, *b) for *factors, _ in parts for a, b in [sorted(factors)]} != each_with_each or len(parts) != 4:
        return False
    small = [claripy.ULE(part, 65535 * 65535) for *_, part in parts]
    total = sum((part.zero_extend(32) << x[1] + y[1] for x, y, part in parts), claripy.BVV(0, 64))
    return unsatisfiable([*small, state.regs.r1.concat(state.regs.r0) != total], 60) is True


def _half(operand, halves):
    """Which half of which word it is."""
    for half, bits in halves.items():
        if unsatisfiable([operand != bits.zero_extend(16)], 10) is True:
            return half
    return None, None
