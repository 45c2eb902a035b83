// Part of bgtask, under the Apache License 2.0; see LICENSE.

import RunnerWire
import TaskModel

/// The texts of a launch that a plugin may hold by address, as long as the ABI promises and longer.
// Written once in init, never changed and never freed: the process ends with the launch.
struct LaunchMemory: @unchecked Sendable {
    let plugin: UnsafePointer<CChar>
    /// Of the batch, events not included; nil when there are none.
    let identifiers: UnsafePointer<UnsafePointer<CChar>>?
    let identifierCount: Int

    init(_ plan: RunnerPlan) {
        plugin = UnsafePointer(plan.plugin.text.stored())
        let identifiers = plan.tasks.filter { $0.kind != .event }.map { UnsafePointer($0.identifier.stored()) }
        self.identifiers = identifiers.stored().map { UnsafePointer($0) }
        identifierCount = identifiers.count
    }
}

/// One task's texts and payload, for as long as the task is not completed.
// Written once in init; freed by whoever takes it out of the launch's state, which happens once.
struct TaskMemory: @unchecked Sendable {
    let identifier: UnsafePointer<CChar>
    let payload: UnsafePointer<UInt8>?
    let payloadCount: Int
    let title: UnsafePointer<CChar>?
    let subtitle: UnsafePointer<CChar>?

    /// - Parameter plugin: an event that nobody triggered is named after the plugin itself.
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
