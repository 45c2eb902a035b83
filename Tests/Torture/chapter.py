# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""One chapter of the torture: a fresh state directory, its rounds, and the check of every promise at its end."""
import collections, pathlib, random, shutil, signal, subprocess, sys, tempfile, time

from control import await_unfinished, read_journal
from host import PLUGINS, Host, children
from limit import Limit
from load import Account, Clients
from promises import Findings, Records


class Chapter:
    """The state shared by the rounds of a chapter. `broken` collects broken promises that concern no submission."""

    def __init__(self, name, programs, seed, plugins=PLUGINS, has_clients=True, clock="steady", pace=0.03):
        """`clock`: "steady", "shifted" for the hosts only, or "machine" if the rounds set the clock of the machine."""
        self.name, self.seed, self.clock = name, seed, clock
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix=f"bgtask-torture-{name}.", dir="/tmp"))
        self.host = Host(programs, self.directory, plugins, clock == "shifted")
        self.account, self.chance = Account(), random.Random(f"{seed}/{name}")
        self.counts, self.broken, self.drain_limit = collections.Counter(), [], 60
        self.clients = Clients(self.host, self.account, f"{seed}/{name}", pace) if has_clients else None
        self.began, self.totals = time.monotonic(), None

    def kill(self, number=signal.SIGKILL):
        """Kills the host, which must not have ended by itself."""
        if self.host.has_ended():
            raise SystemExit(f"torture: {self.name}: the host ended by itself, status {self.host.process.returncode}")
        self.host.end(number)
        self.counts["kills"] += 1

    def play(self, rounds):
        """Plays the rounds, lets the last host finish all tasks, and reports. True if every promise was kept."""
        kept = False
        try:
            rounds(self)
            self.stop_clients()
            if not self.host.process:
                self.host.start()
            kept = self.conclude()
        finally:
            self.stop_clients()
            if self.host.process:
                self.host.end(signal.SIGKILL)
            if kept:
                shutil.rmtree(self.directory)
            else:
                print(f"torture: {self.name} FAILED; state, log and records are kept in {self.directory}\n"
                      f"torture: repeat it with --only {self.name} --seed {self.seed}", flush=True)
        return kept

    def stop_clients(self):
        if self.clients:
            self.clients.stop()
            self.clients = None

    def conclude(self):
        left = await_unfinished(self.host.socket, lambda left: not left, self.drain_limit)
        if left:
            self.broken.append(f"{len(left)} submissions are still unfinished: {sorted(left)[:20]}")
        journal = read_journal(self.host.socket)
        status = self.host.end(signal.SIGTERM)
        if status != 0:
            self.broken.append(f"the last host stopped with status {status}")
        leftover = self.leftover_processes()
        if leftover:
            self.broken.append(f"processes are left after the last host: {' '.join(leftover)}")
        ledger = self.host.command("host", "check", "--config", self.host.config)
        if ledger.returncode != 0:
            self.broken.append(f"bgtask host check found a problem:\n{ledger.stdout}")
        findings = Findings(self.account, left, journal, Records(self.directory), self.clock == "steady")
        self.totals = collections.Counter(
            acknowledged=len(self.account.acknowledged) + len(findings.records.accepted),
            unanswered=self.account.unanswered, lost=findings.lost, again=findings.ran_again, repeated=findings.repeated,
            leftover=len(leftover), kills=self.counts["kills"])
        self.report(findings)
        return not findings.broken and not self.broken

    def leftover_processes(self):
        limit = Limit(10)
        while (alive := children()) and not limit.is_over():
            time.sleep(0.05)
        return alive

    def report(self, findings):
        def words(counter):
            return ", ".join(f"{count} {name}" for name, count in counter.most_common())

        print(f"{self.name}: {words(self.counts)}; {time.monotonic() - self.began:.0f} s")
        print(f"  submissions  {self.totals['acknowledged']} acknowledged, {self.account.unanswered} unanswered, "
              f"{sum(self.account.refused.values())} refused; {words(findings.outcomes)}")
        print(f"  runs         {sum(map(len, findings.records.runs.values()))}, of them {findings.repeated} re-runs "
              "before the outcome was recorded")
        for answer, count in self.account.refused.most_common(3):
            print(f"  refused      {count} times {answer}")
        for submission, message in findings.broken[:20]:
            acknowledged = self.account.acknowledged.get(submission)
            identifier = acknowledged.identifier if acknowledged else "unanswered"
            print(f"BROKEN: submission {submission} ({identifier}): {message}")
            for line in findings.story(submission):
                print(f"    {line}")
        for message in self.broken:
            print(f"BROKEN: {message}")
        sys.stdout.flush()
