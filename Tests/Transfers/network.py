# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""Network and mount namespaces of the tests: the loopback interface has a public address and a private one, and names
lead where a test wants."""
import fcntl
import functools
import os
import socket
import struct
import subprocess
import sys
import threading

PUBLIC, OTHER_PUBLIC, PRIVATE = "9.9.9.9", "9.9.9.10", "10.1.2.3"
is_optional = False  # set by run --without-namespaces
MARK = "BGTASK_TRANSFER_NAMESPACES"
SIOCSIFADDR, SIOCSIFFLAGS, SIOCSIFNETMASK = 0x8916, 0x8914, 0x891C


def enter(words):
    """Repeats the program in namespaces, once, if this user may make them and they are not optional."""
    if is_optional:
        return
    if os.environ.get(MARK):
        if has_namespaces():
            set_up()
        return
    command = ["unshare", "--mount", "--net", *([] if os.getuid() == 0 else ["--map-root-user"])]
    is_permitted = subprocess.run([*command, "true"], stderr=subprocess.DEVNULL).returncode == 0
    os.environ[MARK] = "yes" if is_permitted else "no"
    if is_permitted:
        os.execvp("unshare", [*command, sys.executable, *words])


def has_namespaces():
    return os.environ.get(MARK) == "yes"


def takes_namespaces(test):
    """A test that fails without namespaces, unless run --without-namespaces skips it by name."""
    @functools.wraps(test)
    def checked(case):
        if is_optional:
            case.skipTest("run --without-namespaces")
        if not has_namespaces():
            case.fail("takes network and mount namespaces: run as root, permit unprivileged user namespaces, or give"
                      " --without-namespaces")
        test(case)

    return checked


def set_up():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        def call(number, name, value):
            fcntl.ioctl(control, number, struct.pack("16s16s", name.encode(), value))

        def address(text):
            return struct.pack("HH4s8x", socket.AF_INET, 0, socket.inet_aton(text))

        call(SIOCSIFFLAGS, "lo", struct.pack("H14x", 0x49))
        for number, text in enumerate([PUBLIC, OTHER_PUBLIC, PRIVATE], 1):
            call(SIOCSIFADDR, f"lo:{number}", address(text))
            call(SIOCSIFNETMASK, f"lo:{number}", address("255.255.255.255"))
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)


def cover(path, text, directory):
    """Lets a file of the system have other contents, for the programs of this test."""
    substitute = directory / path.strip("/").replace("/", "-")
    substitute.write_text(text)
    subprocess.run(["mount", "--bind", substitute, os.path.realpath(path)], check=True)


def uncover(path):
    subprocess.run(["umount", os.path.realpath(path)], check=True)


class NameServer:
    """Answers each question about a name with the next of its addresses, the last one for ever."""

    def __init__(self, *addresses):
        self.addresses = list(addresses)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 53))
        self.thread = threading.Thread(target=self.answer, daemon=True)
        self.thread.start()

    def answer(self):
        while True:
            try:
                question, sender = self.socket.recvfrom(512)
            except OSError:
                return
            if not question:
                return
            end = question.index(b"\0", 12) + 5
            is_address = question[end - 4:end - 2] == b"\0\1"
            head = question[:2] + struct.pack(">HHHHH", 0x8180, 1, int(is_address), 0, 0) + question[12:end]
            if is_address:
                text = self.addresses.pop(0) if len(self.addresses) > 1 else self.addresses[0]
                head += struct.pack(">HHHIH", 0xC00C, 1, 1, 0, 4) + socket.inet_aton(text)
            self.socket.sendto(head, sender)

    def close(self):
        """Ends with an empty question: a socket in use by a thread would keep the port."""
        self.socket.sendto(b"", self.socket.getsockname())
        self.thread.join()
        self.socket.close()
