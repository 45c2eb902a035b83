# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""A host under torture: its directory, its plugins, and its consecutive processes."""
import ctypes, os, pathlib, shutil, struct, subprocess

ROOT = pathlib.Path(__file__).resolve().parent
FIRST, SECOND = "com.example.append.first", "com.example.append.second"
# The plugin has a budget of 300 ms and a grace period of 200 ms.
SHORT = "com.example.append.short"
# The manifest of this plugin is removed and installed again.
REMOVED = "com.example.append.removed"
PLUGINS = {FIRST: 80, SECOND: 80, SHORT: 10, REMOVED: 10}  # identifiers of processing tasks: PLUGIN.t0 and so on
CONTINUED = 10  # identifiers of continued tasks per plugin: PLUGIN.c0 and so on

CONFIGURATION = """\
manifests: {0}/manifests
package-manifests: {0}/none
plugin-directory: {0}/none
state-directory: {0}/state
socket: {0}/control.sock
spacing: 0ms
conditions: {{ external-power: true, network: true, idle: true, high-load: false, low-memory: false, hot: false, battery-low: false, power-saver: false, metered: false, gpu: false }}
limits: {{ processing: 1000, continued: 1000 }}
policies: {{ off: [use, spacing, day-budget, stagger, idle, load] }}
retry: {{ delay: 100ms, attempts: 20, host-delay: 100ms }}
plugins:
  {1}: {{ budgets: {{ processing: 300ms }}, grace-period: 200ms }}
"""


def compile_library(source, library, *flags):
    subprocess.run(["cc", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", *flags, ROOT / source, "-o", library],
                   check=True)


def is_reachable(directory):
    """Whether every user may pass through the directory and its parents."""
    return all(place.stat().st_mode & 0o001 for place in (directory, *directory.parents))


def copied_programs(programs, directory):
    """A directory with copies of the programs, for a checkout that only root may enter."""
    copies = directory / "programs"
    copies.mkdir()
    for name in ("bgtask", "bgtaskd", "bgtask-runner"):
        shutil.copy(programs / name, copies)
    return copies


def adopt_orphans():
    """Makes runners whose host was killed children of this process."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def reap():
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def children():
    """Identifiers of the live child processes, adopted ones included."""
    reap()
    return pathlib.Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()


class Host:
    """One host process at a time, always on the same state directory."""

    def __init__(self, programs, directory, plugins=PLUGINS, has_shifted_clock=False):
        self.programs, self.directory = programs, directory
        self.socket = str(directory / "control.sock")
        self.config = directory / "bgtaskd.yaml"
        self.process = None
        self.environment = dict(os.environ)
        self.user = None
        self.home = {}
        for name in ("manifests", "records"):
            (directory / name).mkdir()
        (directory / "records/runs").touch()
        compile_library("Append.c", directory / "manifests/libAppend.so", "-I",
                        ROOT.parent.parent / "SDK/Sources/CBackgroundTasks/include")
        self.manifests = {plugin: self.manifest(plugin, count) for plugin, count in plugins.items()}
        for plugin in plugins:
            self.install(plugin)
        self.config.write_text(CONFIGURATION.format(directory, SHORT))
        self.shift_file = directory / "shift" if has_shifted_clock else None
        if self.shift_file:
            self.shift(0)
            compile_library("ShiftedClock.c", directory / "clock.so")
            self.environment |= {"LD_PRELOAD": str(directory / "clock.so"), "SHIFTED_CLOCK": str(self.shift_file)}
        self.take_user()

    def manifest(self, plugin, count):
        names = [f"{plugin}.t{number}" for number in range(count)]
        names += [f"{plugin}.c{number}" for number in range(CONTINUED)]
        return (f"manifest: 1\nidentifier: {plugin}\nlibrary: libAppend.so\nbackground-modes: [processing]\n"
                f"permitted-identifiers: [{', '.join(names)}]\n"
                f"grants: {{ network: true, settings: [ {{ setting: records, access: write }} ] }}\n"
                f"settings: {{ records: \"{self.directory}/records\", identifiers: \"{count}\" }}\n")

    def manifest_file(self, plugin):
        return self.directory / f"manifests/{plugin}.yaml"

    def install(self, plugin):
        """Installs a manifest by a rename: the host never reads a partial one."""
        draft = self.directory / "manifest"
        draft.write_text(self.manifests[plugin])
        draft.rename(self.manifest_file(plugin))

    def shift(self, seconds):
        """Shifts the wall clock of a host with a shifted clock by the given seconds."""
        with open(self.shift_file, "r+b" if self.shift_file.exists() else "wb") as file:
            file.write(struct.pack("=q", seconds))

    def start(self, kill_at=None):
        """Starts a host that dies with this process.

        `kill_at` names the action boundary at which it kills itself; see KillPoint.swift."""
        environment = self.environment | ({"BGTASK_KILL_AT": kill_at} if kill_at else {})
        with open(self.directory / "host.log", "ab") as log:
            self.process = subprocess.Popen(
                self.as_user() + [self.programs / "bgtaskd", "--config", self.config, "--log-level", "warning"],
                env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)

    def take_user(self):
        """Lets the next hosts, and their plugins, run as a user other than root, whose processes the kernel limits.
        Gives this user all files in the directory. Does nothing without root."""
        if os.geteuid() == 0:
            if not is_reachable(self.programs):
                self.programs = copied_programs(self.programs, self.directory)
            self.user = 61_000 + os.getpid() % 4_000
            # The user cannot read the keys of vendors in the home directory of root.
            self.home = {"HOME": str(self.directory), "XDG_CONFIG_HOME": str(self.directory / "config")}
            self.environment |= self.home
            self.own(self.directory)
            self.directory.chmod(0o711)  # for the user of hosts on copies

    def own(self, directory, another=0):
        """Gives the user of the hosts a directory and all files in it; with `another`, a user next to it."""
        if self.user:
            user = self.user + another
            subprocess.run(["chown", "-R", f"{user}:{user}", directory], check=True)

    def as_user(self, another=0):
        """The words before a program that runs as the user of the hosts and dies with this process."""
        user = self.user + another if self.user else None
        words = [f"--reuid={user}", f"--regid={user}", "--clear-groups"] if user else []
        return ["setpriv", *words, "--pdeathsig", "KILL"]

    def limit(self, name):
        """The soft limit of the running host; -1 for none."""
        text = subprocess.run(
            self.as_user() + ["prlimit", "--pid", str(self.process.pid), f"--{name}", "--raw", "--noheadings",
                              "--output", "SOFT"],
            check=True, text=True, stdout=subprocess.PIPE).stdout.strip()
        return -1 if text == "unlimited" else int(text)

    def set_limit(self, name, value):
        """Sets a soft limit of the running host. Only its own user may do that without a capability."""
        words = "unlimited" if value < 0 else value
        subprocess.run(self.as_user() + ["prlimit", "--pid", str(self.process.pid), f"--{name}={words}:"], check=True)

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def processor_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def has_ended(self):
        return self.process.poll() is not None

    def wait(self, seconds=120):
        """Collects the host, and its orphans that have ended. Returns the exit status."""
        status = self.process.wait(seconds)
        self.process = None
        reap()
        return status

    def end(self, number):
        self.process.send_signal(number)
        return self.wait()

    def command(self, *arguments):
        """Runs bgtask as the user of the hosts: `host check` judges their users of plugins by its own user."""
        return subprocess.run(self.as_user() + [self.programs / "bgtask", *arguments], env=os.environ | self.home,
                              text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
