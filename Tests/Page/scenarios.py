# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""What a user of the page sees and does. Each scenario has a host and a browser of its own."""
import asyncio
import json
import os
import shutil
import signal
import socket
from contextlib import contextmanager
from datetime import datetime

import accessibility
from browser import Browser
from large import LargeHost
from served import Failure, PageCommand, ShownHost

SCENARIOS = {}
# Milliseconds of a task of the main thread. BGTASK_SLACK multiplies them on a machine with other load.
LONGEST_TASK = 100 * float(os.environ.get("BGTASK_SLACK", 1))
FIRST_PAINT = 1000 * float(os.environ.get("BGTASK_SLACK", 1))
STAYS, FAILS = "com.example.shown.stays", "com.example.shown.fails"
HOSTILE = "<img src=x onerror=\"window.hit=1\"><script>window.hit=1</script>"


class Skipped(Exception):
    """The reason why a scenario cannot run on this machine."""


def scenario(function):
    SCENARIOS[function.__name__.replace("_", "-")] = function
    return function


def expect(is_true, purpose):
    if not is_true:
        raise Failure(purpose)


async def open_place(page, place):
    """Shows a place of the page, and waits until its data is drawn: the state of the former place does not count."""
    await page.run(f"""(() => {{
        document.querySelector('h1')?.setAttribute('data-former', '');
        const hash = {json.dumps('#/' + place)};
        if (location.hash === hash) dispatchEvent(new HashChangeEvent('hashchange'));
        else location.hash = hash;
    }})()""")
    await page.wait("document.querySelector('h1:not([data-former])')"
                    " && document.querySelector('main').getAttribute('aria-busy') === 'false'", f"#/{place}")


async def wait_until(condition, purpose, limit=30):
    """Waits for a fact that the tests have, while the pages go on."""
    end = asyncio.get_running_loop().time() + limit
    while not condition():
        if asyncio.get_running_loop().time() > end:
            raise Failure(f"{purpose}: has not happened within {limit} s")
        await asyncio.sleep(0.05)


@contextmanager
def host_for(name, programs, keep):
    """The host of a scenario, which answers."""
    if name == "large-host":
        with LargeHost() as host:
            yield host
    else:
        with ShownHost(programs, keep=keep) as host:
            host.configure({"external-power": "false"})
            host.install_shown()
            if name == "future":
                host.take_manual_clock()
            host.start()
            yield host


async def in_browser(name, programs, *options, keep=False):
    """Runs a scenario with a host, bgtask page and a page that shows it."""
    with host_for(name, programs, keep) as host, PageCommand(programs, host.control, *options) as command:
        async with Browser() as browser:
            page = await browser.page()
            await page.go(f"file://{command.file}")
            await page.wait("document.getElementById('link')?.textContent === 'live'", "the page is live")
            await SCENARIOS[name](host, command, browser, page)
            expect(not page.problems, f"the browser reports problems: {page.problems}")


@scenario
async def load(host, command, browser, page):
    """The file leads to the page, which removes the token from the address; only this user can read the file."""
    expect(command.modes() == [0o600, 0o700], f"the file and its directory have the modes {command.modes()}")
    expect(await page.run("location.href") == f"http://127.0.0.1:{command.port}/#/now", "the address has the token")
    await page.shows("1 plugins, 0 pending, 0 events")
    await page.shows("Europe/Berlin, the zone of this browser")
    await page.run("document.querySelector('nav a:nth-child(2)').click()")
    await page.shows("Shown <b>bold</b>")


@scenario
async def zones(host, command, browser, page):
    """A time has the zone of the browser, and its title also that of the host's machine."""
    zone = host.call("GET", "/v1/host")[1].get("time_zone")
    expect(zone, "the host reports no time zone")
    is_own = zone == "Europe/Berlin"
    await page.shows("and of the host" if is_own else f"that of the host is {zone}")
    host.submit("fails")
    host.waits_for("the task fails", lambda entry: entry["event"] == "failed")
    await open_place(page, "journal")
    title = await page.run("document.querySelector('main time').title")
    expect("Europe/Berlin" in title and (is_own or title.endswith(zone)), f"the title of a time is {title}")
    host.kill()
    await page.shows("host gone")
    host.start()
    await page.wait("document.getElementById('notice').hidden", "the notice ends")
    await page.shows("and of the host" if is_own else f"that of the host is {zone}")


