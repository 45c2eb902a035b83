# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""Uploads that are sent whole, and whose response is late, lost or a redirect."""
import re
import signal
import threading
import time

import case
from case import FATAL, FINISHED, INTERRUPTED, TRANSIENT, TransferCase, content

MEGABYTE = 1 << 20
POST = ["method: POST"]


class ResponseTests(TransferCase):
    def setUp(self):
        super().setUp()
        self.source = self.container / "day"
        self.source.write_bytes(content(3 * MEGABYTE))
        self.has_body = threading.Event()

    def after_body(self, answer):
        """A server that receives the whole body before it does something else."""
        def behave(exchange):
            exchange.read_body()
            self.has_body.set()
            answer(exchange)

        return self.serve(behave)

    def send(self, server, lines=()):
        return self.run_one(self.upload(f"{server.origin}/", "day", lines=lines))

    def progress(self):
        return [(int(done), int(total)) for done, total in re.findall(r"progress (\d+) of (\d+)", self.log)]

    def test_a_post_without_a_response_is_not_repeated(self):
        for body in [content(3 * MEGABYTE), b"short", b""]:
            with self.subTest(len(body)):
                self.source.write_bytes(body)
                server = self.after_body(lambda exchange: exchange.hang_up())
                self.check_end(self.send(server, POST), FATAL, "result-unknown", status=0, bytes=len(body))
                self.assertEqual(len(server.requests), 1)

    def test_a_post_whose_response_breaks_off_after_a_status_of_success_is_not_repeated(self):
        server = self.after_body(lambda exchange: (exchange.head(201, {"Content-Length": 9}), exchange.hang_up()))
        self.check_end(self.send(server, POST), FATAL, "result-unknown", status=201)

    def test_a_refusal_counts_without_the_end_of_its_body(self):
        server = self.after_body(lambda exchange: (exchange.head(413, {"Content-Length": 9}), exchange.hang_up()))
        for lines in [[], POST]:
            self.check_end(self.send(server, lines), FATAL, "http-status", status=413)

    def test_a_post_whose_response_cannot_be_stored_is_not_repeated(self):
        server = self.after_body(lambda exchange: (self.part().unlink(), exchange.answer(201, body=b"id")))
        self.check_end(self.send(server), TRANSIENT, "staging-unusable", status=201)
        self.check_end(self.send(server, POST), FATAL, "result-unknown", status=201)

    def test_a_post_is_not_repeated_after_a_gateway_lost_the_response_of_the_receiver(self):
        for status, fault in [(502, "result-unknown"), (504, "result-unknown"), (503, "server-busy")]:
            with self.subTest(status):
                server = self.after_body(lambda exchange: exchange.answer(status))
                result = FATAL if fault == "result-unknown" else TRANSIENT
                self.check_end(self.send(server, POST), result, fault, status=status)
                self.check_end(self.send(server), TRANSIENT, "server-busy", status=status)

    def test_a_post_that_a_gateway_refuses_before_its_end_is_tried_again(self):
        self.source.write_bytes(content(40 * MEGABYTE))
        server = self.serve(lambda exchange: (exchange.connection.recv(1000), exchange.answer(502), exchange.hang_up()))
        self.check_end(self.send(server, POST), TRANSIENT, "server-busy", status=502)

    def test_a_put_without_a_response_is_tried_again(self):
        server = self.after_body(lambda exchange: exchange.hang_up())
        self.check_end(self.send(server), TRANSIENT, "network", status=0)

    def test_a_post_whose_body_was_cut_off_is_tried_again(self):
        server = self.serve(lambda exchange: (exchange.connection.recv(1000), exchange.hang_up()))
        self.source.write_bytes(content(40 * MEGABYTE))
        self.check_end(self.send(server, POST), TRANSIENT, "network", status=0)

    def test_a_post_takes_a_new_connection_because_curl_may_repeat_requests_on_a_kept_one(self):
        server = self.after_body(lambda exchange: exchange.hang_up() if exchange.path == "/2" else exchange.answer(201))
        self.options = ["--at-once", "1"]
        self.source.write_bytes(b"short")
        descriptions = [self.upload(f"{server.origin}/{number}", "day", number, POST) for number in [1, 2]]
        ends = self.run_all(*descriptions)
        self.assertEqual([end["fault"] for end in ends], [0, case.FAULTS["result-unknown"]])
        self.assertEqual([request.path for request in server.requests], ["/1", "/2"])
        self.assertIsNot(server.requests[0].connection, server.requests[1].connection)

    def test_a_late_response_is_awaited_and_moves_the_progress(self):
        self.options = ["--low-speed", "1000", "--low-speed-seconds", "1", "--waiting-ms", "500", "--progress", "yes"]
        server = self.after_body(lambda exchange: (time.sleep(4), exchange.answer(201)))
        for lines in [[], POST]:
            self.check_end(self.send(server, lines), FINISHED, status=201, bytes=3 * MEGABYTE)
            done, total = self.progress()[-1]
            self.assertEqual(done, total)
            self.assertIn(done - 3 * MEGABYTE, range(2, 9))

    def test_the_wait_for_a_response_has_a_limit(self):
        self.options = ["--answer-seconds", "1"]
        released = threading.Event()
        self.addCleanup(released.set)
        server = self.after_body(lambda exchange: (released.wait(case.LIMIT), exchange.hang_up()))
        self.check_end(self.send(server), TRANSIENT, "slow", status=0)
        self.check_end(self.send(server, POST), FATAL, "result-unknown", status=0)
        self.assertEqual(len(server.requests), 2)

    def test_a_post_that_expires_while_its_response_is_awaited_is_not_repeated(self):
        released = threading.Event()
        self.addCleanup(released.set)
        server = self.after_body(lambda exchange: (released.wait(case.LIMIT), exchange.hang_up()))
        for lines, result in [([], INTERRUPTED), (POST, FATAL)]:
            self.has_body.clear()
            program = self.start(self.upload(f"{server.origin}/", "day", lines=lines))
            self.assertTrue(self.has_body.wait(case.LIMIT))
            program.send_signal(signal.SIGTERM)
            output, _ = program.communicate(timeout=case.LIMIT)
            self.assertIn(f'"result": {result}', output)
            self.assertEqual(f'"fault": {case.FAULTS["result-unknown"]}' in output, result == FATAL)

    def test_the_progress_of_a_redirected_upload_counts_both_bodies(self):
        self.options = ["--progress", "yes"]

        def behave(exchange):
            exchange.read_body()
            time.sleep(0.6)  # longer than the interval of progress reports
            exchange.answer(*((307, {"Location": "/end"}) if exchange.path == "/" else (201,)))

        self.check_end(self.send(self.serve(behave)), FINISHED, status=201, bytes=3 * MEGABYTE, total=3 * MEGABYTE)
        reports = self.progress()
        self.assertIn((3 * MEGABYTE, 3 * MEGABYTE), reports)
        self.assertEqual(reports[-1], (6 * MEGABYTE, 6 * MEGABYTE))
        self.assertEqual(reports, sorted(reports))
