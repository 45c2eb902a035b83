# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""The control socket of a host, and what Torture/run checks through it."""
import collections, datetime, http.client, json, re, socket, time

# Journal events after which a submission never runs again. "interrupted", "crashed" and the like requeue the task.
FINAL = {"succeeded", "failed", "no-data", "expired", "overran", "not-registered", "abandoned", "cancelled", "replaced"}

# The journal shows an interrupted task that a newer request supersedes in the message of its last interruption only.
SUPERSEDED = re.compile(r"; superseded by submission (\d+)$")


class Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=10)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)

    def call(self, method, route, body=None):
        """Status and decoded answer. Throws OSError, HTTPException or ValueError when the host goes away."""
        text = None if body is None else json.dumps(body)
        self.request(method, route, text, {"Content-Type": "application/json"} if text else {})
        answer = self.getresponse()
        return answer.status, json.loads(answer.read())


GONE = (OSError, http.client.HTTPException, ValueError)


def unfinished(connection):
    """Submission numbers of the pending and the running tasks; None while plugins load."""
    found, after = set(), ""
    while True:
        page = connection.call("GET", "/v1/tasks?limit=1000" + after)[1]
        if page["partial"]:
            return None
        found |= {task["submission"] for task in page["pending"] + page["running"] + page["events"]}
        if "next" not in page:
            return found
        after = "&after=" + page["next"]


def drain(host, seconds):
    """The unfinished submissions once there are none, or after so many seconds; then the whole journal."""
    connection, end, left = Connection(host.socket), time.monotonic() + seconds, None
    while time.monotonic() < end and left != set():
        try:
            left = unfinished(connection)
        except GONE:
            connection.close()
        time.sleep(0.1)
    if left is None:
        raise SystemExit(f"torture: the last host does not answer after {seconds} s")
    journal = []
    while True:
        last = journal[-1]["number"] if journal else 0
        page = connection.call("GET", f"/v1/journal?limit=1000&after={last}")[1]["entries"]
        if not page:
            return left, journal
        journal += page


def nanoseconds(text):
    """Since 1970, of an RFC 3339 time with nine decimals."""
    whole, fraction = text.rstrip("Z").split(".")
    seconds = datetime.datetime.fromisoformat(whole + "+00:00").timestamp()
    return int(seconds) * 10**9 + int(fraction.ljust(9, "0"))


def read_runs(directory):
    runs = collections.defaultdict(list)
    for file in directory.glob("state/containers/*/runs"):
        for line in file.read_text().splitlines():
            submission, attempt, launch, at, payload = line.split()
            runs[int(submission)].append({"attempt": int(attempt), "launch": int(launch), "at": int(at), "payload": payload})
    return runs


def final_event(entry):
    """The event, "superseded", or None when the submission can run again after this entry."""
    if SUPERSEDED.search(entry["message"]):
        return "superseded"
    return entry["event"] if entry["event"] in FINAL else None


def check(load, left, journal, runs):
    """Broken promises as (submission, message); outcomes and repeated runs as counts."""
    entries, broken = collections.defaultdict(list), [(s, "its number was acknowledged twice") for s in load.duplicates]
    for entry in journal:
        if "submission" in entry:
            entries[entry["submission"]].append(entry)
    outcomes = collections.Counter()
    for submission, payload in load.acknowledged.items():
        final = [event for event in map(final_event, entries[submission]) if event]
        outcomes[final[-1] if final else "unfinished" if submission in left else "lost"] += 1
        if not final and submission not in left:
            broken.append((submission, "it was acknowledged and is lost: no outcome, not pending, not running"))
        if len(final) > 1:
            broken.append((submission, f"it has {len(final)} final journal entries: {', '.join(final)}"))
        if any(run["payload"] != payload for run in runs[submission]):
            broken.append((submission, f"it ran with a payload other than {payload}"))
    for submission, lines in list(entries.items()):
        # A started event has no identifier and no line in the plugin's file, but its number is of the same sequence.
        final = [entry for entry in lines if final_event(entry) and "identifier" in entry]
        if not final:
            continue
        if final[0]["event"] == "succeeded" and not runs[submission]:
            broken.append((submission, "its success is journaled, but it never ran"))
        if any(run["at"] > nanoseconds(final[0]["at"]) for run in runs[submission]):
            broken.append((submission, f"it ran after {final_event(final[0])} was journaled"))
        newer = SUPERSEDED.search(final[0]["message"])
        if newer and (int(newer[1]) <= submission or int(newer[1]) not in entries and int(newer[1]) not in left):
            broken.append((submission, f"it was superseded by submission {newer[1]}, which the host does not have"))
    return broken, outcomes, entries
