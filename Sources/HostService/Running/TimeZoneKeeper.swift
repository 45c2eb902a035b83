// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostConfiguration
import Logging
import PluginCatalogue
import Scheduling
import ServiceLifecycle

/// Reads the rules of the schedules' time zones again when their files change: the machine's zone was set, or tzdata
/// was updated. Without calendar schedules it watches nothing.
final class TimeZoneKeeper: Service, Sendable {
    /// Receives the zones whose name or rules have changed, with the present name and rules.
    typealias OnChange = @Sendable (TimeZoneTable) -> Void

    private let database: TimeZoneDatabase
    private let initial: TimeZoneTable
    private let threads: DiskThreads
    private let log: Logger
    private let onChange: OnChange

    /// Creates the keeper.
    ///
    /// - Parameter known: the zones in use, with the rules that the scheduler has.
    init(
        _ database: TimeZoneDatabase,
        known: TimeZoneTable,
        threads: DiskThreads,
        log: Logger,
        onChange: @escaping OnChange
    ) {
        self.database = database
        initial = known
        self.threads = threads
        self.log = log
        self.onChange = onChange
    }

    func run() async throws {
        try await runUntilShutdown { try await self.follow() }
    }

    private func follow() async throws {
        if !initial.entries.isEmpty, let watch = try await watch() {
            // The files are watched before they are read, so that no change in between is missed.
            var known = try await reread(initial)
            try await ChangeFollower(watch.changes, clock: ContinuousClock()).run {
                known = try await reread(known)
                let directories = try await directories()
                try await threads.run { watch.watch(directories) }
            }
        }
        // A service that returns would end the host.
        try await gracefulShutdown()
    }

    /// A watch on the directories of the time zone files; nil when they cannot be watched. The schedules then keep the
    /// rules of the start.
    private func watch() async throws -> DirectoryWatch? {
        let directories = try await directories()
        do {
            return try await threads.run { try DirectoryWatch(directories) }
        } catch let error as DirectoryWatchError {
            log.warning(
                "changes of time zone files are not watched; schedules keep the present rules until the host restarts",
                metadata: ["problem": "\(error)"]
            )
            return nil
        }
    }

    private func directories() async throws -> Set<String> {
        try await threads.run { [database, initial] in database.directories(of: initial.entries.keys) }
    }

    /// Reports each zone whose name or rules differ from the known ones, and returns all zones with their present names
    /// and rules. A zone that cannot be read keeps its known name and rules.
    private func reread(_ known: TimeZoneTable) async throws -> TimeZoneTable {
        var changed = TimeZoneTable()
        for (zone, entry) in known.entries.sorted(by: { $0.key < $1.key }) {
            let found = try await threads.run { [database] in
                Result { () throws(TimeZoneError) in try database.entry(of: zone) }
            }
            switch found {
            case .success(let found):
                if found == entry { continue }
                log.notice("time zone changed", metadata: ["before": "\(entry.name)", "zone": "\(found.name)"])
                changed.entries[zone] = found
            case .failure(let error):
                log.warning(
                    "time zone not read; its previous rules stay in force",
                    metadata: ["zone": "\(entry.name)", "problem": "\(error)"]
                )
            }
        }
        if !changed.entries.isEmpty { onChange(changed) }
        return TimeZoneTable(known.entries.merging(changed.entries) { _, new in new })
    }
}
