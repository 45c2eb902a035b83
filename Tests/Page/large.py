# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""A stand-in for a host with 1,000 plugins, 1,000 pending requests, 20 running tasks, 1,000 launches, transfers and
forecast launches, and 100,000 journal entries: it computes each answer, and keeps none."""
import http.server
import json
import socketserver
import tempfile
import threading
import time
from urllib.parse import parse_qs, urlsplit

import records

ENTRIES = 100_000
EVENTS = ["submitted", "launched", "succeeded", "launch-completed", "failed"]


def entry(number):
    plugin = records.name(number)
    return {"number": number, "event": EVENTS[number % 5], "plugin": plugin, "identifier": f"{plugin}.refresh",
            "blame": "nobody", "launch": number // 5 + 1,
            "message": f"completed after {number % 900} ms of 30 s"} | records.moment("at", time.time())


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def address_string(self):
        return "page"

    def do_GET(self):
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if "follow" in query:
            return self.stream()
        answer = self.journal(query) if parts.path == "/v1/journal" else records.answer(parts.path, query)
        self.reply(404 if answer is None else 200, answer or {"error": {"message": "the stand-in has no such record"}})

    def do_POST(self):
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.reply(200, records.forecast())

    def reply(self, status, answer):
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def journal(self, query):
        last, limit = self.server.last, int(query.get("limit", 100))
        first = int(query["after"]) + 1 if "after" in query else max(1, last - limit + 1)
        return {"entries": [entry(number) for number in range(first, min(last, first + limit - 1) + 1)], "last": last}

    def stream(self):
        """Sends new entries, a hundred in each second."""
        self.send_response(200)
        self.send_header("content-type", "application/x-ndjson")
        self.send_header("connection", "close")
        self.end_headers()
        try:
            while True:
                time.sleep(0.1)
                numbers = range(self.server.last + 1, self.server.last + 11)
                self.server.last = numbers[-1]
                self.wfile.write("".join(json.dumps(entry(number)) + "\n" for number in numbers).encode())
        except OSError:
            self.close_connection = True


class LargeHost(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True

    def __init__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="bgtask-large-")
        self.control = f"{self.directory.name}/control.sock"
        super().__init__(self.control, Handler)
        self.last = ENTRIES
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __exit__(self, *error):
        self.shutdown()
        super().__exit__(*error)
        self.directory.cleanup()
