// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostConfiguration
import HostTestKit
import Testing

@Suite("Who listens on a socket is told without waiting for them")
struct SocketListenerTests {
    @Test func `one that is served names the process`() async throws {
        try await ScratchFolder.with { folder in
            let path = folder.file("s")
            let listening = try ListeningSocket(at: path)
            #expect(SocketListener(at: path) == .process(getpid()))
            #expect(SocketListener(at: path).isSomebody)
            withExtendedLifetime(listening) {}
        }
    }

    @Test func `one whose queue is full is somebody's all the same`() async throws {
        try await ScratchFolder.with { folder in
            let path = folder.file("s")
            let listening = try ListeningSocket(at: path)
            try listening.fill(at: path)
            #expect(SocketListener(at: path) == .crowded)
            #expect(SocketListener(at: path).isSomebody && SocketListener(at: path).process == nil)
            withExtendedLifetime(listening) {}
        }
    }

    @Test func `one that was left behind is nobody's`() async throws {
        try await ScratchFolder.with { folder in
            let path = folder.file("s")
            _ = try ListeningSocket(at: path)
            #expect(FileManager.default.fileExists(atPath: path))
            #expect(SocketListener(at: path) == .nobody && !SocketListener(at: path).isSomebody)
        }
    }

    @Test func `where there is none, nobody listens`() async throws {
        try await ScratchFolder.with { folder in
            #expect(SocketListener(at: folder.file("s")) == .nobody)
            #expect(SocketListener(at: folder.file("s/t")) == .nobody)
            #expect(SocketListener(at: folder.file(String(repeating: "s", count: 200))) == .nobody)
        }
    }

    @Test func `a socket of another kind tells no more than that it is there`() async throws {
        try await ScratchFolder.with { folder in
            let path = folder.file("s")
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
