// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The scheduler's states of plugins, indexed and ordered by identifier.
///
/// The subscript requires a plugin that was added before. An unknown plugin traps in debug builds; in release builds
/// the access reaches the state that stands in for it.
struct PluginTable: Sendable {
    /// The states. The first one belongs to no plugin, and stands in for an unknown plugin.
    private var boxes: ContiguousArray = [Box(PluginState(identifier: .none, policy: PluginPolicy()))]
    private var indices: [PluginIdentifier: Int] = [:]
    private var free: [Int] = []
    private var names: [PluginIdentifier] = []

    /// The storage of one plugin's state, for copy on write: copies of the table share the storage until one of them
    /// changes the state.
    private final class Box: @unchecked Sendable {
        let state: UnsafeMutablePointer<PluginState>

        init(_ value: PluginState) {
            state = .allocate(capacity: 1)
            state.initialize(to: value)
        }

        deinit {
            state.deinitialize(count: 1)
            state.deallocate()
        }
    }

    var count: Int { names.count }

    func contains(_ plugin: PluginIdentifier) -> Bool { indices[plugin] != nil }

    /// Reads and changes the state in place. A copy would retain and release all tables of the state, and Swift 6.3.1
    /// miscompiles a coroutine (`_read`) in debug builds. The address is valid for one access, which holds the table.
    subscript(plugin: PluginIdentifier) -> PluginState {
        unsafeAddress { UnsafePointer(boxes[index(of: plugin)].state) }
        unsafeMutableAddress {
            let index = index(of: plugin)
            if !isKnownUniquelyReferenced(&boxes[index]) { boxes[index] = Box(boxes[index].state.pointee) }
            return boxes[index].state
        }
    }

    /// Reads several fields of a state with one search for the plugin. The address is valid for the call.
    func read<Result>(_ plugin: PluginIdentifier, _ body: (UnsafePointer<PluginState>) -> Result) -> Result {
        let box = boxes[index(of: plugin)]
        return withExtendedLifetime(box) { body(UnsafePointer(box.state)) }
    }

    private func index(of plugin: PluginIdentifier) -> Int {
        if let index = indices[plugin] { return index }
        assertionFailure("plugin \(plugin) is not known")
        return 0
    }

    /// Adds a plugin, unless the table contains it.
    ///
    /// - Returns: whether the plugin was added.
    @discardableResult
    mutating func add(_ plugin: PluginIdentifier, policy: @autoclosure () -> PluginPolicy) -> Bool {
        if indices[plugin] != nil { return false }
        let state = PluginState(identifier: plugin, policy: policy())
        if let index = free.popLast() {
            boxes[index] = Box(state)
            indices[plugin] = index
        } else {
            indices[plugin] = boxes.count
            boxes.append(Box(state))
        }
        names.insert(plugin, at: place(after: plugin))
        return true
    }

    mutating func remove(_ plugin: PluginIdentifier) {
        guard let index = indices.removeValue(forKey: plugin) else { return }
        boxes[index] = boxes[0]
        free.append(index)
        names.remove(at: place(after: plugin) - 1)
    }

    /// The identifiers in the table after `plugin`, in order; all identifiers when `plugin` is nil.
    func names(after plugin: PluginIdentifier? = nil) -> ArraySlice<PluginIdentifier> {
        names[(plugin.map(place(after:)) ?? 0)...]
    }

    private func place(after plugin: PluginIdentifier) -> Int {
        if let last = names.last, last <= plugin { return names.count }
        return names.partitionIndex { $0 > plugin }
    }
}
