// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The answer to a push by Apple's protocol.
package enum APNsAnswer: Hashable, Sendable {
    case accepted
    case refused(APNsReason)
    /// The device token ended at the time.
    case unregistered(since: WallTime)

    /// The answer as HTTP. A success has no body, and an error has one line of JSON.
    ///
    /// - Parameter id: the value of `apns-id`, which every answer has.
    func http(id: String) -> GatewayAnswer {
        var fields = [GatewayRequest.Field("apns-id", id)]
        switch self {
        case .accepted: return GatewayAnswer(status: 200, fields: fields)
        case .refused(let reason):
            if reason.status == 429 || reason.status == 503 { fields.append(.init("retry-after", "1")) }
            return Self.error(reason, "{\"reason\":\"\(reason.rawValue)\"}", fields)
        case .unregistered(let time):
            let milliseconds = time.nanoseconds / 1_000_000
            let reason = APNsReason.unregistered
            return Self.error(reason, "{\"reason\":\"\(reason.rawValue)\",\"timestamp\":\(milliseconds)}", fields)
        }
    }

    private static func error(
        _ reason: APNsReason,
        _ json: String,
        _ fields: [GatewayRequest.Field]
    ) -> GatewayAnswer {
        let type = GatewayRequest.Field("content-type", "application/json")
        return GatewayAnswer(status: reason.status, fields: fields + [type], body: Array(json.utf8))
    }
}
