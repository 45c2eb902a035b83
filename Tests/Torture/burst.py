# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""Thousands of requests that become due within one second, while the host answers, with one kill in the middle."""
import collections, threading, time

from control import GONE, Connection, await_unfinished
from promises import Records

PLUGINS = 10
BATCH_SIZE = 100  # most tasks of one launch, the host's default
ANSWER_LIMIT = 30  # seconds
AHEAD = 3600  # seconds from the submission of the requests to their due time, by the clock of the host


def plugins(size):
    return {f"com.example.burst{number}": size // PLUGINS for number in range(PLUGINS)}


class Caller:
    """Requests the status of the host until `stop`, and records the longest answer time."""

    def __init__(self, path):
        self.path, self.stopping, self.answers, self.longest = path, threading.Event(), 0, 0
        self.timeouts = 0
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def stop(self):
        self.stopping.set()
        self.thread.join()

    def work(self):
        connection = Connection(self.path, ANSWER_LIMIT)
        while not self.stopping.is_set():
            began = time.monotonic()
            try:
                if connection.call("GET", "/v1/host")[0] == 200:
                    self.answers += 1
                    self.longest = max(self.longest, time.monotonic() - began)
            except TimeoutError:
                self.timeouts += 1
                connection.close()
            except GONE:
                connection.close()
            time.sleep(0.02)
        connection.close()


def play(chapter, size):
    host = chapter.host
    chapter.drain_limit = 300
    due = time.time() + AHEAD
    host.start()
    submit_all(chapter, size, due)
    caller, began = Caller(host.socket), time.monotonic()
    host.shift(round(due - time.time()))
    await_unfinished(host.socket, lambda left: len(left) <= size // 2, chapter.drain_limit)
    chapter.kill()
    host.start()
    left = await_unfinished(host.socket, lambda left: not left, chapter.drain_limit)
    seconds = time.monotonic() - began
    caller.stop()
    print(f"  {size} due within a second: {size - len(left)} over after {seconds:.1f} s; {caller.answers} answers "
          f"meanwhile, the longest after {caller.longest * 1000:.0f} ms", flush=True)
    if caller.timeouts or not caller.answers:
        chapter.broken.append(f"host status was answered {caller.answers} times, and {caller.timeouts} times not within "
                              f"{ANSWER_LIMIT} s")
    check_batches(chapter)


def submit_all(chapter, size, due):
    """Submits each identifier once, from four threads."""
    identifiers = [f"{plugin}.t{number}" for plugin in plugins(size) for number in range(size // PLUGINS)]
    chapter.chance.shuffle(identifiers)
    begins = {identifier: due + chapter.chance.random() for identifier in identifiers}

    def work(share):
        connection = Connection(chapter.host.socket)
        for identifier in share:
            submitted = None
            while not submitted:
                try:
                    submitted = chapter.account.submit(connection, identifier, due=begins[identifier])
                except GONE:  # the host has not started yet
                    connection.close()
                if not submitted:
                    time.sleep(0.02)
        connection.close()

    threads = [threading.Thread(target=work, args=(identifiers[number::4],), daemon=True) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def check_batches(chapter):
    launches = collections.Counter(
        run["launch"] for runs in Records(chapter.directory).runs.values() for run in runs)
    chapter.counts["launches"] = len(launches)
    for launch, count in launches.items():
        if count > BATCH_SIZE:
            chapter.broken.append(f"launch {launch} ran {count} tasks, more than {BATCH_SIZE}")
