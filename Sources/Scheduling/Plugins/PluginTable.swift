// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The plugins that the scheduler knows, found by name and listed in the order of their names.
///
/// The subscript takes for granted that the plugin is known: a missing one traps in debug builds, and a change to it is
/// lost in release builds.
struct PluginTable: Sendable {
    /// The first is nobody's: what is asked of a missing plugin is asked of it.
    private var states: ContiguousArray = [PluginState(identifier: .none, policy: PluginPolicy())]
    private var indices: [PluginIdentifier: Int] = [:]
    private var free: [Int] = []
    private var names: [PluginIdentifier] = []

    var count: Int { names.count }

    func contains(_ plugin: PluginIdentifier) -> Bool { indices[plugin] != nil }

    /// A copy; nil for a plugin that is not known. Changing it changes nothing here.
    func find(_ plugin: PluginIdentifier) -> PluginState? { indices[plugin].map { states[$0] } }

    subscript(plugin: PluginIdentifier) -> PluginState {
        get { states[index(of: plugin)] }
        _modify { yield &states[index(of: plugin)] }
    }

    private func index(of plugin: PluginIdentifier) -> Int {
        if let index = indices[plugin] { return index }
        assertionFailure("plugin \(plugin) is not known")
        return 0
    }

    /// Adds a plugin unless it is known.
    ///
    /// - Returns: whether it is new.
    @discardableResult
    mutating func add(_ plugin: PluginIdentifier, policy: @autoclosure () -> PluginPolicy) -> Bool {
        if indices[plugin] != nil { return false }
        let state = PluginState(identifier: plugin, policy: policy())
        if let index = free.popLast() {
            states[index] = state
            indices[plugin] = index
        } else {
            indices[plugin] = states.count
            states.append(state)
        }
        names.insert(plugin, at: place(after: plugin))
        return true
    }

    mutating func remove(_ plugin: PluginIdentifier) {
        guard let index = indices.removeValue(forKey: plugin) else { return }
        states[index] = PluginState(identifier: plugin, policy: PluginPolicy())
        free.append(index)
        names.remove(at: place(after: plugin) - 1)
    }

    /// The names behind one, in order; all of them behind nil.
    func names(after plugin: PluginIdentifier? = nil) -> ArraySlice<PluginIdentifier> {
        names[(plugin.map(place(after:)) ?? 0)...]
    }

    private func place(after plugin: PluginIdentifier) -> Int {
        if let last = names.last, last <= plugin { return names.count }
        var (low, high) = (0, names.count)
        while low < high {
            let middle = (low + high) / 2
            if names[middle] <= plugin { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
