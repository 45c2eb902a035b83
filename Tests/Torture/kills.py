# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""Hosts that are killed at random moments, some of them while they are stopped or just continued."""
import signal, time


def play(chapter, rounds):
    chance = chapter.chance
    for number in range(1, rounds + 1):
        chapter.host.start()
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
