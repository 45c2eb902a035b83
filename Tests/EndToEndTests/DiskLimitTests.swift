// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("A plugin can fill neither a file nor the disk of the containers")
struct DiskLimitTests {
    /// The values of `isOrdinary` that the user of the test can choose. False is a host of this user; when root runs
    /// the test, each plugin has a user of its own there. True is the host of an ordinary user, which only root can
    /// start.
    private static let hosts = getuid() == 0 ? [false, true] : [false]

    private static func setup(_ isOrdinary: Bool, _ flags: [String: String] = [:], limits: String = "") -> HostSetup {
        let setup = HostSetup(flags, configuration: limits.isEmpty ? [] : ["launch-limits: { \(limits) }"])
        return isOrdinary ? setup.ofOrdinaryUser() : setup
    }

    // MARK: - One file

    /// The file-size limits of the host and of the manifest, where nil sets none. Each of them is the lower one in
    /// turn.
    @Test(arguments: hosts, [("2MiB", nil), ("4MiB", "2MiB"), ("2MiB", "4MiB")] as [(String, String?)])
    func `a plugin that writes one file without end gets EFBIG at the lower limit of host and manifest`(
        _ isOrdinary: Bool,
        _ limits: (host: String, manifest: String?)
    ) async throws {
        var plugin = TestPlugin("WritesWithoutEnd")
        if let manifest = limits.manifest { plugin.manifestLines = ["limits: { file-size: \(manifest) }"] }
        let setup = Self.setup(isOrdinary, limits: "file-size: \(limits.host)")
        try await HostFixture.with(setup, plugins: [.neighbour, plugin]) { [plugin] host in
            let end = try await host.outcome(of: try await host.submit(plugin.task()))
            #expect(end.event == "succeeded", "\(end)")
            #expect(host.containerText(plugin, "written.txt") == "\(2 << 20) \(EFBIG)\n")
            let shown = try await host.bgtask("plugin", "show", plugin.identifier).output
            #expect(shown.contains("file size 2MiB"), "\(shown)")
            try await host.runNeighbour()
        }
    }

    @Test(.needsSandbox, arguments: LaunchPlace.allCases)
    func `writes of one file without end from constructor, entry, handler and thread get EFBIG at the limit`(
        _ place: LaunchPlace
    ) async throws {
        let plugin = TestPlugin("WritesWithoutEnd")
        try await HostFixture.with(
            Self.setup(false, limits: "file-size: 2MiB"),
            plugins: [.neighbour, plugin]
        ) { host in
            try await host.started(plugin)
            try host.choose(place, of: plugin)
            let end = try await host.outcome(of: try await host.submit(plugin.task()))
            #expect(end.event == "succeeded", "\(end)")
            #expect(host.containerText(plugin, "written.txt") == "\(2 << 20) \(EFBIG)\n")
            try await host.runNeighbour()
        }
    }

    @Test func `with isolation off the limit of a file's size holds, and the host reports the disk as not enforced`()
        async throws
    {
        let plugin = TestPlugin("WritesWithoutEnd")
        let setup = Self.setup(false, ["isolation": "off"], limits: "file-size: 2MiB")
        try await HostFixture.with(setup, plugins: [.neighbour, plugin]) { host in
            let end = try await host.outcome(of: try await host.submit(plugin.task()))
            #expect(end.event == "succeeded", "\(end)")
            #expect(host.containerText(plugin, "written.txt") == "\(2 << 20) \(EFBIG)\n")
            let disk = try await host.client.host().isolation.guarantees.first { $0.name == "disk" }
            #expect(disk?.enforcedBy == nil)
            let reason = try #require(disk?.notEnforced)
            #expect(reason.hasPrefix("isolation is off: ") && reason.contains("fallocate"), "\(reason)")
            #expect(reason.hasSuffix("the size of a file is limited by setrlimit (RLIMIT_FSIZE)"), "\(reason)")
        }
    }

    // MARK: - The disk

    /// The places from which a launch fills the disk, each with a value of `isOrdinary`: the handler with every value
    /// of `hosts`, the other places with false.
    private static let fillings: [(LaunchPlace, Bool)] =
        hosts.map { (.handler, $0) } + [LaunchPlace.constructor, .entry, .thread].map { ($0, false) }

