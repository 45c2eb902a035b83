// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostConfiguration

/// A listening socket that the service manager passed to this process (`sd_listen_fds`). The service manager keeps it
/// open while no host runs: callers wait in its queue instead of being refused.
struct ActivatedSocket: Hashable, Sendable {
    let descriptor: CInt
    let path: String

    /// Number of the first descriptor that the service manager passes.
    private static let first: CInt = 3
    private static let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]

    /// Takes the passed socket; nil when the service manager passed none to this process. Called once, before other
    /// threads and children exist: it changes the environment and marks the descriptors close-on-exec.
    static func taken() throws(HostError) -> ActivatedSocket? {
        let environment = ProcessInfo.processInfo.environment
        for name in variables { unsetenv(name) }
        let count = count(in: environment, process: getpid())
        for number in first..<(first + count) { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
        if count == 0 { return nil }
        guard count == 1 else {
            let remedy = "keep one ListenStream= in bgtaskd.socket, and no other socket for bgtaskd"
            throw unusable("\(count) sockets instead of one", remedy: remedy)
        }
        return try ActivatedSocket(descriptor: first)
    }

    /// The number of descriptors that the service manager passes to the process, by `LISTEN_PID` and `LISTEN_FDS` in
    /// the environment; 0 for none, and for other values.
    static func count(in environment: [String: String], process: Int32) -> CInt {
        guard environment["LISTEN_PID"].flatMap(Int32.init) == process,
            let count = environment["LISTEN_FDS"].flatMap(CInt.init), (1...1_024).contains(count)
        else { return 0 }
        return count
    }

    /// Throws when the descriptor is not a listening Unix stream socket with a path.
    init(descriptor: CInt) throws(HostError) {
        func option(_ name: CInt) -> CInt? {
            var value: CInt = 0
            var length = socklen_t(MemoryLayout<CInt>.size)
            return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
        }
        guard option(SO_DOMAIN) == AF_UNIX, option(SO_TYPE) == CInt(SOCK_STREAM.rawValue), option(SO_ACCEPTCONN) == 1,
            let path = Self.path(of: descriptor)
        else {
            throw Self.unusable(
                "a descriptor that is not a listening Unix stream socket with a path",
                remedy: "write ListenStream= with an absolute path in bgtaskd.socket, and Accept=no"
            )
        }
        self.descriptor = descriptor
        self.path = path
    }

    /// Throws when the configuration names another socket, at which no caller would find the host, and when the file of
    /// the passed socket has been removed.
    func checkPath(_ configured: String) throws(HostError) {
        var (own, other) = (stat(), stat())
        if stat(path, &own) == 0, stat(configured, &other) == 0, own.st_dev == other.st_dev, own.st_ino == other.st_ino
        {
            return
        }
        if path == configured {
            throw Self.unusable("the socket \(path), which has been removed", remedy: "restart bgtaskd.socket")
        }
        throw Self.unusable(
            "the socket \(path), but the socket of the host is \(configured)",
            remedy: "write the same path in ListenStream= of bgtaskd.socket and as socket of the host, and restart"
                + " bgtaskd.socket, or stop and mask it"
        )
    }

    private static func unusable(_ problem: String, remedy: String) -> HostError {
        HostError(code: .socketUnusable, message: "the service manager passed \(problem); \(remedy)")
    }

    private static func path(of descriptor: CInt) -> String? {
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard status == 0 else { return nil }
        let path = withUnsafeBytes(of: &address.sun_path) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        return path.hasPrefix("/") ? path : nil
    }
}
