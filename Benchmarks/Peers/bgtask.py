# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""bgtask as one of the queues: a host with the plugin Benchmarks/Plugins/Stamp.c under several names."""
import json, os, shutil, socket, time

from peers import Peer

PLUGINS = 4
CONFIGURATION = """
manifests: {directory}/manifests
package-manifests: {directory}/none
plugin-directory: {directory}/none
state-directory: {directory}/state
socket: {directory}/control.sock
spacing: 0ms
limits: {{ processing: 1000000 }}
conditions: {{ external-power: true, network: true, idle: true, high-load: false, low-memory: false, hot: false,
  battery-low: false, power-saver: false, metered: false, gpu: false }}
policies: {{ off: [use, spacing, day-budget, stagger, idle, load], overrun-spacing: 0ms }}
plugins:
"""
MANIFEST = """
manifest: 1
identifier: {plugin}
library: libStamp.so
background-modes: [processing]
permitted-identifiers: [{plugin}.job.*]
"""


class Bgtask(Peer):
    """Each submission is one call of the control API on a kept-alive connection."""

    name = "bgtask"

    def __init__(self, directory, programs, library):
        super().__init__(directory, "")
        self.programs, self.library, self.count, self.connection = programs, library, 0, None
        self.plugins = [f"com.example.stamp{number}" for number in range(PLUGINS)]

    def start(self):
        manifests = self.directory / "manifests"
        manifests.mkdir()
        shutil.copy(self.library, manifests / "libStamp.so")
        text = CONFIGURATION.format(directory=self.directory)
        if os.geteuid() == 0:
            text = "plugin-users: host" + text
        for plugin in self.plugins:
            (manifests / f"{plugin}.yaml").write_text(MANIFEST.format(plugin=plugin))
            text += f"  {plugin}: {{ patterns-for-processing: true }}\n"
        configuration = self.directory / "bgtaskd.yaml"
        configuration.write_text(text)
        self.run(str(self.programs / "bgtaskd"), "--config", str(configuration), "--log-level", "error")
        self.connection = self.connect()
        # The event `started` of each plugin is delivered first.
        while self.counts()["plugins"] < PLUGINS or self.counts()["events"] or self.counts()["running_launches"]:
            time.sleep(0.05)

    def connect(self):
        for _ in range(1_000):
            connection = socket.socket(socket.AF_UNIX)
            try:
                connection.connect(str(self.directory / "control.sock"))
                return connection
            except OSError:
                connection.close()
                time.sleep(0.01)
        raise SystemExit(f"bgtaskd does not answer: {(self.directory / 'log').read_text()[-2000:]}")

    def stop(self):
        if self.connection:
            self.connection.close()
        super().stop()

    def submit(self):
        self.count += 1
        identifier = f"{self.plugins[self.count % PLUGINS]}.job.r{self.count}"
        answer = self.call("POST", "/v1/tasks", json.dumps({"identifier": identifier, "kind": "processing"}))
        if "submission" not in answer:
            raise SystemExit(f"bgtask refused a submission: {answer}")

    def counts(self):
        return self.call("GET", "/v1/host")["counts"]

    def stamps(self):
        files = [self.directory / "state/containers" / plugin / "stamps" for plugin in self.plugins]
        return [int(line) for file in files if file.exists() for line in file.read_text().split()]

    def call(self, method, path, body=""):
        head = f"{method} {path} HTTP/1.1\r\nHost: bgtask\r\nContent-Length: {len(body)}\r\n"
        kind = "Content-Type: application/json\r\n" if body else ""
        self.connection.sendall(f"{head}{kind}\r\n{body}".encode())
        answer = b""
        while True:
            piece = self.connection.recv(65_536)
            if not piece:
                raise SystemExit("bgtaskd closed the connection")
            answer += piece
            head, end, text = answer.partition(b"\r\n\r\n")
            if end and len(text) >= int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0]):
                return json.loads(text)