    @Test(.enabled(if: MountedDisk.isPossible), arguments: fillings)
    func `a launch that fills the disk with files is ended, and a neighbour's task waits until the files are deleted`(
        _ place: LaunchPlace,
        _ isOrdinary: Bool
    ) async throws {
        try await fill(from: place, size: "256m", used: 160 << 20, isOrdinary) { violation in
            #expect(violation.contains("bytes free, and its reserve is \((256 << 20) / 20) bytes"), "\(violation)")
        }
    }

    @Test(.enabled(if: MountedDisk.isPossible), arguments: fillings)
    func `a launch that makes empty files without end is ended when the disk lacks its reserve of inodes`(
        _ place: LaunchPlace,
        _ isOrdinary: Bool
    ) async throws {
        try await fill(from: place, size: "64m,nr_inodes=20000", isOrdinary) { violation in
            #expect(violation.contains("inodes free, and its reserve is 1000 inodes"), "\(violation)")
        }
    }

    /// Runs a task of FillsDisk.c beside a patient task on a small disk.
    ///
    /// - Parameter used: the number of bytes that are not free at the start; 0 for a plugin that makes empty files.
    private func fill(
        from place: LaunchPlace,
        size: String,
        used: Int = 0,
        _ isOrdinary: Bool,
        _ check: (String) -> Void
    ) async throws {
        let patient = TestPlugin("Patient", tasks: ["one"])
        let plugin = TestPlugin("FillsDisk")
        try await MountedDisk.with(size: size) { disk in
            let allocated = try disk.use(bytes: used)
            defer { try? allocated.close() }
            let flags = ["state-directory": disk.path, "host-retry-delay": "20ms", "retry-delay": "1h"]
            let setup = Self.setup(isOrdinary, flags)
            if let user = setup.user { #expect(chown(disk.path, user, user) == 0) }
            try await HostFixture.with(setup, plugins: [.neighbour, patient, plugin]) { host in
                for other in [.neighbour, patient, plugin] { try await host.started(other) }
                let waiting = try await host.submit(patient.task())
                _ = try await host.launch(of: patient)
                let container = "\(disk.path)/containers/\(plugin.identifier)"
                try host.choose(place, of: plugin)
                if used == 0 { #expect(FileManager.default.createFile(atPath: "\(container)/empty", contents: nil)) }
                let end = try await host.outcome(of: try await host.submit(plugin.task()))
                let event = place.isBeforeTasks ? "entry-failed" : "expired"
                #expect(end.event == event && end.blame == "plugin", "\(end)")
                let launch = try #require(end.launch)
                _ = try await host.end(ofLaunch: launch)
                if place.isBeforeTasks {
                    #expect(end.message.contains("used up the reserve of the disk"), "\(end)")
                    _ = try await host.client.cancel(host.identifier(plugin.task()))
                }
                let violation = try await host.violation(in: launch)
                #expect(violation.blame == "plugin")
                check(violation.message)

                // The files stay on the disk: background work waits until they are deleted.
                let neighbour = TestPlugin.neighbour.task()
                let next = try await host.submit(neighbour)
                let why = try await host.why(neighbour)
                #expect(why.reasons.map(\.code) == ["disk-reserve"], "\(why)")
                #expect(why.reasons.first?.message.contains("a launch of \(plugin.identifier) used it up") == true)
                for name in try FileManager.default.contentsOfDirectory(atPath: container) {
                    unlink("\(container)/\(name)")
                }
                #expect(try await host.outcome(of: next).event == "succeeded")

                let release = "\(disk.path)/containers/\(patient.identifier)/release"
                #expect(FileManager.default.createFile(atPath: release, contents: nil))
                #expect(try await host.outcome(of: waiting).event == "succeeded")
                #expect(try await host.client.host().ledger == .writable)
                let violations = try await host.journal().filter { $0.event == "violation" }
                #expect(violations.allSatisfy { $0.launch == launch }, "\(violations)")
            }
        }
    }
}
