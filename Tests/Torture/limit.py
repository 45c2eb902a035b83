# Part of bgtask, under the Apache License 2.0; see LICENSE.
import time


class Limit:
    """A limit in seconds of waiting. Any longer interval in which this process was stopped counts as one second."""

    def __init__(self, seconds):
        self.left, self.last = seconds, time.monotonic()

    def is_over(self):
        """True if the limit is exceeded; called repeatedly while waiting."""
        now = time.monotonic()
        self.left -= min(now - self.last, 1)
        self.last = now
        return self.left <= 0
