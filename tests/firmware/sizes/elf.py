"""What the size table reads from an image: bytes, symbols, and what must not be among them. No binutils are needed."""

import re
import struct
import sys
from pathlib import Path

# By symbol, since one that is not linked has none. The compiler inlines none of these: panics are cold calls, soft
# floats and divisions are calls of the run-time library, and formatting goes through tables of functions.
FORBIDDEN = {
    "panic": r"panic|unwrap_failed|expect_failed|begin_unwind|slice_\w*_fail|index_fail",
    "fmt": r"core(3|::|\.\.)fmt|(?<!\d)3fmt\d|Formatter|\bfmt\b",
    "allocator": r"__rust_alloc|__rust_realloc|__rust_dealloc|__rg_alloc|malloc|(?<!\d)5alloc\d",
    "float": r"__aeabi_[fd](?!iv)\w+|__aeabi_[fd]div|__aeabi_(u?i|u?l)2[fd]|_*\w+[sdt]f[0-9i]*$|_*\w*[sd]f[sdt]i$|\bf(32|64)\b",
    "division": r"__aeabi_u?idiv|__aeabi_u?ldiv|__u?div|__u?mod|u?div(mod)?[sdt]i|specialized_div_rem|u(32|64|128)_div_rem",
}
ARM, FUNCTION = 40, 2


class Elf:
    """The sections and symbols of a 32-bit little-endian ELF file."""

    def __init__(self, path: Path):
        data = path.read_bytes()
        if data[:6] != b"\x7fELF\x01\x01":
            sys.exit(f"size: {path} is not a 32-bit little-endian ELF file")
        self.data, (self.machine,) = data, struct.unpack_from("<H", data, 18)
        (table,) = struct.unpack_from("<I", data, 32)
        size, count = struct.unpack_from("<HH", data, 46)
        # name, type, flags, address, offset, size, link, ...; 0x2 is ALLOC, type 8 takes no room in the file
        self.sections = [struct.unpack_from("<10I", data, table + i * size) for i in range(count)]
        self.flash = sum(s[5] for s in self.sections if s[2] & 0x2 and s[1] != 8)
        self.symbols: dict[str, tuple[int, int]] = {}
        self.functions: list[str] = []
        for symtab in (s for s in self.sections if s[1] == 2):
            self.read_symbols(symtab)

    def read_symbols(self, symtab: tuple[int, ...]):
        names = self.sections[symtab[6]][4]
        for at in range(symtab[4], symtab[4] + symtab[5], 16):
            name, address, length, info, _, section = struct.unpack_from("<IIIBBH", self.data, at)
            if name and section and info & 15 in (0, 1, FUNCTION):  # untyped, data, functions; no undefined ones
                text = self.data[names + name : self.data.index(b"\0", names + name)].decode()
                if not text.startswith(("$", ".L")):
                    self.symbols[text] = (address & ~1, length)
                    self.functions += [text] if info & 15 == FUNCTION else []

    def size(self, symbol: str) -> int:
        return self.symbols[symbol][1]

    def code(self, function: str) -> bytes:
        address, length = self.symbols[function]
        section = next(s for s in self.sections if s[2] & 0x2 and s[3] <= address < s[3] + s[5])
        start = section[4] + address - section[3]
        return self.data[start : start + length]

    def forbidden(self) -> list[str]:
        """What must not be there, by kind and name; on processors that divide, their instructions too."""
        kinds = FORBIDDEN.items()
        found = [f"{kind}: {name}" for kind, what in kinds for name in self.symbols if re.search(what, name)]
        divides = divides_arm if self.machine == ARM else divides_riscv
        return found + [f"division: in {name}" for name in self.functions if divides(self.code(name))]


def divides_arm(code: bytes) -> bool:
    """SDIV and UDIV of ARMv7-M, in code that begins with an instruction."""
    at = 0
    while at + 2 <= len(code):
        (first,) = struct.unpack_from("<H", code, at)
        if first >> 11 in (0b11101, 0b11110, 0b11111) and at + 4 <= len(code):
            (second,) = struct.unpack_from("<H", code, at + 2)
            if first & 0xFFD0 == 0xFB90 and second & 0xF0F0 == 0xF0F0:
                return True
            at += 2
        at += 2
    return False


def divides_riscv(code: bytes) -> bool:
    """DIV, DIVU, REM and REMU of extension M, in code that begins with an instruction."""
    at = 0
    while at + 2 <= len(code):
        (first,) = struct.unpack_from("<H", code, at)
        if first & 3 == 3 and at + 4 <= len(code):
            (word,) = struct.unpack_from("<I", code, at)
            if word & 0x7F == 0x33 and word >> 25 == 1 and word >> 14 & 1:
                return True
            at += 2
        at += 2
    return False
