# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""A host with 1,000 plugins, 1,000 pending requests and 100,000 journal entries, as far as the page calls it: one
process at a control socket, without plugins and decisions."""
import http.server
import json
import socketserver
import tempfile
import threading
import time
from urllib.parse import parse_qs, urlsplit

PLUGINS, PENDING, ENTRIES = 1_000, 1_000, 100_000
EVENTS = ["submitted", "launched", "succeeded", "launch-completed", "failed"]
CONDITIONS = ["external_power", "network", "idle", "high_load", "low_memory", "hot", "battery_low", "power_saver", "metered", "gpu"]


def moment(seconds):
    return {"at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds)), "at_ns": f"{int(seconds * 1e9)}"}


def entry(number):
    plugin = f"com.example.plugin{number % PLUGINS}"
    return {"number": number, "event": EVENTS[number % 5], "plugin": plugin, "identifier": f"{plugin}.refresh",
            "blame": "nobody", "launch": number // 5 + 1, "message": f"completed after {number % 900} ms of 30 s"} | moment(time.time())


def pending(number):
    plugin = f"com.example.plugin{number % PLUGINS}"
    start = moment(time.time() + number)
    reason = [{"code": "external-power", "message": "the task needs external power, and the host sees none"},
              {"code": "earliest-begin", "message": "the earliest begin of the request is in the future",
               "until": start["at"], "until_ns": start["at_ns"]}][number % 2]
    now = moment(time.time())
    return {"plugin": plugin, "identifier": f"{plugin}.refresh", "kind": "refresh", "submission": number + 1,
            "submitter": plugin, "submitted_at": now["at"], "submitted_at_ns": now["at_ns"], "reason": reason}


def plugin(number):
    return {"identifier": f"com.example.plugin{number}", "name": f"Plugin {number}", "version": "1.0.0", "role": "main",
            "modes": ["fetch"], "pending": 1, "events": 0, "running": 0, "state": "ready"}


def host():
    lanes = [{"lane": lane, "running": 0, "limit": 4} for lane in ["background", "event", "continued"]]
    return {"version": "0", "user": "operator", "counts": {"plugins": PLUGINS, "pending": PENDING, "events": 0},
            "launch_limits": lanes, "ledger": {"state": "writable"}, "stopping": False,
            "conditions": {name: {"holds": False, "source": "sensor"} for name in CONDITIONS}}


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
        answers = {"/v1/host": host, "/v1/journal": lambda: self.journal(query),
                   "/v1/plugins": lambda: {"plugins": [plugin(n) for n in range(PLUGINS)], "refused": [], "partial": False},
                   "/v1/tasks": lambda: {"pending": [pending(n) for n in range(PENDING)], "running": [], "events": [],
                                         "partial": False}}
        body = json.dumps(answers[parts.path]()).encode()
        self.send_response(200)
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
