# Part of bgtask, under the Apache License 2.0; see LICENSE.

"""Prints what happened to the items of a fleet, in a column for each host, from the journals of the hosts.

    timeline.py BGTASK HOST=SOCKET...
"""

import json
import subprocess
import sys


def entries(program, socket):
    command = [program, "journal", "--json", "--limit", "10000", "--socket", socket]
    journal = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return [entry for entry in journal["entries"] if entry.get("claim")]


def main():
    program, *hosts = sys.argv[1:]
    names = [host.split("=", 1)[0] for host in hosts]
    found = [(int(entry["at_ns"]), names.index(name), entry)
             for name, socket in (host.split("=", 1) for host in hosts) for entry in entries(program, socket)]
    found.sort(key=lambda row: row[:2])
    width = 30
    print("SECOND  " + "".join(name.upper().ljust(width) for name in names).rstrip())
    for at, column, entry in found:
        work = entry["identifier"].rsplit(".", 1)[-1]
        text = f"{work}/{entry['claim']['fence']} {entry['event']}"
        if entry.get("lease_lost"):
            text += " (lease lost)"
        print(f"{(at - found[0][0]) / 1e9:6.1f}  " + " " * width * column + text)


main()
