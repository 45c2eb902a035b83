# Part of bgtask, under the Apache License 2.0; see LICENSE.

"""A feed of the newest changes to the packages installed here."""

import email.utils
import glob
import gzip
import os
import re
import sys
from datetime import datetime, timezone

from atom import make_feed

ENTRIES = 40
HEADING = re.compile(r"(\S+) \(([^)]+)\) ([^;]+);")
TRAILER = re.compile(r" -- .*?<[^>]*>\s+(.+)")


def newest_change(path):
    """The first entry of a changelog: (date, source package, version, distribution, text), or None."""
    heading, text = None, []
    with gzip.open(path, "rt", encoding="utf-8", errors="replace") as changelog:
        for line in changelog:
            trailer = TRAILER.match(line)
            if heading and trailer:
                date = email.utils.parsedate_to_datetime(trailer.group(1))
                return date.astimezone(timezone.utc), *heading.groups(), "".join(text).strip()
            if heading:
                text.append(line)
            elif line.strip():
                heading = HEADING.match(line)
                if not heading:
                    return None
    return None


def changes():
    found = {}
    for path in glob.glob("/usr/share/doc/*/changelog.Debian.gz"):
        try:
            change = newest_change(path)
        except (OSError, EOFError, ValueError, TypeError):
            continue  # one changelog that cannot be read spoils no other
        if change:
            found[change[1:3]] = change  # several packages are built from one source
    return list(found.values()) or installations()


def installations():
    """The installed packages with time and version of their installation, for machines without changelogs."""
    with open("/var/lib/dpkg/status", encoding="utf-8", errors="replace") as status:
        blocks = status.read().split("\n\n")
    for block in blocks:
        fields = dict(re.findall(r"^(Package|Version|Description): (.+)", block, re.MULTILINE))
        name = "/var/lib/dpkg/info/" + fields.get("Package", "")
        for path in glob.glob(name + ".list") + glob.glob(name + ":*.list"):
            date = datetime.fromtimestamp(int(os.path.getmtime(path)), timezone.utc)
            yield date, fields["Package"], fields.get("Version", "?"), "installed", fields.get("Description", "")


def feed():
    newest = sorted(changes(), reverse=True)[:ENTRIES]
    if not newest:
        sys.exit("no package is installed that has a changelog or a version")
    return make_feed(
        "Packages on this machine",
        "tag:bgtask.example,2026:packages",
        [
            (
                f"tag:bgtask.example,2026:packages/{package}/{version}",
                f"{package} {version} ({distribution})",
                date,
                f"https://tracker.debian.org/pkg/{package}",
                text,
            )
            for date, package, version, distribution, text in newest
        ],
    )
