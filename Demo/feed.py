# Part of bgtask, under the Apache License 2.0; see LICENSE.

"""Makes an Atom feed of the newest changes to the packages installed here, and serves it on a free loopback port.

Prints one line, the feed's address and how many entries it has, and serves until its standard input ends: it cannot
outlive the program that started it.
"""

import email.utils
import glob
import gzip
import hashlib
import http.server
import os
import re
import sys
import threading
import xml.etree.ElementTree as xml
from datetime import datetime, timezone

ATOM = "http://www.w3.org/2005/Atom"
ENTRIES = 40
HEADING = re.compile(r"(\S+) \(([^)]+)\) ([^;]+);")
TRAILER = re.compile(r" -- .*?<[^>]*>\s+(.+)")
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd]")


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
    """Machines without documentation still know what was installed when, and at which version."""
    with open("/var/lib/dpkg/status", encoding="utf-8", errors="replace") as status:
        blocks = status.read().split("\n\n")
    for block in blocks:
        fields = dict(re.findall(r"^(Package|Version|Description): (.+)", block, re.MULTILINE))
        name = "/var/lib/dpkg/info/" + fields.get("Package", "")
        for path in glob.glob(name + ".list") + glob.glob(name + ":*.list"):
            date = datetime.fromtimestamp(int(os.path.getmtime(path)), timezone.utc)
            yield date, fields["Package"], fields.get("Version", "?"), "installed", fields.get("Description", "")


def make_feed():
    newest = sorted(changes(), reverse=True)[:ENTRIES]
    if not newest:
        sys.exit("no package is installed that has a changelog or a version")
    xml.register_namespace("", ATOM)
    feed = xml.Element(f"{{{ATOM}}}feed")

    def add(parent, name, text):
        xml.SubElement(parent, f"{{{ATOM}}}{name}").text = NOT_IN_XML.sub("?", text)

    add(feed, "title", "Packages on this machine")
    add(feed, "id", "tag:bgtask.example,2026:packages")
    add(feed, "updated", newest[0][0].isoformat())
    for date, package, version, distribution, text in newest:
        entry = xml.SubElement(feed, f"{{{ATOM}}}entry")
        add(entry, "title", f"{package} {version} ({distribution})")
        add(entry, "id", f"tag:bgtask.example,2026:packages/{package}/{version}")
        add(entry, "updated", date.isoformat())
        xml.SubElement(entry, f"{{{ATOM}}}link", href=f"https://tracker.debian.org/pkg/{package}")
        add(entry, "summary", text)
    return xml.tostring(feed, encoding="utf-8", xml_declaration=True), len(newest)


FEED, COUNT = make_feed()
ETAG = '"' + hashlib.sha256(FEED).hexdigest()[:16] + '"'


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        is_known = self.headers.get("If-None-Match") == ETAG
        self.send_response(304 if is_known else 200)
        self.send_header("ETag", ETAG)
        if not is_known:
            self.send_header("Content-Type", "application/atom+xml")
            self.send_header("Content-Length", str(len(FEED)))
        self.end_headers()
        if not is_known:
            self.wfile.write(FEED)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(f"http://127.0.0.1:{server.server_port}/packages.atom", COUNT, flush=True)
sys.stdin.read()
