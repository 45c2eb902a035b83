// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import RunnerWire
import TaskModel

/// The strings of a launch that a plugin may hold by address until the process ends.
// Unchecked: written once in init, never changed and never freed.
struct LaunchMemory: @unchecked Sendable {
    let plugin: UnsafePointer<CChar>
    /// Identifiers of the batch's tasks, without events; nil when there are none.
    let identifiers: UnsafePointer<UnsafePointer<CChar>>?
    let identifierCount: Int
    let hostName: UnsafePointer<CChar>
    let hostVersion: UnsafePointer<CChar>

    init(_ plan: RunnerPlan) {
        plugin = UnsafePointer(plan.plugin.text.stored())
        let identifiers = plan.tasks.filter { $0.kind != .event }.map { UnsafePointer($0.identifier.stored()) }
        self.identifiers = identifiers.stored().map { UnsafePointer($0) }
        identifierCount = identifiers.count
        hostName = UnsafePointer("bgtask".stored())
        hostVersion = UnsafePointer(plan.hostVersion.stored())
    }
}

/// The strings and payload of one task. They are kept until the task is completed; those of a task of the batch, until
/// the process ends. Guarded memory has pages of its own, which are closed in place of being freed.
// Unchecked: written once in init, and freed or closed at most once, by the caller that removes it from the launch's
// state.
struct TaskMemory: @unchecked Sendable {
    let identifier: UnsafePointer<CChar>
    let payload: UnsafePointer<UInt8>?
    let payloadCount: Int
    let title: UnsafePointer<CChar>?
    let subtitle: UnsafePointer<CChar>?
    let isGuarded: Bool

    /// Copies the strings and the payload of a task.
    ///
    /// - Parameters:
    ///   - plugin: the plugin of the launch. Its identifier is the identifier of an event.
    ///   - isGuarded: whether the copies have pages of their own, which `close` makes inaccessible.
    init(_ task: RunnerPlan.Task, of plugin: PluginIdentifier, isGuarded: Bool = false) {
        self.isGuarded = isGuarded
        identifier = UnsafePointer((task.kind == .event ? plugin.text : task.identifier).stored(isGuarded))
        payload = task.payload.stored(isGuarded).map { UnsafePointer($0) }
        payloadCount = task.payload.count
        title = task.continued.map { UnsafePointer($0.title.stored(isGuarded)) }
        subtitle = task.continued?.subtitle.map { UnsafePointer($0.stored(isGuarded)) }
    }

    /// Makes guarded memory inaccessible until the process ends: a plugin that still reads it crashes.
    func close() {
        for text in [identifier, title, subtitle].compactMap(\.self) {
            mprotect(UnsafeMutableRawPointer(mutating: text), strlen(text) + 1, PROT_NONE)
        }
        if let payload { mprotect(UnsafeMutableRawPointer(mutating: payload), payloadCount, PROT_NONE) }
    }

    func free() {
        identifier.deallocate()
        payload?.deallocate()
        title?.deallocate()
        subtitle?.deallocate()
    }
}

/// The strings of a pending request while a visitor receives it.
struct RequestMemory {
    let identifier: UnsafePointer<CChar>
    let title: UnsafePointer<CChar>?
    let subtitle: UnsafePointer<CChar>?

    init(_ request: TaskRequest) {
        identifier = UnsafePointer(request.identifier.text.stored())
        title = request.continued.map { UnsafePointer($0.title.stored()) }
        subtitle = request.continued?.subtitle.map { UnsafePointer($0.stored()) }
    }

    func free() {
        identifier.deallocate()
        title?.deallocate()
        subtitle?.deallocate()
    }
}

extension String {
    func stored(_ isGuarded: Bool = false) -> UnsafeMutablePointer<CChar> {
        let bytes = utf8CString
        let memory = newMemory(of: CChar.self, bytes.count, isGuarded)
        for (index, byte) in bytes.enumerated() { (memory + index).initialize(to: byte) }
        return memory
    }
}

extension Array {
    fileprivate func stored(_ isGuarded: Bool = false) -> UnsafeMutablePointer<Element>? {
        if isEmpty { return nil }
        let memory = newMemory(of: Element.self, count, isGuarded)
        memory.initialize(from: self, count: count)
        return memory
    }
}

/// Uninitialized memory for `count` elements: on the heap; for guarded memory, pages of its own outside of the heap.
private func newMemory<Element>(of type: Element.Type, _ count: Int, _ isGuarded: Bool) -> UnsafeMutablePointer<Element>
{
    guard isGuarded else { return .allocate(capacity: count) }
    let size = count * MemoryLayout<Element>.stride
    let pages = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let pages, pages != MAP_FAILED else { RunnerExit.end(without: .memory) }
    return pages.bindMemory(to: type, capacity: count)
}
