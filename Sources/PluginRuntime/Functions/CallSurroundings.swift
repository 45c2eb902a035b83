// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import Synchronization

/// What a call is given of its launch and of its task.
struct CallSurroundings: Sendable {
    let flag: CancelFlag
    /// Nil for a task that is not open any more.
    let payload: TaskPayload?
    let container: String
    let settings: [String: String]
    /// Nil without a fixed budget.
    let remaining: Duration?
}

/// Where a task's payload stands, until the task is completed.
// Read alone, by the function that the task was handed to.
struct TaskPayload: @unchecked Sendable {
    private let start: UnsafeRawPointer?
    private let count: Int

    init(_ task: bgt_task_info) {
        start = task.payload.map { UnsafeRawPointer($0) }
        count = Int(clamping: task.payload_length)
    }

    var bytes: [UInt8] { start.map { Array(UnsafeRawBufferPointer(start: $0, count: count)) } ?? [] }
}

/// A number in memory that becomes 1 when a task is to stop. Never freed: a function may have handed its address to a
/// thread of its own.
// The one access from both sides is atomic here and a plain load there, of a number that changes once.
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
