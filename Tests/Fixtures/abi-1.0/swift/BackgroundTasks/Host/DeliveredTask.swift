// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import Foundation

/// A task that the host has delivered, with a copy of its information.
struct DeliveredTask: Sendable {
    let id: bgt_task
    let host: Host
    let identifier: String
    let attempt: Int
    let submission: UInt64
    /// Number of the item of a fleet's queue; 0 for a task that is not of a fleet. The same holds for `fence`.
    let fleetItem: Int64
    let fence: Int64
    let payload: Data?
    let title: String
    let subtitle: String
    private let kind: UInt32
    private let event: UInt32

    /// Copies the information of a task; nil when the task is already over.
    init?(_ id: bgt_task, _ host: Host) {
        var information = bgt_task_info()
        guard bgt_get_task_info(host.table, id, &information) == BGT_OK, let identifier = information.identifier else {
            return nil
        }
        self.id = id
        self.host = host
        self.identifier = String(cString: identifier)
        attempt = Int(information.attempt)
        submission = information.submission
        fleetItem = information.fleet_item
        fence = information.fence
        payload = information.payload.map { Data(bytes: $0, count: Int(clamping: information.payload_length)) }
        title = information.title.map { String(cString: $0) } ?? ""
        subtitle = information.subtitle.map { String(cString: $0) } ?? ""
        kind = information.kind
        event = information.event
    }

    /// Creates the task object for the kind; nil for a kind of a newer host that this module does not define.
    func task() -> BGTask? {
        switch kind {
        case BGT_KIND_REFRESH: BGAppRefreshTask(self)
        case BGT_KIND_PROCESSING: BGProcessingTask(self)
        case BGT_KIND_HEALTH_RESEARCH: BGHealthResearchTask(self)
        case BGT_KIND_CONTINUED: BGContinuedProcessingTask(self)
        case BGT_KIND_EVENT: BackgroundEvent(self, BackgroundEvent.Kind(rawValue: event) ?? .unknown)
        default: nil
        }
    }

    /// Reason of the expiration; nil before the expiration and after the completion.
    var expirationReason: BGTask.ExpirationReason? {
        var information = bgt_task_info()
        guard bgt_get_task_info(host.table, id, &information) == BGT_OK, information.expiration_reason != 0 else {
            return nil
        }
        return BGTask.ExpirationReason(rawValue: information.expiration_reason) ?? .unknown
    }

    var isExpiring: Bool { bgt_is_expiring(host.table, id) != 0 }

    func complete(_ outcome: BGTask.Outcome, _ message: String? = nil) {
        _ = bgt_complete_with_message(host.table, id, outcome.rawValue, message)
    }

    /// Reports progress. The host coalesces reports: the newest one replaces recent ones that were not sent yet.
    func report(_ completed: Int64, of total: Int64) { _ = bgt_set_progress(host.table, id, completed, total) }

    func setTitle(_ title: String, _ subtitle: String) {
        let subtitle = HostText.title(subtitle)
        _ = bgt_set_title(host.table, id, HostText.title(title), subtitle.isEmpty ? nil : subtitle)
    }

    /// Sets the task object whose `expire` is called when this delivered task expires; nil removes the object.
    func listen(_ task: BGTask?) {
        guard let task else {
            _ = bgt_set_expiration_handler(host.table, id, nil, nil)
            return
        }
        _ = bgt_set_expiration_handler_with_release(
            host.table,
            id,
            { context, _, _, reason in
                guard let context else { return }
                let reason = BGTask.ExpirationReason(rawValue: reason) ?? .unknown
                Unmanaged<BGTask>.fromOpaque(context).takeUnretainedValue().expire(reason)
            },
            // The host owns this reference until it calls release, also when this call fails.
            Unmanaged.passRetained(task).toOpaque(),
            { context in
                if let context { Unmanaged<BGTask>.fromOpaque(context).release() }
            }
        )
    }
}
