# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""Traffic of a real host, for as long as the page is watched."""
import threading

from served import ShownHost

# Seconds between two rounds of three calls and a launch. The browser and a debug build need the rest of the machine.
PAUSE = 0.25
PLACES = ["now", "plugins", "plugin/com.example.shown", "task", "task/com.example.shown.fails", "journal", "launch/1",
          "timeline", "transfers", "whatif?external_power=yes"]


class BusyHost(ShownHost):
    """A host with a task that runs, and in each round a launch, a new waiting request and its cancellation."""

    def __enter__(self):
        self.configure({"external-power": "false"})
        self.install_shown()
        self.start()
        self.submit("stays", kind="continued", title="Staying")
        self.rounds, self.problem, self.is_ending = 0, None, threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()
        return self

    def __exit__(self, *error):
        self.is_ending.set()
        self.thread.join()
        super().__exit__(*error)

    def run(self):
        try:
            while not self.is_ending.wait(PAUSE):
                self.submit("fails")
                self.submit("waits.one", requires_external_power=True)
                self.call("DELETE", "/v1/tasks/com.example.shown.waits.one")
                self.rounds += 1
        except Exception as error:
            # The thread of the page raises it.
            self.problem = error

    def check(self):
        """Raises the error that ended the traffic, and prints its amount."""
        if self.problem:
            raise self.problem
        launches = self.call("GET", "/v1/launches?limit=1")[1]["launches"]
        print(f"{self.rounds} rounds of traffic, {launches[0]['launch']} launches", flush=True)
