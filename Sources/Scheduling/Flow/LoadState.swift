// Part of bgtask, under the Apache License 2.0; see LICENSE.

import DequeModule
import TaskModel

/// An event that waits until a plugin is loaded.
struct ParkedEvent: Sendable {
    let event: SchedulerEvent
    /// The user who made the call; nil for a plugin's.
    let user: CallingUser?
    /// Whether the submission came from the foreground, at its arrival; nil for every other event.
    let isForeground: Bool?
}

/// Which plugins' pending work is still to be read from the ledger, and what waits for that.
struct LoadState: Sendable {
    /// Plugins that are being read, or still to be.
    private var missing: Set<PluginIdentifier>
    private var loading: Set<PluginIdentifier> = []
    private var wanted: Deque<PluginIdentifier> = []
    private var others: Deque<PluginIdentifier>
    private var failed: [PluginIdentifier] = []
    /// Launches that the last host left, by plugin: judged when the plugin's pending work is known.
    private var left: [PluginIdentifier: [LedgerSnapshot.RunningLaunch]]
    private var parked: [PluginIdentifier: [ParkedEvent]] = [:]
    /// Events that wait for the first catalogue, or for every plugin.
    private var parkedForAll: [ParkedEvent] = []

    /// Reads at once; one that somebody waits for is begun all the same.
    private static let most = 4

    init(_ snapshot: LedgerSnapshot) {
        let left = Dictionary(grouping: snapshot.running, by: \.plugin)
        missing = Set(snapshot.pendingPlugins).union(left.keys)
        // What ran when the last host ended comes first: its tasks wait for the record of that.
        others = Deque(left.keys.sorted() + snapshot.pendingPlugins.filter { left[$0] == nil })
        self.left = left
    }

    /// Lists cannot show everything yet.
    var isPartial: Bool { !missing.isEmpty }

    func isMissing(_ plugin: PluginIdentifier) -> Bool { missing.contains(plugin) }

    /// Plugins to be read now.
    mutating func next() -> [PluginIdentifier] {
        var next: [PluginIdentifier] = []
        while let plugin = wanted.popFirst() {
            if missing.contains(plugin), loading.insert(plugin).inserted { next.append(plugin) }
        }
        while loading.count < Self.most, let plugin = others.popFirst() {
            if missing.contains(plugin), loading.insert(plugin).inserted { next.append(plugin) }
        }
        return next
    }

    /// Holds an event until the plugin is read, which comes before all that nobody waits for.
    mutating func park(_ event: ParkedEvent, until plugin: PluginIdentifier) {
        parked[plugin, default: []].append(event)
        if !loading.contains(plugin) { wanted.append(plugin) }
    }

    mutating func parkForAll(_ event: ParkedEvent) { parkedForAll.append(event) }

    /// The plugin is read.
    ///
    /// - Returns: the launches that it was left with, and the events that waited for it.
    mutating func finish(
        _ plugin: PluginIdentifier
    ) -> (left: [LedgerSnapshot.RunningLaunch], events: [ParkedEvent]) {
        missing.remove(plugin)
        loading.remove(plugin)
        return (left.removeValue(forKey: plugin) ?? [], parked.removeValue(forKey: plugin) ?? [])
    }

    /// It could not be read; it is tried again a little later.
    mutating func fail(_ plugin: PluginIdentifier) {
        loading.remove(plugin)
        if missing.contains(plugin) { failed.append(plugin) }
    }

    /// The plugins that could not be read are due again.
    mutating func retry() {
        wanted += failed
        failed = []
    }

    mutating func takeParkedForAll() -> [ParkedEvent] {
        defer { parkedForAll = [] }
        return parkedForAll
    }

    /// Everything that waits, for a host that stops.
    mutating func takeAllParked() -> [ParkedEvent] {
        defer { parked = [:] }
        return parked.keys.sorted().flatMap { parked[$0] ?? [] } + takeParkedForAll()
    }
}
