// Part of bgtask, under the Apache License 2.0; see LICENSE.

import RunnerWire
import TaskModel

/// The texts and payloads that a plugin may hold by address, as long as the ABI promises and longer.
// Written once in init, never changed and never freed: the process ends with the launch.
struct LaunchMemory: @unchecked Sendable {
    struct Task {
        let identifier: UnsafePointer<CChar>
        let payload: UnsafePointer<UInt8>?
    }

    let plugin: UnsafePointer<CChar>
    /// Of the batch, events not included; nil when there are none.
    let identifiers: UnsafePointer<UnsafePointer<CChar>>?
    let identifierCount: Int
    private let tasks: [TaskID: Task]

    init(_ plan: RunnerPlan) {
        let plugin = Self.stored(plan.plugin.text)
        var tasks: [TaskID: Task] = [:]
        var identifiers: [UnsafePointer<CChar>] = []
        for task in plan.tasks {
            // An event that nobody triggered is named after the plugin itself.
            let identifier = task.kind == .event ? plugin : Self.stored(task.identifier)
            if task.kind != .event { identifiers.append(identifier) }
            tasks[task.id] = Task(identifier: identifier, payload: Self.stored(task.payload))
        }
        self.plugin = plugin
        self.tasks = tasks
        self.identifiers = Self.stored(identifiers)
        identifierCount = identifiers.count
    }

    func task(_ id: TaskID) -> Task? { tasks[id] }

    private static func stored(_ text: String) -> UnsafePointer<CChar> {
        let bytes = text.utf8CString
        let memory = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        for (index, byte) in bytes.enumerated() { (memory + index).initialize(to: byte) }
        return UnsafePointer(memory)
    }

    private static func stored<Element>(_ elements: [Element]) -> UnsafePointer<Element>? {
        if elements.isEmpty { return nil }
        let memory = UnsafeMutableBufferPointer<Element>.allocate(capacity: elements.count)
        _ = memory.initialize(from: elements)
        return memory.baseAddress.map { UnsafePointer($0) }
    }
}
