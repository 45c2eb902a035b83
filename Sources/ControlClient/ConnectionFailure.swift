// Part of bgtask, under the Apache License 2.0; see LICENSE.

import AsyncHTTPClient
import Glibc
import NIOCore
import NIOHTTP1

/// The cause of a missing answer at a control socket. The caller adds the remedy.
package enum ConnectionFailure: Hashable, Sendable {
    case noSocket
    case noListener
    case notAllowed
    case pathTooLong
    /// The host hangs: it accepts no connection, or does not answer in time.
    case noAnswer
    case hungUp
    /// The answer has more than `ControlClient.largestAnswer` bytes.
    case answerTooLarge
    case other(String)

    init(_ error: any Error) {
        self =
            switch error {
            case let error as IOError: Self(number: error.errnoCode)
            case is NIOTooManyBytesError: .answerTooLarge
            case let error as HTTPClientError: Self(error)
            case let error as HTTPParserError:
                .other("the process at the socket does not answer as bgtaskd does, in HTTP (\(error))")
            case SocketAddressError.unixDomainSocketPathTooLong: .pathTooLong
            default: .other("the HTTP library reports \(error)")
            }
    }

    private init(_ error: HTTPClientError) {
        self =
            switch error {
            case .deadlineExceeded, .readTimeout, .connectTimeout: .noAnswer
            case .remoteConnectionClosed: .hungUp
            default: .other("the HTTP library reports \(error)")
            }
    }

    private init(number: CInt) {
        self =
            switch number {
            case ENOENT: .noSocket
            case ECONNREFUSED: .noListener
            case EACCES, EPERM: .notAllowed
            case EAGAIN: .noAnswer
            case ECONNRESET, EPIPE: .hungUp
            default: .other(String(cString: strerror(number)))
            }
    }
}

extension ConnectionFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noSocket: "the socket does not exist"
        case .noListener: "the path exists, but no process listens on it"
        case .notAllowed: "permission denied"
        case .pathTooLong: "the path is longer than 107 bytes, the limit for a socket"
        case .noAnswer: "a process listens on the socket, but does not answer"
        case .hungUp: "the connection was closed before the answer was complete"
        case .answerTooLarge: "the answer of the host has more than \(ControlClient.largestAnswer >> 20) MiB"
        case .other(let words): words
        }
    }
}
