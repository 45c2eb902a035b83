// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import Testing

/// A launch of Attacks.c beside a running launch of Patient.c, whose process it attacks, and with a neighbour's task
/// before and after it. Each attack runs in the constructor, in entry, in a handler and in a thread. It has to fail with
/// one of its documented errno values, unless the grants allow it.
enum AttackRun {
    /// The expected errno values of each attack by a plugin without grants, from Attacks.expected: any one of them is
    /// correct.
    static let expected: [String: Set<Int32>] = {
        let numbers: [Substring: Int32] = [
            "EACCES": EACCES, "EPERM": EPERM, "EXDEV": EXDEV, "ENOSYS": ENOSYS, "EOPNOTSUPP": EOPNOTSUPP,
            "EROFS": EROFS, "EAGAIN": EAGAIN,
        ]
        let text = (try? String(contentsOfFile: PluginCompiler.plugins + "/Attacks.expected", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.reduce(into: [:]) { expected, line in
            let fields = line.split(separator: " ")
            guard fields.count == 3 else { return }
            expected[String(fields[0])] = Set(fields[1].split(separator: ",").compactMap { numbers[$0] })
        }
    }()

    /// Whether the host enforces every guarantee of the sandbox except the limits of memory, processes and disk, which
    /// depend on more than the kernel.
    static func isConfined(_ host: HostFixture) async throws -> Bool {
        try await host.client.host().isolation.guarantees
            .filter { !["memory", "processes", "disk"].contains($0.name) }.allSatisfy { $0.enforcedBy != nil }
    }

    /// Runs the attacks in a launch.
    ///
    /// - Parameters:
    ///   - allowed: the attacks that the grants allow.
    ///   - isReported: whether the kernel reports refused calls to the host.
    static func play(
        grants: String,
        allowed: Set<String> = [],
        setup: HostSetup = HostSetup(),
        isReported: Bool = true
    ) async throws {
        var plugin = TestPlugin("Attacks")
        plugin.grants = grants
        let patient = TestPlugin("Patient")
        try await HostFixture.with(setup, plugins: [.neighbour, patient, plugin]) { [plugin] host in
            #expect(try await isConfined(host))
            try await host.runNeighbour()
            for other in [patient, plugin] { try await host.started(other) }
            let held = try await host.submit(patient.task())
            let neighbour = try await host.launch(of: patient)
            try host.directory.write(
                "\(neighbour.pid)\n".utf8,
                to: "state/containers/\(plugin.identifier)/neighbour-process"
            )
            let end = try await host.outcome(of: try await host.submit(plugin.task()))
            #expect(end.event == "succeeded", "\(end)")
            try host.release(patient)
            let other = try await host.outcome(of: held)
            #expect(other.event == "succeeded" && other.launch == neighbour.number, "\(other)")
            compare(host.containerText(plugin, "attacks.txt"), allowed: allowed)
            let journal = try await host.journal()
            let denied = journal.filter { $0.event == "denied" && $0.launch == end.launch }
            if !isReported {
                #expect(denied.isEmpty)
                return try await host.runNeighbour()
            }
            check(denied, of: plugin, isOnNetwork: !allowed.isEmpty)
            let others = journal.filter { $0.event == "denied" && $0.plugin != plugin.identifier }
            #expect(others.isEmpty, "an ordinary plugin makes no refused call: \(others.map(\.message))")
            #expect(!FileManager.default.fileExists(atPath: host.directory.file("manifests/planted.yaml.txt")))
            try await host.runNeighbour()
        }
    }

    private static func compare(_ text: String, allowed: Set<String>) {
        #expect(expected.count == 91 && expected.values.allSatisfy { !$0.isEmpty })
        let lines = text.split(separator: "\n").map { $0.split(separator: " ") }
        for place in ["constructor", "entry", "handler", "thread"] {
            let found = lines.filter { $0.first == place[...] }
            #expect(Set(found.map { String($0[1]) }) == Set(expected.keys))
            for line in found {
                let (attack, error) = (String(line[1]), Int32(line[2]) ?? -1)
                let fits = allowed.contains(attack) ? error == 0 : expected[attack]?.contains(error) == true
                #expect(fits, "\(attack) from \(place): errno \(error)")
            }
        }
    }

    private static func check(_ denied: [JournalLine], of plugin: TestPlugin, isOnNetwork: Bool) {
        #expect(denied.allSatisfy { $0.blame == "plugin" && $0.plugin == plugin.identifier })
        let grantable = denied.filter { $0.message.contains("grants: {") && !$0.message.contains("NETLINK_ROUTE") }
        let remedies = (isOnNetwork ? [] : ["network: true"]) + ["processes: true", "unix: [PATH]"]
        #expect(grantable.count == remedies.count, "\(denied.map(\.message))")
        for remedy in remedies { #expect(grantable.contains { $0.message.contains(remedy) }) }
        let refused = "the system call ptrace was refused with EPERM; no grant"
        #expect(denied.filter { $0.message.hasPrefix(refused) }.count == 1)
    }
}
