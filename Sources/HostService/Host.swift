// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import ControlAPI
import Foundation
package import HostConfiguration
import LinuxSystem
import Logging
import PluginCatalogue
import PluginLaunch
import SandboxPolicy
import Scheduling
import ServiceLifecycle
import TaskLedger
import TaskModel
import UnixSignals

/// The whole host: locks its state directory, kills processes that a previous host process left running, then serves
/// until it is stopped.
package struct Host: Sendable {
    let configuration: HostConfiguration
    private let reread: @Sendable () throws -> HostConfiguration
    private let log: Logger

    package static var version: String { Release.version }

    /// Creates a host.
    ///
    /// - Parameter reread: reads file and flags again, for a reload.
    package init(
        configuration: HostConfiguration,
        rereading reread: @escaping @Sendable () throws -> HostConfiguration
    ) {
        self.configuration = configuration
        self.reread = reread
        LoggingSystem.bootstrap { _ in QueuedLogHandler() }
        var log = Logger(label: "bgtaskd")
        log.logLevel = configuration.logLevel
        self.log = log
    }

    /// Keeps the memory of the process small after the start, which allocates most. Called before other threads exist.
    package static func returnFreedMemory() { bgl_return_freed_memory() }

    package func run() async throws {
        let killPoint = try KillPoint.ofProcess()
        // Files that the host creates are private to its user; the control socket is opened to its group later.
        umask(0o077)
        // Before the first child and before other threads: both read the environment and inherit descriptors.
        let activated = try ActivatedSocket.taken()
        let lineage = ProcessLineage.ofThisProcess()
        let users = try PluginUsers(configuration.pluginUsers, .ofThisProcess())
        let sandboxes = try makeSandboxPolicy(hasOwnUsers: users.range != nil)
        let state = try StateDirectory(path: configuration.stateDirectory, isTraversable: users.range != nil)
        let mailbox = Mailbox()
        let health = LedgerHealth()
        let logs = LaunchLogs(directory: state.logDirectory, limits: configuration.logs, log: log)
        let metrics = MetricsKeeper()
        let launcher = try makeLauncher(users, sandboxes, state, reportingTo: mailbox)
        let ledger: Ledger
        do {
            // Before the ledger is opened, which may upgrade it: a host that refuses to start changes nothing of it.
            try require(limiting(launcher, users, containers: state.containerDirectory), by: sandboxes)
            ledger = try openLedger(in: state, reportingTo: mailbox, health, metrics)
            try await recordRestore(in: state, ledger)
            let keeper = try UserKeeper(users, ledger: ledger)
            try await DiskThreads.with { threads in
                let socket = ControlSocket(
                    path: configuration.controlSocket,
                    groups: configuration.socketGroups,
                    activated: activated,
                    log: log
                )
                let control = ControlPlace(socket: socket, lineage: lineage)
                try await services(
                    mailbox,
                    state,
                    ledger,
                    health,
                    metrics,
                    launcher,
                    sandboxes,
                    keeper,
                    logs,
                    threads,
                    killPoint,
                    control
                ).run()
            }
        } catch {
            // Launches must not outlive a failed host.
            await launcher.close()
            logs.flush()
            withExtendedLifetime(state) {}
            LogWriter.shared.drain()
            throw error
        }
        await launcher.close()
        logs.flush()
        try ledger.close()
        // The lock is released last.
        withExtendedLifetime(state) {}
        LogWriter.shared.drain()
    }

    private var environment: [String: String] { ProcessInfo.processInfo.environment }

    private func openLedger(
        in state: StateDirectory,
        reportingTo mailbox: Mailbox,
        _ health: LedgerHealth,
        _ metrics: MetricsKeeper
    ) throws -> Ledger {
        let log = log
        let ledger = try Ledger.open(path: state.ledgerFile, journalCapacity: configuration.journalSize) { group in
            metrics.note(group, at: SystemClock().now().wall)
            // Only in systemd's journal, where the fields of a line can be selected. A terminal would show each outcome
            // twice.
            if LogOutput.ofProcess.isInJournal { group.log(to: log) }
        } onCommit: { reports in
            health.note(reports, at: SystemClock().now().wall)
            for report in reports {
                if case .failure(let error) = report.result {
                    let message =
                        "commit failed, so nothing of it is recorded; the host tries again later, or answers its caller"
                        + " with the failure: \(error)"
                    log.error("\(message)")
                }
                mailbox.put(.committed(report))
            }
        }
        if let upgrade = ledger.upgrade {
            log.notice(
                "ledger upgraded",
                metadata: [
                    "from": "\(upgrade.copy.version)", "to": "\(upgrade.to)", "copy": "\(upgrade.copy.path)",
                ]
            )
        }
        return ledger
    }

    /// Probes the sandbox mechanisms of the kernel and compiles the filters of system calls. Throws when the
    /// configuration requires more than the kernel offers.
    private func makeSandboxPolicy(hasOwnUsers: Bool) throws(HostError) -> SandboxPolicy {
        do throws(SandboxPolicy.Refusal) {
            return try SandboxPolicy(
                configuration.isolation,
                requiring: configuration.requiredGuarantees,
                privatePlaces: [configuration.stateDirectory, configuration.controlSocket]
                    + [configuration.file].compactMap(\.self),
                cataloguePlaces: [
                    configuration.operatorManifests, configuration.packageManifests, configuration.pluginDirectory,
                ],
                limits: configuration.grantLimits,
                hasOwnUsers: hasOwnUsers
            )
        } catch {
            throw HostError(code: .systemRefused, message: "\(error)")
        }
    }

    private func makeLauncher(
        _ users: PluginUsers,
        _ sandboxes: SandboxPolicy,
        _ state: StateDirectory,
        reportingTo mailbox: Mailbox
    ) throws -> Launcher {
        let log = log
        return try Launcher(
            runner: configuration.runner ?? RunnerProgram.path(),
            environment: RunnerEnvironment(from: configuration.environmentWithoutSecrets(environment)),
            controlGroups: controlGroups,
            requiresGroups: sandboxes.requiresGroups,
            numbers: .ofDirectory(state.path),
            users: users.range,
            unclaimed: .killed { process in
                log.warning(
                    "killed a process that a plugin left running and hid from its launch",
                    metadata: ["pid": "\(process.pid)", "program": "\(process.program)"]
                )
                mailbox.put(.event(.leftoverKilled(pid: process.pid, program: process.program, .unmarked)))
            },
            idleRunners: configuration.idleRunners,
            logger: log,
            admitOrPause: { mailbox.admitOrPause($0) },
            onEvent: { mailbox.put(.launch($0)) }
        )
    }

    /// Ends the launches of the previous host process, and builds all services. The ledger's snapshot is freed when the
    /// function returns.
    private func services(
        _ mailbox: Mailbox,
        _ state: StateDirectory,
        _ ledger: Ledger,
        _ health: LedgerHealth,
        _ metrics: MetricsKeeper,
        _ launcher: Launcher,
        _ sandboxes: SandboxPolicy,
        _ users: UserKeeper,
        _ logs: LaunchLogs,
        _ threads: DiskThreads,
        _ killPoint: KillPoint?,
        _ place: ControlPlace
    ) async throws -> ServiceGroup {
        let snapshot = try await recover(ledger, launcher, state, mailbox)
        // After the leftover processes are killed: such a process could run as the user that now owns another plugin's
        // container, or have that container open.
        try users.closeContainers(in: state)
        let clock = SystemClock()
        let conditions = try ConditionsKeeper(
            fixed: configuration.conditions,
            thresholds: configuration.sensors,
            containerDirectory: state.containerDirectory,
            host: getpid()
        ) { [configuration] event in
            if case .conditionsChanged(let conditions) = event {
                launcher.keepIdleRunners(configuration.idleRunners(under: conditions))
            }
            mailbox.put(.event(event))
        }
        // No event reports the first conditions.
        launcher.keepIdleRunners(configuration.idleRunners(under: conditions.now))
        let core = Scheduler(
            configuration: scheduling(containers: state.containerDirectory),
            conditions: conditions.now,
            snapshot: snapshot,
            jitterSeed: .random(in: .min ... .max),
            at: clock.now()
        )
        let (doubts, doubted) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let loop = try DecisionLoop(
            core: core,
            mailbox: mailbox,
            state: state,
            ledger: ledger,
            threads: threads,
            launcher: launcher,
            sandboxes: sandboxes,
            users: users,
            resources: (configuration.launchLimits, configuration.backgroundNice),
            secrets: SecretReader(configuration.secrets, environment: environment),
            conditions: conditions,
            logs: logs,
            clock: clock,
            onUnseenChange: { doubted.yield() },
            killPoint: killPoint,
            log: log
        )
        let catalogue = CatalogueKeeper(
            configuration: configuration,
            recorded: { try ledger.knownPlugins() },
            doubts: doubts,
            threads: threads,
            log: log
        ) { change in
            loop.post(.catalogued(change))
        } onFirstLoad: { contents in
            warn(installed: contents.entries)
        }
        let zones = TimeZoneKeeper(
            configuration.timeZones,
            known: configuration.scheduling.timeZones,
            threads: threads,
            log: log
        ) { changed in
            loop.post(.timeZonesChanged(changed))
        }
        let disk = DiskWatch(
            directory: state.containerDirectory,
            groups: launcher.groups,
            reserve: configuration.scheduling.diskReserve,
            runners: loop.runners,
            threads: threads,
            log: log
        ) { sample in
            loop.post(.diskSampled(sample))
        }
        let keeper = ConfigurationKeeper(
            configuration,
            threads: threads,
            log: log,
            reread: reread,
            installed: { catalogue.contents.entries }
        ) { new, keys, user in
            let event = SchedulerEvent.configured(new, keys: keys)
            loop.post(user.map { .byUser($0, event) } ?? event)
        }
        let facts = HostFacts(
            keeper: keeper,
            sandboxes: sandboxes,
            users: users,
            launcher: launcher,
            limiting: limiting(launcher, users.users, containers: state.containerDirectory),
            startedAt: clock.now(),
            pid: getpid(),
            user: Account.name(of: geteuid()),
            timeZone: configuration.timeZones.machineName,
            incarnation: try ledger.incarnation()
        )
        let routes = ControlRoutes(
            loop: loop,
            ledger: ledger,
            threads: threads,
            catalogue: catalogue,
            conditions: conditions,
            facts: facts,
            ledgerHealth: health,
            metrics: metrics,
            tokenGate: PushTokenGate(),
            forecasts: ForecastQueue()
        )
        let socket = configuration.controlSocket
        let control = ControlServer(
            socket: place.socket,
            lineage: place.lineage,
            admission: Admission(groups: configuration.socketGroups),
            idleTimeout: configuration.idleTimeout,
            routes: routes,
            catalogue: catalogue,
            log: log,
            libraryLog: libraryLog
        ) { [log] in
            log.info("serving", metadata: ["socket": "\(socket)"])
            ServiceNotification.ready()
        }
        let care = StateCare(
            state: state,
            discarded: state.earlierDiscarded(),
            ledger: ledger,
            threads: threads,
            logs: logs,
            retention: configuration.journalRetention,
            transferRetention: configuration.scheduling.transfers.retention,
            doubt: configuration.scheduling.clockDoubt,
            now: { clock.wall },
            clock: ContinuousClock(),
            log: log
        )
        let hangup: [any Service] = HangupMeaning.ofProcess == .reload ? [HangupReload(keeper: keeper)] : []
        // Services stop in reverse order: the decision loop stops first, so that running tasks expire without waiting
        // for callers.
        return ServiceGroup(
            services: hangup + [control, catalogue, zones, care, disk, conditions, loop],
            gracefulShutdownSignals: HangupMeaning.ofProcess.stopSignals,
            logger: libraryLog
        )
    }

    /// The configuration of the scheduler with the transfer library and the size of the disk as found at the start.
    private func scheduling(containers: String) -> SchedulingConfiguration {
        var scheduling = configuration.scheduling
        scheduling.transfers.diskBytes = try? ContainerDisk(of: containers).space().bytes
        switch TransferLibrary.find(besideRunner: configuration.runner ?? RunnerProgram.path()) {
        case .success(let library): scheduling.transfers.library = library
        case .failure(let problem):
            scheduling.transfers.libraryProblem = problem.message
            log.notice("plugins cannot begin transfers: \(problem.message)")
        }
        return scheduling
    }

    /// The log for messages of libraries. Messages below warnings pass only at level debug or lower.
    private var libraryLog: Logger {
        var log = log
        log.logLevel = configuration.logLevel <= .debug ? configuration.logLevel : max(.warning, configuration.logLevel)
        return log
    }

    private func warn(installed: [PluginEntry]) {
        for problem in configuration.missingDirectoryWarnings + configuration.unmatchedWarnings(among: installed) {
            log.warning("\(problem)")
        }
    }

    /// Kills the processes that previous host processes left behind, and waits until they have ended, before any launch
    /// can start (C3).
    private func recover(
        _ ledger: Ledger,
        _ launcher: Launcher,
        _ state: StateDirectory,
        _ mailbox: Mailbox
    ) async throws -> LedgerSnapshot {
        let snapshot = try ledger.snapshot(at: SystemClock().now().wall)
        for error in try ledger.alertErrors() { log.error("the notification of an alert is not shown: \(error)") }
        for launch in snapshot.running {
            log.warning(
                "a launch was still running when the last host ended; its remaining processes are killed",
                metadata: ["launch": "\(launch.number)", "plugin": "\(launch.plugin)"]
            )
        }
        let left = await launcher.endStale(snapshot.running.map(\.process), ofEarlier: state.ownersOfContainers())
        for process in left {
            log.warning(
                "killed a process that a plugin started and that outlived the last host",
                metadata: ["pid": "\(process.pid)", "program": "\(process.program)"]
            )
            mailbox.put(.event(.leftoverKilled(pid: process.pid, program: process.program, .earlierHost)))
        }
        return snapshot
    }

    private var controlGroups: ControlGroupPlacement {
        switch configuration.cgroup {
        case nil: .detected
        case "none": .none
        case let directory?: .under(directory)
        }
    }
}
