// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@Suite("Work with a cursor that is killed ten times is done once")
struct KilledWorkTests {
    enum Victim: String, CaseIterable {
        case plugin, host
    }

    private static let kills = 10

    /// The launch of a running task, other than the launch that was killed last, and its process.
    private func launch(of task: String, after last: Int64, _ host: HostFixture) async throws -> (Int64, pid_t) {
        let launch = try await host.running(task) { $0.launch != last }.launch
        return (launch, try await host.client.launch(LaunchNumber(rawValue: launch)).pid)
    }

    /// Kills the host, or the process of a launch.
    private func end(_ victim: Victim, _ pid: pid_t, _ host: HostFixture) async throws {
        if victim == .plugin {
            kill(pid, SIGKILL)
        } else {
            host.kill9()
            _ = try await host.process?.ending()
        }
    }

    /// Checks that each run but the last one continued, and that no attempt was charged.
    private func checkRuns(of task: String, _ host: HostFixture) async throws {
        let success = try await host.waitForJournal("the success of \(task)") {
            $0.task == task && $0.event == "succeeded"
        }
        let ends = try await host.journal().filter {
            $0.submission == success.submission && TaskOutcome(rawValue: $0.event) != nil
        }
        #expect(ends.map(\.event) == Array(repeating: "continues", count: Self.kills) + ["succeeded"])
        #expect(ends.dropLast().allSatisfy { $0.message.contains("no attempt charged") })
    }

    /// The most items that a run with interruptions may begin: 5 % more than the undisturbed one.
    private func limit(_ items: Int) -> Int { items + items / 20 }

    @Test(.proves("C19"), arguments: Victim.allCases)
    func `a cleaning that is killed ten times inside a transaction deletes each row once and repeats ten transactions`(
        _ victim: Victim
    ) async throws {
        var plugin = TestPlugin("DatabaseCleaner", tasks: ["prune", "vacuum"])
        plugin.library = .bytes(try await ExampleLibrary.bytes("DatabaseCleaner"))
        plugin.settings = ["batch-rows": "10"]
        let (cleaner, batches, part) = (plugin, GatedDatabase.oldRows / 10, GatedDatabase.oldRows / Self.kills)
        // On battery the vacuum waits.
        try await HostFixture.with(HostSetup(["external-power": "false"]), plugins: []) { host in
            let gates = (0..<Self.kills).map { $0 * part + 115 }
            let database = try await GatedDatabase.make(for: cleaner, in: host, gate: gates[0])
            let events = try FileEvents(
                in: URL(filePath: database.path).deletingLastPathComponent().path,
                .created,
                .deleted
            )
            try await host.install(cleaner)
            var (last, pid): (Int64, pid_t) = (0, 0)
            for gate in gates {
                try await database.waitForHeldBatch(after: gate / 10 * 10)
                (last, pid) = try await launch(of: cleaner.task("prune"), after: last, host)
                // Paused: otherwise the next launch may reach the row before the gate has moved.
                #expect(try await host.bgtask("plugin", "pause", cleaner.identifier).status == 0)
                try await end(victim, pid, host)
                try await database.moveGate(to: gate == gates.last ? 0 : gate + part)
                if victim == .host { try await host.start() }
                #expect(try await host.bgtask("plugin", "resume", cleaner.identifier).status == 0)
            }
            try await checkRuns(of: cleaner.task("prune"), host)
            let counts = try await database.query("SELECT count(*), count(DISTINCT row) FROM deleted")
            #expect(counts == "\(GatedDatabase.oldRows)|\(GatedDatabase.oldRows)")
            #expect(try await database.query("SELECT count(*) FROM files") == "\(GatedDatabase.keptRows)")
            let transactions = try events.counts(of: .created)["files.sqlite-journal"] ?? 0
            #expect(transactions >= batches && transactions <= limit(batches))
        }
    }

    @Test(.proves("C19"), .enabled(if: Photography.isPossible), arguments: Victim.allCases)
    func `an export that is killed ten times writes each photo once and reads ten photos again at most`(
        _ victim: Victim
    ) async throws {
        let photos = 240
        let album = "com.example.photoexport.album.summer"
        var plugin = TestPlugin("PhotoExport", tasks: ["album.*"])
        plugin.modes = []
        plugin.settings = ["pause-ms": "20"]
        plugin.library = .bytes(try await ExampleLibrary.bytes("PhotoExport"))
        let exporter = plugin
        try await HostFixture.with(plugins: [exporter]) { host in
            let container = "state/containers/\(exporter.identifier)"
            let source = host.directory.file("\(container)/photos/summer")
            let target = host.directory.file("\(container)/exported/summer")
            try host.directory.makeDirectory("\(container)/photos/summer")
            try await Photography.take(photos, into: source, width: 320, height: 240)
            let events = try FileEvents(in: source, .opened)
            try await host.submitContinued(album)
            var exported: [String: UInt64] = [:]
            var (last, pid): (Int64, pid_t) = (0, 0)
            for part in 0..<Self.kills {
                (last, pid) = try await launch(of: album, after: last, host)
                // The run has moved the cursor behind two photos at least.
                let goal = max(part * 20 + 10, exported.count + 3)
                while try Self.files(target).count < goal { await Task.yield() }
                // Every second kill is inside of the work on a photo, the others are between two photos.
                let begun = try events.total(of: .opened)
                while try part % 2 == 1 && events.total(of: .opened) == begun { await Task.yield() }
                try await end(victim, pid, host)
                let now = try Self.files(target)
                // A photo that was written again would be another file.
                #expect(exported.allSatisfy { now[$0.key] == $0.value })
                exported = now
                if victim == .host { try await host.start() }
            }
            try await checkRuns(of: album, host)
            let all = try Self.files(target)
            #expect(all.count == photos && exported.allSatisfy { all[$0.key] == $0.value })
            let readings = try events.counts(of: .opened)
            #expect(readings.count == photos && readings.values.reduce(0, +) <= limit(photos))
        }
    }

    /// The numbers of the finished photos, by their names.
    private static func files(_ directory: String) throws -> [String: UInt64] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return try Dictionary(
            uniqueKeysWithValues: names.filter { $0.hasSuffix(".jpg") }.map { name in
                let attributes = try FileManager.default.attributesOfItem(atPath: "\(directory)/\(name)")
                return (name, (attributes[.systemFileNumber] as? NSNumber)?.uint64Value ?? 0)
            }
        )
    }
}
