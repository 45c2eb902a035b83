# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""Addresses, redirects, secrets and the environment."""
import network
from case import FATAL, TRANSIENT, TransferCase, content
from network import takes_namespaces
from server import File

MEGABYTE = 1 << 20


class AddressTests(TransferCase):
    REFUSED = [
        "127.0.0.1", "127.1", "2130706433", "0x7f000001", "017700000001", "0", "0.0.0.0", "10.0.0.1", "100.64.0.1",
        "100.127.255.255", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.168.0.1", "192.0.0.1", "198.18.0.1",
        "224.0.0.1", "240.0.0.1", "255.255.255.255", "localhost", "[::]", "[::1]", "[fe80::1]", "[fec0::1]",
        "[fc00::1]", "[fd12:3456::1]", "[ff02::1]", "[::ffff:127.0.0.1]", "[::ffff:10.0.0.1]", "[::127.0.0.1]",
        "[64:ff9b::7f00:1]", "[64:ff9b:1::1]", "[2002:7f00:1::1]", "[2002:a00:1::1]", "[2001::1]", "[2001:db8::1]",
        "[100::1]", "[3fff::1]",
    ]
    NEVER = ["224.0.0.1", "240.0.0.1", "255.255.255.255", "[ff02::1]"]

    def test_addresses_of_this_machine_and_of_private_networks_are_refused(self):
        paths = [self.describe(f"http://{host}:1/", number, private=False) for number, host in enumerate(self.REFUSED)]
        for end in self.run_all(*paths):
            self.check_end(end, FATAL, "address-not-permitted", status=0)

    def test_multicast_and_reserved_addresses_are_refused_even_if_private_ones_are_granted(self):
        paths = [self.describe(f"http://{host}:1/", number) for number, host in enumerate(self.NEVER)]
        for end in self.run_all(*paths):
            self.check_end(end, FATAL, "address-not-permitted")

    @takes_namespaces
    def test_a_public_address_is_connected_and_a_granted_private_one_too(self):
        for address, private in [(network.PUBLIC, False), (network.PRIVATE, True)]:
            file = File(content(1000))
            server = self.serve(file.serve, address=address)
            self.check_finished(self.run_one(self.describe(f"{server.origin}/", private=private)), file.body)
            (self.container / ".transfers/1").unlink()

    @takes_namespaces
    def test_a_redirect_from_a_public_to_a_private_address_is_refused(self):
        inner = [self.serve(File(b"secret").serve, address=address) for address in [network.PRIVATE, "127.0.0.1"]]
        for server in inner:
            outer = self.serve(lambda exchange: exchange.answer(302, {"Location": f"{server.origin}/"}),
                               address=network.PUBLIC)
            end = self.run_one(self.describe(f"{outer.origin}/", private=False))
            self.check_end(end, FATAL, "address-not-permitted")
            self.assertEqual(server.requests, [])

    def lead(self, *addresses):
        names = network.NameServer(*addresses)
        self.addCleanup(names.close)
        files = {"/etc/resolv.conf": "nameserver 127.0.0.1\n", "/etc/nsswitch.conf": "hosts: files dns\n"}
        for path, text in files.items():
            network.cover(path, text, self.directory)
            self.addCleanup(network.uncover, path)

    @takes_namespaces
    def test_a_name_that_leads_to_this_machine_is_refused(self):
        self.lead("127.0.0.1")
        inner = self.serve(File(b"secret").serve)
        end = self.run_one(self.describe(f"http://inner.example.com:{inner.port}/", private=False))
        self.check_end(end, FATAL, "address-not-permitted")
        self.assertEqual(inner.requests, [])

    @takes_namespaces
    def test_a_name_whose_address_changes_between_two_connections_is_refused(self):
        file = File(content(3 * MEGABYTE))
        outer = self.serve(lambda exchange: file.serve(exchange, until=MEGABYTE), address=network.PUBLIC)
        self.lead(network.PUBLIC, network.PRIVATE)
        description = self.describe(f"http://rebinding.example.com:{outer.port}/", private=False)
        self.check_end(self.run_one(description), TRANSIENT, "network", bytes=MEGABYTE)
        self.check_end(self.run_one(description), FATAL, "address-not-permitted")

    def test_a_name_that_cannot_be_looked_up_is_looked_up_again(self):
        end = self.run_one(self.describe("http://missing.invalid/", private=False))
        self.check_end(end, TRANSIENT, "network", status=0)


