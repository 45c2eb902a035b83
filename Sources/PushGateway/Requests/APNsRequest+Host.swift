// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel

extension APNsRequest {
    /// The call of the host for the push. The host compares the device token in the same step.
    func forHost(body: [UInt8]) -> PluginPush {
        if let alert {
            return PluginPush(
                alert: alert.parsed.content,
                topic: alert.topic,
                isMutable: alert.parsed.isMutable,
                payload: body,
                token: token
            )
        }
        var expiresAt: WallTime?
        if case .at(let time) = expiration { expiresAt = time }
        return PluginPush(
            payload: body,
            expiresAt: expiresAt,
            priority: isLowPriority ? .low : .normal,
            token: token,
            onlyNow: expiration == .now
        )
    }
}
