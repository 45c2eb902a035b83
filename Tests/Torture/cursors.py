# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""Hosts and plugins that are killed or stopped while tasks work through items with a cursor."""
import collections, os, signal, time

from control import await_unfinished, read_journal
from host import FIRST, SECOND
from limit import Limit
from steps import persist

ITEMS = 200  # as in Append.c
INTERRUPTIONS = 5  # of each pair of tasks
# Seconds of movement that a SIGKILL of the host may lose (C19), and the time that a commit takes on a busy machine.
LOST, COMMIT = 1, 2
WAIT = 30  # seconds within which a task goes on after an interruption


class Item(collections.namedtuple("Item", "number submission launch at pid")):
    """One item that a task has done; `at` is in nanoseconds of the monotonic clock."""


def read_items(chapter, begin=0):
    """The items of the chapter from the byte `begin` on, which a line begins at."""
    path = chapter.directory / "records/items"
    if not path.exists():
        return []
    with open(path) as file:
        file.seek(begin)
        return [Item(*map(int, line.split()[1:])) for line in file if line.endswith("\n")]


def play(chapter, rounds):
    """In each round two tasks, with and without durable checkpoints, are interrupted several times."""
    chapter.host.start()
    for number in range(rounds):
        tasks = {submit(chapter, f"{FIRST}.t{40 + number % 10}", "items"): False,
                 submit(chapter, f"{SECOND}.t{40 + number % 10}", "durable-items"): True}
        kills = interrupt(chapter, tasks)
        left = await_unfinished(chapter.host.socket, lambda left: not left & set(tasks), 2 * WAIT)
        for submission in left & set(tasks):
            chapter.broken.append(f"submission {submission} does not end")
        done = read_items(chapter)
        for submission, is_durable in tasks.items():
            check(chapter, submission, [item for item in done if item.submission == submission], kills, is_durable)
    check_outcomes(chapter)


def submit(chapter, identifier, word):
    return persist(chapter, lambda connection: chapter.account.submit(connection, identifier, word))


def interrupt(chapter, tasks):
    """Interrupts the host or a plugin several times. Returns the times at which a host was killed."""
    kills = []
    for _ in range(INTERRUPTIONS):
        newest = await_items(chapter, tasks)
        if newest is None:
            break
        time.sleep(chapter.chance.uniform(0, 0.2))
        way = chapter.chance.choice(["kill", "kill", "plugin", "stop"])
        chapter.counts[f"{way}s in work"] += 1
        if way == "plugin":
            kill_plugin(newest)
            continue
        if way == "kill":
            kills.append(time.monotonic_ns())
            chapter.kill()
        elif (status := chapter.host.end(signal.SIGTERM)) != 0:
            chapter.broken.append(f"a host stopped with status {status}")
        chapter.host.start()
    return kills


def await_items(chapter, tasks):
    """Waits until a task has done some more items; returns the newest one. None when all tasks are done."""
    before, limit = len(of(tasks, read_items(chapter))), Limit(WAIT)
    while not limit.is_over():
        found = of(tasks, read_items(chapter))
        if sum(item.number == ITEMS - 1 for item in found) >= len(tasks):
            return None
        if len(found) >= before + 5:
            return found[-1]
        time.sleep(0.02)
    chapter.broken.append(f"no task went on within {WAIT} s after an interruption")
    return None


def of(tasks, items):
    return [item for item in items if item.submission in tasks]


def kill_plugin(newest):
    """Kills the process that did the newest item, unless it has ended."""
    try:
        os.kill(newest.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def check(chapter, submission, items, kills, is_durable):
    """Checks that each item is done, in order, and that a run repeats no more than it may."""
    def breaks(message):
        chapter.broken.append(f"submission {submission}: {message}")

    if {item.number for item in items} != set(range(ITEMS)):
        return breaks(f"{ITEMS - len({item.number for item in items})} of {ITEMS} items were not done")
    for before, item in zip(items, items[1:]):
        if item.launch == before.launch and item.number != before.number + 1:
            breaks(f"item {item.number} follows item {before.number} in one run")
        if item.launch != before.launch:
            check_begin(breaks, items, before, item, kills, is_durable)
    chapter.counts["items"] += ITEMS
    chapter.counts["repeated items"] += len(items) - ITEMS


def check_begin(breaks, items, last, first, kills, is_durable):
    """Checks the first item of a run against the last one of the run before."""
    if first.number > last.number + 1:
        breaks(f"a run begins with item {first.number}, and item {last.number + 1} was not done")
    run = [item for item in items if item.launch == last.launch]
    # The plugin may go on for a moment after its host was killed.
    was_killed = any(run[0].at <= at <= first.at for at in kills)
    may_lose = (LOST + COMMIT) * 10**9 if was_killed and not is_durable else 0
    for item in run:
        if first.number <= item.number < last.number and item.at < last.at - may_lose:
            breaks(f"a run begins with item {first.number}; item {item.number} was done and stored before the interruption")
            break


def check_outcomes(chapter):
    """Checks that no attempt was charged: each task continued, and succeeded in the end."""
    own = set(chapter.account.acknowledged)
    for entry in read_journal(chapter.host.socket):
        if entry.get("submission") in own and entry["event"] in ("crashed", "exited", "abandoned", "failed", "no-progress"):
            chapter.broken.append(f"submission {entry['submission']} ended as {entry['event']}: {entry['message']}")
