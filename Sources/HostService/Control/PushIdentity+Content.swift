// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Crypto
import FoundationEssentials
import TaskModel

extension PushSender {
    /// The sender of a push: the user of the call, and the sender that the call names.
    init(of push: PluginPush.Valid, from user: UInt32?) {
        self.init(user: user, name: Array(SHA256.hash(data: Array(push.sender.utf8))))
    }
}

extension PushIdentity {
    /// The identity of a push; nil when it has no identifier.
    ///
    /// Senders choose identifiers. User and sender belong to the identity, so that a push of one sender does not get the
    /// answer of another's, and the content does, because some senders use an identifier for several messages. The
    /// deadline does not: clients compute it for each attempt. The device token does not either: the host compares it at
    /// each attempt.
    init?(of push: PluginPush.Valid, from user: UInt32?) {
        guard let id = push.id else { return nil }
        var hash = SHA256()
        hash.update(data: Array("\(id.uuidString) ".utf8))
        hash.update(data: Array("\(push.priority.rawValue) \(push.isOnlyNow) ".utf8))
        if let alert = push.alert {
            // The JSON has no texts without an end, so that two contents do not have the same bytes.
            hash.update(data: Array("alert \(alert.isMutable) \(alert.topic?.text.utf8.count ?? 0) ".utf8))
            hash.update(data: Array((alert.topic?.text ?? "").utf8))
            hash.update(data: NotificationJSON.payload(of: alert.content, isMutable: alert.isMutable))
        }
        hash.update(data: push.payload)
        self.init(sender: PushSender(of: push, from: user), digest: Array(hash.finalize()))
    }
}
