// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import RunnerWire
import Synchronization
import TaskModel

// The content of notifications: the feature `bgtask.notification/1`.
extension RunnerLaunch {
    /// Sends the content of the notification of an alert to the host, which reads the JSON.
    func setNotificationContent(
        of task: TaskID,
        _ json: UnsafePointer<CChar>?,
        _ length: UInt64
    ) throws(CallProblem) {
        try permit("set_content")
        let limit = UInt64(BGTASK_NOTIFICATION_MAX)
        guard let json, length > 0, length <= limit else {
            let problem = json == nil ? "json: NULL" : "length: \(length) bytes"
            throw CallProblem(
                status: BGT_INVALID,
                message: "set_content: \(problem); pass a JSON object of 1 to \(limit) bytes"
            )
        }
        let bytes = json.withMemoryRebound(to: UInt8.self, capacity: Int(length)) {
            Array(UnsafeBufferPointer(start: $0, count: Int(length)))
        }
        // Sent under the lock: the content is before the completion of its task, or refused.
        let status = state.withLock { state -> Int32 in
            let status = state.status(ofContentOf: task)
            if status == BGT_OK { channel.send(.notificationContent(task, bytes)) }
            return status
        }
        if status != BGT_OK { throw CallProblem(status: status, message: Self.contentMessage(status, of: task)) }
    }

    private static func contentMessage(_ status: Int32, of task: TaskID) -> String {
        switch status {
        case BGT_NO_SUCH_TASK:
            "set_content: task \(task) was not delivered to this launch; pass the task of the event"
        case BGT_ALREADY_COMPLETED:
            "set_content: task \(task) is completed; set the content before the completion"
        default:
            "set_content: task \(task) is no alert push, and has no notification; call it for events with the type"
                + " BGT_EVENT_NOTIFICATION"
        }
    }
}

extension RunnerLaunch.State {
    fileprivate func status(ofContentOf task: TaskID) -> Int32 {
        switch tasks.presence(of: task) {
        case .unknown: BGT_NO_SUCH_TASK
        case .completed: BGT_ALREADY_COMPLETED
        case .open: open[task]?.information.event == BGT_EVENT_NOTIFICATION ? BGT_OK : BGT_WRONG_KIND
        }
    }
}
