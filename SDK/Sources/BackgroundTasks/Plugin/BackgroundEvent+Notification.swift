// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import Foundation

// The notification of an alert push, which a notification service extension may change.
extension BackgroundEvent {
    /// Sets the content of the notification. The host shows it when the event is completed as successful; the last
    /// content before the completion counts. Without one, after a failure and after 30 seconds it shows the original.
    ///
    /// - Parameters:
    ///   - title: the first line.
    ///   - subtitle: the second line; nil for none.
    ///   - body: the text; nil for none.
    /// - Throws: ``BGTaskScheduler/Error`` for an event of another kind, after its completion, for more than 4,096
    ///   bytes as JSON, and on a host without notification service extensions.
    public func setNotificationContent(title: String, subtitle: String? = nil, body: String? = nil) throws {
        guard let notifications = delivered.host.notifications else {
            throw BGTaskScheduler.Error(
                .unavailable,
                subReason: .notOffered,
                text: "this host has no notification service extensions; upgrade bgtaskd"
            )
        }
        let content = [("title", title), ("subtitle", subtitle), ("body", body)]
        let texts = Dictionary(uniqueKeysWithValues: content.compactMap { name, text in text.map { (name, $0) } })
        let json = try JSONEncoder().encode(texts)
        let answer = Host.Answer { refusal in
            json.withUnsafeBytes { bytes in
                let text = bytes.bindMemory(to: CChar.self).baseAddress
                return text.map {
                    notifications.pointee.set_content(
                        delivered.host.table,
                        delivered.id,
                        $0,
                        UInt64(bytes.count),
                        refusal
                    )
                } ?? BGT_INVALID
            }
        }
        if answer.status != .ok { throw BGTaskScheduler.Error(answer) }
    }
}

extension Host {
    /// The functions of the feature for notifications; nil on a host without it. Valid until the process ends.
    fileprivate var notifications: UnsafePointer<bgt_notifications>? {
        bgt_query(table, BGTASK_NOTIFICATION)?.assumingMemoryBound(to: bgt_notifications.self)
    }
}
