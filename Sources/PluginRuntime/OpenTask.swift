// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import RunnerWire
import TaskModel

/// A task that is not completed, with the information that `task_info` returns.
// Unchecked: the addresses point into `memory`; they are handed to callers and never dereferenced here.
struct OpenTask: @unchecked Sendable {
    let kind: TaskKind
    /// The information that `task_info` returns, without the reason of an expiration.
    let information: bgt_task_info
    private let memory: TaskMemory
    private let isOfBatch: Bool

    /// Copies the information about a task.
    ///
    /// - Parameters:
    ///   - isOfBatch: whether the task belongs to the batch with which the launch began.
    ///   - isGuarded: whether the memory becomes inaccessible when it is freed.
    init(_ task: RunnerPlan.Task, of plugin: PluginIdentifier, isOfBatch: Bool, isGuarded: Bool = false) {
        let memory = TaskMemory(task, of: plugin, isGuarded: isGuarded)
        var information = bgt_task_info()
        information.kind = task.kind.rawValue
        information.event = task.event?.rawValue ?? 0
        information.attempt = UInt32(clamping: task.attempts).addingReportingOverflow(1).partialValue
        information.identifier = memory.identifier
        information.payload = memory.payload
        information.payload_length = UInt64(memory.payloadCount)
        information.submission = UInt64(bitPattern: task.submission.rawValue)
        information.flags = RequestFlags.word(task)
        information.title = memory.title
        information.subtitle = memory.subtitle
        information.fleet_item = task.claim?.item ?? 0
        information.fence = task.claim?.fence ?? 0
        kind = task.kind
        self.information = information
        self.memory = memory
        self.isOfBatch = isOfBatch
    }

    /// Frees the memory of a completed task, unless the task belongs to the batch. A batch is small and ends with the
    /// launch, so its memory is kept and a plugin may safely read it after completion. Later tasks are unbounded in
    /// number. Guarded memory becomes inaccessible, also that of the batch.
    func free() {
        if memory.isGuarded { memory.close() } else if !isOfBatch { memory.free() }
    }
}

/// Encoding of a request's conditions and protection as `bgt_request.flags`.
enum RequestFlags {
    static func word(_ task: RunnerPlan.Task) -> UInt32 {
        word(network: task.requiresNetwork, externalPower: task.requiresExternalPower, task.protection)
    }

    static func word(_ request: TaskRequest) -> UInt32 {
        word(network: request.requiresNetwork, externalPower: request.requiresExternalPower, request.protection)
    }

    private static func word(network: Bool, externalPower: Bool, _ protection: ProtectionType) -> UInt32 {
        (network ? BGT_NEEDS_NETWORK : 0) | (externalPower ? BGT_NEEDS_EXTERNAL_POWER : 0)
            | protection.rawValue << ProtectionType.flagShift
    }
}

extension ProtectionType {
    /// Bit position of the protection type in `bgt_request.flags`.
    static let flagShift = BGTASK_PROTECTION_MASK.trailingZeroBitCount
}
