// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import CTransferHost
import RunnerWire
import Synchronization
import TaskModel

// Launches of the lane `transfer`, which load the host's transfer library under the rights of the plugin. Each task goes
// to the one handler of the library.
extension RunnerLaunch {
    /// The end of one try of a transfer, as the library reports it just before the completion of the task.
    func transferEnded(_ task: TaskID, _ end: UnsafePointer<bgt_transfer_end>?) -> Int32 {
        if let status = bar("ended") { return status }
        guard let end, let report = TransferEnd(end.pointee) else { return BGT_INVALID }
        return state.withLock { state in
            switch state.tasks.presence(of: task) {
            case .unknown: return BGT_NO_SUCH_TASK
            case .completed: return BGT_ALREADY_COMPLETED
            // Sent under the lock: the report precedes the completion.
            case .open: return channel.send(.transferEnded(task, report)) ? BGT_OK : BGT_ENDED
            }
        }
    }
}

extension TransferEnd {
    /// The report of the library; nil when a number is out of range.
    fileprivate init?(_ end: bgt_transfer_end) {
        guard end.size >= MemoryLayout<bgt_transfer_end>.size, let result = Result(rawValue: end.result),
            (result == .finished) == (end.fault == 0), end.fault == 0 || TransferFault(rawValue: end.fault) != nil,
            let message = end.message, (-1...86_400).contains(end.retry_after_s)
        else { return nil }
        self.init(
            result: result,
            fault: TransferFault(rawValue: end.fault),
            httpStatus: end.http_status == 0 ? nil : Int(end.http_status),
            retryAfter: end.retry_after_s < 0 ? nil : .seconds(end.retry_after_s),
            bytes: end.bytes,
            total: end.total == .max ? nil : end.total,
            sourceChanges: Int(end.source_changes),
            restarts: Int(end.restarts),
            message: ForeignText.readRepaired(message, limit: Self.longestMessage)
        )
    }
}

extension RunnerPlan {
    /// The identifiers whose handlers the library of this launch may register.
    var registrable: [PermittedIdentifier] {
        lane == .transfer ? [PermittedIdentifier(BGT_TRANSFER_HANDLER)].compactMap(\.self) : permitted
    }
}

extension RunnerPlan.Task {
    /// Whether the task reports progress, and expires when its progress stands still.
    var hasProgress: Bool { kind == .continued || kind == .transfer }

    /// The identifier whose handler receives the task; nil for an event.
    var handlerName: TaskIdentifier? { TaskIdentifier(kind == .transfer ? BGT_TRANSFER_HANDLER : identifier) }
}
