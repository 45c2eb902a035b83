// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostConfiguration
import HostTestKit
import Testing

@Suite("The listener of a socket is determined without waiting for it")
struct SocketListenerTests {
    @Test func `the check of a served socket returns the process id of its listener`() async throws {
        try await ScratchDirectory.with { directory in
            let path = directory.file("s")
            let listening = try ListeningSocket(at: path)
            #expect(SocketListener(at: path) == .process(getpid()))
            #expect(SocketListener(at: path).hasListener)
            withExtendedLifetime(listening) {}
        }
    }

    @Test func `a socket with a full queue counts as served, by an unknown process`() async throws {
        try await ScratchDirectory.with { directory in
            let path = directory.file("s")
            let listening = try ListeningSocket(at: path)
            try listening.fill(at: path)
            #expect(SocketListener(at: path) == .crowded)
            #expect(SocketListener(at: path).hasListener && SocketListener(at: path).process == nil)
            withExtendedLifetime(listening) {}
        }
    }

    @Test func `a socket file without a listener counts as unserved`() async throws {
        try await ScratchDirectory.with { directory in
            let path = directory.file("s")
            _ = try ListeningSocket(at: path)
            #expect(FileManager.default.fileExists(atPath: path))
            #expect(SocketListener(at: path) == .noProcess && !SocketListener(at: path).hasListener)
        }
    }

    @Test func `a missing socket counts as unserved`() async throws {
        try await ScratchDirectory.with { directory in
            #expect(SocketListener(at: directory.file("s")) == .noProcess)
            #expect(SocketListener(at: directory.file("s/t")) == .noProcess)
            #expect(SocketListener(at: directory.file(String(repeating: "s", count: 200))) == .noProcess)
        }
    }

    @Test func `the listener of a datagram socket is unknown`() async throws {
        try await ScratchDirectory.with { directory in
            let path = directory.file("s")
            let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let status = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            #expect(status == 0)
            #expect(SocketListener(at: path) == .unknown(errno: EPROTOTYPE))
        }
    }
}
