// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import FoundationEssentials
import TaskModel

extension APNsRequest {
    /// The call of the host for the push. The host compares the device token in the same step, and finds repetitions by
    /// the identifier.
    func forHost(body: [UInt8]) -> PluginPush {
        if let alert {
            return PluginPush(
                alert: alert.parsed.content,
                topic: alert.topic,
                isMutable: alert.parsed.isMutable,
                payload: body,
                token: token,
                id: id.flatMap { UUID(uuidString: $0) }
            )
        }
        var expiresAt: WallTime?
        if case .at(let time) = expiration { expiresAt = time }
        return PluginPush(
            payload: body,
            expiresAt: expiresAt,
            priority: isLowPriority ? .low : .normal,
            token: token,
            onlyNow: expiration == .now,
            id: id.flatMap { UUID(uuidString: $0) }
        )
    }
}
