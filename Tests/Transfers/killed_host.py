# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""A host with one plugin that begins a download, for the script kills."""
import http.client
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
PLUGIN = "com.example.transfers"
LIMIT = 60  # seconds without the expected event

CONFIGURATION = """\
manifests: {0}/manifests
package-manifests: {0}/manifests
plugin-directory: {0}/manifests
state-directory: {0}/state
socket: {0}/control.sock
plugin-users: host
conditions: {{ external-power: true, network: true, idle: true, high-load: false, low-memory: false, hot: false, battery-low: false, power-saver: false, metered: false, gpu: false }}
plugins: {{ {1}: {{ private-addresses: true }} }}
"""
MANIFEST = """\
manifest: 1
identifier: {0}
version: 1.0.0
role: main
library: libBeginsTransfers.so
grants: {{ network: true }}
settings: {{ server: "{1}", paths: file }}
"""


class Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=LIMIT)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def compile_c(source, output):
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", f"-I{TESTS.parent}/SDK/Sources/CBackgroundTasks/include",
                    f"-I{TESTS}/MisbehavingPlugins", TESTS / source, "-o", output, "-ldl"], check=True)


class KilledHost:
    """One host process at a time, always on the same state directory."""

    def __init__(self, programs, directory, server):
        self.programs, self.directory, self.process = programs, directory, None
        self.seen = 0  # number of the newest entry that await_journal has returned
        self.container = directory / "state/containers" / PLUGIN
        (directory / "manifests").mkdir()
        compile_c("MisbehavingPlugins/BeginsTransfers.c", directory / "manifests/libBeginsTransfers.so")
        compile_c("Torture/ShiftedClock.c", directory / "clock.so")
        self.clock, self.shifted = directory / "shift", 0
        self.shift(0)
        (directory / "bgtaskd.yaml").write_text(CONFIGURATION.format(directory, PLUGIN))
        (directory / "manifests/plugin.yaml").write_text(MANIFEST.format(PLUGIN, server))

    def shift(self, seconds):
        """Shifts the wall clock of the next hosts by further seconds."""
        self.shifted += seconds
        self.clock.write_bytes(struct.pack("=q", self.shifted))

    def start(self):
        environment = dict(os.environ, LD_PRELOAD=str(self.directory / "clock.so"), SHIFTED_CLOCK=str(self.clock))
        with open(self.directory / "host.log", "ab") as log:
            self.process = subprocess.Popen(
                [self.programs / "bgtaskd", "--config", self.directory / "bgtaskd.yaml", "--log-level", "warning"],
                env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        if self.is_running():
            self.process.terminate()
            try:
                self.process.wait(LIMIT)
            except subprocess.TimeoutExpired:
                self.kill()
                print(f"kills: the host did not stop within {LIMIT} s, and was killed", file=sys.stderr)

    def kill_transfer(self):
        """Kills the process that has loaded the transfer library."""
        found = [int(maps.parent.name) for maps in Path("/proc").glob("[0-9]*/maps") if self.is_transfer(maps)]
        if len(found) != 1:
            raise SystemExit(f"kills: {len(found)} processes of transfers were found, expected one")
        os.kill(found[0], signal.SIGKILL)

    def is_transfer(self, maps):
        """Whether a process, a child of the host, has loaded the transfer library."""
        try:
            parent = (maps.parent / "stat").read_text().rpartition(")")[2].split()[1]
            return parent == str(self.process.pid) and "libbgtask-transfer" in maps.read_text()
        except OSError:
            return False

    def call(self, route):
        connection = Connection(str(self.directory / "control.sock"))
        try:
            connection.request("GET", route)
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()

    def journal(self):
        """The whole journal; empty while the host does not answer."""
        entries, after = [], 0
        try:
            while page := self.call(f"/v1/journal?limit=1000&after={after}")["entries"]:
                entries, after = entries + page, page[-1]["number"]
            return entries
        except (OSError, http.client.HTTPException, ValueError):
            return []

    def await_journal(self, purpose, fits):
        """Waits for a new entry: one that no earlier call has returned."""
        limit = time.monotonic() + LIMIT
        while time.monotonic() < limit:
            for entry in self.journal():
                if entry["number"] > self.seen and fits(entry):
                    self.seen = entry["number"]
                    return entry
            time.sleep(0.02)
        raise SystemExit(f"kills: the journal has no entry within {LIMIT} s: {purpose}")

    def launches(self):
        """The works of the launches of the plugin, and the number of those of its transfer, from the journal."""
        launched = [entry["message"] for entry in self.journal() if entry["event"] == "launched"]
        own = [message.split(";")[0] for message in launched if "transfer lane" not in message]
        return own, len(launched) - len(own)

    def open_work(self):
        """The identifiers of the running and pending work of the plugin."""
        tasks = self.call("/v1/tasks")
        return [task["identifier"] for task in tasks["running"] + tasks["pending"]]

    def story(self):
        """Journal and log, for the diagnosis of a failure."""
        lines = [json.dumps(entry) for entry in self.journal()]
        return "\n".join(lines) + "\n" + (self.directory / "host.log").read_text()
