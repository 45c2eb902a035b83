// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Why a call of the host did not give what was asked.
package enum ControlError: Error, Hashable, Sendable {
    /// Nobody answers at the socket, or the answer broke off.
    case unreachable(socket: String, cause: String)
    /// The host answered, and the answer is no.
    case refused(status: Int, ErrorReply)
    /// Something answered that does not speak this API, or speaks a newer one.
    case misunderstood(socket: String, detail: String)
}

extension ControlError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unreachable(let socket, let cause): "no host answers at \(socket): \(cause)"
        case .refused(_, let reply): "\(reply.error.code) (\(reply.error.subReason)): \(reply.error.message)"
        case .misunderstood(let socket, let detail): "the answer at \(socket) is not this API's: \(detail)"
        }
    }
}