@scenario
async def live_update(host, command, browser, page):
    """A new request and its end appear without a call by the user."""
    await page.shows("nothing runs")
    host.submit("waits.one", requires_external_power=True)
    await page.shows("com.example.shown.waits.one", 5)
    await page.shows("the task needs external power", 5)
    host.call("DELETE", "/v1/tasks/com.example.shown.waits.one")
    await page.shows("no request waits", 5)


@scenario
async def stop_task(host, command, browser, page):
    """The button shows the command that it equals before it stops a running task."""
    host.submit("stays", kind="continued", title="Staying")
    await page.shows("9007199254740993 of 9007199254740995")
    await page.press("Stop", "document.querySelector('main')")
    await page.shows(f"bgtask task stop {STAYS} --socket {host.control}")
    events = [entry["event"] for entry in host.journal()]
    expect("stop-requested" not in events, "nothing happens before the second press")
    await page.press("Stop", "document.querySelector('dialog')")
    await page.shows("stopping in launch")
    await page.press("Close")
    host.waits_for("the task ends", lambda entry: entry["event"] == "failed")
    await page.shows("nothing runs", 5)


@scenario
async def retry_task(host, command, browser, page):
    """A failed task shows its outcome and log, and runs again."""
    host.submit("fails")
    host.waits_for("the task fails", lambda entry: entry["event"] == "failed")
    await page.run(f"location.hash = '#/task/{FAILS}'")
    await page.press("Retry", "document.querySelector('main')")
    await page.press("Retry", "document.querySelector('dialog')")
    await page.shows("submission ")
    failures = lambda: [entry for entry in host.journal() if entry["event"] == "failed"]
    host.wait("the task fails again", 30, lambda: len(failures()) == 2)
    await page.wait("document.querySelectorAll('[aria-label=\"Launches\"] tbody tr').length === 2", "the second launch")


@scenario
async def bulk_cancel(host, command, browser, page):
    """An action on many requests shows them first, and answers for each."""
    for name in ["one", "two", "three"]:
        host.submit(f"waits.{name}", requires_external_power=True)
    await page.shows("com.example.shown.waits.three")
    await page.run("location.hash = '#/now?text=waits.t'")
    await page.press("Cancel all 2 shown")
    expect(await page.run("document.querySelectorAll('dialog tbody tr').length") == 2, "the dialog lists two requests")
    await page.press("Cancel all 2 shown (2)")
    await page.wait("document.querySelectorAll('dialog .answer.good').length === 2", "two answers")
    status, tasks = host.call("GET", "/v1/tasks")
    expect([task["identifier"] for task in tasks["pending"]] == ["com.example.shown.waits.one"], f"pending: {tasks}")


@scenario
async def filters(host, command, browser, page):
    """The filters of the journal are in the address, and survive a reload."""
    host.submit("fails")
    host.waits_for("the task fails", lambda entry: entry["event"] == "failed")
    await page.run("location.hash = '#/journal'")
    await page.wait("!!document.getElementById('filter-blame')", "the filters")
    await page.run("""(() => { const field = document.getElementById('filter-blame'); field.value = 'plugin';
        field.dispatchEvent(new Event('change')); })()""")
    only = "[...document.querySelectorAll('main tbody .badge')].every((one) => one.textContent === 'failed')"
    await page.wait(f"location.hash === '#/journal?blame=plugin' && {only}", "only entries with this blame")
    await page.send("Page.reload")
    await page.wait(f"document.getElementById('filter-blame')?.value === 'plugin' && {only}", "the filter")


@scenario
async def timeline(host, command, browser, page):
    """The timeline has the launches of a plugin, and the time before which a task does not start."""
    host.submit("fails")
    host.waits_for("the task fails", lambda entry: entry["event"] == "failed")
    host.submit("waits.one", earliest_begin=host.time_in(1800))
    await page.run("location.hash = '#/timeline'")
    await page.wait("document.querySelectorAll('.drawing rect.bad').length === 1", "the failed launch")
    await page.wait("document.querySelectorAll('.drawing .mark').length === 1", "the known time")
    await page.run("location.hash = '#/timeline?span=10min'")
    await page.wait("document.querySelectorAll('.drawing .mark').length === 0", "a shorter span has no known time")


