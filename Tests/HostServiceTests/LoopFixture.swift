// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostConditions
import HostConfiguration
import HostTestKit
import LinuxSystem
import Logging
import PluginLaunch
import SandboxPolicy
import Scheduling
import TaskLedger
import TaskModel
import Testing

@testable import HostService

/// A decision loop with real parts and an empty scheduler. The test starts the loop.
struct LoopFixture {
    let loop: DecisionLoop
    /// A copy of the loop's scheduler before its first event.
    let core: Scheduler
    let ledger: Ledger

    /// Runs `body` with a loop that has not been started.
    ///
    /// - Parameters:
    ///   - runner: source of a C program in place of the runner; the default exits at once.
    ///   - hooks: hooks of the ledger.
    ///   - log: the loop's log; the default drops all lines.
    ///   - onLaunchEvent: called on the launch thread before it delivers an event.
    static func with(
        runner source: String = "int main(void) { return 0; }",
        hooks: LedgerHooks = LedgerHooks(),
        log: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        onLaunchEvent: @escaping @Sendable (LaunchEvent) -> Void = { _ in },
        _ body: (LoopFixture) async throws -> Void
    ) async throws {
        try await ScratchDirectory.with { directory in
            let runner = directory.file("runner")
            try await PluginCompiler.program(source, at: runner)
            let mailbox = Mailbox()
            let ledger = try Ledger.inMemory(hooks: hooks) { reports in
                for report in reports {
                    mailbox.put(.committed(report))
                }
            }
            let launcher = try Launcher(
                runner: runner,
                environment: RunnerEnvironment([]),
                controlGroups: .none,
                unclaimed: .left,
                logger: log,
                admitOrPause: { mailbox.admitOrPause($0) },
                onEvent: {
                    onLaunchEvent($0)
                    mailbox.put(.launch($0))
                }
            )
            let conditions = try ConditionsKeeper(
                fixed: [:],
                thresholds: ConditionThresholds(),
                containerDirectory: directory.file("state/containers"),
                host: 1
            ) { mailbox.put(.event($0)) }
            let clock = SystemClock()
            let core = Scheduler(
                configuration: SchedulingConfiguration(),
                conditions: conditions.now,
                snapshot: try ledger.snapshot(),
                at: clock.now()
            )
            try await DiskThreads.with { threads in
                let loop = try DecisionLoop(
                    core: core,
                    mailbox: mailbox,
                    state: try StateDirectory(path: directory.file("state")),
                    ledger: ledger,
                    threads: threads,
                    launcher: launcher,
                    sandboxes: SandboxPolicy(.off, privatePlaces: [], cataloguePlaces: []),
                    users: UserKeeper(.hostUser("test"), ledger: ledger),
                    conditions: conditions,
                    logs: LaunchLogs(directory: directory.file("state/logs"), log: log),
                    clock: clock,
                    onUnseenChange: {},
                    log: log
                )
                do {
                    try await body(LoopFixture(loop: loop, core: core, ledger: ledger))
                    await launcher.close()
                } catch {
                    await launcher.close()
                    throw error
                }
            }
        }
    }

    /// Runs the loop until `body` returns.
    func run(_ body: () async throws -> Void) async throws {
        let run = Task { try await loop.run() }
        do {
            try await body()
        } catch {
            run.cancel()
            throw error
        }
        run.cancel()
        try await run.value
    }
}
