# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""Cursor, incomplete file, digest of the server, disk space, and many transfers at once."""
import base64
import hashlib
import time
import unittest

import network
from case import FATAL, FINISHED, TRANSIENT, TransferCase, content
from server import File

MEGABYTE = 1 << 20


class FileTests(TransferCase):
    def interrupt(self, at=2 * MEGABYTE, size=3 * MEGABYTE):
        """A download that was interrupted. Returns the file of the server and the description."""
        self.source = File(content(size))
        self.server = self.serve(lambda exchange: self.source.serve(exchange, until=None if exchange.number else at))
        description = self.describe(f"{self.server.origin}/file")
        self.check_end(self.run_one(description), TRANSIENT, "network", bytes=at)
        return self.source, description

    def test_a_damaged_cursor_is_refused_and_the_download_begins_from_the_start(self):
        file, description = self.interrupt()
        whole = self.cursor().read_bytes()
        self.assertLessEqual(len(whole), 4096)
        for damage in [whole[:-1], whole + b"x", b"", whole[:40], bytes(4096), whole[:3] + b"\2" + whole[4:],
                       *(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:] for at in range(0, len(whole), 41))]:
            with self.subTest(damage[:16].hex()):
                self.cursor().write_bytes(damage)
                self.server.requests.clear()
                self.server.requests.append(None)
                end = self.run_one(description)
                self.check_finished(end, file.body)
                self.assertNotIn("range", self.server.requests[1].headers)
                (self.container / ".transfers/1").unlink()

    def test_a_lost_or_shortened_incomplete_file_begins_from_the_start(self):
        for change in [lambda part: part.unlink(), lambda part: part.write_bytes(b""),
                       lambda part: part.write_bytes(part.read_bytes()[:MEGABYTE])]:
            self.setUp()
            file, description = self.interrupt()
            change(self.part())
            self.check_finished(self.run_one(description), file.body)
            self.assertNotIn("range", self.server.requests[1].headers)

    def test_the_bytes_behind_the_cursor_count_until_the_machine_starts_again(self):
        file, description = self.interrupt()
        self.part().write_bytes(self.part().read_bytes() + file.body[2 * MEGABYTE:2 * MEGABYTE + 1000])
        self.check_finished(self.run_one(description), file.body)
        self.assertEqual(self.server.requests[1].range_start(), 2 * MEGABYTE + 1000)

    @unittest.skipUnless(network.has_namespaces(), "takes a mount namespace")
    def test_the_bytes_behind_the_cursor_are_discarded_when_the_machine_has_started_again(self):
        file, description = self.interrupt()
        self.part().write_bytes(self.part().read_bytes() + b"lost bytes")
        network.cover("/proc/sys/kernel/random/boot_id", "another boot\n", self.directory)
        self.addCleanup(network.uncover, "/proc/sys/kernel/random/boot_id")
        self.check_finished(self.run_one(description), file.body)
        self.assertEqual(self.server.requests[1].range_start(), 2 * MEGABYTE)

    def test_a_file_that_was_renamed_before_an_interruption_is_not_fetched_again(self):
        file, description = self.interrupt()
        for _ in range(2):
            self.check_finished(self.run_one(description), file.body)
        self.assertEqual(len(self.server.requests), 2)

    def test_a_file_of_the_same_name_from_before_is_replaced(self):
        file, description = self.interrupt()
        for body in [b"old", content(len(file.body), seed=9)]:
            (self.container / ".transfers/1").write_bytes(body)
            self.check_finished(self.run_one(description), file.body)

    def test_all_bytes_without_the_rename_are_not_fetched_again(self):
        file, description = self.interrupt()
        self.part().write_bytes(file.body)
        self.check_finished(self.run_one(description), file.body)
        self.assertEqual(len(self.server.requests), 1)

    def test_a_link_in_the_place_of_the_incomplete_file_is_not_written(self):
        foreign = self.directory / "foreign"
        foreign.write_bytes(b"foreign")
        self.part().symlink_to(foreign)
        server = self.serve(File(content(1000)).serve)
        self.check_end(self.run_one(self.describe(f"{server.origin}/file")), FATAL, "file-unreadable")
        self.assertEqual(foreign.read_bytes(), b"foreign")

    def test_a_missing_or_replaced_staging_directory_ends_the_try_and_not_the_transfer(self):
        staging, server = self.container / ".transfers", self.serve(File(content(1000)).serve)
        description = self.describe(f"{server.origin}/file")
        staging.rmdir()
        self.check_end(self.run_one(description), TRANSIENT, "staging-unusable")
        staging.symlink_to(self.directory)
        self.check_end(self.run_one(description), TRANSIENT, "staging-unusable")
        staging.unlink()
        staging.mkdir()
        self.check_finished(self.run_one(description), content(1000))

    def test_an_incomplete_file_that_is_removed_during_the_download_is_fetched_again(self):
        file = File(content(2 * MEGABYTE))

        def behave(exchange):
            if exchange.number == 0:
                self.part().unlink()
            file.serve(exchange)

        description = self.describe(f"{self.serve(behave).origin}/file")
        self.check_end(self.run_one(description), TRANSIENT, "staging-unusable")
        self.check_finished(self.run_one(description), file.body)

    def test_the_digest_of_the_server_is_checked(self):
        body = content(2 * MEGABYTE)
        right = base64.b64encode(hashlib.sha256(body).digest()).decode()
        wrong = base64.b64encode(hashlib.sha256(b"other").digest()).decode()
        for digest, is_right in [(right, True), (wrong, False)]:
            server = self.serve(lambda exchange: exchange.answer(
                200, {"Repr-Digest": f"sha-512=:AAAA:, sha-256=:{digest}:"}, body))
            end = self.run_one(self.describe(f"{server.origin}/file", number=1))
            if is_right:
                self.check_finished(end, body)
                (self.container / ".transfers/1").unlink()
                self.cursor().unlink()
            else:
                self.check_end(end, FATAL, "digest-mismatch")

    def test_the_reserve_of_free_space_is_left(self):
        server = self.serve(File(content(1000)).serve)
        end = self.run_one(self.describe(f"{server.origin}/file", reserve=1 << 60))
        self.check_end(end, TRANSIENT, "insufficient-storage")

    def test_a_body_that_would_fill_the_disk_is_not_fetched(self):
        def behave(exchange):
            exchange.head(200, {"Content-Length": 1 << 60})
            exchange.send(content(1000))
            time.sleep(1)

        server = self.serve(behave)
        self.check_end(self.run_one(self.describe(f"{server.origin}/file")), TRANSIENT, "insufficient-storage")

    def test_many_transfers_at_once_do_not_wait_for_a_slow_one(self):
        files = {f"/{number}": File(content(1000 + number, number)) for number in range(1, 101)}

        def behave(exchange):
            if exchange.path == "/1":
                time.sleep(1.5)
            files[exchange.path].serve(exchange)

        server = self.serve(behave)
        ends = self.run_all(*(self.describe(f"{server.origin}/{number}", number) for number in range(1, 101)))
        self.assertEqual({end["result"] for end in ends}, {1})
        self.assertEqual(ends[-1]["bytes"], 1001)
        for number in range(1, 101):
            self.assertEqual(self.file(number), files[f"/{number}"].body)

    def test_the_check_of_a_large_complete_file_does_not_delay_another_transfer(self):
        size, digest = 1 << 30, hashlib.sha256()
        for _ in range(size // MEGABYTE):
            digest.update(bytes(MEGABYTE))
        small = File(content(1000))

        def behave(exchange):
            if exchange.path == "/small":
                return small.serve(exchange)
            exchange.head(200, {"Content-Length": size, "ETag": '"one"'})
            exchange.send(bytes(2 * MEGABYTE))
            exchange.hang_up()

        server = self.serve(behave)
        large = self.describe(f"{server.origin}/large", lines=[f"sha256: {digest.hexdigest()}"])
        self.check_end(self.run_one(large), TRANSIENT, "network", bytes=2 * MEGABYTE)
        with open(self.container / ".transfers/1", "wb") as file:
            file.truncate(size)
        ends = self.run_all(large, self.describe(f"{server.origin}/small", number=2))
        self.assertEqual([end["bytes"] for end in ends], [1000, size])
        self.assertEqual([end["result"] for end in ends], [FINISHED, FINISHED])
        self.assertEqual([exchange.path for exchange in server.requests], ["/large", "/small"])

    def test_a_rate_holds_for_all_transfers_together(self):
        server = self.serve(File(content(500_000)).serve)
        start = time.monotonic()
        ends = self.run_all(*(self.describe(f"{server.origin}/file", number, rate=500_000) for number in [1, 2]))
        self.assertEqual([end["result"] for end in ends], [1, 1])
        self.assertGreater(time.monotonic() - start, 1.2)

    def test_a_rate_holds_beside_transfers_without_a_rate_and_not_for_them(self):
        file = File(content(500_000))
        server = self.serve(file.serve)
        for order in [[250_000, 0], [0, 250_000]]:
            start = time.monotonic()
            ends = self.run_all(*(self.describe(f"{server.origin}/file", number, rate=rate)
                                  for number, rate in enumerate(order, 1)))
            self.assertGreater(time.monotonic() - start, 1.2)
            first = order.index(0) + 1
            self.assertEqual([end["description"][-1] for end in ends], [str(first), str(3 - first)])
            for number in [1, 2]:
                (self.container / ".transfers" / str(number)).unlink()
                self.cursor(number).unlink(missing_ok=True)

    def test_a_huge_rate_is_no_limit(self):
        file = File(content(2 * MEGABYTE))
        server = self.serve(file.serve)
        self.check_finished(self.run_one(self.describe(f"{server.origin}/file", rate=(1 << 63) - 1)), file.body)

    def test_two_processes_of_one_transfer_do_not_write_one_file(self):
        server = self.serve(lambda exchange: (exchange.head(200, {"Content-Length": 10}), time.sleep(2)))
        description = self.describe(f"{server.origin}/file")
        first = self.start(description)
        self.addCleanup(first.communicate)
        while not server.requests:
            time.sleep(0.01)
        self.check_end(self.run_one(description), TRANSIENT, "network")
        first.kill()
