// Part of bgtask, under the Apache License 2.0; see LICENSE.

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
/// the process ends.
// Unchecked: written once in init, and freed at most once, by the caller that removes it from the launch's state.
struct TaskMemory: @unchecked Sendable {
    let identifier: UnsafePointer<CChar>
    let payload: UnsafePointer<UInt8>?
    let payloadCount: Int
    let title: UnsafePointer<CChar>?
    let subtitle: UnsafePointer<CChar>?

    /// Copies the strings and the payload of a task.
    ///
    /// - Parameter plugin: identifier to use for an event.
    init(_ task: RunnerPlan.Task, of plugin: PluginIdentifier) {
        identifier = UnsafePointer((task.kind == .event ? plugin.text : task.identifier).stored())
        payload = task.payload.stored().map { UnsafePointer($0) }
        payloadCount = task.payload.count
        title = task.continued.map { UnsafePointer($0.title.stored()) }
        subtitle = task.continued?.subtitle.map { UnsafePointer($0.stored()) }
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
    fileprivate func stored() -> UnsafeMutablePointer<CChar> {
        let bytes = utf8CString
        let memory = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        for (index, byte) in bytes.enumerated() { (memory + index).initialize(to: byte) }
        return memory
    }
}

extension Array {
    fileprivate func stored() -> UnsafeMutablePointer<Element>? {
        if isEmpty { return nil }
        let memory = UnsafeMutableBufferPointer<Element>.allocate(capacity: count)
        _ = memory.initialize(from: self)
        return memory.baseAddress
    }
}
