# Part of bgtask, under the Apache License 2.0; see LICENSE.

"""Waits until the journal has an entry, with an operator's command: bgtask journal --follow --json.

    journal.py BGTASK SECONDS KEY=VALUE...

Prints the launch of the first entry that has every value ("-" if it belongs to none); exits 1 when the time is up.
`after=NUMBER` skips the entries up to that one.
"""

import json
import subprocess
import sys
import threading


def main():
    program, seconds, *wanted = sys.argv[1:]
    wanted = dict(pair.split("=", 1) for pair in wanted)
    after = int(wanted.pop("after", 0))
    follow = subprocess.Popen([program, "journal", "--follow", "--json", "--limit", "1000"], stdout=subprocess.PIPE)
    clock = threading.Timer(float(seconds), follow.kill)
    clock.start()
    try:
        for line in follow.stdout:
            entry = json.loads(line)
            if entry["number"] > after and all(str(entry.get(key)) == value for key, value in wanted.items()):
                print(entry.get("launch", "-"))
                return
    finally:
        clock.cancel()
        follow.kill()
        follow.wait()
    sys.exit("not in the journal after %s s: %s" % (seconds, wanted))


main()