@scenario
async def lost_host(host, command, browser, page):
    """The page shows the loss of the host, keeps its last state, and follows the next host without a gap."""
    host.submit("waits.one", requires_external_power=True)
    await page.shows("com.example.shown.waits.one")
    host.kill()
    await page.shows("host gone")
    await page.shows("No answer since")
    await page.shows("com.example.shown.waits.one")
    host.start()
    host.submit("waits.two", requires_external_power=True)
    await page.wait("document.getElementById('notice').hidden", "the notice ends")
    await page.shows("com.example.shown.waits.two")


@scenario
async def hanging_host(host, command, browser, page):
    """A host that hangs is shown as gone, and as live when it continues."""
    host.process.send_signal(signal.SIGSTOP)
    try:
        await page.shows("host gone", 60)
    finally:
        host.process.send_signal(signal.SIGCONT)
    await page.wait("document.getElementById('notice').hidden", "the notice ends", 60)


@scenario
async def new_ledger(host, command, browser, page):
    """The page follows a host whose ledger begins again with lower numbers."""
    for _ in range(3):
        host.submit("waits.one", requires_external_power=True)
    await page.shows("com.example.shown.waits.one")
    host.kill()
    await page.shows("host gone")
    shutil.rmtree(host.directory / "state")
    host.start()
    await page.wait("document.getElementById('notice').hidden", "the notice ends")
    await page.shows("no request waits")
    host.submit("waits.two", requires_external_power=True)
    await page.shows("com.example.shown.waits.two", 5)


@scenario
async def incomplete_list(host, command, browser, page):
    """A list whose pages were not all read, and a broken answer, do not become the statement that nothing waits."""
    await page.run("""(() => {
        const original = window.fetch;
        const empty = JSON.stringify({ running: [], pending: [], events: [], next: "1" });
        window.fetch = (path, options) => (path.startsWith("/v1/tasks?") ? Promise.resolve(new Response(empty))
            : original(path, options));
    })()""")
    await page.run("location.hash = '#/pushes'")
    await page.shows("none in the part of the list that was read")
    await page.shows("the list is not complete")
    await page.run("""(() => {
        window.fetch = () => Promise.resolve(new Response(new ReadableStream({
            start: (stream) => stream.error(new TypeError("network error")) })));
    })()""")
    await page.run("new Promise((resolve) => setTimeout(resolve, 12000))")
    await page.shows("host gone")
    await page.shows("none in the part of the list that was read")


@scenario
async def stopped_action(host, command, browser, page):
    """Escape in a running action on several requests stops it after the present one."""
    for name in ["one", "two", "three"]:
        host.submit(f"waits.{name}", requires_external_power=True)
    await page.press("Cancel all 3 shown")
    await page.wait("!!document.querySelector('dialog')", "the dialog")
    await page.run("""(() => {
        [...document.querySelectorAll('dialog button')].find((one) => one.textContent.includes('(3)')).click();
        document.querySelector('dialog').dispatchEvent(new Event('cancel', { cancelable: true }));
    })()""")
    await page.shows("1 done, 2 not called of 3")
    expect(len(host.call("GET", "/v1/tasks")[1]["pending"]) == 2, "two requests stay pending")


@scenario
async def lost_command(host, command, browser, page):
    """The page ends with its command, which removes the file."""
    expect(command.interrupt() == 0, "Ctrl-C is a regular end")
    expect(not command.file.exists() and not command.file.parent.exists(), "the file is deleted")
    await page.shows("bgtask page has ended")


