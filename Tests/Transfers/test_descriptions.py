# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""Descriptions that are wrong or inject headers, and URLs that are refused."""
import subprocess

from case import FATAL, FAULTS, TransferCase


class DescriptionTests(TransferCase):
    def refusal(self, path):
        run = subprocess.run(self.command(path), capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stdout), (1, ""), run.stderr)
        return run.stderr

    def test_wrong_descriptions_are_refused(self):
        for lines, flaw in [
            (["header: A: b\r"], "control character"), (["label: b\x00c"], "NUL"),
            (["header: A b: c"], "token"),
            (["header: A"], "colon"), (["header: Host: other"], "set by the transfer"),
            (["header: content-length: 5"], "set by the transfer"),
            (["header: Range: bytes=0-"], "set by the transfer"),
            (["header: A: " + "b" * 17000], "too long"), (["header: A: b"] * 65, "too many"),
            (["size: 5", "size: 6"], "twice"), (["size: -5"], "whole number"),
            (["size: 99999999999999999999"], "whole"),
            (["sha256: 12"], "64"), (["sha256: " + "z" * 64], "64"), (["unknown: 1"], "unknown line"),
            (["text"], "colon"), (["discretionary: yes"], "not 1"), (["method: DELETE"], "method"),
            (["file: a"], "file"),
            (["label: a\tb"], "control"),
        ]:
            with self.subTest(lines[0][:40]):
                message = self.refusal(self.describe("http://127.0.0.1:1/", lines=lines))
                self.assertIn(flaw, message)
                fault = FAULTS["header-invalid" if lines[0].startswith("header:") else "url-invalid"]
                self.assertIn(f"(fault {fault})", message)

    def test_a_secret_header_without_a_colon_is_not_quoted(self):
        for line in ["secret-header: hidden", "secret-header: hid den: value"]:
            message = self.refusal(self.describe("http://127.0.0.1:1/", lines=["header: A: b", line]))
            self.assertIn("number 2", message)
            self.assertNotIn("hid", message)

    def test_a_missing_secret_and_a_secret_with_a_line_end_are_refused(self):
        path = self.describe("http://127.0.0.1:1/", lines=["secret-header: A: ${key}"])
        self.assertIn("setting key", self.refusal(path))
        self.options = ["--secret", "key=hidden\r\nX-Other: 1"]
        message = self.refusal(path)
        self.assertIn("control character", message)
        self.assertNotIn("hidden", message)

    def test_urls_of_other_schemes_and_malformed_ones_are_refused(self):
        for url, fault in [("file:///etc/passwd", "scheme-not-permitted"), ("ftp://a/", "scheme-not-permitted"),
                           ("dict://127.0.0.1/", "scheme-not-permitted"), ("http://", "url-invalid"),
                           ("/path", "url-invalid"), ("http://a:99999/", "url-invalid"),
                           ("http://user:password@127.0.0.1/", "url-invalid"), ("http://user@a/", "url-invalid")]:
            with self.subTest(url):
                self.check_end(self.run_one(self.describe(url)), FATAL, fault, status=0)
