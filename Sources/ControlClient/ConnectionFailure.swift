// Part of bgtask, under the Apache License 2.0; see LICENSE.

import AsyncHTTPClient
import Glibc
import NIOCore

/// Why no host answered at a control socket. What to do about it is for its caller to say.
package enum ConnectionFailure: Hashable, Sendable {
    case noSocket
    case nobodyListens
    case notAllowed
    case pathTooLong
    /// A host is there and takes no connection, or answers none: it hangs.
    case noAnswer
    case hungUp
    case other(String)

    init(_ error: any Error) {
        self =
            switch error {
            case let error as IOError: Self(number: error.errnoCode)
            case is NIOTooManyBytesError: .other("the answer is too large")
            case let error as HTTPClientError: Self(error)
            case SocketAddressError.unixDomainSocketPathTooLong: .pathTooLong
            default: .other("\(error)")
            }
    }

    private init(_ error: HTTPClientError) {
        self =
            switch error {
            case .deadlineExceeded, .readTimeout, .connectTimeout: .noAnswer
            case .remoteConnectionClosed: .hungUp
            default: .other("\(error)")
            }
    }

    private init(number: CInt) {
        self =
            switch number {
            case ENOENT: .noSocket
            case ECONNREFUSED: .nobodyListens
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
        case .nobodyListens: "the socket exists, but no process listens on it"
        case .notAllowed: "permission denied"
        case .pathTooLong: "the path is longer than the 107 bytes that a socket may have"
        case .noAnswer: "a host exists, but it does not answer"
        case .hungUp: "it closed the connection before it answered"
        case .other(let words): words
        }
    }
}
