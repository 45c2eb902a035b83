// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import RunnerWire
import Synchronization
import TaskModel

extension Launch {
    func describe(_ task: TaskID, _ out: UnsafeMutablePointer<bgt_task_info>?) -> Int32 {
        if let status = bar("task_info") { return status }
        let reason: ExpirationReason?
        switch state.withLock({ $0.tasks.presence(of: task) }) {
        case .unknown: return BGT_NO_SUCH_TASK
        case .completed: return BGT_ALREADY_COMPLETED
        case .open(let expiring): reason = expiring
        }
        guard let planned = plan.tasks.first(where: { $0.id == task }), let stored = memory.task(task) else {
            return BGT_NO_SUCH_TASK
        }
        guard let out else { return BGT_INVALID }
        var information = bgt_task_info()
        information.kind = planned.kind.rawValue
        information.event = planned.event?.rawValue ?? 0
        information.attempt = UInt32(clamping: planned.attempts).addingReportingOverflow(1).partialValue
        information.identifier = stored.identifier
        information.payload = stored.payload
        information.payload_length = UInt64(planned.payload.count)
        information.submission = UInt64(bitPattern: planned.submission.rawValue)
        information.flags = flags(network: planned.requiresNetwork, externalPower: planned.requiresExternalPower)
        information.expiration_reason = reason?.rawValue ?? 0
        return ForeignStruct.fill(out, with: information) ? BGT_OK : BGT_INVALID
    }

    func flags(network: Bool, externalPower: Bool) -> UInt32 {
        (network ? BGT_NEEDS_NETWORK : 0) | (externalPower ? BGT_NEEDS_EXTERNAL_POWER : 0)
    }

    /// - Parameter handler: nil removes the one before.
    /// - Returns: the status; anything but `BGT_OK` leaves the handler to its giver.
    func setExpirationHandler(_ handler: ExpirationHandler?, of task: TaskID) -> Int32 {
        if let status = bar("set_expiration_handler") { return status }
        let change = state.withLock { state in
            let change = state.tasks.setHandler(handler, of: task)
            // Under the lock: two threads' changes reach the host in the order in which they took effect.
            if case .changed(_, let isSet?, _) = change { channel.send(.expirationHandler(task, isSet: isSet)) }
            return change
        }
        switch change {
        case .unknown: return BGT_NO_SUCH_TASK
        case .alreadyCompleted: return BGT_ALREADY_COMPLETED
        case .changed(let replaced, _, let mustCall):
            replaced?.release()
            if mustCall { startExpirationCall(of: task) }
            return BGT_OK
        }
    }

    func complete(_ task: TaskID, outcome: Int32) -> Int32 {
        if let status = bar("complete") { return status }
        let completion = state.withLock { state in
            let completion = state.tasks.complete(task, outcome: outcome, at: .now)
            if case .recorded(let outcome, _) = completion { channel.send(.completed(task, outcome)) }
            return completion
        }
        switch completion {
        case .recorded(_, let handler):
            handler?.release()
            return BGT_OK
        case .alreadyCompleted:
            violation(
                "BGT-ABI-09",
                "task \(task) was completed a second time, with outcome \(outcome); the first completion stands"
            )
            return BGT_ALREADY_COMPLETED
        case .unknown:
            violation(
                "BGT-ABI-08",
                "task \(task) was completed, which is none that was delivered to this launch (\(plan.launch));"
                    + " complete the task that the handler was given"
            )
            return BGT_NO_SUCH_TASK
        case .invalidOutcome: return BGT_INVALID
        case .tooLate: return BGT_ENDED
        }
    }

    func isExpiring(_ task: TaskID) -> Int32 {
        state.withLock { state in
            // Once the launch is over a loop that polls must end as well.
            if !state.hasEnded, case .open(nil) = state.tasks.presence(of: task) { 0 } else { 1 }
        }
    }
}
