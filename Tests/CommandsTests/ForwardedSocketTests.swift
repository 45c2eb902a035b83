// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Testing

@testable import Commands

@Suite("ssh forwards the socket whose path another machine names, and expands nothing in this path")
struct ForwardedSocketTests {
    @Test(arguments: [
        "/x/${HOME}", "/x/$HOME", "host:22", "/run/a:/run/b", "run/control.sock", "", "[/run/a]", #"/run/\a"#,
        "/run/a\n", "/run/\u{7}", "/run/a\0",
    ])
    func `a path that ssh would read as another one is not forwarded`(path: String) {
        #expect(ForwardedSocket(path) == nil)
    }

    @Test func `a percent sign is written twice, so that ssh expands no token`() throws {
        let (remote, local) = (try #require(ForwardedSocket("/run/%h/c")), try #require(ForwardedSocket("/tmp/100%")))
        let call = SSHCall(forwarding: remote, to: local, on: try RemoteHost("web-1"), environment: [:])
        #expect(call.words.suffix(4) == ["-L", "/tmp/100%%:/run/%%h/c", "--", "web-1"])
    }

    @Test func `the socket of a host is forwarded by its path`() {
        #expect(ForwardedSocket("/run/user/1000/bgtask/control.sock")?.field == "/run/user/1000/bgtask/control.sock")
        #expect(ForwardedSocket("/home/Jürgen M/control.sock")?.field == "/home/Jürgen M/control.sock")
    }
}
