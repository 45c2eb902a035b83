// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import Testing

@Suite("A full or read-only disk costs submissions, but no accepted request", .enabled(if: MountedDisk.isPossible))
struct DiskTests {
    private static let patient = TestPlugin("Patient", tasks: ["one"])

    @Test
    func `on a full disk requests are refused and accepted ones kept; a task's end is recorded when space is freed`()
        async throws
    {
        try await MountedDisk.with(size: "3m") { disk in
            let setup = HostSetup(["state-directory": disk.path, "host-retry-delay": "20ms"])
            try await HostFixture.with(setup, plugins: [.neighbour, Self.patient]) { host in
                try await host.started(.neighbour)
                try await host.started(Self.patient)
                let running = try await host.submit(Self.patient.task())
                let launch = try await host.launch(of: Self.patient)
                let task = TestPlugin.neighbour.task()
                let accepted = try await host.submit(task, earliestBegin: HostFixture.tomorrow)
                try disk.fill()

                let (last, refusal) = try await host.submitUntilRefused(task, after: accepted)
                #expect(refusal.contains("free space on its disk") && refusal.contains(disk.path), "\(refusal)")
                #expect(try await host.client.tasks().pending.map(\.submission) == [last])
                #expect(try await host.client.tasks().running.map(\.submission) == [running])
                try await host.waitForLog("the failed commit") {
                    $0.contains("commit failed") && $0.contains("free space on its disk")
                }
                let failing = try await host.client.host().ledger
                #expect(failing.state == .failing && failing.error?.contains("free space on its disk") == true)
                #expect(failing.since != nil)
                let shown = try await host.bgtask("host", "status")
                #expect(shown.output.contains("failing since "), "\(shown)")
                let command = try await host.bgtask("task", "submit", task, "--kind", "processing")
                #expect(command.status == 1 && command.error.contains("free space on its disk"), "\(command)")
                // The end of the task cannot be recorded yet.
                _ = Glibc.open(
                    "\(disk.path)/containers/\(Self.patient.identifier)/release",
                    O_CREAT | O_WRONLY | O_CLOEXEC,
                    0o600
                )
                try await host.waitForLog("its end") {
                    $0.contains("ended") && $0.contains("launch=\(launch.number) ")
                }
                let check = try await host.check()
                #expect(check.status == 1 && check.output.contains("delete other files on this disk"), "\(check)")
                #expect(try await !host.journal().contains { $0.submission == running }, "it cannot be recorded yet")

                try disk.makeRoom()
                #expect(try await host.outcome(of: running).event == "succeeded")
                #expect(try await host.client.host().ledger == .writable)
                try await host.runNeighbour()
                try await host.stop()
                #expect(try await host.check().status == 0)
            }
        }
    }

    @Test
    func `a host on a full disk refuses to create a ledger; after space is freed it starts with a restored ledger`()
        async throws
    {
        try await MountedDisk.with(size: "3m") { disk in
            try await HostFixture.with(HostSetup(["state-directory": disk.path])) { host in
                try await host.started(.neighbour)
                let task = TestPlugin.neighbour.task()
                let accepted = try await host.submit(task, earliestBegin: HostFixture.tomorrow)
                try await host.stop()
                let ledger = try host.stateFiles()
                for name in ledger.keys { try FileManager.default.removeItem(atPath: "\(disk.path)/\(name)") }
                try disk.fill()
                let refusal = try await host.refusalToStart()
                #expect(refusal.contains(disk.path) && refusal.contains("free space on its disk"), "\(refusal)")

                try disk.makeRoom()
                for name in try host.stateFiles().keys {
                    try FileManager.default.removeItem(atPath: "\(disk.path)/\(name)")
                }
                for (name, bytes) in ledger { try bytes.write(to: URL(filePath: "\(disk.path)/\(name)")) }
                try await host.start()
                #expect(try await host.client.tasks().pending.map(\.submission) == [accepted])
                try await host.runNeighbour()
            }
        }
    }

    @Test func `a read-only disk prevents the start of the host, and the files on the disk stay unchanged`()
        async throws
    {
        try await MountedDisk.with(size: "3m") { disk in
            try await HostFixture.with(HostSetup(["state-directory": disk.path])) { host in
                let accepted = try await host.submit(
                    TestPlugin.neighbour.task(),
                    earliestBegin: HostFixture.tomorrow
                )
                try await host.stop()
                let before = try host.stateFiles()
                try await disk.makeReadOnly()
                let refusal = try await host.refusalToStart()
                #expect(
                    refusal.contains("Read-only file system") && refusal.contains("bgtask host check"),
                    "\(refusal)"
                )
                let check = try await host.check()
                #expect(check.status == 1 && check.output.contains("mounted read-only; mount it"), "\(check)")
                #expect(try host.stateFiles() == before)

                try await disk.makeWritable()
                try await host.start()
                #expect(try await host.client.tasks().pending.map(\.submission) == [accepted])
                try await host.runNeighbour()
            }
        }
    }
}

extension HostFixture {
    /// Submits the same task until the host refuses a submission. Returns the last accepted submission, and the message
    /// of the refusal.
    ///
    /// - Parameter first: the submission number to return when no submission is accepted.
    fileprivate func submitUntilRefused(_ task: String, after first: Int64) async throws -> (Int64, String) {
        var last = first
        // The space left in the last page of the log is used up first.
        for _ in 0..<2_000 {
            do {
                last = try await submit(task, earliestBegin: Self.tomorrow)
            } catch let error as ControlError {
                return (last, error.description)
            }
        }
        throw HostFailure("nothing was refused on a full disk")
    }
}
