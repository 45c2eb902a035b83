// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("The grants for ports, Unix sockets and devices open what they name, and nothing else")
struct SocketGrantTests {
    private struct Run {
        /// The errno of each operation that the plugin tried, by name; 0 for a permitted one.
        let works: [String: Int32]
        let rights: [GrantsInForce.Right]
        let denied: [String]
    }

    private func run(grants: String, setup: HostSetup = HostSetup()) async throws -> Run {
        let listeners = try (0..<4).map { _ in try TestListener.internet() }
        let ports = listeners.map(\.port)
        // Ports that no process uses now.
        for listener in listeners[2...] { listener.close() }
        defer { for listener in listeners[..<2] { listener.close() } }
        var run: Run?
        var setup = setup
        setup.configuration = setup.configuration.map { $0.replacingOccurrences(of: "PORT", with: "\(ports[0])") }
        try await HostFixture.with(setup) { host in
            let path = host.directory.file("service.sock")
            let service = try TestListener.unix(path)
            defer { service.close() }
            let named = try TestListener.unix(path, isAbstract: true)
            defer { named.close() }
            chmod(path, 0o777)
            // The host refuses its launches at the control socket even where the mode of the file permits them.
            chmod(host.socket, 0o666)
            var plugin = TestPlugin("UsesSockets")
            plugin.settings = [
                "port": "\(ports[0])", "other-port": "\(ports[1])", "free-port": "\(ports[2])",
                "other-free-port": "\(ports[3])", "socket": path, "control": host.socket,
            ]
            plugin.grants = grants.replacingOccurrences(of: "FREE", with: "\(ports[2])")
                .replacingOccurrences(of: "PORT", with: "\(ports[0])").replacingOccurrences(of: "SOCKET", with: path)
            try await host.install(plugin)
            try await host.started(plugin)
            let end = try await host.outcome(of: try await host.submit(plugin.task()))
            #expect(end.event == "succeeded", "\(end)")
            let lines = host.containerText(plugin, "sockets.txt").split(separator: "\n").map {
                $0.split(separator: " ")
            }
            let identifier = try #require(PluginIdentifier(plugin.identifier))
            run = Run(
                works: Dictionary(uniqueKeysWithValues: lines.map { (String($0[0]), Int32($0[1]) ?? -1) }),
                rights: try await host.client.plugin(identifier).grants.rights,
                denied: try await host.journal().filter { $0.event == "denied" }.map(\.message)
            )
        }
        return try #require(run)
    }

    @Test func `without grants eleven uses of sockets are refused, and a device cannot be controlled`() async throws {
        let run = try await run(grants: "")
        for (work, error) in run.works { #expect(error == (work == "device" ? EACCES : EPERM), "\(work): \(error)") }
        #expect(run.works.count == 12 && run.rights.isEmpty)
    }

    @Test func `a granted port to connect opens this TCP port, and no other port or protocol`() async throws {
        let run = try await run(grants: "network: { connect: [PORT] }")
        #expect(run.works["tcp"] == 0 && run.works["tcp-other"] == EACCES)
        for work in ["mptcp-other", "udp-other", "fast-other", "raw", "listen", "listen-other", "unix"] {
            #expect(run.works[work] == EPERM, "\(work): \(run.works[work] ?? -1)")
        }
        #expect(run.rights.map(\.grant) == ["connect"] && run.rights.first?.notEnforced == nil)
        let denied = run.denied.filter { $0.contains("open only TCP ports") }
        #expect(denied.count == 1, "\(run.denied)")
    }

    @Test func `a granted port to listen opens this TCP port, and no connection`() async throws {
        let run = try await run(grants: "network: { listen: [FREE] }")
        #expect(run.works["listen"] == 0 && run.works["listen-other"] == EACCES)
        #expect(run.works["tcp"] == EACCES && run.works["tcp-other"] == EACCES && run.works["udp-other"] == EPERM)
    }

    @Test func `the grant network opens TCP ports to connect and listen, and UDP, but neither raw nor Unix sockets`()
        async throws
    {
        let run = try await run(grants: "network: true")
        for work in ["tcp", "tcp-other", "udp-other", "listen", "listen-other"] {
            #expect(run.works[work] == 0, "\(work): \(run.works[work] ?? -1)")
        }
        #expect(run.works["raw"] == EPERM && run.works["unix"] == EPERM && run.works["control"] == EPERM)
    }

    @Test func `the grant unix opens a Unix socket, and neither the control socket, abstract sockets nor the internet`()
        async throws
    {
        let run = try await run(grants: "unix: [SOCKET]")
        #expect(run.works["unix"] == 0)
        for work in ["control", "tcp", "udp-other", "listen"] {
            #expect(run.works[work] == EPERM, "\(work): \(run.works[work] ?? -1)")
        }
        #expect(run.works["unix-abstract"] == EPERM)
    }

    @Test func `required isolation leaves the grant unix out on a kernel that cannot confine it, and names the cause`()
        async throws
    {
        let free = try await run(grants: "unix: [SOCKET]")
        guard let cause = free.rights.first?.notEnforced else { return }
        #expect(cause.contains("Landlock 9"))
        let run = try await run(grants: "unix: [SOCKET]", setup: HostSetup(["isolation": "required"]))
        #expect(run.works["unix"] == EPERM && run.rights.first?.effective.isEmpty == true)
        #expect(run.rights.first?.cause?.hasPrefix("isolation is required, and this kernel") == true)
    }

    @Test func `a grant limit of the operator refuses granted ports, and a granted Unix socket outside of the limit`()
        async throws
    {
        let limits = HostSetup(configuration: ["grant-limits: { \"*\": { network: false, unix: [/run/nowhere] } }"])
        let run = try await run(grants: "network: { connect: [PORT] }, unix: [SOCKET]", setup: limits)
        #expect(run.works["tcp"] == EPERM && run.works["unix"] == EPERM)
        #expect(
            run.rights.map(\.cause) == ["grant-limits.*.network is false", "grant-limits.*.unix is /run/nowhere"]
        )
    }

    @Test
    func `a grant limit of ports narrows the grant network to one TCP port, and refuses other ports and protocols`()
        async throws
    {
        let limits = HostSetup(configuration: ["grant-limits: { \"*\": { network: { connect: [PORT] } } }"])
        let run = try await run(grants: "network: true", setup: limits)
        #expect(run.works["tcp"] == 0 && run.works["tcp-other"] == EACCES)
        for work in ["udp-other", "fast-other", "raw", "listen", "listen-other"] {
            #expect(run.works[work] == EPERM, "\(work): \(run.works[work] ?? -1)")
        }
        let right = try #require(run.rights.first)
        #expect(right.effective.count == 1 && right.effective[0].hasPrefix("connect "), "\(right)")
        #expect(right.cause?.hasPrefix("grant-limits.*.network is { connect: [") == true && right.notEnforced == nil)
        let cause = "grants the network, but grant-limits.*.network is"
        #expect(run.denied.contains { $0.contains(cause) }, "\(run.denied)")
        let other = try await self.run(grants: "network: { connect: [FREE], listen: [FREE] }", setup: limits)
        #expect(other.rights.allSatisfy { $0.effective.isEmpty && $0.cause != nil })
        #expect(other.works["tcp"] == EPERM && other.works["listen"] == EPERM)
    }
}
