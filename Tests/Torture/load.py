# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""The submissions of clients to a host, and the acknowledgements of the host."""
import base64, collections, dataclasses, random, threading, time

from control import GONE, Connection, call_once
from host import FIRST, SECOND

STEADY = 30  # identifiers per plugin of the steady load; the others are for the rounds


@dataclasses.dataclass
class Acknowledged:
    identifier: str
    payload: str
    due: float = 0  # earliest begin in seconds since 1970, by the clock of the host; 0 without one
    is_cancelled: bool = False  # the host acknowledged its cancellation


class Account:
    """Every answer of the host to a submission. May be used from any thread."""

    def __init__(self):
        self.acknowledged = {}  # by submission number
        self.duplicates, self.refused, self.unanswered = [], collections.Counter(), 0
        self.lock, self.numbers = threading.Lock(), 0

    def new_payload(self, word=""):
        with self.lock:
            self.numbers += 1
            return f"{self.numbers}:{word}"

    def submit(self, connection, identifier, word="", due=0, **fields):
        """Submits a request. Returns its number; None if unacknowledged. Raises one of GONE when the host ends."""
        payload = self.new_payload(word)
        body = {"identifier": identifier, "kind": "processing", **fields,
                "payload": base64.b64encode(payload.encode()).decode()}
        if due:
            body["earliest_begin"] = rfc3339(due)
        if connection.sock is None:
            connection.connect()  # without a host no request is sent
        try:
            status, answer = connection.call("POST", "/v1/tasks", body)
        except GONE:
            with self.lock:
                self.unanswered += 1
            raise
        with self.lock:
            if status != 201:
                self.refused[f"{status} {answer}"[:160]] += 1
                return None
            number = answer["submission"]
            if number in self.acknowledged:
                self.duplicates.append(number)
            self.acknowledged[number] = Acknowledged(identifier, payload, due)
            return number

    def cancel(self, path, number):
        """Cancels the newest submission of an identifier. True if the host acknowledged the cancellation."""
        answer = call_once(path, "DELETE", f"/v1/tasks/{self.acknowledged[number].identifier}")
        if answer and answer[0] == 200 and answer[1]["cancelled"]:
            self.acknowledged[number].is_cancelled = True
            return True
        return False


def rfc3339(seconds):
    whole = int(seconds)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole)) + f".{int((seconds - whole) * 1e9):09d}Z"


class Clients:
    """Four threads that submit requests without earliest begin until `stop`, `pace` seconds apart at most."""

    def __init__(self, host, account, seed, pace=0.03):
        self.host, self.account, self.pace, self.stopping = host, account, pace, threading.Event()
        self.going = threading.Event()
        self.going.set()
        self.threads = [threading.Thread(target=self.work, args=(random.Random(f"{seed}/{n}"),), daemon=True)
                        for n in range(4)]
        for thread in self.threads:
            thread.start()

    def pause(self):
        self.going.clear()

    def resume(self):
        self.going.set()

    def stop(self):
        self.stopping.set()
        self.going.set()
        for thread in self.threads:
            thread.join()

    def work(self, chance):
        connection = Connection(self.host.socket)
        while not self.stopping.is_set():
            identifier = f"{chance.choice([FIRST, SECOND])}.t{chance.randrange(STEADY)}"
            time.sleep(chance.uniform(0, self.pace))
            self.going.wait()
            try:
                self.account.submit(connection, identifier)
            except GONE:
                connection.close()
                time.sleep(0.01)
        connection.close()
