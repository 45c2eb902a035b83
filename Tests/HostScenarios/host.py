# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""One host under test in a directory of its own, its plugins, and the client of its control API."""
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

PLUGINS = Path(__file__).resolve().parent / "plugins"

# The settings of every scenario: no waits, conditions that let everything run, and short grace periods.
SETTINGS = {
    "spacing": "0s", "stagger": "0s", "retry-delay": "20ms", "overrun-spacing": "0s",
    "refresh-spacing": "0s", "grace-period": "300ms",
    "external-power": "true", "network": "true", "idle": "true", "high-load": "false", "low-memory": "false",
    "hot": "false", "battery-low": "false", "power-saver": "false", "metered": "false",
}
START_LIMIT = 30
STOP_LIMIT = 30
ANSWER_LIMIT = 30


class Failure(Exception):
    """A difference between the host and a scenario."""


class Connection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Host:
    def __init__(self, program, header, slack, keep=False):
        self.program, self.header, self.slack, self.keep = program, header, slack, keep
        self.directory = Path(tempfile.mkdtemp(prefix="bgtask-scenario-"))
        # The users of plugins reach the libraries.
        self.directory.chmod(0o755)
        (self.directory / "plugins").mkdir(mode=0o755)
        (self.directory / "packages").mkdir(mode=0o755)
        self.log = open(self.directory / "host.log", "ab")
        self.environment = {}
        self.process = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process:
            self.kill()
        self.log.close()
        if self.keep:
            print(f"kept    {self.directory}")
        else:
            shutil.rmtree(self.directory, ignore_errors=True)

    def configure(self, settings):
        lines = [f"{key}={value}\n" for key, value in (SETTINGS | settings).items()]
        (self.directory / "settings").write_text("".join(lines))

    def install(self, name):
        """Compiles a plugin with the header, and installs it: library first, manifest last."""
        library = self.directory / "plugins" / f"lib{name}.so"
        command = ["cc", "-std=c17", "-shared", "-fPIC", "-I", self.header, str(PLUGINS / f"{name}.c"), "-o", str(library)]
        built = subprocess.run(command, capture_output=True, text=True)
        if built.returncode:
            raise Failure(f"{name}.c does not compile: {built.stderr}")
        shutil.copy(PLUGINS / f"{name}.yaml", self.directory / "plugins")

    # Processes

    def start(self):
        command = [self.program, str(self.directory)]
        self.process = subprocess.Popen(command, env=os.environ | self.environment, stdin=subprocess.DEVNULL,
                                        stdout=self.log, stderr=self.log)
        self.wait("the host serves its socket with all plugins", START_LIMIT, self.serves)

    def serves(self):
        if self.process.poll() is not None:
            raise Failure(f"the host ended with {self.process.returncode} at its start: {self.last_lines()}")
        try:
            status, plugins = self.call("GET", "/v1/plugins")
        except OSError:
            return False
        return status == 200 and not plugins.get("partial")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.wait("the host ends after SIGTERM", STOP_LIMIT, lambda: self.process.poll() is not None)
        self.process = None

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process = None

    # Calls

    def call(self, method, path, body=None):
        """The status and the JSON of an answer."""
        connection = Connection(str(self.directory / "control.sock"), ANSWER_LIMIT * self.slack)
        try:
            content = None if body is None else json.dumps(body)
            connection.request(method, path, content, {} if content is None else {"Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read()
            return answer.status, json.loads(text) if text else {}
        finally:
            connection.close()

    def journal(self):
        """All entries of the journal, oldest first."""
        entries, after = [], 0
        while True:
            status, page = self.call("GET", f"/v1/journal?after={after}")
            if status != 200:
                raise Failure(f"GET /v1/journal answered {status}: {page}")
            if not page["entries"]:
                return entries
            entries += page["entries"]
            after = entries[-1]["number"]

    def wait(self, purpose, limit, condition):
        deadline = time.monotonic() + limit * self.slack
        while not (result := condition()):
            if time.monotonic() > deadline:
                raise Failure(f"after {limit * self.slack:g} s still not true: {purpose}")
            time.sleep(0.02)
        return result

    def last_lines(self):
        self.log.flush()
        return (self.directory / "host.log").read_text(errors="replace")[-1000:]
