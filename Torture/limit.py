# Part of bgtask, under the Apache License 2.0; see LICENSE.
import time


class Limit:
    """So many seconds of waiting. A longer time in which this process stood still counts as one second."""

    def __init__(self, seconds):
        self.left, self.last = seconds, time.monotonic()

    def is_over(self):
        """Asked again and again while waiting."""
        now = time.monotonic()
        self.left -= min(now - self.last, 1)
        self.last = now
        return self.left <= 0
