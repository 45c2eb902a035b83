# Part of bgtask, under the Apache License 2.0; see LICENSE.

"""Atom feeds: their format, and a server for them."""

import hashlib
import http.server
import re
import sys
import threading
import xml.etree.ElementTree as xml

ATOM = "http://www.w3.org/2005/Atom"
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd]")


def make_feed(title, identifier, entries):
    """The feed as bytes, and its number of entries. `entries`, newest first: (id, title, date, link, text)."""
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
    return xml.tostring(feed, encoding="utf-8", xml_declaration=True), len(entries)


def serve(feeds):
    """Serves feeds by their names on a free loopback port, until the standard input ends.

    Prints the address and the number of entries of each, one per line. `feeds`: {name: (bytes, count)}.
    """

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            feed = feeds.get(self.path.removeprefix("/"))
            if not feed:
                self.send_error(404)
                return
            tag = '"' + hashlib.sha256(feed[0]).hexdigest()[:16] + '"'
            is_known = self.headers.get("If-None-Match") == tag
            self.send_response(304 if is_known else 200)
            self.send_header("ETag", tag)
            if not is_known:
                self.send_header("Content-Type", "application/atom+xml")
                self.send_header("Content-Length", str(len(feed[0])))
            self.end_headers()
            if not is_known:
                self.wfile.write(feed[0])

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for name, (_, count) in feeds.items():
        print(f"http://127.0.0.1:{server.server_port}/{name}", count)
    sys.stdout.flush()
    sys.stdin.read()
