# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""The promises of a host about every submission, checked against its journal and the records of Append.c."""
import collections

# Journal events after which a submission never runs again. "interrupted", "crashed" and the like requeue the task.
FINAL = {"succeeded", "failed", "no-data", "expired", "overran", "not-registered", "abandoned", "no-progress", "cancelled",
         "replaced", "superseded"}

# The numeric fields of a run's line; times in nanoseconds, "at" by the wall clock.
NUMBERS = ("attempt", "launch", "at", "monotonic", "pid")


class Records:
    """The lines of a host's plugins, by submission number."""

    def __init__(self, directory, begin=0):
        """Reads the records; from the byte `begin`, which a line begins at, if only newer ones are needed."""
        self.runs, self.done, self.twice = collections.defaultdict(list), collections.defaultdict(list), []
        self.accepted = {}
        with open(directory / "records/runs") as file:
            file.seek(begin)
            text = file.read()
        for line in text.splitlines():
            word, submission, *values = line.split()
            submission = int(submission)
            if word == "run":
                *numbers, payload = values
                self.runs[submission].append({"payload": payload} | dict(zip(NUMBERS, map(int, numbers))))
            elif word == "done":
                self.done[submission].append(int(values[0]))
            elif word == "twice":
                self.twice.append(submission)
            else:
                self.accepted[submission] = values[1]


def final_event(entry):
    """The event of a journal entry; None if the submission can run again after it."""
    return entry["event"] if entry["event"] in FINAL else None


class Findings:
    """The broken promises of one host, and the outcomes of its submissions."""

    def __init__(self, account, left, journal, records, has_steady_clock):
        self.account, self.left, self.records = account, left, records
        self.has_steady_clock = has_steady_clock
        self.entries = collections.defaultdict(list)
        for entry in journal:
            if "submission" in entry:
                self.entries[entry["submission"]].append(entry)
        self.broken = []  # (submission, message)
        self.lost, self.ran_again = 0, 0
        self.outcomes = collections.Counter()
        self.repeated = sum(len(lines) - 1 for lines in records.runs.values())
        self.check()

    def breaks(self, submission, message):
        self.broken.append((submission, message))

    def check(self):
        for submission in self.account.duplicates:
            self.breaks(submission, "its number was acknowledged twice")
        for submission in self.records.twice:
            self.breaks(submission, "it ran twice at the same time")
        for submission, acknowledged in self.account.acknowledged.items():
            outcome = self.check_acknowledged(submission, acknowledged.payload)
            if acknowledged.is_cancelled and outcome != "cancelled":
                self.breaks(submission, f"its cancellation was acknowledged, and its outcome is {outcome}")
        for submission, payload in self.records.accepted.items():
            self.check_acknowledged(submission, payload)
        for submission, entries in list(self.entries.items()):
            # A started event has no identifier and no line in the records, but a number of the same sequence.
            final = [entry for entry in entries if final_event(entry) and "identifier" in entry]
            if final:
                self.check_final(submission, final[0])

    def check_acknowledged(self, submission, payload):
        final = [event for event in map(final_event, self.entries[submission]) if event]
        outcome = final[-1] if final else "unfinished" if submission in self.left else "lost"
        self.outcomes[outcome] += 1
        if outcome == "lost":
            self.lost += 1
            self.breaks(submission, "it was acknowledged and is lost: no outcome, not pending, not running")
        if len(final) > 1:
            self.breaks(submission, f"it has {len(final)} final journal entries: {', '.join(final)}")
        if any(run["payload"] != payload for run in self.records.runs[submission]):
            self.breaks(submission, f"it ran with a payload other than {payload}")
        return outcome

    def check_final(self, submission, entry):
        runs, event = self.records.runs[submission], final_event(entry)
        if event == "succeeded" and not runs:
            self.breaks(submission, "its success is journaled, but it never ran")
        # Launch numbers rise in the order of launches. A request that ends without a launch never began another one.
        later = [run for run in runs if run["launch"] > entry["launch"]] if "launch" in entry else []
        if self.has_steady_clock:
            later += [run for run in runs if run["at"] > int(entry["at_ns"])]
        if later:
            self.ran_again += 1
            self.breaks(submission, f"it ran after {event} was journaled")
        newer = entry["successor"] if event == "superseded" else None
        if newer and (newer <= submission or newer not in self.entries and newer not in self.left):
            self.breaks(submission, f"it was superseded by submission {newer}, which the host does not have")

    def story(self, submission):
        """The lines of journal and plugin about a submission."""
        for entry in self.entries[submission]:
            launch = entry.get("launch")
            yield f"journal {entry['number']} {entry['at']} {entry['event']} launch {launch}: {entry['message']}"
        for run in self.records.runs[submission]:
            yield f"run     {run}"
