# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""A host with the plugin of the page's tests, and bgtask page in front of it."""
import http.client
import os
import re
import signal
import stat
import struct
import subprocess
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "HostScenarios"))
from host import Failure, Host

HEADER = HERE.parents[1] / "SDK/Sources/CBackgroundTasks/include"
CLOCK = HERE.parent / "Torture/ShiftedClock.c"
START_LIMIT = 30


class ShownHost(Host):
    def __init__(self, programs, **options):
        os.environ["BGTASK_BUILD"] = str(programs)
        super().__init__(str(HERE.parent / "HostScenarios" / "bgtaskd"), str(HEADER), slack=4, **options)

    @property
    def control(self):
        return self.directory / "control.sock"

    def install_shown(self):
        library = self.directory / "plugins" / "libShown.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-I", self.header, HERE / "Shown.c", "-o", library], check=True)
        (self.directory / "plugins" / "Shown.yaml").write_text((HERE / "Shown.yaml").read_text())

    def take_manual_clock(self):
        """Lets the next start of the host read a wall clock that `turn_clock` sets."""
        library, shift = self.directory / "clock.so", self.directory / "shift"
        subprocess.run(["cc", "-shared", "-fPIC", CLOCK, "-o", library], check=True)
        self.environment = {"LD_PRELOAD": str(library), "SHIFTED_CLOCK": str(shift)}
        shift.write_bytes(struct.pack("=q", 0))

    def turn_clock(self, seconds):
        """Sets the clock of the host to some seconds after that of the machine. The host reads it for the call."""
        with open(self.directory / "shift", "r+b") as file:
            file.write(struct.pack("=q", seconds))
        self.call("GET", "/v1/host")

    def submit(self, name, **fields):
        """Submits a request, by default a processing one."""
        body = {"identifier": f"com.example.shown.{name}", "kind": "processing"} | fields
        status, answer = self.call("POST", "/v1/tasks", body)
        if status != 201:
            raise Failure(f"POST /v1/tasks answered {status}: {answer}")

    @staticmethod
    def time_in(seconds):
        return (datetime.now(timezone.utc) + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")

    def waits_for(self, purpose, condition):
        return self.wait(purpose, START_LIMIT, lambda: [entry for entry in self.journal() if condition(entry)])


class PageCommand:
    """bgtask page without a browser, and the address of its file."""

    def __init__(self, programs, socket, *options):
        command = [programs / "bgtask", "page", "--no-browser", "--socket", socket, *options]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.file = self.address = None

    def __enter__(self):
        line = self.process.stderr.readline()
        match = re.search(r"127\.0\.0\.1:(\d+).* file://(\S+)", line)
        if not match:
            raise Failure(f"bgtask page printed no file: {line}{self.process.stderr.read()}")
        self.port, self.file = int(match[1]), Path(match[2])
        self.address = re.search(r'url=(http://[^"]+)', self.file.read_text())[1]
        self.token = self.address.split("#token=")[1]
        return self

    def __exit__(self, kind, *_):
        self.process.terminate()
        try:
            self.process.wait(START_LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stderr.close()
        # An error of the scenario says more than this one.
        if kind is None and self.file.parent.exists():
            raise Failure(f"bgtask page has left {self.file.parent}")

    def interrupt(self):
        """Ends the command as Ctrl-C does. Returns its exit status."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(START_LIMIT)

    def modes(self):
        """The modes of the file and of its directory."""
        return [stat.S_IMODE(os.stat(path).st_mode) for path in [self.file, self.file.parent]]

    def request(self, method, path, body=None, **changes):
        """The status of a request with the fields of the page, changed by `changes`; None leaves a field out."""
        fields = {"host": f"127.0.0.1:{self.port}", "sec-fetch-site": "same-origin",
                  "authorization": f"Bearer {self.token}", "content-type": "application/json"}
        fields |= {name.replace("_", "-"): value for name, value in changes.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=START_LIMIT)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in fields.items():
                if value is not None:
                    connection.putheader(name, value)
            if body is not None and "content-length" not in fields:
                connection.putheader("content-length", str(len(body)))
            connection.endheaders(body.encode() if body is not None else None)
            answer = connection.getresponse()
            answer.read()
            return answer.status
        finally:
            connection.close()
