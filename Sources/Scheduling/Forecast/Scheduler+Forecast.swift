// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

// A scheduler for a forecast: the same decisions, from the state of the ledger and the rest of a running scheduler.
extension Scheduler {
    /// Creates a scheduler that continues from the state of a running one. Its first `timerFired` begins its decisions.
    ///
    /// - Parameters:
    ///   - snapshot: the state in the ledger. Of its running launches only those in the seed continue.
    ///   - work: the pending work of every plugin in `snapshot.pendingPlugins`, from the same state of the ledger.
    ///   - catalogue: the installed plugins.
    package init(
        forecasting seed: ForecastSeed,
        _ snapshot: LedgerSnapshot,
        _ work: [PluginWork],
        catalogue: Catalogue
    ) {
        let running = Set(snapshot.running.map(\.number))
        var snapshot = snapshot
        // Not interrupted, as after a restart: the launches continue.
        snapshot.running = []
        snapshot.pendingPlugins = work.map(\.plugin)
        snapshot.alerts = []
        self.init(
            configuration: seed.configuration,
            conditions: seed.conditions,
            snapshot: snapshot,
            jitterSeed: seed.jitterSeed,
            at: seed.now
        )
        timeZones = seed.timeZones
        capacity = seed.capacity
        startupWaves = seed.startupWaves
        disk = seed.disk
        leases = seed.leases
        pressureRelief = seed.pressureRelief
        for launch in seed.launches where running.contains(launch.number) { takeUp(launch) }
        for work in work { loaded(work, at: seed.now) }
        self.catalogue(CatalogueChange(to: catalogue), at: seed.now)
        // A host that starts sends `started` to plugins without pending work (C11); this one does not start.
        for plugin in plugins.names() { plugins[plugin].wantsStart = false }
        for (plugin, delays) in seed.delays where plugins.contains(plugin) { takeUp(delays, of: plugin, at: seed.now) }
    }

    private mutating func takeUp(_ launch: ScheduledLaunch) {
        let (plugin, number) = (launch.plugin, launch.number)
        know(plugin)
        launches.add(launch)
        if case .stopping = launch.phase { launches.setStopping(number) }
        if launch.lane != .continued { plugins[plugin].occupants[launch.lane] = number }
        if launch.lane == .transfer { shareTransferLane(of: plugin) }
        for index in launch.unfinished { launches.begin(launch.tasks[index].work.identifier, in: number) }
        beginWork(of: plugin, in: launch.lane)
        toEnforceAnew.insert(number)
    }

    private mutating func takeUp(_ delays: PluginDelays, of plugin: PluginIdentifier, at now: Moment) {
        plugins[plugin].cooldownEnd = delays.cooldownEnd
        plugins[plugin].runnerRetry = delays.runnerRetry
        for identifier in delays.userRequested {
            plugins[plugin].requests.setUserRequested(identifier, at: now.wall)
        }
    }
}
