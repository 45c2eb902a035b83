# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""Hosts with too little of something: disk, descriptors, processes, memory, and with damaged files.

Each fault lasts while clients submit. The host either answers with the cause and the remedy, or continues; after the fault
it works again without a restart. `soak` plays random faults on one host and compares its memory and descriptors."""
import errno, os, pathlib, signal, statistics, struct, subprocess, time

from control import GONE, Connection, await_unfinished
from damage import damaged_copy, damaged_manifest
from host import FIRST, compile_library
from limit import Limit
from promises import Records

RECOVERY_LIMIT = 30
STATUS_LIMIT = 10  # seconds within which a host with a fault answers a connection that it has accepted
RESERVE = 20  # free descriptors with which no launch begins
LOW = 4  # descriptors or mebibytes above the present use


class Fault:
    """The faults of one host and the measurements after each of them."""

    def __init__(self, chapter):
        self.chapter, self.host, self.chance = chapter, chapter.host, chapter.chance
        self.disk = self.host.directory / "faults"
        self.connection = Connection(self.host.socket, STATUS_LIMIT)
        self.set_disk()
        compile_library("FaultyDisk.c", self.host.directory / "disk.so")
        self.host.environment |= {"LD_PRELOAD": str(self.host.directory / "disk.so"), "FAULTY_DISK": str(self.disk)}
        self.host.take_user()
        self.samples = []

    def breaks(self, message):
        self.chapter.broken.append(message)

    def set_disk(self, write=0, sync=0, delay=0):
        with open(self.disk, "r+b" if self.disk.exists() else "wb") as file:
            file.write(struct.pack("=iii", write, sync, delay))

    # Calls

    def start(self):
        self.host.start()
        self.await_call("GET", "/v1/host")

    def await_call(self, method, route, connection=None):
        connection, limit = connection or self.connection, Limit(RECOVERY_LIMIT)
        while not limit.is_over():
            try:
                return connection.call(method, route)
            except GONE:
                connection.close()
                time.sleep(0.02)
        raise SystemExit(f"torture: {self.chapter.name}: the host does not answer within {RECOVERY_LIMIT} s")

    def status(self, name):
        """The status of the host during a fault, on the connection that was accepted before it."""
        began = time.monotonic()
        try:
            answer = self.connection.call("GET", "/v1/host")[1]
            self.chapter.longest = max(self.chapter.longest, time.monotonic() - began)
            return answer
        except GONE as error:
            self.connection.close()
            if name == "few_processes":
                self.chapter.counts["calls that waited for a thread"] += 1
            elif not self.host.has_ended():
                self.breaks(f"{name}: an accepted connection gets no answer: {error!r}")
            return None

    def submit(self):
        """Submits a request; returns its number, or the message of the refusal, or None without an answer."""
        before = dict(self.chapter.account.refused)
        try:
            number = self.chapter.account.submit(self.connection, f"{FIRST}.t{self.chance.randint(60, 69)}")
        except GONE:
            self.connection.close()
            return None
        if number:
            return number
        fresh = [text for text, count in self.chapter.account.refused.items() if count > before.get(text, 0)]
        return fresh[0] if fresh else ""

    def recovers(self, name):
        """Checks that the host, without a restart, accepts a request and runs it."""
        began, limit, number = time.monotonic(), Limit(RECOVERY_LIMIT), None
        while not limit.is_over():
            if number is None:
                answer = self.submit()
                number = answer if isinstance(answer, int) else None
            elif Records(self.chapter.directory, self.records_from).runs[number]:
                return time.monotonic() - began
            time.sleep(0.02)
        self.breaks(f"{name}: {'no request is accepted' if number is None else f'submission {number} does not run'} "
                    f"{RECOVERY_LIMIT} s after the fault")
        return None

    def play(self, name, *arguments):
        """Plays a fault on the running host, and checks that the same host recovers."""
        pid = self.host.process.pid
        self.records_from = (self.host.directory / "records/runs").stat().st_size
        self.await_call("GET", "/v1/host")
        getattr(self, name)(*arguments)
        if name in LETHAL and self.host.has_ended():
            return
        if self.host.has_ended():
            raise SystemExit(f"torture: {name}: the host ended by itself, status {self.host.process.returncode}")
        self.recovers(name)
        if self.await_call("GET", "/v1/host", Connection(self.host.socket, STATUS_LIMIT))[0] != 200:
            self.breaks(f"{name}: a new connection is refused after the fault")
        if name not in LETHAL and pid != self.host.process.pid:
            self.breaks(f"{name}: process {pid} of the host was replaced by {self.host.process.pid}")
        self.chapter.counts[name] += 1

    # The disk

    def failing_disk(self, name, seconds, words, **faults):
        self.set_disk(**faults)
        refusals, limit = [], Limit(seconds)
        try:
            while not limit.is_over():
                answer = self.submit()
                if isinstance(answer, str):
                    refusals.append(answer)
                state = (self.status(name) or {}).get("ledger", {})
                time.sleep(0.05)
            if not refusals:
                self.breaks(f"{name}: no submission was refused")
            elif state.get("state") != "failing" or words not in state.get("error", ""):
                self.breaks(f"{name}: host status does not name the remedy \"{words}\": {state}")
        finally:
            self.set_disk()

    def full_disk(self):
        self.failing_disk("full_disk", self.seconds(), "free space on its disk", write=errno.ENOSPC)

    def broken_disk(self):
        self.failing_disk("broken_disk", self.seconds(), "check the kernel's log for disk errors", write=errno.EIO)

    def failed_synchronization(self):
        self.failing_disk("failed_synchronization", self.seconds(), "check the kernel's log for disk errors",
                          sync=errno.EIO)

    def read_only_disk(self):
        self.failing_disk("read_only_disk", self.seconds(), "check the kernel's log for disk errors", write=errno.EROFS)

    def slow_disk(self):
        """Synchronizations that take up to a second: calls that need no commit are answered meanwhile."""
        delay = self.chance.choice([100, 300, 1000])
        self.set_disk(delay=delay)
        try:
            began, limit = time.monotonic(), Limit(self.seconds())
            while not limit.is_over():
                asked = time.monotonic()
                if self.status("slow_disk") and time.monotonic() - asked > STATUS_LIMIT / 2:
                    self.breaks(f"slow_disk: host status took {time.monotonic() - asked:.1f} s")
                time.sleep(0.05)
            if not isinstance(answer := self.submit(), int):
                self.breaks(f"slow_disk: a submission was not accepted: {answer}")
        finally:
            self.set_disk()

    # Limits of the process

    def limited(self, name, option, value, words, seconds, provoke=lambda: None):
        """Lowers a soft limit of the host while it has to launch; the log has to name the limit."""
        log = self.host.directory / "host.log"
        size, before = log.stat().st_size, self.host.limit(option)
        used = self.host.processor_seconds()
        self.host.set_limit(option, value)
        try:
            limit, began = Limit(seconds), time.monotonic()
            while not limit.is_over() and not self.host.has_ended():
                answer = self.submit()
                if isinstance(answer, str):
                    self.breaks(f"{name}: a submission was refused: {answer}")
                self.status(name)
                provoke()
                time.sleep(0.05)
            if not self.host.has_ended():
                share = (self.host.processor_seconds() - used) / (time.monotonic() - began)
                self.chapter.busiest = max(self.chapter.busiest, share)
        finally:
            if not self.host.has_ended():
                self.host.set_limit(option, before)
        with open(log, "rb") as file:
            file.seek(size)
            text = file.read().decode(errors="replace")
        # Without an entry each launch found what it needed.
        if words and text and not self.host.has_ended() and words not in text:
            self.breaks(f"{name}: the log does not name {words}: {text[:300]!r}")

    def few_descriptors(self):
        """Too few descriptors for another launch. The host keeps a reserve: libdispatch ends a process without any."""
        self.rest()
        number = self.host.descriptors() + RESERVE + self.chance.randint(0, LOW)
        self.chapter.clients.resume()
        callers = [Connection(self.host.socket, 1) for _ in range(2)]

        def call(caller):
            try:
                caller.call("GET", "/v1/host")
            except GONE:
                caller.close()

        self.limited("few_descriptors", "nofile", number, "Too many open files", 1 + self.seconds(),
                     lambda: call(self.chance.choice(callers)))
        for caller in callers:
            caller.close()

    def few_processes(self):
        if os.geteuid() == 0 and not self.host.user:
            return  # the kernel does not limit root
        self.limited("few_processes", "nproc", 1, "RLIMIT_NPROC", self.seconds())

    def little_memory(self):
        """Swift ends a process whose allocation fails. The next host has everything that this one acknowledged."""
        status = (pathlib.Path(f"/proc/{self.host.process.pid}/status")).read_text()
        size = int(status.partition("VmSize:")[2].split()[0]) << 10
        self.limited("little_memory", "as", size + (self.chance.randint(0, LOW) << 20), "", self.seconds())
        if self.host.has_ended():
            code = self.host.wait()
            if code >= 0:
                self.breaks(f"little_memory: the host ended with status {code}")
            self.chapter.counts["little_memory, ended"] += 1
            self.start()
            self.recovers("little_memory")

    # Damage

    def damaged_manifest(self):
        damaged_manifest(self)

    def damaged_copy(self):
        damaged_copy(self)

    def kill_on_faulty_disk(self):
        """SIGKILL while the disk fails: commits of which only a part is on disk."""
        self.set_disk(**self.chance.choice([{"write": errno.ENOSPC}, {"write": errno.EIO}, {"sync": errno.EIO}]))
        time.sleep(self.chance.uniform(0, 0.5))
        self.chapter.kill()
        self.set_disk()
        self.start()
        self.recovers("kill_on_faulty_disk")

    def seconds(self):
        return self.chance.uniform(0.5, 2)

    # Measurements

    def rest(self):
        """Pauses the clients until no task is pending or running."""
        self.chapter.clients.pause()
        left = await_unfinished(self.host.socket, lambda left: not left, RECOVERY_LIMIT)
        if left:
            self.breaks(f"{len(left)} submissions are unfinished {RECOVERY_LIMIT} s after the clients paused")

    def sample(self):
        """Memory in KiB and descriptors of the host at rest: without clients and without a running task."""
        self.rest()
        time.sleep(0.5)
        status = pathlib.Path(f"/proc/{self.host.process.pid}/status").read_text()
        memory = int(status.partition("RssAnon:")[2].split()[0])
        self.samples.append((time.monotonic(), memory, self.host.descriptors(), int(status.partition("Threads:")[2].split()[0])))
        self.chapter.clients.resume()


LETHAL = ("little_memory", "kill_on_faulty_disk")
LASTING = ("full_disk", "broken_disk", "failed_synchronization", "read_only_disk", "slow_disk", "few_descriptors",
           "few_processes", "damaged_manifest", "damaged_copy")


def play(chapter, minutes):
    """Plays each fault once, then random ones for the given minutes on one host, then those that end hosts."""
    fault = Fault(chapter)
    chapter.longest, chapter.busiest = 0, 0
    fault.start()
    for name in LASTING:
        fault.play(name)
    if minutes:
        soak(fault, minutes)
    for _ in range(max(1, round(minutes / 2))):
        for name in LETHAL:
            fault.play(name)
    print(f"  host status with a fault: the longest answer after {chapter.longest * 1000:.0f} ms; with a low limit the host "
          f"used at most {chapter.busiest * 100:.0f} % of a processor", flush=True)


def soak(fault, minutes):
    began = time.monotonic()
    fault.sample()
    while time.monotonic() - began < minutes * 60:
        for _ in range(4):
            fault.play(fault.chance.choice(LASTING))
        fault.sample()
    report(fault, began)


def report(fault, began):
    """Prints the samples as a table, and compares the second quarter with the last one."""
    samples = fault.samples
    step = max(1, len(samples) // 12)
    print("  minute  memory KiB  descriptors  threads")
    for at, memory, descriptors, threads in samples[::step]:
        print(f"  {(at - began) / 60:6.1f}  {memory:10}  {descriptors:11}  {threads:7}")
    quarter = max(1, len(samples) // 4)
    early, late = samples[quarter:2 * quarter] or samples[:1], samples[-quarter:]
    for column, unit, most in ((1, "KiB of memory", 1.1), (2, "descriptors", 1), (3, "threads", 1.1)):
        before, after = (statistics.median(sample[column] for sample in part) for part in (early, late))
        print(f"  {unit}: {before:.0f} in the second quarter, {after:.0f} in the last", flush=True)
        if after > before * most + (4096 if column == 1 else 8):
            fault.breaks(f"the host has {after:.0f} {unit} in the last quarter and had {before:.0f} in the second")
