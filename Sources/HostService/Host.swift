// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import Logging
import PluginCatalog
import PluginLaunch
import Scheduling
import ServiceLifecycle
import TaskLedger
import TaskModel
import UnixSignals

/// The host as a whole: takes its folder, ends what an earlier host left running, then serves until it is told to stop.
package struct Host: Sendable {
    private let configuration: HostConfiguration
    private let log: Logger

    package static var version: String { Release.version }

    package init(configuration: HostConfiguration) {
        self.configuration = configuration
        LoggingSystem.bootstrap { label in StreamLogHandler.standardError(label: label) }
        var log = Logger(label: "bgtaskd")
        log.logLevel = configuration.logLevel
        self.log = log
    }

    package func run() async throws {
        // Whatever the host creates is its own; the control socket is opened to its group when it is there.
        umask(0o077)
        let state = try StateFolder(path: configuration.stateFolder)
        let admission = try Admission(group: configuration.socketGroup)
        let clock = SystemClock()
        let entrance = AsyncStream.makeStream(of: HostScheduler.Input.self)
        let continuation = entrance.continuation

        let ledger = try Ledger.open(path: state.ledgerFile) { reports in
            for report in reports { continuation.yield(.event(report.event)) }
        }
        let launcher = try Launcher(
            runner: configuration.runner ?? Self.runnerBesideHost,
            environment: RunnerEnvironment(from: ProcessInfo.processInfo.environment),
            controlGroups: controlGroups,
            logger: log
        ) { continuation.yield(.launch($0)) }
        let snapshot = try await recover(ledger, launcher)

        let scheduler = try HostScheduler(
            scheduler: Scheduler(
                configuration: configuration.scheduling,
                conditions: configuration.conditions,
                snapshot: snapshot,
                at: clock.now()
            ),
            state: state,
            ledger: ledger,
            launcher: launcher,
            clock: clock,
            entrance: entrance,
            log: log
        )
        let catalog = CatalogKeeper(configuration: configuration, known: snapshot.known, log: log) { entries in
            scheduler.tell(.catalogued(entries))
        }
        catalog.load()
        let facts = HostFacts(
            configuration: configuration,
            startedAt: clock.now(),
            pid: getpid(),
            user: NSUserName()
        )
        let log = log
        let control = ControlServer(
            socket: configuration.controlSocket,
            admission: admission,
            routes: ControlRoutes(scheduler: scheduler, ledger: ledger, catalog: catalog, facts: facts),
            log: log
        ) {
            log.info("serving", metadata: ["socket": "\(facts.configuration.controlSocket)"])
            ServiceNotification.ready()
        }
        // The last one is asked to stop first: callers leave, then the catalogue, then what runs.
        let group = ServiceGroup(
            services: [scheduler, catalog, control],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: log
        )
        defer { ServiceNotification.stopping() }
        try await group.run()
        await launcher.close()
        try ledger.close()
    }

    /// Ends and awaits every process of launches that no end was recorded for, before anything else may run (C3).
    private func recover(_ ledger: Ledger, _ launcher: Launcher) async throws -> LedgerSnapshot {
        let snapshot = try ledger.snapshot()
        for launch in snapshot.running {
            log.warning(
                "a launch was cut short",
                metadata: ["launch": "\(launch.number)", "plugin": "\(launch.plugin)"]
            )
        }
        await launcher.endStale(snapshot.running.map(\.process))
        return snapshot
    }

    private var controlGroups: ControlGroupPlacement {
        switch configuration.cgroup {
        case nil: .detected
        case "none": .none
        case let folder?: .under(folder)
        }
    }

    private static var runnerBesideHost: String {
        let own =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        return (own as NSString).deletingLastPathComponent + "/bgtask-runner"
    }
}

extension CommitReport {
    fileprivate var event: SchedulerEvent {
        switch result {
        case .success: .committed(Ticket(rawValue: ticket))
        case .failure(let error): .commitFailed(Ticket(rawValue: ticket), message: "\(error)")
        }
    }
}
