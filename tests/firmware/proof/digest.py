"""A digest of the machine code that `prove` speaks of, so that one sees whether it is that of a build.

    digest.py IMAGE           prints it
    digest.py IMAGE PAGE      says whether PAGE, which `prove` wrote, is of this code; never fails

Targets of calls are left out: they are other places in each image. No library is needed.
"""

import hashlib
import re
import struct
import sys
from pathlib import Path

FUNCTIONS = re.compile(r"^proof_\w+$|product_by_halves")


def functions(data):
    """(name without the compiler's hashes, code) of each function that is proved, by name."""
    (segments, sections), (count,) = struct.unpack_from("<II", data, 28), struct.unpack_from("<H", data, 48)
    headers = [struct.unpack_from("<10I", data, sections + i * 40) for i in range(count)]
    loads = [struct.unpack_from("<8I", data, segments + i * 32) for i in range(struct.unpack_from("<H", data, 44)[0])]
    for table in (h for h in headers if h[1] == 2):
        names = headers[table[6]][4]
        for at in range(table[4], table[4] + table[5], 16):
            name, address, size, info, _, _ = struct.unpack_from("<IIIBBH", data, at)
            text = data[names + name : data.index(b"\0", names + name)].decode()
            if info & 15 == 2 and FUNCTIONS.search(text):
                (start,) = [l[1] + (address & ~1) - l[2] for l in loads if l[0] == 1 and l[2] <= address < l[2] + l[4]]
                yield text if text.startswith("proof") else "product_by_halves", data[start : start + size]


def without_targets(code):
    """The code with the target of each `bl` (two halves, 11110... 11.1...) left out."""
    halves = list(struct.unpack(f"<{len(code) // 2}H", code))
    for i in range(len(halves) - 1):
        if halves[i] >> 11 == 0b11110 and halves[i + 1] & 0xD000 == 0xD000:
            halves[i], halves[i + 1] = 0xF000, 0xD000
    return struct.pack(f"<{len(halves)}H", *halves)


def digest(image):
    found = sorted(functions(image.read_bytes()))
    if len(found) < 7:
        sys.exit(f"digest.py: {image} lacks functions of a proof, it has {[name for name, _ in found]}")
    whole = hashlib.sha256()
    for name, code in found:
        whole.update(f"{name} {len(code)} ".encode() + without_targets(code))
    return whole.hexdigest()[:16]


def main():
    image = Path(sys.argv[1])
    now = digest(image)
    if len(sys.argv) == 2:
        return print(now)
    page = Path(sys.argv[2])
    then = re.search(r"Digest of the machine code: `(\w+)`", page.read_text()) if page.exists() else None
    if then and then[1] == now:
        print(f"{page.name} is of this machine code ({now})")
    else:
        before = then[1] if then else "none"
        print(f"{page.name} is of other machine code ({before}, here {now}): `tests/run prove` proves this one")


if __name__ == "__main__":
    main()
