# Part of bgtask, under the Apache License 2.0; see LICENSE.

"""Makes an Atom feed of the colours that stylesheets, pages, pictures and programs on this machine use, and serves it.

    colors.py                  prints one line, the feed's address and how many entries it has, and serves them until its
                               standard input ends: it cannot outlive the program that started it
    colors.py --into FILE      writes the feed there and prints how many entries it has
"""

import os
import re
import sys
from datetime import datetime, timezone

from serving import make_feed, serve

FOLDERS = ["/usr/share", "/usr/lib/python3", *(f"/usr/lib/python3.{minor}" for minor in range(9, 20))]
KINDS = (".css", ".html", ".py", ".svg", ".xpm")
LARGEST = 1 << 20
ENTRIES = 240
COLOR = re.compile(r"(?<![\w&])#[0-9a-fA-F]{6}(?!\w)")


def files():
    for folder in FOLDERS:
        for parent, folders, names in os.walk(folder):
            folders.sort()
            for name in sorted(names):
                path = os.path.join(parent, name)
                if name.endswith(KINDS) and os.path.isfile(path) and os.path.getsize(path) <= LARGEST:
                    yield path


def colors():
    """Each colour with the newest file that uses it: {color: (time, path, line)}."""
    found = {}
    for path in files():
        try:
            time = os.path.getmtime(path)
            with open(path, encoding="utf-8", errors="replace") as text:
                for number, line in enumerate(text, 1):
                    for color in COLOR.findall(line):
                        found[color.lower()] = max(found.get(color.lower(), (0, "", 0)), (time, path, number))
        except OSError:
            continue  # one file that cannot be read spoils no other
    return found


newest = sorted(((*place, color) for color, place in colors().items()), reverse=True)[:ENTRIES]
if not newest:
    sys.exit("no file here uses a colour; Debian's python3 brings some that do")
feed = make_feed(
    "Colours on this machine",
    "tag:bgtask.example,2026:colors",
    [
        (
            f"tag:bgtask.example,2026:colors/{color[1:]}",
            f"{color} in {os.path.basename(path)}",
            datetime.fromtimestamp(int(time), timezone.utc),
            f"file://{path}",
            f"{path}, line {line}",
        )
        for time, path, line, color in newest
    ],
)
if sys.argv[1:2] == ["--into"]:
    with open(sys.argv[2], "wb") as file:
        file.write(feed)
    print(len(newest))
else:
    serve(feed, "colors.atom", len(newest))
