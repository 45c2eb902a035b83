# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""Answers that are wrong, late, short or long."""
import email.utils
import time

from case import FATAL, TRANSIENT, TransferCase, content
from server import File

MEGABYTE = 1 << 20
DAY = 86400


class AnswerTests(TransferCase):
    def begin(self, second):
        """An interrupted download of 1 of 3 MB, whose next answer `second` writes. Returns file and description."""
        file = File(content(3 * MEGABYTE))

        def behave(exchange):
            if exchange.number == 0:
                file.serve(exchange, until=MEGABYTE)
            elif exchange.number == 1:
                second(exchange, file)
            else:
                file.serve(exchange)

        self.server = self.serve(behave)
        description = self.describe(f"{self.server.origin}/file")
        self.check_end(self.run_one(description), TRANSIENT, "network", bytes=MEGABYTE)
        return file, description

    def part_of(self, file, start, total, etag='"one"', shown=None):
        body = file.body[start:]
        end = f"bytes {start if shown is None else shown}-{len(file.body) - 1}/{total}"
        return {"Content-Range": end, "ETag": etag, "Content-Length": len(body)}, body

    def check_restart(self, second, **values):
        file, description = self.begin(second)
        self.check_finished(self.run_one(description), file.body, restarts=1, **values)
        self.assertNotIn("range", self.server.requests[2].headers)

    def test_a_part_with_another_start_is_discarded(self):
        def second(exchange, file):
            headers, body = self.part_of(file, MEGABYTE - 4096, len(file.body))
            exchange.head(206, headers)
            exchange.send(body)

        self.check_restart(second, source_changes=0)

    def test_a_part_without_content_range_is_discarded(self):
        self.check_restart(lambda exchange, file: exchange.answer(206, {"ETag": '"one"'}, file.body[MEGABYTE:]))

    def test_a_part_of_a_file_of_another_size_is_discarded(self):
        def second(exchange, file):
            headers, body = self.part_of(file, MEGABYTE, len(file.body) + 1)
            exchange.head(206, headers)
            exchange.send(body)

        self.check_restart(second, source_changes=1)

    def test_a_part_with_another_etag_is_discarded(self):
        def second(exchange, file):
            headers, body = self.part_of(file, MEGABYTE, len(file.body), etag='"two"')
            exchange.head(206, headers)
            exchange.send(body)

        self.check_restart(second, source_changes=1)

    def test_a_part_with_more_bytes_than_its_range_is_discarded(self):
        def second(exchange, file):
            headers, body = self.part_of(file, MEGABYTE, len(file.body))
            del headers["Content-Length"]
            exchange.head(206, {**headers, "Transfer-Encoding": "chunked"})
            exchange.chunk(body + b"more")
            exchange.send(b"0\r\n\r\n")

        self.check_restart(second, source_changes=0)

    def test_a_part_whose_length_contradicts_its_range_is_discarded(self):
        def second(exchange, file):
            headers, body = self.part_of(file, MEGABYTE, len(file.body))
            exchange.head(206, {**headers, "Content-Length": len(body) - 5})
            exchange.send(body[:-5])

        self.check_restart(second, source_changes=0)

    def test_a_precondition_that_failed_restarts_the_download(self):
        self.check_restart(lambda exchange, file: exchange.answer(412), source_changes=1)

    def test_an_unsatisfiable_range_of_a_shorter_file_restarts_the_download(self):
        self.check_restart(lambda exchange, file: exchange.answer(416, {"Content-Range": "bytes */1000"}),
                           source_changes=1)

    def test_a_part_that_a_server_cuts_is_continued(self):
        def second(exchange, file):
            headers, body = self.part_of(file, MEGABYTE, len(file.body))
            end = MEGABYTE + 5000
            exchange.head(206, {**headers, "Content-Length": 5000,
                                "Content-Range": f"bytes {MEGABYTE}-{end - 1}/{len(file.body)}"})
            exchange.send(body[:5000])

        file, description = self.begin(second)
        self.check_finished(self.run_one(description), file.body, restarts=0)
        self.assertEqual(self.server.requests[2].range_start(), MEGABYTE + 5000)

    def test_a_part_that_was_not_asked_for_ends_after_two_restarts(self):
        file = File(content(1000))
        server = self.serve(lambda exchange: exchange.answer(
            206, {"Content-Range": "bytes 0-999/1000"}, file.body))
        self.check_end(self.run_one(self.describe(f"{server.origin}/file")), FATAL, "source-changes", restarts=3)

    def test_an_unsatisfiable_range_at_the_end_completes_a_file_without_a_length(self):
        file = File(content(2 * MEGABYTE))

        def behave(exchange):
            if exchange.number > 0:
                return file.serve(exchange)
            exchange.head(200, {**file.headers(), "Transfer-Encoding": "chunked"})
            exchange.chunk(file.body)
            exchange.hang_up()

        server = self.serve(behave)
        description = self.describe(f"{server.origin}/file")
        self.check_end(self.run_one(description), TRANSIENT, "network", bytes=len(file.body), total=-1)
        self.check_finished(self.run_one(description), file.body, status=416, restarts=0)

    def test_a_body_that_is_shorter_than_its_length_is_continued(self):
        file = File(content(MEGABYTE))
        server = self.serve(lambda exchange: file.serve(exchange, until=None if exchange.number else 500_000))
        description = self.describe(f"{server.origin}/file")
        self.check_end(self.run_one(description), TRANSIENT, "network", bytes=500_000)
        self.check_finished(self.run_one(description), file.body, restarts=0)

    def test_a_body_that_ends_with_its_connection_needs_the_size_to_be_recognized_as_short(self):
        file = File(content(100_000))

        def behave(exchange):
            if exchange.number:
                return file.serve(exchange)
            exchange.head(200, {**file.headers(), "Connection": "close"})
            exchange.send(file.body[:60_000])
            exchange.hang_up()

        server = self.serve(behave)
        end = self.run_one(self.describe(f"{server.origin}/file", lines=["size: 100000"]))
        self.check_finished(end, file.body, restarts=0)
        self.assertEqual(server.requests[1].range_start(), 60_000)

    def test_a_file_of_another_size_than_expected_fails(self):
        file = File(content(1000))
        for size in [999, 1001]:
            server = self.serve(file.serve)
            end = self.run_one(self.describe(f"{server.origin}/file", size, lines=[f"size: {size}"]))
            self.check_end(end, FATAL, "size-mismatch")

    def test_more_bytes_than_expected_without_a_length_fail(self):
        def behave(exchange):
            exchange.head(200, {"Transfer-Encoding": "chunked"})
            exchange.chunk(content(2000))
            exchange.send(b"0\r\n\r\n")

        end = self.run_one(self.describe(f"{self.serve(behave).origin}/file", lines=["size: 1000"]))
        self.check_end(end, FATAL, "size-mismatch")

    def test_a_file_with_another_digest_than_expected_does_not_appear(self):
        file = File(content(1000))
        other = File(content(1000, seed=2)).digest
        server = self.serve(file.serve)
        end = self.run_one(self.describe(f"{server.origin}/file", lines=[f"sha256: {other}"]))
        self.check_end(end, FATAL, "digest-mismatch")

    def test_an_empty_file_is_a_file(self):
        file = File(b"")
        server = self.serve(file.serve)
        end = self.run_one(self.describe(f"{server.origin}/file", lines=[f"sha256: {file.digest}", "size: 0"]))
        self.check_finished(end, b"")


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
