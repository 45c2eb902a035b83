// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import HostTestKit

/// A listening socket of a test. Connections stay in its queue until they are accepted.
struct TestListener {
    private let descriptor: Int32
    /// The TCP port; 0 for a Unix socket.
    let port: UInt16

    /// A TCP socket at a free port of the loopback interface.
    static func internet() throws -> TestListener {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let descriptor = try made(AF_INET)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                let status = bind(descriptor, place, length)
                return status == 0 ? getsockname(descriptor, place, &length) : status
            }
        }
        guard status == 0, listen(descriptor, 16) == 0 else { throw failure("listen at a port") }
        return TestListener(descriptor: descriptor, port: UInt16(bigEndian: address.sin_port))
    }

    /// A Unix socket.
    ///
    /// - Parameter isAbstract: whether the path is an abstract name instead of a place in the file system.
    static func unix(_ path: String, isAbstract: Bool = false) throws -> TestListener {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let start = isAbstract ? 1 : 0
        withUnsafeMutableBytes(of: &address.sun_path) { $0[start...].copyBytes(from: path.utf8) }
        let descriptor = try made(AF_UNIX)
        // An abstract name ends with the address; a path ends with a zero byte.
        let length = socklen_t(MemoryLayout<sa_family_t>.size + path.utf8.count + 1)
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard status == 0, listen(descriptor, 16) == 0 else { throw failure("listen at \(path)") }
        return TestListener(descriptor: descriptor, port: 0)
    }

    /// Ends a waiting `accept`, too.
    func close() {
        shutdown(descriptor, Int32(SHUT_RDWR))
        Glibc.close(descriptor)
    }

    /// Waits for the next connection, and returns its descriptor; nil after `close`.
    func accept() -> Int32? {
        let connection = Glibc.accept(descriptor, nil, nil)
        return connection < 0 ? nil : connection
    }

    private static func made(_ family: Int32) throws -> Int32 {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw failure("create a socket") }
        return descriptor
    }

    private static func failure(_ attempt: String) -> HostFailure {
        HostFailure("cannot \(attempt): \(String(cString: strerror(errno)))")
    }
}
