// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
package import ControlClient
package import TaskModel

/// The result of a push at the host, as far as a sender needs it.
package enum PushVerdict: Hashable, Sendable {
    case accepted
    /// The host never issued the device token, or forgot that it ended.
    case tokenUnknown
    /// The device token belongs to another plugin.
    case tokenOfAnotherPlugin
    case tokenEnded(at: WallTime)
    /// The plugin receives no pushes: its manifest or the operator does not permit them.
    case notPermitted
    case payloadTooLarge
    /// The host accepts no further alert to the plugin for a moment.
    case tooManyAlerts
    /// The sender may try again: the host does not run, cannot record, or the plugin is being replaced.
    case unavailable
    /// The gateway may not call the host, or does not understand its answer.
    case failed
}

// The one table from the answers of the host to the answers of the gateway.
extension PushVerdict {
    package init(_ error: ControlError) {
        switch error {
        case .unreachable: self = .unavailable
        case .streamEnded, .misunderstood: self = .failed
        case .refused(_, let reply):
            self.init(subReason: reply.error.subReason, tokenEndedAt: reply.error.endedAt?.wall)
        }
    }

    private init(subReason: String, tokenEndedAt end: WallTime?) {
        switch subReason {
        case "push-token-unknown": self = .tokenUnknown
        case "push-token-ended": self = end.map { .tokenEnded(at: $0) } ?? .tokenUnknown
        case "push-token-of-another-plugin": self = .tokenOfAnotherPlugin
        case "mode-remote-notification-missing", "plugin-disabled", "background-denied", "identifier-not-permitted":
            self = .notPermitted
        case "payload-too-large", "body-too-large": self = .payloadTooLarge
        case "alert-limit": self = .tooManyAlerts
        // A plugin whose manifest is missing during an upgrade keeps its device token.
        case "no-such-plugin", "plugin-missing": self = .unavailable
        case "event-limit", "not-recorded", "host-stopping", "too-many-connections", "ledger-unreadable":
            self = .unavailable
        default: self = .failed
        }
    }

    /// The answer by Apple's protocol.
    package var apns: APNsAnswer {
        switch self {
        case .accepted: .accepted
        case .tokenUnknown: .refused(.badDeviceToken)
        case .tokenOfAnotherPlugin: .refused(.deviceTokenNotForTopic)
        case .tokenEnded(let time): .unregistered(since: time)
        case .notPermitted: .refused(.topicDisallowed)
        case .payloadTooLarge: .refused(.payloadTooLarge)
        case .tooManyAlerts: .refused(.tooManyRequests)
        case .unavailable: .refused(.serviceUnavailable)
        case .failed: .refused(.internalServerError)
        }
    }

    /// The HTTP status for a sender of a webhook, which has no device token.
    package var webhookStatus: Int {
        switch self {
        case .accepted: 201
        case .notPermitted: 403
        case .payloadTooLarge: 413
        case .tooManyAlerts: 429
        case .unavailable: 503
        case .failed, .tokenUnknown, .tokenOfAnotherPlugin, .tokenEnded: 500
        }
    }
}
