# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""The control socket of a host."""
import http.client, json, socket, time

from limit import Limit

# The errors of a call without a host, or to a host that ends before its answer.
GONE = (OSError, http.client.HTTPException, ValueError)


class Connection(http.client.HTTPConnection):
    def __init__(self, path, timeout=10):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)

    def call(self, method, route, body=None):
        """Makes a call; returns status and decoded answer. Raises one of GONE when the host ends."""
        text = None if body is None else json.dumps(body)
        self.request(method, route, text, {"Content-Type": "application/json"} if text else {})
        answer = self.getresponse()
        return answer.status, json.loads(answer.read())


def call_once(path, method, route, body=None):
    """Makes a call on a connection of its own; None without an answer."""
    connection = Connection(path)
    try:
        return connection.call(method, route, body)
    except GONE:
        return None
    finally:
        connection.close()


def unfinished(connection):
    """Submission numbers of the pending and the running tasks; None while plugins load."""
    found, after = set(), ""
    while True:
        page = connection.call("GET", "/v1/tasks?limit=1000" + after)[1]
        if page["partial"]:
            return None
        found |= {task["submission"] for task in page["pending"] + page.get("running", []) + page["events"]}
        if "next" not in page:
            return found
        after = "&after=" + page["next"]


def await_unfinished(path, is_reached, seconds):
    """Waits until the set of unfinished submissions fulfils `is_reached`, or the time is over. Returns the set."""
    connection, limit, left = Connection(path), Limit(seconds), None
    while not limit.is_over() and (left is None or not is_reached(left)):
        try:
            left = unfinished(connection)
        except GONE:
            connection.close()
        time.sleep(0.1)
    connection.close()
    if left is None:
        raise SystemExit(f"torture: the host does not answer after {seconds} s")
    return left


# Journal events that record a call or the start of a launch, and no outcome.
CALLS = {
    "submitted", "launched", "triggered", "stop-requested", "launch-requested", "expiration-simulated",
    "conditions-simulated", "simulation-ended",
}


def read_journal(path):
    """All entries of outcomes and of the catalogue."""
    connection, journal = Connection(path), []
    while True:
        last = journal[-1]["number"] if journal else 0
        page = connection.call("GET", f"/v1/journal?limit=1000&after={last}")[1]["entries"]
        if not page:
            connection.close()
            return [entry for entry in journal if entry["event"] not in CALLS]
        journal += page