@scenario
async def one_stream(host, command, browser, page):
    """Two visible windows of a browser share one stream, and both follow it."""
    other = await browser.window(page)
    await other.go(f"http://127.0.0.1:{command.port}/#/journal")
    await other.wait("document.getElementById('link')?.textContent === 'live'", "the other tab gets the token")
    host.submit("waits.one", requires_external_power=True)
    await page.shows("com.example.shown.waits.one", 5)
    await other.shows("com.example.shown.waits.one", 5)
    streams = [url for tab in [page, other] for url in tab.requests if "follow=true" in url]
    expect(len(streams) == 1, f"streams: {streams}")


@scenario
async def lost_leader(host, command, browser, page):
    """Of three windows, one reads the stream. When it is closed, one of the others does so, and both follow it."""
    tabs = [page]
    for _ in range(2):
        tabs.append(await browser.window(page))
        await tabs[-1].go(f"http://127.0.0.1:{command.port}/#/now")
        await tabs[-1].wait("document.getElementById('link')?.textContent === 'live'", "another tab gets the token")
    host.submit("waits.one", requires_external_power=True)
    for tab in tabs:
        await tab.shows("com.example.shown.waits.one", 5)
    streams = lambda: [tab for tab in tabs for url in tab.requests if "follow=true" in url]
    expect(len(streams()) == 1, f"{len(streams())} streams of three windows")
    leader = streams()[0]
    others = [tab for tab in tabs if tab is not leader]
    await leader.close()
    await wait_until(lambda: len(streams()) == 2, "another window reads the stream")
    host.submit("waits.two", requires_external_power=True)
    for tab in others:
        await tab.shows("com.example.shown.waits.two", 5)
        expect(not tab.problems, f"the browser reports problems: {tab.problems}")
    expect(len(streams()) == 2, f"{len(streams()) - 1} streams of two windows")


@scenario
async def hidden_tab(host, command, browser, page):
    """A hidden tab calls nothing. When it is visible again, it shows what has happened since."""
    other = await browser.page()
    await page.wait("document.hidden", "the first tab is hidden")
    await page.wait("document.getElementById('link').textContent === 'not updated while hidden'", "its state")
    calls = len(page.requests)
    host.submit("fails")
    host.waits_for("the task fails", lambda entry: entry["event"] == "failed")
    host.submit("waits.one", requires_external_power=True)
    await page.run("new Promise((resolve) => setTimeout(resolve, 3000))")
    expect(len(page.requests) == calls, f"calls of the hidden tab: {page.requests[calls:]}")
    await other.close()
    await page.shows("com.example.shown.waits.one", 10)
    await page.wait("document.getElementById('link').textContent === 'live'", "the tab is live again")


@scenario
async def hostile_texts(host, command, browser, page):
    """Titles, payloads, messages, settings and log lines of plugins are text, never markup."""
    host.submit("stays", kind="continued", title=HOSTILE, subtitle=HOSTILE)
    host.submit("fails")
    host.waits_for("the task fails", lambda entry: entry["event"] == "failed")
    await page.shows(HOSTILE)
    for place in [f"task/{STAYS}", f"task/{FAILS}", "plugin/com.example.shown", "journal", "launch/1", "plugins",
                  "timeline", "pushes", "transfers", "whatif?plugin=com.example.shown",
                  "now?text=%3Cimg%20src%3Dx%20onerror%3D%22window.hit%3D1%22%3E", "task/%3Cscript%3E",
                  "journal?event=%3Cb%3E"]:
        await open_place(page, place)
        markup = "document.querySelectorAll('main img, main script, main b, main [onerror]').length + (window.hit ?? 0)"
        expect(await page.run(markup) == 0, f"#/{place} has markup of a plugin")
    await page.run(f"location.hash = '#/task/{FAILS}'")
    await page.shows("a line with <img src=x")


@scenario
async def no_trusted_types(host, command, browser, page):
    """The browser refuses each way to turn a text into markup or code, and no script can permit one."""
    for attempt in ["document.body.innerHTML = '<b>x</b>'",
                    "document.body.insertAdjacentHTML('beforeend', '<b>x</b>')",
                    "document.body.setAttribute('onclick', 'window.hit = 1')",
                    "new DOMParser().parseFromString('<b>x</b>', 'text/html')",
                    "window.trustedTypes.createPolicy('own', {})"]:
        result = await page.run(f"(() => {{ try {{ {attempt}; return 'accepted'; }}"
                                f" catch ({{ name }}) {{ return name; }} }})()")
        expect(result == "TypeError", f"{attempt}: {result}")
    expect(await page.run("document.querySelectorAll('b').length + (window.hit ?? 0)") == 0, "a text has become markup")
    page.problems.clear()


