# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""A real host of a fleet with its feeder: two processes that are started, stopped and killed."""
import collections
import http.client
import json
import signal
import socket
import subprocess
from pathlib import Path

from database import DIES

TESTS = Path(__file__).resolve().parent.parent
PLUGIN = "com.example.recorder"
TASKS = 200  # identifiers: PLUGIN.t0 and so on

CONFIGURATION = """\
manifests: {0}/manifests
package-manifests: {0}/manifests
plugin-directory: {1}
state-directory: {0}/state
socket: {0}/control.sock
plugin-users: host
fleet: {{ plugins: [com.example.*] }}
conditions: {{ external-power: true, network: true, idle: true, high-load: false, low-memory: false, hot: false, battery-low: false, power-saver: false, metered: false, gpu: false }}
limits: {{ processing: 1000 }}
spacing: 0ms
grace-period: 500ms
background-nice: 0
policies: {{ off: [use, spacing, day-budget, stagger, idle, load] }}
retry: {{ delay: 100ms, attempts: 20, host-delay: 100ms }}
"""


def compile_recorder(directory):
    """The plugin Recorder of the tests, which records each run durably before it completes with success."""
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", f"-I{TESTS.parent}/SDK/Sources/CBackgroundTasks/include",
                    f"-I{TESTS}/MisbehavingPlugins", TESTS / "MisbehavingPlugins/Recorder.c",
                    "-o", Path(directory) / "libRecorder.so"], check=True)


class Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=30)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Member:
    def __init__(self, name, directory, plugins, programs, database):
        self.name, self.directory, self.programs, self.database = name, Path(directory), Path(programs), database
        self.host = self.feeder = None
        (self.directory / "manifests").mkdir(parents=True)
        (self.directory / "bgtaskd.yaml").write_text(CONFIGURATION.format(self.directory, plugins))
        names = ", ".join(f"{PLUGIN}.t{number}" for number in range(TASKS))
        (self.directory / "manifests/recorder.yaml").write_text(
            f"manifest: 1\nidentifier: {PLUGIN}\nversion: 1.0.0\nrole: main\nlibrary: libRecorder.so\n"
            f"background-modes: [processing]\npermitted-identifiers: [{names}]\n")

    def start_host(self):
        self.host = self.started("host", "bgtaskd", "--config", self.directory / "bgtaskd.yaml",
                                 "--log-level", "warning")

    def start_feeder(self):
        self.feeder = self.started("feeder", "bgtask-feeder", "run", "--host", self.name,
                                   "--socket", self.directory / "control.sock",
                                   "--database", self.database.address(self.name))

    def started(self, log, program, *arguments):
        with open(self.directory / f"{log}.log", "ab") as file:
            return subprocess.Popen([*DIES, self.programs / program, *arguments], stdin=subprocess.DEVNULL,
                                    stdout=file, stderr=file, start_new_session=True)

    def start(self):
        """Starts each of the two processes that does not run."""
        if self.host is None or self.host.poll() is not None:
            self.start_host()
        if self.feeder is None or self.feeder.poll() is not None:
            self.start_feeder()

    def kill(self, *processes):
        for process in processes:
            process.kill()
            process.wait()

    def pause(self, is_paused):
        """Stops or continues both processes, like a machine that is suspended: the boot-time clock runs on."""
        for process in (self.host, self.feeder):
            if process.poll() is None:
                process.send_signal(signal.SIGSTOP if is_paused else signal.SIGCONT)

    def end(self):
        """Ends both processes in order."""
        for process in (self.feeder, self.host):
            if process is not None and process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.terminate()
                process.wait(60)

    def call(self, route):
        connection = Connection(str(self.directory / "control.sock"))
        try:
            connection.request("GET", route)
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()

    def journal(self):
        """The entries with a claim."""
        entries, after = [], 0
        while page := self.call(f"/v1/journal?claims=true&limit=1000&after={after}")["entries"]:
            entries, after = entries + page, page[-1]["number"]
        return entries

    def runs(self):
        """The recorded runs by identifier."""
        file = self.directory / "state/containers" / PLUGIN / "ran.txt"
        lines = file.read_text().splitlines() if file.exists() else []
        return collections.Counter(line.split()[0] for line in lines if line)
