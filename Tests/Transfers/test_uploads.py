# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""Uploads of files of the container."""
import os
import subprocess
import threading

import case
from case import FATAL, FINISHED, TRANSIENT, TransferCase, content

MEGABYTE = 1 << 20


class UploadTests(TransferCase):
    def setUp(self):
        super().setUp()
        self.bodies = []
        (self.container / "reports").mkdir()
        self.source = self.container / "reports" / "day"
        self.source.write_bytes(content(3 * MEGABYTE))

    def receive(self, status=201, body=b"", headers=None):
        def behave(exchange):
            self.bodies.append(exchange.read_body())
            exchange.answer(status, headers, body)

        return self.serve(behave)

    def test_a_file_arrives_whole_and_the_answer_is_kept(self):
        for lines, method in [([], "PUT"), (["method: POST", "header: Content-Type: text/plain"], "POST")]:
            server = self.receive(body=b'{"id": 7}')
            end = self.run_one(self.upload(f"{server.origin}/day", "reports/day", lines=lines))
            self.check_end(end, FINISHED, status=201, bytes=3 * MEGABYTE, total=3 * MEGABYTE)
            self.assertEqual(server.requests[0].method, method)
            self.assertEqual(self.bodies.pop(), self.source.read_bytes())
            self.assertEqual(self.file(), b'{"id": 7}')
            (self.container / ".transfers/1").unlink()

    def test_an_answer_without_a_body_leaves_no_file(self):
        server = self.receive(status=204)
        self.check_end(self.run_one(self.upload(f"{server.origin}/day", "reports/day")), FINISHED, status=204)
        self.assertIsNone(self.file())
        self.assertFalse(self.part().exists())

    def test_an_empty_file_is_sent(self):
        self.source.write_bytes(b"")
        server = self.receive()
        self.check_end(self.run_one(self.upload(f"{server.origin}/day", "reports/day")), FINISHED, bytes=0)

    def test_a_long_answer_is_cut(self):
        for size in [70_000, 5 * MEGABYTE]:
            server = self.receive(body=content(size))
            self.check_end(self.run_one(self.upload(f"{server.origin}/day", "reports/day")), FINISHED, status=201)
            self.assertEqual(self.file(), content(size)[:65536])
            (self.container / ".transfers/1").unlink()

    def test_links_and_foreign_files_are_not_sent(self):
        (self.directory / "foreign").write_text("foreign")
        (self.container / "link").symlink_to(self.directory / "foreign")
        (self.container / "inner-link").symlink_to("reports/day")
        (self.container / "linked").symlink_to(self.directory)
        os.mkfifo(self.container / "pipe")
        server = self.receive()
        for file in ["link", "inner-link", "linked/foreign", "pipe", "reports", "missing"]:
            with self.subTest(file):
                end = self.run_one(self.upload(f"{server.origin}/", file))
                self.check_end(end, FATAL, "file-unreadable", status=0)
        for file in ["../foreign", "reports/../../foreign", "/etc/passwd", "reports//day", "./reports/day", ""]:
            with self.subTest(file):
                command = self.command(self.upload(f"{server.origin}/", file))
                run = subprocess.run(command, capture_output=True, text=True)
                self.assertEqual((run.returncode, run.stdout), (1, ""), run.stderr)
        self.assertEqual(server.requests, [])

    def test_a_file_that_changes_while_it_is_sent_fails_and_no_byte_follows_its_content_length(self):
        size = 20 * MEGABYTE + 17
        changes = [lambda: self.source.write_bytes(b"short"), lambda: self.source.write_bytes(content(size, 2)),
                   lambda: self.source.open("ab").write(b"GET /forged HTTP/1.1\r\n\r\n")]
        for change in changes:
            self.source.write_bytes(content(size))
            surplus, is_read = [], threading.Event()

            def behave(exchange):
                change()
                try:
                    exchange.read_body()
                    exchange.connection.settimeout(0.3)
                    surplus.append(exchange.connection.recv(1000))
                except OSError:
                    pass  # the connection was reset, or no byte follows
                is_read.set()
                exchange.answer(200)

            server = self.serve(behave)
            end = self.run_one(self.upload(f"{server.origin}/", "reports/day"))
            self.check_end(end, FATAL, "file-changed")
            self.assertTrue(is_read.wait(case.LIMIT))
            self.assertEqual((b"".join(surplus), len(server.requests)), (b"", 1))

    def test_a_redirect_that_keeps_the_method_is_followed_and_another_is_not(self):
        for status in [307, 308]:
            target = self.receive()
            server = self.serve(lambda exchange: (exchange.read_body(), exchange.answer(
                status, {"Location": f"{target.origin}/target"})))
            self.check_end(self.run_one(self.upload(f"{server.origin}/", "reports/day")), FINISHED, status=201)
            self.assertEqual((target.requests[0].method, self.bodies.pop()), ("PUT", self.source.read_bytes()))
        for status in [301, 302, 303]:
            server = self.receive(status, headers={"Location": "/other"})
            end = self.run_one(self.upload(f"{server.origin}/", "reports/day"))
            self.check_end(end, FATAL, "http-status", status=status)

    def test_a_busy_server_and_a_broken_connection_are_tried_again_and_a_refusal_is_final(self):
        server = self.receive(503, headers={"Retry-After": "60"})
        description = self.upload(f"{server.origin}/", "reports/day")
        self.check_end(self.run_one(description), TRANSIENT, "server-busy", retry_after=60)
        broken = self.serve(lambda exchange: (exchange.connection.recv(1000), exchange.hang_up()))
        self.check_end(self.run_one(self.upload(f"{broken.origin}/", "reports/day")), TRANSIENT, "network")
        self.check_end(self.run_one(self.upload(f"{self.receive(413).origin}/", "reports/day")), FATAL, "http-status")