@scenario
async def names_for_assistive_programs(host, command, browser, page):
    """Every control, image and table has a name, and each screen one heading of the first level."""
    host.submit("stays")
    host.submit("waits.one", requires_external_power=True)
    await page.shows("com.example.shown.waits.one")
    roles = {"button", "link", "textbox", "searchbox", "combobox", "progressbar", "ProgressIndicator", "table", "img",
             "region"}
    for place in ["now", "plugins", "plugin/com.example.shown", "task", f"task/{STAYS}", "journal", "launch/1",
                  "timeline", "transfers", "pushes", "whatif"]:
        await open_place(page, place)
        expect(await page.run("document.querySelectorAll('h1').length") == 1, f"#/{place} has one first heading")
        tree = await page.send("Accessibility.getFullAXTree")
        for node in tree["nodes"]:
            role, name = node.get("role", {}).get("value"), node.get("name", {}).get("value", "")
            expect(node.get("ignored") or role not in roles or name.strip(), f"#/{place}: a {role} without a name")


@scenario
async def accessibility_rules(host, command, browser, page):
    """axe-core finds nothing serious or critical on any screen, in both themes, in a narrow and in a wide window."""
    text = accessibility.script()
    if text is None:
        raise Skipped("there is no axe-core; download it with make page-axe")
    host.submit("fails")
    host.waits_for("the task fails", lambda entry: entry["event"] == "failed")
    host.submit("stays", kind="continued", title="Staying")
    host.submit("waits.one", requires_external_power=True)
    await page.shows("com.example.shown.waits.one")
    found = []
    for place in ["now", "plugins", "plugin/com.example.shown", "task", f"task/{FAILS}", "journal", "launch/1",
                  "timeline", "transfers", "pushes", "whatif?external_power=yes", "journal?plugin=com.example.nowhere"]:
        await open_place(page, place)
        found += await violations_of(page, text, place)
    await open_place(page, "now")
    await page.press("Cancel", "document.querySelector('main')")
    found += await violations_of(page, text, "the dialog")
    expect(not found, "axe finds:\n" + "\n".join(found))


async def violations_of(page, text, place):
    found = []
    for theme in ["light", "dark"]:
        for width in [360, 1280]:
            await page.resize(width, 900, theme)
            found += [f"{place}, {theme}, {width}: {one}" for one in await accessibility.violations(page, text)]
            wide = await page.run("document.documentElement.scrollWidth")
            expect(wide <= width, f"{place} is {wide} pixels wide in a window of {width}")
    return found


@scenario
async def transfers(host, command, browser, page):
    """A transfer shows its progress, and its buttons show the commands that they equal."""
    await page.run("""(() => {
        const original = window.fetch;
        const transfer = { transfer: 41, plugin: "com.example.shown", identifier: "com.example.shown:transfer:41",
            session: "photos", kind: "download", url: "https://example.com/a.zip", state: "running", bytes: 250000000,
            total: 1000000000, begun_at: "2026-01-31T01:48:00Z", begun_at_ns: "1769824080000000000" };
        const ended = { ...transfer, transfer: 40, state: "failed", fault: "http-status", http_status: 503 };
        const list = JSON.stringify({ transfers: [transfer, ended] });
        window.fetch = (path, options) => (path.startsWith("/v1/transfers?") ? Promise.resolve(new Response(list))
            : original(path, options));
    })()""")
    await open_place(page, "transfers")
    await page.shows("250.0 MB of 1.0 GB")
    await page.shows("http-status; status 503")
    buttons = "[...document.querySelectorAll('main td button')].map((one) => one.textContent).join()"
    expect(await page.run(buttons) == "Pause,Cancel", "an ended transfer has buttons")
    await page.press("Pause", "document.querySelector('main tbody')")
    await page.shows(f"bgtask transfer pause 41 --socket {host.control}")
    await page.press("Pause", "document.querySelector('dialog')")
    await page.wait("document.querySelector('dialog .answer.bad')", "the refusal of the host")


