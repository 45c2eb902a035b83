// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Logging
import PluginLaunch
import TaskModel

/// A launcher of stand-in runners, which is closed after the test.
struct LaunchFixture {
    static let variables = RunnerEnvironment([.init(name: "PATH", value: "/usr/bin:/bin")])

    let launcher: Launcher
    let events: EventLog
    let directory: String

    static func with(
        groups: ControlGroupPlacement = .none,
        frames: [String: [UInt8]] = [:],
        environment: RunnerEnvironment = variables,
        users: UserRange? = nil,
        runner main: String,
        _ body: (LaunchFixture) async throws -> Void
    ) async throws {
        try await withScratch { directory in
            let standIn = try StandIn(in: directory, frames: frames, main: main)
            try await with(
                runner: standIn.path,
                in: directory,
                groups: groups,
                environment: environment,
                users: users,
                body
            )
        }
    }

    /// Runs `body` with a launcher of stand-in runners, and closes it afterwards.
    ///
    /// - Parameters:
    ///   - onEvent: called on the launch thread, which it may block.
    ///   - admitOrPause: called on the launch thread, before a message of a launch is delivered.
    static func with(
        runner path: String,
        in directory: String,
        groups: ControlGroupPlacement = .none,
        environment: RunnerEnvironment = variables,
        numbers: MarkNumbers = .random,
        users: UserRange? = nil,
        idleRunners: Int = 0,
        onEvent: @escaping @Sendable (LaunchEvent) -> Void = { _ in },
        admitOrPause: @escaping @Sendable (LaunchNumber) -> Bool = { _ in true },
        _ body: (LaunchFixture) async throws -> Void
    ) async throws {
        let events = EventLog()
        let launcher = try Launcher(
            runner: path,
            environment: environment,
            controlGroups: groups,
            numbers: numbers,
            users: users,
            unclaimed: .left,
            idleRunners: idleRunners,
            logger: silentLogger,
            admitOrPause: admitOrPause
        ) { event in
            events.add(event)
            onEvent(event)
        }
        do {
            try await body(LaunchFixture(launcher: launcher, events: events, directory: directory))
            await launcher.close()
        } catch {
            await launcher.close()
            throw error
        }
    }

    /// Starts a runner and waits until its launch has ended.
    @discardableResult
    func run(_ launch: LaunchNumber) async -> RunnerEnd {
        launcher.take(for: launch)
        return await events.end(launch)
    }
}

extension LaunchNumber: ExpressibleByIntegerLiteral {
    /// Creates a launch number from an integer literal.
    public init(integerLiteral value: Int64) { self.init(rawValue: value) }
}

/// A logger without output: these tests do not check the launcher's log.
let silentLogger = Logger(label: "launch-tests") { _ in SwiftLogNoOpLogHandler() }

/// Whether a process with that number exists; zombies count.
func exists(_ pid: Int32) -> Bool { FileManager.default.fileExists(atPath: "/proc/\(pid)") }
