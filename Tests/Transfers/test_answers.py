# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""Answers that are wrong, short or long."""
from case import FATAL, TRANSIENT, TransferCase, content
from server import File

MEGABYTE = 1 << 20


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
        self.check_end(self.run_one(self.describe(f"{server.origin}/file")), FATAL, "too-many-restarts", restarts=3)

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

    def test_an_encoded_file_is_taken_with_its_digest_alone(self):
        file = File(content(1000))
        for encoding, lines, is_taken in [("gzip", [], False), ("gzip", [f"sha256: {file.digest}"], True),
                                          ("identity", [], True)]:
            server = self.serve(lambda exchange: exchange.answer(200, {"Content-Encoding": encoding}, file.body))
            end = self.run_one(self.describe(f"{server.origin}/file", lines=lines))
            if is_taken:
                self.check_finished(end, file.body)
                (self.container / ".transfers/1").unlink()
            else:
                self.check_end(end, FATAL, "http-status", status=200)

    def test_a_length_beside_a_transfer_encoding_does_not_count(self):
        file = File(content(1000))

        def behave(exchange):
            exchange.head(200, {**file.headers(), "Content-Length": 5, "Transfer-Encoding": "chunked"})
            exchange.chunk(file.body)
            exchange.send(b"0\r\n\r\n")

        self.check_finished(self.run_one(self.describe(f"{self.serve(behave).origin}/file")), file.body)

    def test_an_empty_file_is_a_file(self):
        file = File(b"")
        server = self.serve(file.serve)
        end = self.run_one(self.describe(f"{server.origin}/file", lines=[f"sha256: {file.digest}", "size: 0"]))
        self.check_finished(end, b"")
