# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""Hosts that are stopped with SIGSTOP for longer than their runners may run, and continued."""
import pathlib, signal, time

from control import GONE, Connection, read_journal
from host import FIRST, SECOND, SHORT
from limit import Limit
from promises import Records

# Behaviour of the tasks, by identifier: they complete while the host is stopped,
LONG = {f"{FIRST}.t70": "long", f"{SECOND}.t70": "long"}
# or complete at their expiration, keep an assertion open until it expires, ignore their expiration.
SHORTLIVED = {f"{SHORT}.t1": "stay", f"{SHORT}.t3": "assert", f"{SHORT}.t2": "overstay"}
OVERSTAYING = f"{SHORT}.t2"
KILL_LIMIT = 10


def play(chapter, pauses):
    for seconds in pauses:
        chapter.host.start()
        numbers = submit_all(chapter, LONG)
        for identifier in LONG:
            await_run(chapter, numbers[identifier])
        numbers |= submit_all(chapter, SHORTLIVED)
        pid = await_run(chapter, numbers[OVERSTAYING])
        chapter.host.process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        completed = {number for number in numbers.values() if Records(chapter.directory).done[number]}
        was_alive = is_alive(pid)
        chapter.host.process.send_signal(signal.SIGCONT)
        after = await_end(chapter, pid, seconds)
        check_outcomes(chapter, numbers, completed, seconds)
        chapter.counts[f"pauses of {seconds} s"] += 1
        print(f"  stopped for {seconds} s: {len(completed)} tasks completed meanwhile; the overstaying runner "
              f"{'stayed' if was_alive else 'was gone'} and ended {after:.2f} s after the host went on", flush=True)
        chapter.kill()


def submit_all(chapter, tasks):
    """Submits all tasks; returns their submission numbers by identifier."""
    connection, numbers = Connection(chapter.host.socket), {}
    while len(numbers) < len(tasks):
        for identifier in tasks.keys() - numbers.keys():
            try:
                number = chapter.account.submit(connection, identifier, tasks[identifier])
                numbers |= {identifier: number} if number else {}
            except GONE:  # the host has not started yet
                connection.close()
                time.sleep(0.02)
    connection.close()
    return numbers


def await_run(chapter, submission):
    """Waits until a task runs; returns its process identifier."""
    limit = Limit(20)
    while not limit.is_over():
        if runs := Records(chapter.directory).runs[submission]:
            return runs[-1]["pid"]
        time.sleep(0.005)
    raise SystemExit(f"torture: {chapter.name}: submission {submission} does not run")


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def await_end(chapter, pid, seconds):
    """Waits until the overstaying process has ended; returns the seconds."""
    began, limit = time.monotonic(), Limit(KILL_LIMIT)
    while is_alive(pid):
        if limit.is_over():
            chapter.broken.append(f"process {pid} overstays {KILL_LIMIT} s after a pause of {seconds} s")
            break
        time.sleep(0.002)
    return time.monotonic() - began


def check_outcomes(chapter, numbers, completed, seconds):
    """Checks that tasks completed during the pause have succeeded, and that the overstaying task has ended."""
    wanted, limit = set(numbers.values()), Limit(30)
    while True:
        final = {entry["submission"]: entry for entry in read_journal(chapter.host.socket)
                 if entry.get("submission") in wanted and "identifier" in entry}
        if len(final) == len(wanted) or limit.is_over():
            break
        time.sleep(0.05)
    for number in completed:
        event = final[number]["event"] if number in final else "nothing"
        if event != "succeeded":
            chapter.broken.append(f"submission {number} completed during a pause of {seconds} s; journaled: {event}")
    overstaying = numbers[OVERSTAYING]
    event = final[overstaying]["event"] if overstaying in final else "nothing"
    if event not in ("expired", "overran"):
        chapter.broken.append(f"submission {overstaying} overstayed a pause of {seconds} s; journaled: {event}")
