// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import Testing

@Suite("A restart of a host with a socket of the service manager refuses no caller")
struct SocketActivationTests {
    private static let call = "GET /v1/host HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"

    private static var activated: HostSetup {
        var setup = HostSetup()
        setup.isActivated = true
        return setup
    }

    @Test func `with socket activation callers that connect while no host runs are answered by the next host`()
        async throws
    {
        try await HostFixture.with(Self.activated) { host in
            #expect(try host.rawCall("GET", "/v1/host").status == 200)
            let before = try Self.number(of: host.socket)
            try await host.stop()
            let waiting = try (1...20).map { _ in try RawCaller(of: host, saying: Self.call) }
            try await host.restart()
            for caller in waiting { #expect(caller.answer().hasPrefix("HTTP/1.1 200")) }
            #expect(try Self.number(of: host.socket) == before)
            try await host.runNeighbour()
        }
    }

    @Test func `a socket-activated host gives its socket the mode 660 for the socket group`() async throws {
        var setup = Self.activated
        setup.flags["operate-group"] = "root"
        try await HostFixture.with(setup) { host in
            var status = stat()
            #expect(stat(host.socket, &status) == 0 && status.st_mode & 0o777 == 0o660)
        }
    }

    @Test func `runners and their plugins get no descriptor of the service manager`() async throws {
        let plugin = TestPlugin("NeverCompletes", policy: ["grace-period: 200ms"])
        try await HostFixture.with(Self.activated, plugins: [.neighbour, plugin]) { host in
            let submission = try await host.submit(plugin.task())
            let runner = try await host.launch(of: plugin).pid
            let files = FileManager.default
            let passed = try files.destinationOfSymbolicLink(atPath: "/proc/\(host.pid)/fd/3")
            #expect(passed.hasPrefix("socket:"))
            for number in try files.contentsOfDirectory(atPath: "/proc/\(runner)/fd") {
                let target = try? files.destinationOfSymbolicLink(atPath: "/proc/\(runner)/fd/\(number)")
                #expect(target != passed, "\(number)")
            }
            let environment = try Data(contentsOf: URL(filePath: "/proc/\(runner)/environ"))
            #expect(!String(decoding: environment, as: UTF8.self).contains("LISTEN_"))
            try await host.expireOnceEntered(plugin.task())
            _ = try await host.outcome(of: submission)
        }
    }

    @Test func `a host refuses a passed socket that its configuration does not name`() async throws {
        try await ScratchDirectory.with { directory in
            let listener = try ListeningSocket(at: directory.file("passed"))
            let shell = "LISTEN_PID=$$ LISTEN_FDS=1 exec \"$0\" \"$@\""
            let arguments =
                ["--state-directory", directory.file("state"), "--socket", directory.file("other")]
                + ["--plugin-users", "host"]
            let host = try await ChildProcess.start(
                "/bin/sh",
                ["-c", shell, try BuiltProgram.host.path()] + arguments,
                passing: [listener.descriptor]
            )
            #expect(try await host.ending() == .exited(1))
            let problem = host.standardError.elements.joined(separator: "\n")
            #expect(problem.contains(directory.file("passed")) && problem.contains(directory.file("other")))
            #expect(problem.contains("ListenStream="))
        }
    }

    @Test func `a host ignores LISTEN variables for another process and binds its own socket`() async throws {
        var setup = HostSetup()
        setup.environment = ["LISTEN_PID": "1", "LISTEN_FDS": "1"]
        try await HostFixture.with(setup) { host in
            let answer = try host.rawCall("GET", "/v1/host")
            #expect(answer.status == 200)
        }
    }

    private static func number(of path: String) throws -> UInt64 {
        var status = stat()
        guard stat(path, &status) == 0 else { throw HostFailure("there is no \(path)") }
        return UInt64(status.st_ino)
    }
}
