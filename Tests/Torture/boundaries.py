# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""Hosts that kill themselves before and after each kind of action of their decision loop."""
import re, signal, subprocess, threading, time

from control import GONE, Connection, call_once
from host import FIRST, REMOVED, SECOND, SHORT
from limit import Limit

SIDES = ("before", "after")
TOMORROW = 86_400


class Provocations:
    """Provokes the rarer actions of a host. Each method raises one of GONE when the host ends."""

    def __init__(self, chapter):
        self.chapter, self.host, self.account = chapter, chapter.host, chapter.account
        self.connection = Connection(self.host.socket)

    def nothing(self):
        time.sleep(0.05)

    def cancel_at_once(self):
        """Cancels a request while it is being committed. A runner has been requested for it by then."""
        canceller = threading.Thread(target=self.cancel_repeatedly, args=(f"/v1/tasks/{SHORT}.t9",))
        canceller.start()
        try:
            number = self.account.submit(self.connection, f"{SHORT}.t9")
        finally:
            canceller.join()
        if number:
            self.account.cancel(self.host.socket, number)
        time.sleep(0.1)

    def cancel_repeatedly(self, route):
        for _ in range(8):
            call_once(self.host.socket, "DELETE", route)

    def expire(self):
        self.account.submit(self.connection, f"{SHORT}.t1", "stay")
        for _ in range(20):
            if self.simulate_expiration(f"{SHORT}.t1") == 200:
                return
            time.sleep(0.02)

    def simulate_expiration(self, identifier):
        return self.connection.call("POST", "/v1/simulate/expiration", {"identifier": identifier})[0]

    def overstay(self):
        self.account.submit(self.connection, f"{SHORT}.t2", "overstay")
        self.account.submit(self.connection, f"{SHORT}.t3", "assert")
        time.sleep(0.5)

    def submit_inside(self):
        for number in range(5):
            self.account.submit(self.connection, f"{FIRST}.c{number}", "parent", kind="continued", title="parent")
        time.sleep(0.1)

    def supersede(self):
        """Starts a task inside of a launch in which an older task of the same identifier runs."""
        self.account.submit(self.connection, f"{FIRST}.c0", "parent-of-two", kind="continued", title="parent")
        time.sleep(0.1)

    def transfer(self):
        """Runs a task that begins a transfer and cancels it."""
        self.account.submit(self.connection, f"{FIRST}.t4", "transfer")
        time.sleep(0.1)

    def stop(self):
        """Stops the host after it has begun to serve."""
        self.connection.call("GET", "/v1/host")
        time.sleep(0.1)
        self.host.process.send_signal(signal.SIGTERM)
        self.host.process.wait(20)

    def purge(self):
        """Removes a plugin with a pending request and purges it; after the answer its container must be gone."""
        self.account.submit(self.connection, f"{REMOVED}.t0", due=time.time() + TOMORROW)
        container = self.host.directory / f"state/containers/{REMOVED}"
        container.mkdir(parents=True, exist_ok=True)
        (container / "mark").touch()
        self.host.manifest_file(REMOVED).unlink()
        try:
            for _ in range(200):
                if self.connection.call("DELETE", f"/v1/plugins/{REMOVED}")[0] == 200:
                    if (container / "mark").exists():
                        self.chapter.broken.append("the container of a purged plugin is still there")
                    return
                time.sleep(0.02)
        finally:
            self.host.install(REMOVED)


# By kind of action: the calls that provoke it, and the highest count that a round waits for. Each kind needs an entry.
ROUNDS = {
    "commit": ("nothing", 40),
    "answer": ("nothing", 40),
    "load": ("nothing", 2),
    "takeRunner": ("nothing", 10),
    "discardContainer": ("purge", 1),
    "dismissRunner": ("cancel_at_once", 2),
    "confineRunner": ("nothing", 10),
    "sendPlan": ("nothing", 10),
    "deliver": ("submit_inside", 3),
    "expire": ("expire", 2),
    "yieldCursor": ("supersede", 1),
    "expireAssertions": ("expire", 2),
    "stop": ("nothing", 10),
    "sweepTransfers": ("transfer", 2),
    "kill": ("overstay", 2),
    "setKillTime": ("nothing", 10),
    "wake": ("nothing", 40),
    "watch": ("nothing", 1),
    "stopped": ("stop", 1),
}


