// Part of bgtask, under the Apache License 2.0; see LICENSE.

import DequeModule
import TaskModel

/// A call that waits for the first catalogue, or until the pending work that the call concerns is loaded.
struct ParkedEvent: Sendable {
    let event: SchedulerEvent
    /// The user whose call caused the event; nil for a plugin's call.
    let user: CallingUser?
    /// Whether the submission came from a user, or from a launch in the foreground, when it arrived; nil for other
    /// events.
    let isForeground: Bool?
}

/// The loading of pending work from the ledger after a start: the plugins whose work is not read yet, and the events
/// that wait for them.
struct LoadState: Sendable {
    /// Plugins whose pending work is not loaded: the read has not begun, is in progress, or has failed.
    private var missing: Set<PluginIdentifier>
    private var loading: Set<PluginIdentifier> = []
    private var wanted: Deque<PluginIdentifier> = []
    private var others: Deque<PluginIdentifier>
    private var failed: [PluginIdentifier] = []
    /// Launches that the previous host left running, by plugin. They are judged when the plugin's pending work is
    /// loaded.
    private var left: [PluginIdentifier: [LedgerSnapshot.UnfinishedLaunch]]
    /// Launches of the previous host with interrupted tasks whose requeueing is not on disk yet.
    private var recovering: [LaunchNumber: Recovery] = [:]
    private var parked: [PluginIdentifier: [ParkedEvent]] = [:]
    /// Events that wait for the first catalogue, or until every plugin is loaded.
    private var parkedForAll: [ParkedEvent] = []

    /// The interrupted tasks of a launch whose requeueing is not on disk yet.
    private struct Recovery {
        let plugin: PluginIdentifier
        let kinds: Set<TaskKind>
    }

    /// Number of concurrent reads from which on no other read begins. A plugin that an event waits for, or whose read
    /// failed before, is read even beyond this number.
    private static let most = 4

    init(_ snapshot: LedgerSnapshot) {
        let left = Dictionary(grouping: snapshot.running, by: \.plugin)
        missing = Set(snapshot.pendingPlugins).union(left.keys)
        // Plugins with launches of the last host come first: their tasks wait until the end of these is recorded.
        others = Deque(left.keys.sorted() + snapshot.pendingPlugins.filter { left[$0] == nil })
        self.left = left
    }

    /// Whether the pending work of some plugin is not loaded yet.
    var isPartial: Bool { !missing.isEmpty }

    /// Whether a list with the filter may lack work: some of it is not loaded, or an interrupted task of the previous
    /// host is not requeued on disk yet. A recovery that the ledger cannot record leaves the lists of other plugins and
    /// kinds complete.
    func isPartial(_ filter: WorkFilter) -> Bool {
        let isLoading = filter.plugin.map { missing.contains($0) } ?? isPartial
        return isLoading
            || recovering.values.contains { recovery in
                filter.plugin.map { $0 == recovery.plugin } ?? true
                    && recovery.kinds.contains { filter.includes($0) }
            }
    }

    func isMissing(_ plugin: PluginIdentifier) -> Bool { missing.contains(plugin) }

    /// Removes and returns the plugins to read next. Plugins that an event waits for, and after `retry` those whose
    /// read failed, come first and are always included. Other plugins follow while fewer than `most` reads are in
    /// progress.
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

    /// Holds an event until the plugin is loaded. The result of `next` then includes the plugin, unless its read is in
    /// progress.
    mutating func park(_ event: ParkedEvent, until plugin: PluginIdentifier) {
        parked[plugin, default: []].append(event)
        if !loading.contains(plugin) { wanted.append(plugin) }
    }

    mutating func parkForAll(_ event: ParkedEvent) { parkedForAll.append(event) }

    /// Marks a plugin as loaded.
    ///
    /// - Returns: the launches of the plugin that the previous host left running, and the events that waited for the
    ///   plugin.
    mutating func finish(
        _ plugin: PluginIdentifier
    ) -> (left: [LedgerSnapshot.UnfinishedLaunch], events: [ParkedEvent]) {
        missing.remove(plugin)
        loading.remove(plugin)
        return (left.removeValue(forKey: plugin) ?? [], parked.removeValue(forKey: plugin) ?? [])
    }

    mutating func beginRecovery(of launch: LaunchNumber, _ plugin: PluginIdentifier, requeueing kinds: Set<TaskKind>) {
        recovering[launch] = Recovery(plugin: plugin, kinds: kinds)
    }

    mutating func endRecovery(of launch: LaunchNumber) { recovering[launch] = nil }

    /// Marks the read of a plugin as failed. The next call of `retry` queues the plugin again.
    mutating func fail(_ plugin: PluginIdentifier) {
        loading.remove(plugin)
        if missing.contains(plugin) { failed.append(plugin) }
    }

    /// Queues all plugins whose read failed for another read.
    mutating func retry() {
        wanted += failed
        failed = []
    }

    mutating func takeParkedForAll() -> [ParkedEvent] {
        defer { parkedForAll = [] }
        return parkedForAll
    }

    /// Removes and returns all waiting events. Called when the host stops.
    mutating func takeAllParked() -> [ParkedEvent] {
        defer { parked = [:] }
        return parked.keys.sorted().flatMap { parked[$0] ?? [] } + takeParkedForAll()
    }
}