@scenario
async def what_if(host, command, browser, page):
    """A changed condition shows the task that would run, the equal command, and changes nothing on the host."""
    host.submit("waits.one", requires_external_power=True)
    host.waits_for("the launch for the start ends", lambda entry: entry["event"] == "launch-completed")
    before = len(host.journal())
    await open_place(page, "whatif")
    await page.shows("What would still wait")
    await page.shows("com.example.shown.waits.one")
    await page.run("""(() => { const field = document.getElementById('filter-external_power'); field.value = 'yes';
        field.dispatchEvent(new Event('change')); })()""")
    await page.wait("location.hash.includes('external_power=yes')", "the condition is in the address")
    await page.shows("would run")
    await page.shows(f"bgtask simulate forecast --external-power true --until +1d --socket {host.control}")
    events = [entry["event"] for entry in host.journal()[before:]]
    expect(not events, f"something has happened: {events}")
    await page.run("location.hash = '#/whatif?stagger=soon'")
    await page.shows("soon is not a duration")
    expect(await page.run("document.getElementById('filter-stagger').value") == "soon", "the field stays")


@scenario
async def future(host, command, browser, page):
    """The timeline shows the launch that the host makes when its clock, turned by hand, reaches the time."""
    host.submit("fails", earliest_begin=host.time_in(1800))
    await open_place(page, "timeline?span=1h")
    await page.wait("document.querySelectorAll('.timeline a .future').length === 1", "one forecast launch")
    forecast = await page.run("document.querySelector('[aria-label=\"Forecast launches\"] tbody time').dateTime")
    await page.run("{ const read = Date.now; Date.now = () => read.call(Date) + 1800000; }")
    host.turn_clock(1800)
    failed = host.waits_for("the task fails", lambda entry: entry["event"] == "failed")[0]
    launched = next(entry for entry in host.journal()
                    if entry["event"] == "launched" and entry["launch"] == failed["launch"])
    distance = int(launched["at_ns"]) / 1e9 - datetime.fromisoformat(forecast).timestamp()
    expect(0 <= distance < 120, f"the launch began {distance:.1f} s after its forecast")
    await page.wait("document.querySelectorAll('.timeline a .future').length === 0", "no forecast launch is left", 60)
    await page.wait("document.querySelectorAll('.drawing rect.bad').length === 1", "the launch is in the past", 60)


@scenario
async def refused_filter(host, command, browser, page):
    """A refused filter keeps its field, so that it can be corrected."""
    await page.run("location.hash = '#/journal?plugin=com.example.nowhere'")
    await page.shows("com.example.nowhere")
    await page.wait("document.getElementById('filter-plugin')?.value === 'com.example.nowhere'", "the field")
    expect(await page.run("document.querySelector('h1').textContent") == "Journal", "the title of the screen")


@scenario
async def large_host(host, command, browser, page):
    """1,000 plugins, 1,000 requests, 100,000 entries and a hundred new ones in each second do not block any screen."""
    await page.shows("1000 plugins, 1000 pending")
    paint = await page.run("performance.getEntriesByName('first-paint')[0].startTime")
    expect(paint < FIRST_PAINT, f"the first paint took {paint:.0f} ms")
    for place in ["now", "plugins", "plugin/com.example.plugin7", "task", "task/com.example.plugin7.refresh", "journal",
                  "timeline", "transfers", "pushes", "whatif?external_power=yes"]:
        await page.run("longTasks.length = 0")
        await open_place(page, place)
        await page.run("new Promise((resolve) => setTimeout(resolve, 2500))")
        longest = max(await page.run("longTasks") or [0])
        expect(longest < LONGEST_TASK, f"#/{place}: a task of the main thread took {longest:.0f} ms")


