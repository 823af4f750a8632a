"""The host's end of the wire: frames, turns, and the emulator beside it."""

import binascii
import os
import socket
import subprocess
import tempfile
from pathlib import Path

START = 0xA5
QEMU = Path(__file__).parent.with_name("qemu-run")
# Only a hang takes so long: what is slowest takes three seconds on an idle machine.
PATIENCE = 300


def crc(data):
    """CRC-16/CCITT from FFFF."""
    return binascii.crc_hqx(data, 0xFFFF)


def frame(kind, payload, length=None):
    """A frame; one with another length than its payload's is made on purpose."""
    length = len(payload) if length is None else length
    body = kind.encode() + length.to_bytes(2, "little") + payload
    return bytes([START]) + body + crc(body).to_bytes(2, "little")


class Closed(Exception):
    """The device has ended."""


class Wire:
    def __init__(self, connection):
        self.connection = connection

    def exactly(self, count):
        data = b""
        while len(data) < count:
            more = self.connection.recv(count - len(data))
            if not more:
                raise Closed
            data += more
        return data

    def receive(self):
        """The device's next frame: (kind, payload)."""
        head = self.exactly(4)
        assert head[0] == START, f"the device sent {head.hex()}"
        length = int.from_bytes(head[2:], "little")
        rest = self.exactly(length + 2)
        assert crc(head[1:] + rest[:-2]) == int.from_bytes(rest[-2:], "little"), "the device's checksum is wrong"
        return chr(head[1]), rest[:-2]

    def turn(self, data=b"", delay=0):
        """Our turn: what is on the way, and for how many milliseconds of the device's time."""
        self.connection.sendall(delay.to_bytes(2, "little") + len(data).to_bytes(2, "little") + data)


def play(elf, talk):
    """Runs `elf` with `talk(wire)` at the other end of its serial port; answers its exit code and what it printed."""
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as server:
        path = os.path.join(folder, "wire")
        server.bind(path)
        server.listen(1)
        server.settimeout(PATIENCE)
        command = [QEMU, elf, "-icount", "shift=2,sleep=off"]
        environment = os.environ | {"QEMU_SERIAL": f"unix:{path}", "QEMU_TIMEOUT": str(PATIENCE)}
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as emulator:
            try:
                connection, _ = server.accept()
                connection.settimeout(PATIENCE)
                with connection:
                    try:
                        talk(Wire(connection))
                    except (Closed, ConnectionError):
                        pass
            except BaseException:
                emulator.terminate()
                raise
            printed, _ = emulator.communicate(timeout=PATIENCE)
            return emulator.returncode, printed
