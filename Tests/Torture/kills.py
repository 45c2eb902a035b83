# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""Hosts that are killed at random moments, some of them while they are stopped or just continued."""
import signal, time

from limit import Limit

START_LIMIT = 30  # seconds within which a host acknowledges its first submission


def await_acknowledgement(chapter):
    """Waits until the host has acknowledged a submission of a client, at most START_LIMIT seconds."""
    before, limit = len(chapter.account.acknowledged), Limit(START_LIMIT)
    while len(chapter.account.acknowledged) == before and not limit.is_over():
        time.sleep(0.01)


def play(chapter, rounds):
    chance = chapter.chance
    for number in range(1, rounds + 1):
        chapter.host.start()
        # On a busy machine a start takes longer than the random time: without the wait every kill would meet a start.
        if chance.random() < 0.75:
            await_acknowledgement(chapter)
        time.sleep(chance.uniform(0.01, 0.9))
        if chance.random() < 0.15:
            chapter.host.process.send_signal(signal.SIGSTOP)
            time.sleep(chance.uniform(0.1, 1))
            chapter.counts["pauses"] += 1
            if chance.random() < 0.7:  # otherwise the kill meets a stopped host
                chapter.host.process.send_signal(signal.SIGCONT)
                time.sleep(chance.uniform(0, 0.1))
        chapter.kill()
        if number % 50 == 0:
            print(f"  round {number}: {len(chapter.account.acknowledged)} acknowledged", flush=True)
    if not chapter.account.acknowledged:
        chapter.broken.append(f"no host acknowledged a submission in {rounds} rounds: the kills prove nothing")