@scenario
async def keyboard(host, command, browser, page):
    """Numbers choose a screen, and a slash the first filter."""
    async def press(key, text):
        for kind in ["keyDown", "keyUp"]:
            await page.send("Input.dispatchKeyEvent", type=kind, key=key, text=text if kind == "keyDown" else "")
    await press("4", "4")
    await page.wait("location.hash === '#/journal'", "the journal")
    await page.wait("document.querySelector('h1')?.textContent === 'Journal'", "its filters")
    await press("/", "/")
    await page.wait("document.activeElement.id === 'filter-plugin'", "the first filter has the focus")
    await press("1", "1")
    expect(await page.run("location.hash") == "#/journal", "keys in a field keep their meaning")


@scenario
async def read_only(host, command, browser, page):
    """A page with --read-only shows everything, and its server refuses each call that changes something."""
    host.submit("waits.one", requires_external_power=True)
    await page.press("Cancel", "document.querySelector('main')")
    await page.shows("this page is read-only")
    expect(await page.run("document.querySelector('dialog .primary').disabled"), "the dialog permits the action")
    body = json.dumps({"identifier": FAILS, "kind": "processing"})
    expect(command.request("POST", "/v1/tasks", body) == 403, "a submission was not refused")
    expect(command.request("DELETE", "/v1/tasks/com.example.shown.waits.one") == 403, "a cancellation was not refused")
    expect(command.request("GET", "/v1/tasks") == 200, "a reading call was refused")
    expect(host.call("GET", "/v1/tasks")[1]["pending"], "the request is still pending")


@scenario
async def foreign_callers(host, command, browser, page):
    """The server refuses names of other sites, other sites, and callers without the token."""
    refused = {
        "a name that resolves to this machine": (421, {"host": f"attacker.example:{command.port}"}),
        "an address at which the page does not listen": (421, {"host": f"[::1]:{command.port}"}),
        "another port in the name": (421, {"host": "127.0.0.1:1"}),
        "no name": (421, {"host": None}),
        "another site": (403, {"sec_fetch_site": "cross-site"}),
        "another port of this machine": (403, {"sec_fetch_site": "same-site"}),
        "no browser": (403, {"sec_fetch_site": None}),
        "no token": (401, {"authorization": None}),
        "a wrong token": (401, {"authorization": "Bearer " + "0" * 64}),
        "a form": (415, {"content_type": "text/plain"}),
    }
    body = json.dumps({"identifier": FAILS, "kind": "processing"})
    for caller, (status, changes) in refused.items():
        answer = command.request("POST", "/v1/tasks", body, **changes)
        expect(answer == status, f"{caller}: {answer}, not {status}")
    expect(command.request("GET", "/", host="attacker.example") == 421, "the page itself has a foreign name")
    expect(command.request("GET", "/v1/nowhere") == 404, "a path that is no route")
    expect(command.request("GET", "/v1/run") == 405, "a method that the path does not have")
    expect(command.request("GET", "/../etc/passwd", authorization=None) in (401, 404), "a path outside of the page")
    expect(all(entry.get("identifier") != FAILS for entry in host.journal()), "a refused call has submitted a request")
    expect(command.request("POST", "/v1/tasks", body) == 201, "the same call with all fields")
    await page.go("data:text/html,<title>attacker</title>")
    address = f"http://127.0.0.1:{command.port}"
    found = await page.run(f"fetch('{address}/v1/host', {{headers: {{authorization: 'Bearer {command.token}'}}}})"
                           ".then((answer) => answer.status, (error) => error.name)")
    expect(found == "TypeError", f"another site can read the answer of the host: {found}")
    page.problems.clear()


@scenario
async def silent_connections(host, command, browser, page):
    """Connections without the token do not keep the browser out, and a refused call ends before its body."""
    silent = [socket.create_connection(("127.0.0.1", command.port)) for _ in range(300)]
    try:
        expect(command.request("GET", "/v1/host") == 200, "a call beside 300 silent connections")
        await page.send("Page.reload")
        await page.wait("document.getElementById('link')?.textContent === 'live'", "the page is live again")
        expect(command.request("POST", "/v1/tasks", "", content_length="2000000", authorization=None) == 401,
               "a call without the token is not refused by its head")
    finally:
        for one in silent:
            one.close()
    idle = socket.create_connection(("127.0.0.1", command.port), timeout=30)
    expect(await asyncio.to_thread(idle.recv, 1) == b"", "an idle connection stays open")
