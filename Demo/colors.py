# Part of bgtask, under the Apache License 2.0; see LICENSE.

"""A feed of the colours that stylesheets, pages, pictures and programs on this machine use."""

import os
import re
import sys
from datetime import datetime, timezone

from atom import make_feed

DIRECTORIES = ["/usr/share", "/usr/lib/python3", *(f"/usr/lib/python3.{minor}" for minor in range(9, 20))]
KINDS = (".css", ".html", ".py", ".svg", ".xpm")
LARGEST = 1 << 20
ENTRIES = 240
COLOR = re.compile(r"(?<![\w&])#[0-9a-fA-F]{6}(?!\w)")


def files():
    for directory in DIRECTORIES:
        for parent, directories, names in os.walk(directory):
            directories.sort()
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


def feed():
    newest = sorted(((*place, color) for color, place in colors().items()), reverse=True)[:ENTRIES]
    if not newest:
        sys.exit("no file here uses a colour; Debian's python3 brings some that do")
    return make_feed(
        "Colours on this machine",
        "tag:bgtask.example,2026:colors",
        [
            (
                f"tag:bgtask.example,2026:colors/{color[1:]}",
                f"{os.path.basename(path)}, line {line}",
                datetime.fromtimestamp(int(time), timezone.utc),
                f"file://{path}",
                f"{path} uses {color}",
            )
            for time, path, line, color in newest
        ],
    )
