# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""A PostgreSQL server in a directory of its own, with the schema of a fleet."""
import os
import subprocess
import time
from pathlib import Path

NOBODY = 65534  # PostgreSQL refuses root
DIES = ["setpriv", "--pdeathsig", "KILL"]
LIMIT = 60  # seconds for the server's start


class Database:
    """Roles: admin; sub, the submitter; view, the viewer; and a role for each enrolled host."""

    def __init__(self, directory, programs):
        self.directory, self.programs, self.process = Path(directory), Path(programs), None
        versions = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
        if not versions:
            raise SystemExit("PostgreSQL is missing; install it with: make packages")
        self.bin = versions[-1]
        self.directory.mkdir()
        self.directory.chmod(0o755)
        if os.geteuid() == 0:
            os.chown(self.directory, NOBODY, NOBODY)
        self.run("initdb", "-D", self.directory / "data", "-U", "admin", "--auth=trust", "-N")
        self.start()
        self.feeder("init", role="admin")
        self.sql("create role sub login; grant bgtask_fleet_submitter to sub;"
                 "create role view login; grant bgtask_fleet_viewer to view")

    def unprivileged(self):
        user = [f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if os.geteuid() == 0 else []
        return [*DIES, *user]

    def run(self, program, *arguments):
        run = subprocess.run([*self.unprivileged(), self.bin / program, *arguments], cwd="/", text=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if run.returncode != 0:
            raise SystemExit(f"{program}: {run.stdout}{run.stderr}")
        return run.stdout

    def start(self):
        """Starts the server, and waits until it accepts connections. After a kill the first attempts may fail, while
        processes of the killed server end."""
        limit = time.monotonic() + LIMIT
        self.launch()
        while self.query("select 1") is None:
            if time.monotonic() > limit:
                raise SystemExit(f"the server does not start; see {self.directory.with_suffix('.log')}")
            if self.process.poll() is not None:
                self.launch()
            time.sleep(0.1)

    def launch(self):
        """Its data does not outlive the test: it need not wait for the disk."""
        settings = ["listen_addresses=", f"unix_socket_directories={self.directory}", "fsync=off", "max_connections=300"]
        with open(self.directory.with_suffix(".log"), "ab") as log:
            self.process = subprocess.Popen(
                [*self.unprivileged(), self.bin / "postgres", "-D", self.directory / "data",
                 *[word for setting in settings for word in ("-c", setting)]],
                cwd="/", stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)

    def kill(self):
        """Kills the server's first process; its other processes end themselves."""
        self.process.kill()
        self.process.wait()

    def address(self, role):
        return f"host={self.directory} user={role} dbname=postgres"

    def query(self, statements, role="admin"):
        """The rows of statements, without headings; None when the server does not answer or refuses."""
        run = subprocess.run(
            [self.bin / "psql", "-X", "-v", "ON_ERROR_STOP=1", "-At", "-d", self.address(role), "-c", statements],
            cwd="/", text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return run.stdout.splitlines() if run.returncode == 0 else None

    def sql(self, statements):
        rows = self.query(statements)
        if rows is None:
            raise SystemExit(f"the server refused: {statements}")
        return rows

    def feeder(self, *words, role):
        """Runs a command of bgtask-feeder to its end."""
        return subprocess.run([self.programs / "bgtask-feeder", *words, "--database", self.address(role)], text=True,
                              check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout

    def enroll(self, host, *groups):
        """Enrolls a host with a role of its name."""
        self.sql(f"create role {host} login; grant bgtask_fleet_host to {host}")
        words = [word for group in groups for word in ("--group", group)]
        self.feeder("enroll", host, "--role", host, *words, role="admin")
