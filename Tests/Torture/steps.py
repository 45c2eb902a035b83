# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""Hosts whose wall clock is set forward and back by up to more than a year, with kills in between.

ShiftedClock.c stands in for the machine's clock, which other programs use: it shifts what the host reads, and makes the
host's timer go off when it reads a new shift. The kernel's own cancellation of a timer by clock_settime takes a machine
of its own, with --set-clock."""
import time

from control import GONE, Connection, await_unfinished, read_journal, unfinished
from host import FIRST, REMOVED, SECOND
from limit import Limit
from promises import Records

HOUR, DAY = 3600, 86_400
SIZES = [HOUR, 5 * HOUR, DAY, 3 * DAY, 40 * DAY, 400 * DAY]
# Earliest begins, in seconds after the start by the clock of the host.
DUE = [2 * HOUR, 4 * HOUR, 2 * DAY, 30 * DAY, 300 * DAY]
RETENTION = 30 * DAY  # of the requests of removed plugins
# Most seconds from the decision on a launch to the start of its handler.
LAUNCH_LIMIT = 20


class Clock:
    """The host's clock, shifted by some seconds, and its steps as (real time, shift)."""

    def __init__(self, chapter):
        self.chapter, self.began = chapter, time.time()
        self.offset = self.began - time.monotonic()
        self.steps = [(0, 0)]

    def real(self):
        """Seconds since 1970 by a clock that is never set."""
        return self.offset + time.monotonic()

    def set(self, seconds):
        self.steps.append((self.real(), seconds))
        if self.chapter.clock == "machine":
            time.clock_settime(time.CLOCK_REALTIME, self.real() + seconds)
        else:
            self.chapter.host.shift(seconds)

    def latest(self, at):
        """The latest time that the host can have read within LAUNCH_LIMIT before the real time `at`."""
        ends = [step[0] for step in self.steps[1:]] + [float("inf")]
        return at + max(shift for (begin, shift), end in zip(self.steps, ends) if begin <= at and end >= at - LAUNCH_LIMIT)


def play(chapter, steps):
    clock = Clock(chapter)
    chapter.host.start()
    due = submit_due(chapter, clock)
    check_forward(chapter, clock, due)
    random_steps(chapter, clock, steps)
    check_removed(chapter, clock)
    clock.set(max(DUE) + DAY)
    await_runs(chapter, due)
    chapter.stop_clients()
    await_unfinished(chapter.host.socket, lambda left: not left, chapter.drain_limit)
    if chapter.clock == "machine":
        check_idle(chapter, clock)
    check_times(chapter, clock)
    if (first := read_journal(chapter.host.socket)[0]["number"]) != 1:
        chapter.broken.append(f"the journal begins with entry {first}: a wrong clock has ended its retention")


def persist(chapter, call):
    """Repeats a call until it has a result, across restarts of the host; returns the result."""
    connection, limit = Connection(chapter.host.socket), Limit(30)
    try:
        while not limit.is_over():
            try:
                if result := call(connection):
                    return result
            except GONE:
                connection.close()
            time.sleep(0.02)
    finally:
        connection.close()
    raise SystemExit(f"torture: {chapter.name}: the host does not take a request")


def submit_due(chapter, clock):
    """Submits one request per earliest begin; returns their numbers."""
    return [persist(chapter, lambda connection: chapter.account.submit(
        connection, f"{FIRST}.t{70 + number}", due=clock.began + after)) for number, after in enumerate(DUE)]


def await_runs(chapter, numbers):
    left = await_unfinished(chapter.host.socket, lambda left: not left & set(numbers), 30)
    for number in left & set(numbers):
        chapter.broken.append(f"submission {number} has become due when the clock was set, and does not run")


def check_forward(chapter, clock, due):
    """Checks a step of five hours forward: requests due until then run, and a running task keeps its budget."""
    running = persist(chapter, lambda connection: chapter.account.submit(connection, f"{SECOND}.t70", "long"))
    time.sleep(0.5)
    clock.set(5 * HOUR)
    await_runs(chapter, due[:2] + [running])
    left = await_unfinished(chapter.host.socket, lambda left: True, 10)
    for number in set(due[2:]) - left:
        chapter.broken.append(f"submission {number} is not due for days, and no longer pending")
    ends = [entry["event"] for entry in read_journal(chapter.host.socket) if entry.get("submission") == running]
    if ends != ["succeeded"]:
        chapter.broken.append(f"a task that ran while the clock was set ended as {ends}")


def random_steps(chapter, clock, steps):
    """Random steps, each with a running host, or with a host that is killed before or after the step."""
    chance = chapter.chance
    for _ in range(steps):
        clock.set(chance.choice([-1, 1, 0]) * chance.choice(SIZES))
        chapter.counts["clock steps"] += 1
        time.sleep(chance.uniform(0, 0.5))
        if chance.random() < 0.5:
            chapter.kill()
            if chance.random() < 0.5:
                clock.set(chance.choice([-1, 1]) * chance.choice(SIZES))
                chapter.counts["clock steps"] += 1
            chapter.host.start()
            time.sleep(chance.uniform(0, 0.5))
        # Requests without an earliest begin run under any clock.
        number = persist(chapter, lambda connection: chapter.account.submit(connection, f"{SECOND}.t71"))
        await_runs(chapter, [number])


def check_removed(chapter, clock):
    """Checks that a temporarily wrong clock does not end the retention of a removed plugin's requests."""
    clock.set(0)
    kept = persist(chapter, lambda connection: chapter.account.submit(
        connection, f"{REMOVED}.t0", due=clock.began + max(DUE)))
    chapter.host.manifest_file(REMOVED).unlink()
    persist(chapter, lambda connection: any(
        entry["event"] == "plugin-removed"
        for entry in connection.call("GET", f"/v1/journal?plugin={REMOVED}")[1]["entries"]))
    clock.set(2 * RETENTION)
    time.sleep(1)
    chapter.kill()
    chapter.host.start()
    time.sleep(1)
    clock.set(0)
    chapter.host.install(REMOVED)
    if kept not in persist(chapter, unfinished):
        chapter.broken.append(f"submission {kept} of a removed plugin is gone after a minute of a wrong clock")


def check_idle(chapter, clock):
    """Checks that the kernel notifies a host without clients of a set clock."""
    clock.set(0)
    number = persist(chapter, lambda connection: chapter.account.submit(
        connection, f"{FIRST}.t69", due=clock.began + DAY))
    time.sleep(1)
    clock.set(2 * DAY)
    began, limit = time.monotonic(), Limit(30)
    while not (runs := Records(chapter.directory).runs[number]) and not limit.is_over():
        time.sleep(0.05)
    if runs:
        print(f"  an idle host ran the request {time.monotonic() - began:.2f} s after the clock was set", flush=True)
    else:
        chapter.broken.append(f"submission {number} does not run after the clock of an idle host was set")
    clock.set(0)


def check_times(chapter, clock):
    """Checks that no request ran before its earliest begin by any clock that the host can have read."""
    runs = Records(chapter.directory).runs
    for number, acknowledged in chapter.account.acknowledged.items():
        for run in runs[number]:
            if clock.latest(clock.offset + run["monotonic"] / 1e9) < acknowledged.due:
                chapter.broken.append(f"submission {number} ran before its earliest begin: {run}")
