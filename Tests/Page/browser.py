# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""One headless Chromium and its pages, over the DevTools protocol."""
import asyncio
import base64
import json
import os
import shutil
import sys
import tempfile
import urllib.request
from pathlib import Path

import websockets

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "HostScenarios"))
from host import Failure

# Records the milliseconds of each task of the main thread that takes 50 ms or longer.
LONG_TASKS = """window.longTasks = [];
    new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => longTasks.push(duration)))
        .observe({ type: "longtask", buffered: true });"""
START_LIMIT = 60
ANSWER_LIMIT = 30


def program():
    """The path of Chromium; None without one."""
    names = ["chromium", "chromium-browser", "google-chrome"]
    return os.environ.get("BGTASK_BROWSER") or next(filter(None, map(shutil.which, names)), None)


class Browser:
    """A browser with a profile of its own, which is deleted at the end."""

    async def __aenter__(self):
        self.profile = tempfile.TemporaryDirectory(prefix="bgtask-browser-", ignore_cleanup_errors=True)
        options = ["--headless=new", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
                   "--disable-extensions",
                   "--disable-background-networking", "--disable-component-update", "--disable-sync", "--mute-audio",
                   "--password-store=basic", "--remote-debugging-port=0", "--hide-scrollbars",
                   f"--user-data-dir={self.profile.name}"]
        if os.geteuid() == 0:
            options.append("--no-sandbox")
        self.process = await asyncio.create_subprocess_exec(
            program(), *options, "about:blank", stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL)
        self.port, self.pages = await self.find_port(), []
        return self

    async def __aexit__(self, *_):
        for page in self.pages:
            page.reader.cancel()
            await page.socket.close()
        self.process.terminate()
        try:
            await asyncio.wait_for(self.process.wait(), 10)
        except asyncio.TimeoutError:
            self.process.kill()
            await self.process.wait()
        self.profile.cleanup()

    async def find_port(self):
        file = Path(self.profile.name) / "DevToolsActivePort"
        for _ in range(START_LIMIT * 20):
            if file.exists() and (lines := file.read_text().split()):
                return int(lines[0])
            if self.process.returncode is not None:
                raise Failure(f"the browser ended with {self.process.returncode}")
            await asyncio.sleep(0.05)
        raise Failure("the browser has not started")

    async def window(self, page):
        """A page in a window of its own, which hides no other page. `page` is one of the browser."""
        target = await page.send("Target.createTarget", url="about:blank", newWindow=True)
        return await self.attach(f"ws://127.0.0.1:{self.port}/devtools/page/{target['targetId']}")

    async def page(self, **options):
        """A page in a tab, which hides the other ones of its window."""
        url = f"http://127.0.0.1:{self.port}/json/new?about:blank"
        request = urllib.request.Request(url, method="PUT")
        target = json.load(await asyncio.to_thread(urllib.request.urlopen, request))
        return await self.attach(target["webSocketDebuggerUrl"], **options)

    async def attach(self, address, **options):
        page = Page(await websockets.connect(address, max_size=None))
        self.pages.append(page)
        await page.start(**options)
        return page


class Page:
    """One page: it navigates, evaluates JavaScript and waits for what a user sees."""

    def __init__(self, socket):
        self.socket, self.number, self.answers = socket, 0, {}
        # The errors that the browser reports, and the addresses that the page has called.
        self.problems, self.requests = [], []
        self.reader = asyncio.create_task(self.read())

    async def start(self, width=1280, height=900, theme="light", zone="Europe/Berlin"):
        for domain in ["Page", "Runtime", "Log", "Network"]:
            await self.send(f"{domain}.enable")
        await self.send("Page.addScriptToEvaluateOnNewDocument", source=LONG_TASKS)
        await self.send("Emulation.setTimezoneOverride", timezoneId=zone)
        await self.resize(width, height, theme)

    async def resize(self, width, height, theme="light"):
        await self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                        mobile=False)
        await self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])

    async def read(self):
        async for text in self.socket:
            message = json.loads(text)
            if "id" in message:
                waiting = self.answers.pop(message["id"], None)
                if waiting and not waiting.done():
                    waiting.set_result(message)
            elif message["method"] == "Runtime.exceptionThrown":
                self.problems.append(json.dumps(message["params"]["exceptionDetails"])[:600])
            elif message["method"] == "Log.entryAdded" and message["params"]["entry"]["source"] == "security":
                self.problems.append(message["params"]["entry"]["text"])
            elif message["method"] == "Network.requestWillBeSent":
                self.requests.append(message["params"]["request"]["url"])
            elif message["method"] == "Page.javascriptDialogOpening":
                self.problems.append("a script opened a dialog: " + message["params"]["message"])

    async def send(self, method, **parameters):
        self.number += 1
        waiting = asyncio.get_running_loop().create_future()
        self.answers[self.number] = waiting
        await self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        answer = await asyncio.wait_for(waiting, ANSWER_LIMIT)
        if "error" in answer:
            raise Failure(f"{method}: {answer['error']}")
        return answer["result"]

    async def go(self, url):
        await self.send("Page.navigate", url=url)

    async def run(self, expression):
        """The value of a JavaScript expression, which may be a promise."""
        answer = await self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise Failure(f"{expression}: {json.dumps(answer['exceptionDetails'])[:400]}")
        return answer["result"].get("value")

    async def wait(self, expression, purpose, limit=ANSWER_LIMIT):
        """Waits until a JavaScript expression is true."""
        end = asyncio.get_running_loop().time() + limit
        while True:
            try:
                if value := await self.run(expression):
                    return value
            except Failure:
                # The document is being replaced.
                pass
            if asyncio.get_running_loop().time() > end:
                text = await self.run("document.body.innerText.slice(0, 1500)")
                raise Failure(f"{purpose}: has not happened within {limit} s; the page shows:\n{text}")
            await asyncio.sleep(0.05)

    async def shows(self, text, limit=ANSWER_LIMIT):
        await self.wait(f"document.body.innerText.includes({json.dumps(text)})", f"the page shows {text!r}", limit)

    async def press(self, label, within="document"):
        """Presses the first button with a label, as soon as there is one."""
        button = (f"[...{within}.querySelectorAll('button')]"
                  f".find((one) => one.textContent === {json.dumps(label)} && !one.disabled)")
        await self.wait(f"!!({button})", f"a button {label!r}")
        await self.run(f"({button}).click()")

    async def picture(self, file):
        """Writes what the window shows in WebP, which is smaller than PNG."""
        answer = await self.send("Page.captureScreenshot", format="webp", quality=50)
        Path(f"{file}.webp").write_bytes(base64.b64decode(answer["data"]))

    async def close(self):
        await self.send("Page.close")
