# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""A scenario: plugins, the steps of a user, and the journal entries that the host has to write."""
import re
from dataclasses import dataclass
from pathlib import Path

import yaml

from host import Failure

JOURNAL_LIMIT = 30
KEYS = {"statement", "rules", "settings", "plugins", "steps"}


@dataclass
class Scenario:
    name: str
    statement: str
    # The rules of the ABI that the scenario proves of a host.
    rules: list
    settings: dict
    plugins: list
    steps: list

    @staticmethod
    def read(path: Path):
        content = yaml.safe_load(path.read_text())
        unknown = set(content) - KEYS
        if unknown:
            raise SystemExit(f"{path}: unknown keys {', '.join(sorted(unknown))}; the keys are {', '.join(sorted(KEYS))}")
        return Scenario(
            path.stem,
            content["statement"],
            content.get("rules", []),
            content.get("settings", {}),
            content["plugins"],
            content["steps"],
        )

    def play(self, host):
        host.configure(self.settings)
        for plugin in self.plugins:
            host.install(plugin)
        host.start()
        player = Player(host)
        for number, step in enumerate(self.steps, 1):
            try:
                player.play(dict(step))
            except (Failure, OSError) as failure:
                raise Failure(f"step {number}: {failure}") from failure
        if host.process:
            host.stop()


class Player:
    """Plays the steps. A journal step waits for an entry that no earlier step has taken."""

    def __init__(self, host):
        self.host = host
        self.saved = {}
        self.taken = set()

    def play(self, step):
        (verb, value), *rest = step.items()
        options = dict(rest)
        match verb:
            case "call": self.call(value, **options)
            case "journal": self.journal(value, **options)
            case "absent": self.absent(value)
            case "host": {"start": self.host.start, "stop": self.host.stop, "kill": self.host.kill}[value]()
            case "install": self.host.install(value)
            case _: raise SystemExit(f"unknown step {verb}")

    def call(self, route, body=None, status=200, answer=None, save=None, until=False):
        method, path = self.filled(route).split(" ", 1)

        def performed():
            seen, content = self.host.call(method, path, self.filled(body))
            difference = None
            if seen != status:
                difference = f"answered {seen} instead of {status}: {content}"
            else:
                difference = differs(content, self.filled(answer or {}))
            if difference and not until:
                raise Failure(f"{route}: {difference}")
            return None if difference else (content,)

        (content,) = self.host.wait(f"{route} answers {answer}", JOURNAL_LIMIT, performed)
        self.keep(save, content)

    def journal(self, pattern, save=None):
        pattern = self.filled(pattern)

        def found():
            for entry in self.host.journal():
                if entry["number"] not in self.taken and differs(entry, pattern) is None:
                    return entry
            return None

        try:
            entry = self.host.wait(f"the journal has {pattern}", JOURNAL_LIMIT, found)
        except Failure as failure:
            lines = "\n        ".join(shown(entry) for entry in self.host.journal())
            raise Failure(f"{failure}\n        {lines}") from failure
        self.taken.add(entry["number"])
        self.keep(save, entry)

    def absent(self, pattern):
        pattern = self.filled(pattern)
        for entry in self.host.journal():
            if entry["number"] not in self.taken and differs(entry, pattern) is None:
                raise Failure(f"the journal must not have {shown(entry)}")

    def keep(self, names, content):
        for name, field in (names or {}).items():
            if field not in content:
                raise Failure(f"{content} has no {field}")
            self.saved[name] = content[field]

    def filled(self, value):
        """The value with $NAME replaced by the saved value of this name."""
        match value:
            case str() if value.startswith("$"): return self.saved[value[1:]]
            case str(): return re.sub(r"\$\{(\w+)\}", lambda found: str(self.saved[found[1]]), value)
            case dict(): return {key: self.filled(each) for key, each in value.items()}
            case list(): return [self.filled(each) for each in value]
            case _: return value


def differs(seen, pattern):
    """The first difference of a value from a pattern, None without one. A string between slashes is an expression."""
    match pattern:
        case dict():
            for key, each in pattern.items():
                value = seen.get(key) if isinstance(seen, dict) else None
                if difference := differs(value, each):
                    return f"{key}: {difference}"
            return None
        case list():
            if not isinstance(seen, list) or len(seen) != len(pattern):
                return f"{seen} instead of {pattern}"
            return next((found for one, other in zip(seen, pattern) if (found := differs(one, other))), None)
        case str() if len(pattern) > 1 and pattern[0] == pattern[-1] == "/":
            return None if isinstance(seen, str) and re.search(pattern[1:-1], seen) else f"{seen!r} is not {pattern}"
        case _:
            return None if seen == pattern else f"{seen!r} instead of {pattern!r}"


def shown(entry):
    fields = ("number", "event", "plugin", "identifier", "event_name", "submission", "launch", "blame", "message")
    return " ".join(f"{field}={entry[field]}" for field in fields if field in entry)