class RedirectTests(TransferCase):
    def test_ten_redirects_are_followed_and_the_eleventh_is_refused(self):
        for count in [10, 11]:
            file = File(content(1000))
            server = self.serve(lambda exchange: file.serve(exchange) if exchange.number == count else
                                exchange.answer(302, {"Location": f"/{exchange.number}"}, b"moved"))
            end = self.run_one(self.describe(f"{server.origin}/"))
            if count == 10:
                self.check_finished(end, file.body)
                (self.container / ".transfers/1").unlink()
            else:
                self.check_end(end, FATAL, "too-many-redirects")

    def test_a_redirect_to_another_scheme_is_refused(self):
        for location in ["file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/"]:
            server = self.serve(lambda exchange: exchange.answer(301, {"Location": location}))
            self.check_end(self.run_one(self.describe(f"{server.origin}/")), FATAL, "scheme-not-permitted")

    def test_a_redirect_without_a_location_fails(self):
        server = self.serve(lambda exchange: exchange.answer(302))
        self.check_end(self.run_one(self.describe(f"{server.origin}/")), FATAL, "http-status", status=302)

    def test_a_redirected_download_continues_where_only_the_signature_differs(self):
        file = File(content(3 * MEGABYTE))

        def behave(exchange):
            if exchange.path == "/":
                exchange.answer(302, {"Location": f"/file?signature={exchange.number}"})
            else:
                file.serve(exchange, until=MEGABYTE if exchange.number == 1 else None)

        server = self.serve(behave)
        description = self.describe(f"{server.origin}/")
        self.check_end(self.run_one(description), TRANSIENT, "network")
        self.check_finished(self.run_one(description), file.body, restarts=0)
        self.assertEqual([request.range_start() for request in server.requests], [None, None, None, MEGABYTE])

    def test_the_rest_of_a_cut_part_is_requested_through_the_redirect_again(self):
        file = File(content(300_000))

        def behave(exchange):
            if exchange.path == "/":
                return exchange.answer(307, {"Location": f"/file?once={exchange.number}"})
            start = file.start_of(exchange) or 0
            if start == 0:
                exchange.head(200, {**file.headers(), "Connection": "close"})
                exchange.send(file.body[:100_000])
                return exchange.hang_up()
            file.serve(exchange)

        server = self.serve(behave)
        end = self.run_one(self.describe(f"{server.origin}/", lines=["size: 300000"]))
        self.check_finished(end, file.body, restarts=0)
        self.assertEqual([request.path for request in server.requests],
                         ["/", "/file?once=0", "/", "/file?once=2"])

    def test_a_validator_of_one_url_is_not_sent_to_another(self):
        file = File(content(3 * MEGABYTE))

        def behave(exchange):
            if exchange.path == "/":
                exchange.answer(302, {"Location": f"/mirror{exchange.number}"})
            else:
                file.serve(exchange, until=MEGABYTE if exchange.number == 1 else None)

        server = self.serve(behave)
        description = self.describe(f"{server.origin}/")
        self.check_end(self.run_one(description), TRANSIENT, "network")
        self.check_finished(self.run_one(description), file.body, restarts=1)
        self.assertNotIn("if-range", server.requests[3].headers)

    def test_secret_headers_do_not_follow_a_redirect_to_another_origin(self):
        file = File(content(1000))
        other = self.serve(lambda exchange: exchange.answer(302, {"Location": f"{first.origin}/back"})
                           if exchange.path == "/other" else file.serve(exchange))
        first = self.serve(lambda exchange: exchange.answer(302, {"Location": f"{other.origin}/other"})
                           if exchange.path == "/" else exchange.answer(302, {"Location": f"{other.origin}/end"}))
        self.options = ["--secret", "token=very secret"]
        lines = ["secret-header: X-Token: Bearer ${token}", "header: Authorization: Basic abc", "header: X-Kind: plain"]
        description = self.describe(f"{first.origin}/", lines=lines)
        self.check_finished(self.run_one(description), file.body)
        for request in first.requests:
            self.assertEqual(request.headers["x-token"], "Bearer very secret")
            self.assertEqual(request.headers["authorization"], "Basic abc")
        for request in other.requests:
            self.assertEqual(request.headers["x-kind"], "plain")
            self.assertFalse({"x-token", "authorization"} & set(request.headers))

    def test_cookies_proxies_and_netrc_have_no_effect(self):
        file = File(content(1000))
        server = self.serve(lambda exchange: file.serve(exchange) if exchange.path == "/end" else
                            exchange.answer(302, {"Location": "/end", "Set-Cookie": "a=b"}))
        (self.directory / ".netrc").write_text("machine 127.0.0.1 login user password secret\n")
        environment = {"HOME": str(self.directory), "NETRC": str(self.directory / ".netrc")}
        environment |= {name: "http://127.0.0.1:1" for name in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"]}
        self.check_finished(self.run_one(self.describe(f"{server.origin}/"), environment=environment), file.body)
        for request in server.requests:
            self.assertFalse({"cookie", "authorization"} & set(request.headers))
