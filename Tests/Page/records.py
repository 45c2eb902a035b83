# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""The answers of the stand-in for a large host, from the number of each record."""
import time

COUNT, RUNNING = 1_000, 20
CONDITIONS = [
    "external_power", "network", "idle", "high_load", "low_memory", "hot", "battery_low", "power_saver", "metered", "gpu",
]
DAY = 86_400


def moment(name, seconds):
    return {name: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds)), f"{name}_ns": f"{int(seconds * 1e9)}"}


def name(number):
    return f"com.example.plugin{number % COUNT}"


def pending(number):
    start = moment("until", time.time() + number)
    reason = [{"code": "external-power", "message": "the task needs external power, and the host sees none"},
              {"code": "earliest-begin", "message": "the earliest begin of the request is in the future"} | start]
    return {"plugin": name(number), "identifier": f"{name(number)}.refresh", "kind": "refresh",
            "submitter": name(number), "submission": number + 1, "reason": reason[number % 2],
            } | moment("submitted_at", time.time())


def running(number):
    return {"plugin": name(number), "identifier": f"{name(number)}.sync", "kind": "processing",
            "launch": 5_000 + number, "submission": 5_000 + number, "used_ns": int(time.time() * 1e9) % 60_000_000_000,
            "budget_ns": 60_000_000_000} | moment("started_at", time.time() - 30)


def launch(number):
    start = time.time() - number * 3
    task = {"identifier": f"{name(number)}.refresh", "kind": "refresh", "outcome": "succeeded", "submission": number}
    return {"launch": 100_000 - number, "plugin": name(number), "lane": "background", "cause": "request",
            "tasks": [task], "outcome": "completed", "worst_outcome": "succeeded", "blame": "nobody",
            "used_ns": 900_000_000, "budget_ns": 30_000_000_000,
            } | moment("started_at", start) | moment("ended_at", start + 1)


def transfer(number):
    states = ["waiting", "running", "paused", "finished", "failed", "cancelled"]
    return {"transfer": number + 1, "plugin": name(number), "identifier": f"{name(number)}:transfer:{number + 1}",
            "session": "photos", "kind": "download", "label": "Holidays", "url": "https://example.com/holidays.zip",
            "state": states[number % 6], "bytes": number * 1_000_000, "total": 1_000_000_000,
            } | moment("begun_at", time.time())


def plugin(number):
    return {"identifier": name(number), "name": f"Plugin {number}", "version": "1.0.0", "role": "main", "pending": 1,
            "modes": ["fetch", "remote-notification"], "events": 0, "running": 0, "state": "ready"}


def whole_plugin():
    limits = [{"kind": "refresh", "used": 1, "limit": 10}]
    provenance = {"source": "directory", "pinned": False}
    return plugin(7) | {"reasons": [], "extensions": [], "permitted": [], "grants": {}, "provenance": provenance,
                        "manifest": "/m.yaml", "library": "/l.so", "library_digest": "0", "limits": limits,
                        "budgets": [], "grace_period_ns": 0, "spacing_ns": 0, "day_budget_ns": 0,
                        "settings": {}, "secrets": []}


def host():
    lanes = [{"lane": lane, "running": 0, "limit": 4} for lane in ["background", "event", "continued"]]
    return {"version": "0", "user": "operator", "counts": {"plugins": COUNT, "pending": COUNT, "events": 0},
            "launch_limits": lanes, "ledger": {"state": "writable"}, "stopping": False,
            "conditions": {condition: {"holds": False, "source": "sensor"} for condition in CONDITIONS}}


def why():
    history = [{"code": "external-power", "submission": 1, "duration_ns": 1_000_000_000}
               | moment("since", time.time() - 2 * number - 2) | moment("until", time.time() - 2 * number - 1)
               for number in range(100)]
    return {"identifier": f"{name(7)}.refresh", "plugin": name(7), "kind": "refresh", "state": "pending",
            "reasons": [pending(7)["reason"]], "policies": [], "history": history}


def forecast():
    now = time.time()
    tasks = [{"kind": "refresh", "origin": "pending", "takes_ns": 1_000_000_000, "basis": "earlier-runs"}]
    launches = [{"plugin": name(number), "lane": "background",
                 "tasks": [tasks[0] | {"identifier": f"{name(number)}.refresh"}]}
                | moment("begins_at", now + 5 + number * 3) | moment("ends_at", now + 6 + number * 3)
                for number in range(COUNT)]
    waiting = [{"reason_count": 1, "kind": "refresh", "plugin": name(number), "reason": pending(number)["reason"],
                "identifier": f"{name(number)}.sync"} for number in range(COUNT)]
    return {"complete": True, "launches": launches, "launch_count": COUNT, "waiting": waiting, "waiting_count": COUNT,
            "policies": {"off": []}, "assumptions": ["the conditions stay as they are"]
            } | moment("now", now) | moment("until", now + DAY)


def page_of(query, make):
    """A page of 1,000 records, of which `after` is the number of the last one before it."""
    first = int(query.get("after", 0))
    last = min(COUNT, first + int(query.get("limit", 100)))
    return [make(number) for number in range(first, last)], {"next": str(last)} if last < COUNT else {}


def answer(path, query):
    """The answer to a reading call; None for a record that the stand-in has not."""
    lists = {"/v1/plugins": ("plugins", plugin), "/v1/launches": ("launches", launch),
             "/v1/transfers": ("transfers", transfer)}
    if path in lists:
        field, make = lists[path]
        records, rest = page_of(query, make)
        return {field: records, "refused": [], "partial": False} | rest
    if path == "/v1/tasks":
        return {"pending": [pending(number) for number in range(COUNT)], "events": [], "partial": False,
                "running": [running(number) for number in range(RUNNING)]}
    if path.endswith("/why"):
        return why()
    if path.startswith("/v1/plugins/"):
        return whole_plugin()
    empty = {"/v1/schedules": "schedules", "/v1/logs": "lines", "/v1/stats": "rows"}
    return host() if path == "/v1/host" else {empty[path]: []} if path in empty else None