def action_kinds(programs):
    """The kinds of action, from the host's message about an invalid kill point."""
    run = subprocess.run([programs / "bgtaskd"], env={"BGTASK_KILL_AT": "unknown"}, text=True, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    found = re.search(r"kinds: ([\w ]+)$", run.stdout.strip())
    if not found:
        raise SystemExit(f"torture: {programs}/bgtaskd is not a debug build and has no kill points: {run.stdout}")
    return found[1].split()


def play(chapter, repeats):
    """Kills `repeats` hosts at each boundary."""
    kinds = action_kinds(chapter.host.programs)
    for kind in sorted(set(kinds) ^ set(ROUNDS)):
        chapter.broken.append(f"action {kind}: every kind of action has its rounds in Tests/Torture/boundaries.py, and no other")
    boundaries = [(kind, side) for kind in kinds for side in SIDES if kind in ROUNDS] * repeats
    chapter.chance.shuffle(boundaries)
    provocations = Provocations(chapter)
    kept = keep_pending(chapter)
    for kind, side in boundaries:
        provocation, highest = ROUNDS[kind]
        kill_at = f"{kind}:{side}:{chapter.chance.randint(1, highest)}"
        kill_one(chapter, getattr(provocations, provocation), provocations.connection, kill_at)
    chapter.host.start()
    release_pending(chapter, kept)


def kill_one(chapter, provoke, connection, kill_at):
    host, limit = chapter.host, Limit(30)
    host.start(kill_at)
    while not host.has_ended() and not limit.is_over():
        try:
            provoke()
        except GONE:
            connection.close()
            time.sleep(0.02)
        except subprocess.TimeoutExpired:
            pass
    if not host.has_ended():
        host.end(signal.SIGKILL)
        chapter.broken.append(f"{kill_at}: the host did not come to it within 30 s")
    elif (status := host.wait()) != -signal.SIGKILL:
        chapter.broken.append(f"{kill_at}: the host ended by itself, with status {status}")
    chapter.counts["kills"] += 1
    connection.close()


def keep_pending(chapter):
    """Submits two requests for tomorrow, so that every host has pending requests to load."""
    chapter.host.start()
    kept, connection = [], Connection(chapter.host.socket)
    while len(kept) < 2:
        try:
            number = chapter.account.submit(connection, f"{(FIRST, SECOND)[len(kept)]}.t79", due=time.time() + TOMORROW)
            kept += [number] if number else []
        except GONE:
            connection.close()
        time.sleep(0.02)
    connection.close()
    chapter.kill()
    return kept


def release_pending(chapter, kept):
    """Cancels the pending requests, that of the removed plugin and left transfers included, so that the host comes to
    rest."""
    limit = Limit(30)
    while not all(chapter.account.cancel(chapter.host.socket, number) for number in kept):
        if limit.is_over():
            chapter.broken.append("a request for tomorrow is lost, or cannot be cancelled")
            break
        kept = [number for number in kept if not chapter.account.acknowledged[number].is_cancelled]
        time.sleep(0.1)
    call_once(chapter.host.socket, "DELETE", f"/v1/tasks/{REMOVED}.t0")
    _, answer = call_once(chapter.host.socket, "GET", "/v1/tasks?limit=1000") or (None, {})
    for task in answer.get("pending", []):
        if ":transfer:" in task["identifier"]:
            call_once(chapter.host.socket, "DELETE", f"/v1/tasks/{task['identifier']}")
