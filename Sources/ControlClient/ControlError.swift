// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import ControlAPI

/// Why a call of the host did not give what was asked.
package enum ControlError: Error, Hashable, Sendable {
    /// Nobody answers at the socket, or the answer broke off.
    case unreachable(socket: String, cause: ConnectionFailure)
    /// The journal was followed until the host ended it, or, where it is not in order, until the connection was lost.
    case journalEnded(socket: String, isInOrder: Bool)
    /// The host answered, and the answer is no.
    case refused(status: Int, ErrorReply)
    /// Something answered that does not speak this API, or speaks a newer one.
    case misunderstood(socket: String, detail: String)
}

extension ControlError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unreachable(let socket, let cause): "no host answers at \(socket): \(cause)"
        case .journalEnded(let socket, isInOrder: true): "the host at \(socket) is stopping and has ended the journal"
        case .journalEnded(let socket, isInOrder: false): "the connection to the host at \(socket) is lost"
        case .refused(_, let reply): "\(reply.error.code) (\(reply.error.subReason)): \(reply.error.message)"
        case .misunderstood(let socket, let detail): "the answer at \(socket) does not follow this API: \(detail)"
        }
    }
}
