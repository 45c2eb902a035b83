// Part of bgtask, under the Apache License 2.0; see LICENSE.

import DequeModule
package import TaskModel

/// The part of a scheduler's state that the ledger lacks, as far as a forecast needs it.
///
/// Its size depends on the running launches, the delayed plugins and the plugins that wait for capacity, not on the
/// pending work. It shares no table of pending work with its scheduler, so that the next event of the scheduler copies
/// none.
package struct ForecastSeed: Sendable {
    package let now: Moment
    package var configuration: SchedulingConfiguration
    package var conditions: Conditions
    /// The delays of plugins, read in pages with `Scheduler.delayPage`. Plugins without one are absent.
    package var delays: [PluginIdentifier: PluginDelays] = [:]
    /// Whether the scheduler has not loaded all pending work.
    package let isLoading: Bool

    let launches: [ScheduledLaunch]
    /// The plugins that wait for capacity, in the order of their arrival.
    let capacity: [Lane: CapacityQueue]
    let startupWaves: StartupWaves
    let timeZones: TimeZoneTable
    let jitterSeed: UInt64
    let disk: DiskGuard
    /// The leases without an end of their trust: their feeders are assumed to renew them.
    let leases: LeaseTable
    let pressureRelief: MonotonicTime?

    /// The launches whose plan was sent and whose end is not judged.
    package var runningLaunches: Set<LaunchNumber> { Set(launches.map(\.number)) }

    package init(of scheduler: borrowing Scheduler, at now: Moment) {
        self.now = now
        configuration = scheduler.configuration
        conditions = scheduler.conditions
        isLoading = scheduler.loading.isPartial || !scheduler.hasCatalogue
        launches = scheduler.launches.values.compactMap(\.continuing).sorted { $0.number < $1.number }
        capacity = scheduler.capacity
        startupWaves = scheduler.startupWaves
        timeZones = scheduler.timeZones
        jitterSeed = scheduler.jitterSeed
        disk = scheduler.disk
        leases = scheduler.leases.trusted
        pressureRelief = scheduler.pressureRelief
    }
}

/// Delays of one plugin that only the memory of the scheduler has, and the requests that a user wants to run.
package struct PluginDelays: Sendable {
    let cooldownEnd: MonotonicTime?
    let runnerRetry: PluginState.RunnerRetry?
    let userRequested: [TaskIdentifier]

    var isEmpty: Bool { cooldownEnd == nil && runnerRetry == nil && userRequested.isEmpty }
}

extension ScheduledLaunch {
    /// The launch without commits in flight; nil for a launch that is not on disk, or whose end is judged.
    fileprivate var continuing: ScheduledLaunch? {
        guard var execution else { return nil }
        execution.undecided = 0
        execution.arriving = []
        execution.end = nil
        execution.assertions = OpenAssertions()
        execution.assertionDeadline = nil
        var launch = self
        launch.record = LaunchRecording()
        launch.sentKillTime = nil
        if case .stopping(_, let killTime) = phase {
            launch.phase = .stopping(execution, killTime: killTime)
        } else {
            launch.phase = .running(execution)
        }
        return launch
    }
}

extension Scheduler {
    /// The delays of the next plugins after `cursor`, in the order of their identifiers, and the last one as the cursor
    /// of the next page; a nil cursor begins, and ends, the list.
    ///
    /// - Parameter limit: maximum number of examined plugins.
    package func delayPage(
        after cursor: PluginIdentifier?,
        limit: Int,
        at now: Moment
    ) -> (delays: [PluginIdentifier: PluginDelays], next: PluginIdentifier?) {
        let names = plugins.names(after: cursor).prefix(limit)
        var delays: [PluginIdentifier: PluginDelays] = [:]
        for plugin in names {
            let found = PluginDelays(
                cooldownEnd: plugins[plugin].cooldownEnd.flatMap { $0 > now.monotonic ? $0 : nil },
                runnerRetry: plugins[plugin].runnerRetry.flatMap { $0.at > now.monotonic ? $0 : nil },
                userRequested: userRequested(of: plugin)
            )
            if !found.isEmpty { delays[plugin] = found }
        }
        return (delays, names.count < limit ? nil : names.last)
    }

    /// The first identifiers of the ready requests of a plugin that a user requested to run.
    private func userRequested(of plugin: PluginIdentifier) -> [TaskIdentifier] {
        let groups = Lane.allCases.flatMap { plugins[plugin].requests.groups.indices(in: $0) }
        let places = groups.lazy.map { plugins[plugin].requests.groups[$0] }.filter(\.key.isUserRequested)
            .flatMap { group in (0..<group.members.count).map { group.members[$0] } }
        return places.prefix(Self.mostUserRequested).compactMap { presented($0, of: plugin)?.request.identifier }
    }

    private static let mostUserRequested = 100
}
