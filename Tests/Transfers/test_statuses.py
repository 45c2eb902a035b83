# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""Servers that are busy, refuse, are slow or speak no HTTP."""
import email.utils
import time

from case import FATAL, TRANSIENT, TransferCase, content
from server import File

DAY = 86400


class StatusTests(TransferCase):
    def status(self, status, headers=None):
        server = self.serve(lambda exchange: exchange.answer(status, headers, b"an explanation"))
        return self.run_one(self.describe(f"{server.origin}/file"))

    def test_a_busy_server_decides_when_it_is_asked_again(self):
        now = time.time()
        date = {"Date": email.utils.formatdate(now - 5000, usegmt=True)}
        at = {"Retry-After": email.utils.formatdate(now - 5000 + 90, usegmt=True)}
        for status, headers, delay in [
            (503, {"Retry-After": "120"}, 120), (429, {"Retry-After": "0"}, 0), (503, {**date, **at}, 90),
            (503, {"Retry-After": "99999999"}, DAY), (503, {"Retry-After": "-5"}, -1), (503, {}, -1),
            (503, {**date, "Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT"}, 0), (429, {"Retry-After": "soon"}, -1),
        ]:
            with self.subTest(status=status, headers=headers):
                self.check_end(self.status(status, headers), TRANSIENT, "server-busy", status=status, retry_after=delay)

    def test_a_failing_server_is_asked_again_and_a_refusal_is_final(self):
        for status in [500, 502, 504, 408, 425]:
            self.check_end(self.status(status), TRANSIENT, "server-busy", status=status)
        for status in [400, 401, 403, 404, 410, 412, 416, 204, 304, 300]:
            self.check_end(self.status(status), FATAL, "http-status", status=status)

    def test_a_server_that_sends_a_byte_now_and_then_ends_the_try_and_the_bytes_stay(self):
        self.options = ["--low-speed", "10000", "--low-speed-seconds", "1"]
        file = File(content(200_000))

        def behave(exchange):
            body = file.begin(exchange)
            exchange.send(body[:50_000])
            for byte in range(50_000, len(body) if exchange.number == 0 else 0):
                exchange.send(body[byte:byte + 1])
                time.sleep(0.1)
            exchange.send(body[50_000:])

        description = self.describe(f"{self.serve(behave).origin}/file")
        end = self.run_one(description)
        self.check_end(end, TRANSIENT, "slow")
        self.assertGreater(end["bytes"], 50_000)
        self.check_finished(self.run_one(description), file.body, restarts=0)

    def test_a_server_that_never_completes_the_head_of_its_answer_ends_the_try(self):
        self.options = ["--low-speed", "1000", "--low-speed-seconds", "1"]

        def behave(exchange):
            for byte in b"HTTP/1.1 200 Fine\r\nX-Slow: " + b"x" * 1000:
                exchange.send(bytes([byte]))
                time.sleep(0.1)

        self.check_end(self.run_one(self.describe(f"{self.serve(behave).origin}/file")), TRANSIENT, "slow")

    def test_a_server_that_speaks_no_http_ends_the_try(self):
        def behave(exchange):
            exchange.send(b"220 mail.example.com ESMTP\r\n")
            exchange.hang_up()

        self.check_end(self.run_one(self.describe(f"{self.serve(behave).origin}/file")), TRANSIENT, "network")
