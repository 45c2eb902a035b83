# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""Interruptions, ranges and validators."""
import signal
import time
import unittest

import case
from case import FATAL, INTERRUPTED, TRANSIENT, TransferCase, content
from server import File, send_in_step, send_slowly

MEGABYTE = 1 << 20
# The bytes of the long download, and the number of kills; run --large raises the first.
LARGE = {"bytes": 64 * MEGABYTE, "kills": 20}
RATE = 32 * MEGABYTE  # of an ordinary server, in bytes per second


class ResumingTests(TransferCase):
    def test_a_process_that_is_killed_20_times_requests_no_written_byte_again(self):
        # The server does not wait for the client. The bytes in the buffers of a killed process are lost. Their share is
        # compared in the long run alone: it depends on the machine more than on the size of the file.
        file, arrived, written = File(content(LARGE["bytes"])), [], [None]

        def behave(exchange):
            arrived.append(send_slowly(exchange, file.begin(exchange), RATE, piece=16384))
            exchange.hang_up()

        server = self.serve(behave)
        description = self.describe(f"{server.origin}/large", lines=[f"sha256: {file.digest}"])
        for kill in range(LARGE["kills"]):
            program = self.start(description)
            # Each process writes a byte of its own, however far the one before came.
            self.wait_for_bytes(max(LARGE["bytes"] * (kill + 1) // (LARGE["kills"] + 2), (written[-1] or 0) + 1))
            program.kill()
            program.communicate()
            written.append(self.written())
        self.check_finished(self.run_one(description), file.body, restarts=0, source_changes=0)
        self.assertEqual([request.range_start() for request in server.requests], written)
        twice = self.count_twice(arrived)
        if LARGE["bytes"] >= 1 << 30:
            self.assertLess(twice, LARGE["bytes"] * 0.02)

    def count_twice(self, arrived):
        deadline = time.monotonic() + case.LIMIT
        while len(arrived) <= LARGE["kills"]:
            self.assertLess(time.monotonic(), deadline, "the server has not seen the end of each connection")
            time.sleep(0.01)
        twice = sum(arrived) - LARGE["bytes"]
        print(f"{LARGE['bytes']} bytes, {LARGE['kills']} kills: {twice} bytes fetched twice")
        return twice

    def test_a_process_that_is_killed_20_times_fetches_less_than_2_percent_twice_from_a_server_in_step(self):
        # The server sends a piece when the one before is written, so that the buffers hold one piece at most.
        file, arrived = File(content(LARGE["bytes"])), []

        def behave(exchange):
            start = file.start_of(exchange) or 0
            arrived.append(send_in_step(exchange, file.begin(exchange), lambda sent: self.written() >= start + sent))
            exchange.hang_up()

        server = self.serve(behave)
        description = self.describe(f"{server.origin}/large", lines=[f"sha256: {file.digest}"])
        for kill in range(LARGE["kills"]):
            program = self.start(description)
            self.wait_for_bytes(LARGE["bytes"] * (kill + 1) // (LARGE["kills"] + 2))
            program.kill()
            program.communicate()
        self.check_finished(self.run_one(description), file.body, restarts=0, source_changes=0)
        self.assertLess(self.count_twice(arrived), LARGE["bytes"] * 0.02)
        self.assertEqual(len(arrived), LARGE["kills"] + 1)

    def written(self):
        return self.part().stat().st_size if self.part().exists() else 0

    def wait_for_bytes(self, count):
        deadline = time.monotonic() + case.LIMIT
        while self.written() < count:
            self.assertLess(time.monotonic(), deadline, "the download stands still")
            time.sleep(0.002)

    def test_an_expiring_download_moves_its_cursor_and_continues(self):
        file = File(content(4 * MEGABYTE))

        def behave(exchange):
            body = file.begin(exchange)
            send_slowly(exchange, body, 2 * MEGABYTE if exchange.number == 0 else 1 << 40)

        server = self.serve(behave)
        description = self.describe(f"{server.origin}/file")
        program = self.start(description)
        self.wait_for_bytes(MEGABYTE)
        program.send_signal(signal.SIGTERM)
        output, _ = program.communicate(timeout=case.LIMIT)
        self.assertIn(f'"result": {INTERRUPTED}', output)
        self.check_finished(self.run_one(description), file.body, restarts=0)
        self.assertGreaterEqual(server.requests[1].range_start(), MEGABYTE)

    def test_a_broken_download_continues_with_a_strong_etag(self):
        file = File(content(3 * MEGABYTE))
        ends = [MEGABYTE, 2 * MEGABYTE, None]
        server = self.serve(lambda exchange: file.serve(exchange, until=ends[exchange.number]))
        description = self.describe(f"{server.origin}/file")
        for offset in [MEGABYTE, 2 * MEGABYTE]:
            self.check_end(self.run_one(description), TRANSIENT, "network", bytes=offset, total=3 * MEGABYTE)
        self.check_finished(self.run_one(description), file.body, restarts=0, status=206)
        self.assertEqual([request.range_start() for request in server.requests], [None, MEGABYTE, 2 * MEGABYTE])
        self.assertEqual([request.headers.get("if-range") for request in server.requests], [None, '"one"', '"one"'])

    def test_a_broken_download_continues_with_a_date_that_is_older_than_the_answer(self):
        file = File(content(2 * MEGABYTE), etag='W/"weak"', modified=time.time() - 60)
        server = self.serve(lambda exchange: file.serve(exchange, until=[MEGABYTE, None][exchange.number]))
        description = self.describe(f"{server.origin}/file")
        self.check_end(self.run_one(description), TRANSIENT, "network")
        self.check_finished(self.run_one(description), file.body, restarts=0)
        self.assertEqual(server.requests[1].headers["if-range"], file.headers()["Last-Modified"])

    def test_a_weak_etag_and_a_date_of_the_same_second_are_no_validators(self):
        for file in [File(content(2 * MEGABYTE), etag='W/"weak"'),
                     File(content(2 * MEGABYTE), etag=None, modified=time.time() + 5),
                     File(content(2 * MEGABYTE), etag=None)]:
            with self.subTest(file.headers()):
                self.setUp()
                server = self.serve(lambda exchange: file.serve(exchange, until=[MEGABYTE, None][exchange.number]))
                description = self.describe(f"{server.origin}/file")
                self.check_end(self.run_one(description), TRANSIENT, "network", bytes=MEGABYTE)
                self.check_finished(self.run_one(description), file.body, restarts=1, source_changes=0)
                self.assertNotIn("range", server.requests[1].headers)

    def test_a_changed_file_is_fetched_from_the_start_and_counted(self):
        old, new = File(content(3 * MEGABYTE)), File(content(2 * MEGABYTE + 17, seed=2), etag='"two"')
        server = self.serve(lambda exchange: [old, new][min(exchange.number, 1)].serve(
            exchange, until=MEGABYTE if exchange.number == 0 else None))
        description = self.describe(f"{server.origin}/file")
        self.check_end(self.run_one(description), TRANSIENT, "network")
        self.check_finished(self.run_one(description), new.body, restarts=1, source_changes=1, status=200)

    def test_a_continued_file_with_a_wrong_digest_is_fetched_once_more_as_a_whole(self):
        old, new = File(content(3 * MEGABYTE)), File(content(3 * MEGABYTE, seed=2))
        for later, result in [(new, 1), (old, FATAL)]:
            server = self.serve(lambda exchange: [old, later][min(exchange.number, 1)].serve(
                exchange, until=MEGABYTE if exchange.number == 0 else None))
            description = self.describe(f"{server.origin}/file", lines=[f"sha256: {new.digest}"])
            self.check_end(self.run_one(description), TRANSIENT, "network")
            end = self.run_one(description)
            self.assertEqual([request.range_start() for request in server.requests], [None, MEGABYTE, None])
            if result == FATAL:
                self.check_end(end, FATAL, "digest-mismatch", restarts=1)
            else:
                self.check_finished(end, new.body, restarts=1)
                (self.container / ".transfers/1").unlink()
                self.cursor().unlink()

    def test_a_file_that_changes_at_each_interruption_ends_after_two_restarts_without_progress(self):
        def behave(exchange):
            file = File(content(3 * MEGABYTE, exchange.number), etag=f'"{exchange.number}"')
            file.serve(exchange, until=2 * MEGABYTE)

        description = self.describe(f"{self.serve(behave).origin}/file")
        for restarts in [0, 1, 2]:
            self.check_end(self.run_one(description), TRANSIENT, "network", restarts=restarts)
        self.check_end(self.run_one(description), FATAL, "too-many-restarts", restarts=3, source_changes=3)

    def test_a_server_that_ignores_ranges_restarts_the_download(self):
        file = File(content(3 * MEGABYTE))

        def behave(exchange):
            exchange.headers.pop("range", None)
            file.serve(exchange, until=[MEGABYTE, 2 * MEGABYTE, None][exchange.number])

        description = self.describe(f"{self.serve(behave).origin}/file")
        for restarts in [0, 1]:
            self.check_end(self.run_one(description), TRANSIENT, "network", restarts=restarts, source_changes=0)
        self.check_finished(self.run_one(description), file.body, restarts=2, source_changes=0, status=200)

    def test_restarts_with_progress_do_not_end_a_download(self):
        file = File(content(3 * MEGABYTE))

        def behave(exchange):
            exchange.headers.pop("range", None)
            file.serve(exchange, until=(exchange.number + 1) * 300_000)

        description = self.describe(f"{self.serve(behave).origin}/file")
        for restarts in range(10):
            self.check_end(self.run_one(description), TRANSIENT, "network", restarts=restarts)
        self.check_finished(self.run_one(description), file.body, restarts=10)


if __name__ == "__main__":
    unittest.main()
