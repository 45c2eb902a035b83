// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import Synchronization

/// Values of the launch and the task from which the arguments of a call are made.
struct CallContext: Sendable {
    let flag: CancelFlag
    /// The payload of the task; nil when the task is no longer open.
    let payload: TaskPayload?
    let container: String
    let settings: [String: String]
    /// Remaining time of the launch at the call; nil without a fixed budget.
    let remaining: Duration?
}

/// Address and size of a task's payload, valid until the task is completed.
// Unchecked: only the function that received the task reads it.
struct TaskPayload: @unchecked Sendable {
    private let start: UnsafeRawPointer?
    private let count: Int

    init(_ task: bgt_task_info) {
        start = task.payload.map { UnsafeRawPointer($0) }
        count = Int(clamping: task.payload_length)
    }

    var bytes: [UInt8] { start.map { Array(UnsafeRawBufferPointer(start: $0, count: count)) } ?? [] }
}

/// A number in memory that becomes 1 when a task expires. The memory is never freed: a function may have passed its
/// address to a thread of its own.
// Unchecked: the store is atomic here, and the function reads with a plain load. The number changes once.
struct CancelFlag: @unchecked Sendable {
    let address: UnsafeMutableRawPointer

    init() {
        let memory = UnsafeMutablePointer<Atomic<Int32>>.allocate(capacity: 1)
        memory.initialize(to: Atomic(0))
        address = UnsafeMutableRawPointer(memory)
    }

    fileprivate init(at address: UnsafeMutableRawPointer) { self.address = address }

    var handler: Callback<bgt_expiration_handler> { Callback(raiseCancelFlag, context: address, release: nil) }

    func raise() {
        address.assumingMemoryBound(to: Atomic<Int32>.self).pointee.store(1, ordering: .releasing)
    }
}

private func raiseCancelFlag(
    _ context: UnsafeMutableRawPointer?,
    _ host: UnsafePointer<bgt_host>,
    _ task: bgt_task,
    _ reason: UInt32
) {
    if let context { CancelFlag(at: context).raise() }
}
