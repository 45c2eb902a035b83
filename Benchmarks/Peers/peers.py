# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""Job queues with the same work: each job records the time of its first instruction. Two jobs run at a time."""
import os, pathlib, shutil, signal, subprocess, sys, time

HERE = pathlib.Path(__file__).parent


class Peer:
    """A queue in a directory of its own. `submit` hands over one job, durably where the queue can."""

    def __init__(self, directory, record):
        self.directory, self.record, self.processes = directory, str(record), []

    def start(self):
        pass

    def stop(self):
        for process in reversed(self.processes):
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def stamps(self):
        """The recorded times in nanoseconds of the monotonic clock."""
        file = self.directory / "stamps"
        return [int(line) for line in file.read_text().split()] if file.exists() else []

    def run(self, *command):
        """Starts a process that `stop` ends."""
        with open(self.directory / "log", "a") as log:
            self.processes.append(
                subprocess.Popen(command, cwd=self.directory, stdin=subprocess.DEVNULL, stdout=log, stderr=log))


def execute(*command, **environment):
    """Runs a client to its end, without the costs of the module subprocess."""
    output = (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)
    client = os.posix_spawnp(command[0], command, dict(os.environ, **environment), file_actions=[output])
    if os.waitpid(client, 0)[1] != 0:
        raise SystemExit(f"{' '.join(command)} failed")


class TaskSpooler(Peer):
    name = "task-spooler"

    def start(self):
        self.tsp("-S", "2")

    def submit(self):
        self.tsp("-n", self.record, str(self.directory))

    def stop(self):
        self.tsp("-K")

    def tsp(self, *arguments):
        execute("tsp", *arguments, TS_SOCKET=str(self.directory / "socket"), TMPDIR=str(self.directory))


class Nq(Peer):
    """Each queue directory runs one job at a time."""

    name = "nq, 2 queues"

    def start(self):
        self.count = 0

    def submit(self):
        self.count += 1
        queue = self.directory / f"queue{self.count % 2}"
        execute("nq", "-c", "-q", self.record, str(self.directory), NQDIR=str(queue))


class WithRedis(Peer):
    """A queue in Redis."""

    kind = ""
    appendfsync = "always"

    def start(self):
        socket = self.directory / "redis.sock"
        # The program of redis-tools is the server under this name. The package redis-server would start a service.
        server = self.directory / "redis-server"
        server.symlink_to(shutil.which("redis-check-rdb"))
        self.run(str(server), "--port", "0", "--unixsocket", str(socket), "--dir", str(self.directory), "--save", "",
                 "--appendonly", "yes", "--appendfsync", self.appendfsync)
        for _ in range(500):
            if socket.exists():
                break
            time.sleep(0.01)
        os.environ.update(PEER=self.kind, PEER_DIRECTORY=str(self.directory), PYTHONPATH=str(HERE),
                          PYTHONDONTWRITEBYTECODE="1")
        # Each queue has a module of its own, with its own directory.
        sys.modules.pop("jobs", None)
        import jobs
        self.jobs = jobs
        self.work()

    def script(self, name, *arguments):
        self.run(sys.executable, str(pathlib.Path(sys.executable).parent / name), *arguments)


class Huey(WithRedis):
    name, kind = "huey with Redis, 2 processes", "huey"

    def work(self):
        self.script("huey_consumer", "jobs.huey", "-w", "2", "-k", "process", "-n")

    def submit(self):
        self.jobs.stamp_by_huey()


class Rq(WithRedis):
    name, kind, worker = "RQ, a process per job, 2 workers", "rq", "rq.worker.Worker"

    def work(self):
        import redis, rq
        self.queue = rq.Queue("peer", connection=redis.Redis(unix_socket_path=str(self.jobs.REDIS)))
        for _ in range(2):
            self.script("rq", "worker", "-u", f"unix://{self.jobs.REDIS}", "-w", self.worker, "--quiet", "peer")

    def submit(self):
        self.queue.enqueue("jobs.stamp", result_ttl=0)


class SimpleRq(Rq):
    name, worker = "RQ, SimpleWorker, 2 workers", "rq.worker.SimpleWorker"


class Celery(WithRedis):
    name, kind = "Celery with Redis, 2 processes", "celery"

    def work(self):
        self.script("celery", "-A", "jobs", "worker", "-c", "2", "--loglevel", "ERROR", "--without-gossip",
                    "--without-mingle")

    def submit(self):
        self.jobs.stamp_by_celery.delay()
