# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""Damaged files of a host: its manifests, and its ledger and write-ahead log in a copy of its state directory."""
import re, shutil, signal, subprocess, time

from host import REMOVED

START_LIMIT = 30
# The hosts on copies have a user of their own, apart from the user of the host itself.
ANOTHER = 4_000


def changed(bytes, chance):
    """The bytes with some flipped bits, or cut off."""
    bytes = bytearray(bytes)
    if chance.random() < 0.3:
        return bytes[:chance.randrange(len(bytes))]
    for _ in range(chance.choice([1, 1, 1, 4, 64])):
        bytes[chance.randrange(len(bytes))] ^= 1 << chance.randrange(8)
    return bytes


def damaged_manifest(fault):
    """A manifest with flipped bits or a missing end: the other plugins run meanwhile, this one afterwards."""
    host, chapter = fault.host, fault.chapter
    file = host.manifest_file(REMOVED)
    for _ in range(3):
        draft = host.directory / "manifest"
        draft.write_bytes(damaged(host.manifests[REMOVED], fault.chance))
        draft.rename(file)
        fault.recovers("damaged_manifest")
    host.install(REMOVED)


def damaged(manifest, chance):
    """A damaged manifest of the same plugin, or of none. A flipped bit can make another plugin of it: that plugin is
    installed and removed again, and its event `started` then waits until the end of its retention, as promised."""
    while True:
        bytes = changed(manifest.encode(), chance)
        named = re.search(rb"(?m)^identifier: (.*)$", bytes)
        if named is None or named[1] == REMOVED.encode():
            return bytes


def damaged_copy(fault):
    """A host on a damaged copy of ledger and log refuses to start and changes no file, or it starts."""
    host, chance = fault.host, fault.chance
    directory = host.directory / "copy"
    (directory / "state").mkdir(parents=True)
    # At rest, because a host on a copy kills the processes of the launches that the ledger shows as running.
    fault.rest()
    host.process.send_signal(signal.SIGSTOP)
    try:
        shutil.copytree(host.directory / "state/ledger", directory / "state/ledger")
    finally:
        host.process.send_signal(signal.SIGCONT)
        fault.chapter.clients.resume()
    try:
        files = [file for file in (directory / "state/ledger").iterdir()
                 if not file.name.endswith("-shm") and file.stat().st_size]
        victim = chance.choice(files)
        victim.write_bytes(changed(victim.read_bytes(), chance))
        before = {file.name: file.read_bytes() for file in files}
        config = directory / "bgtaskd.yaml"
        # Without manifests the tasks of the copy do not run: they run in the host itself.
        text = host.config.read_text().replace(f"{host.directory}/", f"{directory}/")
        config.write_text(re.sub(r"(?m)^plugins:\n(  .*\n)+", "", text))
        host.own(directory, another=ANOTHER)
        answer = try_start(fault, config, directory)
        if answer is None:
            fault.chapter.counts["damaged copies accepted"] += 1
        else:
            fault.chapter.counts["damaged copies refused"] += 1
            if str(directory / "state/ledger") not in answer or "bgtask host check" not in answer and "copy" not in answer:
                fault.breaks(f"damaged_copy: the refusal names no file or no remedy: {answer}")
            after = {file.name: file.read_bytes() for file in (directory / "state/ledger").iterdir() if file.name in before}
            # Damage that the examination of the files does not cover is found by the opened ledger. Its close writes the
            # log into the ledger, as each stop does.
            if after != before and "failed at" not in answer and ": table " not in answer:
                fault.breaks(f"damaged_copy: the refused host has changed {before.keys() - after.keys()}: {answer}")
            elif after != before:
                fault.chapter.counts["refused after the examination"] += 1
                print(f"  refused after the examination: {answer.strip()[:300]}", flush=True)
    finally:
        shutil.rmtree(directory)


def try_start(fault, config, directory):
    """Starts a host with another configuration. Returns its refusal; None if it starts."""
    with open(directory / "log", "w+b") as log:
        process = subprocess.Popen(fault.host.as_user(another=ANOTHER) + [fault.host.programs / "bgtaskd", "--config", config],
                                   stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        began = time.monotonic()
        while process.poll() is None and not (directory / "control.sock").exists():
            if time.monotonic() - began > START_LIMIT:
                process.kill()
                process.wait()
                fault.breaks("damaged_copy: the host neither starts nor refuses")
                return None
            time.sleep(0.01)
        log.seek(0)
        if process.poll() is None:
            process.terminate()
            if process.wait(60) < 0:
                fault.breaks(f"damaged_copy: the host ended by signal {-process.returncode}: {log.read()[-300:]}")
            return None
        text = log.read().decode(errors="replace")
        if process.returncode != 1:
            fault.breaks(f"damaged_copy: the host ended with status {process.returncode}: {text[-300:]}")
        return text
