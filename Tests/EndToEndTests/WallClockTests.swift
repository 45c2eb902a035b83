// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@Suite("A jump of the wall clock starts no task early, ends no running task, and loses no request", .proves("C10"))
struct WallClockTests {
    private static let patient = TestPlugin("Patient", tasks: ["one"], policy: ["budgets: { processing: 10min }"])
    private static let year = 365 * 86_400

    @Test func `after a year's jump of the clock ahead, due requests run and running tasks continue`() async throws {
        try await withShiftedClock { host, clock in
            let running = try await host.submit(Self.patient.task())
            _ = try await host.launch(of: Self.patient)
            let task = TestPlugin.neighbour.task()
            let due = try await host.submit(task, earliestBegin: HostFixture.tomorrow)
            try clock.shift(by: Self.year)
            _ = try await host.client.simulateConditions(ConditionsSimulation([.network: .holds(false)]))
            let end = try await host.outcome(of: due)
            #expect(end.event == "succeeded")
            let seconds = (end.at.wall.nanoseconds - HostFixture.tomorrow.nanoseconds) / 1_000_000_000
            #expect(seconds > Int64(Self.year - 2 * 86_400))
            #expect(try await host.client.tasks().running.map(\.submission) == [running])
            try host.release(Self.patient)
            #expect(try await host.outcome(of: running).event == "succeeded")
            try clock.shift(by: 0)
            try await host.runNeighbour()
        }
    }

    @Test func `after a year's jump of the clock back, requests for a date wait and running tasks complete`()
        async throws
    {
        try await withShiftedClock { host, clock in
            let running = try await host.submit(Self.patient.task())
            _ = try await host.launch(of: Self.patient)
            try clock.shift(by: -Self.year)
            let task = TestPlugin.neighbour.task()
            try await host.withstands(submission: running)
            let waiting = try await host.submit(task, earliestBegin: HostFixture.tomorrow)
            _ = try await host.client.simulateConditions(ConditionsSimulation([.network: .holds(false)]))
            #expect(try await host.client.tasks().pending.map(\.submission) == [waiting])
            #expect(try await host.why(task).reasons?.first?.code == "earliest-begin")
            try host.release(Self.patient)
            #expect(try await host.outcome(of: running).event == "succeeded")
            try await host.stop()
            try await host.restart()
            #expect(try await host.client.tasks().pending.map(\.submission) == [waiting])
            try await host.runNeighbour()
        }
    }

    /// Runs a test with a host whose wall clock is replaced, because all programs share the machine's own clock.
    private func withShiftedClock(_ body: (HostFixture, ShiftedClock) async throws -> Void) async throws {
        try await ScratchDirectory.with { directory in
            let clock = try await ShiftedClock(in: directory)
            var setup = HostSetup()
            setup.environment = clock.environment
            try await HostFixture.with(setup, plugins: [.neighbour, Self.patient]) { host in
                try await host.started(.neighbour)
                try await host.started(Self.patient)
                try await body(host, clock)
            }
        }
    }
}

/// A wall clock with an offset that is read from a file, for programs that are started with its environment.
struct ShiftedClock {
    private let file: String
    let environment: [String: String]

    init(in directory: ScratchDirectory) async throws {
        file = directory.file("shift")
        environment = ["LD_PRELOAD": directory.file("clock.so"), "SHIFTED_CLOCK": file]
        try directory.write([UInt8](repeating: 0, count: 8), to: "shift")
        let source = try String(contentsOfFile: ExampleLibrary.root + "/Tests/Torture/ShiftedClock.c", encoding: .utf8)
        try await PluginCompiler.program(source, at: directory.file("clock.so"), flags: ["-shared", "-fPIC"])
    }

    /// Sets the offset for every later reading of the clock.
    func shift(by seconds: Int) throws {
        let handle = try FileHandle(forWritingTo: URL(filePath: file))
        try handle.write(contentsOf: withUnsafeBytes(of: Int64(seconds)) { Data($0) })
        try handle.close()
    }
}
