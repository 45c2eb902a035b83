# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""What the tests of transfers share: a container, descriptions, and runs of transfer-try."""
import json
import os
import random
import subprocess
import tempfile
import unittest
from pathlib import Path

from server import Server

PROGRAM = None  # set by run
LIMIT = 60
FINISHED, TRANSIENT, FATAL, INTERRUPTED = 1, 2, 3, 0
FAULTS = {
    "": 0, "network": 1, "server-busy": 2, "insufficient-storage": 3, "slow": 4, "http-status": 20,
    "too-many-redirects": 21, "address-not-permitted": 22, "scheme-not-permitted": 23, "digest-mismatch": 24,
    "size-mismatch": 25, "too-many-restarts": 26, "file-unreadable": 27, "file-changed": 28, "tls-failed": 29,
    "too-large": 30, "url-invalid": 31, "network-not-granted": 32, "secret-missing": 34, "header-invalid": 37,
    "result-unknown": 38, "staging-unusable": 5,
}


def content(size, seed=1):
    source, piece = random.Random(seed), 16 << 20
    return b"".join(source.randbytes(min(piece, size - at)) for at in range(0, size, piece))


class TransferCase(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="bgtask-transfers-")
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.container = self.directory / "container"
        (self.container / ".transfers").mkdir(parents=True, mode=0o700)
        self.options = []

    def serve(self, behave, **options):
        server = Server(behave, **options)
        self.addCleanup(server.close)
        return server

    def describe(self, url, number=1, lines=(), private=True, kind="download", reserve=0, rate=0):
        """Writes a description. Returns its path."""
        path = self.directory / f"description-{number}"
        text = [f"kind: {kind}", "session: test", f"url: {url}", *lines, f"host-part: .transfers/{number}.part",
                f"host-file: .transfers/{number}", f"host-rate: {rate}", f"host-reserve: {reserve}"]
        path.write_text("\n".join(text + ["host-private: 1"] * private) + "\n")
        return path

    def upload(self, url, file, number=1, lines=()):
        return self.describe(url, number, [f"file: {file}", *lines], kind="upload")

    def command(self, *descriptions):
        return [PROGRAM, "--container", self.container, *self.options, *descriptions]

    def run_all(self, *descriptions, environment=None):
        run = subprocess.run(self.command(*descriptions), capture_output=True, text=True, timeout=LIMIT,
                             env=dict(os.environ, **(environment or {})))
        self.log = run.stderr
        self.assertEqual(run.returncode, 0, run.stderr)
        return [json.loads(line) for line in run.stdout.splitlines()]

    def run_one(self, description, environment=None):
        """The end of one try."""
        ends = self.run_all(description, environment=environment)
        self.assertEqual(len(ends), 1, self.log)
        return ends[0]

    def start(self, description):
        return subprocess.Popen(self.command(description), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def file(self, number=1):
        path = self.container / ".transfers" / str(number)
        return path.read_bytes() if path.exists() else None

    def part(self, number=1):
        return self.container / ".transfers" / f"{number}.part"

    def cursor(self, number=1):
        return self.directory / f"description-{number}.cursor"

    def check_end(self, end, result, fault="", **values):
        found = {name: end.get(name) for name in values}
        self.assertEqual((end["result"], end.get("fault", 0), found), (result, FAULTS[fault], values), end)
        if result == FATAL:
            self.assertFalse(self.part().exists(), "the incomplete file of a failed transfer was left behind")
        if result != FINISHED:
            self.assertIsNone(self.file(), "a file appeared although the transfer has not finished")

    def check_finished(self, end, body, **values):
        self.check_end(end, FINISHED, bytes=len(body), **values)
        self.assertEqual(self.file(), body, "the file differs from that of the server")
        self.assertFalse(self.part().exists(), "the incomplete file was left behind")
