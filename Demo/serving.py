# Part of bgtask, under the Apache License 2.0; see LICENSE.

"""Makes Atom feeds and serves them on a free loopback port, for the scripts beside this one."""

import hashlib
import http.server
import re
import sys
import threading
import xml.etree.ElementTree as xml

ATOM = "http://www.w3.org/2005/Atom"
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd]")


def make_feed(title, identifier, entries):
    """The feed as bytes. Entries, newest first: (id, title, date, link, text)."""
    xml.register_namespace("", ATOM)
    feed = xml.Element(f"{{{ATOM}}}feed")

    def add(parent, name, text):
        xml.SubElement(parent, f"{{{ATOM}}}{name}").text = NOT_IN_XML.sub("?", text)

    add(feed, "title", title)
    add(feed, "id", identifier)
    add(feed, "updated", entries[0][2].isoformat())
    for identifier, title, date, link, text in entries:
        entry = xml.SubElement(feed, f"{{{ATOM}}}entry")
        add(entry, "title", title)
        add(entry, "id", identifier)
        add(entry, "updated", date.isoformat())
        xml.SubElement(entry, f"{{{ATOM}}}link", href=NOT_IN_XML.sub("?", link))
        add(entry, "summary", text)
    return xml.tostring(feed, encoding="utf-8", xml_declaration=True)


def serve(feed, name, count):
    """Prints one line, the feed's address and `count`, and serves until the standard input ends."""
    tag = '"' + hashlib.sha256(feed).hexdigest()[:16] + '"'

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            is_known = self.headers.get("If-None-Match") == tag
            self.send_response(304 if is_known else 200)
            self.send_header("ETag", tag)
            if not is_known:
                self.send_header("Content-Type", "application/atom+xml")
                self.send_header("Content-Length", str(len(feed)))
            self.end_headers()
            if not is_known:
                self.wfile.write(feed)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}/{name}", count, flush=True)
    sys.stdin.read()
