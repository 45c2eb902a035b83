// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("A plugin that keeps descriptors in flight causes no charge to another plugin")
struct InFlightTests {
    private static let attacker = TestPlugin("KeepsInFlight")

    /// The numbers that the attacker recorded, once no further descriptor can be sent under its limit: descriptors in
    /// flight, errno, and the soft and the hard limit of descriptors that it found.
    private func flood(_ host: HostFixture) async throws -> [Int] {
        try await host.waitForLog("the descriptors in flight") { $0.contains("the descriptors are in flight") }
        let text = host.containerText(Self.attacker, "in-flight.txt")
        return text.split { $0 == " " || $0 == "\n" }.compactMap { Int($0) }
    }

    /// Runs the neighbour beside the attacker with more descriptors in flight than `limit`, the hard limit of plugins.
    /// Expects that the neighbour has no failure.
    private func withstandFlood(in setup: HostSetup, beyond limit: Int) async throws {
        try await HostFixture.with(setup, plugins: [.neighbour, Self.attacker]) { host in
            let held = try await host.submit(Self.attacker.task())
            let numbers = try await flood(host)
            #expect(numbers.first.map { $0 > limit } == true)
            #expect(numbers.dropFirst() == [Int(ETOOMANYREFS), 1_024, limit])
            try await host.withstands(submission: held)
            try host.release(Self.attacker)
            let end = try await host.outcome(of: held)
            #expect(end.event == "succeeded", "\(end)")
            let neighbour = TestPlugin.neighbour.identifier
            let failures = try await host.journal().filter {
                $0.plugin == neighbour && ($0.blame == "plugin" || $0.blame == "host")
            }
            #expect(failures.isEmpty, "\(failures.map(\.message))")
        }
    }

    @Test(.needsSandboxOfOrdinaryUser, .needsManyDescriptors)
    func `a plugin with over 4,096 descriptors in flight causes no failure of a plugin with the same user`()
        async throws
    {
        try await withstandFlood(in: HostSetup().ofOrdinaryUser(), beyond: 4_096)
    }

    // The runner cannot send its listener: the host copies it from the runner.
    @Test(.needsSandboxOfOrdinaryUser)
    func `descriptors in flight above the hard limit of the host cause no failure of another plugin`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            var setup = HostSetup().ofOrdinaryUser()
            setup.program = try await host(withDescriptors: 2_048, in: directory)
            try await withstandFlood(in: setup, beyond: 2_048)
        }
    }

    @Test(.enabled(if: getuid() == 0), .needsSandbox)
    func `with users of plugins, descriptors in flight above the hard limit cause no failure of another plugin`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            var setup = HostSetup()
            setup.program = try await host(withDescriptors: 2_048, in: directory)
            try await withstandFlood(in: setup, beyond: 2_048)
        }
    }

    /// Compiles a program that limits its descriptors and then becomes the host. Returns its path.
    private func host(withDescriptors limit: Int, in directory: ScratchDirectory) async throws -> String {
        let program = directory.file("limited-host")
        let source = """
            #include <sys/resource.h>
            #include <unistd.h>

            int main(int count, char **arguments) {
                (void)count;
                const struct rlimit limit = {.rlim_cur = \(limit), .rlim_max = \(limit)};
                if (setrlimit(RLIMIT_NOFILE, &limit) != 0) return 9;
                execv("\(try BuiltProgram.host.path())", arguments);
                return 9;
            }
            """
        try await PluginCompiler.program(source, at: program)
        // The host of an ordinary user executes it.
        chmod(program, 0o755)
        return program
    }
}
