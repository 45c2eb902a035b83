// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import ControlAPI

/// The failure of a call to the host.
package enum ControlError: Error, Hashable, Sendable {
    /// No host answers at the socket, or the answer is incomplete or too large.
    case unreachable(socket: String, cause: ConnectionFailure)
    /// The stream of the journal or of a log has ended. `isInOrder` is true when the host ended it, false when the
    /// connection was lost.
    case streamEnded(Stream, socket: String, isInOrder: Bool)
    /// The host answered with an error: it refused the call or failed to perform it. Has the HTTP status and the error
    /// reply.
    case refused(status: Int, ErrorReply)
    /// The answer does not conform to this API: the process at the socket is not a host, or a host of another version.
    case misunderstood(socket: String, detail: String)

    package enum Stream: String, Hashable, Sendable {
        case journal
        case log
        case notifications = "feed of notifications"
    }
}

extension ControlError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unreachable(let socket, .answerTooLarge):
            "the call to the host at \(socket) failed: \(ConnectionFailure.answerTooLarge)"
        case .unreachable(let socket, let cause): "no host answers at \(socket): \(cause)"
        case .streamEnded(let stream, let socket, isInOrder: true):
            "the host at \(socket) is stopping and has closed the \(stream.rawValue)"
        case .streamEnded(_, let socket, isInOrder: false): "the connection to the host at \(socket) is lost"
        case .refused(_, let reply): "\(reply.error.code) (\(reply.error.subReason)): \(reply.error.message)"
        case .misunderstood(let socket, let detail):
            "the answer at \(socket) does not follow this API: \(detail);"
                + " check the path of the socket, and install bgtask and bgtaskd of one version"
        }
    }
}
