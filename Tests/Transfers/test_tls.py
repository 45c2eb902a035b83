# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""TLS with a certificate authority of the test's own."""
import ssl
import subprocess

from case import FATAL, TransferCase, content
from server import File


class TLSTests(TransferCase):
    def setUp(self):
        super().setUp()
        self.authority = self.directory / "authority.pem"
        self.key = self.directory / "authority.key"
        self.run_openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                         "-keyout", self.key, "-out", self.authority, "-subj", "/CN=Test authority", "-addext",
                         "basicConstraints=critical,CA:TRUE")
        self.served = File(content(100_000))

    def run_openssl(self, *words):
        subprocess.run(["openssl", *words], check=True, capture_output=True)

    def certified(self, names, days="1"):
        request, key, certificate = (self.directory / f"server.{end}" for end in ["csr", "key", "pem"])
        extensions = self.directory / "extensions"
        extensions.write_text(f"subjectAltName={names}\n")
        self.run_openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key,
                         "-out", request, "-subj", "/CN=server")
        self.run_openssl("x509", "-req", "-in", request, "-CA", self.authority, "-CAkey", self.key, "-CAcreateserial",
                         "-days", days, "-extfile", extensions, "-out", certificate)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        return context

    def test_a_certificate_of_a_known_authority_is_accepted(self):
        server = self.serve(self.served.serve, tls=self.certified("IP:127.0.0.1"))
        self.options = ["--authorities", self.authority]
        self.assert_file(self.run_one(self.describe(f"{server.origin}/")))

    def assert_file(self, end):
        self.assertEqual((end["result"], end["bytes"]), (1, 100_000), end)

    def test_an_unknown_authority_is_refused(self):
        server = self.serve(self.served.serve, tls=self.certified("IP:127.0.0.1"))
        self.check_end(self.run_one(self.describe(f"{server.origin}/")), FATAL, "tls-failed")
        self.assertEqual(server.requests, [])

    def test_a_certificate_for_another_name_and_an_expired_one_are_refused(self):
        self.options = ["--authorities", self.authority]
        for names, days in [("DNS:other.example.com", "1"), ("IP:127.0.0.1", "-1")]:
            server = self.serve(self.served.serve, tls=self.certified(names, days))
            self.check_end(self.run_one(self.describe(f"{server.origin}/")), FATAL, "tls-failed")
            self.assertEqual(server.requests, [])

    def test_a_redirect_from_https_to_http_is_refused(self):
        plain = self.serve(self.served.serve)
        server = self.serve(lambda exchange: exchange.answer(302, {"Location": f"{plain.origin}/"}),
                            tls=self.certified("IP:127.0.0.1"))
        self.options = ["--authorities", self.authority]
        self.check_end(self.run_one(self.describe(f"{server.origin}/")), FATAL, "scheme-not-permitted")
        self.assertEqual(plain.requests, [])
