// Part of bgtask, under the Apache License 2.0; see LICENSE.

import AsyncHTTPClient
import Glibc
import NIOCore

/// What the operator is told about a connection that could not be had. Decides nothing.
enum ConnectionFailure {
    static func cause(of error: any Error) -> String {
        switch error {
        case let error as IOError: cause(ofNumber: error.errnoCode)
        case is NIOTooManyBytesError: "the answer is too large"
        case let error as HTTPClientError: cause(of: error)
        case SocketAddressError.unixDomainSocketPathTooLong:
            "the path is longer than the 107 bytes that a socket may have"
        default: "\(error)"
        }
    }

    private static func cause(of error: HTTPClientError) -> String {
        switch error {
        case .deadlineExceeded, .readTimeout: "it did not answer in time"
        case .connectTimeout: "it does not take connections"
        case .remoteConnectionClosed: "it closed the connection before it answered"
        default: "\(error)"
        }
    }

    private static func cause(ofNumber number: CInt) -> String {
        switch number {
        case ENOENT: "there is no such socket"
        case ECONNREFUSED: "a socket is there, but nobody listens on it"
        case EACCES, EPERM: "permission denied; its own user, root and its configured group may connect"
        case ECONNRESET, EPIPE: "it closed the connection before it answered"
        default: String(cString: strerror(number))
        }
    }
}
