// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import HostConfiguration
import Logging
import Scheduling
import ServiceLifecycle
import Synchronization
import TaskModel
import UnixSignals

/// Holds the configuration in force, and reads file and flags again on request.
final class ConfigurationKeeper: Sendable {
    /// Reads file and flags. Throws one `HostError` with all problems.
    typealias Reread = @Sendable () throws -> HostConfiguration
    /// Sends changed values to the scheduler, with the changed keys and the user whose call it was.
    typealias OnChange = @Sendable (SchedulingConfiguration, [String], CallingUser?) -> Void

    private let state: Mutex<HostConfiguration>
    private let reread: Reread
    private let threads: DiskThreads
    private let log: Logger
    private let installed: @Sendable () -> [PluginEntry]
    private let onChange: OnChange

    /// - Parameter installed: returns the installed plugins, with which the entries of a new file are compared.
    init(
        _ configuration: HostConfiguration,
        threads: DiskThreads,
        log: Logger,
        reread: @escaping Reread,
        installed: @escaping @Sendable () -> [PluginEntry],
        onChange: @escaping OnChange
    ) {
        state = Mutex(configuration)
        self.reread = reread
        self.installed = installed
        self.threads = threads
        self.log = log
        self.onChange = onChange
    }

    var current: HostConfiguration { state.withLock { $0 } }

    /// Reads the configuration again and applies the changed keys that can change at once. Throws for a configuration
    /// with problems, of which nothing is applied.
    func reload(by user: CallingUser?) async throws -> HostReloadReply {
        let new: HostConfiguration
        do {
            new = try await threads.run { [reread] in try reread() }
            try current.checkFile(of: new)
        } catch {
            for problem in (error as? HostError)?.problems ?? ["\(error)"] {
                log.error(
                    "configuration not reloaded; the present one stays in force",
                    metadata: ["problem": "\(problem)"]
                )
            }
            throw error
        }
        let reload = state.withLock { present in
            let reload = present.reloaded(as: new)
            present = reload.configuration
            // Under the lock, so that the last configuration sent is the one in force.
            if !reload.applied.isEmpty { onChange(reload.configuration.scheduling, reload.applied, user) }
            return reload
        }
        log.notice(
            "configuration reloaded",
            metadata: [
                "applied": "\(reload.applied.joined(separator: ", "))",
                "needing-restart": "\(reload.needingRestart.joined(separator: ", "))",
            ]
        )
        let warnings = new.unmatchedWarnings(among: installed())
        for warning in warnings { log.warning("\(warning)") }
        return HostReloadReply(
            file: new.file,
            applied: reload.applied,
            needingRestart: reload.needingRestart,
            warnings: warnings
        )
    }
}

/// Reloads the configuration at each SIGHUP. The result is in the log.
struct HangupReload: Service {
    let keeper: ConfigurationKeeper

    func run() async throws {
        try await runUntilShutdown {
            for await _ in await UnixSignalsSequence(trapping: .sighup) { _ = try? await keeper.reload(by: nil) }
        }
        try await gracefulShutdown()
    }
}
